"""Agate (A1–A5): a pool of dice whose size follows the Effective Rank, and Strain to bend what it says."""

from sortes.core.system import Refill, System
from sortes.systems.agate.rules import AgateHouse, AgateSheet, attempt, check

SYSTEM = System(
    id="agate",
    title="Agate step-die pool",
    summary="The die follows your rank, boons add dice, Strain bends the result.",
    package=__name__,
    house=AgateHouse,
    rules=(attempt,),
    check=check,
    rest=lambda house: (Refill("strain", into="growth", rate=house.growth),),
    sheet=AgateSheet,
    gains={"renown": "renown"},
)
