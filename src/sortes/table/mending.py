"""Setting right what was done: undo, as long as it is free, and the game master's correction."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import msgspec

from sortes import catalog
from sortes.core.errors import Refused, RuleError
from sortes.core.form import Field, explained
from sortes.table import fold, requests
from sortes.table.desk import Desk
from sortes.table.log import Event, shown


def undo(desk: Desk, r: requests.Undo) -> None:
    """Take back an act for which nobody was shown a face."""
    own = [act for act in desk.mine.acts if act.seat == desk.seat and (r.of is None or act.act == r.of)]
    if not own:
        raise Refused(
            "undo", "there is nothing of yours to undo: once a face was shown, only the game master corrects"
        )
    act = own[-1]
    free = next((one for one in desk.known.all.acts if one.act == act.act), None)
    if free is None:
        raise Refused("undo", "a face was shown since; only the game master corrects that")
    after = desk.known.all.acts[desk.known.all.acts.index(free) + 1 :]
    if any(touches(act, later) for later in after):
        raise Refused("undo", "somebody has changed the same thing since; undo that first")
    more: Event = {}
    if act.play:
        before = act.before
        more = {"play": act.play, "before": msgspec.to_builtins(before) if before else None}
    if act.entries:
        more["entries"] = [list(one) for one in act.entries]
    if act.changes:
        more["changes"] = act.changes
    desk.tell("undone", to=act.to, of=act.act, what=act.kind, **more)


def touches(act: fold.Act, later: fold.Act) -> bool:
    """Whether a later act stands on an earlier one."""
    same = {(section, key) for section, key, _ in act.entries} & {(s, k) for s, k, _ in later.entries}
    play = act.play is not None and act.play == later.play
    set_ = {tuple(c["at"]) for c in act.changes} & {tuple(c["at"]) for c in later.changes if "to" in c}
    return bool(same or play or set_)


def correct(desk: Desk, r: requests.Correct) -> None:
    """The game master sets a play right."""
    desk.master("correct", "correct a play")
    events = told(desk, r.play)
    begun = next((e for e in events if e["kind"] == "played"), None)
    if begun is None:
        raise RuleError("play", f"there is no play {r.play!r} here")
    rule = catalog.rule(begun["rule"])
    more: Event = {}
    if r.outcome:
        try:
            made = msgspec.convert({**resolved(events), **r.outcome}, rule.outcome)
        except msgspec.ValidationError as e:
            raise explained(Field("outcome", rule.outcome), r.outcome, str(e)) from None
        more["outcome"] = msgspec.to_builtins(made)
    if r.void:
        if any(e["kind"] == "corrected" and e.get("void") for e in events):
            raise Refused("play", "this play was made void already")
        more["void"] = True
        done = [
            change for e in events if e["kind"] in ("effect", "resolved") for change in e.get("changes", ())
        ]
        more["changes"] = [{"at": c["at"], "by": -c["by"], "least": 0} for c in reversed(done) if "by" in c]
    elif r.cards:
        raise RuleError("cards", "cards go back into the deck only with void")
    if not (r.text or more):
        raise RuleError("correct", "is empty; takes a text, another outcome, or void")
    to = begun.get("to") if r.play in desk.known.hidden else None
    desk.tell("corrected", to=to, play=r.play, text=r.text, **more)
    if r.cards:
        if to is not None:
            raise Refused(
                "cards", "cards of a play in secret go back only when all see them; reveal it first"
            )
        put_back(desk, r.play, events)


def told(desk: Desk, play: str) -> list[Event]:
    """The events of a play, as far as the seat may know of it."""
    out: list[Event] = []
    of_play = [event for _, event in desk.history(0) if event.get("play") == play]
    open_ = any(event["kind"] == "revealed" for event in of_play)
    for event in of_play:
        if event.get("_new"):  # of a table that was imported: they are nowhere else
            out += [one["event"] for one in event["_events"]]
        if open_ or shown(event, desk.keys) is not None:
            out.append(event)
    return out


def resolved(events: Iterable[Event]) -> Event:
    """The outcome of a play as it stands."""
    out: Event = {}
    for event in events:
        out = event.get("outcome", out) if event["kind"] in ("resolved", "corrected") else out
    return out


def put_back(desk: Desk, play: str, events: Iterable[Event]) -> None:
    """Shuffle the cards of a play back into their decks, as far as they lie nowhere else by now."""
    cards: dict[str, Counter[str]] = {}
    for event in events:
        for item in event.get("groups", ()) if event["kind"] == "throw" else ():
            if item["kind"] == "cards" and item["name"] in desk.known.all.decks:
                cards.setdefault(item["name"], Counter()).update(item["faces"])
    known = desk.known.seen[""]
    for deck, drawn in cards.items():
        away = Counter(known.decks[deck].cards) - Counter(known.decks[deck].left)
        lies = Counter(c for one in known.plays.values() if one.play != play for c in one.out.get(deck, ()))
        if back := drawn & (away - lies):
            desk.tell("shuffled", deck=deck, by="correction", of=play, back=list(back.elements()))
