"""Plays at the table: begun, answered, ended by hand, and revealed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from sortes import catalog
from sortes import house as houses
from sortes.core.errors import Refused, RuleError, wrong
from sortes.core.system import Rule
from sortes.prepared import Prepared, decks_of
from sortes.table import fold, requests, sheets
from sortes.table.desk import Desk
from sortes.table.log import GM, Event
from sortes.table.revealing import unveiled
from sortes.table.stored import Shelf, Undecodable
from sortes.table.walk import named


def play(desk: Desk, r: requests.Play) -> None:
    """Begin a play."""
    rule = catalog.rule(r.rule)
    who, opponent = desk.someone("who", r.who), desk.someone("opponent", r.opponent)
    desk.may_act_for("who", who)
    if r.hand and r.to == "blind":
        raise RuleError("hand", "what people throw themselves they see; a blind play is not thrown by hand")
    if r.to == "gm" and desk.role != GM:
        raise RuleError(
            "to", "a seat plays for itself alone (me), for all, or blind; gm is the game master's own"
        )
    id = desk.id()
    it, filled = prepared(
        desk.mine, rule, r.params, who, opponent, desk.house_of(rule, r.house), desk.role, r.text
    )
    purses = {
        name: {
            "used": 0 if (link := filled.links.get(name)) else purse.used,
            "size": purse.size,
            **({} if purse.keeps else {"keeps": False}),
            **({"link": msgspec.to_builtins(link)} if link else {}),
        }
        for name, purse in zip(it.stock.purses, it.world.purses, strict=True)
    }
    shared = set(marked(rule, desk.mine))
    to = desk.audience(r.to)
    playing = fold.Playing(
        play=id,
        rule=rule.id,
        params={name: msgspec.to_builtins(v) for name, v in it.params.items() if name not in shared},
        seat=desk.seat,
        to=to,
        named=filled.named,
        who=who,
        opponent=opponent,
        question=r.question,
        hand=r.hand,
        houses=desk.keep(it.houses, to),
        purses=purses,
    )
    sealed = "" if to is None else desk.sealed()
    if to is None:
        desk.renew()
    own: dict[str, fold.Deck] = {}
    for deck in it.stock.decks:
        if deck.each:
            cards = it.stock.cards(it.world, deck.name)
            own[named(deck, id)] = fold.Deck(cards, dict(cards))
    begun = msgspec.to_builtins(playing)
    for key in ("purses", "to", "seat"):
        begun.pop(key, None)
    desk.tell("played", to=to, **begun, **({"_stretch": sealed} if sealed else {}))
    for name, laid_out in own.items():
        desk.tell("shuffled", to=to, deck=name, cards=[list(one) for one in laid_out.cards.items()], out=[])
    desk.walk(playing, it.houses, it.state, r.policy, r.nonce, sealed, own=own)
    if r.to == "blind":
        desk.tell("blind", to=sorted({desk.seat, GM}), play=id, rule=rule.id, question=r.question)
    if to is not None:
        if desk.known.all.written.get("settings", {}).get("tell_secrets"):
            desk.tell("noticed")
        desk.seal()


def marked(rule: Rule, state: fold.State) -> dict[str, str]:
    """The parameters that say how a deck of the table's stands, each with its deck."""
    return {name: deck for (_, deck), name in rule.form.marks.items() if deck in state.decks}


def prepared(
    state: fold.State,
    rule: Rule,
    given: Mapping[str, Any],
    who: str | None,
    opponent: str | None,
    house: Mapping[str, Any],
    role: str,
    text: bool,
) -> tuple[Prepared, sheets.Filled]:
    """A rule with its parameters from what is given, sheets, and the decks of the table as far as they are known."""
    filled = sheets.filled(rule, given, state.characters, who, opponent, role=role)
    params = dict(filled.params)
    roles = {name: role for (role, deck), name in rule.form.marks.items() if deck in state.decks}
    for name, of in marked(rule, state).items():
        if roles[name] == "lies":
            continue
        if params.get(name) is not None:
            raise RuleError(
                name, "the table has its own deck; play with --no-table, or without a table, to name one"
            )
        left, away = piles(state, of)
        pile = left if roles[name] == "stocks" else away
        if left.total() < sum(state.decks[of].cards.values()):
            params[name] = [card for card, n in pile.items() for _ in range(n)]
    make = Prepared.from_text if text else lambda rule, params, house: Prepared(rule, house, **params)
    it: Prepared = make(rule, params, house or None)
    for deck in decks_of(rule, tuple(it.houses.values())):
        if deck.name in state.decks and dict(deck.cards) != state.decks[deck.name].cards:
            raise RuleError(
                "house", f"the deck {deck.name} of this table is made up otherwise; change the table's rules"
            )
    return it, filled


