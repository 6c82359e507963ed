"""A table's log as people read it: the events of a play are one thing to tell, and everything is a sentence.

A journal is made of the entries that one seat has seen, and of nothing else. `items` are in the order in which they
began; `state` is how the table stood at the end.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec
from msgspec import Struct

from sortes import catalog
from sortes.core.chance import Thrown
from sortes.core.errors import RuleError
from sortes.core.system import Rule
from sortes.show import text, words
from sortes.table import fold

SILENT = frozenset(
    ("committed", "sealed", "rules")
)  # what stands behind other things, and is not told itself
ROLES = {"gm": "game master", "player": "player", "watcher": "watcher"}


class Item(Struct):
    """One thing that happened: who did it, what it was in a sentence, and for plays all that belongs to them.

    `last` is the number of its last entry. `struck` says that it does not count any more, `secret` who was to see it.
    """

    number: int
    last: int
    at: int
    kind: str
    who: str = ""
    said: str = ""
    story: str = ""  # the same without mechanics; nothing where it is only mechanics
    body: str = ""  # people's own words
    struck: str = ""
    secret: str = ""
    scene: int = 0
    play: Play | None = None


class Play(Struct):
    """A play as far as it has come."""

    id: str
    rule: Rule | None
    rule_id: str
    question: str = ""
    character: str = ""
    params: str = ""
    throws: list[Thrown] = []
    choices: list[str] = []
    spent: list[tuple[str, int]] = []
    waits: str = ""
    result: words.Said | None = None
    effects: list[tuple[str, str]] = []
    tells: list[str] = []  # what of the result belongs to the story
    why: list[str] = []
    ended: str = ""
    given: dict[str, Any] = {}
    corrected: str = ""

    @property
    def title(self) -> str:
        """What was played, in words."""
        return self.question or self.how

    @property
    def how(self) -> str:
        """The rule and its parameters."""
        return f"{self.rule_id}: {self.params}" if self.params else self.rule_id

    @property
    def named(self) -> list[str]:
        """What each throw is called."""
        if self.rule is not None:
            try:
                return words.drawn_by(self.rule, self.given, self.throws)
            except (KeyError, TypeError):
                pass
        return [words.caption(one) for one in self.throws]

    @property
    def thrown(self) -> list[str]:
        """Each throw in a line."""
        return [text.throw(one, name) for name, one in text.merged(self.throws, self.named)]


class Journal:
    """The whole log of one seat."""

    def __init__(self) -> None:
        self.items: list[Item] = []
        self.state = fold.State()
        self.first, self.end = 0, 0  # milliseconds since 1970
        self._plays: dict[str, Item] = {}
        self._acts: dict[str, list[Item]] = {}

    # ---- reading --------------------------------------------------------------------------------

    def take(self, number: int, event: Mapping[str, Any]) -> None:
        """Read one entry."""
        event = dict(event)
        self.first, self.end = self.first or event.get("at", 0), event.get("at", self.end)
        if event["kind"] == "revealed":
            fold.fold(self.state, event)
            self._revealed(number, event)
            return
        if event["kind"] in TOLD:
            self._of_play(number, event)
        elif event["kind"] not in SILENT:
            gone = self._named(event)
            fold.fold(self.state, event)
            self._written(number, event, gone)
            return
        fold.fold(self.state, event)

    def _named(self, event: Mapping[str, Any]) -> str:
        """What an entry that may go away is called."""
        one = self.state.written.get(event["kind"], {}).get(event.get("id", ""), {})
        if event["kind"] == "character" and event["id"] in self.state.characters:
            return self.state.characters[event["id"]].name
        return str(one.get("title") or one.get("name") or one.get("text") or "")

    def seat(self, id: str) -> str:
        """The name of a seat."""
        return self.state.seats[id].name if id in self.state.seats else ""

    def someone(self, id: str | None) -> str:
        """The name of a character."""
        return self.state.characters[id].name if id in self.state.characters else ""

    def _add(self, number: int, event: Mapping[str, Any], **keys: Any) -> Item:
        item = Item(
            number, number, event.get("at", self.end), event["kind"], self.seat(event.get("seat", "")), **keys
        )
        item.scene = self.state.scene
        to = event.get("to")
        if to is not None:
            names = ["the game master" if key == "gm" else self.seat(key) or "one seat" for key in to]
            item.secret = f"for {' and '.join(names)} alone" if names else "for nobody yet"
        self.items.append(item)
        if event.get("act"):
            self._acts.setdefault(event["act"], []).append(item)
        return item

    # ---- plays ----------------------------------------------------------------------------------

    def _of_play(self, number: int, event: Mapping[str, Any], *, secret: str = "") -> None:
        id = event["play"]
        if id not in self._plays:
            item = self._add(number, event)
            item.kind, item.secret = "play", secret or item.secret
            item.play = Play(id, _rule(event.get("rule", "")), event.get("rule", "a play"))
            self._plays[id] = item
        item = self._plays[id]
        assert item.play is not None
        item.last = number
        TOLD[event["kind"]](self, item, item.play, event)

    def _played(self, item: Item, play: Play, event: Mapping[str, Any]) -> None:
        play.rule, play.rule_id = _rule(event["rule"]), event["rule"]
        play.question, play.character = event.get("question", ""), self.someone(event.get("who"))
        named = event.get("named", {})
        if play.rule:
            play.given = {
                name: event["params"].get(name, f.default) for name, f in play.rule.form.fields.items()
            }
            told = {n: named.get(n, v) for n, v in event["params"].items() if n in play.rule.form.fields}
            try:
                play.params = words.params(play.rule, {n: v for n, v in told.items() if v is not None})
            except (TypeError, AttributeError):
                play.params = ""

    def _throw(self, item: Item, play: Play, event: Mapping[str, Any]) -> None:
        play.throws = [*play.throws, *thrown(event)]
        play.waits = ""

    def _chosen(self, item: Item, play: Play, event: Mapping[str, Any]) -> None:
        about = words.question(event["about"]).rstrip("?")
        play.choices = [*play.choices, f"{about}: {words.option(event['about'], event['option'])}"]
        play.waits = ""

    def _effect(self, item: Item, play: Play, event: Mapping[str, Any]) -> None:
        play.spent = [*play.spent, (event["what"], event["n"])]

    def _waiting(self, item: Item, play: Play, event: Mapping[str, Any]) -> None:
        ask = event["ask"]
        play.waits = words.question(ask["about"]) if ask["kind"] == "choice" else "A throw by hand"

    def _resolved(self, item: Item, play: Play, event: Mapping[str, Any]) -> None:
        play.waits, play.why = "", list(event.get("why", ()))
        self._outcome(play, event["outcome"])

    def _outcome(self, play: Play, outcome: Mapping[str, Any]) -> None:
        play.tells = [
            str(v) for name, v in outcome.items() if v and (name == "text" or name.endswith("_text"))
        ]
        if play.rule is None:
            told = ", ".join(
                f"{key} {words.value(v)}" for key, v in outcome.items() if v not in (None, False)
            )
            play.result = words.Said(told or "Resolved", "none")
            return
        try:
            made = msgspec.convert(outcome, play.rule.outcome)
            play.result = words.said(play.rule, made, play.throws)
            play.effects = words.effects(play.rule, made, play.spent)
        except (msgspec.ValidationError, AttributeError, IndexError, KeyError, TypeError):
            play.result = words.Said(words.label(str(next(iter(outcome.values()), "Resolved"))), "none")

    def _ended(self, item: Item, play: Play, event: Mapping[str, Any]) -> None:
        play.waits, play.ended = "", event.get("reason") or "ended by hand"

    def _blind(self, item: Item, play: Play, event: Mapping[str, Any]) -> None:
        play.question = event.get("question", "")
        play.waits = "Thrown blind: nobody has seen it yet"
        item.secret = "blind"

    def _corrected(self, item: Item, play: Play, event: Mapping[str, Any]) -> None:
        reason = f": {event['text']}" if event.get("text") else ""
        if event.get("void"):
            item.struck = f"made void{reason}"
        if event.get("outcome"):
            self._outcome(play, event["outcome"])
        play.corrected = f"corrected{reason}"

    def _revealed(self, number: int, event: Mapping[str, Any]) -> None:
        id = event["play"]
        told = event.get("events", ())
        if not told:
            self._add(number, event, said="shows to all what was played in secret")
            if id in self._plays:
                self._plays[id].secret = ""
            return
        if id in self._plays:  # known as blind only
            self.items.remove(self._plays.pop(id))
        for one in told:
            if one["event"]["kind"] in TOLD:
                self._of_play(number, one["event"], secret="played earlier in secret")

    # ---- everything else ------------------------------------------------------------------------

    def _written(self, number: int, event: Mapping[str, Any], gone: str) -> None:
        said, story, body = SAID.get(event["kind"], _unknown)(self, event, gone)
        if said or body:
            self._add(number, event, said=said, story=story, body=body)
        if event["kind"] == "undone":
            for item in self._acts.get(event["of"], ()):
                if item.kind != "play":
                    item.struck = "taken back"
                elif item.play and event.get("play") == item.play.id:
                    item.last = number
                    if event.get("before") is None:
                        item.struck = "taken back"
            if (id := event.get("play")) in self._plays and event.get("before") is not None:
                play = self._plays[id].play
                assert play is not None
                play.result, play.effects = None, []
                play.choices = [*play.choices, "taken back"]
                ask = event["before"].get("ask") or {}
                play.waits = words.question(ask["about"]) if ask.get("kind") == "choice" else "goes on"


TOLD: Mapping[str, Any] = {
    "played": Journal._played,
    "throw": Journal._throw,
    "chosen": Journal._chosen,
    "effect": Journal._effect,
    "waiting": Journal._waiting,
    "resolved": Journal._resolved,
    "ended": Journal._ended,
    "blind": Journal._blind,
    "corrected": Journal._corrected,
}


def _rule(id: str) -> Rule | None:
    """A rule, if its system is installed here."""
    try:
        return catalog.rule(id)
    except RuleError:
        return None


def thrown(event: Mapping[str, Any]) -> list[Thrown]:
    """The throws of an event, as the engine has them."""
    out: list[Thrown] = []
    for item in event["groups"]:
        if item["kind"] == "shuffled":
            continue
        name, faces = str(item["name"]).partition(f"-{event['play']}")[0], tuple(item["faces"])
        kept = tuple(item.get("kept", faces))
        if out and item["kind"] == "cards" and out[-1].name == name:  # the deck was shuffled on the way
            faces, kept = (*out[-1].faces, *faces), (*out[-1].kept, *kept)
            out.pop()
        out.append(Thrown(item["kind"], name, faces, kept, item.get("by", "")))
    return out


# ---- sentences ------------------------------------------------------------------------------------

Sentence = tuple[str, str, str]  # with mechanics, without, and people's own words


def _unknown(j: Journal, e: Mapping[str, Any], gone: str) -> Sentence:
    return f"{words.label(str(e['kind'])).lower()}", "", ""


def _opened(j: Journal, e: Mapping[str, Any], gone: str) -> Sentence:
    return f"The table {e['title']} is open", "", ""


def _secret(j: Journal, e: Mapping[str, Any], gone: str) -> Sentence:
    return f"opens the secret of {e['stretch']}: its throws can be verified", "", ""


def _seat(j: Journal, e: Mapping[str, Any], gone: str) -> Sentence:
    name = j.seat(e["id"])
    if e.get("revoked"):
        return f"takes {name}’s seat away", "", ""
    if e.get("renewed"):
        return f"renews the link of {name}’s seat", "", ""
    if "role" in e:
        return f"{name} has a seat ({ROLES.get(e['role'], e['role'])})", f"{name} joins", ""
    return f"is called {name} from here on", "", ""


def _character(j: Journal, e: Mapping[str, Any], gone: str) -> Sentence:
    name = j.someone(e["id"]) or e.get("name", "") or gone
    if e.get("gone"):
        return f"takes {name} from the table", f"{name} leaves", ""
    if not gone:
        return f"brings in {name}", f"{name} comes in", ""
    parts = [f"renames {gone} {name}"] if name != gone else []
    parts += [f"gives {name} to {j.seat(e['owner']) or 'the game master'}"] if "owner" in e else []
    changes = [_change(c) for c in e.get("changes", ())]
    parts += [f"changes {name}: {', '.join(changes)}"] if changes else []
    return "; ".join(parts) or f"writes {name}’s sheet", "", ""


def _change(change: Mapping[str, Any]) -> str:
    name = " ".join(words.label(part) if i == 0 else part for i, part in enumerate(change["at"][2:]))
    if "by" in change:
        return f"{name} {change['by']:+d}".replace("-", "−")
    return f"{name} {words.value(change.get('to'))}"


def _changes(j: Journal, e: Mapping[str, Any]) -> str:
    by: dict[str, list[str]] = {}
    for change in e.get("changes", ()):
        field = words.label(change["at"][2])
        if "into" in change:
            field += f" becomes {words.label(change['into'][2])}"
        by.setdefault(j.someone(change["at"][0]), []).append(field)
    return "; ".join(f"{who}: {', '.join(fields)}" for who, fields in by.items() if who)


def _scene(j: Journal, e: Mapping[str, Any], gone: str) -> Sentence:
    title = f"Scene {e['n']}{': ' if e.get('title') else ''}{e.get('title', '')}"
    return title, title, ""


def _rest(j: Journal, e: Mapping[str, Any], gone: str) -> Sentence:
    who = j.someone(e.get("who")) or "Everybody"
    brought = _changes(j, e)
    return f"{who} rests{f' ({brought})' if brought else ''}", f"{who} rests", ""


def _note(j: Journal, e: Mapping[str, Any], gone: str) -> Sentence:
    return "", "", e["text"]


def _question(j: Journal, e: Mapping[str, Any], gone: str) -> Sentence:
    asked = e.get("text") or gone
    if e.get("gone"):
        return f"lets a question go: {asked}", "", ""
    answer = f"Answered: {asked} {e['answer']}" if e.get("answer") else f"Open question: {asked}"
    return answer, answer, ""


def _thread(j: Journal, e: Mapping[str, Any], gone: str) -> Sentence:
    title = e.get("title") or gone
    if e.get("gone"):
        return f"takes away the thread {title}", "", ""
    state = {"closed": "closed", "open": "open"}.get(e.get("state", ""), "")
    told = f"Thread {title}{f' is {state}' if state else ''}"
    return told, told, ""


def _clock(j: Journal, e: Mapping[str, Any], gone: str) -> Sentence:
    now = j.state.written.get("clock", {}).get(e["id"], {})
    title = now.get("title") or gone
    if e.get("gone"):
        return f"takes away the clock {title}", "", ""
    told = f"Clock {title}: {now.get('filled', 0)} of {now.get('size', 0)}"
    return told, told, ""


def _ledger(j: Journal, e: Mapping[str, Any], gone: str) -> Sentence:
    now = j.state.written.get("ledger", {}).get(e["id"], {})
    name = now.get("name") or gone
    if e.get("gone"):
        return f"takes {name} from the ledger", "", ""
    skill = f" at {now['skill']}" if now.get("skill") else ""
    return f"{name} has shown EL {now['el']}{skill}" if "el" in now else f"{name} is in the ledger", "", ""


def _settings(j: Journal, e: Mapping[str, Any], gone: str) -> Sentence:
    told = ", ".join(f"{words.label(k).lower()} {words.value(v)}" for k, v in e["changed"].items())
    return f"sets {told}", "", ""


def _house(j: Journal, e: Mapping[str, Any], gone: str) -> Sentence:
    if not e["changes"]:
        return f"plays {e['system']} as it comes", "", ""
    return f"changes the house rules of {e['system']}: {', '.join(e['changes'])}", "", ""


def _shuffled(j: Journal, e: Mapping[str, Any], gone: str) -> Sentence:
    if "cards" in e:
        return "" if "-" in e["deck"] else "lays a new deck", "", ""
    return {"correction": "puts cards back into the deck"}.get(e.get("by", ""), "shuffles the deck"), "", ""


def _undone(j: Journal, e: Mapping[str, Any], gone: str) -> Sentence:
    what = {"chosen": "a choice", "played": "a play", "ledger": "a line of the ledger"}.get(
        e.get("what", ""), ""
    )
    return f"takes back {what or 'a ' + str(e.get('what', 'thing'))}", "", ""


def _told(said: str) -> Any:
    return lambda j, e, gone: (said, "", "")


SAID: Mapping[str, Any] = {
    "opened": _opened,
    "opened-secret": _secret,
    "seat": _seat,
    "character": _character,
    "scene": _scene,
    "rest": _rest,
    "note": _note,
    "question": _question,
    "thread": _thread,
    "clock": _clock,
    "ledger": _ledger,
    "settings": _settings,
    "house": _house,
    "shuffled": _shuffled,
    "undone": _undone,
    "noticed": _told("plays something in secret"),
    "flagged": lambda j, e, gone: (e["text"], "", ""),
    "imported": lambda j, e, gone: (f"The log of {e['from']} was brought in", "", ""),
}


def read(entries: Iterable[tuple[int, Mapping[str, Any]]]) -> Journal:
    """The journal of a seat, from its entries in order."""
    journal = Journal()
    for number, event in entries:
        journal.take(number, event)
    return journal


__all__ = ["Item", "Journal", "Play", "read", "thrown"]
