"""Characters' sheets: what rooms keep of a character, how it feeds rules, and what play does to it.

Everything here is plain: sheets are mappings as they stand in the log, and what happens to them are operations that
the fold applies, each view to its own numbers:

    {"at": [character, system, field, entry?], "by": n, "least"?: a, "most"?: b}   so much more, within bounds
    {"at": […], "to": value}                                                       set; none takes it away
    {"at": […], "into": […], "rate": r}                                            all of it, times r, goes there

`most` is a number, or the field of the sheet that says it. What a play changes is always told as "by": sums do not
depend on what a seat has not seen. What a scene or a rest brings back does: bounds, "to" and "into" act on what is
there.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any, Protocol, TypeAlias, get_type_hints

import msgspec
from msgspec import Struct

from sortes import catalog
from sortes.core.errors import Refused, RuleError, meant, wrong
from sortes.core.form import ROLE, Fed, Field, takes
from sortes.core.system import House, Refill, Rule, System
from sortes.core.world import Purse

Sheet: TypeAlias = dict[str, Any]
Sheets: TypeAlias = Mapping[str, Sheet]  # by system
Change: TypeAlias = dict[str, Any]

LISTED = 20  # names that an error lists
NAME = re.compile(
    r"(?!none$)(?=.*[^\W\d_])[^\s,=[{]([^\n,=[{]{0,78}[^\s,=[{])?", re.IGNORECASE
)  # of an entry


class Someone(Protocol):
    """A character: a name, and sheets by system."""

    name: str
    sheets: dict[str, Sheet]


class Link(Struct, frozen=True, omit_defaults=True):
    """The number of a sheet that a purse stands on, and how it counts (see `core.form.Fed`)."""

    who: str
    system: str
    fed: Fed
    entry: str = ""


class Filled(Struct, frozen=True):
    """Parameters with what sheets know put in: still to be read by the rule's form. `named` says what names stood for,
    `links` on which sheets' numbers the rule's purses stand."""

    params: dict[str, Any]
    named: dict[str, Any]
    links: dict[str, Link]


# ---- sheets as people write them ------------------------------------------------------------------


def read(system: System, given: Any, *, text: bool = False) -> Sheet:
    """A whole sheet, checked, with what is not given as it is at the start; with `text`, numbers may be text as typed.

    Tokens start at their maximum, and there are no more of them (C7.3). Raises RuleError that names the path of what
    is wrong: "cards.els.Athletics".
    """
    fields = _fields(system)
    if not isinstance(given, Mapping):
        raise wrong(system.id, given, f"a record with {', '.join(fields)}")
    sheet = _fresh(system)
    for name, value in given.items():
        field = _field(system, str(name), f"{system.id}.{name}")
        sheet[field.name] = _checked(f"{system.id}.{field.name}", field, value, text)
    names = {str(name).replace("-", "_") for name in given}
    for fed in _feeds(system):
        if fed.most and fed.field not in names:
            sheet[fed.field] = sheet[fed.most]
        _capped(f"{system.id}.{fed.field}", system, sheet, fed.field)
    return sheet


def edited(who: str, sheets: Sheets, path: str, value: Any, *, text: bool = False) -> Change:
    """The operation that sets one value by its path: "cards.level", "agate.skills.Climbing"; none takes an entry away.

    A list of names is set as a whole by its own path, with `text` as "Athletics=3, Charm=2". Where `sheets` has none of
    the system yet, the operation is for a fresh one: `read(system, {})`. Raises RuleError that names the path.
    """
    id, _, rest = path.partition(".")
    try:
        system = catalog.system(id)
    except RuleError as e:
        raise RuleError(path, str(e).removeprefix("system: ")) from None
    names = ", ".join(_fields(system))
    if not rest:
        raise RuleError(
            path, f"names no value; takes {id}. and one of {names}, and after a list of names an entry"
        )
    name, dot, entry = rest.partition(".")
    field = _field(system, name, path)
    if dot and not entry:
        raise RuleError(path, f"ends in a dot; takes {id}.{field.name}, or after the dot an entry")
    stored = sheets.get(id, {})
    old = {**_fresh(system), **stored}[field.name]
    if not isinstance(old, Mapping):
        if entry:
            raise RuleError(path, f"{field.name} is one number; takes {id}.{field.name}")
        new = _typed(value) if text else value
        if new is None:
            new = _fresh(system)[field.name]
        checked = _checked(path, field, new, text)
        _capped(path, system, {**_fresh(system), **stored, field.name: checked}, field.name)
        counts = isinstance(old, int) and not isinstance(old, bool) and (field.name in stored or not stored)
        return {"at": [who, id, field.name], **({"by": checked - old} if counts else {"to": checked})}
    if not entry:
        entries = _checked(
            path, field, _entries(path, value) if text else ({} if value is None else value), text
        )
        return {"at": [who, id, field.name], "to": entries}
    entry = next((known for known in old if known.casefold() == entry.casefold()), entry)
    at, new = [who, id, field.name, entry], _typed(value) if text else value
    if new is None:
        return {"at": at, "to": None}
    number = _checked(f"{id}.{field.name}", field, {entry: new}, text)[entry]
    played = any(fed.used == field.name for fed in _feeds(system))
    return {"at": at, "by": number - old.get(entry, 0)} if played else {"at": at, "to": number}


def _fields(system: System) -> dict[str, Field]:
    """The fields of a system's sheet. Raises RuleError where it keeps none."""
    if system.sheet is None:
        raise RuleError(system.id, "keeps no sheet of characters")
    return _fields_of(system.sheet)


