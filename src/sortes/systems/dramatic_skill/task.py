"""A whole task (S1–S7, S10): each round a drama card and a lead; steps in order, Dilemmas, and the Last Ditch."""

from __future__ import annotations

from functools import lru_cache
from itertools import accumulate
from typing import Annotated, Literal, TypeAlias

from msgspec import Meta

from sortes.core.ask import Ask, Choice, Done, Option, State, Tally, Throw, call, moment
from sortes.core.chance import Draw, OpenEnded
from sortes.core.errors import wrong
from sortes.core.form import SUPPLIED, Fed, discards, lies, stocks
from sortes.core.system import Rules, rule
from sortes.systems.dramatic_skill.deck import ALPHABET, DILEMMAS, card_of, kind
from sortes.systems.dramatic_skill.help import OWN_SKILL, Helpers, helped
from sortes.systems.dramatic_skill.house import LEVELS, STANDARD, DramaHouse, bonus_of, total_for
from sortes.systems.dramatic_skill.plan import (
    LAST_DITCH,
    Ditch,
    Ended,
    Name,
    Now,
    Plan,
    Step,
    ahead,
    plan_of,
    tests_of,
)
from sortes.systems.dramatic_skill.tests import (
    CALLS,
    Cards,
    Test,
    Tested,
    d20,
    succeeded,
    tested,
)

Up: TypeAlias = int | str  # how many steps the card allows in a row from the next one on, or its Dilemma
Card: TypeAlias = Annotated[str, Meta(min_length=1, max_length=500)]
Drama: TypeAlias = (
    Annotated[tuple[Card, ...], Meta(max_length=1000)] | dict[str, Annotated[int, Meta(ge=0, le=1000)]] | None
)

# ---- a round (S10) ------------------------------------------------------------------------------


@moment("dramatic-skill.turn", "S1", "S3", "S10")
def turn(plan: Plan, now: Now, card: str, house: DramaHouse, rules: Rules) -> Ask:
    """A round begins; its drama card is turned, unless it lies there already."""
    if card:
        return Tally("rounds", 1, lambda _: faced(plan, now, card, house, rules))
    return Tally("rounds", 1, lambda _: draw(plan, now, house, rules))


# The card goes to the discard as it is turned: what it allows this round is the moment's to know.
NOT_LAST, LAST = Draw(1, "drama", kind, away=True), Draw(1, "drama", kind, away=True, last=True)


@moment("dramatic-skill.draw", "S3")
def draw(plan: Plan, now: Now, house: DramaHouse, rules: Rules) -> Ask:
    """The drama card; when the deck has run out, its discards come back."""
    return Throw(LAST if now.left == 1 else NOT_LAST, lambda hand: faced(plan, now, hand[0], house, rules))


def faced(plan: Plan, now: Now, card: str, house: DramaHouse, rules: Rules) -> State:
    """The card is seen: who leads? Of the card only what it allows can still matter."""
    up = allowed(card, now.done, house.steps if plan.multi_action else now.done + 1)
    if len(plan.leads) > 1:
        return choose_lead(plan, now, up, house, rules)
    return aided(plan, now, up, house, rules)


@lru_cache(maxsize=65536)
def allowed(card: str, done: int, end: int) -> Up:
    """A card's Dilemma, or how many steps it shows without a gap from the next one on, before `end` (S4).

    0: the next step is not eligible.
    """
    if card in DILEMMAS:
        return card
    return next((i for i, letter in enumerate(ALPHABET[done:end]) if letter not in card), end - done)


@moment("dramatic-skill.lead", "S2")
def choose_lead(plan: Plan, now: Now, up: Up, house: DramaHouse, rules: Rules) -> Ask:
    """Who leads this round: the one who did before, or another."""
    left, done, plus, last = now
    names = plan.leads
    options = tuple([Option(name) for name in (names[last], *names[:last], *names[last + 1 :])])
    return Choice(
        "player",
        "lead",
        options,
        lambda name: aided(plan, Now(left, done, plus, names.index(name)), up, house, rules),
    )


