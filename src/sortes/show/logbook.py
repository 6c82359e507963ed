"""A journal line by line: for a terminal, and for whoever wants an entry as one sentence."""

from __future__ import annotations

from itertools import groupby

from sortes.show import text, words
from sortes.show.journal import Chosen, Item, Journal, Note, Play, Result, Scene
from sortes.show.terminal import MARKS, Ink, coloured, marked, wrapped

FACES = 10  # how many are listed in a line; of more it says how many there are
NAME = 14  # columns of a name at most


# ---- in words -------------------------------------------------------------------------------------


def told(item: Item, mechanics: bool = True) -> bool:
    """Whether there is anything to tell of an item; without mechanics only what the story needs."""
    if mechanics:
        return True
    if isinstance(item, Play):
        return item.in_story and not item.ended
    return not item.struck and (isinstance(item, Note | Scene) or bool(item.story))


def headline(item: Item, mechanics: bool = True) -> str:
    """What it is, without who did it: the question of a play, or else what was played."""
    if isinstance(item, Scene):
        return f"Scene {item.n}{': ' if item.title else ''}{item.title}"
    if isinstance(item, Note):
        return " ".join(line for lines in item.paragraphs for line in lines)
    if not isinstance(item, Play):
        return item.said if mechanics else item.story
    doer = f"{item.by}: " if item.by else ""
    if item.question:
        return f"{doer}“{item.question}”"
    asked = f", {item.asked}" if item.asked and mechanics else ""
    return f"{doer}{item.deed if mechanics else item.tried}{asked}"


def asides(item: Item, mechanics: bool = True) -> list[str]:
    """What else is to be known of an item: who alone sees it, that it was taken back, or set right."""
    out = [item.secret] if item.secret and not (isinstance(item, Play) and item.shown) else []
    if isinstance(item, Play):
        after = f", after {item.after}" if mechanics and item.after else ""
        out += [
            f"{part}{after}" if part == item.earlier else part for part in (item.earlier, item.shown) if part
        ]
        if mechanics and item.by_hand:
            out.append("thrown by hand")
    if item.undone:
        out.append(f"taken back by {item.undone}")
    return out


def effects(result: Result, between: str = ", ") -> str:
    """What a result brings beside itself, in a row."""
    told = [
        f"{label}: {said}" if said.endswith((".", "!", "?")) else f"{label} {said}".strip()
        for label, said in result.effects
    ]
    return between.join(told)


def choices(play: Play) -> list[str]:
    """Choices that did something in words, those that were made again and again told once. Those of a round of a task
    are told with it."""
    out = []
    made = [
        one for one in play.choices if not one.idle and not (one.about in words.IN_A_ROUND and of_task(play))
    ]
    for said, alike in groupby(made, key=_choice):
        n = len(list(alike))
        out.append(f"{said}, {n} times" if n > 1 else said)
    return out


def _choice(one: Chosen) -> str:
    cost = f" ({one.cost})" if one.cost else ""
    back = f", taken back by {one.undone}" if one.undone else ""
    return f"{one.who}: {one.question} {one.option}{cost}{back}"


def thrown(play: Play) -> str:
    """What was thrown, short."""
    many = sum(len(one.faces) for one in play.throws)
    if many <= FACES and not of_task(play):
        return "; ".join(text.throw(one, name) for name, one in play.drawn)
    cards = sum(len(one.faces) for one in play.throws if one.kind == "cards")
    dice = many - cards
    parts = [f"{cards} card{'s' * (cards != 1)}"] if cards else []
    return " and ".join([*parts, f"{dice} di{'c' if dice != 1 else ''}e"] if dice else parts)


def thrown_lines(play: Play) -> list[str]:
    """Each throw in a line, but for those of a task, which `rounds` tells."""
    return [] if of_task(play) else [text.throw(one, name) for name, one in play.drawn]


def of_task(play: Play) -> bool:
    """Whether it is a task, which goes on in rounds (S3)."""
    return any(one.name == "drama" for one in play.throws)


def rounds(play: Play) -> list[str]:
    """The rounds of a task: each drama card with what was chosen and thrown on it. Nothing of other plays."""
    if not of_task(play):
        return []
    chosen: dict[int, list[str]] = {}
    for choice in play.choices:
        if choice.about in words.IN_A_ROUND:
            chosen.setdefault(choice.after, []).append(_in_round(choice))
    made: list[list[str]] = [chosen.get(0, [])]
    for i, one in enumerate(play.throws, 1):
        if one.name == "drama":
            made.append([text.faces(one)])
        else:
            made[-1].append(text.throw(one, words.caption(one)))
        made[-1] += [", ".join(chosen[i])] if i in chosen else []
    return ["; ".join(parts) for parts in made if parts]


def _in_round(one: Chosen) -> str:
    return (
        f"{words.IN_A_ROUND[one.about](one.option)}{f' (taken back by {one.undone})' if one.undone else ''}"
    )


