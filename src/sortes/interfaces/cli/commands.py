"""The commands. Those for rules are made at run time from the rules' own forms, so a new room needs no code here."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NoReturn

import click

import sortes
from sortes import catalog
from sortes.core.errors import Refused, RuleError, meant, wrong
from sortes.core.system import Rule
from sortes.interfaces.cli import options
from sortes.interfaces.cli.walks import advise, given, odds, play, show, simulate, tell
from sortes.show import terminal

ORACLE = "d20-oracle.ask"
EXAMPLES = (
    ('sortes ask "Is the household asleep?" --likely', "a question about the world, answered with three d20"),
    ("sortes odds poker-dice.roll --level 2 --bonus 1", "how likely each result is, exactly"),
    ("sortes advise cards.resolve --el 7 --against 9 --extra choose", "how much Extra Effort is best"),
)


# ---- a command for every rule -------------------------------------------------------------------


def _own(*names: str, help: str, **kind: Any) -> Callable[[], click.Option]:
    """An option of a walk, apart from those of a rule: its value goes under "_name"."""
    name = names[-1].lstrip("-").replace("-", "_")
    return lambda: click.Option([*names, f"_{name}"], help=help, **kind)


def _words(*known: str) -> Callable[..., list[str]]:
    return lambda ctx, param, typed: [one for one in known if one.startswith(typed)]


HOUSE = _own(
    "--house",
    metavar="FILE",
    help="House rules: a TOML file of settings that differ.",
    shell_complete=lambda ctx, param, typed: [click.shell_completion.CompletionItem(typed, type="file")],
)
JSON = _own("--json", is_flag=True, help="One JSON object, and nothing else.")
WORTH = _own(
    "--worth",
    metavar="AIM",
    help="What is aimed at: a field of the outcome, -FIELD, or a result; or chooser=AIM, several with commas "
    "between. (default: the rule's own)",
)
POLICY = _own(
    "--policy",
    metavar="P",
    help="How choices are made: plain (spend nothing, go on) or best (as advised); or chooser=P, several with "
    "commas between.",
    shell_complete=_words("plain", "best"),
)
WHY = _own("--why", is_flag=True, help="Tell the numbered rules that were followed.")
MANY = _own("-n", metavar="N", help="How many plays. (1 to 1000000000000; required)")
SEED = _own("--seed", metavar="N", help="Play the same again: a whole number from 0.")


TABLE = _own(
    "--table",
    metavar="[NAME]",
    is_flag=False,
    flag_value="",
    help="A table's decks and characters: the one in use, or this one.",
)
NO_TABLE = _own("--no-table", is_flag=True, help="Without any table: fresh decks, and nothing is kept.")
SEAT = _own("--seat", metavar="LINK", help="Another seat at the table, by its secret link.")
AS = _own("--as", metavar="CHARACTER", help="The character who acts. (none: nobody; default: the one in use)")
VERSUS = _own("--versus", metavar="CHARACTER", help="The character who opposes.")
TO = _own(
    "--to",
    metavar="all|gm|me|blind",
    help="Who sees it: all, the game master alone, only you, or nobody yet. (default: all)",
    shell_complete=_words("all", "gm", "me", "blind"),
)
HAND = _own("--hand", is_flag=True, help="With dice and cards of your own: you type what you threw.")
FACES = _own("--faces", metavar="FACES", help='What you threw, in order: "9C 0H"; a slash between throws.')
WAIT = _own("--wait", is_flag=True, help="Leave choices open, for sortes table answer.")
NONCE = _own("--nonce", metavar="WORDS", help="Words of your own that chance is made of, new each time.")
QUESTION = _own("--question", metavar="TEXT", help="What is asked, for the log.")


def _fields(ctx: click.Context, param: click.Parameter, typed: str) -> list[str]:
    rule: Rule = ctx.command.rule  # type: ignore[attr-defined]
    return [field for field in rule.fields if field.startswith(typed)]


WALKS: Mapping[str, tuple[Callable[[click.Context], None], str, tuple[Callable[[], click.Option], ...]]] = {
    "play": (
        play,
        "What happens? Play a rule once.",
        (
            POLICY, WORTH, SEED, WHY, HOUSE, JSON,
            TABLE, NO_TABLE, SEAT, AS, VERSUS, TO, HAND, FACES, WAIT, NONCE, QUESTION,
        ),
    ),
    "odds": (
        odds,
        "How likely is it? The exact odds of a rule.",
        (
            _own("--by", metavar="FIELD", help="Odds of each value of this field.", shell_complete=_fields),
            _own("--within", metavar="N", help="Only values up to N; the rest is unresolved."),
            POLICY, WORTH, HOUSE, TABLE, SEAT, AS, VERSUS, JSON,
            _own("--csv", is_flag=True, help="A table of comma-separated values."),
        ),
    ),
    "advise": (
        advise,
        "What should I do? The worth of every option.",
        (WORTH, _own("--policy", metavar="WHO=P", help="A chooser who follows a policy: opponent=plain."), HOUSE,
         TABLE, SEAT, AS, VERSUS, JSON),
    ),
    "simulate": (
        simulate,
        "What would many tables see? Count the results of many plays.",
        (MANY, SEED, POLICY, WORTH, HOUSE, TABLE, SEAT, AS, VERSUS, JSON),
    ),
}  # fmt: skip

SETTINGS: dict[str, Any] = {
    "token_normalize_func": lambda name: name.replace("_", "-"),
    "help_option_names": ["-h", "--help"],
    "max_content_width": 100,
}


class RuleCommand(click.Command):
    """A walk over one rule: its options are the rule's form and the walk's own."""

    def __init__(
        self, rule: Rule, walk: str, name: str | None = None, first: Sequence[click.Parameter] = ()
    ) -> None:
        run, _, own = WALKS[walk]
        of_rule = options.options(rule)
        theirs = {opt for one in of_rule for opt in (*one.opts, *one.secondary_opts)}
        taken = {one.name for one in first}
        mine = [m for m in (one() for one in own) if not theirs.intersection(m.opts) and m.name not in taken]
        self.rule = rule
        super().__init__(
            name or rule.id,
            context_settings=SETTINGS,
            params=[*first, *of_rule, *mine],
            help=rule.form.help,
            short_help=re.split(r"\.\s", f"{rule.form.help} ")[0].split("\n")[0],
            callback=lambda **_: run(click.get_current_context()),
        )

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """As click does, with our words where an option is not there, or more was typed than there are options."""
        try:
            _, _, order = self.make_parser(ctx).parse_args(args=list(args))
            asked = [p for p in order if p.name in self.rule.form.fields]
            if twice := next((p for i, p in enumerate(asked) if p in asked[:i]), None):
                raise RuleError(str(twice.name), "is given twice; takes one value")
            return super().parse_args(ctx, args)
        except click.NoSuchOption as e:
            raise unknown(self, e.option_name) from None
        except click.BadOptionUsage as e:
            name = e.option_name.lstrip("-").replace("-", "_")
            field = self.rule.form.fields.get(name)
            takes = f"; takes {field.takes}" if field and not options.switch(field.schema) else ""
            told = "takes no value" if "does not take" in e.message else "needs a value"
            raise RuleError(name, told + takes) from None


def unknown(command: click.Command, option: str) -> RuleError:
    """The error for an option that a command does not have."""
    typed = [opt for one in command.params for opt in (*one.opts, *one.secondary_opts) if opt.startswith("-")]
    known = [opt.lstrip("-") for opt in typed]
    name = option.lstrip("-")
    near = meant(name.replace("_", "-"), known)
    said = ", ".join(one for one in known if not one.startswith("no-")) or "none"
    return RuleError(name, f"is not an option of {command.name}; {near}it takes {said}")


class RuleGroup(click.Group):
    """A walk: every rule there is, is one of its commands."""

    def __init__(self, walk: str) -> None:
        super().__init__(
            walk,
            context_settings=SETTINGS,
            help=WALKS[walk][1],
            subcommand_metavar="RULE [--PARAM VALUE] ...",
            no_args_is_help=False,
        )
        self.walk = walk

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The ids of all rules."""
        return [rule.id for system in catalog.systems() for rule in system.rules]

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        """The command of a rule. Raises RuleError with the ids there are."""
        return RuleCommand(catalog.rule(name), self.walk)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """The rule may stand behind its options."""
        if ctx.resilient_parsing or {"-h", "--help"} & set(args[:1]):
            return super().parse_args(ctx, args)
        at = next((i for i, arg in enumerate(args) if _rule_id(arg)), None)
        if at is None:
            at = next((i for i, arg in enumerate(args) if not arg.startswith("-")), None)
        if at is None:
            raise RuleError("rule", f"is missing; takes {', '.join(self.list_commands(ctx))}")
        return super().parse_args(ctx, [args[at], *args[:at], *args[at + 1 :]])


