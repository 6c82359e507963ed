"""How plays, odds and advice look in a terminal: dice and cards as small boxes, marks, and bars.

Written by hand and not with rich, which takes longer to import than the whole of a play.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any, TextIO

from msgspec import Struct

from sortes.core.chance import Thrown
from sortes.show import text, words

MARKS: Mapping[words.Mark, str] = {
    "yes-great": "◉",
    "yes-great-but": "◐",
    "yes": "●",
    "yes-but": "◐",
    "yes-flat": "○",
    "no-flat": "◇",
    "no": "◆",
    "no-and": "⬖",
    "no-great": "◈",
    "both": "◖⬗",
    "fact": "✦",
    "none": "·",
}
FILLS: Mapping[words.Mark, str] = {
    "yes-great": "█",
    "yes-great-but": "▞",
    "yes": "█",
    "yes-but": "▞",
    "yes-flat": "░",
    "no-flat": "░",
    "no": "█",
    "no-and": "▚",
    "no-great": "█",
    "both": "▒",
    "fact": "▓",
    "none": "▓",
}
EIGHTHS = " ▏▎▍▌▋▊▉"

# What a terminal of few letters shows in their place.
PLAIN = str.maketrans(
    dict(zip("┌┐└┘╭╮╰╯─┄│┆█▓▒░▞▚", "++++++++--|:##=.//", strict=True))
    | {"▏": "", "▎": "", "▍": "", "▌": "#", "▋": "#", "▊": "#", "▉": "#"}
    | {"◉": "(*)", "●": "(+)", "◐": "(+)", "○": "(o)", "◇": "<o>", "◆": "<->", "⬖": "<->", "◈": "<*>"}
    | {"◖": "(+", "⬗": "->", "✦": "*", "·": "-", "♥": "H", "♦": "D", "♠": "S", "♣": "C"}
    | {"−": "-", "–": "-", "…": "...", "×": "x", "≤": "<=", "▸": ">", "’": "'"}
)

# Mid tones, that stand out on light and on dark: blue is for, ochre against, red for Hearts and Diamonds alone.
COLOURS = {
    "for": "38;5;32",
    "against": "38;5;136",
    "red": "38;5;167",
    "lit": "38;5;178",
    "bold": "1",
    "dim": "2",
}


class Ink(Struct, frozen=True):
    """What a stream can show: colours, more than ASCII, and how many columns."""

    colour: bool = False
    rich: bool = True
    width: int = 80

    def __call__(self, said: str, *styles: str) -> str:
        """Text in these styles, where there are colours."""
        if not self.colour or not styles or not said:
            return said
        return f"\033[{';'.join(COLOURS[style] for style in styles)}m{said}\033[0m"

    def fit(self, said: str) -> str:
        """The text in the letters that the stream has."""
        return said if self.rich else said.translate(PLAIN)


def ink(stream: TextIO, environ: Mapping[str, str] = os.environ) -> Ink:
    """What `stream` can show. NO_COLOR and TERM=dumb take colour away, FORCE_COLOR brings it."""
    terminal = stream.isatty()
    colour = terminal and environ.get("TERM") != "dumb"
    if environ.get("FORCE_COLOR") not in (None, "", "0"):
        colour = True
    if environ.get("NO_COLOR"):
        colour = False
    try:
        "█◐♥⬖".encode(stream.encoding or "ascii")
        rich = True
    except (UnicodeEncodeError, LookupError):
        rich = False
    columns = environ.get("COLUMNS", "")
    width = int(columns) if columns.isdigit() and int(columns) > 0 else 0
    if not width:
        try:
            width = os.get_terminal_size(stream.fileno()).columns if terminal else 80
        except (OSError, ValueError):
            width = 80
    return Ink(colour, rich, max(20, min(width or 80, 100)))


# ---- lines --------------------------------------------------------------------------------------


def wrapped(said: str, width: int, indent: str = "  ", hang: str | None = None) -> list[str]:
    """Text in lines of at most `width`."""
    lines, line = [], indent
    hang = indent if hang is None else hang
    for word in said.split():
        while seen(word) > width - len(hang) and len(hang) < width // 2:  # one word longer than a line
            room = max(1, width - len(line) - (not line.isspace()))
            line, word = line + " " * (line.strip() != "") + word[:room], word[room:]
            lines.append(line)
            line = hang
        if line.strip() and seen(line) + 1 + seen(word) > width:
            lines.append(line)
            line = hang
        line += f" {word}" if line.strip() else word
    return [*lines, line] if line.strip() else lines


def clean(said: str) -> str:
    """People's own words, without what would move a cursor or change a colour."""
    return "".join(c if c.isprintable() else " " for c in said).strip()