@lru_cache(maxsize=256)
def _fields_of(sheet: type[Struct]) -> dict[str, Field]:
    return {name: Field(name, hint) for name, hint in get_type_hints(sheet, include_extras=True).items()}


def _field(system: System, name: str, path: str) -> Field:
    fields = _fields(system)
    if (found := fields.get(name.replace("-", "_"))) is None:
        hint = meant(name, fields)
        raise RuleError(path, f"is not on the sheet of {system.id}; {hint}it has {', '.join(fields)}")
    return found


def _fresh(system: System) -> Sheet:
    """A sheet as it is where nothing was given."""
    assert system.sheet is not None
    sheet: Sheet = msgspec.to_builtins(system.sheet())
    return sheet


@lru_cache(maxsize=256)
def _feeds(system: System) -> tuple[Fed, ...]:
    """How the parameters of a system's rules are fed."""
    fields = [f for rule in system.rules for f in rule.form.fields.values()]
    return tuple(dict.fromkeys(f.fed for f in fields if f.fed))


def _checked(path: str, field: Field, value: Any, text: bool) -> Any:
    """A value of a field, or each of its entries, in its range."""
    if isinstance(value, Mapping) and field.schema.get("type") == "object":
        seen: dict[str, str] = {}
        for name, one in value.items():
            at = f"{path}.{name}"
            if not _is_entry(name):
                raise wrong(
                    at, name, "a name of at most 80 characters: with a letter, without , = [ {, not none"
                )
            if name.casefold() in seen:
                raise RuleError(at, f"is there already as {seen[name.casefold()]}; takes each name once")
            seen[name.casefold()] = name
            try:
                msgspec.convert({name: one}, field.type, strict=not text)
            except (msgspec.ValidationError, OverflowError):
                raise wrong(at, one, takes(field.schema["additionalProperties"])) from None
    try:
        return msgspec.to_builtins(msgspec.convert(value, field.type, strict=not text))
    except (msgspec.ValidationError, OverflowError):
        most = field.schema.get("maxProperties")
        if isinstance(value, Mapping) and most is not None and len(value) > most:
            raise wrong(path, f"{len(value)} names", f"at most {most}") from None
        raise wrong(path, value, field.takes) from None


def _is_entry(name: object) -> bool:
    """Whether this can name an entry: it can be told from a number, and from the rest of what people type."""
    return isinstance(name, str) and NAME.fullmatch(name) is not None


