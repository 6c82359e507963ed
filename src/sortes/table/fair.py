"""Fair by proof: commit, derive, chain, verify. `docs/fairness.md` says it precisely enough to write a verifier from.

Pure: nothing here makes a secret or a nonce, reads a clock or a file. All of that is handed in.
"""

from __future__ import annotations

import hashlib
import hmac
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Literal, TypeAlias

from msgspec import Struct, to_builtins
from msgspec.json import encode as encode_json

from sortes.core.chance import Bag, Draw, Standing, Thrown, die
from sortes.core.errors import wrong
from sortes.core.world import Stock, World

SECRET = 32  # bytes of a secret
PLAIN = frozenset((str, int, bool, type(None)))  # what an event holds, besides lists and mappings
START = bytes(32)  # what the chain begins with

Numbers: TypeAlias = Sequence[tuple[int, int]]  # (stop, value), as a Stream gave them
Level: TypeAlias = Literal["wrong", "not-yet-opened", "hand", "filled"]


def encode(*parts: bytes) -> bytes:
    """Parts as one text that no other parts make: each after its length in eight bytes, the highest first."""
    return b"".join([len(part).to_bytes(8, "big") + part for part in parts])


# ---- commit and derive --------------------------------------------------------------------------


def commitment(secret: bytes, words: str, table: str, stretch: str) -> str:
    """What is told of a 32-byte secret before a stretch of play: 64 hex digits that bind it, and hide it.

    `words` are the host's; `table` and `stretch` are the ids it is for. Raises RuleError for another length.
    """
    _check(secret)
    parts = (b"sortes/1/commitment", table.encode(), stretch.encode(), words.encode(), secret)
    return hashlib.sha256(encode(*parts)).hexdigest()


def acknowledged(table: str, stretch: str, nonce: str, asked: bytes) -> str:
    """The digest by which a log owns to a request: `asked` are its very bytes. 64 hex digits."""
    parts = (b"sortes/1/asked", table.encode(), stretch.encode(), nonce.encode(), asked)
    return hashlib.sha256(encode(*parts)).hexdigest()


class Stream:
    """The chance of one request, a `core.chance.Source`: what it gives is fixed by what it is made of.

    `secret` is the stretch's (32 bytes), `counter` counts its requests from 1, `nonce` came with this one. `drawn`
    keeps every (stop, value) that was given, in order. Raises RuleError for a secret or counter out of range.
    """

    __slots__ = ("_block", "_bytes", "_key", "drawn")

    def __init__(self, secret: bytes, table: str, stretch: str, counter: int, nonce: str) -> None:
        _check(secret)
        if isinstance(counter, bool) or not isinstance(counter, int) or not 1 <= counter < 2**64:
            raise wrong("counter", counter, "a whole number from 1 to 18446744073709551615")
        number = counter.to_bytes(8, "big")
        parts = (b"sortes/1/request", table.encode(), stretch.encode(), number, nonce.encode())
        self._key = hmac.digest(secret, encode(*parts), "sha256")
        self._block, self._bytes = 0, b""
        self.drawn: list[tuple[int, int]] = []

    def randrange(self, stop: int, /) -> int:
        """A whole number from 0 to stop - 1, each equally likely. Raises RuleError where stop is not 1 or more.

        The fewest bytes that can hold stop - 1 are read; a number in the last, broken run of `stop` is thrown away
        and the next bytes are read, since a remainder of it would favour the low ones.
        """
        if isinstance(stop, bool) or not isinstance(stop, int) or stop < 1:
            raise wrong("stop", stop, "a whole number from 1")
        size = ((stop - 1).bit_length() + 7) // 8
        whole = 256**size // stop * stop
        while (number := int.from_bytes(self._take(size), "big")) >= whole:
            pass
        value = number % stop
        self.drawn.append((stop, value))
        return value

    def _take(self, size: int) -> bytes:
        while len(self._bytes) < size:
            self._bytes += hmac.digest(self._key, self._block.to_bytes(8, "big"), "sha256")
            self._block += 1
        taken, self._bytes = self._bytes[:size], self._bytes[size:]
        return taken