def aided(plan: Plan, now: Now, up: Up, house: DramaHouse, rules: Rules) -> State:
    """Helpers act before the lead, who then sees the bonus (S8)."""
    if plan.aids:
        help = helped(plan.count, plan.aids, False, house, rules)
        return call(help, attempt.back(plan, now, up, house, rules))
    return attempt(plan, now, up, house, rules, bonus_of(house, plan.count))


@moment("dramatic-skill.attempt", "S10")
def attempt(plan: Plan, now: Now, up: Up, house: DramaHouse, rules: Rules, bonus: int) -> Ask:
    """The lead chooses: the next step or a row of steps (S4), eligible or not (S5), the Last Ditch (S7), nothing."""

    def then(what: str) -> State:
        if what == "nothing":
            return after(plan, now, up, 0, house, rules)
        if what == "last-ditch":
            many = house.steps - now.done if plan.last_ditch == "multi" else 1
            m = bonus + house.extra_step * (many - 1) + house.ditch_penalty
            return acted(plan, now, up, LAST_DITCH, m, house, rules)
        many = len(what)
        return acted(plan, now, up, many, bonus + house.extra_step * (many - 1), house, rules)

    row = up if isinstance(up, int) else 1
    why = ("S6",) if isinstance(up, str) else ("S4",) if up else ("S5",)
    return Choice("player", "attempt", offers(now.done, max(row, 1)), then, why)


@lru_cache(maxsize=4096)
def offers(done: int, row: int) -> tuple[Option, ...]:
    """What the lead may do: the next step alone, each longer row, the Last Ditch, nothing."""
    rows = [Option(ALPHABET[done : done + k + 1]) for k in range(row)]
    return (*rows, Option("last-ditch"), Option("nothing"))


# ---- an action ----------------------------------------------------------------------------------


def acted(plan: Plan, now: Now, up: Up, many: int, m: int, house: DramaHouse, rules: Rules) -> State:
    """The lead acts on so many steps, or on the Last Ditch; `m` is the sum of bonuses and penalties."""
    tests = tests_of(plan, now.lead, now.done, many)
    if all(test.by == "d20" for test in tests):
        return act(plan, now, up, many, m, house, rules)
    return on(plan, now, up, many, m, 0, None, house, rules)


@moment("dramatic-skill.act", "S9")
def act(plan: Plan, now: Now, up: Up, many: int, m: int, house: DramaHouse, rules: Rules) -> Ask:
    """One d20 roll for the whole action."""
    tests = tests_of(plan, now.lead, now.done, many)
    whole = many == LAST_DITCH
    return Throw(
        one_roll(tests, m - now.plus, whole, house),
        lambda hand: judged(plan, now, up, many, len(tests), passed(tests, hand, whole), house, rules),
        why_of(up, many),
    )


def why_of(up: Up, many: int) -> tuple[str, ...]:
    """The rule that an action follows."""
    return ("S7",) if many == LAST_DITCH else ("S5",) if up == 0 else ("S4",)


@lru_cache(maxsize=65536)
def one_roll(tests: tuple[Test, ...], m: int, whole: bool, house: DramaHouse) -> OpenEnded:
    """The one roll that serves all d20 tests of an action, each with its own skill and DN (S9 a).

    Read is how many of the skilled and of the unskilled succeed before one of them fails; of a `whole`, which is worth
    nothing in part, whether all do.
    """
    readings = []
    for unskilled in (False, True):
        needs = [total_for(house, t.dn - t.skill - m) for t in tests if t.unskilled == unskilled]
        if needs:
            readings.append((unskilled, (max(needs),) if whole else tuple(accumulate(needs, max))))
    return d20(tuple(readings), house)


@lru_cache(maxsize=65536)
def passed(tests: tuple[Test, ...], hand: tuple[int, ...], whole: bool) -> int:
    """How many of the tests succeed before one fails, from what was read of their roll."""
    if whole:
        return len(tests) if all(hand) else 0
    if len(hand) == 1:
        return hand[0]
    ahead = list(hand)
    for i, test in enumerate(tests):
        ahead[test.unskilled] -= 1
        if ahead[test.unskilled] < 0:
            return i
    return len(tests)


