"""A rule with its parameters checked, its house rules in place and its decks laid out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sortes import catalog
from sortes import house as houses
from sortes.core.ask import State
from sortes.core.errors import RuleError
from sortes.core.system import House, Question, Rule
from sortes.core.world import Pile, Purse, Stock, World
from sortes.core.world import stock as stocked


class Prepared:
    """A rule with its parameters checked and its decks laid out: takes a rule's place in all four walks."""

    def __init__(self, rule: str | Rule, house: houses.Given = None, **params: Any) -> None:
        self.rule = catalog.rule(rule)
        self.params = self.rule.form.read(params)
        self._lay_out(house)

    @classmethod
    def from_text(cls, rule: str | Rule, params: Mapping[str, Any], house: houses.Given = None) -> Prepared:
        """The same from parameters as they were typed."""
        made = cls.__new__(cls)
        made.rule = catalog.rule(rule)
        made.params = made.rule.form.read(params, text=True)
        made._lay_out(house)
        return made

    def _lay_out(self, given: houses.Given) -> None:
        rule = self.rule
        called = [catalog.rule(id) for id in rule.calls]
        ids = frozenset({rule.system, *(one.system for one in called)})
        changes = houses.sections(given, rule.system, ids)
        self.houses = {id: houses.house(catalog.system(id), changes[id]) for id in ids}
        self.house = self.houses[rule.system]
        supplied: dict[str, Any] = {}
        for name, kind in rule.form.supplied.items():
            is_house = isinstance(kind, type) and issubclass(kind, House)
            supplied[name] = self.house if is_house else catalog.called(rule, self.houses)
        self.state: State = rule.start(**self.params, **supplied)
        self.stock, self.world = self._stocked([rule, *called])

    def _stocked(self, rules: list[Rule]) -> tuple[Stock, World]:
        purses: dict[str, Purse] = {}
        for one in reversed(rules):  # the rule's own purses go before those of what it calls
            if one.purses:
                params = (
                    self.params if one is self.rule else {n: f.default for n, f in one.form.fields.items()}
                )
                for what, purse in one.purses(params, self.houses[one.system]).items():
                    keeps = one is self.rule or purse.size is not None
                    purses[what] = purse if keeps else Purse(purse.used, purse.size, keeps=False)
        marks = {(f.mark.role, f.mark.what): n for n, f in self.rule.form.fields.items() if f.mark}
        decks, lefts, totals = [], [], []
        wanted = dict.fromkeys(deck for one in rules for deck in one.decks)
        available = {d.name: d for id, h in self.houses.items() for d in catalog.system(id).decks(h)}
        for name in wanted:
            deck = available[name]
            left, total = self._pile(
                deck, *[marks.get((role, name)) for role in ("stocks", "discards", "lies")]
            )
            decks.append(deck)
            lefts.append(left)
            totals.append(total)
        stock = stocked(tuple(decks), tuple(tuple(total.items()) for total in totals), tuple(purses))
        piles = [Pile(stock.counts(i, left), (0,) * len(stock.totals[i])) for i, left in enumerate(lefts)]
        return stock, World(tuple(piles), tuple(purses.values()))

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
        return left, {card: n for card, n in total.items() if n}

    def foresee(self, walk: str) -> None:
        """Refuse a walk ("odds", "advise", "simulate") where only a play could go on. Raises RuleError."""
        if self.rule.ahead:
            self.rule.ahead(walk, self.params, self.house)

    @property
    def question(self) -> Question:
        """What a room's own solver is asked."""
        names = [deck.name for deck in self.stock.decks]
        left = {name: self.stock.cards(self.world, name) for name in names}
        totals = {
            name: dict(zip(self.stock.labels[i], self.stock.totals[i], strict=True))
            for i, name in enumerate(names)
        }
        return Question(self.params, self.house, left, totals)