def _capped(path: str, system: System, sheet: Sheet, name: str) -> None:
    """Refuse more tokens than another field of the sheet allows (C7.3)."""
    most = next((fed.most for fed in _feeds(system) if fed.field == name and fed.most), "")
    if most and sheet[name] > sheet[most]:
        raise wrong(path, sheet[name], f"a whole number from 0 to {sheet[most]}: {system.id}.{most} says so")


def _typed(value: Any) -> Any:
    """What a typed value stands for: none where it says so, or nothing."""
    return None if isinstance(value, str) and value.strip().casefold() in ("", "none") else value


def _entries(path: str, value: Any) -> Any:
    """Typed entries: "Athletics=3, Charm=2", or a mapping as JSON. Raises RuleError where one is there twice."""
    value = _typed(value)
    if not isinstance(value, str):
        return {} if value is None else value
    if value.lstrip()[:1] == "{":
        try:
            return msgspec.json.decode(value)
        except msgspec.DecodeError:
            return value  # no mapping: refused as such
    entries: dict[str, str] = {}
    for name, _, number in (one.partition("=") for one in value.split(",")):
        if name.strip() in entries:
            raise RuleError(f"{path}.{name.strip()}", "is given twice; takes each name once")
        entries[name.strip()] = number.strip()
    return entries


# ---- from sheets to rules -------------------------------------------------------------------------


def filled(
    rule: Rule,
    given: Mapping[str, Any],
    characters: Mapping[str, Someone],
    who: str | None = None,
    opponent: str | None = None,
    *,
    role: str = "gm",
) -> Filled:
    """Parameters with names replaced by the numbers on sheets, and with what a sheet knows filled in.

    `who` acts and `opponent` opposes: ids of characters, or none. `role` is the asking seat's. What is given as a
    number stays, and of tokens no more than are left. Values may be text as typed. Raises RuleError, naming the
    parameter, where a sheet has no such entry, and Refused where a hook has not so much left (C6.4).
    """
    params = {name.replace("-", "_"): value for name, value in given.items()}
    out = Filled(params, {}, {})
    if len(params) < len(given):
        return Filled(dict(given), {}, {})  # one is given twice: the form says so
    for name, field in rule.form.fields.items():
        fed = field.fed
        if field.mark is ROLE and name not in params:
            params[name] = "player" if role == "player" or who else "gm"
        elif fed and fed.each:
            if name in params:
                acts = characters.get(who) if who else None
                params[name] = _records(rule, field, fed, out, characters, acts)
        elif fed:
            id = opponent if fed.their else who
            someone = characters.get(id) if id else None
            entry = _put(rule, field, fed, someone, out)
            if fed.purse and id and entry is not None:
                out.links[fed.purse] = Link(id, rule.system, fed, entry)
    return out


def _put(rule: Rule, field: Field, fed: Fed, someone: Someone | None, out: Filled) -> str | None:
    """Put what the sheet knows of one parameter in: the entry that feeds it, "" for a field that is one number, or none
    where the sheet has no part in it."""
    name = field.name
    said = _said(out.params.get(name))
    by_name = any(_names(field, one) for one in said)
    sheet = _sheet(someone, rule.system)
    if sheet is None or someone is None:
        if by_name:
            raise _unknown(name, said, someone, fed.their, rule.system, field.takes)
        return None
    has = sheet[fed.field]
    if not isinstance(has, Mapping):
        given = _number(out.params.get(name))
        if name not in out.params:
            out.params[name] = has
        elif fed.counts == "marked":
            return None  # a number that was given stands for itself
        elif given is not None:
            out.params[name] = min(given, has)
        return ""
    if not by_name:
        return None
    if fed.counts == "used" and fed.purse:
        if len(said) > 1:
            raise wrong(name, ", ".join(map(str, said)), "one name; once more is another play")
        entry, n = _part(name, str(said[0]), has, sheet[fed.used], someone.name)
        out.params[name], out.named[name] = n, entry
        return entry
    found = [_entry(name, one, has, someone.name) if _names(field, one) else (str(one), one) for one in said]
    out.params[name] = found[0][1] if len(found) == 1 else [number for _, number in found]
    out.named[name] = ", ".join(one for one, _ in found)
    return found[0][0]