def _check(secret: bytes) -> None:
    if len(secret) != SECRET:
        raise wrong("secret", f"{len(secret)} bytes", f"{SECRET} bytes")  # the secret itself is never shown


# ---- what the log says of a throw ---------------------------------------------------------------


def groups(
    bag: Bag | Draw,
    records: Sequence[Thrown],
    drawn: Numbers,
    stock: Stock | None = None,
    world: World | None = None,
) -> list[dict[str, Any]]:
    """The `groups` of a throw event: what was thrown, from which sides, and the numbers it came from.

    `records` are the engine's, `drawn` the numbers of this throw alone (none for one made by hand). For cards,
    `stock` and `world` as they were before the throw; a shuffle on the way gets an item of its own (C2).
    """
    numbers = [list(pair) for pair in drawn]
    if isinstance(bag, Draw):
        assert stock is not None
        assert world is not None
        return _cards(bag, records, numbers, stock, world)
    dice = [one.faces for _, one in bag.groups] if isinstance(bag, Standing) else [bag.faces]
    items = []
    for record, faces in zip(records, dice, strict=True):
        n, size = len(record.faces), len(faces)
        sides = size if faces == die(size) else to_builtins(faces)
        items.append(_item(record, record.faces, numbers[:n], sides=sides))
        numbers = numbers[n:]
    return items


def _cards(
    draw: Draw, records: Sequence[Thrown], numbers: list[list[int]], stock: Stock, world: World
) -> list[dict[str, Any]]:
    i = stock.place[draw.deck]
    pile = stock.opened(world, draw).piles[i]
    assert pile is not None
    items: list[dict[str, Any]] = []
    if draw.opens and draw.opens in stock.decks[i].shuffles:
        items.append({"kind": "shuffled", "deck": draw.deck, "out": []})
    for record in records:
        have = sum(pile.left)
        first, rest = record.faces[:have], record.faces[have:]
        if first:
            items.append(_item(record, first, numbers[:have]))
        if rest:
            lies = [card for card, n in zip(stock.labels[i], pile.out, strict=True) for _ in range(n)]
            items.append({"kind": "shuffled", "deck": draw.deck, "out": [*lies, *first]})
            items.append(_item(record, rest, numbers[have:]))
    return items


def _item(record: Thrown, faces: Sequence[Any], numbers: list[list[int]], **more: Any) -> dict[str, Any]:
    item = {"kind": record.kind, "name": record.name, "faces": to_builtins(list(faces)), **more}
    if record.kind == "dice" and len(record.kept) < len(record.faces):
        item["kept"] = to_builtins(list(record.kept))
    return {**item, "by": record.by} if record.by else {**item, "drawn": numbers}


# ---- the log as bytes ---------------------------------------------------------------------------


def canonical(event: dict[str, Any]) -> bytes:
    """An event as the one JSON text that it has: keys in order, no spaces, UTF-8, whole numbers only.

    Raises RuleError where it holds a float, a key that is no text, or anything else that is not plain.
    """
    _plain(event)
    return _written(event)


def _written(event: Any) -> bytes:
    """As `json.dumps` writes it with its keys sorted and nothing to spare, which is slower to come and to go."""
    try:
        return encode_json(event, order="deterministic")
    except OverflowError:  # a number of more than 64 bits
        from json import dumps

        return dumps(event, sort_keys=True, ensure_ascii=False, separators=(",", ":")).encode()


def _plain(value: Any) -> None:
    kind = type(value)
    if kind is dict:
        for key, one in value.items():
            if type(key) is not str:
                raise wrong("event", key, "keys that are text")
            if type(one) not in PLAIN:
                _plain(one)
    elif kind is list or kind is tuple:
        for one in value:
            if type(one) not in PLAIN:
                _plain(one)
    elif kind not in PLAIN:
        raise wrong("event", value, "text, whole numbers, true, false, none, and lists and mappings of these")


