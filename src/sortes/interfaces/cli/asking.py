"""Choices at a terminal: each option with what it costs and how things then stand, and advice where it is asked for."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import partial
from time import monotonic
from typing import Any

import click

from sortes.core.ask import Choice, Moment, Option
from sortes.core.errors import Refused
from sortes.core.system import Solved, Worth
from sortes.core.world import Worlds
from sortes.engine import odds as walks
from sortes.engine.play import Event
from sortes.interfaces.cli.waiting import progress, within
from sortes.prepared import Prepared
from sortes.show import terminal, words
from sortes.show.terminal import Ink, Row

PATIENCE = 1.0  # seconds for the exact odds of all options together, and again for trials of all of them
BATCH, TRIALS = 50, 2_000  # trials at a time, and at most
MOST = 3  # results told for each option


class Asker:
    """Asks people at the terminal; remembers what they chose, so that the odds can be told for such choices."""

    def __init__(self, it: Prepared, pen: Ink, aims: Mapping[str, Worth]) -> None:
        self.it, self.pen, self.aims = it, pen, dict(aims)
        self.asked = False
        self._thrown: list[Any] = []
        self._chosen: dict[Any, Any] = {}

    # ---- what happened so far -------------------------------------------------------------------

    def told(self, event: Event) -> None:
        """Keep throws until they are to be shown: before the next choice, or with the result."""
        if not isinstance(event, tuple) and hasattr(event, "faces"):
            self._thrown.append(event)

    def thrown(self) -> list[Any]:
        """What was thrown since this was asked last."""
        out, self._thrown = self._thrown, []
        return out

    def policy(self, state: Any, choice: Choice) -> Any:
        """The choices that were made, wherever the same one comes up; else the option listed first."""
        value = self._chosen.get(state)
        return value if any(o.value == value for o in choice.options) else choice.options[0].value

    # ---- a choice -------------------------------------------------------------------------------

    def decide(self, state: Moment, choice: Choice, worlds: Worlds, world: int) -> Any:
        """Ask. Ends with Abort where nobody answers."""
        pen, self.asked = self.pen, True
        self.say(["", *self._throws()])
        about = words.question(choice.about)
        who = "" if len(self.aims) < 2 else f"{words.who(choice.who)}: "
        self.say([f"  {pen(f'{who}{about}', 'bold', 'lit')}"])
        self.say(self._options(choice, worlds, world))
        while True:
            typed = self._read(len(choice.options))
            if typed == "?":
                self._advise(state, choice, worlds, world)
                continue
            option = chosen(choice, typed)
            if option is not None:
                self._chosen[state] = option.value
                return option.value
            got = terminal.clean(typed)
            self.say([f"  takes a number from 1 to {len(choice.options)}, or ? for advice; got {got!r}"])

    def say(self, lines: list[str]) -> None:
        """Show lines at once."""
        click.echo(self.pen.fit("\n".join(lines)), color=True)

    def _throws(self) -> list[str]:
        thrown = self.thrown()
        if not thrown:
            return []
        named = [words.caption(one) for one in thrown]
        rule = self.it.rule
        if len(thrown) == len(words.drawn_by(rule, self.it.params, thrown)):
            named = words.drawn_by(rule, self.it.params, thrown)
        return [*terminal.throws(self.pen, thrown, named), ""]

    def _read(self, n: int) -> str:
        click.echo(self.pen.fit(f"  1 to {n}, ? for advice [1]: "), nl=False, color=True)
        sys.stdout.flush()
        line = sys.stdin.readline()
        if not line:
            raise click.Abort
        return line.strip() or "1"

    def _options(self, choice: Choice, worlds: Worlds, world: int) -> list[str]:
        names = [self._name(choice, option) for option in choice.options]
        leads = self._leads(choice, worlds, world)
        left = max(map(len, names))
        lines = []
        for i, (name, option) in enumerate(zip(names, choice.options, strict=True)):
            told = ", ".join(filter(None, (self._cost(option, worlds, world), leads[i])))
            number = f"  {i + 1:>{len(str(len(names)))}}  "
            if len(number) + left + 2 + len(told) <= self.pen.width:
                lines.append(f"{number}{name:<{left}}  {told}".rstrip())
            else:
                lines.append(number + name)
                lines += terminal.wrapped(told, self.pen.width, " " * (len(number) + 2)) if told else []
        if not all(leads):
            lines.append("  (Some odds would take long to work out.)")
        return lines

    def _cost(self, option: Option, worlds: Worlds, world: int) -> str:
        """What an option costs, and what it leaves."""
        if not option.cost:
            return ""
        stock = worlds.stock
        after = stock.pay(worlds[world], option.cost)
        purses = [after.purses[stock.purses.index(what)] for what, _ in option.cost]
        left = [str(p.size - p.used) for p in purses if p.size is not None]
        return f"costs {words.cost(option.cost)}{', leaves ' if left else ''}{' and '.join(left)}"

    def _name(self, choice: Choice, option: Option) -> str:
        name = words.option(choice.about, option.value)
        theirs = option.who and option.who != choice.who and not name.startswith("The ")
        return f"{name} ({words.who(option.who)})" if theirs else name

    # ---- odds and advice ------------------------------------------------------------------------

    def _leads(self, choice: Choice, worlds: Worlds, world: int) -> list[str]:
        """What each option leads to if all goes on plainly after it: exactly, or where that would take long, about
        as many trials show it. Nothing where even these would."""
        stock, rule, until = worlds.stock, self.it.rule, monotonic() + PATIENCE
        counters = tuple(c for c in rule.fields[:1] if c in rule.counters)
        out, until_tried = [], 0.0
        for option in choice.options:
            start, after = choice.then(option.value), stock.pay(worlds[world], option.cost)
            walk = partial(walks.spread, start, stock, after, counters=counters)
            who = option.who or choice.who
            try:
                if (found := within(max(0.01, until - monotonic()), partial(_watched, walk))) is not None:
                    out.append(self._told(found.outcomes, who))
                    continue
                until_tried = until_tried or monotonic() + PATIENCE
                tried = self._tried(start, after, stock, counters, until_tried)
                out.append(f"about {self._told(tried, who, tried=True)}" if tried else "")
            except Refused:  # a draw that the deck cannot give, further on
                out.append("")
        return out

    def _tried(
        self, start: Any, world: Any, stock: Any, counters: tuple[str, ...], until: float
    ) -> dict[Any, Fraction]:
        import numpy as np

        from sortes.engine.simulate import crowd

        source, found, n = np.random.Generator(np.random.SFC64()), Counter[Any](), 0
        while n < TRIALS and monotonic() < until:
            batch = within(
                2 * PATIENCE, lambda watch: crowd(start, stock, world, BATCH, source, counters=counters)
            )
            if batch is None:
                break
            found.update(batch)
            n += BATCH
        return {outcome: Fraction(many, n) for outcome, many in found.items()}

    def _told(self, outcomes: Mapping[Any, Fraction], who: str, tried: bool = False) -> str:
        def said_of(p: Fraction) -> str:
            if not tried or p in (0, 1):
                return words.percent(p)
            return (
                "under 1%"
                if p < Fraction(1, 100)
                else "over 99%"
                if p > Fraction(99, 100)
                else f"{float(p):.0%}"
            )

        rule = self.it.rule
        field = rule.fields[0]
        by: dict[Any, Fraction] = {}
        for outcome, p in outcomes.items():
            value = getattr(outcome, field)
            by[value] = by.get(value, Fraction(0)) + p
        if not rule.results:
            mean = sum((p * v for v, p in by.items() if isinstance(v, int)), Fraction(0))
            return f"on average {words.number(mean)}"
        likeliest = sorted(by, key=lambda v: -by[v])[:MOST]
        order = [v for v in rule.results if v in likeliest]
        said = ", ".join(f"{words.title(rule, v)} {said_of(by[v])}" for v in order)
        more = f" and {len(by) - MOST} more" if len(by) > MOST else ""
        main, aim = next(iter(self.aims.items()), ("", None))
        hoped = {
            v for o in outcomes for v in [getattr(o, field)] if aim and rule.id in words.HOPES and aim(o)
        }
        if who == main and aim and len(hoped) > 1:
            worth = sum((p * Fraction(aim(o)) for o, p in outcomes.items()), Fraction(0))
            return f"{said_of(worth)} {words.hope(rule)} ({said}{more})"
        return said + more

    def _advise(self, state: Moment, choice: Choice, worlds: Worlds, world: int) -> None:
        """The worth of each option when everyone goes on in their best way."""
        from sortes.engine.advise import plan

        try:
            with progress("Looking ahead") as watch:
                made = plan(state, worlds.stock, worlds[world], self.aims, watch=watch)
        except KeyboardInterrupt:
            self.say(["  Advice was stopped; the choice is still open."])
            return
        found = made.situation(made.start)
        worths = [float(worth) for _, worth in found.worths]
        chances = all(0 <= worth <= 1 for worth in worths)
        rows = []
        for option, worth in found.worths:
            told = words.percent(worth) if chances else words.number(worth)
            best = option.value == found.best.value
            rows.append(
                Row(None, self._name(choice, option), float(worth) if chances else 0.0, (told,), best=best)
            )
        who = next((o.who for o in choice.options if o.value == found.best.value), "") or choice.who
        self.say(
            [f"  {self.pen('Advised', 'bold')} for the {who}, if all choose well from here: "
             f"{self._name(choice, found.best)}.", *terminal.table(self.pen, rows)]
        )  # fmt: skip


def _watched(walk: Callable[..., Solved], watch: walks.Watch) -> Solved:
    return walk(watch=watch)


def chosen(choice: Choice, typed: str) -> Option | None:
    """The option of this number, or of this name; None where there is no such one."""
    if typed.isascii() and typed.isdigit() and 1 <= int(typed) <= len(choice.options):
        return choice.options[int(typed) - 1]
    return next((o for o in choice.options if not isinstance(o.value, int) and str(o.value) == typed), None)