def piles(state: fold.State, deck: str) -> tuple[Counter[str], Counter[str]]:
    """What is left of a deck, and its discard: without what lies out for plays that wait."""
    known = state.decks[deck]
    out = Counter(card for one in state.plays.values() for card in one.out.get(deck, ()))
    away = Counter({card: n - known.left.get(card, 0) for card, n in known.cards.items()})
    return +Counter(known.left), +(away - out)


def answer(desk: Desk, r: requests.Answer) -> None:
    """Answer the choice, or make the throw, that a play waits for."""
    seen = desk.play(r.play)
    playing = msgspec.convert(msgspec.to_builtins(desk.known.all.plays[r.play]), fold.Playing)
    ask = playing.ask or {}
    may_answer(desk, seen, ask)
    if r.turn is not None and r.turn != playing.turn:
        raise Refused("turn", f"got {r.turn}; this play has gone on and waits at turn {playing.turn}")
    chosen, faces = None, None
    if ask.get("kind") == "throw":
        if not r.faces:
            raise wrong("faces", r.faces, "the faces of this throw, which is made by hand")
        faces = hand_of(playing, r.faces)
    else:
        offered = {str(one["option"]): one["option"] for one in ask.get("options", ())}
        if str(r.option) not in offered:
            raise wrong("option", r.option, f"one of {', '.join(offered)}")
        chosen = offered[str(r.option)]
    try:
        made = desk.kept(playing.houses)
        state = Shelf(made, playing.houses).load(playing.state)
    except Undecodable as e:
        raise Refused("play", f"{e}; end it by hand") from None
    sealed = "" if playing.to is None else desk.sealed(desk.known.hidden[r.play])
    if playing.to is None:
        desk.renew()
    desk.walk(playing, made, state, r.policy, r.nonce, sealed, chosen, faces)


def may_answer(desk: Desk, playing: fold.Playing, ask: Event) -> None:
    """Refuse an answer of somebody whose choice it is not."""
    if desk.role == GM:
        return
    their = ask.get("who") == "opponent"
    who = playing.opponent if their else playing.who
    owner = desk.mine.characters[who].owner if who in desk.mine.characters else None
    if desk.seat not in ((owner,) if their else (owner, playing.seat)):
        raise Refused("play", "this choice is another seat's")


def hand_of(playing: fold.Playing, faces: Sequence[Any]) -> Any:
    """Faces as the throw takes them: cards by any of their names; dice thrown in groups as a list for each."""
    ask = playing.ask or {}
    if "deck" in ask:
        rule = catalog.rule(playing.rule)
        decks = decks_of(rule, tuple(houses.house(catalog.system(id)) for id in playing.houses))
        deck = next(one for one in decks if one.name == ask["deck"])
        cards = [str(one) for one in faces]
        if deck.parse is None:
            return cards
        return [card for one in cards for card in deck.parse("faces", (one,))]
    dice = ask.get("dice", [])
    numbers = [int(one) if isinstance(one, str) and one.isdecimal() else one for one in faces]
    known = [one for group in dice for one in group["faces"]]
    numbers = [str(one) if one not in known and str(one) in known else one for one in numbers]
    if len(dice) == 1 or any(isinstance(one, list) for one in numbers):
        return numbers
    groups, at = [], 0
    for group in dice:
        groups.append(numbers[at : at + group.get("n", 1)])
        at += group.get("n", 1)
    if at != len(numbers):
        raise wrong(
            "faces", numbers, f"{at} faces: {', '.join(str(g.get('n', 1)) + ' ' + g['name'] for g in dice)}"
        )
    return groups


def end(desk: Desk, r: requests.End) -> None:
    """End a play by hand."""
    playing = desk.play(r.play)
    if desk.role != GM and playing.seat != desk.seat:
        raise Refused("play", "only its own seat or the game master may end this play")
    desk.tell("ended", to=playing.to, play=r.play, reason=r.reason)


def reveal(desk: Desk, r: requests.Reveal) -> None:
    """Show a play that was made in secret."""
    hidden = desk.known.hidden.get(r.play)
    theirs = hidden is not None and (bool(desk.keys & set(hidden.to)) or (not hidden.to and desk.role == GM))
    if hidden is None or not theirs:
        raise RuleError("play", f"there is no play {r.play!r} in secret that this seat may reveal")
    more = unveiled(desk.known, r.play, desk.history(hidden.number))
    begun = next(one["event"] for one in more["_events"] if one["event"]["kind"] == "played")
    for system, digest in begun["houses"].items():
        desk.tell_rules(system, digest, desk.stored(digest), None)
    desk.tell("revealed", play=r.play, **more)
    secret = desk.known.secrets.get(hidden.stretch)
    if secret and not secret.cards and r.play not in desk.known.all.plays:
        desk.open(hidden.stretch)