def side(mark: words.Mark) -> tuple[str, ...]:
    """The colour of a mark: for, against or neither."""
    return (
        ("for",) if mark.startswith("yes") else ("against",) if mark.startswith("no-") or mark == "no" else ()
    )


def marked(pen: Ink, mark: words.Mark) -> str:
    """A mark in its colours."""
    glyph = MARKS[mark]
    if mark == "both":
        return pen(glyph[0], "for") + pen(glyph[1], "against")
    return pen(glyph, *side(mark))


def seen(said: str) -> int:
    """How many columns a line takes."""
    return len(re.sub(r"\033\[[0-9;]*m", "", said))


# ---- dice and cards -----------------------------------------------------------------------------


def box(pen: Ink, thrown: Thrown, one: Any, counts: bool) -> tuple[str, str, str]:
    """A die or a card in three lines; what did not count is dashed and pale."""
    said = words.shown(thrown, one)
    card = thrown.kind == "cards"
    inner = f" {said:^{max(2, len(said))}} " if card else f" {said:>2} "
    a, b, c, d = "╭╮╰╯" if card else "┌┐└┘"
    line, wall = ("─", "│") if counts else ("┄", "┆")
    edge = () if counts else ("dim",)
    red = ("red",) if re.search("[♥♦]|red joker", said) else ()
    rule = line * len(inner)
    face = pen(inner, "bold" if counts else "dim", *red)
    return pen(a + rule + b, *edge), pen(wall, *edge) + face + pen(wall, *edge), pen(c + rule + d, *edge)


class Block(Struct):
    """Boxes of one throw that stand in one row, under its name."""

    name: str
    boxes: list[tuple[str, str, str]]

    @property
    def width(self) -> int:
        """Columns it takes."""
        return max(len(self.name), sum(seen(one[0]) for one in self.boxes) + len(self.boxes) - 1)

    def lines(self, pen: Ink) -> list[str]:
        """Four lines of that width."""
        rows = [pen(self.name, "dim"), *(" ".join(one[i] for one in self.boxes) for i in range(3))]
        return [row + " " * (self.width - seen(row)) for row in rows]


