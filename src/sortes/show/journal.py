"""A table's log as people read it: what one seat has seen, one thing after the other, the events of a play as one.

The journal is read with the table's own fold: what it says stands on the table is what the table says. Nothing goes
into it but the entries it is given, so it tells no seat more than that seat's log.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

import msgspec
from msgspec import Struct

from sortes import catalog
from sortes.core.chance import Thrown
from sortes.core.errors import RuleError
from sortes.core.system import Rule
from sortes.show import phrases, sentences, text, words
from sortes.show.phrases import own
from sortes.show.sentences import Event, Names, Was
from sortes.show.text import thrown
from sortes.table import fold

BREAK = 6 * 3_600_000  # ms without an entry, after which another session begins
NOT_READ = (
    AttributeError,
    IndexError,
    KeyError,
    TypeError,
    ValueError,
)  # what words meet in a record of other versions


# ---- what there is to tell --------------------------------------------------------------------------


class Item(Struct):
    """One thing that happened: `number` and `last` are its first and last entry, `who` is the seat that did it.

    `said` is what it did, a sentence without `who` and without its full stop; `story` the same without mechanics, or
    nothing where it is no part of the story. What people wrote has a `title`, and how it `stands`. `quiet` is what only
    the log itself shows. `secret` says who alone sees it, `undone` who took it back; nothing where that is not so.
    """

    number: int
    last: int
    at: int
    kind: str
    session: int = 1
    who: str = ""
    said: str = ""
    story: str = ""
    title: str = ""
    stands: str = ""
    quiet: bool = False
    secret: str = ""
    undone: str = ""

    @property
    def struck(self) -> bool:
        """Whether it does not count any more."""
        return bool(self.undone)


class Note(Item):
    """What somebody wrote: paragraphs of lines. `by_master` where it was the game master."""

    paragraphs: list[list[str]] = []
    by_master: bool = False


class Scene(Item):
    """A scene begins. `brought` is what came back with it."""

    n: int = 0
    brought: str = ""


class Chosen(Struct):
    """A choice that was made in a play, `after` so many throws. `idle`: it left all as it is."""

    who: str
    about: str
    question: str
    option: str
    cost: str
    act: str
    spent: list[tuple[str, int]]
    after: int = 0
    idle: bool = False
    undone: str = ""


class Result(Struct):
    """What a play came to: in words, its effects, its texts for the story (none: it is no part of one), and the rules
    that say so."""

    said: words.Said
    effects: list[tuple[str, str]] = []
    story: list[str] | None = None
    why: list[str] = []
    act: str = ""


class Correction(Struct):
    """The game master set a play right: why, and what it comes to now. `void`: to nothing."""

    number: int
    who: str
    text: str
    void: bool = False
    result: Result | None = None


class Play(Item):
    """A play as far as it came. `doer` and `rival` are characters, `asked` is what was asked of the rule.

    `earlier` says that it was played in secret before its place here, `shown` that a secret was shown to all since.
    """

    play: str = ""
    rule: Rule | None = None
    rule_id: str = ""
    doer: str = ""
    rival: str = ""
    question: str = ""
    asked: str = ""
    deed: str = ""
    skills: list[str] = []  # what sheets call what the doer's side has in it
    earlier: str = ""
    after: int = 0  # where it was truly played
    shown: str = ""
    by_hand: bool = False
    throws: list[Thrown] = []
    choices: list[Chosen] = []
    counted: list[tuple[str, str, int]] = []  # act, what, how many
    waits: str = ""
    result: Result | None = None
    corrections: list[Correction] = []
    ended: str = ""
    given: dict[str, Any] = {}

    @property
    def struck(self) -> bool:
        """Whether it does not count any more."""
        return bool(self.undone) or any(one.void for one in self.corrections)

    @property
    def now(self) -> Result | None:
        """What it comes to as things stand."""
        return next((one.result for one in reversed(self.corrections) if one.result), self.result)

    @property
    def why(self) -> list[str]:
        """The rules that it came to its first result by."""
        return self.result.why if self.result else []

    @property
    def actor(self) -> str:
        """Whose play it is: the character's, else the seat's."""
        return self.doer or self.who

    @property
    def drawn(self) -> list[tuple[str, Thrown]]:
        """The throws, each with whose it was or what."""
        try:
            names = words.drawn_by(self.rule, self.given, self.throws) if self.rule else []
        except NOT_READ:
            names = []
        names = names or [words.caption(one) for one in self.throws]
        sides = {"You": self.actor, "The other side": self.rival or "The other side"}
        sides["Drawn, yours first"] = f"Drawn, {self.actor}’s first"
        return text.merged(self.throws, [own(sides.get(name, name)) for name in names])

    @property
    def tried(self) -> str:
        """What was played, without numbers: "an attempt, Climbing"."""
        return ", ".join([self.deed, *self.skills])

    @property
    def by(self) -> str:
        """Whose character does it, where the question does not say so itself."""
        said = re.search(rf"(?<!\w){re.escape(self.doer)}(?!\w)", self.question, re.IGNORECASE)
        return "" if said else self.doer

    @property
    def in_story(self) -> bool:
        """Whether a story can tell it: it stands, and came to something that is a word."""
        if self.struck or (self.rule and not phrases.in_story(self.rule)):
            return False
        return bool(self.question) or (self.now is not None and self.now.story is not None)


class Journal(Struct):
    """All that one seat's log has to tell, and how things stood at the end of it."""

    title: str = ""
    items: list[Item] = []
    first: int = 0  # ms since 1970
    last: int = 0
    masters: list[str] = []  # of the game
    players: list[str] = []
    systems: list[str] = []  # titles, of what was played
    cast: list[
        tuple[str, str, list[tuple[str, list[tuple[str, str]]]]]
    ] = []  # name, whose, by system what stands there
    threads: list[tuple[str, bool]] = []  # title, whether open
    clocks: list[tuple[str, int, int]] = []  # title, filled, size
    questions: list[tuple[str, str]] = []  # what was asked, and the answer
    ledger: list[tuple[str, str]] = []  # who, and what they have shown

    @property
    def waiting(self) -> list[Play]:
        """Plays that are not over."""
        return [one for one in self.items if isinstance(one, Play) and one.waits and not one.struck]

    def sessions(self) -> dict[int, int]:
        """When each session began, by its number."""
        out: dict[int, int] = {}
        for one in self.items:
            out.setdefault(one.session, one.at)
        return out

    def scenes(self) -> Iterator[tuple[Scene | None, list[Item]]]:
        """The items by scene; those before the first scene come first, with none."""
        scene: Scene | None = None
        items: list[Item] = []
        for one in self.items:
            if isinstance(one, Scene) and not one.struck:
                if scene or items:
                    yield scene, items
                scene, items = one, []
            else:
                items.append(one)
        if scene or items:
            yield scene, items