def on(
    plan: Plan,
    now: Now,
    up: Up,
    many: int,
    m: int,
    i: int,
    fails: int | None,
    house: DramaHouse,
    rules: Rules,
) -> State:
    """Past the tests of an action that are known already, to the next one that is not; `i` were passed.

    `fails` is the place of the first that the d20 roll fails; none: it was not thrown yet.
    """
    tests = tests_of(plan, now.lead, now.done, many)
    while i < len(tests):
        test = tests[i]
        if test.by == "d20" and fails is not None:
            success = fails != i
        elif test.by == "stated" and test.level is not None:
            success = LEVELS.index(test.level) >= STANDARD
        else:
            return step(plan, now, up, many, m, i, fails, house, rules)
        if not success:
            break
        i += 1
    return judged(plan, now, up, many, len(tests), i, house, rules)


@moment("dramatic-skill.step", "S9")
def step(
    plan: Plan,
    now: Now,
    up: Up,
    many: int,
    m: int,
    i: int,
    fails: int | None,
    house: DramaHouse,
    rules: Rules,
) -> Ask:
    """The next test of an action: the d20 roll that serves all its d20 tests, or a test of another kind."""
    tests = tests_of(plan, now.lead, now.done, many)
    if tests[i].by != "d20":
        state = tested(tests[i], m, now.plus, house, rules)
        return call(state, stepped.back(plan, now, up, many, m, i, fails, house, rules)).ask()
    places = [j for j, test in enumerate(tests) if test.by == "d20"]
    rolled = tuple([tests[j] for j in places])

    def then(hand: tuple[int, ...]) -> State:
        first = [*places, len(tests)][passed(rolled, hand, False)]
        return on(plan, now, up, many, m, i, first, house, rules)

    return Throw(one_roll(rolled, m - now.plus, False, house), then, why_of(up, many))


@moment("dramatic-skill.stepped", "S4")
def stepped(
    plan: Plan,
    now: Now,
    up: Up,
    many: int,
    m: int,
    i: int,
    fails: int | None,
    house: DramaHouse,
    rules: Rules,
    outcome: Tested,
) -> Ask:
    """A test by other means is done: a failed step stops the row."""
    if succeeded(outcome):
        return on(plan, now, up, many, m, i + 1, fails, house, rules).ask()
    of = len(tests_of(plan, now.lead, now.done, many))
    return judged(plan, now, up, many, of, i, house, rules).ask()


# ---- consequences -------------------------------------------------------------------------------


def judged(
    plan: Plan, now: Now, up: Up, many: int, of: int, n: int, house: DramaHouse, rules: Rules
) -> State:
    """What an action comes to of whose `of` tests `n` succeeded."""
    left, _, plus, lead = now
    if many == LAST_DITCH:
        if n == of:  # the Dilemma is cancelled
            return Done(Ended("done", 0, house.steps, 0, True, plus), ("S7",))
        if up == "complication":
            plus += house.complication
        return then_round(plan, left, 0, plus, lead, house, rules)
    if up == 0 and n:
        return approved(plan, now, house, rules)
    return after(plan, now, up, 0 if up == 0 else n, house, rules)


@moment("dramatic-skill.approved", "S5")
def approved(plan: Plan, now: Now, house: DramaHouse, rules: Rules) -> Ask:
    """A success at a step that was not eligible: the lead draws a destiny card, the step stays open."""
    return Tally("approved", 1, lambda _: then_round(plan, *now, house, rules))


def after(plan: Plan, now: Now, up: Up, n: int, house: DramaHouse, rules: Rules) -> State:
    """What stands when `n` steps were completed in a round, and what a Dilemma does where none was (S6)."""
    left, done, plus, lead = now
    done += n
    if done == house.steps:
        return Done(Ended("done", 0, done, 0, False, plus), ("S1",))
    if not n:
        match up:
            case "complication":
                plus += house.complication
            case "possible-setback":
                done = max(0, done - 1)
            case "critical-problem":
                done = 0
    return then_round(plan, left, done, plus, lead, house, rules)


