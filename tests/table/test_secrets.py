"""What a seat may not know cannot be had from anything that it is given."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sortes.core.errors import RuleError
from sortes.table import fold, requests, service
from sortes.table.log import shown
from sortes.table.service import Table
from sortes.table.stores import Store, open_store
from tests.table.sessions import Session

few = settings(max_examples=12, suppress_health_check=[HealthCheck.function_scoped_fixture])
seeds = given(seed=st.integers(0, 10**6))


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with open_store(tmp_path / "t.db") as made:
        yield made


def raw(store: Store, name: str = "t") -> list[dict[str, Any]]:
    """The whole log, with what is nobody's to see."""
    return [json.loads(data) for _, data in store.read(name)]


def given_to(table: Table, seat: str) -> str:
    """Every byte that a seat can have of a table."""
    view = msgspec.json.encode(table.view(seat)).decode()
    entries = json.dumps(list(table.entries(seat)), ensure_ascii=False)
    exported = b"".join(table.exported(seat)).decode()
    return "\n".join((view, entries, exported, json.dumps(table.last(seat, 50))))


def private(events: list[dict[str, Any]]) -> set[str]:
    """Secrets that are not opened, roots, and hashes of links."""
    opened = {e["secret"] for e in events if e["kind"] == "opened-secret"}
    kept = {v for e in events for k, v in e.items() if k[0] == "_" and isinstance(v, str) and len(v) > 20}
    return kept - opened - {e.get("_asked") for e in events}  # type: ignore[arg-type]


def hidden_from(events: list[dict[str, Any]], keys: frozenset[str]) -> set[str]:
    """Ids, nonces and questions of plays that a seat with these keys does not see."""
    revealed = {e["play"] for e in events if e["kind"] == "revealed"}
    known = {e["play"] for e in events if "play" in e and shown(e, keys)}
    out: set[str] = set()
    for e in events:
        if "play" not in e or e["play"] in known | revealed or shown(e, keys) is not None:
            continue
        out |= {str(e[key]) for key in ("play", "nonce", "question", "request", "stretch") if e.get(key)}
    return out


@few
@seeds
def test_nothing_hidden_is_in_any_byte(tmp_path_factory: pytest.TempPathFactory, seed: int) -> None:
    with open_store(tmp_path_factory.mktemp("t") / "t.db") as store:
        session = Session(store, seed)
        table = session.run(60)
        events = raw(store)
        for seat in session.seats.values():
            told = given_to(table, seat)
            assert '"_' not in told
            for one in private(events) | hidden_from(events, table.known().keys(seat)):
                assert f'"{one}"' not in told, one


@few
@seeds
def test_what_a_seat_has_is_the_fold_of_what_it_was_shown(
    tmp_path_factory: pytest.TempPathFactory, seed: int
) -> None:
    """So nothing else can be derived from it, either."""
    with open_store(tmp_path_factory.mktemp("t") / "t.db") as store:
        session = Session(store, seed)
        table = session.run(60)
        for seat in session.seats.values():
            own = fold.State()
            for _, event in table.entries(seat):
                fold.fold(own, event)
            assert msgspec.to_builtins(own) == msgspec.to_builtins(table.view(seat).state)


def answered(table: Table, seat: str, request: requests.Request) -> str:
    """What a seat hears when it asks: the kinds and faces of what came, or the error."""
    try:
        reply = table.act(seat, request)
    except RuleError as e:
        return str(e)
    return json.dumps([[e["kind"], [g.get("faces") for g in e.get("groups", ())]] for _, e in reply.entries])


ODDS = (
    requests.Play(rule="cards.ask"),
    requests.Play(rule="cards.resolve", params={"el": 5, "against": 4}),
    requests.Play(rule="cards.resolve", params={"el": "Talk", "against": 60}, who="Mara"),
    requests.Play(rule="cards.three", params={"el": "Talk"}, who="Mara"),
    requests.Play(rule="cards.run"),
)


def odds_of(table: Table, seat: str) -> list[str]:
    out = []
    for request in ODDS:
        try:
            out.append(str(table.odds(seat, request).outcomes))
        except RuleError as e:
            out.append(str(e))
    return out


@few
@seeds
def test_odds_errors_and_checks_are_those_of_a_table_without_any_secret(
    tmp_path_factory: pytest.TempPathFactory, seed: int
) -> None:
    """A table made of a seat's own log holds nothing that was hidden from it. What both tables answer
    alike does not depend on what is hidden.
    """
    folder = tmp_path_factory.mktemp("t")
    with open_store(folder / "t.db") as store, open_store(folder / "u.db") as other:
        session = Session(store, seed)
        table = session.run(50)
        seat = session.seats["Ann"]
        copy, _, _ = service.imported(other, "t", list(table.exported(seat)))
        assert odds_of(table, seat) == odds_of(copy, seat)
        deck = table.view(seat).state.decks["cards"].cards
        for card in session.rng.sample(sorted(deck), 20):  # is it in the deck? both say the same
            said = []
            for one in (table, copy):
                reply = one.act(seat, requests.Play(rule="cards.ask", hand=True))
                said.append(answered(one, seat, requests.Answer(play=str(reply.play), faces=[card])))
                one.act(seat, requests.End(play=str(reply.play))) if said[-1].startswith("cards") else None
            assert said[0] == said[1], card
        assert one_of(table.view(seat).state) == one_of(copy.view(seat).state)


