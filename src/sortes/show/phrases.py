"""What was asked of a rule, what stands on a sheet and what changed there, in phrases for those who read of it later.

As in `words`, every phrase has a fallback made of the rule's own terms.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from msgspec import to_builtins

from sortes import catalog
from sortes.core.errors import RuleError
from sortes.core.system import Rule, System
from sortes.show import words

# What a play of a rule is called where nobody put a question.
DEEDS: Mapping[str, str] = {
    "cards.ask": "a card",
    "cards.three": "three cards",
    "cards.contest": "a contest",
    "cards.resolve": "a resolution",
    "cards.run": "a run",
    "cards.conflict": "a conflict",
    "cards.numbers": "the numbers that are left",
    "d20-oracle.ask": "a question to the oracle",
    "poker-dice.roll": "a roll of poker dice",
    "agate.attempt": "an attempt",
    "dramatic-skill.test": "a test",
    "dramatic-skill.help": "help",
    "dramatic-skill.task": "a task",
}
ORACLES = ("cards.ask", "cards.three", "d20-oracle.ask")  # that answer what nobody at the table decides
BACKSTAGE = ("cards.numbers",)  # rules whose results are no part of a story

AGAINST = ("against", "theirs", "difficulty", "card", "dn")  # parameters that oppose the one before
BARE = ("against", "theirs", "mine", "card", "likelihood")  # said without their names
SIGNED = ("modifier", "situation")
COUNTED: Mapping[str, tuple[str, str]] = {
    "boons": ("boon", "boons"),
    "hindrances": ("hindrance", "hindrances"),
    "bonus": ("bonus die", "bonus dice"),
    "penalty": ("penalty die", "penalty dice"),
    "helpers": ("helper", "helpers"),
    "rounds": ("round", "rounds"),
}
RANKS = {"A": "ace", "J": "jack", "Q": "queen", "K": "king", "0": "10"}
SUITS = {"H": "hearts", "D": "diamonds", "S": "spades", "C": "clubs"}


# ---- people's own words -----------------------------------------------------------------------------


@lru_cache(maxsize=4096, typed=True)
def own(said: object) -> str:
    """People's own words in one line: nothing in it that ends the line, moves a cursor or turns the reading round."""
    return " ".join(_readable(str(said)).split())


def prose(said: object) -> list[list[str]]:
    """People's own words as paragraphs of lines, cleaned in the same way."""
    text = _readable(str(said).replace("\r\n", "\n").replace("\r", "\n"))
    parts = [[" ".join(line.split()) for line in part.split("\n")] for part in re.split(r"\n\s*\n", text)]
    return [lines for part in parts if (lines := [line for line in part if line])]


def _readable(said: str) -> str:
    if said.isascii() and said.isprintable():
        return said
    return "".join(c if c == "\n" or _plain(c) else " " for c in said)


def _plain(c: str) -> bool:
    """Whether a letter is more than an order to whoever shows it. Joiners stay: scripts and pictures need them."""
    return unicodedata.category(c) not in ("Cc", "Cf", "Cs", "Zl", "Zp") or c in "\u200c\u200d"


# ---- what was asked -------------------------------------------------------------------------------


def deed(rule: Rule) -> str:
    """What a play of this rule is called: "an attempt"."""
    return DEEDS.get(rule.id, rule.id)


def asked(rule: Rule, given: Mapping[str, Any], named: Mapping[str, Any], rival: str = "") -> str:
    """The parameters that are not at their defaults, with the names that sheets gave them: "Athletics 4 against
    Warden’s Fencing 7, extra 2". Luck that was there to be spent is not among them."""
    parts: list[str] = []
    for name, field in rule.form.fields.items():
        if name not in given or field.mark or (field.fed and field.fed.purse and field.fed.counts != "used"):
            continue
        one, entry = given[name], own(named.get(name, ""))
        if one == "choose":
            continue  # what was chosen is told as a choice
        if not (entry or field.required) and _same(one, field.default):
            continue
        whose = f"{rival}’s " if rival and field.fed and field.fed.their else ""
        said = whose + _phrase(name, one, entry, named)
        if name in AGAINST and parts:
            parts[-1] += f" against {said}"
        else:
            parts.append(said)
    return ", ".join(parts)


def skills(rule: Rule, named: Mapping[str, Any]) -> list[str]:
    """The names that sheets gave the parameters of who plays, such as skills."""
    fields = rule.form.fields
    return [
        own(entry)
        for name, entry in named.items()
        if name in fields and (f := fields[name].fed) and not f.their
    ]


def _same(one: Any, default: Any) -> bool:
    plain = to_builtins(default)
    return bool(one in (plain, list(plain) if isinstance(plain, tuple) else plain))


def _phrase(name: str, one: Any, entry: str, named: Mapping[str, Any]) -> str:
    plain = words.label(name) if name in words.LABELS else words.label(name).lower()
    if entry:
        return f"{entry} {_value(one)}"
    if one is True:
        return plain
    if isinstance(one, int) and name in COUNTED:
        return f"{one} {COUNTED[name][one != 1]}"
    if isinstance(one, int) and name in SIGNED:
        return f"{plain} {one:+d}".replace("-", "−")
    if isinstance(one, Sequence) and any(isinstance(part, Mapping) for part in one):
        return "; ".join(_record(f"{name}[{i}]", part, named) for i, part in enumerate(one))
    if name in BARE:
        return words.face(one) if name == "card" else _value(one)
    return f"{plain} {_value(one)}"


