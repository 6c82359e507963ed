"""Sortes: a resolution engine for tabletop role-playing games.

sortes.play("poker-dice.roll", level=2)          what happens
sortes.odds("d20-oracle.ask", likelihood="likely")   how likely it is, exactly
sortes.advise("cards.resolve", el=7, against=9, extra="choose")   what is best
sortes.simulate("cards.conflict", mine=5, theirs=4, n=1_000_000)  what a million tables would see
"""

from sortes.api import Advice, Odds, Play, Prepared, Refused, RuleError, advise, odds, play, prepare, simulate

__version__ = "0.1.0"

__all__ = [
    "Advice",
    "Odds",
    "Play",
    "Prepared",
    "Refused",
    "RuleError",
    "__version__",
    "advise",
    "odds",
    "play",
    "prepare",
    "simulate",
]
