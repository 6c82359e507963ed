"""Fair by proof: the numbers are what docs/fairness.md says, even, and found out when any byte of a log is changed."""

from __future__ import annotations

import ast
import doctest
import io
import json
import runpy
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import sortes
from sortes.core.ask import Choice, Done, State, Tally, Throw
from sortes.core.chance import Dice, Draw, OpenEnded, Standing, Thrown, die
from sortes.core.errors import RuleError
from sortes.core.world import Deck, Pile, Stock, World
from sortes.engine.play import by_hand, throw
from sortes.prepared import Prepared
from sortes.table.fair import (
    START,
    Finding,
    Stream,
    acknowledged,
    canonical,
    chained,
    commitment,
    encode,
    exported,
    groups,
    verify_log,
)
from tests.pages import ROOT, blocks

VERIFY = ROOT / "verify" / "verify.py"
Independent: Any = runpy.run_path(str(VERIFY))["Log"]
MISSHAPEN = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError, RecursionError)
SECRET = bytes(range(32))
TABLE = "example"


def stream(counter: int = 1, nonce: str = "a pinch of salt", stretch: str = "s1") -> Stream:
    return Stream(SECRET, TABLE, stretch, counter, nonce)


# ---- known answers ------------------------------------------------------------------------------


def test_parts_are_told_apart() -> None:
    assert encode(b"a", b"") == b"\0\0\0\0\0\0\0\x01a\0\0\0\0\0\0\0\0"
    assert encode(b"ab", b"c") != encode(b"a", b"bc")


def test_commitments_and_digests_are_known() -> None:
    assert (
        commitment(SECRET, "May the dice be kind", TABLE, "s1")
        == "72b12ba1dbe891fbb3551d69d71fa7dc5e0ebc670207830f83615b0d76206d4e"
    )
    assert (
        acknowledged(TABLE, "s1", "a pinch of salt", b'{"rule":"agate.attempt"}')
        == "b5221267dff73e3a62aa50dc74ac570256911253ec86285f959010cfc8475a46"
    )
    assert (
        chained(START, b'{"kind":"note"}').hex()
        == "5080261b85b7eeb730b6c6284fed08c261fb647259a8751abbcbba3015300e5d"
    )


@pytest.mark.parametrize(
    "other",
    [
        (bytes(32), "words", TABLE, "s1"),
        (SECRET, "word", TABLE, "s1"),
        (SECRET, "words", "examples", "1"),
        (SECRET, "words", TABLE, "s2"),
    ],
)
def test_a_commitment_binds_secret_words_table_and_stretch(other: tuple[bytes, str, str, str]) -> None:
    assert commitment(*other) != commitment(SECRET, "words", TABLE, "s1")


def test_numbers_are_known() -> None:
    """The first bytes of this request are 1f e4 cb 1f d6 25 5d 7d 7d 41 d6."""
    source = stream()
    expected = [
        (20, 11),  # 31
        (6, 0),  # 228
        (1, 0),  # no byte is read
        (52, 47),  # 203
        (256, 31),
        (257, 80),  # 0xd625
        (1000, 933),  # 0x5d7d
        (10**6, 208854),  # 0x7d41d6
        (2**64, 3997422117067943587),
        (2**256, 6810898298314115142398365119734010179665991347478458863957708309707793375079),
        (2**256 + 1, 56846537252101785118700920789652012145706088798711698165959540792716690919336),
    ]
    assert [(stop, source.randrange(stop)) for stop, _ in expected] == expected
    assert source.drawn == expected


def test_a_number_in_the_broken_run_is_thrown_away() -> None:
    """Of one byte and 200 only 0 to 199 count: 31 does, 228 and 203 do not, and the next 31 does."""
    source = stream()
    assert [source.randrange(200) for _ in range(2)] == [31, 31]
    assert source.randrange(256) == 0xD6


@pytest.mark.parametrize(
    "other",
    [
        (bytes(32), TABLE, "s1", 1, "n"),
        (SECRET, "examples", "1", 1, "n"),
        (SECRET, TABLE, "s2", 1, "n"),
        (SECRET, TABLE, "s1", 2, "n"),
        (SECRET, TABLE, "s1", 1, "m"),
    ],
)
def test_another_secret_table_stretch_counter_or_nonce_gives_other_numbers(other: Any) -> None:
    assert Stream(*other).randrange(2**128) != Stream(SECRET, TABLE, "s1", 1, "n").randrange(2**128)