def one_of(state: fold.State) -> Any:
    """What is left and lies out, as a seat sees it."""
    return {name: deck.left for name, deck in state.decks.items()}


def test_a_card_that_is_elsewhere_in_secret_is_told_to_the_game_master_alone(store: Store) -> None:
    session = Session(store, 4)
    table, ann = session.table, session.seats["Ann"]
    secret = table.act(session.gm, requests.Play(rule="cards.ask", to="gm"))
    throw = secret.event("throw")
    assert throw is not None
    card = throw["groups"][0]["faces"][0]
    play = table.act(ann, requests.Play(rule="cards.ask", hand=True))
    reply = table.act(ann, requests.Answer(play=str(play.play), faces=[card]))
    assert reply.event("resolved")
    assert card in str([e for _, e in table.entries(session.gm) if e["kind"] == "flagged"])
    assert not [e for _, e in table.entries(ann) if e["kind"] == "flagged"]


def test_others_hear_of_secret_plays_only_where_the_table_says_so(store: Store) -> None:
    session = Session(store, 6)
    table, ann = session.table, session.seats["Ann"]
    before = table.view(ann).number
    for to in ("gm", "blind"):
        table.act(session.gm, requests.Play(rule="cards.ask", to=to))
        table.act(session.gm, requests.Note(text="hush", to="gm"))
    assert table.view(ann).number == before
    table.act(session.gm, requests.Settings(tell_secrets=True))
    table.act(session.gm, requests.Play(rule="cards.ask", to="gm"))
    assert [e["kind"] for _, e in table.entries(ann, before)] == ["settings", "noticed"]


def test_a_blind_play_asks_nobody_and_shows_nobody(store: Store) -> None:
    session = Session(store, 7)
    ask = requests.Play(rule="cards.resolve", params={"el": 3, "against": 3, "extra": "choose"}, to="blind")
    reply = session.table.act(session.seats["Ann"], ask)
    assert [e["kind"] for _, e in reply.entries if e["kind"] not in ("sealed", "rules")] == ["blind"]
    with pytest.raises(RuleError, match="hand"):
        session.table.act(session.gm, requests.Play(rule="cards.ask", to="blind", hand=True))


def test_who_may_reveal(store: Store) -> None:
    session = Session(store, 8)
    table, gm, ann, ben = session.table, session.gm, session.seats["Ann"], session.seats["Ben"]
    own = str(table.act(ann, requests.Play(rule="cards.ask", to="me")).play)
    blind = str(table.act(ann, requests.Play(rule="cards.ask", to="blind")).play)
    for seat, play in ((gm, own), (ben, own), (ann, blind), (ben, blind)):
        with pytest.raises(RuleError, match="may reveal"):
            table.act(seat, requests.Reveal(play=play))
    table.act(ann, requests.Reveal(play=own))
    table.act(gm, requests.Reveal(play=blind))
    kinds = [
        e["event"]["kind"] for _, r in table.entries(ben) if r["kind"] == "revealed" for e in r["events"]
    ]
    assert kinds.count("resolved") == 2


def test_the_secrets_of_cards_stay_closed_while_cards_are_out_in_secret(store: Store) -> None:
    session = Session(store, 9)
    table, gm = session.table, session.gm
    table.act(gm, requests.Play(rule="cards.ask"))
    secret = table.act(gm, requests.Play(rule="cards.ask", to="gm"))
    with pytest.raises(RuleError, match="cards are out in secret"):
        table.act(gm, requests.Prove())
    table.act(gm, requests.Reveal(play=str(secret.play)))
    opened = {
        e["stretch"] for _, e in table.act(gm, requests.Prove()).entries if e["kind"] == "opened-secret"
    }
    assert {"cards-1", next(e for _, e in secret.entries if e["kind"] == "throw")["stretch"]} == opened


def test_a_spend_that_is_revealed_after_a_scene_is_as_if_all_had_seen_it(store: Store) -> None:
    """The scene gave the hook back, and a Luck Token: a reveal takes neither away again."""
    session = Session(store, 12)
    table, gm, ann = session.table, session.gm, session.seats["Ann"]
    params = {"el": "Talk", "against": 3, "hook": "Wolf=1"}
    secret = table.act(
        gm, requests.Play(rule="cards.resolve", params=params, who="Mara", to="gm", policy="plain")
    )
    early = table.act(
        gm,
        requests.Play(
            rule="agate.attempt", params={"skill": 9, "difficulty": 3}, who="Mara", to="gm", policy="plain"
        ),
    )
    table.act(gm, requests.Scene(title="Another"))
    table.act(gm, requests.Rest())
    for play in (secret, early):
        table.act(gm, requests.Reveal(play=str(play.play)))
    sheets = [next(iter(table.view(seat).state.characters.values())).sheets for seat in (gm, ann)]
    assert sheets[0] == sheets[1]
    assert sheets[0] == next(iter(table.known().all.characters.values())).sheets
