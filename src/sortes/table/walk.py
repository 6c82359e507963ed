"""A play at the table: it goes on until people are asked, or it has resolved. What comes of it are events.

It is the walk `play`, with the table's decks and purses in place of the rule's own, chance from streams that can be
verified, and rests wherever somebody must choose or throw by hand.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from sortes import catalog
from sortes.core.ask import Choice, Done, Moment, Option, State, Tally, Throw
from sortes.core.chance import Bag, Dice, Draw, OpenEnded, Standing, Thrown
from sortes.core.errors import Refused
from sortes.core.system import House, Rule
from sortes.core.world import Deck, Pile, Purse, Stock, World, Worlds
from sortes.core.world import stock as stocked
from sortes.engine import play as engine
from sortes.engine.policy import Decide, offer, taken
from sortes.prepared import decks_of
from sortes.table import fair, fold, sheets
from sortes.table.log import GM, Event
from sortes.table.stored import dump

MOST = 200  # throws of one request: what a policy has not ended by then is left to wait, since some games have no end
Chance = Callable[
    [bool], tuple[Event, fair.Stream]
]  # (cards of the table's?) -> what names the stream, and the stream


def named(deck: Deck, play: str) -> str:
    """What a rule's deck is called on the table: some are laid anew for each play."""
    return f"{deck.name}-{play}" if deck.each else deck.name


class Settled(Struct, frozen=True):
    """Cards of one deck that a play in secret had and has no more: who saw them, and which they are."""

    play: str
    to: list[str]
    deck: str
    cards: list[str]

    @property
    def turn(self) -> int:
        """When they go back: first what nobody saw, then what the game master did."""
        return 0 if not self.to else 1 if GM in self.to else 2


class Laid:
    """A play with the decks and purses of the table before it.

    `known` is what is on the table, as far as it may matter: all there is, or what one seat knows, whose odds are then
    honest odds. `mine` is what the acting seat knows: purses that stand on a sheet are read from there. `seen` is what
    all know who see the play, and `settled` the cards that are in the discard in secret.
    """

    def __init__(
        self,
        playing: fold.Playing,
        known: fold.State,
        mine: fold.State,
        houses: Mapping[str, House],
        seen: fold.State | None = None,
        settled: Sequence[Settled] = (),
    ) -> None:
        self.playing, self.known, self.mine, self.houses = playing, known, mine, houses
        self.seen, self.settled = seen or mine, list(settled)
        self.rule: Rule = catalog.rule(playing.rule)
        self.decks = decks_of(self.rule, tuple(houses.values()))
        lefts, outs, totals = [], [], []
        for deck in self.decks:
            name = named(deck, playing.play)
            own = Counter(playing.out.get(name, ()))
            pile = known.decks.get(name)
            full, left = (pile.cards, pile.left) if pile else (dict(deck.cards), dict(deck.cards))
            others = Counter(card for _, cards in self.others(name) for card in cards)
            lefts.append(left)
            outs.append(own)
            totals.append(tuple((c, max(n - others[c], left.get(c, 0) + own[c])) for c, n in full.items()))
        self.stock: Stock = stocked(self.decks, tuple(totals), tuple(playing.purses))
        piles = [
            Pile(self.stock.counts(i, left), self.stock.counts(i, out))
            for i, (left, out) in enumerate(zip(lefts, outs, strict=True))
        ]
        self.world = World(tuple(piles), tuple(self.purse(one) for one in playing.purses.values()))

    def others(self, name: str) -> list[tuple[list[str] | None, list[str]]]:
        """The cards of this deck that lie out for other plays that wait, and who sees them."""
        plays = [one for one in self.known.plays.values() if one.play != self.playing.play]
        return [(one.to, one.out[name]) for one in plays if one.out.get(name)]

    def link(self, purse: Mapping[str, Any]) -> sheets.Link | None:
        """The sheet's number that a purse stands on."""
        return msgspec.convert(purse["link"], sheets.Link) if purse.get("link") else None

    def purse(self, kept: Mapping[str, Any]) -> Purse:
        """A purse as it is now."""
        if link := self.link(kept):
            return sheets.purse(link, self.mine.characters, kept["used"], kept["size"])
        return Purse(kept["used"], kept["size"], kept.get("keeps", True))


