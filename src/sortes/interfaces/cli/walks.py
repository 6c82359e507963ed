"""The four walks on the command line: what was typed is checked, the rule is walked, and lines or JSON come of it."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import click

import sortes
from sortes.aims import aims, check_policy
from sortes.core.errors import Refused, RuleError, wrong
from sortes.core.system import Rule
from sortes.interfaces.cli import options
from sortes.interfaces.cli.options import wanted
from sortes.prepared import Prepared
from sortes.show import terminal, words

if TYPE_CHECKING:
    from sortes.interfaces.cli.here import Here
    from sortes.interfaces.cli.seated import Seated

PATIENCE, FOR_PROGRAMS = 2.0, 30.0  # seconds to find out how likely a result was
AT_TABLE = ("seat", "as", "versus", "to", "hand", "faces", "wait", "nonce")


# ---- what is typed ------------------------------------------------------------------------------


def whole(parameter: str, typed: str | None, low: int, high: int) -> int | None:
    """A whole number as typed. Raises RuleError."""
    if typed is None:
        return None
    if re.fullmatch(r"[+-]?[0-9]{1,60}", typed) and low <= int(typed) <= high:
        return int(typed)
    raise wrong(parameter, typed, f"a whole number from {low} to {high}")


def rule_of(ctx: click.Context) -> Rule:
    """The rule that a command is for."""
    rule: Rule = ctx.command.rule  # type: ignore[attr-defined]
    return rule


def given(ctx: click.Context, name: str) -> Any:
    """An option of the command itself; those of the rule go by their own names."""
    return ctx.params.get(f"_{name.replace('-', '_')}")


def walked(ctx: click.Context) -> tuple[Prepared, Any, Any]:
    """The rule with its parameters checked, the policy and the worth."""
    rule = rule_of(ctx)
    it = Prepared.from_text(rule, options.taken(rule, ctx.params), given(ctx, "house"))
    return it, *answers(ctx, it.rule)


def answers(ctx: click.Context, rule: Rule) -> tuple[Any, Any]:
    """The policy and the worth that were typed, checked."""
    policy = options.pairs("policy", given(ctx, "policy"), wrong)
    worth = options.pairs("worth", given(ctx, "worth"), wrong)
    if worth is not None:
        aims(rule, worth)
    if policy is not None:
        for who in policy if isinstance(policy, Mapping) else ():
            if who not in rule.worths:
                raise wrong("policy", who, f"choosers of {rule.id}: {', '.join(rule.worths)}")
        for one in policy.values() if isinstance(policy, Mapping) else [policy]:
            if one not in ("plain", "best"):
                raise wrong(
                    "policy", one, "plain or best, or chooser=plain, chooser=best with commas between"
                )
        check_policy(policy)
    return policy, worth


def seen(ctx: click.Context) -> tuple[Prepared, Any, Any]:
    """The same, before the decks and sheets of a table where one is named."""
    if given(ctx, "table") is None:
        for name in ("as", "versus"):
            if given(ctx, name) is not None:
                raise RuleError(name, "goes with --table: a character sits at one")
        return walked(ctx)
    from sortes.interfaces.cli import seated
    from sortes.interfaces.cli.here import Here

    rule = rule_of(ctx)
    with Here.at(given(ctx, "table"), given(ctx, "seat")) as here:
        own = {"house": given(ctx, "house"), "as": given(ctx, "as"), "versus": given(ctx, "versus")}
        it = here.table.prepare(here.seat, seated.request(here, rule, options.taken(rule, ctx.params), own))
    return it, *answers(ctx, it.rule)


def show(lines: Sequence[str]) -> None:
    """Lines to stdout, in the letters and colours that it has."""
    pen = terminal.ink(sys.stdout)
    click.echo(pen.fit("\n".join(lines)), color=True)


def tell(shape: Mapping[str, Any]) -> None:
    """One JSON object to stdout."""
    from sortes.interfaces.cli.shapes import encoded

    click.echo(encoded(shape))


def chose(policy: Any) -> str:
    """How choices were made, in words."""
    if policy in (None, "plain"):
        return ""
    if policy == "best":
        return "all choose in the best way"
    return ", ".join(f"{who} chooses {one}" for who, one in policy.items())


# ---- the four walks -----------------------------------------------------------------------------


def play(ctx: click.Context, question: str | None = None) -> None:
    """Play the rule once: at the table in use, or without any."""
    if wanted(given(ctx, "table"), bool(given(ctx, "no-table")), given(ctx, "seed") is not None):
        at_table(ctx, question)
        return
    for name in AT_TABLE:
        if given(ctx, name) not in (None, False):
            raise RuleError(name, "goes with a table, and this play is at none")
    from sortes.engine.play import can_ask
    from sortes.interfaces.cli.waiting import progress

    it, policy, worth = walked(ctx)
    seed = whole("seed", given(ctx, "seed"), 0, 2**128 - 1)
    as_json, rule = given(ctx, "json"), it.rule
    asker = None
    if policy is None and not as_json and sys.stdin.isatty() and sys.stdout.isatty():
        from sortes.interfaces.cli.asking import Asker

        asker = Asker(it, terminal.ink(sys.stdout), aims(rule, worth))
    elif policy is None and can_ask(it.state, it.stock, it.world):
        raise Refused(
            "policy",
            f"is missing: {rule.id} can ask on the way, and nobody is here to answer; take plain or best",
        )
    policy = policy or "plain"
    with progress("Looking for the best policy", shown=policy != "plain") as watch:
        if asker is None:
            done = sortes.play(it, policy=policy, worth=worth, seed=seed, watch=watch)
        else:
            done = sortes.play(it, seed=seed, decide=asker.decide, told=asker.told)
    p, late = likely(
        it,
        asker.policy if asker and asker.asked else policy,
        worth,
        done.outcome,
        FOR_PROGRAMS if as_json else PATIENCE,
    )
    if as_json:
        from sortes.interfaces.cli import shapes

        tell(shapes.play(done, p, question))
        return
    from sortes.show import reports

    thrown = asker.thrown() if asker and asker.asked else done.throws
    rules = bool(given(ctx, "why"))
    show(
        reports.play(
            terminal.ink(sys.stdout), done, thrown, p, question=question or "", late=late, rules=rules
        )
    )


def at_table(ctx: click.Context, question: str | None) -> None:
    """Play the rule at the table in use: its decks go down, its sheets change, and its log keeps it."""
    from sortes.interfaces.cli import seated
    from sortes.interfaces.cli.here import Here

    rule, as_json = rule_of(ctx), bool(given(ctx, "json"))
    own = {name: given(ctx, name) for name in (*AT_TABLE, "policy", "worth", "house", "question")}
    own["question"] = question or own["question"]
    if own["house"] is not None and not own["house"].strip():
        raise wrong("house", own["house"], "a TOML file of settings")
    with Here.at(given(ctx, "table"), given(ctx, "seat")) as here:
        asked = seated.request(here, rule, options.taken(rule, ctx.params), own)
        interactive = not as_json and asked.policy == "ask" and sys.stdin.isatty() and sys.stdout.isatty()
        sat = seated.begin(
            here, rule, asked, interactive=interactive, wait=bool(own["wait"]), faces=own["faces"]
        )
        show_played(here, sat, asked, question, as_json, bool(given(ctx, "why")))


def show_played(
    here: Here, sat: Seated, asked: Any, question: str | None, as_json: bool, rules: bool = False
) -> None:
    """What came of a play at a table."""
    from sortes.interfaces.cli import seated, shapes

    done = sat.done()
    policy = sat.asker.policy if sat.asker and sat.asker.asked else asked.policy
    policy = "plain" if policy == "ask" else policy
    p, late = None, False
    if done is not None and sat.it is not None:
        patience = FOR_PROGRAMS if as_json else PATIENCE
        p, late = likely(sat.it, policy, None, done.outcome, patience)
    if as_json:
        tell(shapes.at_table(sat, done, p, question, here.name))
    elif done is None:
        show(seated.left_waiting(sat))
    else:
        from sortes.show import reports

        thrown = sat.asker.thrown() if sat.asker and sat.asker.asked else done.throws
        pen = terminal.ink(sys.stdout)
        show(reports.play(pen, done, thrown, p, question=question or "", late=late, rules=rules))
        here.warn(show, done)


def likely(
    it: Prepared, policy: Any, worth: Any, outcome: Any, patience: float
) -> tuple[Fraction | None, bool]:
    """How likely this result was beforehand, and whether finding out was given up as it would have taken long."""
    from sortes.interfaces.cli.waiting import within

    field = it.rule.fields[0]
    try:
        known = within(
            patience, lambda watch: sortes.odds(it, policy=policy, worth=worth, watch=watch).by(field)
        )
    except RuleError:  # a policy that only people have, or a table that must state something
        return None, False
    if known is None:
        return None, True
    return known.get(getattr(outcome, field)), False


def odds(ctx: click.Context) -> None:
    """The exact odds of the rule."""
    from sortes.interfaces.cli import shapes
    from sortes.interfaces.cli.waiting import progress

    it, policy, worth = seen(ctx)
    by, cut = given(ctx, "by"), whole("within", given(ctx, "within"), 0, 10_000)
    as_json, as_csv = given(ctx, "json"), given(ctx, "csv")
    if as_json and as_csv:
        raise RuleError("csv", "got both --csv and --json; takes one of them")
    if cut is not None and by is None:
        raise RuleError("within", "goes with --by FIELD: it says up to which value of the field")
    with progress("Working out the odds") as watch:
        found = sortes.odds(it, policy=policy or "plain", worth=worth, within=cut, watch=watch)
        if as_json:
            shape = shapes.odds(found, by, cut)
        elif as_csv:
            lines = shapes.table(found, by, cut)
        else:
            from sortes.show import reports

            told = reports.odds(terminal.ink(sys.stdout), found, by, cut, chose(policy))
    if as_json:
        tell(shape)
    elif as_csv:
        click.echo(lines, nl=False)
    else:
        show(told)


def advise(ctx: click.Context) -> None:
    """The best option at every choice."""
    from sortes.interfaces.cli.waiting import progress

    it, policy, worth = seen(ctx)
    if policy is not None and not isinstance(policy, Mapping):
        raise wrong("policy", policy, "chooser=plain: who of them is not to be advised")
    with progress("Looking for the best policy") as watch:
        found = sortes.advise(it, worth=worth, policies=policy, watch=watch)
        if given(ctx, "json"):
            from sortes.interfaces.cli import shapes

            shape = shapes.advice(found)
        else:
            from sortes.show import reports

            main = worth.get(next(iter(it.rule.worths))) if isinstance(worth, Mapping) else worth
            chance = it.rule.id in words.HOPES if main is None else main in it.rule.results
            aim = words.hope(it.rule) if main is None else words.title(it.rule, main) if chance else main
            lines = reports.advice(terminal.ink(sys.stdout), found, chance, aim)
    if given(ctx, "json"):
        tell(shape)
    else:
        show(lines)


def simulate(ctx: click.Context) -> None:
    """Many plays."""
    from random import SystemRandom

    from sortes.interfaces.cli.waiting import progress

    it, policy, worth = seen(ctx)
    if given(ctx, "n") is None:
        raise RuleError("n", "is missing; takes how many plays, from 1 to 1000000000000")
    n = whole("n", given(ctx, "n"), 1, 10**12)
    seed = whole("seed", given(ctx, "seed"), 0, 2**128 - 1)
    seed = SystemRandom().getrandbits(32) if seed is None else seed
    assert n is not None
    with progress(f"Playing {n:,} times") as watch:
        found = sortes.simulate(it, n=n, policy=policy or "plain", worth=worth, seed=seed, watch=watch)
    if given(ctx, "json"):
        from sortes.interfaces.cli import shapes

        tell(shapes.counts(it, n, seed, found))
    else:
        from sortes.show import reports

        show(reports.counts(terminal.ink(sys.stdout), it, n, seed, found, chose(policy)))
