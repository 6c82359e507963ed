"""A rule's signature is its form: names, types, ranges, defaults and help come from the annotated parameters."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping
from inspect import Parameter, getdoc, signature
from typing import Annotated, Any, Literal, TypeAlias, get_args, get_origin, get_type_hints

import msgspec
from msgspec import Meta, Struct

from sortes.core.errors import RuleError, meant, wrong


class Mark(Struct, frozen=True):
    """What the table or the walk makes of a parameter: it supplies it, or it stocks a deck from it."""

    role: str
    what: str = ""


SUPPLIED = Mark("supplied")  # never shown: house rules, called rules


def stocks(deck: str) -> Mark:
    """A parameter that says what is left of a deck."""
    return Mark("stocks", deck)


def discards(deck: str) -> Mark:
    """A parameter that says what lies in the discard of a deck."""
    return Mark("discards", deck)


def lies(deck: str) -> Mark:
    """A parameter that names a card of a deck which was turned already."""
    return Mark("lies", deck)


class Fed(Struct, frozen=True, omit_defaults=True):
    """A parameter that a character's sheet feeds: from the entry that is named, or from a field that is one number.

    `their` is the opponent's sheet. Where the parameter fills a `purse`, play changes the sheet: the field counts what
    is `left` (of at most what the field `most` says), what is `marked`, or each entry may be used up within a scene,
    which the field `used` keeps. Where a parameter is a list of records, their field `each` is fed: from the sheet of
    the one whom the record's field `whose` names, or with a number for each of those whom the parameter `among` names.
    """

    field: str
    their: bool = False
    purse: str = ""
    counts: Literal["left", "marked", "used"] = "left"
    most: str = ""
    used: str = ""
    each: str = ""
    whose: str = ""
    among: str = ""


ROLE = Mark("role")  # gm or player: who asks
Entry: TypeAlias = Annotated[str, Meta(min_length=1, max_length=80)]  # the name of something on a sheet


class Field(Struct, frozen=True):
    """One parameter of a form."""

    name: str
    type: Any
    default: Any = Parameter.empty
    mark: Mark | None = None
    fed: Fed | None = None

    @property
    def required(self) -> bool:
        """Whether it has no default."""
        return self.default is Parameter.empty

    @property
    def schema(self) -> dict[str, Any]:
        """Its JSON Schema, with the records it refers to put in place."""
        whole = msgspec.json.schema(self.type)
        schema: dict[str, Any] = _inline(whole, whole.get("$defs", {}))
        schema.pop("$defs", None)
        return schema

    @property
    def help(self) -> str:
        """What it is, in a few words."""
        return str(self.schema.get("description", ""))

    @property
    def takes(self) -> str:
        """What it accepts, in words."""
        return takes(self.schema)


class Form:
    """The parameters of a rule, as people and programs fill them in."""

    def __init__(self, rule: Callable[..., Any]) -> None:
        self.rule = rule
        hints = get_type_hints(rule, include_extras=True)
        self.fields: dict[str, Field] = {}
        self.supplied: dict[str, Any] = {}
        for p in signature(rule).parameters.values():
            marks = [m for m in _metadata(hints[p.name]) if isinstance(m, Mark)]
            mark = marks[0] if marks else None
            if mark is SUPPLIED:
                self.supplied[p.name] = get_args(hints[p.name])[0]
                continue
            fed = next((m for m in _metadata(hints[p.name]) if isinstance(m, Fed)), None)
            self.fields[p.name] = Field(p.name, hints[p.name], p.default, mark, fed)
        of_decks = [f for f in self.fields.values() if f.mark and f.mark.what]
        self.marks = {(f.mark.role, f.mark.what): f.name for f in of_decks if f.mark}
        self._whole = msgspec.defstruct(
            "Whole",
            [(f.name, f.type) if f.required else (f.name, f.type, f.default) for f in self.fields.values()],
            kw_only=True,
            forbid_unknown_fields=True,
        )

    @property
    def help(self) -> str:
        """What the rule does."""
        return getdoc(self.rule) or ""

    @property
    def schema(self) -> dict[str, Any]:
        """The JSON Schema of the whole form."""
        properties = {}
        for f in self.fields.values():
            properties[f.name] = dict(f.schema)
            if not f.required:
                properties[f.name]["default"] = msgspec.to_builtins(f.default)
        return {
            "type": "object",
            "properties": properties,
            "required": [f.name for f in self.fields.values() if f.required],
            "additionalProperties": False,
        }

    def read(self, given: Mapping[str, Any], *, text: bool = False) -> dict[str, Any]:
        """Every parameter with its checked value or default.

        `given` is by name, `_` and `-` alike; with `text`, values may be text as typed. Raises RuleError.
        """
        if not text:
            try:  # all at once; one by one only to say what is wrong
                return msgspec.structs.asdict(msgspec.convert(given, self._whole))
            except (msgspec.ValidationError, ValueError, OverflowError):
                pass
        values = {name.replace("-", "_"): value for name, value in given.items()}
        if len(values) < len(given):
            twice = next(name for name in given if "-" in name and name.replace("-", "_") in given)
            raise RuleError(twice.replace("-", "_"), "is given twice; takes one value")
        for name in values:
            if name not in self.fields:
                hint = meant(name, self.fields)
                raise RuleError(name, f"is not a parameter here; {hint}it takes {', '.join(self.fields)}")
        out = {}
        for name, field in self.fields.items():
            if name in values:
                out[name] = _read(field, values[name], text)
            elif field.required:
                raise RuleError(name, f"is missing; takes {field.takes}")
            else:
                out[name] = field.default
        return out


def _metadata(hint: Any) -> tuple[Any, ...]:
    return get_args(hint)[1:] if get_origin(hint) is Annotated else ()


def _inline(schema: Any, defs: Mapping[str, Any]) -> Any:
    if isinstance(schema, list):
        return [_inline(one, defs) for one in schema]
    if not isinstance(schema, dict):
        return schema
    if "$ref" in schema:
        found = defs[schema["$ref"].rsplit("/", 1)[-1]]
        return _inline({**found, **{k: v for k, v in schema.items() if k != "$ref"}}, defs)
    return {k: _inline(v, defs) for k, v in schema.items() if k != "$defs"}


def takes(schema: Mapping[str, Any]) -> str:
    """What a JSON Schema accepts, in words."""
    match schema:
        case {"anyOf": parts}:
            return " or ".join(dict.fromkeys(takes(part) for part in parts))
        case {"enum": values}:
            return ("one of " if len(values) > 1 else "") + ", ".join(map(str, values))
        case {"type": "null"}:
            return "none"
        case {"type": "boolean"}:
            return "true or false"
        case {"type": "integer"}:
            low, high = schema.get("minimum"), schema.get("maximum")
            if low is None and high is None:
                return "a whole number"
            return (
                f"a whole number from {low} to {high}" if high is not None else f"a whole number from {low}"
            )
        case {"type": "array", "items": items}:
            low, high = schema.get("minItems", 0), schema.get("maxItems")
            many = (
                f" of {low}"
                if low == high
                else f" of {low} to {high}"
                if high
                else f" of {low} or more"
                if low
                else ""
            )
            return f"a list{many} ({takes(items)} each)"
        case {"type": "object", "properties": properties}:
            return "a record with " + ", ".join(f"{k} ({takes(v)})" for k, v in properties.items())
        case {"type": "object"}:
            return f"a mapping of names to {takes(schema.get('additionalProperties') or {})}"
        case {"type": "string"}:
            return f"text of at most {schema['maxLength']} characters" if "maxLength" in schema else "text"
    return "a value"


def _read(field: Field, value: Any, text: bool) -> Any:
    if not isinstance(value, bool | int) and hasattr(value, "__index__"):
        value = operator.index(value)
    if isinstance(value, str) and not value.strip():
        raise RuleError(field.name, f"is empty; takes {field.takes}")
    error: Exception | None = None
    for candidate in _candidates(field, value) if text and isinstance(value, str) else [value]:
        try:
            return msgspec.convert(candidate, field.type, strict=not text)
        except (msgspec.ValidationError, ValueError, OverflowError) as e:
            error = error or e
    raise explained(field, value, str(error)) from None


def _candidates(field: Field, value: str) -> list[Any]:
    """What a typed text may stand for: none, JSON, itself, a comma-separated list."""
    value = value.strip()
    parts = field.schema.get("anyOf", [field.schema])
    kinds = {part.get("type") for part in parts}
    if value.lower() == "none" and "null" in kinds:
        return [None]
    if value[0] in "[{":
        try:
            return [msgspec.json.decode(value)]
        except msgspec.DecodeError as e:
            raise RuleError(field.name, f"is not readable as JSON ({e}); takes {field.takes}") from None
    listed = [one.strip() for one in value.split(",") if one.strip()]
    if "array" in kinds:
        return [listed, value] if "," in value else [value, listed]
    return [value]


def explained(field: Field, value: Any, message: str) -> RuleError:
    """msgspec's complaint in our words, with the very place inside a list or record."""
    found = re.search(r" - at `\$(.*)`$", message)
    path = re.findall(r"\[(\d+|\.\.\.)\]|\.([\w-]+)", found.group(1)) if found else []
    name, schema, got = field.name, field.schema, value
    for index, key in path:
        if "anyOf" in schema:
            wanted = "array" if index.isdigit() else "object"
            schema = next((p for p in schema["anyOf"] if p.get("type") == wanted), schema)
        try:
            if index:
                each = schema.get("prefixItems", ())
                known = index.isdigit() and int(index) < len(each)
                any_key = schema.get("additionalProperties", {})  # a mapping's value, whose key is not told
                name = f"{name}[{index}]"
                schema = each[int(index)] if known else schema.get("items", any_key)
                got = got[int(index)] if index.isdigit() else got
            else:
                name, schema = (
                    f"{name}.{key}",
                    schema.get("properties", {}).get(key, schema.get("additionalProperties", {})),
                )
                got = got[key]
        except (KeyError, IndexError, TypeError):
            break
    if inner := re.search(r"missing required field `(\w+)`", message):
        return RuleError(f"{name}.{inner.group(1)}", f"is missing; takes {_of(schema, inner.group(1))}")
    if inner := re.search(r"unknown field `([^`]*)`", message):
        known = ", ".join(_record(schema).get("properties", {}))
        return RuleError(f"{name}.{inner.group(1)}", f"is not known here; a record has {known}")
    return wrong(name, got, takes(schema))


def _record(schema: Mapping[str, Any]) -> Mapping[str, Any]:
    return next((p for p in schema.get("anyOf", [schema]) if "properties" in p), schema)


def _of(schema: Mapping[str, Any], key: str) -> str:
    return takes(_record(schema).get("properties", {}).get(key, {}))
