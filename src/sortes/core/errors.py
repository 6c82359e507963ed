"""The two ways in which something cannot be done."""

from __future__ import annotations

from collections.abc import Iterable


class RuleError(ValueError):
    """Bad input: names the parameter, what it got and what it takes."""

    def __init__(self, parameter: str, message: str) -> None:
        super().__init__(f"{parameter}: {message}")
        self.parameter = parameter


class Refused(RuleError):
    """Good input that the rules refuse now: too few cards for a draw, no token left, an option not offered."""


def wrong(parameter: str, got: object, takes: str) -> RuleError:
    """The error for `parameter`, which got `got` (shown short) and takes what `takes` says."""
    shown = "nothing" if got is None or (isinstance(got, str) and not got.strip()) else repr(got)
    return RuleError(parameter, f"got {shown if len(shown) <= 60 else shown[:57] + '…'}; takes {takes}")


def whole(parameter: str, value: object, low: int, high: int | None = None) -> int:
    """A whole number as given, if it is from `low` to `high` (none: no end); else RuleError."""
    if (
        isinstance(value, bool)
        or not isinstance(value, int)
        or value < low
        or (high is not None and value > high)
    ):
        raise wrong(parameter, value, f"a whole number from {low}" + ("" if high is None else f" to {high}"))
    return value


def meant(name: str, known: Iterable[str]) -> str:
    """The question whether the nearest of these names was meant, or nothing where none is near."""
    from difflib import get_close_matches  # only a mistake waits for it

    near = get_close_matches(name, known, 1)
    return f"did you mean {near[0]}? " if near else ""
