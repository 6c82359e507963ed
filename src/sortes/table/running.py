"""How a table is run: its settings and house rules, its seats, and the proof of what was thrown."""

from __future__ import annotations

from sortes import catalog
from sortes import house as houses
from sortes.core.errors import Refused, RuleError
from sortes.table import requests
from sortes.table.desk import Desk, door


def settings(desk: Desk, r: requests.Settings) -> None:
    """Change settings."""
    desk.master("settings", "change settings")
    changed = {name: getattr(r, name) for name in r.__struct_fields__ if getattr(r, name) is not None}
    if not changed:
        raise RuleError("settings", f"nothing to change was given; takes {', '.join(r.__struct_fields__)}")
    desk.tell("settings", changed=changed)


def house(desk: Desk, r: requests.House) -> None:
    """Change the house rules of a system for what is played from here on."""
    desk.master("house", "change house rules")
    system = catalog.system(r.system)
    made = houses.house(system, r.changes)
    for deck in system.decks(made):
        known = desk.known.all.decks.get(deck.name)
        if known is None or deck.each or known.cards == dict(deck.cards):
            continue
        if any(one.out.get(deck.name) for one in desk.known.all.plays.values()):
            raise Refused("house", f"plays wait with cards of the deck {deck.name}; let them end first")
        desk.tell("shuffled", deck=deck.name, cards=[list(one) for one in deck.cards], out=[])
    desk.tell("house", system=r.system, changes=r.changes)


def seat(desk: Desk, r: requests.Seat) -> None:
    """A seat, and its secret link: it is told once, and only its hash is kept."""
    if r.id is None:
        desk.master("seat", "make seats")
        if r.name is None:
            raise RuleError("name", "is missing: a new seat needs one")
        if any(one.name.casefold() == r.name.casefold() for one in desk.known.all.seats.values()):
            raise RuleError("name", f"there is a seat {r.name} already")
        new_seat(desk, r.name, r.role)
        return
    id = desk.seat_of("id", r.id)
    if id != desk.seat:
        desk.master("seat", "change another's seat")
    if r.revoke:
        desk.master("revoke", "take a seat away")
        if id == desk.seat:
            raise Refused("revoke", "you would lock yourself out")
        desk.tell("seat", id=id, revoked=True, _door="")
    elif r.renew:
        desk.link = desk.token(24).hex()
        desk.tell("seat", id=id, renewed=True, revoked=False, _door=door(desk.link))
    elif r.name is not None:
        desk.tell("seat", id=id, name=r.name)
    else:
        raise RuleError("seat", "nothing to change was given; takes a name, revoke or renew")


def new_seat(desk: Desk, name: str, role: str) -> str:
    """A seat with a new secret for its link."""
    id = desk.id()
    desk.link = desk.token(24).hex()
    desk.tell("seat", id=id, name=name, role=role, _door=door(desk.link))
    return id


def prove(desk: Desk, r: requests.Prove) -> None:
    """Open what can be opened, and go on under new secrets.

    The secrets of cards tell which cards are gone, so they stay closed while a play in secret has some.
    """
    desk.master("prove", "open the secrets")
    known = desk.known
    closed = [h for h in known.hidden.values() if (s := known.secrets.get(h.stretch)) and s.cards]
    waiting = {h.stretch for h in known.hidden.values()}
    for stretch, secret in list(known.secrets.items()):
        if stretch in waiting or stretch in known.seals.values():
            continue
        of_cards = secret.cards or secret.purpose == "cards"
        if secret.counter and not (closed and of_cards):
            desk.open(stretch)
            if known.all.stretches.get(secret.purpose) == stretch:
                desk.commit(secret.purpose, desk.words(r.words))
    if not desk.events:
        why = "cards are out in secret: reveal those plays first" if closed else "nothing was thrown since"
        raise Refused("prove", why)
