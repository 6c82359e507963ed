"""How results, choices and chances are said: titles, marks and sentences, in our own words.

Every word has a fallback made of the rule's own terms, so a sixth system needs no code here.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any, Literal, NamedTuple, TypeAlias

from msgspec import Struct

from sortes.core.chance import Thrown
from sortes.core.system import Rule

# One grammar of outcome in all systems: for, against, both or neither; how much; whether it costs.
Mark: TypeAlias = Literal[
    "yes-great", "yes-great-but", "yes", "yes-but", "yes-flat",
    "no-flat", "no", "no-and", "no-great", "both", "fact", "none",
]  # fmt: skip


class Said(Struct, frozen=True):
    """A result as people hear it: its title, its mark, and why in a sentence (or nothing)."""

    title: str
    mark: Mark
    why: str = ""


Said_: TypeAlias = tuple[str, Mark, str]


class Voice(NamedTuple):
    """What the one who acted is called: "you" in a play, by name in a log."""

    who: str
    whose: str
    both: str  # with the other side
    other: str = "the other side"

    @property
    def they(self) -> str:
        """The other side, at the beginning of a sentence."""
        return f"{self.other[:1].upper()}{self.other[1:]}"


YOU = Voice("you", "your", "you both")


def named(who: str, other: str = "") -> Voice:
    """The voice in which others hear of somebody, and of whom they were against."""
    who = who or "this side"
    return Voice(who, f"{who}’s", "both sides", other or YOU.other)


# By system, then result: title, mark, why. The why holds for every way to this result under any house rules.
RESULTS: Mapping[str, Mapping[str, Said_]] = {
    "d20-oracle": {
        "great-boon": ("Great Boon", "yes-great", "Fate and Boon show the same: more than was hoped for."),
        "great-boon-with-great-bane": (
            "Great Boon with Great Bane",
            "yes-great-but",
            "Boon and Bane show the same and both beat Fate: much is gained, and much is paid.",
        ),
        "yes": ("Yes", "yes", "Boon beats Fate, and Bane does not."),
        "yes-but": ("Yes, but", "yes-but", "Boon and Bane both beat Fate: so it is, at a cost."),
        "scene-defining-fact": (
            "Scene-defining fact",
            "fact",
            "All three dice show the same: whoever asked says one thing that is true.",
        ),
        "no": ("No", "no", "Neither Boon nor Bane beats Fate."),
        "definitive-no": (
            "A definitive no",
            "no-flat",
            "Boon and Bane show the same and stay below Fate: no, and that is that.",
        ),
        "no-and": ("No, and", "no-and", "Bane beats Fate and Boon does not: no, and it gets worse."),
        "great-bane": ("Great Bane", "no-great", "Fate and Bane show the same: trouble of the larger kind."),
    },
    "poker-dice": {
        "extreme-success": ("Extreme Success", "yes-great", ""),
        "complete-success": ("Complete Success", "yes", ""),
        "simple-success": ("Simple Success", "yes-flat", ""),
        "draw": ("Draw", "both", "A success and a defeat at once."),
        "simple-defeat": ("Simple Defeat", "no-flat", ""),
        "complete-defeat": ("Complete Defeat", "no", ""),
    },
    "agate": {
        "triumph": ("Triumph", "yes-great", ""),
        "success": ("Success", "yes", ""),
        "partial-success": ("Partial Success", "both", ""),
        "setback": ("Setback", "no", ""),
        "averted-catastrophe": ("Averted catastrophe", "no-flat", ""),
        "catastrophe": ("Catastrophe", "no-great", ""),
        "cannot-attempt": ("Cannot be attempted", "none", "The Effective Rank is below 0."),
    },
    "cards": {
        "yes-and": ("Yes, and", "yes-great", ""),
        "yes-but": ("Yes, but", "yes-but", ""),
        "no-but": ("No, but", "no-flat", ""),
        "no-and": ("No, and", "no-and", ""),
        "chaos": ("Chaos", "fact", ""),
        "win": ("Win", "yes", ""),
        "loss": ("Loss", "no", ""),
        "bust": ("Bust", "no-great", ""),
        "no-contest": ("No contest", "none", "A face or a joker opposes nobody."),
        "decisive-success": ("Decisive success", "yes-great", ""),
        "success-with-complication": ("Success with a complication", "yes-but", ""),
        "failure-with-silver-lining": ("Failure with a silver lining", "no-flat", ""),
        "decisive-failure": ("Decisive failure", "no", ""),
        "critical-failure": ("Critical failure", "no-great", ""),
        "generous-defeat": ("Generous defeat", "no-flat", ""),
        "won": ("Won", "yes", "The other side cannot pay any more."),
        "lost": ("Lost", "no", "Your side cannot pay any more."),
        "both-down": ("Both down", "both", "Neither side can pay any more."),
        "surrendered": ("Surrendered", "fact", ""),
        "fled": ("Fled", "fact", ""),
        "ended": ("Ended by the story", "fact", ""),
        "enough": ("Enough numbers", "yes", ""),
        "few": ("Few numbers left", "yes-but", "A shuffle would bring them back."),
    },
    "dramatic-skill": {
        "spectacular": ("Spectacular", "yes-great", ""),
        "outstanding": ("Outstanding", "yes-great", ""),
        "good": ("Good", "yes-great", ""),
        "standard": ("Standard success", "yes", ""),
        "failure": ("Failure", "no", ""),
        "mishap": ("Mishap", "no-great", ""),
        "done": ("Done in time", "yes", ""),
        "out-of-time": ("Out of time", "no", ""),
    },
}

# The word "none" means different things.
NOTHING: Mapping[str, Said_] = {
    "cards.numbers": ("No numbers left", "no", "Until a shuffle, only the vote opposes anyone."),
    "cards.three": ("Three cards", "none", ""),
}

# What the main chooser of a rule hopes for, where the default worth is a chance.
HOPES: Mapping[str, str] = {
    "d20-oracle.ask": "yes, of any kind",
    "cards.ask": "yes, of any kind",
    "poker-dice.roll": "a success, a Draw included",
    "agate.attempt": "a success of any kind",
    "cards.resolve": "a win",
    "cards.contest": "a win",
    "cards.conflict": "a win",
    "dramatic-skill.test": "a success of any kind",
    "dramatic-skill.task": "done in time",
}

# What a choice is about, by system or for all: the question, and how its options are called.
CHOICES: Mapping[str, tuple[str, Mapping[Any, str]]] = {
    "luck": (
        "Spend a Luck Token?",
        {
            "keep": "Let it stand",
            "turn": "Read the card as a Heart",
            "best": "Take the best score there is",
            **{f"turn-{i}": f"Read card {i} as a Heart" for i in (1, 2, 3)},
        },
    ),
    "extra-effort": ("How much Extra Effort?", {}),
    "hook": ("How much of the hook?", {0: "Nothing of it"}),
    "next-round": (
        "Does the conflict go on?",
        {
            "go-on": "Another round",
            "surrender": "Surrender",
            "flee": "Flee",
            "they-surrender": "The other side surrenders",
            "they-flee": "The other side flees",
            "end": "The story ends it",
        },
    ),
    "setback": (
        "A Setback. Wrest something from it?",
        {"accept": "Accept it", "spend": "Take a Partial Success"},
    ),
    "catastrophe": ("A Catastrophe. Avert it?", {"accept": "Accept it", "spend": "Avert it"}),
    "lead": ("Who leads this round?", {}),
    "effort": (
        "How does the helper help?",
        {"normal": "Normal effort, no test", "extra": "Extra Effort, a test"},
    ),
    "attempt": (
        "What does the lead attempt?",
        {"last-ditch": "The Last Ditch", "nothing": "Nothing this round"},
    ),
    "level": ("What does the table say?", {}),
}

# Options that leave all as it is and go on. Whoever reads of a play later need not hear of them.
IDLE = frozenset((("luck", "keep"), ("extra-effort", 0), ("hook", 0), ("next-round", "go-on")))

# What was chosen in a round of a task, as part of its line.
IN_A_ROUND: Mapping[str, Callable[[str], str]] = {
    "lead": lambda option: f"{option} leads",
    "attempt": lambda option: f"attempts {option[:1].lower()}{option[1:]}",
}

UNITS: Mapping[str, str] = {
    "luck": "Luck",
    "their_luck": "Luck of theirs",
    "strain": "Strain",
    "hook": "of the hook",
}
LABELS: Mapping[str, str] = {
    "el": "EL",
    "dn": "DN",
    "aura": "Aura",
    "twist": "Twist",
    "boon": "Boon",
    "their_bust": "The other side goes bust",
    "tie": "A tie",
    "big": "A big one",
    "last_ditch": "By a Last Ditch",
    "by": "By",
    "els": "ELs",
    "used": "Used up",
    "dn_plus": "Every DN",
}
CHANGES = ("strain", "renown", "aura", "effect", "bonus", "dn_plus")  # numbers that are said with their sign
SUITS = {"H": "♥", "D": "♦", "S": "♠", "C": "♣"}
CARD = re.compile(r"([A2-90JQK])([HDSC])")


# ---- names --------------------------------------------------------------------------------------


def label(name: str) -> str:
    """A parameter or field as people read it: their_luck, Their luck."""
    if name in LABELS:
        return LABELS[name]
    plain = name.replace("_", " ").replace("-", " ")
    return plain[:1].upper() + plain[1:]


def face(one: Any) -> str:
    """A side of a die or a card as people write it: 0H is 10♥, Xr the red joker."""
    text = str(one)
    if found := CARD.fullmatch(text):
        rank, suit = found.groups()
        return f"{'10' if rank == '0' else rank}{SUITS[suit]}"
    return {"Xr": "red joker", "Xb": "black joker"}.get(text, text)


def value(one: Any) -> str:
    """Any value of a field in words."""
    if one is None:
        return "none"
    if isinstance(one, bool):
        return "yes" if one else "no"
    if isinstance(one, str):
        return one.replace("-", " ") if re.fullmatch(r"[a-z]+(-[a-z]+)*", one) else one
    if isinstance(one, Mapping):
        return ", ".join(f"{k} {value(v)}" for k, v in one.items()) or "none"
    if isinstance(one, Sequence):
        return ", ".join(value(v) for v in one) or "none"
    if isinstance(one, Struct):
        fields = ((f, getattr(one, f)) for f in one.__struct_fields__)
        return " ".join(
            value(v) if f == "name" else f"{f} {value(v)}" for f, v in fields if v not in (None, "", False)
        )
    return str(one)


def params(rule: Rule, given: Mapping[str, Any]) -> str:
    """The parameters that are not at their defaults, in one line."""
    fields = rule.form.fields
    said = [
        f"{label(n).lower() if n not in LABELS else label(n)} {value(v)}"
        for n, v in given.items()
        if fields[n].required or v != fields[n].default
    ]
    return ", ".join(said)


# ---- chances ------------------------------------------------------------------------------------


def percent(p: Fraction | float) -> str:
    """A chance in per cent; never 0% or 100% for what is neither."""
    if p in (0, 1):
        return "100%" if p else "0%"
    if p * 1000 < 1:
        return "under 0.1%"
    if p * 1000 > 999:
        return "over 99.9%"
    return f"{float(p) * 100:.{2 if p * 100 < 1 else 1}f}%"


def _digits(n: int) -> int:
    d = max(1, n.bit_length() * 30103 // 100000)
    return d + 1 if abs(n) >= int(10**d) else d


def exact(p: Fraction) -> str:
    """A chance as an exact fraction; where it is long, how long."""
    n = _digits(p.numerator) + (_digits(p.denominator) if p.denominator != 1 else 0)
    return str(p) if n <= 13 else f"exact: {n} digits"


def number(x: Fraction | float) -> str:
    """A number of any kind, to three places where it is not whole."""
    if x == int(x):
        return str(int(x))
    return f"{float(x):.3f}".rstrip("0").rstrip(".")


# ---- throws -------------------------------------------------------------------------------------


def caption(thrown: Thrown) -> str:
    """What was thrown, as its heading."""
    if thrown.kind == "cards":
        return {"cards": "", "drama": "Drama card"}.get(thrown.name, label(thrown.name))
    if re.fullmatch(r"d\d+", thrown.name):
        return f"{len(thrown.faces)}{thrown.name}" if len(thrown.faces) > 1 else thrown.name
    return {"poker": "Poker dice", "fate": "Fate", "bane": "Bane"}.get(thrown.name, label(thrown.name))


def shown(thrown: Thrown, one: Any) -> str:
    """A face of this throw, short: letters of a drama card stand apart, its conflict line is left out."""
    if thrown.name == "drama":
        card = str(one).partition(":")[0]
        return " ".join(card) if card.isupper() else label(card)
    return face(one)


def kept(thrown: Thrown) -> list[bool]:
    """For each face in thrown order, whether it counted; of equal ones the first thrown does."""
    left = Counter(thrown.kept)
    out = []
    for one in thrown.faces:
        out.append(left[one] > 0)
        left[one] -= 1
    return out


def drawn_by(rule: Rule, given: Mapping[str, Any], throws: Sequence[Thrown]) -> list[str]:
    """Whose draw each throw of a rule was, where the rule has sides; else the caption of each."""
    if rule.id == "cards.resolve":
        extra = given["extra"] if isinstance(given["extra"], int) else 0
        own = given["el"] + given["situation"] + given["hook"] + extra
        sides = [
            ("The oracle", given["oracle"]),
            ("You", own),
            ("The other side", given["against"] + given["their_extra"]),
        ]
        names = [name for name, draws in sides if draws]
        if len(names) == len(throws):
            return names
    if rule.id == "cards.conflict":
        return ["Drawn, yours first" if given["draws"] in ("both", "alternate") else "Drawn"] * len(throws)
    return [caption(thrown) for thrown in throws]


# ---- results ------------------------------------------------------------------------------------


def title(rule: Rule, result: Any) -> str:
    """The title of a value of the rule's main field."""
    return _known(rule, result)[0]