def _part(
    parameter: str, said: str, ranks: Mapping[str, int], used: Mapping[str, int], whose: str
) -> tuple[str, int]:
    """A hook by its name, and what of its rank is taken: all that is left, or as "Sea legs=1" says (C6.4)."""
    called, _, some = said.partition("=")
    entry, rank = _entry(parameter, called.strip(), ranks, whose)
    left = max(0, rank - used.get(entry, 0))
    n = left if not some else _number(some)
    if n is None:
        raise wrong(parameter, said, "a name, or a name and how much of it, as Name=1")
    if n > left or not left:
        raise Refused(
            parameter, f"{whose} has {left} of {entry} left in this scene; a new scene brings it back"
        )
    return entry, n


def _said(value: Any) -> list[Any]:
    """What a value says, one by one: a list, typed or not, or itself."""
    if isinstance(value, str):
        if value.lstrip()[:1] in ("[", "{"):
            try:
                value = msgspec.json.decode(value)
            except msgspec.DecodeError:
                return [value]  # the form says what is wrong with it
        else:
            return [one.strip() for one in value.split(",")]
    return list(value) if isinstance(value, list | tuple) else [value]


def _names(field: Field, one: Any) -> bool:
    """Whether this names an entry: it is a word, and none that the parameter itself takes."""
    if not isinstance(one, str) or not _is_entry(one.partition("=")[0].strip()):
        return False
    words = [w for part in field.schema.get("anyOf", [field.schema]) for w in part.get("enum", ())]
    return one not in words


def _number(value: Any) -> int | None:
    """A whole number as given or typed."""
    if isinstance(value, str):
        value = int(value) if value.strip().isdecimal() and len(value) < 12 else None
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _sheet(someone: Someone | None, system: str) -> Sheet | None:
    """The sheet of a system, whole: what is not stored of it is as at the start."""
    if someone is None or system not in someone.sheets:
        return None
    return {**_fresh(catalog.system(system)), **someone.sheets[system]}


def _entry(parameter: str, name: str, entries: Mapping[str, int], whose: str) -> tuple[str, int]:
    """An entry by its name, large or small letters alike."""
    for known, number in entries.items():
        if known.casefold() == name.casefold():
            return known, number
    has = ", ".join(list(entries)[:LISTED]) + (", …" if len(entries) > LISTED else "")
    raise RuleError(
        parameter, f"{whose} has no {name!r}; {meant(name, entries)}there is {has or 'nothing yet'}"
    )


def _unknown(
    parameter: str, said: Sequence[Any], someone: Someone | None, their: bool, system: str, takes: str
) -> RuleError:
    """The error for a name where no sheet can say what it stands for."""
    nobody = "no opponent is named" if their else "nobody is named who acts"
    why = f"{someone.name} has no sheet of {system}" if someone else nobody
    return RuleError(parameter, f"got {', '.join(map(str, said))!r}, and {why}; takes {takes}")