def day(at: int) -> str:
    """The day of a moment, in UTC: 2026-12-01."""
    return datetime.fromtimestamp(at / 1000, UTC).strftime("%Y-%m-%d")


def long_day(at: int) -> str:
    """The day of a moment in words, in UTC: 1 December 2026."""
    moment = datetime.fromtimestamp(at / 1000, UTC)
    return f"{moment.day} {moment:%B %Y}"


# ---- reading ----------------------------------------------------------------------------------------


class Reader:
    """Reads entries in order. Names and sheets are those of the time."""

    def __init__(self) -> None:
        self.state = fold.State()
        self.names = Names(self.state)
        self.journal = Journal()
        self.plays: dict[str, Play] = {}
        self.acts: dict[str, list[Item]] = {}
        self.session = 1

    def take(self, number: int, event: Event) -> None:
        """One entry."""
        kind, now = event["kind"], event.get("at", self.journal.last)
        if self.journal.items and now - self.journal.last > BREAK:
            self.session += 1
        self.journal.first, self.journal.last = self.journal.first or now, now
        if kind in PARTS and "play" in event:
            self.part(number, event)
            fold.fold(self.state, dict(event))
        elif kind == "revealed":
            self.reveal(number, event)
            fold.fold(self.state, dict(event))
        else:
            was = Was.of(self.names, event)
            fold.fold(self.state, dict(event))
            self.beside(number, event, was)

    def beside(self, number: int, event: Event, was: Was) -> None:
        """An event that is no part of a play."""
        kind = event["kind"]
        if kind == "undone":
            self.undone(number, event)
        elif kind == "note":
            master = self.names.role(event.get("seat")) == "gm"
            self.add(Note, number, event, paragraphs=phrases.prose(event["text"]), by_master=master)
        elif kind == "scene":
            back = sentences.brought(self.names, was)
            self.add(Scene, number, event, n=event["n"], title=own(event.get("title") or ""), brought=back)
        elif kind == "noticed" and any(
            isinstance(one, Play) for one in self.acts.get(event.get("act", ""), ())
        ):
            pass  # the play itself is told
        elif kind not in sentences.SILENT:
            told = sentences.told(self.names, event, was)
            if told.said:
                item = self.add(Item, number, event, said=told.said, story=told.story)
                item.title, item.stands = told.title, told.stands
                item.quiet = kind in sentences.QUIET or event.get("by") == "scene"
                item.who = "" if kind in sentences.NOBODY else item.who

    def undone(self, number: int, event: Event) -> None:
        """What is taken back is struck where it stands; the log says besides who did it."""
        who, items = self.names.seat(event.get("seat")) or "the table", self.acts.get(event["of"], ())
        for item in items:
            item.last = number
            if isinstance(item, Play):
                self.take_back(item, event, who)
            else:
                item.undone = who
        said = f"takes back {sentences.taken_back(event.get('what', ''))}"
        first = next((f" ({item.number})" for item in items), "")
        self.add(Item, number, event, said=said + first, quiet=True)

    # ---- items ----------------------------------------------------------------------------------

    def add(self, make: type[Item], number: int, event: Event, **keys: Any) -> Any:
        """One more item, at the end."""
        item = make(
            number=number,
            last=number,
            at=event.get("at", self.journal.last),
            kind=event["kind"],
            session=self.session,
            who=self.names.seat(event.get("seat")),
            secret=self.names.audience(event.get("to")),
            **keys,
        )
        self.journal.items.append(item)
        self.of_act(event, item)
        return item

    def of_act(self, event: Event, item: Item) -> None:
        """An act can be taken back, with all that belongs to it."""
        if act := event.get("act"):
            items = self.acts.setdefault(act, [])
            if not items or items[-1] is not item:
                items.append(item)

    # ---- plays ----------------------------------------------------------------------------------

    def part(self, number: int, event: Event, **secret: Any) -> None:
        """An event of a play."""
        play = self.plays.get(event["play"])
        if play is None:
            play = self.plays[event["play"]] = self.add(Play, number, event, play=event["play"], **secret)
            play.kind = "play"
        play.last = number
        self.of_act(event, play)
        PARTS[event["kind"]](self, play, number, event)

    def _played(self, play: Play, number: int, event: Event) -> None:
        play.rule_id, play.given = event["rule"], dict(event.get("params", {}))
        play.who = self.names.seat(event.get("seat")) or play.who
        play.doer, play.rival = (
            self.names.someone(event.get("who")),
            self.names.someone(event.get("opponent")),
        )
        play.question, play.by_hand = own(event.get("question", "")), bool(event.get("hand"))
        title = phrases.system_title(play.rule_id.partition(".")[0])
        if title not in self.journal.systems:
            self.journal.systems.append(title)
        try:
            play.rule = catalog.rule(play.rule_id)
        except RuleError:
            play.deed = f"a play of {own(play.rule_id)}, which is not installed here"
            return
        play.deed = phrases.deed(play.rule)
        try:
            play.asked = phrases.asked(play.rule, play.given, event.get("named", {}), play.rival)
            play.skills = phrases.skills(play.rule, event.get("named", {}))
        except NOT_READ:
            play.asked = ""
        for name, field in play.rule.form.fields.items():
            if not field.required:
                play.given.setdefault(name, field.default)

    def _throw(self, play: Play, number: int, event: Event) -> None:
        play.throws = [*play.throws, *thrown(event)] if play.throws else thrown(event)
        play.waits = ""

    def _chosen(self, play: Play, number: int, event: Event) -> None:
        about, cost = event["about"], event.get("cost", {})
        play.choices.append(
            Chosen(
                self.chooser(play, event["who"]),
                about,
                own(words.question(about)),
                own(words.option(about, event["option"])),
                own(words.cost(cost.items())),
                event.get("act", ""),
                list(cost.items()),
                len(play.throws),
                (about, event["option"]) in words.IDLE,
            )
        )
        play.waits = ""

    def chooser(self, play: Play, who: str) -> str:
        """Who chooses in a play."""
        if who == "opponent":
            return play.rival or "The other side"
        return "The table" if who == "table" else play.actor

    def _effect(self, play: Play, number: int, event: Event) -> None:
        play.counted.append((event.get("act", ""), event["what"], event["n"]))

    def _waiting(self, play: Play, number: int, event: Event) -> None:
        play.waits = self.wanted(play, event.get("ask") or {})

    def wanted(self, play: Play, ask: Event) -> str:
        """What a play waits for."""
        if ask.get("kind") != "choice":
            return "a throw by hand"
        about = ask["about"]
        options = []
        for one in ask.get("options", ()):
            cost = words.cost(one.get("cost", {}).items())
            options.append(f"{words.option(about, one['option'])}{f' ({cost})' if cost else ''}")
        return own(f"{self.chooser(play, ask.get('who', ''))}: {words.question(about)} {', '.join(options)}")

    def _resolved(self, play: Play, number: int, event: Event) -> None:
        play.waits = ""
        play.result = self.result(play, event["outcome"], event)
        if "low" in event:
            play.result.effects.append(("Few numbers are left in the deck", str(event["low"])))

    def result(self, play: Play, outcome: Event, event: Event) -> Result:
        """An outcome in words; in its own terms where nothing here knows them."""
        why = [own(one) for one in event.get("why", ())]
        result = Result(words.Said("", "none"), why=why, act=event.get("act", ""))
        try:
            if play.rule is None:
                raise KeyError(play.rule_id)
            made = msgspec.convert(outcome, play.rule.outcome)
            said = words.said(play.rule, made, play.throws, words.named(play.actor, play.rival))
            title = own(said.title)
            result.said = words.Said(title, said.mark, phrases.after(title, own(said.why)))
            costs = [spent for one in play.choices if not one.undone for spent in one.spent]
            paid = {what for what, _ in costs}
            tallies = [(what, n) for _, what, n in play.counted if what not in paid]
            effects = words.effects(play.rule, made, tallies, costs)
            result.effects = [(own(label), own(told)) for label, told in effects]
            if phrases.in_story(play.rule):
                result.story = [phrases.after(title, one) for one in phrases.told(play.rule, made)]
        except NOT_READ:  # of another version, or not installed here: it stands as it was written
            result.said = words.Said(_plainly(outcome), "none")
            result.story = [] if isinstance(next(iter(outcome.values()), None), str) else None
        return result

    def _ended(self, play: Play, number: int, event: Event) -> None:
        play.waits, play.ended = "", own(event.get("reason") or "")
        play.ended = f"ended by hand: {play.ended}" if play.ended else "ended by hand"

    def _corrected(self, play: Play, number: int, event: Event) -> None:
        one = Correction(
            number, self.names.seat(event.get("seat")), own(event.get("text", "")), bool(event.get("void"))
        )
        if event.get("outcome"):
            one.result = self.result(play, event["outcome"], event)
        play.corrections.append(one)
        if one.void:
            play.waits = ""

    def take_back(self, play: Play, event: Event, who: str) -> None:
        """An act of a play is taken back: all of it, or a choice."""
        before = event.get("before")
        if before is None:
            play.undone, play.waits = who, ""
            return
        for one in play.choices:
            if one.act == event["of"]:
                one.undone = who
        play.counted = [one for one in play.counted if one[0] != event["of"]]
        if play.result and play.result.act == event["of"]:
            play.result = None
        play.waits = self.wanted(play, before.get("ask") or {})

    def reveal(self, number: int, event: Event) -> None:
        """A play in secret is shown: for those who knew it a sentence, for all others the play itself."""
        events, who = event.get("events", ()), self.names.seat(event.get("seat"))
        known = self.plays.get(event["play"])
        if known and not events:
            known.shown, known.last = f"shown to all by {who}" if who else "shown to all", number
            self.add(
                Item, number, event, said=f"shows everybody what was played at {known.number}", quiet=True
            )
            return
        after = next((one["after"] for one in events), 0)
        secret = {
            "earlier": "played earlier in secret",
            "after": after,
            "shown": f"shown by {who or 'the table'}",
        }
        for one in events:
            if one["event"]["kind"] in PARTS:
                self.part(number, one["event"], **secret)
            elif one["event"]["kind"] == "undone" and event["play"] in self.plays:
                play = self.plays[event["play"]]
                self.take_back(play, one["event"], self.names.seat(one["event"].get("seat")) or "the table")

    # ---- the end --------------------------------------------------------------------------------

    def end(self) -> Journal:
        """The journal, with how things stand now."""
        state, journal = self.state, self.journal
        written = state.written
        journal.title = own(written.get("settings", {}).get("title") or state.title) or "A table"
        journal.masters = [own(one.name) for one in state.seats.values() if one.role == "gm"]
        journal.players = [own(one.name) for one in state.seats.values() if one.role == "player"]
        for one in state.characters.values():
            sheets = [
                (phrases.system_title(id), lines)
                for id, values in one.sheets.items()
                if (lines := phrases.sheet(id, values))
            ]
            journal.cast.append((own(one.name), self.names.seat(one.owner), sheets))
        for thread in written.get("thread", {}).values():
            journal.threads.append((own(thread.get("title", "")), thread.get("state") != "closed"))
        for clock in written.get("clock", {}).values():
            journal.clocks.append((own(clock.get("title", "")), clock.get("filled", 0), clock.get("size", 1)))
        for asked in written.get("question", {}).values():
            journal.questions.append((own(asked.get("text", "")), own(asked.get("answer") or "")))
        for npc in written.get("ledger", {}).values():
            at, el = own(npc.get("skill") or ""), npc.get("el")
            shown = f"EL {el}" if el is not None else ""
            journal.ledger.append(
                (own(npc.get("name", "")), f"{at}: {shown}" if at and shown else at or shown)
            )
        return journal


PARTS: Mapping[str, Any] = {
    "played": Reader._played,
    "throw": Reader._throw,
    "chosen": Reader._chosen,
    "effect": Reader._effect,
    "waiting": Reader._waiting,
    "resolved": Reader._resolved,
    "ended": Reader._ended,
    "corrected": Reader._corrected,
}


def _plainly(outcome: Event) -> str:
    """An outcome in its own terms."""
    told = [
        own(f"{words.label(name)} {words.value(one)}")
        for name, one in outcome.items()
        if one not in (None, False)
    ]
    return ", ".join(told) or "Resolved"


def read(entries: Iterable[tuple[int, Event]]) -> Journal:
    """The journal of a seat, from its entries (each a number and an event) in order. They are read once."""
    reader = Reader()
    for number, event in entries:
        reader.take(number, event)
    return reader.end()


__all__ = [
    "Chosen", "Correction", "Event", "Item", "Journal", "Note", "Play", "Reader", "Result", "Scene", "read", "thrown"
]  # fmt: skip
