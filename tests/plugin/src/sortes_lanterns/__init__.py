"""Lanterns (L1, L2): a system that comes in a package of its own. How many lanterns burn through the night?"""

from sortes.core.system import System
from sortes_lanterns.rules import LanternHouse, LanternSheet, light

SYSTEM = System(
    id="lanterns",
    title="Lanterns",
    summary="How many lanterns burn through the night?",
    package=__name__,
    house=LanternHouse,
    rules=(light,),
    sheet=LanternSheet,
    gains={"burning": "kept"},
)