class Walk:
    """One request's part of a play. `events` is what came of it; `waits` says whether the play goes on later.

    `answer` is the value for the choice that waits, `faces` those of the throw that waits. Choices after that are made
    by `decide`, or rested at where there is none.
    """

    def __init__(self, laid: Laid, state: State, chance: Chance, *, decide: Decide | None = None) -> None:
        self.laid, self.playing, self.state, self.chance = laid, laid.playing, state, chance
        self.stock, self.world, self.decide = laid.stock, laid.world, decide
        self.why, self.counted = list(self.playing.why), list(self.playing.counted)
        self.events: list[Event] = []
        self.waits, self.outcome, self.throws = False, None, 0

    def go(self, answer: Any = None, faces: Sequence[Any] | None = None) -> None:
        """Go on until the play waits or has resolved. Raises Refused where the rule says not now."""
        told = bool(self.playing.turn)  # what it waits at has been asked before, and its rules named
        while True:
            if not told and type(self.state) is Moment:
                self.why += engine.cites(self.state)
            ask = self.state.ask()
            self.why += () if told else ask.why
            told = False
            if isinstance(ask, Throw):
                if self.playing.hand and faces is None:
                    return self._wait({"kind": "throw", **wanted(ask.bag, self.playing.play)})
                self._throw(ask, faces)
                faces = None
            elif isinstance(ask, Choice):
                offered = offer(ask, self.stock.offered(self.world, ask))
                option = offered.options[0]
                if answer is not None:  # even where the purse has left nothing to choose
                    option, answer = _taken(offered, answer), None
                    self._chose(offered, option)
                elif len(offered.options) > 1:
                    if self.decide is None or self.throws > MOST:
                        if self.playing.to == []:
                            raise Refused(
                                "to", "this goes on for too long to be played blind; play it for some seat"
                            )
                        return self._wait(_asked(offered))
                    worlds = Worlds(self.stock, self.world)
                    option = _taken(offered, self.decide(self.state, offered, worlds, worlds.start))
                    self._chose(offered, option)
                self._pay(self.stock.pay(self.world, option.cost))
                self.state = ask.then(option.value)
            elif isinstance(ask, Tally):
                really, world = self.stock.mark(self.world, ask.what, ask.n)
                self.counted.append((ask.what, really))
                self._pay(world)
                self.state = ask.then(really)
            else:
                assert isinstance(ask, Done)
                return self._resolve(ask)

    def _tell(self, kind: str, **keys: Any) -> None:
        self.events.append({"kind": kind, "play": self.playing.play, **keys})

    # ---- people -----------------------------------------------------------------------------------

    def _chose(self, choice: Choice, option: Option) -> None:
        self._tell(
            "chosen",
            who=option.who or choice.who,
            about=choice.about,
            option=option.value,
            cost=dict(option.cost),
            offered=[one.value for one in choice.options],
        )

    def _pay(self, after: World) -> None:
        """What of the purses was used stands on sheets, or on the play itself."""
        for name, was, now in zip(self.stock.purses, self.world.purses, after.purses, strict=True):
            kept = self.playing.purses[name]
            if was == now:
                continue
            n = now.used - was.used
            self.playing.purses[name] = {**kept, "used": kept["used"] + n}
            if link := self.laid.link(kept):
                self._tell("effect", what=name, n=n, changes=sheets.spent(link, n))
        self.world = after

    def _wait(self, ask: Event) -> None:
        self.waits = True
        self._tell(
            "waiting",
            turn=self.playing.turn + 1,
            ask=ask,
            state=dump(self.state),
            purses=self.playing.purses,
            counted=[list(one) for one in self.counted],
            why=list(dict.fromkeys(self.why)),
        )

    def _resolve(self, done: Done) -> None:
        outcome = done.outcome
        if counters := self.laid.rule.counters:
            sums = dict.fromkeys(counters, 0)
            for what, n in self.counted:
                if what in sums:
                    sums[what] += n
            outcome = replace(outcome, **sums)
        self.outcome = outcome
        changes = sheets.gained(self.laid.rule, outcome, self.playing.who) if self.playing.who else []
        more = {"changes": changes} if changes else {}
        self._tell(
            "resolved", outcome=msgspec.to_builtins(outcome), why=list(dict.fromkeys(self.why)), **more
        )

    # ---- chance -----------------------------------------------------------------------------------

    def _throw(self, ask: Throw, faces: Sequence[Any] | None) -> None:
        self.throws += 1
        bag, before, stock = ask.bag, self.world, self.stock
        if faces is not None:
            records, stock, before = self._by_hand(ask, faces)
            origin: Event = {}
            numbers: fair.Numbers = ()
        else:
            deck = self.stock.decks[self.stock.place[bag.deck]] if isinstance(bag, Draw) else None
            if deck and not deck.each:
                before = self._ready(bag, deck)  # type: ignore[arg-type]
            origin, stream = self.chance(deck is not None and not deck.each)
            start = len(stream.drawn)
            try:
                self.state, self.world, records = engine.throw(ask, self.stock, before, stream)
            except Refused:
                raise self._too_few(bag) from None
            numbers = stream.drawn[start:]
        groups = fair.groups(bag, records, numbers, stock, before)
        if not groups:
            return
        out = {}
        for i, deck in enumerate(self.stock.decks):
            name = named(deck, self.playing.play)
            pile = self.world.piles[i]
            assert pile is not None
            lies = [c for c, n in zip(self.stock.labels[i], pile.out, strict=True) for _ in range(n)]
            if lies or self.playing.out.get(name):
                out[name] = lies
            for item in groups:
                self._placed(item, deck, name)
        self._tell("throw", groups=groups, **origin, **({"out": out} if out else {}))

    def _placed(self, item: Event, deck: Deck, name: str) -> None:
        """A group of this deck, under the name that it has on the table, with all that stays out of a shuffle."""
        if item["kind"] == "cards" and item["name"] == deck.name:
            item["name"] = name
        elif item["kind"] == "shuffled" and item["deck"] == deck.name:
            item["deck"] = name
            item.update(staying(self.laid.others(name), item["out"]))

    def _too_few(self, bag: Bag | Draw) -> Refused:
        """Why a draw cannot be made, in numbers that who sees the play knows."""
        seen = Laid(self.playing, self.laid.seen, self.laid.seen, self.laid.houses)
        try:
            seen.stock.opened(seen.world, bag)  # type: ignore[arg-type]
        except Refused as e:
            return e
        return Refused(
            "deck", "too few cards can be drawn while plays wait with some; end one, or draw fewer"
        )

    def _ready(self, draw: Draw, deck: Deck) -> World:
        """The world in which a draw of the table's deck finds its cards, as far as others shall not see that some are
        gone in secret.

        Where too few are left, cards that were drawn in secret and are in the discard go back first: who did not see
        them finds the deck as long as it ought to be. A play in secret never shuffles for others to see: where it must,
        the deck is shuffled before the draw as if its seat had asked for that, which it may at any time (C2).
        """
        opens = bool(draw.opens) and draw.opens in deck.shuffles
        world = self.world if opens else self._gone_back(draw, deck)
        if self.playing.to is None or not (opens or self.stock.short(world, draw)):
            return world
        i, pile = self._pile(world, draw)
        lies = [c for c, n in zip(self.stock.labels[i], pile.out, strict=True) for _ in range(n)]
        others = [*self.laid.others(deck.name), (self.playing.to, lies)]
        self.events.append(
            {"kind": "shuffled", "deck": deck.name, "by": "ask", "to": None, **staying(others, [])}
        )
        left = tuple([total - out for total, out in zip(self.stock.totals[i], pile.out, strict=True)])
        return _with(world, i, Pile(left, pile.out))

    def _gone_back(self, draw: Draw, deck: Deck) -> World:
        """The world once there are enough cards, or all that were drawn in secret are back, in turns: whoever saw them
        sees that they were needed."""
        world = self.world
        for turn in range(3):
            i, pile = self._pile(world, draw)
            if sum(pile.left) >= draw.n:
                break
            for one in [one for one in self.laid.settled if (one.deck, one.turn) == (deck.name, turn)]:
                self.laid.settled.remove(one)
                self.events.append(
                    {"kind": "shuffled", "deck": one.deck, "to": one.to, "of": one.play, "back": one.cards}
                )
                back = self.stock.counts(i, Counter(one.cards))
                pile = Pile(tuple([a + b for a, b in zip(pile.left, back, strict=True)]), pile.out)
            world = _with(world, i, pile)
        return world

    def _pile(self, world: World, draw: Draw) -> tuple[int, Pile]:
        i = self.stock.place[draw.deck]
        pile = world.piles[i]
        assert pile is not None
        return i, pile

    def _by_hand(self, ask: Throw, faces: Sequence[Any]) -> tuple[tuple[Thrown, ...], Stock, World]:
        """A throw that people made, and the decks that it was checked against: those that all know who see it, so that
        neither the check nor a shuffle tells of what they do not. A card that is elsewhere in secret is told to the
        game master alone; who knows where it is may not throw it."""
        bag = ask.bag
        if not isinstance(bag, Draw):
            before = self.world
            self.state, self.world, records = engine.by_hand(ask, self.stock, before, faces)
            return records, self.stock, before
        seen, mine = (
            Laid(self.playing, one, one, self.laid.houses) for one in (self.laid.seen, self.laid.mine)
        )
        i = self.stock.place[bag.deck]
        known = World(seen.world.piles, self.world.purses)
        short = seen.stock.short(known, bag)
        self.state, after, records = engine.by_hand(ask, seen.stock, known, faces)
        if self.laid.mine is not self.laid.seen and not mine.stock.short(
            opened := mine.stock.opened(mine.world, bag), bag
        ):
            mine.stock.take(opened, bag, faces)
        truly, told = self.world.piles[i], after.piles[i]
        assert truly is not None
        assert told is not None
        drawn = self.stock.counts(i, Counter(faces))
        if any(a > b for a, b in zip(drawn, truly.left, strict=True)) and not short:
            twice = [c for c, a, b in zip(self.stock.labels[i], drawn, truly.left, strict=True) if a > b]
            text = f"{', '.join(twice)}: thrown by hand, and out of the deck in secret already"
            self.events.append({"kind": "flagged", "to": ["gm"], "text": text})
        left = tuple([max(0, b - a) for a, b in zip(drawn, truly.left, strict=True)])
        pile = told if short else Pile(left, told.out)
        self.world = _with(self.world, i, pile)
        return records, seen.stock, known


