"""The two ways in which something cannot be done."""

from __future__ import annotations


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