def test_what_is_out_of_range_is_refused_and_no_secret_is_shown() -> None:
    for stop in (0, -1, True, 2.0):
        with pytest.raises(RuleError, match="stop"):
            stream().randrange(stop)  # type: ignore[arg-type]
    for counter in (0, 2**64, True):
        with pytest.raises(RuleError, match="counter"):
            Stream(SECRET, TABLE, "s1", counter, "n")
    for make in (lambda s: commitment(s, "", "t", "s"), lambda s: Stream(s, "t", "s", 1, "n")):
        with pytest.raises(RuleError, match="secret: got '11 bytes'; takes 32 bytes") as told:
            make(b"not so long")
        assert "not so long" not in str(told.value)


@pytest.mark.parametrize("value", [1.0, {"a": [float("nan")]}, {1: 2}, {"a": b"x"}, {"a": {1}}])
def test_an_event_holds_only_what_has_one_form(value: Any) -> None:
    with pytest.raises(RuleError, match="event"):
        canonical({"kind": "note", "x": value})


def test_canonical_is_what_msgspec_writes_in_sorted_order() -> None:
    import msgspec

    every = "".join(map(chr, [*range(0x300), 0x2028, 0xE000, 0xFFFF, 0x1F0A1]))
    event = {"kind": "note", "b": every, "\U0001f0a1": 1, "\uffff": [True, None, -1], "a": {}}
    assert canonical(event) == msgspec.json.encode(event, order="sorted")


# ---- evenness -----------------------------------------------------------------------------------


