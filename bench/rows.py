"""The rows of the table: what is measured, next to whom, and what is to be reached."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import pairwise
from math import log
from signal import SIGALRM, alarm, signal
from typing import Any, NoReturn, TypeAlias

from bench import clock, ours, peers


@dataclass(frozen=True)
class Scale:
    """How much is measured: `seconds` and `most` bound the repeats of a race, the rest are sizes."""

    name: str
    seconds: float
    most: int
    el: int = 14
    rating: int = 10  # of the token conflict
    slow: int = 10  # of the token conflict where the peer takes part
    plays: int = 10_000
    crowd: int = 1_000_000
    rounds: int = 5
    growing: float = 1e9  # seconds after which growth stops
    patience: int = 1800  # seconds after which a row is given up
    starts: int = 20


QUICK = Scale("quick", seconds=2.5, most=300, slow=5, growing=12, patience=60)
FULL = Scale("full", seconds=10, most=1000, starts=60)
SMOKE = Scale("smoke", 0, 1, el=2, rating=1, slow=1, plays=10, crowd=1000, rounds=1, growing=0.2, starts=1)


@dataclass
class Line:
    """What was measured: seconds, or MB for memory. `reached` is None where nothing is to be reached."""

    ours: float | None = None
    peer: float | None = None
    against: str | None = None  # the peer, and which of its forms was the fastest
    ratio: float | None = None
    at: str | None = None  # the size at which the ratio was taken, where it is not that of `ours`
    reached: bool | None = None
    repeats: int = 0
    unit: str = "s"
    forms: dict[str, float] = field(default_factory=dict)  # each form of the peer, run once or thrice
    asides: dict[str, float] = field(default_factory=dict)  # what is faster by hand, not raced
    growth: list[tuple[int, float]] = field(default_factory=list)
    note: str | None = None
    failed: bool = False


@dataclass(frozen=True)
class Row:
    """A row: `part` is the line of the table of targets that it belongs to."""

    id: str
    part: str
    work: str
    to_reach: str
    measure: Callable[[Scale], Line]


Form: TypeAlias = Callable[..., Any]


def race(
    scale: Scale,
    mine: clock.Work,
    library: str,
    forms: Sequence[tuple[Form, tuple[Any, ...]]],
    asides: Sequence[tuple[Form, tuple[Any, ...]]] = (),
    *,
    factor: float | None = None,
    same: bool = True,
) -> Line:
    """Ours against the fastest form of a peer, if all find the same. Reached at `factor` times its speed."""
    line = Line()
    expected = mine() if same else None
    works: dict[str, clock.Work] = {}

    def seconds(form: Form, args: tuple[Any, ...]) -> float:
        taken, found = clock.once(partial(form, *args), peers.clear)
        if same and found != expected:
            raise AssertionError(f"{form.__name__} finds {found}, Sortes {expected}")
        for _ in range(2 if taken < 0.1 and scale.most > 1 else 0):
            taken = min(taken, clock.once(partial(form, *args), peers.clear)[0])
        return taken

    for form, args in forms:
        works[form.__name__] = partial(form, *args)
        line.forms[form.__name__] = seconds(form, args)
    line.asides = {form.__name__: seconds(form, args) for form, args in asides}
    fastest = min(line.forms, key=line.forms.__getitem__)
    if scale.most == 1:  # a slow peer has run once already
        (line.ours,), line.repeats = clock.best([(mine, ours.clear)], 0, 1)
        line.peer = line.forms[fastest]
    else:
        both = [(mine, ours.clear), (works[fastest], peers.clear)]
        (line.ours, line.peer), line.repeats = clock.best(both, scale.seconds, scale.most)
    line.against = f"{library} {fastest}"
    line.ratio = line.peer / line.ours
    line.reached = None if factor is None else line.ratio >= factor
    return line


def under(scale: Scale, mine: clock.Work, limit: float | None) -> Line:
    """Ours alone, within a limit in seconds."""
    (seconds,), repeats = clock.best([(mine, ours.clear)], scale.seconds, min(scale.most, 20))
    return Line(ours=seconds, repeats=repeats, reached=None if limit is None else seconds < limit)


def under_beside(
    scale: Scale, limit: float, mine: Callable[[int, int], Any], form: Callable[[int, int], Any]
) -> Line:
    """Ours at full size within a limit, and a ratio at a size that the peer can do in time."""
    line = under(scale, partial(mine, scale.rating, scale.rating), limit)
    small = (scale.slow, scale.slow)
    beside = race(Scale("once", 0, 1), partial(mine, *small), "icepool", [(form, small)])
    line.peer, line.ratio, line.forms, line.against = beside.peer, beside.ratio, beside.forms, beside.against
    line.at = f"{scale.slow} v {scale.slow}"
    line.note = f"ours at {line.at}: {beside.ours:.4f} s"
    return line


# ---- the rows ----------------------------------------------------------------------------------------------


def oracle(scale: Scale) -> Line:
    forms = (peers.oracle_map, peers.oracle_multiset, peers.oracle_mixed, peers.oracle_weighted)
    return race(
        scale,
        partial(ours.oracle, "likely"),
        "icepool",
        [(form, ("likely",)) for form in forms],
        [(peers.oracle_by_hand, ("likely",))],
        factor=2,
    )


def poker_icepool(scale: Scale) -> Line:
    forms = [(peers.poker_icepool_keep, ()), (peers.poker_icepool_pool, ())]
    return race(scale, partial(ours.poker, peers.MODIFIERS), "icepool", forms, factor=1)


def poker_dyce(scale: Scale) -> Line:
    forms = [(peers.poker_dyce_at, ()), (peers.poker_dyce_rolls, ())]
    asides = [(peers.poker_dyce_running, ())]
    return race(scale, partial(ours.poker, peers.MODIFIERS), "dyce", forms, asides, factor=1)


def agate(scale: Scale) -> Line:
    return race(
        scale, ours.agate_all, "icepool", [(peers.agate_bands, ()), (peers.agate_faces, ())], factor=1
    )


def agate_pool(dice: int, limit: float | None, scale: Scale) -> Line:
    line = race(scale, partial(ours.agate, 0, dice), "icepool", [(peers.agate_pool, (dice,))], factor=1)
    line.reached = bool(line.reached) and (limit is None or (line.ours or 0) < limit)
    return line


def _cases(scale: Scale, extra: bool) -> list[peers.Case]:
    els = range(1, scale.el + 1)
    return [(el, x, against) for el in els for x in (range(1, el + 1) if extra else (0,)) for against in els]


def cards(extra: bool, scale: Scale) -> Line:
    cases = (_cases(scale, extra),)
    forms = [(peers.cards_hands, cases)]  # hands dealt from a deck, as icepool has them
    asides = [(peers.cards_places, cases), (peers.cards_joint, cases)]  # thought anew: reds laid onto places
    scale = replace(scale, seconds=3 * scale.seconds)  # once each would be chance
    return race(scale, partial(ours.cards, *cases), "icepool", forms, asides, factor=20)


def conflict(scale: Scale) -> Line:
    return under_beside(scale, 0.2, ours.conflict_one_deck, peers.conflict_one_deck)


def conflict_end(scale: Scale) -> Line:
    return under_beside(scale, 1.0, ours.conflict_to_the_end, peers.conflict_to_the_end)


def conflict_memory(scale: Scale) -> Line:
    code = f"from bench import ours\nours.conflict_to_the_end({scale.rating}, {scale.rating})\n"
    megabytes = clock.peak(code)
    bare = clock.peak("")
    return Line(
        ours=megabytes,
        unit="MB",
        repeats=1,
        reached=megabytes < 100,
        note=f"of it a bare interpreter: {bare:.0f} MB",
    )


def effort(scale: Scale) -> Line:
    args = (min(7, scale.el), range(1, scale.el + 1))
    forms = [(peers.effort_hands, args), (peers.effort_places, args)]
    return race(scale, partial(ours.effort, *args), "icepool", forms, factor=10)


def task(helpers: int, limit: float | None, scale: Scale) -> Line:
    once = Scale("once", min(scale.seconds, 1), scale.most)
    return under(once, partial(ours.task, helpers, scale.rounds), limit)


def plays(scale: Scale) -> Line:
    n = (scale.plays,)
    forms = [(peers.plays_roll, n), (peers.plays_parsed, n)]
    line = race(scale, partial(ours.Plays(), *n), "d20", forms[:1], forms[1:], factor=1, same=False)
    assert line.ours
    assert line.peer
    line.note = f"{scale.plays / line.ours:,.0f} plays a second, d20 {scale.plays / line.peer:,.0f}"
    return line


def crowd_cards(scale: Scale) -> Line:
    return under(scale, partial(ours.crowd_cards, scale.crowd, min(7, scale.el)), 0.1)


def crowd_conflict(scale: Scale) -> Line:
    return under(scale, partial(ours.crowd_conflict, scale.crowd, scale.rating), 10)


def start(table: bool, scale: Scale) -> Line:
    ask = [
        clock.script("sortes"),
        "ask",
        "Is the household asleep?",
        "--likely",
        *["--no-table"] * (not table),
    ]
    bare = [sys.executable, "-c", "pass"]
    (mine, peer), repeats = clock.starts([ask, bare], 1e9, scale.starts)
    reached = None if table else mine <= 8 * peer
    return Line(mine, peer, "python -c pass", ratio=mine / peer, repeats=repeats, reached=reached)


def growth(sizes: Sequence[int], work: Callable[[int], Any], scale: Scale) -> Line:
    """Seconds by size, until it takes too long; `ours` is that of the greatest."""
    line, spent = Line(repeats=3), 0.0
    for size in sizes:
        (seconds,), repeats = clock.best([(partial(work, size), ours.clear)], min(scale.seconds, 0.5), 5)
        line.growth.append((size, seconds))
        spent += seconds * repeats
        if spent > scale.growing and len(line.growth) > 2:
            break
    line.ours = line.growth[-1][1]
    line.ratio, line.reached = slope(line.growth[-max(3, len(line.growth) // 2) :]), polynomial(line.growth)
    line.note = "log-log slope; " + ", ".join(f"{n}: {s * 1000:.3g} ms" for n, s in line.growth)
    return line


def polynomial(points: Sequence[tuple[int, float]]) -> bool:
    """Whether the slope on log-log paper settles, below 6, as that of 2**n never does: it doubles with n."""
    slopes = [slope(pair) for pair in pairwise(points)]
    return slopes[-1] < 6 and slopes[-1] < 1.5 * max(slopes[-2], 1)


def slope(points: Sequence[tuple[int, float]]) -> float:
    """The slope of the line through points on log-log paper, by least squares."""
    xs, ys = [log(n) for n, _ in points], [log(s) for _, s in points]
    x, y = sum(xs) / len(xs), sum(ys) / len(ys)
    return sum((a - x) * (b - y) for a, b in zip(xs, ys, strict=True)) / sum((a - x) ** 2 for a in xs)


ORACLE = "d20 oracle, one likelihood, exact"
POKER = "poker dice, all seven modifiers"
AGATE = "Agate, all six ranks × highest and lowest of 1..10; pools of 10, 100, 1,000 dice"
CARDS = "card resolution, all ELs 1..14 × 1..14, and Extra Effort x ≤ e ≤ 14 against 1..14"
CONFLICT = "token conflict 10 v 10, one deck without replacement, exact"
CONFLICT_END = "the same to the very end, through reshuffles, exact, with the mean length"
EFFORT = "best Extra Effort for EL 7 against 1..14"
TASK = "a whole dramatic skill task, exact best policy"
PLAYS = "plays per second of the d20 oracle, prepared, each with its throws"
CROWD = "a million simulated card resolutions; a million token conflicts 10 v 10 to the end"
START = "sortes ask … from a cold start"
GROWTH = "growth: dice 10..1,000; packs 1..16 (resolution); ratings 1..40 (conflict)"

PARTS = (ORACLE, POKER, AGATE, CARDS, CONFLICT, CONFLICT_END, EFFORT, TASK, PLAYS, CROWD, START, GROWTH)

ROWS = (
    Row("oracle", ORACLE, "d20 oracle, likely", "≥ 2 ×", oracle),
    Row("poker-icepool", POKER, "poker dice, seven modifiers", "≥ 1 ×", poker_icepool),
    Row("poker-dyce", POKER, "poker dice, seven modifiers", "≥ 1 ×", poker_dyce),
    Row("agate", AGATE, "Agate, 6 ranks × best and worst of 1..10", "≥ 1 ×", agate),
    Row("agate-10", AGATE, "Agate, the best of 10 dice", "≥ 1 ×", partial(agate_pool, 10, None)),
    Row("agate-100", AGATE, "Agate, the best of 100 dice", "≥ 1 ×", partial(agate_pool, 100, None)),
    Row(
        "agate-1000",
        AGATE,
        "Agate, the best of 1,000 dice",
        "≥ 1 ×, < 50 ms",
        partial(agate_pool, 1000, 0.05),
    ),
    Row("cards", CARDS, "card resolution, EL 1..14 × 1..14", "≥ 20 ×", partial(cards, False)),
    Row("cards-extra", CARDS, "the same with Extra Effort x ≤ e ≤ 14", "≥ 20 ×", partial(cards, True)),
    Row("conflict", CONFLICT, "token conflict 10 v 10, one deck", "< 0.2 s", conflict),
    Row("conflict-end", CONFLICT_END, "token conflict 10 v 10, to the end", "< 1 s", conflict_end),
    Row(
        "conflict-memory", CONFLICT_END, "the same, memory of the whole process", "< 100 MB", conflict_memory
    ),
    Row("effort", EFFORT, "best Extra Effort, EL 7 against 1..14", "≥ 10 ×", effort),
    Row("task", TASK, "best policy of a skill task, one lead", "< 5 s", partial(task, 0, 5.0)),
    Row("task-helpers", TASK, "the same with two helpers", "shown", partial(task, 2, None)),
    Row("plays", PLAYS, "10,000 plays of the d20 oracle", "≥ 1 ×", plays),
    Row("crowd-cards", CROWD, "a million card resolutions", "< 0.1 s", crowd_cards),
    Row(
        "crowd-conflict",
        CROWD,
        "a million token conflicts 10 v 10",
        "< 10 s",
        crowd_conflict,
    ),
    Row("start", START, "sortes ask, from a cold start", "≤ 8 × as long", partial(start, False)),
    Row("start-table", START, "the same at a table, kept on the disk", "shown", partial(start, True)),
    Row(
        "growth-dice",
        GROWTH,
        "Agate, 10..1,000 dice",
        "polynomial",
        partial(growth, (10, 20, 50, 100, 200, 500, 1000), partial(ours.agate, 0)),
    ),
    Row(
        "growth-packs",
        GROWTH,
        "card resolution EL 14 v 14, 1..16 packs",
        "polynomial",
        partial(growth, (1, 2, 4, 8, 16), ours.packs),
    ),
    Row(
        "growth-ratings",
        GROWTH,
        "token conflict to the end, 1 v 1..40 v 40",
        "polynomial",
        partial(growth, (1, 2, 5, 10, 20, 40), lambda n: ours.conflict_to_the_end(n, n)),
    ),
)


def measure(row: Row, scale: Scale) -> Line:
    """Measure a row; what goes wrong is its note, and it is not reached."""

    def give_up(*_: Any) -> NoReturn:
        raise TimeoutError(f"given up after {scale.patience} s")

    before = signal(SIGALRM, give_up)
    alarm(scale.patience)
    try:
        return row.measure(scale)
    except Exception as wrong:  # noqa: BLE001 - one row that fails must not take the others with it
        return Line(reached=False, failed=True, note=f"{type(wrong).__name__}: {wrong}"[:300])
    finally:
        alarm(0)
        signal(SIGALRM, before)