def chained(previous: bytes, event: bytes) -> bytes:
    """The digest of a chain after one more event, from the digest before it (`START` at first) and its bytes."""
    return hashlib.sha256(encode(b"sortes/1/chain", previous, event)).digest()


def exported(events: Iterable[bytes]) -> Iterator[bytes]:
    """The lines of an exported log, each with its newline: every event after its link of the chain, then the end."""
    head, lines = START, 0
    for lines, event in enumerate(events, 1):  # noqa: B007
        head = chained(head, event)
        yield b'{"chain":"%s","event":%s}\n' % (head.hex().encode(), event)
    yield b'{"end":"%s","lines":%d}\n' % (head.hex().encode(), lines)


LINE = re.compile(rb'\{"chain":"([0-9a-f]{64})","event":(\{.*\})\}\n', re.DOTALL)
END = re.compile(rb'\{"end":"([0-9a-f]{64})","lines":(0|[1-9][0-9]{0,17})\}\n')
HEX = re.compile(r"[0-9a-f]{64}")
KINDS = (
    "opened",
    "committed",
    "throw",
    "shuffled",
    "opened-secret",
)  # "revealed" is unpacked; all else is opaque
WRONG = (
    ArithmeticError,
    AttributeError,
    LookupError,
    TypeError,
    ValueError,
    RecursionError,
)  # of a misshapen event

_Placed: TypeAlias = tuple[
    int, int, int, dict[str, Any]
]  # after this line, 1 if hidden, told in this line, what


# ---- verify -------------------------------------------------------------------------------------


class Finding(Struct, frozen=True, order=True):
    """What a verifier has to say of one line (1 is the first): only the level "wrong" speaks against the log."""

    line: int
    level: Level
    text: str


class _Misshapen(ValueError):
    """An event that is not as docs/fairness.md has it."""


class _Deck:
    """A deck as the log has told of it so far."""

    def __init__(self, cards: Any) -> None:
        self.full: Counter[str] = Counter()
        for card, n in _list(cards):
            if not isinstance(card, str) or card in self.full or _whole(n) < 1:
                raise _Misshapen("a deck lists each card once, with its number")
            self.full[card] = n
        self.left = Counter(self.full)  # below zero where a card was thrown by hand that was out already
        self.stays: list[tuple[str, int]] = []  # drawn in secret: cards that stay out of the next n shuffles

    def shuffle(self, out: Any) -> bool:
        """All but `out`, and what stays, is in the deck again; whether all of that had been drawn."""
        stays = Counter(_list(out)) + Counter(card for card, _ in self.stays)
        fair = stays <= self.full - self.left
        self.left = Counter(self.full)
        self.left.subtract(stays)
        self.stays = [(card, n - 1) for card, n in self.stays if n > 1]
        return fair

    def put_back(self, cards: Any) -> bool:
        """These cards are in the deck again; whether they had been drawn."""
        fair = Counter(_list(cards)) <= self.full - self.left
        self.left.update(cards)
        return fair

    def take(self, card: Any, stays: int, by_hand: bool) -> bool:
        """Whether there was such a card to take. By hand people may have one that was out in secret."""
        if not isinstance(card, str) or card not in self.full or (self.left[card] < 1 and not by_hand):
            return False
        self.left[card] -= 1
        if stays:
            self.stays.append((card, stays))
        return True

    def size(self) -> int:
        """How many cards are left."""
        return (+self.left).total()

    def at(self, place: int) -> str:
        """The card at a place among those that are left, in the deck's order."""
        for card in self.full:
            if place < self.left[card]:
                return card
            place -= max(0, self.left[card])
        raise _Misshapen("no such card")


class _Stretch:
    """A stretch of play, or a sealed play: its commitment, and the request that is under way."""

    def __init__(self, line: int, words: str, given: str) -> None:
        self.line, self.words, self.given = line, words, given
        self.opened, self.waiting = False, 0
        self.counter, self.nonce = 0, ""
        self.nonces: set[str] = set()
        self.stream: Stream | None = None