def comes_to(play: Play, mechanics: bool = True) -> list[tuple[words.Mark, str]]:
    """What a play came to, with its mark: the result that was corrected first, and then the one that counts."""
    found: list[tuple[words.Mark, str]] = []
    rows = [(play.result, "")] if play.result else []
    rows += [(one.result, "void" if one.void else one.text) for one in play.corrections if one.result]
    for result, why in rows[-1:] if not mechanics else rows:
        told = "".join(f". {line}" for line in result.story or ()) if not mechanics else ""
        more = effects(result) if mechanics else ""
        said = f"{result.said.title}{f' · {more}' if more else ''}{told}"
        found.append((result.said.mark, f"{said} (corrected: {why})" if why and mechanics else said))
    return found


def sentence(item: Item, mechanics: bool = True) -> str:
    """An item in one sentence, with who did it."""
    head = headline(item, mechanics)
    if isinstance(item, Scene) or not item.who:
        told = head
    elif isinstance(item, Note | Play):
        told = f"{item.who}: {head}"
    else:
        told = f"{item.who} {head}"
    if isinstance(item, Play):
        told += "".join(f" → {said}" for _, said in comes_to(item, mechanics)[-1:])
        told += " → void" if item.struck and not item.undone else ""
        told += f" … {item.waits}" if item.waits else ""
    aside = asides(item, mechanics)
    return f"{told} ({'; '.join(aside)})" if aside else told


# ---- in a terminal ----------------------------------------------------------------------------------


def listed(
    journal: Journal, pen: Ink, *, mechanics: bool = True, most: int | None = None, after: int = 0
) -> list[str]:
    """What went on behind the entry `after`, or the last `most` things that did, in lines."""
    items = [one for one in journal.items if one.last > after and told(one, mechanics)]
    items = items[-most:] if most else items
    names = max((len(one.who) for one in items), default=0)
    page = _Page(pen, max(3, len(str(journal.items[-1].number))) if items else 3, min(names, NAME))
    out: list[str] = []
    for item in items:
        if isinstance(item, Scene) and not item.struck:
            out += [""] if out else []
            out += page.scene(item, mechanics)
        else:
            out += page.item(item, mechanics)
    return out


class _Page:
    """Columns for numbers and names; on a narrow terminal names stand in the text."""

    def __init__(self, pen: Ink, digits: int, names: int) -> None:
        self.pen, self.digits = pen, digits
        self.names = names if pen.width >= 60 else 0
        self.hang = " " * (2 + digits + 2 + (self.names + 2 if self.names else 0))

    def head(self, item: Item, first: str) -> str:
        number = self.pen(f"{item.number:>{self.digits}}", "dim")
        who = item.who if len(item.who) <= NAME else f"{item.who[: NAME - 1]}…"
        return f"  {number}  {f'{who:<{self.names}}  ' if self.names else ''}{first}"

    def scene(self, item: Scene, mechanics: bool) -> list[str]:
        """A scene stands out."""
        first, *rest = wrapped(headline(item), self.pen.width, self.hang)
        out = [self.head(item, self.pen(first.strip(), "bold"))]
        out += [self.pen(line, "bold") for line in rest]
        return out + (wrapped(item.brought, self.pen.width, self.hang) if item.brought and mechanics else [])

    def item(self, item: Item, mechanics: bool) -> list[str]:
        """Who and what; then what a play came to, and how."""
        said = headline(item, mechanics)
        if not self.names and item.who:
            said = f"{item.who}{':' * isinstance(item, Note | Play)} {said}"
        struck = item.struck and not (isinstance(item, Play) and not item.undone)
        said = f"[{said}]" if struck else said
        aside = asides(item, mechanics)
        said += f" ({'; '.join(aside)})" if aside else ""
        first, *rest = wrapped(said, self.pen.width, self.hang) or [""]
        out = [self.head(item, first.strip()), *rest]
        if struck:
            out = [self.pen(line, "dim") for line in out]
        return out + (self.play(item, mechanics) if isinstance(item, Play) and not struck else [])

    def play(self, play: Play, mechanics: bool) -> list[str]:
        """The result, each one where it was corrected, and how it came to it."""
        how = [play.asked if play.question else "", thrown(play)] if mechanics else []
        tail = "".join(f" · {part}" for part in how if part)
        void = next((one for one in play.corrections if one.void), None)
        rows = comes_to(play, mechanics)
        lines = []
        for i, (mark, said) in enumerate(rows):
            lines.append((mark, said + (tail if i == 0 else "")))
        if not rows and tail:
            lines.append(("none", tail.removeprefix(" · ")))
        if void:
            lines.append(("none", f"made void: {void.text}" if void.text else "made void"))
        if play.ended:
            lines.append(("none", play.ended))
        if play.waits:
            lines.append(("none", f"waits. {play.waits} [{play.play}]" if mechanics else "not over yet"))
        out = []
        for mark, said in lines:
            glyph = MARKS[mark]
            first, *rest = wrapped(said, self.pen.width - len(glyph) - 1, self.hang)
            out.append(f"{self.hang}{marked(self.pen, mark)} {coloured(self.pen, first.strip())}")
            out += [" " * (len(glyph) + 1) + coloured(self.pen, line) for line in rest]
        return out


__all__ = [
    "asides",
    "choices",
    "comes_to",
    "effects",
    "headline",
    "listed",
    "of_task",
    "rounds",
    "sentence",
    "thrown",
    "thrown_lines",
    "told",
]