def mark(rule: Rule, result: Any, outcome: Any = None) -> Mark:
    """The mark of a value of the rule's main field; of one not known here, what the main chooser makes of it."""
    known = _known(rule, result)
    if known[1] == "none" and outcome is not None and result in rule.results and not _listed(rule, result):
        return "yes" if next(iter(rule.worths.values()))(outcome) > 0 else "no"
    return known[1]


def known(rule: Rule) -> bool:
    """Whether every result of a rule has words here; else its marks need its outcomes."""
    return all(_listed(rule, result) for result in rule.results)


def _listed(rule: Rule, result: Any) -> bool:
    return result in RESULTS.get(rule.system, {}) or (result == "none" and rule.id in NOTHING)


def _known(rule: Rule, result: Any) -> Said_:
    if result == "none" and rule.id in NOTHING:
        return NOTHING[rule.id]
    if found := RESULTS.get(rule.system, {}).get(result) if isinstance(result, str) else None:
        return found
    if rule.results:
        return label(str(result)), "none", ""
    return f"{label(rule.fields[0])} {value(result)}", "none", ""


def said(rule: Rule, outcome: Any, throws: Sequence[Thrown] = (), voice: Voice = YOU) -> Said:
    """An outcome as people hear it: the one who acted, or, in another voice, whoever reads of it."""
    result = getattr(outcome, rule.fields[0])
    name, _, why = _known(rule, result)
    if rule.id == "cards.three" and outcome.beats and result == "none":
        name = ", ".join(title(rule, beat).lower() for beat in outcome.beats).capitalize()
    reason = REASONS.get(rule.id)
    told = (reason(outcome, throws, voice) if reason else "") or why
    return Said(name, mark(rule, result, outcome), told)


