"""Dramatic skill resolution (S1–S10): a task in steps, a drama deck, one lead each round, and help."""

from sortes.core.system import System
from sortes.systems.dramatic_skill import deck, house
from sortes.systems.dramatic_skill.help import help
from sortes.systems.dramatic_skill.house import DramaHouse
from sortes.systems.dramatic_skill.plan import DramaSheet
from sortes.systems.dramatic_skill.task import task
from sortes.systems.dramatic_skill.tests import test


def check(made: DramaHouse) -> None:
    """Refuse house rules that contradict themselves."""
    house.check(made)
    deck.check(made)


SYSTEM = System(
    id="dramatic-skill",
    title="Dramatic skill resolution",
    summary="A task in steps: which the drama card allows, who helps, and when to risk it all.",
    package=__name__,
    house=DramaHouse,
    rules=(test, help, task),
    decks=deck.decks,
    check=check,
    sheet=DramaSheet,
    gains={"approved": "destiny"},
)
