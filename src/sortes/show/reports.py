"""The answers of the four walks, and what there is to ask, as they read in a terminal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from sortes.answers import Advice, Odds, Play, Situation
from sortes.core.chance import Thrown
from sortes.core.system import Rule, System
from sortes.prepared import Prepared
from sortes.show import terminal, words
from sortes.show.terminal import Ink, Row

MOST = 24  # first choices that are listed one by one


def play(
    pen: Ink,
    done: Play,
    thrown: Sequence[Thrown],
    p: Fraction | None,
    *,
    question: str = "",
    late: bool = False,
    rules: bool = False,
) -> list[str]:
    """A play: the answer, why, the throws (those not shown yet), what it brings, and how likely it was.

    `p` is none where that is not known, `late` where it would have taken long; `rules` adds the numbered rules.
    """
    rule = done.rule
    said = words.said(rule, done.outcome, done.throws)
    out = [""]
    if question:
        out += terminal.wrapped(terminal.clean(question), pen.width)
    out += terminal.answer(pen, said)
    if thrown:
        whole = tuple(thrown) == done.throws
        names = words.drawn_by(rule, done.params, thrown) if whole else [words.caption(one) for one in thrown]
        out += ["", *terminal.throws(pen, thrown, names)]
    costs = [spent for chosen in done.choices for spent in chosen.cost]
    if facts := terminal.facts(pen, words.effects(rule, done.outcome, done.tallies, costs)):
        out += ["", *facts]
    if words.NOTHING.get(rule.id, ("", "yes", ""))[:2] == (said.title, "none"):
        p, late = None, False  # a result that says nothing was not likely or unlikely
    told = terminal.was(p) or (
        "How likely it was would take long to work out; `sortes odds` does." if late else ""
    )
    if told or rules:
        out.append("")
    if told:
        out += terminal.wrapped(told, pen.width)
    if rules:
        out += terminal.wrapped(f"Rules {', '.join(done.why)}", pen.width)
    return [*out, ""]


def heading(pen: Ink, rule: Rule, params: Mapping[str, Any], more: str = "") -> list[str]:
    """What was asked: the rule, and the parameters that are not at their defaults."""
    said = ", ".join(filter(None, (words.params(rule, params), more)))
    first, *rest = terminal.wrapped(f"{rule.id}{': ' if said else ''}{said}", pen.width)
    return ["", first.replace(rule.id, pen(rule.id, "bold"), 1), *rest, ""]


def odds(
    pen: Ink, found: Odds, by: str | None = None, within: int | None = None, more: str = "", hope: bool = True
) -> list[str]:
    """How likely each value of a field (the main one) is: a bar, the exact fraction, and per cent."""
    rule = found.rule
    field = (by or rule.fields[0]).replace("-", "_")
    known = found.by(field, within)
    main = field == rule.fields[0]
    out = heading(pen, rule, found.params, more)
    if main and rule.results:
        known = {value: known[value] for value in rule.results if value in known}
    samples = {} if not main or words.known(rule) else {getattr(o, field): o for o in found.outcomes}
    worth = next(iter(rule.worths.values()))
    left = found.left(field, within)
    if hope and main and rule.id in words.HOPES and not rule.counters and not left:
        p = sum((p * worth(outcome) for outcome, p in found.outcomes.items()), Fraction(0))
        said = f"{pen(words.percent(p), 'bold')} {words.hope(rule)} ({words.exact(p)})"
        out += [
            f"  {said}"
            if terminal.seen(said) + 2 <= pen.width
            else f"  {words.percent(p)} {words.hope(rule)}"
        ]
        parts = [(words.mark(rule, value), p) for value, p in known.items()]
        out += [f"  {terminal.stack(pen, parts, min(pen.width - 4, 72))}", ""]
    most = max([*map(float, known.values()), float(left)], default=1.0) or 1.0
    rows = [
        Row(
            words.mark(rule, value, samples.get(value)) if main and rule.results else None,
            words.title(rule, value) if main and rule.results else words.value(value),
            float(p) / most,
            (words.exact(p), words.percent(p)),
        )
        for value, p in known.items()
    ]
    if left:
        rows.append(Row(None, "Unresolved", float(left) / most, (words.exact(left), words.percent(left))))
    out += terminal.table(pen, rows)
    if field in rule.numbers and (mean := found.mean(field)) is not None and len(known) > 1:
        fraction = words.exact(mean)
        same = fraction == words.number(mean)
        out += ["", f"  On average {words.number(mean)}{'' if same else f' ({fraction})'}"]
    if any("digits" in row.said[0] for row in rows):
        out += ["", *terminal.wrapped("Long fractions are whole in --json and --csv.", pen.width)]
    return [*out, ""]


def counts(pen: Ink, it: Prepared, n: int, seed: int, found: Counter[Any], more: str = "") -> list[str]:
    """How many of n plays came to each value of the main field."""
    rule = it.rule
    field = rule.fields[0]
    by: Counter[Any] = Counter()
    for outcome, many in found.items():
        by[getattr(outcome, field)] += many
    order = (
        [v for v in rule.results if v in by]
        if rule.results
        else sorted(by, key=lambda v: (isinstance(v, str), v))
    )
    most = max(by.values(), default=1)
    rows = [
        Row(
            words.mark(rule, v) if rule.results else None,
            words.title(rule, v) if rule.results else words.value(v),
            by[v] / most,
            (f"{by[v]:,}", words.percent(Fraction(by[v], n))),
        )
        for v in order
    ]
    plays = f"{n:,} play{'s' * (n != 1)}, seed {seed}"
    return [
        *heading(pen, rule, it.params, ", ".join(filter(None, (more, plays)))),
        *terminal.table(pen, rows),
        "",
    ]


def advice(pen: Ink, found: Advice, chance: bool, aim: str) -> list[str]:
    """The first choice with the worth of every option; where chance comes first, each first choice that can be met.

    `chance` tells that worths are chances, `aim` what is aimed at.
    """
    rule = found.rule
    said = words.percent if chance else words.number
    out = heading(pen, rule, found.params)
    out += [
        f"  {pen(said(found.worth), 'bold')} {'' if chance else 'on average: '}{aim}, if all choose well",
        "",
    ]
    situations = found.situations
    if not situations:
        return [
            *out,
            *terminal.wrapped("Nothing is asked on the way: there is nothing to advise.", pen.width),
            "",
        ]
    if len(situations) == 1 and not situations[0].after:
        return [*out, *_situation(pen, situations[0], said), ""]
    out += terminal.wrapped("Chance comes first. Then, as it falls:", pen.width)
    for one in situations[:MOST]:
        after = "; ".join(hand(h) for h in one.after)
        worths = [(words.option(one.about, o.option), said(o.worth)) for o in one.options]
        told = ", ".join(f"{name} {worth}" for name, worth in worths)
        if len({o.worth for o in one.options}) == 1:
            line = f"{after}: it makes no difference ({worths[0][1]})"
        else:
            line = f"{after}: {pen(words.option(one.about, one.best), 'bold')} ({told})"
        out += terminal.wrapped(line, pen.width, "  ", "      ")
    if len(situations) > MOST:
        out += terminal.wrapped(f"and {len(situations) - MOST} more; --json has them all.", pen.width)
    return [*out, ""]


COLOURS = {"R": "red", "B": "black", **words.SUITS}


def hand(read: Any) -> str:
    """A hand as the rule reads it: equal things counted; colours and suits of cards by their names."""
    if not isinstance(read, tuple | list):
        return words.value(read)
    many = Counter(COLOURS.get(str(one), words.value(one)) for one in read)
    return (
        ", ".join(f"{n} {one}" if n > 1 or one in COLOURS.values() else one for one, n in many.items())
        or "nothing"
    )


def _situation(pen: Ink, one: Situation, said: Any) -> list[str]:
    most = max((abs(float(o.worth)) for o in one.options), default=1.0) or 1.0
    rows = []
    for o in one.options:
        exact = words.exact(o.exact) if o.exact is not None else "not exact"
        name, share = words.option(one.about, o.option), max(0.0, float(o.worth)) / most
        rows.append(Row(None, name, share, (exact, said(o.worth)), best=o.option == one.best))
    if all(row.said[0] == row.said[1] for row in rows):
        rows = [Row(None, row.name, row.share, row.said[1:], row.best) for row in rows]
    best = words.option(one.about, one.best)
    return [f"  {words.question(one.about)} {pen(f'Best: {best}', 'bold')}", "", *terminal.table(pen, rows)]


def systems(pen: Ink, found: Sequence[System]) -> list[str]:
    """Every system with its rules and what each does."""
    out = [""]
    for system in found:
        first, *rest = terminal.wrapped(f"{system.title}: {system.summary}", pen.width)
        out += [first.replace(system.title, pen(system.title, "bold"), 1), *rest]
        left = max(len(rule.id) for rule in system.rules)
        for rule in system.rules:
            does = rule.form.help.split("\n\n")[0].replace("\n", " ")
            if pen.width < left + 36:
                out += [f"    {rule.id}", *terminal.wrapped(does, pen.width, "        ")]
            else:
                told = terminal.wrapped(does, pen.width, " " * (left + 6))
                out += [f"    {rule.id:<{left}}  {told[0].strip()}", *told[1:]]
        out.append("")
    return out