def _poker(outcome: Any, throws: Sequence[Thrown], voice: Voice) -> str:
    thrown = throws[-1]
    kept = " and ".join(map(face, thrown.kept))
    if len(thrown.faces) == len(thrown.kept):
        told = f"{kept}."
    else:
        told = f"{kept} count, of {len(thrown.faces)} dice."
    return f"{told} A success and a defeat at once." if outcome.result == "draw" else told


def _agate(outcome: Any, throws: Sequence[Thrown], voice: Voice) -> str:
    if not throws:
        return ""
    thrown = throws[-1]
    counts = ", ".join(map(str, thrown.kept))
    return (
        f"The {thrown.name} shows {counts}."
        if len(thrown.faces) == 1
        else f"Of {outcome.pool}, the {counts} counts."
    )


def _resolved(outcome: Any, throws: Sequence[Thrown], voice: Voice) -> str:
    if outcome.result == "bust":
        return f"More reds than {voice.whose} level: " + (
            f"{voice.both} go bust, and the defender holds."
            if outcome.their_bust
            else f"{voice.whose} effort comes to nothing."
        )
    if outcome.their_bust:
        return f"{voice.they} draws more reds than its level and goes bust."
    if outcome.tie:
        holder = voice.who if outcome.result == "win" else voice.other
        return f"As many reds on both sides, and the defender holds: {holder}."
    by = abs(outcome.effect)
    return f"{by} red{'s' * (by != 1)} {'more' if outcome.effect > 0 else 'fewer'} than {voice.other} counts."


