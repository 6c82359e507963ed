"""What happened beside plays, each in a sentence: seats and characters, scenes, what people wrote, how it is run."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeAlias

from msgspec import Struct

from sortes.show import phrases, words
from sortes.show.phrases import own
from sortes.table.fold import State

Event: TypeAlias = Mapping[str, Any]

ROLES = {"gm": "game master", "player": "player", "watcher": "watcher"}


class Told(Struct):
    """What an event has to tell: what its seat did, with mechanics and as the story has it (nothing where it is no part
    of one). For what people wrote, what it is called and how it stands."""

    said: str = ""
    story: str = ""
    title: str = ""
    stands: str = ""


class Names:
    """Who is called what on a table as it is now."""

    def __init__(self, state: State) -> None:
        self.state = state

    def seat(self, id: str | None) -> str:
        """The name of a seat."""
        return own(self.state.seats[id].name) if id in self.state.seats else ""

    def role(self, id: str | None) -> str:
        """The role of a seat."""
        return self.state.seats[id].role if id in self.state.seats else ""

    def someone(self, id: str | None) -> str:
        """The name of a character."""
        return own(self.state.characters[id].name) if id in self.state.characters else ""

    def audience(self, to: Iterable[str] | None) -> str:
        """Who alone sees something, in words."""
        if to is None:
            return ""
        master = "gm" in to  # who sees it anyway by that
        names = sorted(
            "the game master" if key == "gm" else self.seat(key) or "another seat"
            for key in to
            if key == "gm" or not (master and self.role(key) == "gm")
        )
        return f"for {' and '.join(names)} alone" if names else "for nobody yet"


class Was(Struct):
    """How it was before an event: what the entry held that it is about, and the sheets that it may change."""

    entry: Mapping[str, Any]
    name: str
    sheets: Mapping[str, Mapping[str, Any]]

    @classmethod
    def of(cls, names: Names, event: Event) -> Was:
        """How it is before this event."""
        id, kind = event.get("id", ""), event["kind"]
        name = names.seat(id) if kind == "seat" else names.someone(id)
        touched = {change["at"][0] for change in event.get("changes") or () if isinstance(change, Mapping)}
        touched |= {id} if kind == "character" else set()
        sheets = {who: one.sheets for who, one in names.state.characters.items() if who in touched}
        return cls(names.state.written.get(kind, {}).get(id, {}), name, sheets)


def told(names: Names, event: Event, was: Was) -> Told:
    """What an event has to tell: nothing, or what its seat did. `names` are those after it."""
    return SENTENCES.get(event["kind"], _unknown)(names, event, was)


def brought(names: Names, was: Was) -> str:
    """What an event changed on sheets: "Mara: Luck 2 → 3; Osk: Strain 1 → 0"."""
    return "; ".join(f"{who}: {changed}" for who, changed in _changes(names, was))


def taken_back(what: str) -> str:
    """What an act that was taken back is called."""
    return THINGS.get(what, "something")


THINGS = {
    "note": "a note",
    "scene": "a scene",
    "rest": "a rest",
    "question": "a question",
    "thread": "something of a thread",
    "clock": "something of a clock",
    "ledger": "something in the ledger",
    "character": "something of a character",
    "played": "a play",
    "chosen": "a choice",
    "settings": "a setting",
    "house": "a house rule",
}


def _changes(names: Names, was: Was) -> list[tuple[str, str]]:
    out = []
    for who, before in was.sheets.items():
        if who in names.state.characters:
            changed = phrases.changed(before, names.state.characters[who].sheets)
            out += [(names.someone(who), ", ".join(changed))] if changed else []
    return out


# ---- the table ------------------------------------------------------------------------------------


def _opened(names: Names, event: Event, was: Was) -> Told:
    return Told(f"The table {_quoted(event.get('title', ''))} is open")


def _imported(names: Names, event: Event, was: Was) -> Told:
    lines = event.get("lines", 0)
    return Told(f"All above comes from the log of {_quoted(event.get('from', ''))}, {lines} entries")


def _opened_secret(names: Names, event: Event, was: Was) -> Told:
    return Told(f"opens the secret of {own(event['stretch'])}: what was thrown under it can be verified")


def _flagged(names: Names, event: Event, was: Was) -> Told:
    return Told(own(event["text"]))


def _noticed(names: Names, event: Event, was: Was) -> Told:
    return Told("plays something in secret")


def _blind(names: Names, event: Event, was: Was) -> Told:
    asked = _quoted(event["question"]) if event.get("question") else own(event.get("rule", "a play"))
    return Told(f"throws blind: {asked}")


def _settings(names: Names, event: Event, was: Was) -> Told:
    parts = []
    for name, value in event["changed"].items():
        if name == "title":
            parts.append(f"calls the table {_quoted(value)}")
        elif name == "tell_secrets":
            parts.append(f"lets others {'hear' if value else 'not hear'} that somebody plays in secret")
        else:
            parts.append(f"sets {words.label(own(name)).lower()} to {own(words.value(value))}")
    return Told(" and ".join(parts))


def _house(names: Names, event: Event, was: Was) -> Told:
    title = phrases.system_title(event["system"])
    changes = event.get("changes")
    if not changes:
        return Told(f"plays {title} as it comes from here on")
    told = ", ".join(
        f"{words.label(own(name)).lower()} {own(words.value(one))}" for name, one in changes.items()
    )
    return Told(f"changes the house rules of {title}: {told}")


def _shuffled(names: Names, event: Event, was: Was) -> Told:
    deck = own(event["deck"])
    if deck.rpartition("-")[2] in names.state.plays:
        return Told()  # a deck of a play's own is a part of it
    name = "deck" if deck == "cards" else f"{deck} deck"
    if "cards" in event:
        return Told(f"lays a new {name} of {sum(n for _, n in event['cards'])} cards")
    if event.get("by") == "correction":
        return Told(f"shuffles the cards of a play back into the {name}")
    if "back" in event:
        return Told(f"has what was drawn in secret back in the {name}, which ran out: {len(event['back'])}")
    out = len(event.get("out", ()))
    stay = f"; {out} {'card stays' if out == 1 else 'cards stay'} out" if out else ""
    return Told(f"shuffles the {name}{stay}")


# ---- who is there ---------------------------------------------------------------------------------


def _seat(names: Names, event: Event, was: Was) -> Told:
    name, own_seat = names.seat(event["id"]), event.get("seat") == event["id"]
    if event.get("revoked"):
        return Told(f"takes {name}’s seat away")
    if not was.name:
        role = ROLES.get(event.get("role", ""), own(event.get("role", "")))
        return Told(f"sits down as {role}" if own_seat else f"makes a seat for {name}, {role}")
    if event.get("renewed"):
        return Told("has a new link" if own_seat else f"gives {name} a new link")
    return Told(f"was {was.name} until now" if own_seat else f"calls {was.name}’s seat {name}")


def _character(names: Names, event: Event, was: Was) -> Told:
    name = names.someone(event["id"]) or own(event.get("name", ""))
    if event.get("gone"):
        return Told(f"takes {was.name or name} from the table")
    if not was.name:
        owner = names.seat(event.get("owner"))
        of = f" for {owner}" if owner and event["owner"] != event.get("seat") else ""
        return Told(f"brings {name} to the table{of}")
    parts = [f"calls {was.name} {name} from here on"] if name != was.name else []
    if "owner" in event:
        parts.append(f"gives {name} to {names.seat(event['owner']) or 'the game master'}")
    parts += [f"writes on {who}’s sheet: {changed}" for who, changed in _changes(names, was)]
    return Told("; ".join(parts))


def _rest(names: Names, event: Event, was: Was) -> Told:
    said = f"lets {names.someone(event.get('who')) or 'everybody'} rest"
    back = brought(names, was)
    return Told(f"{said} ({back})" if back else said, said)


def _brought(names: Names, event: Event, was: Was) -> Told:
    """What a scene or a rest brought to characters in secret."""
    back = brought(names, was)
    return Told(f"brings back {back}" if back else "")


# ---- what people write ------------------------------------------------------------------------------


def _quoted(said: object) -> str:
    return f"“{own(said)}”"


def _question(names: Names, event: Event, was: Was) -> Told:
    asked = own(was.entry.get("text") or event.get("text", ""))
    if event.get("gone"):
        return Told(f"drops the question “{asked}”", "", asked)
    if event.get("answer"):
        said = f"answers “{asked}”: {own(event['answer'])}"
        return Told(said, said, asked, own(event["answer"]))
    if was.entry:
        return Told(f"asks now {_quoted(event['text'])}, for “{asked}”" if "text" in event else "")
    said = f"asks what is open: “{asked}”"
    return Told(said, said, asked)


def _thread(names: Names, event: Event, was: Was) -> Told:
    title = own(was.entry.get("title") or event.get("title", ""))
    if event.get("gone"):
        return Told(f"takes the thread “{title}” away")
    stands = "closed" if event.get("state") == "closed" else "open"
    if was.entry and "title" in event:
        return Told(f"calls the thread “{title}” {_quoted(event['title'])}")
    if was.entry:
        said = f"closes the thread “{title}”" if stands == "closed" else f"opens the thread “{title}” again"
    else:
        said = f"begins a thread: “{title}”{', closed' * (stands == 'closed')}"
    return Told(said, said, title, stands)


def _clock(names: Names, event: Event, was: Was) -> Told:
    title = own(was.entry.get("title") or event.get("title", ""))
    if event.get("gone"):
        return Told(f"takes the clock “{title}” away")
    if was.entry and "title" in event:
        return Told(f"calls the clock “{title}” {_quoted(event['title'])}")
    now = names.state.written.get("clock", {}).get(event["id"], {})
    filled, size, before = now.get("filled", 0), now.get("size", 1), was.entry.get("filled", 0)
    if was.entry and filled == before:
        return Told(f"leaves the clock “{title}” at {filled} of {size}", "", title, f"{filled}/{size}")
    if not was.entry:
        story = f"starts a clock: “{title}”"
    elif filled >= size:
        story = f"fills the clock “{title}”"
    else:
        story = f"moves the clock “{title}” {'on' if filled > before else 'back'}"
    return Told(f"{story}, {filled} of {size}", story, title, f"{filled}/{size}")


def _ledger(names: Names, event: Event, was: Was) -> Told:
    now = names.state.written.get("ledger", {}).get(event["id"], {})
    name = own(now.get("name") or was.entry.get("name") or event.get("name", ""))
    if event.get("gone"):
        return Told(f"takes {name} from the ledger")
    at, el = own(now.get("skill") or ""), now.get("el")
    shown = " ".join(filter(None, (at, f"EL {el}" if el is not None else "")))
    said = f"writes in the ledger what {name} has shown"
    return Told(f"{said}: {shown}" if shown else f"writes {name} in the ledger", "", name, shown)


def _corrected(names: Names, event: Event, was: Was) -> Told:
    return Told(f"sets something right: {own(event.get('text', ''))}")


def _unknown(names: Names, event: Event, was: Was) -> Told:
    return Told(f"does something that this version does not know ({own(event['kind'])})")


SENTENCES: Mapping[str, Callable[[Names, Event, Was], Told]] = {
    "opened": _opened,
    "imported": _imported,
    "opened-secret": _opened_secret,
    "flagged": _flagged,
    "noticed": _noticed,
    "blind": _blind,
    "settings": _settings,
    "house": _house,
    "shuffled": _shuffled,
    "seat": _seat,
    "character": _character,
    "rest": _rest,
    "brought": _brought,
    "question": _question,
    "thread": _thread,
    "clock": _clock,
    "ledger": _ledger,
    "corrected": _corrected,
}
SILENT: Sequence[str] = ("committed", "sealed", "rules")  # what stands behind other things
QUIET: Sequence[str] = ("opened", "opened-secret", "seat", "character")  # a report has its own place for them
NOBODY: Sequence[str] = ("opened", "imported", "flagged")  # that nobody does

__all__ = ["NOBODY", "QUIET", "SILENT", "Event", "Names", "Told", "Was", "brought", "taken_back", "told"]
