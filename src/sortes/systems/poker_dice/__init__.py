"""Poker dice (P1–P4): card faces on six-sided dice, read by group instead of added up."""

from sortes.core.system import System
from sortes.systems.poker_dice.rules import PokerHouse, PokerSheet, check, roll

SYSTEM = System(
    id="poker-dice",
    title="Poker dice",
    summary="Two dice with card faces, read by group: no sums.",
    package=__name__,
    house=PokerHouse,
    rules=(roll,),
    check=check,
    sheet=PokerSheet,
)