def _contested(outcome: Any, throws: Sequence[Thrown], voice: Voice) -> str:
    if outcome.result == "no-contest":
        return ""
    if outcome.tie:
        holder = voice.who if outcome.result == "win" else "the card"
        return f"Level and card are equal, and the defender holds: {holder}."
    return f"The level is {'higher' if outcome.result == 'win' else 'lower'} than the card."


def _ran(outcome: Any, throws: Sequence[Thrown], voice: Voice) -> str:
    return f"{outcome.reds or 'No'} red{'s' * (outcome.reds != 1)} before the run ended: so much EL for one resolution."


def _ended(outcome: Any, throws: Sequence[Thrown], voice: Voice) -> str:
    own = f"{voice.whose[:1].upper()}{voice.whose[1:]} side"
    if outcome.result == "lost":
        return f"{own} cannot pay any more."
    if outcome.result == "won":
        return f"{voice.they} cannot pay any more."
    who = {"self": own, "opponent": voice.they}.get(str(outcome.by))
    did = {"surrendered": "gave up", "fled": "got away"}.get(outcome.result)
    return f"{who} {did}." if who and did else ""


def _task(outcome: Any, throws: Sequence[Thrown], voice: Voice) -> str:
    n, r = outcome.steps_done, outcome.rounds
    if outcome.result == "done":
        last = ", the rest in a Last Ditch" if outcome.last_ditch else ""
        return f"Every step is done after {r} round{'s' * (r != 1)}{last}."
    return f"{n or 'No'} step{'s' * (n != 1)} done when the last round was over."