def throws(pen: Ink, thrown: Sequence[Thrown], names: Sequence[str]) -> list[str]:
    """Throws under their names, as boxes side by side; as lines of text where there are many, or no room."""
    named = text.merged(thrown, names)
    many = sum(len(one.faces) for _, one in named) > 30 or len(named) > 6
    if many or any(one.name == "drama" for one in thrown[1:]):
        return listed(pen, named)
    rows: list[list[Block]] = []
    for name, one in named:
        boxes = [box(pen, one, face, counts) for face, counts in zip(one.faces, words.kept(one), strict=True)]
        fits = max(1, (pen.width - 1) // (seen(boxes[0][0]) + 1)) if boxes else 1
        for i in range(0, len(boxes), fits):
            block = Block("" if i else name, boxes[i : i + fits])
            used = sum(b.width + 2 for b in rows[-1]) + 2 if rows else pen.width
            if used + block.width > pen.width or (one.kind == "cards" and len(one.faces) > 1):
                rows.append([])
            rows[-1].append(block)
    if len(rows) > 4:
        return listed(pen, named)
    out = []
    for row in rows:
        lines = [
            ("  " + "  ".join(parts)).rstrip() for parts in zip(*(b.lines(pen) for b in row), strict=True)
        ]
        out += lines if any(b.name for b in row) else lines[1:]
    return out


def listed(pen: Ink, named: Sequence[tuple[str, Thrown]]) -> list[str]:
    """Throws as text, a line for each drama card with what followed it, else one for each throw."""
    said = [text.throw(one, name) for name, one in named]
    if any(one.name == "drama" for _, one in named):
        rounds: list[str] = []
        for (_, one), line in zip(named, said, strict=True):
            if one.name == "drama" or not rounds:
                rounds += [text.faces(Thrown(one.kind, one.name, (f,), (f,))) for f in one.faces]
            else:
                rounds[-1] += f", {line}"
        said = [f"{i}  {line}" for i, line in enumerate(rounds, 1)]
    return [coloured(pen, line) for one in said for line in wrapped(one, pen.width, "  ", "     ")]


def coloured(pen: Ink, line: str) -> str:
    """Red suits in red, what did not count pale."""
    if not pen.colour:
        return line
    line = re.sub(r"\(\S+\)", lambda m: pen(m[0], "dim"), line)
    return re.sub(r"(?<![\w(])(10|[A2-9JQK])[♥♦]", lambda m: pen(m[0], "red"), line)


# ---- a play -------------------------------------------------------------------------------------


def answer(pen: Ink, said: words.Said) -> list[str]:
    """The answer in one clear line, and why in a sentence."""
    lines = wrapped(said.title, pen.width - 2, "    ")
    lines = [pen(line[4:], "bold") for line in lines]
    head = f"  {marked(pen, said.mark)} {lines[0]}"
    return [head, *(f"    {line}" for line in lines[1:]), *(wrapped(said.why, pen.width) if said.why else [])]


def facts(pen: Ink, told: Iterable[tuple[str, str]]) -> list[str]:
    """Effects, a line each; in two columns where there is room."""
    told = list(told)
    if not told:
        return []
    left = max(len(name) for name, _ in told)
    out = []
    for name, said in told:
        if not said:
            out += wrapped(name, pen.width)
        elif left > 28 or pen.width < 50:
            out += wrapped(f"{name}: {said}", pen.width, "  ", "    ")
        else:
            first, *more = wrapped(said, pen.width - left - 2)
            out.append(f"  {pen(f'{name:<{left}}', 'dim')}{first}")
            out += [" " * (left + 2) + line for line in more]
    return out


def was(p: Fraction | None) -> str:
    """How likely a result was beforehand."""
    if p is None:
        return ""
    fraction = words.exact(p)
    return f"It was {words.percent(p)} likely ({fraction})." if p not in (0, 1) else "It was certain."


# ---- tables with bars ---------------------------------------------------------------------------


class Row(Struct, frozen=True):
    """A row of a table of chances: its mark and name, its share of a bar, and what is said of it on the right."""

    mark: words.Mark | None
    name: str
    share: float
    said: tuple[str, ...]
    best: bool = False


def bar(pen: Ink, mark: words.Mark | None, share: float, width: int) -> str:
    """A bar as long as its share; never empty for what can happen."""
    mark = mark or "none"
    if share <= 0 or width <= 0:
        return " " * max(0, width)
    fill = FILLS[mark]
    if fill == "█":
        eighths = max(1, min(round(share * width * 8), width * 8))
        drawn = fill * (eighths // 8) + EIGHTHS[eighths % 8].strip()
    else:
        drawn = fill * max(1, min(round(share * width), width))
    rest = " " * (width - len(drawn))
    if mark == "both":
        return "".join(pen(c, "against" if i % 2 else "for") for i, c in enumerate(drawn)) + rest
    return pen(drawn, *side(mark)) + rest


def table(pen: Ink, rows: Sequence[Row]) -> list[str]:
    """Rows with bars where there is room; on a narrow terminal without them, then in two lines."""
    if not rows:
        return []
    wide = 2 if any(MARKS[row.mark] == MARKS["both"] for row in rows if row.mark) else 1
    left = max(len(row.name) for row in rows)
    columns = [max(len(row.said[i]) for row in rows) for i in range(len(rows[0].said))]
    right = sum(columns) + 2 * len(columns)
    marks = any(row.mark or row.best for row in rows)
    head = 2 + (wide + 1 if marks else 0)
    room = min(40, pen.width - head - left - right - 2)
    out = []
    for row in rows:
        lead = "  "
        if marks:
            glyph = MARKS[row.mark] if row.mark else "▸" if row.best else ""
            lead += (marked(pen, row.mark) if row.mark else glyph) + " " * (wide + 1 - len(glyph))
        style = ("bold",) if row.best else ()
        numbers = "".join(f"  {one:>{width}}" for one, width in zip(row.said, columns, strict=True))
        if room >= 6:
            out.append(
                f"{lead}{pen(f'{row.name:<{left}}', *style)}  {bar(pen, row.mark, row.share, room)}{numbers}"
            )
        elif room >= -2:
            out.append(f"{lead}{pen(f'{row.name:<{left}}', *style)}{numbers}")
        elif head + len(row.name) + len(numbers.lstrip()) + 2 <= pen.width:
            out.append(f"{lead}{pen(row.name, *style)}{numbers.lstrip():>{pen.width - head - len(row.name)}}")
        else:
            names = wrapped(row.name, pen.width, " " * head)
            out.append(lead + pen(names[0][head:], *style))
            out += names[1:]
            out.append(f"{'  '.join(row.said):>{pen.width}}" if pen.width > right else "  ".join(row.said))
    return [line.rstrip() for line in out]


def stack(pen: Ink, parts: Sequence[tuple[words.Mark, Fraction]], width: int) -> str:
    """One bar of all results, the best on the left."""
    out, at, sofar = [], 0, Fraction(0)
    for mark, p in parts:
        sofar += p
        end = round(sofar * width)
        out.append(bar(pen, mark, 1, end - at) if end > at else "")
        at = end
    return "".join(out)