class Remainder(Stream):
    """The mistake: the remainder of the fewest bytes, none thrown away."""

    def randrange(self, stop: int, /) -> int:
        return int.from_bytes(self._take(((stop - 1).bit_length() + 7) // 8), "big") % stop


def uneven(seen: Counter[Any], cells: int) -> bool:
    """Whether chi-square over equally likely cells is above its 1 - 1e-6 quantile (by Wilson and Hilferty)."""
    each = seen.total() / cells
    chi = sum((n - each) ** 2 for n in seen.values()) / each + (cells - len(seen)) * each
    k = cells - 1
    return bool(chi > k * (1 - 2 / (9 * k) + 4.753 * (2 / (9 * k)) ** 0.5) ** 3)


@pytest.mark.parametrize("stop", [2, 3, 4, 6, 8, 10, 12, 20, 51, 52, 100, 129, 256, 257, 1000])
def test_every_number_is_as_likely(stop: int) -> None:
    source = stream()
    assert not uneven(Counter(source.randrange(stop) for _ in range(60_000)), stop)


@pytest.mark.parametrize(("stop", "cells"), [(20, 20), (200, 20), (10**6, 100), (3 * 2**254, 3)])
def test_the_remainder_of_a_byte_would_be_found_out(stop: int, cells: int) -> None:
    """byte % 20 is biased: 0 to 15 come up 13 times in 256, 16 to 19 only 12 times."""
    right, biased = stream(), Remainder(SECRET, TABLE, "s1", 1, "a pinch of salt")
    width = stop // cells
    assert not uneven(Counter(right.randrange(stop) // width for _ in range(200_000)), cells)
    assert uneven(Counter(biased.randrange(stop) // width for _ in range(200_000)), cells)


def test_numbers_that_follow_each_other_and_first_numbers_of_requests_are_independent() -> None:
    source = stream()
    assert not uneven(Counter((source.randrange(6), source.randrange(6)) for _ in range(60_000)), 36)
    firsts = [stream(counter, f"{counter}").randrange(6) for counter in range(1, 40_001)]
    assert not uneven(Counter(zip(firsts[::2], firsts[1::2], strict=True)), 36)


def test_every_order_of_cards_is_as_likely() -> None:
    stock = Stock([Deck("deck", (("A", 2), ("B", 1), ("C", 1)))], [{"A": 2, "B": 1, "C": 1}], [])
    world = World((Pile((2, 1, 1), (0, 0, 0)),))
    seen: Counter[Any] = Counter()
    for counter in range(1, 24_001):
        seen["".join(stock.sample(world, Draw(4, "deck"), stream(counter))[0])] += 1
    assert not uneven(seen, 12)


# ---- a session ----------------------------------------------------------------------------------


def key(name: str) -> bytes:
    """A secret for a test."""
    return encode(name.encode()).ljust(32, b".")[:32]


class Session:
    """A table that is played at: its events, and what they leave in the deck."""

    def __init__(self, decks: dict[str, Any] | None = None) -> None:
        self.events: list[dict[str, Any]] = []
        self.counters: Counter[str] = Counter()
        self.say("opened", table=TABLE, decks=decks or {})

    def say(self, kind: str, **rest: Any) -> None:
        self.events.append({"kind": kind, **rest})

    def commit(self, id: str, seals: int = 0) -> None:
        words = f"words for {id}"
        more = [commitment(key(f"{id}.{i}"), words, TABLE, f"{id}.{i}") for i in range(1, seals + 1)]
        given = commitment(key(id), words, TABLE, id)
        self.say("committed", stretch=id, words=words, commitment=given, **({"seals": more} if seals else {}))

    def open(self, id: str) -> None:
        self.say("opened-secret", stretch=id, secret=key(id).hex())

    def request(self, id: str) -> tuple[Stream, dict[str, Any]]:
        self.counters[id] += 1
        n = self.counters[id]
        nonce = f"nonce {n} ♠"
        return Stream(key(id), TABLE, id, n, nonce), {"stretch": id, "counter": n, "nonce": nonce}

    def play(self, it: Prepared, id: str, world: World | None = None, hand: Sequence[Any] = ()) -> World:
        """Play a rule to its end as a table does, every choice the first; `hand` answers the first throw."""
        source, request = self.request(id)
        state: State = it.state
        world = world or it.world
        while not isinstance(state, Done):
            match ask := state.ask():
                case Throw(bag):
                    before, n = world, len(source.drawn)
                    if hand:
                        state, world, records = by_hand(ask, it.stock, world, hand)
                    else:
                        state, world, records = throw(ask, it.stock, world, source)
                    items = groups(bag, records, source.drawn[n:], it.stock, before)
                    self.say("throw", play=it.rule.id, groups=items, **({} if hand else request))
                    hand = ()
                case Choice():
                    option = it.stock.offered(world, ask)[0]
                    self.say("took", value=str(option.value))
                    state, world = ask.then(option.value), it.stock.pay(world, option.cost)
                case Tally(what, n, then):
                    really, world = it.stock.mark(world, what, n)
                    state = then(really)
                case Done():
                    state = ask
        if not source.drawn:
            self.counters[id] -= 1
        return it.stock.settled(world)

    def lines(self) -> list[bytes]:
        return [*exported(map(canonical, self.events))]


def small() -> Session:
    """A small session of every kind of event."""
    deck = [["AC", 2], ["2C", 1], ["XX", 1]]
    cards = Stock([Deck("cards", (("AC", 2), ("2C", 1), ("XX", 1)))], [{"AC": 2, "2C": 1, "XX": 1}], [])
    world = World((Pile((2, 1, 1), (0, 0, 0)),))
    it = Session({"cards": deck})
    it.say("note", text='Größe ♥ \u2028 \\ " \n and a number', n=-3)
    it.commit("s1", seals=2)
    source, request = it.request("s1")
    standing = Standing(
        (("fate", Dice(1, die(20), 1, name="d20")), ("boon", Dice(2, die(20), 1, name="d20")))
    )
    for bag in (
        standing,
        Dice(3, ("ace", "K", "9"), 2, name="poker"),
        OpenEnded(die(6), (6, 5, 4), (), "d6"),
    ):
        n = len(source.drawn)
        it.say("throw", groups=groups(bag, bag.sample(source)[1], source.drawn[n:]), **request)
    source, request = it.request("s1")
    draw = Draw(6, "cards")
    world = cards.opened(world, Draw(1, "cards", opens="act"))
    for draw in (Draw(1, "cards"), Draw(2, "cards"), Draw(1, "cards")):
        before, n = world, len(source.drawn)
        drawn, world = cards.sample(world, draw, source)
        record = (Thrown("cards", "cards", tuple(drawn), tuple(drawn)),)
        it.say("throw", groups=groups(draw, record, source.drawn[n:], cards, before), **request, filled=True)
    it.say("shuffled", deck="cards", out=[*drawn])
    hand = Dice(1, die(8), 1, name="d8").by_hand([3])[1]
    it.say("throw", groups=groups(Dice(1, die(8)), [Thrown("dice", "d8", (3,), (3,), "hand")], []))
    assert hand
    source, request = it.request("s1.2")
    it.say("throw", groups=groups(standing, standing.sample(source)[1], source.drawn), **request)
    it.open("s1")
    it.say("revealed", play="p9", events=[])
    it.open("s1.2")
    it.commit("s2")
    source, request = it.request("s2")
    it.say("throw", groups=groups(standing, standing.sample(source)[1], source.drawn), **request)
    return it


def levels(findings: Sequence[Finding]) -> set[tuple[int, str]]:
    return {(one.line, one.level) for one in findings}


def both(lines: Sequence[bytes]) -> set[tuple[int, str]] | None:
    """What both verifiers say of a log, or None where both find it wrong; they must agree."""
    ours = levels(verify_log(lines))
    log = Independent()
    try:
        log.check(b"".join(lines))
    except MISSHAPEN:
        assert any(level == "wrong" for _, level in ours), "only verify.py finds it wrong"
        return None
    assert ours == log.said
    return ours


def relinked(events: Sequence[bytes]) -> set[tuple[int, str]] | None:
    """What is said of events that a forger has put into a new, whole chain."""
    return both([*exported(events)])


def independent(*arguments: str | Path, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    """A bare Python, without our environment or any package."""
    return subprocess.run(
        [sys.executable, "-I", "-S", *arguments], input=stdin, capture_output=True, check=False, timeout=300
    )


def test_a_good_log_is_good_to_both_verifiers(tmp_path: Path) -> None:
    it = small()
    found = both(it.lines())
    assert found is not None
    at = {e["kind"] + e.get("stretch", ""): i for i, e in enumerate(it.events, 1)}
    hand = next(i for i, e in enumerate(it.events, 1) if "by" in str(e.get("groups")))
    filled = {(i, "filled") for i, e in enumerate(it.events, 1) if e.get("filled")}
    assert found == {(at["committeds2"], "not-yet-opened"), (hand, "hand")} | filled
    (tmp_path / "log.jsonl").write_bytes(b"".join(it.lines()))
    done = independent(VERIFY, tmp_path / "log.jsonl")
    assert (done.returncode, done.stderr) == (0, b"")
    said = done.stdout.decode().splitlines()
    assert said[:-1] == [f"line {line}: {level}" for line, level in sorted(found)]
    assert said[-1].startswith("The log is whole")
    (tmp_path / "log.jsonl").write_bytes(b"".join(it.lines()).replace(b"note", b"mote"))
    done = independent(VERIFY, tmp_path / "log.jsonl")
    assert done.returncode == 1
    assert b"line 2: WRONG" in done.stderr


@pytest.mark.parametrize(
    ("rule", "params"),
    [
        ("d20-oracle.ask", {"likelihood": "likely", "tables": True}),
        ("poker-dice.roll", {"level": 0, "bonus": 3}),
        ("agate.attempt", {"skill": 3, "difficulty": 1}),
        ("cards.resolve", {"el": 7, "against": 9}),
        ("cards.conflict", {"mine": 5, "theirs": 4}),
        ("dramatic-skill.test", {"skill": 8, "dn": 15}),
        ("dramatic-skill.task", {"steps": [{"name": f"step {i}", "skill": 12, "dn": 10} for i in range(4)]}),
    ],
)
def test_the_engine_throws_with_a_stream_and_the_log_proves_it(rule: str, params: dict[str, Any]) -> None:
    it = sortes.prepare(rule, **params)
    decks = {
        name: [[c, n] for c, n in zip(it.stock.labels[i], it.stock.totals[i], strict=True)]
        for name, i in it.stock.place.items()
    }
    session = Session(decks)
    session.commit("s1")
    world = it.world
    for _ in range(12):
        world = session.play(it, "s1", world)
        if not it.stock.decks:
            world = it.world
        if any(p and sum(p.left) < 20 for p in world.piles):  # as if someone said so
            world = it.world
            for name in decks:
                session.say("shuffled", deck=name)
    session.open("s1")
    assert both(session.lines()) == set()
    played = sortes.play(it, rng=Stream(key("s1"), TABLE, "s1", 1, "nonce 1 ♠"))
    first = [
        face
        for e in session.events
        if e["kind"] == "throw" and e["counter"] == 1
        for g in e["groups"]
        if g["kind"] != "shuffled"
        for face in g["faces"]
    ]
    assert [face for record in played.throws for face in record.faces] == first


@pytest.mark.parametrize("reshuffle", ["ask", "always"])
def test_shuffles_on_the_way_are_told(reshuffle: str) -> None:
    """C2: a draw that the deck cannot fill shuffles the discard in, and `always` shuffles before every act."""
    it = sortes.prepare("cards.resolve", el=7, against=9, house={"reshuffle": reshuffle})
    session = Session(
        {"cards": [[c, n] for c, n in zip(it.stock.labels[0], it.stock.totals[0], strict=True)]}
    )
    session.commit("s1")
    world = it.world
    for _ in range(9):
        world = session.play(it, "s1", world)
    session.open("s1")
    shuffles = [
        g for e in session.events if e["kind"] == "throw" for g in e["groups"] if g["kind"] == "shuffled"
    ]
    assert shuffles
    assert both(session.lines()) == set()


def test_a_throw_by_hand_in_a_session_is_marked_and_not_derived() -> None:
    it = sortes.prepare("poker-dice.roll", level=1)
    session = Session()
    session.commit("s1")
    session.play(it, "s1", hand=["A♠", "K♦"])
    session.play(it, "s1")
    session.open("s1")
    assert both(session.lines()) == {(3, "hand")}
    session.events[2]["groups"][0]["faces"][0] = "no such face"
    assert both(session.lines()) is None


def test_a_card_by_hand_may_be_out_in_secret_already() -> None:
    """Its player could not know. No draw from the deck counts it, also behind shuffles that leave both out."""
    deck = {"A": 1, "B": 1, "C": 2}
    it = Session({"deck": [[card, n] for card, n in deck.items()]})
    it.commit("s1")
    stock = Stock([Deck("deck", tuple(deck.items()))], [deck], [])
    world = World((Pile((0, 1, 2), (1, 0, 0)),))
    by_hand = {"kind": "cards", "name": "deck", "faces": ["A"], "by": "hand"}
    it.say("throw", groups=[by_hand])
    it.say("throw", groups=[by_hand])
    for _ in range(2):
        it.say("shuffled", deck="deck", out=["A", "A"])
        source, request = it.request("s1")
        cards, _ = stock.sample(world, Draw(2, "deck"), source)
        it.say("throw", **request, groups=[{"kind": "cards", "name": "deck", "faces": [*cards]}])
    it.open("s1")
    assert both(it.lines()) == {(3, "hand"), (4, "hand")}
    it.say("shuffled", deck="deck", out=["A", "A", "A"])
    assert both(it.lines()) is None
    it.events[-1] = {"kind": "throw", "groups": [{**by_hand, "faces": ["X"]}]}
    assert both(it.lines()) is None


# ---- what was hidden ----------------------------------------------------------------------------


def hidden(after: int) -> Session:
    """What a player is given: a card drawn in secret, the open ones after it, and all that once it is revealed."""
    deck = {"A": 1, "B": 1, "C": 1, "D": 1}
    stock = Stock([Deck("deck", tuple(deck.items()))], [deck], [])
    it = Session({"deck": [[card, n] for card, n in deck.items()]})
    world = World((Pile((1, 1, 1, 1), (0,) * 4),))
    it.commit("s1", seals=3)

    def draw(id: str) -> dict[str, Any]:
        nonlocal world
        source, request = it.request(id)
        cards, world = stock.sample(world, Draw(1, "deck"), source)
        return {"kind": "throw", **request, "groups": [{"kind": "cards", "name": "deck", "faces": [*cards]}]}

    secret = draw("s1.3")
    secret["groups"][0]["stays"] = 1
    it.say("shuffled", deck="deck", out=[])  # the secret card stays out, and nobody is told
    for _ in range(3):
        it.events.append(draw("s1"))
    it.say("revealed", play="p1", events=[{"after": after, "event": secret}])
    it.open("s1.3")
    it.open("s1")
    return it


def test_a_play_that_was_hidden_is_proved_when_it_is_revealed() -> None:
    """Its own secret and counter; the open draws come right only when its card is put where it belongs."""
    it = hidden(after=2)
    assert both(it.lines()) == set()
    at = next(i for i, e in enumerate(it.events) if e["kind"] == "revealed")
    before = Session()
    before.events = it.events[:at]  # the player's log before the reveal: nothing wrong, nothing proved
    assert both(before.lines()) == {(2, "not-yet-opened")}
    assert "drawn" not in str(before.events)


def test_what_was_hidden_cannot_be_put_elsewhere() -> None:
    """Later than it was, its card would be among those that were drawn openly; out of the log, it is missed."""
    assert both(hidden(after=5).lines()) is None
    it = hidden(after=2)
    for e in it.events:
        if e["kind"] == "revealed":
            e["events"] = []
    assert both(it.lines()) is None
    for after in (0, 99, -1, True, "2"):
        assert both(hidden(after=after).lines()) is None  # type: ignore[arg-type]


# ---- tampering ----------------------------------------------------------------------------------

FLIPS = """
import runpy, sys
Log = runpy.run_path(sys.argv[1])["Log"]
data = sys.stdin.buffer.read()
Log().check(data)
missed = []
for at in range(len(data)):
    try:
        Log().check(data[:at] + bytes([data[at] ^ 1 << at % 8]) + data[at + 1 :])
    except Exception:
        continue
    missed.append(at)
assert "sortes" not in sys.modules
try:
    import sortes
except ImportError:
    print(len(data), missed)
"""


def test_a_change_of_any_byte_is_found_by_the_product() -> None:
    data = b"".join(small().lines())
    for at in range(len(data)):
        other = data[:at] + bytes([data[at] ^ 1 << at % 8]) + data[at + 1 :]
        assert any(one.level == "wrong" for one in verify_log(io.BytesIO(other))), at


def test_a_change_of_any_byte_is_found_by_the_independent_one() -> None:
    data = b"".join(small().lines())
    done = independent("-c", FLIPS, VERIFY, stdin=data)
    assert done.stdout.decode() == f"{len(data)} []\n", done.stderr.decode()


def test_a_byte_more_or_less_and_lines_lost_doubled_or_swapped_are_found() -> None:
    lines = small().lines()
    for i in range(len(lines)):
        assert both([*lines[:i], *lines[i + 1 :]]) is None
        assert both([*lines[: i + 1], *lines[i:]]) is None
        assert both(lines[:i]) is None
        assert both([*lines[:i], lines[i].replace(b'":', b'": ', 1), *lines[i + 1 :]]) is None
        if i:
            assert both([*lines[: i - 1], lines[i], lines[i - 1], *lines[i + 1 :]]) is None
    assert both([*lines, b"\n"]) is None
    assert both([*lines[:-1], lines[-1][:-1]]) is None
    assert both([]) is None


@pytest.mark.parametrize(
    "event",
    [
        b'{"kind":"note","x":1.5}',
        b'{"kind":"note","x":NaN}',
        b'{"kind":"note","kind":"note"}',
        b'{"x":1,"kind":"note"}',
        b'{"kind":"note","x":"\\u0041"}',
        b'{"kind": "note"}',
        b'{"kind":"note","x":"\\ud800"}',
        b'{"kind":7}',
        b"{}",
        b'{"kind":"note","x":' + b"[" * 5000 + b"]" * 5000 + b"}",
        b'{"kind":"note","x":' + b"9" * 5000 + b"}",
        b'{"kind":"opened","table":"other"}',
        b'{"groups":[{"by":"hand","faces":[1],"kind":"coin","name":"c"}],"kind":"throw"}',
        b'{"groups":[{"by":"hand","faces":[9],"kind":"dice","name":"d6","sides":6}],"kind":"throw"}',
        b'{"cards":[["A",0]],"deck":"d","kind":"shuffled"}',
        b'{"cards":[["A",1],["A",1]],"deck":"d","kind":"shuffled"}',
        b'{"deck":"cards","kind":"shuffled","out":["AC","AC","AC","AC"]}',
        b'{"deck":"nowhere","kind":"shuffled"}',
        b'{"groups":[{"by":"hand","faces":[1],"kind":"dice","name":"d","sides":9223372036854775808}],"kind":"throw"}',
    ],
)
def test_an_event_that_is_not_as_it_must_be_is_found_in_a_whole_chain(event: bytes) -> None:
    events = [canonical(e) for e in small().events]
    for opaque in (
        b'{"kind":"note","x":[]}',
        b'{"kind":"opened_secret"}',
        b'{"kind":""}',
        b'{"kind":"check"}',
    ):
        assert relinked([*events[:2], opaque, *events[2:]]) is not None
    assert relinked([*events[:2], event, *events[2:]]) is None


def forgeries() -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """What one who may link the chain anew could try."""
    good = json.dumps(small().events)
    throws = [i for i, e in enumerate(small().events) if e["kind"] == "throw" and "stretch" in e]
    last = [i for i, e in enumerate(small().events) if e["kind"] == "opened-secret"][-1]
    for i in throws:
        for k, group in enumerate(small().events[i]["groups"]):
            if group["kind"] == "shuffled" or i > last:
                continue
            events = json.loads(good)
            faces = events[i]["groups"][k]["faces"]
            options = (
                [1, 2]
                if group["kind"] == "dice" and group["name"] != "poker"
                else ["ace", "9", "AC", "2C", "XX"]
            )
            faces[0] = next(one for one in options if one != faces[0])
            yield f"face of throw {i}.{k}", events
            events = json.loads(good)
            number = events[i]["groups"][k]["drawn"][0]
            number[1] = (number[1] + 1) % number[0]
            if number[0] > 1:
                yield f"number of throw {i}.{k}", events
            events = json.loads(good)
            item = events[i]["groups"][k]
            if group["kind"] == "dice" and isinstance(item["sides"], int):
                value = (item["drawn"][0][1] + 1) % item["sides"]
                item["drawn"][0][1], item["faces"][0] = value, item["sides"] - value
                yield f"number and face of throw {i}.{k}", events
            events = json.loads(good)
            events[i]["groups"][k]["by"] = "thumb"
            events[i]["groups"][k]["faces"] = events[i]["groups"][k]["faces"][1:]
            yield f"a face less in throw {i}.{k}", events
        for name, value in (("counter", 7), ("nonce", "another"), ("stretch", "s9"), ("stretch", "s2")):
            events = json.loads(good)
            if i < last and events[i][name] != value:
                events[i][name] = value
                yield f"{name} of throw {i}", events
        if i + 1 in throws and {small().events[k]["counter"] for k in (i, i + 1)} == {
            1
        }:  # more of it follows
            events = json.loads(good)
            del events[i]
            yield f"no throw {i}", events
    for i, e in enumerate(small().events):
        for name, value in {
            "opened": {"table": "another"},
            "committed": {"words": "other words", "commitment": "0" * 64, "seals": ["0" * 64] * 2},
            "opened-secret": {"secret": "0" * 64, "stretch": "s9"},
            "shuffled": {"out": ["AC", "AC", "2C", "XX", "XX"], "deck": "another"},
        }.get(e["kind"], {}).items():
            if name in e and i <= last:
                events = json.loads(good)
                events[i][name] = value
                yield f"{name} of {e['kind']} {i}", events
        if e["kind"] == "opened-secret":
            events = json.loads(good)
            yield f"opened twice {i}", [*events, events[i]]
            yield f"opened too soon {i}", [*events[:4], events[i], *events[4:i], *events[i + 1 :]]
        if e["kind"] == "committed":
            events = json.loads(good)
            yield f"committed twice {i}", [*events, events[i]]
            if i + 1 in throws:
                yield f"committed too late {i}", [*events[:i], events[i + 1], events[i], *events[i + 2 :]]


@pytest.mark.parametrize("forged", [pytest.param(events, id=name) for name, events in forgeries()])
def test_a_forger_who_links_the_chain_anew_is_found(forged: list[dict[str, Any]]) -> None:
    assert relinked([canonical(e) for e in forged]) is None


def test_a_throw_that_is_put_under_a_secret_never_opened_is_told_as_not_proved() -> None:
    it = small()
    throw = next(e for e in it.events if e["kind"] == "throw")
    it.events = [it.events[0], it.events[2], {**throw, "stretch": "s1.1"}]
    assert both(it.lines()) == {(2, "not-yet-opened")}


def test_a_nonce_that_is_used_again_is_found() -> None:
    for nonces, good in ((["a", "b"], True), (["a", "a"], False), (["a", "b", "a"], False)):
        it = Session()
        it.commit("s1")
        for counter, nonce in enumerate(nonces, 1):
            source = Stream(key("s1"), TABLE, "s1", counter, nonce)
            source.randrange(6)
            item = {"kind": "dice", "name": "d6", "sides": 6, "faces": [6 - source.drawn[0][1]]}
            item["drawn"] = [list(pair) for pair in source.drawn]
            it.say("throw", stretch="s1", counter=counter, nonce=nonce, groups=[item])
        it.open("s1")
        assert (both(it.lines()) == set()) is good


# ---- both verifiers, on anything ----------------------------------------------------------------

FACES = st.one_of(st.integers(-3, 30), st.text(max_size=3))
OTHERS = st.one_of(FACES, st.sampled_from(["s1", "s2", "s1.3", "hand", "AC", True, False, None, [], {}]))
ACTS = st.lists(
    st.tuples(
        st.sampled_from(["dice", "cards", "hand", "shuffle", "note", "turn", "seal"]), st.integers(1, 5)
    ),
    max_size=12,
)


def made(acts: Sequence[tuple[str, int]], sides: list[Any], deck: dict[str, int]) -> Session:
    """A good log of these acts."""
    it = Session({"deck": [[card, n] for card, n in deck.items()]})
    left, stretch = Counter(deck), 1
    it.commit("s1", seals=3)
    for act, n in acts:
        id = f"s{stretch}"
        if act == "turn":
            it.open(id)
            stretch += 1
            it.commit(f"s{stretch}", seals=3)
        elif act == "note":
            it.say("note", n=n)
        elif act == "shuffle":
            left = Counter(deck)
            it.say("shuffled", deck="deck", out=[])
        elif act == "hand":
            it.say(
                "throw",
                groups=[{"kind": "dice", "name": "d", "sides": sides, "faces": sides[:1], "by": "hand"}],
            )
        else:
            source, request = it.request(f"{id}.{n % 3 + 1}" if act == "seal" else id)
            faces: list[Any] = []
            for _ in range(min(n, left.total()) if act == "cards" else n):
                if act == "cards":
                    faces.append([*left.elements()][source.randrange(left.total())])
                    left[faces[-1]] -= 1
                else:
                    faces.append(sides[source.randrange(len(sides))])
            item = {"kind": "cards" if act == "cards" else "dice", "name": "deck", "faces": faces}
            item |= {"drawn": [list(pair) for pair in source.drawn]} if act != "cards" or n % 2 else {}
            item |= {} if act == "cards" else {"sides": sides}
            if faces:
                it.say("throw", groups=[item], **request)
            else:
                it.counters[request["stretch"]] -= 1
    return it


LOGS = st.builds(
    made,
    ACTS,
    st.lists(FACES, min_size=1, max_size=7),
    st.dictionaries(st.text("ABCDE", min_size=1, max_size=2), st.integers(1, 3), min_size=1, max_size=5),
)


@given(LOGS)
def test_both_verifiers_find_every_good_log_good(it: Session) -> None:
    found = both(it.lines())
    assert found is not None
    assert {level for _, level in found} <= {"hand", "not-yet-opened"}


def leaves(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Every path to a value inside an event."""
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, one in inside:
        yield (*path, name)
        yield from leaves(one, (*path, name))


@given(st.one_of(LOGS, st.builds(small), st.builds(hidden, st.just(2))), st.data())
def test_both_verifiers_agree_on_every_log_that_is_spoilt_and_linked_anew(
    it: Session, data: st.DataObject
) -> None:
    """Any one value inside any event is changed or taken out: both say the same of it, right or wrong."""
    path = data.draw(st.sampled_from([*leaves(it.events)]))
    *above, last = path
    at: Any = it.events
    for step in above:
        at = at[step]
    if data.draw(st.booleans()):
        del at[last]
    else:
        at[last] = data.draw(OTHERS)
    both(it.lines())


# ---- the page and the independent verifier ------------------------------------------------------


def test_the_independent_verifier_imports_nothing_but_the_standard_library() -> None:
    names = [
        alias.name
        for node in ast.walk(ast.parse(VERIFY.read_text("utf-8")))
        if isinstance(node, ast.Import | ast.ImportFrom)
        for alias in (node.names if isinstance(node, ast.Import) else [ast.alias(node.module or ".")])
    ]
    assert set(names) <= sys.stdlib_module_names


def test_the_example_on_the_page_is_right() -> None:
    page = ROOT / "docs" / "fairness.md"
    found = blocks(page.read_text("utf-8"))
    session: dict[str, Any] = {}
    for block in found:
        if block.example:
            test = doctest.DocTestParser().get_doctest(block.body, session, "fairness.md", None, block.line)
            assert doctest.DocTestRunner().run(test, out=lambda _: None, clear_globs=False).failed == 0
            session.update(test.globs)
    log = session["log"]
    assert both(log.splitlines(keepends=True)) == {(4, "hand")}
    assert log == b"".join(exported(canonical(json.loads(one)["event"]) for one in log.splitlines()[:-1]))
    assert both(log.replace(b"a pinch of salt", b"a pinch of malt").splitlines(keepends=True)) is None