def then_round(
    plan: Plan, left: int | None, done: int, plus: int, lead: int, house: DramaHouse, rules: Rules
) -> State:
    """The next round, if there is one (S2)."""
    if left == 1:
        return Done(Ended("out-of-time", 0, done, 0, False, plus), ("S2",))
    return turn(plan, Now(left and left - 1, done, plus, lead), "", house, rules)


# ---- the rule -----------------------------------------------------------------------------------


def worth(ended: Ended) -> bool:
    """Done in time."""
    return ended.result == "done"


@rule(
    "dramatic-skill.task",
    Ended,
    worths={"player": worth, "self": worth},  # whoever chooses, in a called test too, does it for the task
    decks=("drama",),
    counters=("approved", "rounds"),
    calls=CALLS,
)
def task(
    steps: Annotated[
        tuple[Step, ...],
        Meta(
            min_length=1,
            max_length=26,
            description="the steps in order: each its name, skill (a number, or one for each lead by name), dn, by, "
            "unskilled, and level where it is stated",
        ),
        Fed("skills", each="skill", among="leads"),
    ],
    rounds: Annotated[
        Annotated[int, Meta(ge=1, le=30)] | Literal["house"] | None,
        Meta(description="how many rounds there are; none: no end; house: as the house rules have it"),
    ] = "house",
    leads: Annotated[
        tuple[Name, ...],
        Meta(min_length=1, max_length=20, description="who may lead; each round asks, the same by default"),
    ] = ("lead",),
    helpers: Annotated[
        Helpers,
        Meta(
            description='who helps every round: a number of normal efforts, or a list of "normal" and of tests'
        ),
        OWN_SKILL,
    ] = 0,
    completed: Annotated[int, Meta(ge=0, le=25, description="steps that are done already")] = 0,
    dn_plus: Annotated[
        int, Meta(ge=0, le=100, description="what Complications have added to the Difficulty Numbers already")
    ] = 0,
    card: Annotated[
        Card | None, Meta(description="the drama card that was turned already this round"), lies("drama")
    ] = None,
    deck: Annotated[
        Drama,
        Meta(description="what is left of the drama deck, by card; none: all that is not discarded"),
        stocks("drama"),
    ] = None,
    discard: Annotated[
        Drama,
        Meta(description="what lies in the drama deck's discard; none: all that is not left"),
        discards("drama"),
    ] = None,
    cards: Annotated[
        Cards,
        Meta(description="playing cards left for card tests, or counts by suit; none: a fresh deck"),
        stocks("cards"),
    ] = None,
    multi_action: Annotated[
        bool | None,
        Meta(description="may the lead try several steps in a round; none: as the house rules have it"),
    ] = None,
    last_ditch: Annotated[
        Ditch | None,
        Meta(
            description="what a Last Ditch tests: every open step, or the hardest; none: as in the house rules"
        ),
    ] = None,
    *,
    house: Annotated[DramaHouse, SUPPLIED],
    rules: Annotated[Rules, SUPPLIED],
) -> State:
    """Carry out a task of several steps, in order and in time.

    Each round a drama card is turned, which shows the steps that can be completed or brings a Dilemma; helpers act;
    the lead sees their bonus and chooses: the next step, several in one go, a Last Ditch, or nothing (S10). To go on
    with another plan for the open steps (S1), begin again with what is completed and the rounds and cards left.
    """
    if completed >= house.steps:
        raise wrong("completed", completed, f"a whole number from 0 to {house.steps - 1}")
    multi = house.multi_action if multi_action is None else multi_action
    plan = plan_of(steps, leads, helpers, multi, last_ditch or house.last_ditch, house, rules)
    most = house.rounds if rounds == "house" else rounds
    now = Now(None if most == "none" else most, completed, dn_plus, 0)
    return turn(plan, now, kind(card_of(house, "card", card)) if card else "", house, rules)


task.ahead = ahead
