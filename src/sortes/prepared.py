"""A rule with its parameters checked, its house rules in place and its decks laid out."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from msgspec import Struct

from sortes import catalog
from sortes import house as houses
from sortes.core.ask import State
from sortes.core.errors import RuleError
from sortes.core.system import House, Question, Rule
from sortes.core.world import Deck, Pile, Purse, Stock, World
from sortes.core.world import stock as stocked


class Prepared:
    """A rule with its parameters checked and its decks laid out: takes a rule's place in all four walks."""

    def __init__(self, rule: str | Rule, house: houses.Given = None, **params: Any) -> None:
        self._lay_out(rule, params, house)

    @classmethod
    def of(
        cls,
        rule: str | Rule,
        params: Mapping[str, Any],
        house: houses.Given = None,
        *,
        text: bool = False,
    ) -> Prepared:
        """The same from parameters by name; with `text`, they may be text as typed."""
        made = cls.__new__(cls)
        made._lay_out(rule, params, house, text=text)
        return made

    @classmethod
    def from_text(cls, rule: str | Rule, params: Mapping[str, Any], house: houses.Given = None) -> Prepared:
        """The same from parameters as they were typed."""
        return cls.of(rule, params, house, text=True)

    def _lay_out(
        self, id: str | Rule, params: Mapping[str, Any], house: houses.Given, *, text: bool = False
    ) -> None:
        self.rule = rule = catalog.rule(id)
        self.params = rule.form.read(params, text=text)
        under = plainly(rule) if house is None else setting(rule, house)
        self.houses, self.house = under.houses, under.houses[rule.system]
        self.state: State = rule.start(**self.params, **under.supplied)
        purses = under.lent
        if rule.purses:  # its own go before those of what it calls
            own = rule.purses(self.params, self.house)
            purses = {**purses, **own} if purses else own
        self.stock, piles = self._laid(tuple(purses), under.made)
        self.world = World(piles, tuple(purses.values()))

    def _laid(self, purses: tuple[str, ...], made: tuple[House, ...]) -> tuple[Stock, tuple[Pile, ...]]:
        """The decks that the rule and what it calls draw from, fresh or as the parameters say."""
        marks = self.rule.form.marks
        if not [name for name in marks.values() if self.params[name] is not None]:
            return fresh(self.rule, made, purses)
        lefts, totals = [], []
        decks = decks_of(self.rule, made)
        for deck in decks:
            named = [marks.get((role, deck.name)) for role in ("stocks", "discards", "lies")]
            left, total = self._pile(deck, *named)
            lefts.append(left)
            totals.append(tuple(total.items()))
        stock = stocked(decks, tuple(totals), purses)
        return stock, tuple(
            [Pile(stock.counts(i, left), (0,) * len(stock.totals[i])) for i, left in enumerate(lefts)]
        )

    def _pile(
        self, deck: Any, stocks: str | None, discards: str | None, lies: str | None
    ) -> tuple[dict[str, int], dict[str, int]]:
        """What is left of a deck, and that with its discard: a fresh deck, or as the parameters say."""
        full = dict(deck.cards)
        given = self.params[stocks] if stocks else None
        thrown = self.params[discards] if discards else None
        turned = deck.parse(lies, self.params[lies]) if lies and self.params[lies] is not None else {}
        if given is None and thrown is None and not turned:
            return full, full
        left = dict(deck.parse(stocks, given)) if given is not None else None
        away = dict(deck.parse(discards, thrown)) if thrown is not None else None
        if turned and (away is not None or left is None):  # a card that was turned is not left
            away = {
                card: (away or {}).get(card, 0) + turned.get(card, 0) for card in {**(away or {}), **turned}
            }
        coarse = next((cards for cards in (left, away) if cards and not set(cards) <= set(full)), None)
        if coarse is not None:  # counts by suit: the full pack is told apart no further
            full = {}
            for card, n in deck.cards:
                key = next((k for k in coarse if card.endswith(k)), card)
                full[key] = full.get(key, 0) + n
        for name, cards in ((stocks, left), (discards, away)):
            for card, n in (cards or {}).items():
                if n > full.get(card, 0):
                    raise RuleError(str(name), f"got {n} × {card}; the full pack has {full.get(card, 0)}")
        if left is None:
            left = {card: n - (away or {}).get(card, 0) for card, n in full.items()}
        if away is None:
            away = {card: n - left.get(card, 0) for card, n in full.items()}
            for card, n in turned.items():
                if away.get(card, 0) < n:
                    raise RuleError(str(lies), f"got {card}, of which the deck still has all {full[card]}")
        total = {card: left.get(card, 0) + away.get(card, 0) for card in full}
        for card, n in total.items():
            if n > full[card]:
                raise RuleError(
                    str(discards), f"{card} is in deck and discard {n} times; the full pack has {full[card]}"
                )
        return {card: n for card, n in left.items() if n}, {card: n for card, n in total.items() if n}

    def foresee(self, walk: str) -> None:
        """Refuse a walk ("odds", "advise", "simulate"; "end": odds to the very end) where only a play could go on.

        Raises RuleError.
        """
        if self.rule.ahead:
            self.rule.ahead(walk, self.params, self.house)

    @property
    def ends(self) -> bool:
        """Whether odds can be told to the very end."""
        try:
            self.foresee("end")
        except RuleError:
            return False
        return True

    @property
    def question(self) -> Question:
        """What a room's own solver is asked."""
        return self.asked()

    def asked(self, by: str | None = None, within: int | None = None) -> Question:
        """The same of one counter, up to `within`."""
        return Question(self.params, self.house, self.stock, self.world, by, within)