def _with(world: World, i: int, pile: Pile) -> World:
    return World((*world.piles[:i], pile, *world.piles[i + 1 :]), world.purses)


def staying(others: Sequence[tuple[list[str] | None, list[str]]], out: Sequence[str]) -> Event:
    """What stays out of a shuffle: for all to see, and for those who see the plays that it lies out for."""
    hidden = [[to, cards] for to, cards in others if to is not None and cards]
    open_ = [card for to, cards in others if to is None for card in cards]
    return {"out": [*out, *open_], **({"_hidden": hidden} if hidden else {})}


def _asked(choice: Choice) -> Event:
    """A choice as people are asked it."""
    options = [
        {
            "option": one.value,
            **({"cost": dict(one.cost)} if one.cost else {}),
            **({"who": one.who} if one.who and one.who != choice.who else {}),
        }
        for one in choice.options
    ]
    return {"kind": "choice", "who": choice.who, "about": choice.about, "options": options}


def wanted(bag: Bag | Draw, play: str) -> Event:
    """What a throw asks for, where people make it themselves."""
    if isinstance(bag, Draw):
        return {"deck": bag.deck, "n": bag.n}
    if isinstance(bag, Standing):
        return {"dice": [_dice(one, name) for name, one in bag.groups]}
    return {"dice": [_dice(bag, bag.name)]}


def _dice(dice: Dice | OpenEnded, name: str) -> Event:
    one: Event = {
        "name": name,
        "faces": msgspec.to_builtins(list(dice.faces)) if len(dice.faces) <= 100 else [],
    }
    return {**one, "n": dice.n} if isinstance(dice, Dice) else one


def _taken(choice: Choice, value: Any) -> Option:
    try:
        return taken(choice, value)
    except Refused as e:
        raise Refused("option", str(e).removeprefix("policy: ")) from None


__all__ = ["Laid", "Settled", "Walk", "named", "staying", "wanted"]
