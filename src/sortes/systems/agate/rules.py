"""The Agate step-die pool: the die follows the Effective Rank, boons add dice, the best climbs the ladder."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Annotated, Any, Literal, TypeAlias

from msgspec import Meta, Struct

from sortes.core.ask import Ask, Choice, Done, Moment, Option, Tally, Throw, moment
from sortes.core.chance import Dice, die
from sortes.core.errors import RuleError
from sortes.core.form import SUPPLIED, Entry, Fed
from sortes.core.system import House, Question, Solved, rule
from sortes.core.world import Purse

Band: TypeAlias = Literal["triumph", "success", "setback", "catastrophe"]
Result: TypeAlias = Literal[
    "triumph", "success", "partial-success", "setback", "averted-catastrophe", "catastrophe", "cannot-attempt"
]
Small: TypeAlias = Annotated[int, Meta(ge=0, le=100)]
Dots: TypeAlias = (
    Annotated[int, Meta(ge=0, le=1000, description="how many, or the label of each source")]
    | Annotated[tuple[Annotated[str, Meta(min_length=1, max_length=80)], ...], Meta(max_length=1000)]
)


class Rung(Struct, frozen=True, forbid_unknown_fields=True):
    """The die of one Effective Rank and where its bands begin (A3)."""

    die: Annotated[int, Meta(ge=2, le=1000)]
    triumph: Annotated[int, Meta(ge=1, le=1000)]
    success: Annotated[int, Meta(ge=1, le=1000)]
    setback: Annotated[int, Meta(ge=1, le=1000)]


class Texts(Struct, frozen=True, forbid_unknown_fields=True, rename="kebab"):
    """What the table says a result looks like."""

    partial_success: Annotated[str, Meta(max_length=500)]
    catastrophe: Annotated[str, Meta(max_length=500)]


class AgateHouse(House, frozen=True, eq=False):
    """What a table may change of Agate."""

    base_dice: Annotated[int, Meta(ge=1, le=20)]
    success_cost: Small
    partial_cost: Small
    avert_cost: Small
    triumph_clears: Small
    triumph_renown: Small
    strain_capacity: Annotated[int, Meta(ge=0, le=1000)] | Literal["none"] | None
    growth: Annotated[int, Meta(ge=0, le=10)]
    ladder: Annotated[tuple[Rung, ...], Meta(min_length=1, max_length=51)]
    texts: Texts


class Attempt(Struct, frozen=True, gc=False):
    """How an attempt came out (A3, A4): the change of Strain, Renown won, the pool thrown, and notes."""

    result: Result
    strain: int = 0
    renown: int = 0
    pool: str | None = None
    note: str | None = None


def check(house: AgateHouse) -> None:
    """Refuse a ladder whose bands overlap."""
    for rank, rung in enumerate(house.ladder):
        if not rung.die >= rung.triumph >= rung.success >= rung.setback >= 1:
            floors = (
                f"triumph {rung.triumph}, success {rung.success}, setback {rung.setback} on a d{rung.die}"
            )
            raise RuleError(
                f"ladder[{rank}]", f"got {floors}; takes floors that fall from the highest face to 1"
            )


def worth(o: Attempt) -> bool:
    """Success of any kind."""
    return o.result in ("triumph", "success", "partial-success")


def purses(params: Mapping[str, Any], house: AgateHouse) -> dict[str, Purse]:
    """Strain is a track: what is marked, of the capacity that settings give (A4)."""
    capacity = house.strain_capacity if isinstance(house.strain_capacity, int) else None
    return {"strain": Purse(params["marked"], capacity)}


@cache
def bands(house: AgateHouse, rank: int) -> Mapping[int, Band]:
    """The band of each face at an Effective Rank (A3)."""
    rung = house.ladder[rank]
    floors: tuple[tuple[Band, int], ...] = (
        ("triumph", rung.triumph),
        ("success", rung.success),
        ("setback", rung.setback),
    )
    return {face: next((b for b, floor in floors if face >= floor), "catastrophe") for face in die(rung.die)}


@cache
def pool(house: AgateHouse, rank: int, net: int) -> Dice:
    """The dice to throw: the best of 2 + net; where that leaves none, the worst of |net| (A2)."""
    rung, n = house.ladder[rank], house.base_dice + net
    worst = n < 1
    many = house.base_dice - n if worst else n
    return Dice(many, die(rung.die), -1 if worst else 1, bands(house, rank).__getitem__, f"d{rung.die}")


@moment("agate.throw", "A1", "A2", "A3")
def throw(rank: int, net: int, house: AgateHouse) -> Ask:
    """The pool decides the band; what it costs follows (A4)."""
    dice = pool(house, rank, net)
    written = f"{dice.n}{dice.name}"
    return Throw(dice, lambda kept: land(kept[0], written, house))


# ---- what a band comes to (A4) ------------------------------------------------------------------


def triumph(n: int, written: str, house: AgateHouse) -> Attempt:
    """With so much Strain cleared (negative), and Renown won."""
    return Attempt("triumph", n, house.triumph_renown, written)


def success(n: int, written: str, house: AgateHouse) -> Attempt:
    """With so much Strain marked, which may be less than it costs."""
    short = "not all the Strain could be marked" if n < house.success_cost else None
    return Attempt("success", n, 0, written, short)


def accepted(band: Band, written: str, house: AgateHouse) -> Attempt:
    """A bad band as it is."""
    text = house.texts.catastrophe or None if band == "catastrophe" else None
    return Attempt("catastrophe" if band == "catastrophe" else "setback", 0, 0, written, text)


def softened(band: Band, written: str, house: AgateHouse) -> Attempt:
    """A bad band that Strain was spent on."""
    if band == "catastrophe":
        return Attempt("averted-catastrophe", house.avert_cost, 0, written)
    return Attempt("partial-success", house.partial_cost, 0, written, house.texts.partial_success or None)


@moment("agate.land", "A4")
def land(band: Band, written: str, house: AgateHouse) -> Ask:
    """What a band costs, and what Strain can still change."""
    if band == "triumph":
        return Tally("strain", -house.triumph_clears, lambda n: Done(triumph(n, written, house)))
    if band == "success":
        return Tally("strain", house.success_cost, lambda n: Done(success(n, written, house)))
    options = ways(house.avert_cost if band == "catastrophe" else house.partial_cost)
    return Choice(
        "player",
        band,
        options,
        lambda take: Done((softened if take == "spend" else accepted)(band, written, house)),
    )


@cache
def ways(cost: int) -> tuple[Option, Option]:
    """To accept, or to spend so much Strain."""
    return Option("accept"), Option("spend", (("strain", cost),))


class AgateSheet(Struct, frozen=True, forbid_unknown_fields=True):
    """A character as Agate knows it (A1, A4)."""

    skills: Annotated[
        dict[Entry, Annotated[int, Meta(ge=0, le=100)]],
        Meta(max_length=200, description="Skill Ranks by name"),
    ] = {}
    strain: Annotated[int, Meta(ge=0, le=1000, description="Strain that is marked")] = 0
    renown: Annotated[int, Meta(ge=0, le=1_000_000, description="Renown won")] = 0
    growth: Annotated[int, Meta(ge=0, le=1_000_000, description="Growth, from Strain that rest cleared")] = 0


@rule("agate.attempt", Attempt, worths={"player": worth}, purses=purses)
def attempt(
    skill: Annotated[int, Meta(ge=0, le=100, description="Skill Rank"), Fed("skills")],
    difficulty: Annotated[
        int,
        Meta(
            ge=0,
            le=15,
            description="mundane 0-3, impressive 4-6, masterful 7-9, legendary 10-12, godly 13-15",
        ),
    ],
    modifier: Annotated[int, Meta(ge=-100, le=100, description="added to the Effective Rank")] = 0,
    boons: Annotated[Dots, Meta(description="dice added: how many, or the label of each source")] = 0,
    hindrances: Annotated[
        Dots, Meta(description="dice taken away: how many, or the label of each source")
    ] = 0,
    marked: Annotated[
        int,
        Meta(ge=0, le=1000, description="Strain already marked"),
        Fed("strain", purse="strain", counts="marked"),
    ] = 0,
    *,
    house: Annotated[AgateHouse, SUPPLIED],
) -> Moment | Done:
    """Attempt a task: the die follows Skill Rank less Difficulty, boons and hindrances say how many are thrown.

    The best die is read on the ladder (the worst where hindrances leave none, A2); Strain may soften a bad
    result (A4).
    """
    rank = min(skill - difficulty + modifier, len(house.ladder) - 1)
    if rank < 0:
        return Done(Attempt("cannot-attempt"), ("A1",))
    return throw(rank, count(boons) - count(hindrances), house)


def count(sources: int | tuple[str, ...]) -> int:
    """How many boons or hindrances: a number, or one for each labelled source (A5)."""
    return sources if isinstance(sources, int) else len(sources)


def solve(question: Question) -> Solved | None:
    """The odds of an attempt, each bad band accepted, straight from the bands of the pool."""
    p, house, stock, world = question.params, question.house, question.stock, question.world
    rank = min(p["skill"] - p["difficulty"] + p["modifier"], len(house.ladder) - 1)
    if rank < 0:
        return None
    dice = pool(house, rank, count(p["boons"]) - count(p["hindrances"]))
    written = f"{dice.n}{dice.name}"
    ends = {}
    for (band,), n in dice.odds():
        if band == "triumph":
            end = triumph(stock.really(world, "strain", -house.triumph_clears), written, house)
        elif band == "success":
            end = success(stock.really(world, "strain", house.success_cost), written, house)
        else:
            end = accepted(band, written, house)
        ends[end] = n
    return Solved(ends, dice.total)


attempt.solve = solve