def _records(
    rule: Rule,
    field: Field,
    fed: Fed,
    out: Filled,
    characters: Mapping[str, Someone],
    acts: Someone | None,
) -> Any:
    """Records whose field names an entry: it becomes the number of whom the record names, of each who may act, or of
    the one who does. What names nothing stays: the form says what is wrong with it."""
    records, among = out.params[field.name], out.params.get(fed.among)
    if isinstance(records, str) and records.lstrip()[:1] == "[":
        records = _said(records)
    if not isinstance(records, list | tuple):
        return records
    by_name = {one.name.casefold(): one for one in characters.values()}

    def number(at: str, said: Any, whose: Any = None) -> Any:
        if not _is_entry(said):
            return said
        someone = acts if whose is None else by_name.get(str(whose).casefold())
        sheet = _sheet(someone, rule.system)
        if sheet is None or someone is None:
            if whose is None:
                raise _unknown(at, [said], someone, False, rule.system, "a number")
            nobody = (
                f"{whose!r} is no character with a sheet of {rule.system}" if whose else "it names nobody"
            )
            raise RuleError(at, f"got {said!r}, and {nobody}; takes a number")
        out.named[at], found = _entry(at, said, sheet[fed.field], someone.name)
        return found

    def fed_with(i: int, record: Any) -> Any:
        said, at = record[fed.each], f"{field.name}[{i}].{fed.each}"
        if isinstance(said, Mapping):
            return {whose: number(at, one, whose) for whose, one in said.items()}
        if fed.whose:
            return number(at, said, record.get(fed.whose, ""))
        if among and _is_entry(said):
            return {whose: number(at, said, whose) for whose in _said(among)}
        return number(at, said)

    return [
        {**one, fed.each: fed_with(i, one)} if isinstance(one, Mapping) and fed.each in one else one
        for i, one in enumerate(records)
    ]


# ---- purses ---------------------------------------------------------------------------------------


def purse(link: Link, characters: Mapping[str, Someone], used: int, size: int | None) -> Purse:
    """The purse that stands on a sheet's number as it is now. The play has taken `used` of at most `size`."""
    sheet, fed = _sheet(characters.get(link.who), link.system), link.fed
    if sheet is None:  # the character is gone: nothing can be spent, and all be marked
        return Purse(used if fed.counts == "marked" else 0, size if fed.counts == "marked" else 0)
    if fed.counts == "marked":
        return Purse(sheet[fed.field], size)
    left = sheet[fed.field]
    if fed.counts == "used":
        left = left.get(link.entry, 0) - sheet[fed.used].get(link.entry, 0)
    return Purse(0, max(0, left if size is None else min(left, size - used)))


def spent(link: Link, n: int) -> list[Change]:
    """What it does to the sheet that n more of a purse is used."""
    fed = link.fed
    if fed.counts == "used":
        return [_more([link.who, link.system, fed.used, link.entry], n)]
    return [_more([link.who, link.system, fed.field], n if fed.counts == "marked" else -n)]


def gained(rule: Rule, outcome: Any, who: str) -> list[Change]:
    """What an outcome adds to the sheet of the one who acted."""
    gains = catalog.system(rule.system).gains
    return [
        _more([who, rule.system, field], n)
        for name, field in gains.items()
        if (n := getattr(outcome, name, 0))
    ]


def _more(at: list[str], n: int) -> Change:
    """So much more (or less), within the range that the sheet states."""
    schema = _fields(catalog.system(at[1]))[at[2]].schema
    if len(at) > 3:
        schema = schema["additionalProperties"]
    return {"at": at, "by": n, "least": schema["minimum"], "most": schema["maximum"]}


def effects(houses: Mapping[str, House], kind: str) -> dict[str, Any]:
    """What "scene" or "rest" does, by system, under these house rules."""
    return {id: getattr(catalog.system(id), kind)(house) for id, house in houses.items()}


def brought(effects: Mapping[str, Iterable[Any]], characters: Mapping[str, Someone]) -> list[Change]:
    """What a scene or a rest brings back to these characters, from the effects of each system."""
    return [
        change
        for who, someone in characters.items()
        for system, of_system in effects.items()
        if (sheet := _sheet(someone, system)) is not None
        for effect in of_system
        if isinstance(effect, Refill)
        for change in _refilled(who, system, sheet, effect)
    ]


