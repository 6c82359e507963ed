"""The JSON and CSV that programs read: their shapes are promised, so they are all here."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import msgspec

from sortes.answers import Advice, Advised, Odds, Play
from sortes.core.system import System
from sortes.prepared import Prepared

if TYPE_CHECKING:
    from sortes.interfaces.cli.seated import Seated


def encoded(shape: Any) -> str:
    """One JSON object, in a line."""
    return msgspec.json.encode(shape, enc_hook=str).decode()


def _head(it: Prepared | Play | Odds | Advice) -> dict[str, Any]:
    return {"rule": it.rule.id, "params": msgspec.to_builtins(it.params)}


def play(done: Play, p: Fraction | None, question: str | None = None) -> dict[str, Any]:
    """`p` is null where working it out would have taken too long."""
    asked = {} if question is None else {"question": question}
    return {
        **_head(done),
        **asked,
        "outcome": done.outcome,
        "throws": [
            {"kind": t.kind, "faces": t.faces, "kept": t.kept, "name": t.name, "by": t.by or "sortes"}
            for t in done.throws
        ],
        "choices": [
            {"who": c.who, "about": c.about, "option": c.option, "cost": dict(c.cost), "offered": c.offered}
            for c in done.choices
        ],
        "why": done.why,
        "p": None if p is None else str(p),
    }


def at_table(
    sat: Seated, done: Play | None, p: Fraction | None, question: str | None, table: str
) -> dict[str, Any]:
    """A play at a table: as without one, and where it is in the log; what it waits for while it goes on."""
    at = {"table": table, "play": sat.play}
    if done is not None:
        return {**play(done, p, question), **at}
    waiting = sat.waits
    it = sat.it
    head = _head(it) if it else {}
    asked = {} if question is None else {"question": question}
    return {
        **head,
        **asked,
        "outcome": None,
        **at,
        "waits": waiting and {"turn": waiting["turn"], **waiting["ask"]},
    }


def odds(found: Odds, by: str | None, within: int | None) -> dict[str, Any]:
    """One row for each distinct outcome, or for each value of the field `by`."""
    rows, order = [], found.rows(by, within)
    if by is not None and by.replace("-", "_") == found.rule.fields[0] and found.rule.results:
        order.sort(key=lambda row: found.rule.results.index(row[found.rule.fields[0]]))
    for row in order:
        p = row.pop("p")
        rows.append({**msgspec.to_builtins(row), "p": str(p), "probability": float(p)})
    left = found.unresolved if by is None else found.left(by, within)
    shape = {**_head(found), "outcomes": rows, "unresolved": str(left)}
    if by is not None and by.replace("-", "_") in found.rule.numbers:
        mean = found.mean(by)
        if mean is not None:
            shape["mean"] = str(mean)
    return shape


def advice(found: Advice) -> dict[str, Any]:
    """The first choice with its options; where chance comes first, every first choice that can be met."""
    return {
        **_head(found),
        "choice": found.choice,
        "best": found.best,
        "options": _options(found.options),
        "worth": {who: _worth(w) for who, w in found.worths.items()},
        "situations": [
            {
                "after": s.after,
                "who": s.who,
                "choice": s.about,
                "best": s.best,
                "options": _options(s.options),
            }
            for s in found.situations
        ],
    }


def _options(options: Iterable[Advised]) -> list[dict[str, Any]]:
    return [{"option": o.option, **_worth(o.worth), "cost": dict(o.cost)} for o in options]


def _worth(worth: Fraction | float) -> dict[str, Any]:
    return {"worth": float(worth), "exact": str(worth) if isinstance(worth, Fraction) else None}


def counts(it: Prepared, n: int, seed: int, found: Counter[Any]) -> dict[str, Any]:
    """How many of n plays ended in each outcome, the most frequent first."""
    hidden = it.rule.endless
    rows: Counter[tuple[Any, ...]] = Counter()
    fields = [f for f in it.rule.fields if f not in hidden]
    for outcome, many in found.items():
        rows[tuple(getattr(outcome, f) for f in fields)] += many
    told = [{**dict(zip(fields, row, strict=True)), "n": many} for row, many in rows.most_common()]
    return {**_head(it), "n": n, "seed": seed, "counts": told}


def systems(found: Sequence[System]) -> dict[str, Any]:
    """Every system and its rules, each with its JSON Schema and help."""
    return {
        "systems": [
            {
                "id": system.id,
                "title": system.title,
                "summary": system.summary,
                "rules": [
                    {
                        "id": rule.id,
                        "help": rule.form.help,
                        "schema": rule.form.schema,
                        "fields": rule.fields,
                        "results": rule.results,
                        "choosers": list(rule.worths),
                    }
                    for rule in system.rules
                ],
            }
            for system in found
        ]
    }


def table(found: Odds, by: str | None, within: int | None) -> str:
    """The rows of `odds` as CSV, with what is unresolved in a row of its own."""
    import csv
    import io

    shape = odds(found, by, within)
    out = io.StringIO()
    names = list(shape["outcomes"][0]) if shape["outcomes"] else ["p", "probability"]
    writer = csv.DictWriter(out, names, lineterminator="\n")
    writer.writeheader()
    for row in shape["outcomes"]:
        writer.writerow({k: encoded(v) if isinstance(v, list | dict) else v for k, v in row.items()})
    if shape["unresolved"] != "0":
        p = Fraction(shape["unresolved"])
        writer.writerow({names[0]: "unresolved", "p": shape["unresolved"], "probability": float(p)})
    return out.getvalue()