def _asked(outcome: Any, throws: Sequence[Thrown], voice: Voice) -> str:
    return str(outcome.text)


REASONS: Mapping[str, Callable[[Any, Sequence[Thrown], Voice], str]] = {
    "poker-dice.roll": _poker,
    "agate.attempt": _agate,
    "cards.ask": _asked,
    "cards.resolve": _resolved,
    "cards.contest": _contested,
    "cards.run": _ran,
    "cards.conflict": _ended,
    "dramatic-skill.task": _task,
}

# Fields that the title and the why have said already.
TOLD: Mapping[str, tuple[str, ...]] = {
    "d20-oracle.ask": ("big",),
    "agate.attempt": ("pool",),
    "cards.ask": ("answer", "text"),
    "cards.resolve": ("tie", "their_bust"),
    "cards.contest": ("tie",),
    "cards.conflict": ("by",),
    "dramatic-skill.task": ("last_ditch", "steps_done"),
}
CLEAR = ("yes", "yes-but", "no", "no-and", "definitive-no")  # results whose answer is in their title


def effects(
    rule: Rule, outcome: Any, tallies: Iterable[tuple[str, int]] = (), costs: Iterable[tuple[str, int]] = ()
) -> list[tuple[str, str]]:
    """What an outcome brings beside its result, as (label, words); then what was spent, by purse."""
    out = []
    told = TOLD.get(rule.id, ())
    fields = {f: getattr(outcome, f) for f in rule.fields[1:]}
    defaults = dict(
        zip(rule.outcome.__struct_fields__[::-1], rule.outcome.__struct_defaults__[::-1], strict=False)
    )
    for name, one in fields.items():
        if (
            name in told
            or one in (None, (), "")
            or (name.endswith("_text") and name.removesuffix("_text") in fields)
        ):
            continue
        if (name == "answer" and outcome.result in CLEAR) or (name == "beats" and outcome.vote == "none"):
            continue
        if name in defaults and one == defaults[name] and name not in ("effect", "count"):
            continue
        if one is True:
            out.append((label(name), ""))
        elif text := fields.get(f"{name}_text"):
            out.append(
                (
                    f"{'Big ' if fields.get('big') and name == 'twist' else ''}{label(name)}, {one} on the d12",
                    text,
                )
            )
        elif name in CHANGES and isinstance(one, int):
            out.append((label(name), f"{one:+d}".replace("-", "−") if one else "0"))
        elif name == "answer" and rule.id == "cards.resolve":
            out.append(("The oracle card", title(rule, one)))
        else:
            out.append((label(name), value(one)))
    spent: Counter[str] = Counter()
    for what, n in costs:
        spent[what] += n
    for what, n in tallies:
        if what not in fields and what not in spent:
            spent[what] += n
    out += [(f"{label(what)} spent", str(n)) for what, n in spent.items() if n > 0 and what not in fields]
    return out


# ---- choices ------------------------------------------------------------------------------------


def question(about: str) -> str:
    """What is asked at a choice."""
    return CHOICES[about][0] if about in CHOICES else f"{label(about)}?"


def option(about: str, one: Any) -> str:
    """An option of a choice."""
    if about in CHOICES and one in CHOICES[about][1]:
        return CHOICES[about][1][one]
    if about == "attempt" and isinstance(one, str):
        return f"Step {one}" if len(one) == 1 else f"Steps {', then '.join(one)}"
    if about in ("extra-effort", "hook") and isinstance(one, int):
        return f"{one} more" if one else "None"
    return label(one) if isinstance(one, str) else value(one)


def who(name: str) -> str:
    """Who chooses."""
    return {"self": "You", "opponent": "The other side", "table": "The table"}.get(name, label(name))


def cost(spent: Iterable[tuple[str, int]]) -> str:
    """What an option costs."""
    return ", ".join(f"{n} {UNITS.get(what, label(what))}" for what, n in spent)


def hope(rule: Rule) -> str:
    """What the main chooser hopes for, in words."""
    return HOPES.get(rule.id, f"what the {next(iter(rule.worths), 'chooser')} hopes for")