def _refilled(who: str, system: str, sheet: Sheet, effect: Refill) -> list[Change]:
    fed = next((f for f in _feeds(catalog.system(system)) if f.purse == effect.purse and not f.their), None)
    if fed is None:
        return []
    at, n = [who, system, fed.field], effect.n
    if fed.counts == "used":
        if n is None:
            return [{"at": [who, system, fed.used], "to": {}}]
        return [_more([who, system, fed.used, entry], -n) for entry in sheet[fed.field]]
    if fed.counts == "left":
        if n is None and not fed.most:
            return []  # nothing says how many there are
        more = _more(at, n or 0)
        return [{**more, "by": more["most"] if n is None else n, "most": fed.most or more["most"]}]
    if effect.into and effect.rate and n is None:
        return [{"at": at, "into": [who, system, effect.into], "rate": effect.rate}]
    more = _more(at, 0)
    return [{**more, "by": -(more["most"] if n is None else n)}]


# ---- operations -----------------------------------------------------------------------------------


def applied(characters: Mapping[str, Sheets], change: Change) -> dict[str, Sheets]:
    """Characters' sheets after an operation; those of before stay as they were."""
    who, system, *path = change["at"]
    sheet = dict(characters[who].get(system, {}))
    if "to" in change:
        _set(sheet, path, change["to"])
    elif "into" in change:
        target = change["into"][2:]
        _set(sheet, target, _value(sheet, target) + _value(sheet, path) * change["rate"])
        _set(sheet, path, 0)
    else:
        old, most, least = _value(sheet, path), change.get("most"), change.get("least")
        value = old + change["by"]
        if isinstance(most, str):  # as much as another field says; what is more already, stays
            most = max(sheet.get(most, 0), old)
        value = value if most is None else min(value, most)
        value = value if least is None else max(value, least)
        _set(sheet, path, None if len(path) == 2 and not value else value)
    return {**characters, who: {**characters[who], system: sheet}}


def _value(sheet: Sheet, path: list[str]) -> Any:
    value = sheet.get(path[0], 0 if len(path) == 1 else {})
    return value if len(path) == 1 else value.get(path[1], 0)


def _set(sheet: Sheet, path: list[str], value: Any) -> None:
    """Set a value, or take it away where it is none."""
    if len(path) == 2:
        entries = {key: one for key, one in sheet.get(path[0], {}).items() if key != path[1]}
        path, value = path[:1], entries if value is None else {**entries, path[1]: value}
    if value is None:
        sheet.pop(path[0], None)
    else:
        sheet[path[0]] = value


def between(who: str, before: Sheets, after: Sheets) -> list[Change]:
    """The operations that lead from some sheets of a character to others, numbers as differences."""
    out: list[Change] = []
    for system, sheet in after.items():
        old = before.get(system, {})
        for field, value in sheet.items():
            if not isinstance(value, Mapping):
                pairs = [([field], old.get(field, 0), value)]
            else:
                was = old.get(field, {})
                pairs = [([field, key], was.get(key, 0), value.get(key)) for key in {**was, **value}]
            for path, a, b in pairs:
                at = [who, system, *path]
                if b is None:
                    out.append({"at": at, "to": None})
                elif a != b:
                    out.append({"at": at, "by": b - a})
    return out


def inverse(who: str, before: Sheets, after: Sheets, change: Change) -> list[Change]:
    """The operations that undo one, given its character's sheets before and after it: the real difference of what was
    added, the old value of what was set."""
    _, system, *path = change["at"]
    was, now = before.get(system, {}), after.get(system, {})
    if "to" in change:
        known = was.get(path[0]) if len(path) == 1 else was.get(path[0], {}).get(path[1])
        return [{"at": change["at"], "to": known}]
    paths = [path, change["into"][2:]] if "into" in change else [path]
    differences = [(one, _value(was, one) - _value(now, one)) for one in paths]
    return [{"at": [who, system, *one], "by": n} for one, n in differences if n]


__all__ = [
    "Change",
    "Filled",
    "Link",
    "Sheet",
    "Sheets",
    "Someone",
    "applied",
    "between",
    "brought",
    "edited",
    "effects",
    "filled",
    "gained",
    "inverse",
    "purse",
    "read",
    "spent",
]