def _rule_id(arg: str) -> bool:
    try:
        return bool(re.fullmatch(r"[a-z0-9-]+\.[a-z0-9-]+", arg)) and bool(catalog.rule(arg))
    except RuleError:
        return False


# ---- ask ----------------------------------------------------------------------------------------


class AskCommand(RuleCommand):
    """The d20 oracle, the shortest way: a question, and how likely a yes is."""

    def __init__(self) -> None:
        rule = catalog.rule(ORACLE)
        shown = {"help": ["Ask a question about the world, answered with three d20."]}
        question = click.Argument(["_question"], nargs=-1, metavar="QUESTION")
        levels = options.values(rule.form.fields["likelihood"].schema)
        short = [
            click.Option([f"--{level}", f"_{level}"], is_flag=True, help=f"The same as --likelihood {level}.")
            for level in levels
        ]
        super().__init__(rule, "play", "ask", [question, *short])
        self.short_help = shown["help"][0]
        self.levels = levels
        self.callback = lambda **_: self.asked(click.get_current_context())

    def asked(self, ctx: click.Context) -> None:
        """Ask it."""
        question = " ".join(given(ctx, "question")).strip()
        if not question:
            raise RuleError(
                "question", 'is missing; takes what you want to know: sortes ask "Is the door barred?"'
            )
        said = [level for level in self.levels if given(ctx, level)]
        if ctx.params.get("likelihood") is not None:
            said.append(ctx.params["likelihood"])
        if len(set(said)) > 1:
            raise wrong("likelihood", " and ".join(said), f"one of {', '.join(self.levels)}")
        if said:
            ctx.params["likelihood"] = said[0]
        play(ctx, question)


