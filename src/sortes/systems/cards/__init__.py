"""Cards (C1–C13): one deck answers, opposes and resolves; suits say how, reds say whether."""

from sortes.core.system import Effect, Refill, Shuffle, System
from sortes.systems.cards.conflict_crowd import conflict  # the rule, with its faster ways
from sortes.systems.cards.deck import decks, numbers
from sortes.systems.cards.house import CardsHouse, check
from sortes.systems.cards.oracle import ask, run
from sortes.systems.cards.resolve_solver import resolve  # the rule, with its faster way
from sortes.systems.cards.sheet import CardsSheet
from sortes.systems.cards.three import contest, three


def scene(house: CardsHouse) -> tuple[Effect, ...]:
    """A new scene refills hooks (C6.4) and returns one Luck Token (C7.3); the deck may be shuffled with it (C2)."""
    shuffle = (Shuffle("cards"),) if house.reshuffle == "scene" else ()
    return Refill("hook"), Refill("luck", 1), *shuffle


SYSTEM = System(
    id="cards",
    title="Cards",
    summary="A deck of playing cards as oracle, opposition, resolution roll and conflict.",
    package=__name__,
    house=CardsHouse,
    rules=(ask, three, contest, resolve, run, conflict, numbers),
    decks=decks,
    check=check,
    scene=scene,
    sheet=CardsSheet,
)