def _record(at: str, one: Any, named: Mapping[str, Any]) -> str:
    """A step of a task, or a helper: "the lock: Knots 9 against DN 8"."""
    if not isinstance(one, Mapping):
        return _value(one)
    parts: list[str] = []
    for name, value in sorted(one.items(), key=lambda part: part[0] in AGAINST):
        if value in (None, "", False) or name in ("name", "effort") or (name, value) == ("by", "d20"):
            continue
        said = _phrase(name, value, own(named.get(f"{at}.{name}", "")), named)
        if name in AGAINST and parts:
            parts[-1] += f" against {said}"
        else:
            parts.append(said)
    title = own(one.get("name") or "")
    return f"{title}: {', '.join(parts)}" if title and parts else title or ", ".join(parts)


def _value(one: Any) -> str:
    return own(words.value(one))


def spoken(one: Any) -> str:
    """A face for whoever hears it: 0H is the 10 of hearts."""
    if found := words.CARD.fullmatch(str(one)):
        rank, suit = found.groups()
        return f"{RANKS.get(rank, rank)} of {SUITS[suit]}"
    return words.face(one)


# ---- what came of it, as a story ------------------------------------------------------------------


def told(rule: Rule, outcome: Any) -> list[str]:
    """What an outcome says in sentences, with nothing of dice and numbers: the text of a table."""
    fields = [f for f in rule.fields if f in ("text", "note") or f.endswith("_text")]
    return [own(text) for f in fields if (text := getattr(outcome, f))]


def after(title: str, said: str) -> str:
    """A sentence that stands after a title, without the title that it begins with: "Yes, and it helps" after "Yes,
    and" is "It helps"."""
    found = re.match(rf"{re.escape(title)}\b[ .,:;]*(?=\S)", said, re.IGNORECASE)
    rest = said[found.end() :] if found else said
    return f"{rest[:1].upper()}{rest[1:]}"


def in_story(rule: Rule) -> bool:
    """Whether a rule's result is a word that a story can tell."""
    return bool(rule.results) and rule.id not in BACKSTAGE


# ---- sheets ---------------------------------------------------------------------------------------


def system(id: str) -> System | None:
    """A system, if it is installed here."""
    try:
        return catalog.system(id)
    except RuleError:
        return None


def system_title(id: str) -> str:
    """What a system is called, whether it is installed here or not."""
    found = system(id)
    return found.title if found else own(id)


def _in_order(id: str, *values: Mapping[str, Any]) -> list[str]:
    """The names of what stands on sheets, in the order of their system where it is installed."""
    found = system(id)
    order = found.sheet.__struct_fields__ if found and found.sheet else ()
    return [*order, *dict.fromkeys(name for one in values for name in one if name not in order)]


def sheet(id: str, values: Mapping[str, Any]) -> list[tuple[str, str]]:
    """What stands on a sheet, as (label, words): what is not 0, and what there can be at most."""
    found = system(id)
    feeds = [f.fed for rule in found.rules for f in rule.form.fields.values() if f.fed] if found else []
    most = {fed.field: fed.most for fed in feeds if fed.most}
    out = []
    for name in _in_order(id, values):
        one = values.get(name)
        if isinstance(one, Mapping):
            said = ", ".join(f"{own(entry)} {_value(n)}" for entry, n in one.items())
        elif name in most and one is not None:
            said = f"{_value(one)} of {_value(values.get(most[name], 0))}"
        else:
            said = _value(one) if one else ""
        if said:
            out.append((words.label(name), said))
    return out


def changed(before: Mapping[str, Mapping[str, Any]], after: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """What is not as before on somebody's sheets, entry by entry: "Luck 2 → 3"."""
    out = []
    for id in dict.fromkeys((*before, *after)):
        was, now = before.get(id, {}), after.get(id, {})
        for name in _in_order(id, was, now):
            old, new = was.get(name), now.get(name)
            if isinstance(old, Mapping) or isinstance(new, Mapping):
                olds, news = old or {}, new or {}
                for entry in dict.fromkeys((*olds, *news)):
                    label = f"{own(entry)} used" if name == "used" else own(entry)
                    out += _step(label, olds.get(entry), news.get(entry))
            else:
                out += _step(words.label(name), old, new)
    return out


def _step(label: str, old: Any, new: Any) -> list[str]:
    if (old or 0) == (new or 0):
        return []
    if new is None:
        return [f"{label} gone" if not label.endswith(" used") else f"{label} {_value(old)} → 0"]
    return [f"{label} {_value(old or 0)} → {_value(new)}"]


__all__ = [
    "ORACLES",
    "after",
    "asked",
    "changed",
    "deed",
    "in_story",
    "own",
    "prose",
    "sheet",
    "skills",
    "spoken",
    "system",
    "system_title",
    "told",
]