def _list(value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise _Misshapen("a list is needed")
    return value


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise _Misshapen("a text is needed")
    return value


def _whole(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise _Misshapen("a whole number is needed")
    return value


def _whole_number(digits: str) -> int:
    """A number as long as Python reads without being told to: whoever checks a log has the same verdict."""
    if len(digits) > 4300:
        raise _Misshapen("a number of more than 4,300 digits")
    return int(digits)


def _no_float(text: str) -> Any:
    raise _Misshapen(f"{text} is not a whole number")


def _read(event: bytes) -> dict[str, Any]:
    from json import loads

    found = loads(event.decode(), parse_float=_no_float, parse_constant=_no_float, parse_int=_whole_number)
    if _written(found) != event:
        raise _Misshapen("not written in the one canonical way")
    _text(found["kind"])
    return found  # type: ignore[no-any-return]


class _Verifier:
    def __init__(self) -> None:
        self.findings: list[Finding] = []
        self.table = ""
        self.decks: dict[str, _Deck] = {}
        self.stretches: dict[str, _Stretch] = {}
        self.secrets: dict[str, bytes] = {}  # as opened anywhere in the log

    def say(self, line: int, level: Level, text: str) -> None:
        self.findings.append(Finding(line, level, text))

    def read(self, lines: Iterable[bytes]) -> list[_Placed]:
        """Check form and chain; the events that matter, in their true order."""
        found: list[_Placed] = []
        self.rows: dict[
            int, list[_Placed]
        ] = {}  # by the line that they came after: what was hidden, in true order
        head, number, ended = START, 0, False
        for number, line in enumerate(lines, 1):
            if ended:
                self.say(number, "wrong", "a line after the end")
            if end := END.fullmatch(line):
                ended = True
                if end[1] != head.hex().encode() or int(end[2]) != number - 1:
                    self.say(number, "wrong", "the end is not the end of this chain")
                continue
            if not (match := LINE.fullmatch(line)):
                self.say(number, "wrong", "not a line of an exported log")
                continue
            head = chained(head, match[2])
            if match[1] != head.hex().encode():
                self.say(
                    number, "wrong", "the chain is broken: this line or the one before is not what it was"
                )
                head = bytes.fromhex(match[1].decode())
            try:
                found += self._placed(number, _read(match[2]))
            except WRONG as e:
                self.say(number, "wrong", f"the event cannot be read: {e}")
        if not ended:
            self.say(number + 1, "wrong", "the log has no end: lines are missing")
        found += [one for row in self.rows.values() for one in row if one[3]["kind"] in KINDS]
        return sorted(found, key=lambda one: one[:2])  # stable: what was hidden at one place keeps its order

    def _placed(self, number: int, event: dict[str, Any]) -> Iterator[_Placed]:
        events = [event]
        for one in _list(event.get("events", [])) if event["kind"] == "revealed" else ():
            place, before, hidden = _whole(one["after"]), _whole(one.get("before", 0)), one["event"]
            row = self.rows.setdefault(place, [])
            if not 1 <= place < number or before > len(row):
                raise _Misshapen("what was hidden belongs after an earlier line, before what was told of it")
            _text(hidden["kind"])
            row.insert(len(row) - before, (place, 1, number, hidden))
            events.append(hidden)
        for one in events:
            if one["kind"] == "opened-secret" and HEX.fullmatch(_text(one["secret"])):
                self.secrets.setdefault(_text(one["stretch"]), bytes.fromhex(one["secret"]))
        if event["kind"] in KINDS or number == 1:
            yield number, 0, number, event

    def replay(self, first: bool, line: int, event: dict[str, Any]) -> None:
        """Check one event against all before it. Raises one of WRONG where it is not as it must be."""
        kind = event["kind"]
        if first != (kind == "opened"):
            self.say(line, "wrong", "a table is opened once, first of all")
        elif kind == "opened":
            self.table = _text(event["table"])
            self.decks = {name: _Deck(cards) for name, cards in event.get("decks", {}).items()}
        elif kind == "committed":
            self._committed(line, event)
        elif kind == "opened-secret":
            self._opened(line, event)
        elif kind == "shuffled":
            self._shuffle(line, event)
        elif kind == "throw":
            self._throw(line, event)

    def _committed(self, line: int, event: dict[str, Any]) -> None:
        id, words = _text(event["stretch"]), _text(event["words"])
        seals = [_text(one) for one in _list(event.get("seals", []))]
        given = {id: _text(event["commitment"]), **{f"{id}.{i}": one for i, one in enumerate(seals, 1)}}
        for name, one in given.items():
            if name in self.stretches:
                self.say(line, "wrong", f"stretch {name} was committed to before")
            elif not HEX.fullmatch(one):
                self.say(line, "wrong", f"the commitment of stretch {name} is not 64 hex digits")
            else:
                self.stretches[name] = _Stretch(line, words, one)

    def _opened(self, line: int, event: dict[str, Any]) -> None:
        id, secret = _text(event["stretch"]), _text(event["secret"])
        stretch = self.stretches.get(id)
        if stretch is None:
            self.say(line, "wrong", f"the secret of stretch {id} is opened, and it was never committed to")
            return
        if stretch.opened:
            self.say(line, "wrong", f"the secret of stretch {id} is opened twice")
        stretch.opened = True
        if not HEX.fullmatch(secret) or (
            commitment(bytes.fromhex(secret), stretch.words, self.table, id) != stretch.given
        ):
            self.say(line, "wrong", f"the secret of stretch {id} is not the one that was committed to")

    def _shuffle(self, line: int, event: dict[str, Any]) -> None:
        name = _text(event["deck"])
        if "back" in event:
            if not self.decks[name].put_back(event["back"]):
                self.say(line, "wrong", f"cards go back into {name} that had not been drawn")
            return
        if "cards" in event:
            self.decks[name] = _Deck(event["cards"])
        if not self.decks[name].shuffle(event.get("out", [])):
            self.say(line, "wrong", f"a shuffle of {name} leaves out cards that had not been drawn")

    def _throw(self, line: int, event: dict[str, Any]) -> None:
        items = _list(event["groups"])
        stream = None
        if any(_list(item["faces"]) and _derived(item) for item in items if item["kind"] != "shuffled"):
            stream = self._request(line, event)
        if event.get("filled"):
            self.say(
                line, "filled", "the server filled the nonce in: whoever runs it could have chosen this throw"
            )
        if any(not _derived(item) for item in items if item["kind"] != "shuffled"):
            self.say(line, "hand", "thrown by hand: nothing to derive")
        for item in items:
            if item["kind"] == "shuffled":
                self._shuffle(line, item)
            elif item["kind"] == "dice":
                self._dice(line, item, stream if _derived(item) else None)
            elif item["kind"] == "cards":
                self._cards(line, item, stream if _derived(item) else None)
            else:
                raise _Misshapen("a group is dice, cards or a shuffle")

    def _request(self, line: int, event: dict[str, Any]) -> Stream | None:
        """The stream of a throw's request, begun or gone on with, where its secret has been opened."""
        id, counter, nonce = _text(event["stretch"]), _whole(event["counter"]), _text(event["nonce"])
        stretch = self.stretches.get(id)
        if stretch is None:
            self.say(line, "wrong", f"thrown under stretch {id}, which had not been committed to")
            return None
        if stretch.opened:
            self.say(line, "wrong", f"thrown under stretch {id} after its secret was opened")
        secret = self.secrets.get(id)
        if (counter, nonce) != (stretch.counter, stretch.nonce) or not stretch.counter:
            if counter != stretch.counter + 1:
                self.say(
                    line, "wrong", f"request {counter} of stretch {id} follows request {stretch.counter}"
                )
            if nonce in stretch.nonces:
                self.say(line, "wrong", f"a nonce is used again in stretch {id}")
            stretch.stream = Stream(secret, self.table, id, counter, nonce) if secret else None
            stretch.counter, stretch.nonce = counter, nonce
            stretch.nonces.add(nonce)
        stretch.waiting += not secret
        return stretch.stream

    def _dice(self, line: int, item: dict[str, Any], stream: Stream | None) -> None:
        sides, faces = item["sides"], item["faces"]
        size = _whole(sides) if isinstance(sides, int) else len(_list(sides))
        if not 0 < size < 2**63:
            raise _Misshapen("a die has sides, fewer than 2 to the power of 63")
        if not all(type(face) in (str, int) for face in faces):
            raise _Misshapen("a face is a text or a whole number")
        if not _derived(item):
            listed = isinstance(sides, list)
            if not all(face in sides if listed else 1 <= _whole(face) <= size for face in faces):
                self.say(line, "wrong", f"a face that is not on a {item['name']}")
            return
        said = _list(item["drawn"])
        if len(said) != len(faces):
            self.say(line, "wrong", f"{len(faces)} faces come from {len(said)} numbers")
        for k, face in enumerate(faces):
            value = stream.randrange(size) if stream else None
            if k >= len(said):
                continue
            stop, number = map(_whole, said[k])
            if stop != size or number >= size or value not in (None, number):
                self.say(
                    line, "wrong", f"the number drawn for a {item['name']} is not the one that is derived"
                )
            elif face != (size - number if isinstance(sides, int) else sides[number]):
                self.say(line, "wrong", f"the face of a {item['name']} is not the side of its number")

    def _cards(self, line: int, item: dict[str, Any], stream: Stream | None) -> None:
        deck, faces = self.decks[_text(item["name"])], _list(item["faces"])
        said = _list(item["drawn"]) if "drawn" in item and _derived(item) else None
        stays = _whole(item.get("stays", 0))
        if said is not None and len(said) != len(faces):
            self.say(line, "wrong", f"{len(faces)} cards come from {len(said)} numbers")
        for k, card in enumerate(faces):
            size = deck.size()
            if not size and _derived(item):
                self.say(line, "wrong", f"{card} is drawn from an empty deck")
                continue
            value = stream.randrange(size) if stream else None
            if said is not None and k < len(said):
                stop, number = map(_whole, said[k])
                if stop != size or number >= size or value not in (None, number):
                    self.say(line, "wrong", "the number drawn for a card is not the one that is derived")
                    value = None
                elif value is None:
                    value = number
            if value is not None and deck.at(value) != card:
                self.say(line, "wrong", f"{card} is not the card at its number")
            if not deck.take(card, stays, not _derived(item)):
                self.say(line, "wrong", f"{card} is not in the deck any more")


def _derived(item: dict[str, Any]) -> bool:
    return item.get("by") != "hand"


def verify_log(lines: Iterable[bytes]) -> list[Finding]:
    """All there is to say of an exported log, given line by line as a file opened in binary gives it.

    "wrong" is a failure; "not-yet-opened" names a stretch whose throws cannot be derived yet; "hand" and "filled" mark
    throws that people made themselves, and those whose nonce the server filled in.
    """
    it = _Verifier()
    for place, hidden, line, event in it.read(lines):
        try:
            it.replay((place, hidden) == (1, 0), line, event)
        except WRONG as e:
            it.say(line, "wrong", f"the event is not as it must be: {e}")
    for id, stretch in it.stretches.items():
        if stretch.waiting:
            many = "1 throw is" if stretch.waiting == 1 else f"{stretch.waiting} throws are"
            text = f"the secret of stretch {id} is not yet opened: {many} to be derived"
            it.say(stretch.line, "not-yet-opened", text)
    return sorted(it.findings)


__all__ = [
    "START",
    "Finding",
    "Stream",
    "acknowledged",
    "canonical",
    "chained",
    "commitment",
    "encode",
    "exported",
    "groups",
    "verify_log",
]