# ---- all of it ----------------------------------------------------------------------------------


class Sortes(click.Group):
    """The command `sortes`. Errors are one line, and exit statuses are promised: 0 done, 1 refused now, 2 bad input."""

    COMMANDS: Mapping[str, Callable[[], click.Command]] = {
        "ask": AskCommand,
        **{walk: (lambda walk=walk: RuleGroup(walk)) for walk in WALKS},  # type: ignore[misc]
        "table": lambda: _table(),
        "systems": lambda: _others()[0],
        "completion": lambda: _others()[1],
    }

    def list_commands(self, ctx: click.Context) -> list[str]:
        """In the order in which people need them."""
        return list(self.COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        """A command, made when it is asked for."""
        made = self.COMMANDS.get(name)
        return made() if made else None

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """As click does, with our words for a command that is not there."""
        name = args[0]
        if name not in self.COMMANDS and not ctx.resilient_parsing:
            if name.startswith("-"):
                raise unknown(self, name)
            raise RuleError(
                "command",
                f"there is no {name!r}; {meant(name, self.COMMANDS)}there are {', '.join(self.COMMANDS)}",
            )
        return super().resolve_command(ctx, args)

    def main(self, args: Sequence[str] | None = None, *rest: Any, **named: Any) -> NoReturn:
        """Run, and end with an exit status."""
        sys.set_int_max_str_digits(0)  # exact fractions may be long
        typed = [one.encode("utf-8", "replace").decode() for one in (sys.argv[1:] if args is None else args)]
        try:
            status = super().main(typed, **{**named, "prog_name": "sortes", "standalone_mode": False})
            sys.stdout.flush()
        except Refused as e:
            fail(1, str(e))
        except RuleError as e:
            fail(2, str(e))
        except click.NoSuchOption as e:
            command = e.ctx.command if e.ctx else self
            fail(2, str(unknown(command, e.option_name)))
        except click.ClickException as e:
            fail(2, e.format_message())
        except (click.Abort, KeyboardInterrupt):
            fail(130, "stopped")
        except BrokenPipeError:  # whoever read has read enough
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            sys.exit(141)
        except OSError as e:  # a full disk, say; what else is written says so for itself
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            fail(1, f"output: cannot be written: {e.strerror}")
        sys.exit(status if isinstance(status, int) else 0)


def fail(status: int, message: str) -> NoReturn:
    """One line on stderr."""
    said = " ".join(message.split())
    click.echo(terminal.ink(sys.stderr).fit(f"sortes: {said}"), err=True)
    sys.exit(status)


@click.group(
    cls=Sortes,
    name="sortes",
    invoke_without_command=True,
    context_settings=SETTINGS,
    help="Five tabletop resolution systems in one engine: play, exact odds, best advice and simulation.",
    epilog="sortes play RULE --help shows what a rule takes; `_` and `-` are the same in names.",
)
@click.version_option(sortes.__version__, prog_name="sortes", message="%(prog)s %(version)s")
@click.pass_context
def main(ctx: click.Context) -> None:
    """What can be done, where nothing was asked for."""
    if ctx.invoked_subcommand is None:
        show(welcome(terminal.ink(sys.stdout)))


def welcome(pen: terminal.Ink) -> list[str]:
    """What Sortes can do, with three examples."""
    out = [
        "",
        *terminal.wrapped(
            "Sortes resolves what happens at your table: with cards, dice and skill tasks.", pen.width
        ),
    ]
    for typed, does in EXAMPLES:
        first, *more = terminal.wrapped(typed, pen.width, "  ", "      ")
        out += ["", pen(first, "bold"), *(pen(line, "bold") for line in more)]
        out += terminal.wrapped(does, pen.width, "      ")
    out += ["", *terminal.facts(pen, [(name, does) for name, (_, does, _) in WALKS.items()])]
    out += ["", *terminal.wrapped("These four take any rule:", pen.width)]
    for system in catalog.systems():
        out += terminal.wrapped(", ".join(rule.id for rule in system.rules), pen.width, "      ")
    out += [
        "",
        *terminal.wrapped(
            "sortes systems says what they are, sortes play RULE --help what one takes.", pen.width
        ),
    ]
    return [*out, ""]


@click.command(context_settings=SETTINGS)
@click.option("--json", "as_json", is_flag=True, help="One JSON object, and nothing else.")
def systems(as_json: bool) -> None:
    """The systems and their rules."""
    found = catalog.systems()
    for fault in catalog.faults():
        click.echo(f"sortes: {fault}", err=True)
    if as_json:
        from sortes.interfaces.cli import shapes

        tell(shapes.systems(found))
    else:
        from sortes.show import reports

        show(reports.systems(terminal.ink(sys.stdout), found))


def _table() -> click.Command:
    from sortes.interfaces.cli.table import table

    return table


def _others() -> tuple[click.Command, click.Command]:
    return systems, completion


SHELLS = {
    "bash": 'eval "$(sortes completion bash)" in ~/.bashrc',
    "zsh": 'eval "$(sortes completion zsh)" in ~/.zshrc',
    "fish": "sortes completion fish > ~/.config/fish/completions/sortes.fish",
}


@click.command(
    context_settings=SETTINGS,
    help="Complete commands, rules, options and their values in your shell: print what it must be told.\n\n\b\n"
    + "\n".join(f"{shell:<5} {how}" for shell, how in SHELLS.items()),
)
@click.argument("shell", metavar="|".join(SHELLS), required=False)
def completion(shell: str | None) -> None:
    """The script of a shell."""
    from click.shell_completion import get_completion_class

    if shell not in SHELLS:
        raise wrong("shell", shell, f"one of {', '.join(SHELLS)}")
    made = get_completion_class(shell)
    assert made is not None
    click.echo(made(main, {}, "sortes", "_SORTES_COMPLETE").source())
