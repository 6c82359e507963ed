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
    shown = "nothing" if got is None or got == "" else repr(got)
    return RuleError(parameter, f"got {shown if len(shown) <= 60 else shown[:57] + '…'}; takes {takes}")


def meant(name: str, known: Iterable[str]) -> str:
    """The question whether the nearest of these names was meant, or nothing where none is near."""
    from difflib import get_close_matches  # only a mistake waits for it

    near = get_close_matches(name, known, 1)
    return f"did you mean {near[0]}? " if near else ""
