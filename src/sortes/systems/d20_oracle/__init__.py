"""The three-d20 oracle (D1–D8): Fate, Boon and Bane answer what nobody at the table wants to decide."""

from sortes.core.system import System
from sortes.systems.d20_oracle.rules import OracleHouse, OracleSheet, ask, check

SYSTEM = System(
    id="d20-oracle",
    title="Three-d20 oracle",
    summary="Fate, Boon and Bane answer a question about the world.",
    package=__name__,
    house=OracleHouse,
    rules=(ask,),
    check=check,
    sheet=OracleSheet,
    gains={"aura": "aura"},
)