class Setting(Struct, frozen=True):
    """What a rule plays under: the house rules of each system it belongs to or calls, what it is given of these beside
    its parameters, and the purses of what it calls."""

    houses: Mapping[str, House]
    made: tuple[House, ...]  # the same, without the systems' ids
    supplied: Mapping[str, Any]
    lent: Mapping[str, Purse]


def setting(rule: Rule, given: houses.Given) -> Setting:
    """What a rule plays under, with these settings changed."""
    called = [catalog.rule(id) for id in rule.calls]
    ids = dict.fromkeys([one.system for one in (rule, *called)])
    changes = houses.sections(given, rule.system, frozenset(ids))
    made = {id: houses.house(catalog.system(id), changes[id]) for id in ids}
    supplied: dict[str, Any] = {}
    for name, kind in rule.form.supplied.items():
        is_house = isinstance(kind, type) and issubclass(kind, House)
        supplied[name] = made[rule.system] if is_house else catalog.called(rule, made)
    lent: dict[str, Purse] = {}
    for one in reversed(called):
        if one.purses:
            params = {name: field.default for name, field in one.form.fields.items()}
            for what, purse in one.purses(params, made[one.system]).items():
                ends = purse.size is not None  # one without end is not counted in the play of another rule
                lent[what] = purse if ends else Purse(purse.used, purse.size, keeps=False)
    return Setting(made, tuple(made.values()), supplied, lent)


@lru_cache(maxsize=256)
def plainly(rule: Rule) -> Setting:
    """What a rule plays under as the systems come."""
    return setting(rule, None)


@lru_cache(maxsize=256)
def decks_of(rule: Rule, made: tuple[House, ...]) -> tuple[Deck, ...]:
    """The decks that a rule and what it calls draw from, under these house rules."""
    rules = [rule, *map(catalog.rule, rule.calls)]
    by_type = {type(one): one for one in made}
    systems = [catalog.system(id) for id in dict.fromkeys(one.system for one in rules)]
    available = {deck.name: deck for system in systems for deck in system.decks(by_type[system.house])}
    return tuple([available[name] for name in dict.fromkeys(deck for one in rules for deck in one.decks)])


@lru_cache(maxsize=256)
def fresh(rule: Rule, made: tuple[House, ...], purses: tuple[str, ...]) -> tuple[Stock, tuple[Pile, ...]]:
    """The decks of a rule, whole and shuffled."""
    decks = decks_of(rule, made)
    stock = stocked(decks, tuple([deck.cards for deck in decks]), purses)
    return stock, tuple([Pile(total, (0,) * len(total)) for total in stock.totals])
