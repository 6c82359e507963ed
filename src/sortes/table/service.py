"""Tables over a store: open one, act at it, look at it from a seat.

Whatever happens is first made into events and appended, all of a request or nothing, and only then is it so. Who acts
on what has changed meanwhile acts on what it is now, or is told what changed; a request that is repeated acts once.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from threading import RLock
from time import time
from typing import Any

import msgspec
from msgspec import Struct

from sortes import api, catalog
from sortes import house as houses
from sortes.answers import Odds
from sortes.core.errors import Refused, RuleError, wrong
from sortes.core.form import Field, explained
from sortes.core.system import House
from sortes.engine.odds import Watch
from sortes.prepared import Prepared
from sortes.table import deeds, fair, fold, requests
from sortes.table.desk import Desk, door, written_down
from sortes.table.log import GM, Event, count, shown
from sortes.table.plays import prepared
from sortes.table.revealing import rebuilt
from sortes.table.stored import Shelf
from sortes.table.stores import Appended, Conflict, Store
from sortes.table.view import FORM, Known, View, restored
from sortes.table.walk import Laid

EVERY = 200  # events between snapshots
TRIES = 20  # how often a request is done anew because others were faster

Token = Callable[[int], bytes]  # so many random bytes


class Changed(Refused):
    """The table has gone on since the seat looked: `entries` are what it has not seen."""

    def __init__(self, entries: Sequence[tuple[int, Event]]) -> None:
        now = entries[-1][0]
        super().__init__("seen", f"the table is at entry {now} by now; see what changed, then ask again")
        self.entries = list(entries)


class Reply(Struct, frozen=True):
    """What came of a request, as the seat that asked may know it: the events with their numbers, the play that they
    belong to, the secret of a new link, and whether it is the answer to a request that was made before."""

    entries: list[tuple[int, Event]]
    play: str | None = None
    link: str | None = None
    repeated: bool = False

    def event(self, kind: str) -> Event | None:
        """The last event of a kind."""
        return next((event for _, event in reversed(self.entries) if event["kind"] == kind), None)


class Table:
    """One table. Every call may come from any thread, and other processes may act at the same table."""

    def __init__(self, store: Store, name: str, *, token: Token = os.urandom) -> None:
        self.store, self.name, self._token = store, name, token
        self._lock = RLock()
        kept = store.kept(name, FORM)
        known = restored(kept[1]) if kept else None
        self._known = known or Known()
        self._snapshot = self._known.number
        self._houses: dict[str, bytes] = {}

    # ---- what is known --------------------------------------------------------------------------

    def known(self) -> Known:
        """All that is known of the table now, by itself and by each seat: not for anybody's eyes."""
        with self._lock:
            for _, data in self.store.read(self.name, self._known.number):
                self._known.take(msgspec.json.decode(data))
            return self._known

    def view(self, seat: str) -> View:
        """What a seat may know of the table. Raises RuleError where it is not at this table."""
        with self._lock:
            return self.known().view(seat)

    def enter(self, link: str) -> str:
        """The seat whose secret link this is. Raises RuleError."""
        seat = self.known().doors.get(door(link))
        if seat is None:
            raise RuleError("link", "opens no seat at this table; ask the game master for a new one")
        self.known().keys(seat)
        return seat

    def entries(self, seat: str, after: int = 0, limit: int | None = None) -> Iterator[tuple[int, Event]]:
        """The log as a seat may see it: its events behind number `after` of its own, numbered without a gap."""
        known = self.known()
        keys = known.keys(seat)
        number = 0
        for _, event in self._history(0):
            if (told := shown(event, keys)) is None:
                continue
            number += 1
            if number > after:
                if limit is not None and number > after + limit:
                    return
                yield number, told

    def last(self, seat: str, n: int) -> list[tuple[int, Event]]:
        """The last n events that a seat has seen."""
        with self._lock:
            known = self.known()
            keys, number, head = known.keys(seat), count(known.counts, known.keys(seat)), known.number
        out: list[tuple[int, Event]] = []
        step = 2 * n
        while head > 0 and len(out) < n:
            first = max(0, head - step)
            page = [
                told for _, e in self._history(first, head - first) if (told := shown(e, keys)) is not None
            ]
            out = [(number - len(page) + 1 + i, told) for i, told in enumerate(page)] + out
            number, head, step = number - len(page), first, 4 * step
        return out[-n:] if n else []

    def _history(self, after: int, limit: int | None = None) -> Iterator[tuple[int, Event]]:
        for number, data in self.store.read(self.name, after, limit):
            yield number, msgspec.json.decode(data)

    # ---- acting ---------------------------------------------------------------------------------

    def act(
        self, seat: str, request: requests.Request, *, key: str | None = None, seen: int | None = None
    ) -> Reply:
        """Do what a seat asks for.

        `key` names the request: repeated under the same key it acts once, and the reply is the same. `seen` is the
        number of the last event that the seat has seen; with it, the request is refused where there are newer ones.
        Raises RuleError or Refused, and then nothing has happened; Changed says what did; StoreError.
        """
        if key is not None:
            key = f"{seat} {key}"
        for _ in range(TRIES):
            with self._lock:
                known = self.known()
                keys = known.keys(seat)
                if key is not None and (was := self.store.find(self.name, key)):
                    return self._again(was, seat, request)
                if seen is not None and seen < count(known.counts, keys):
                    raise Changed(list(self.entries(seat, seen)))
                desk = self._desk(known, seat, request)
                deeds.done(desk, request)
                try:
                    made = self._append(known.number, self._stamped(desk), desk.settings, key)
                except Conflict:
                    continue  # somebody was faster: do it on what is there now
                if made.repeated:
                    return self._again(made, seat, request)
                before = count(known.counts, keys)
                told = [one for e in self._told(known, made) if (one := shown(e, keys)) is not None]
                return _reply(list(enumerate(told, before + 1)), desk.link)
        raise Refused("table", "others were faster each time; try again")

    def _desk(self, known: Known, seat: str, request: requests.Request) -> Desk:
        return Desk(
            known,
            seat,
            request,
            id=self._token(6).hex(),
            token=self._token,
            stored=self._stored,
            history=self._history,
        )

    def _stored(self, digest: str) -> bytes:
        if digest not in self._houses:
            self._houses[digest] = self.store.get(digest)
        return self._houses[digest]

    def _stamped(self, desk: Desk) -> list[Event]:
        now = int(time() * 1000)
        asked = fair.acknowledged(desk.known.all.table, "", desk.seat, desk.asked)
        events = [{"act": desk.act, **event, "at": now, "seat": desk.seat} for event in desk.events]
        if not events:
            raise Refused("request", "there was nothing to do")
        events[0]["_asked"] = asked
        return events

    def _append(
        self, after: int, events: Sequence[Event], settings: Mapping[str, bytes], key: str | None
    ) -> Appended:
        for digest, data in settings.items():
            if digest not in self._houses:
                self.store.put(digest, data)
                self._houses[digest] = data
        return self.store.append(self.name, after, [fair.canonical(event) for event in events], key)

    def _told(self, known: Known, made: Appended) -> list[Event]:
        """What was appended, taken in; now and then all that is known is kept."""
        events = []
        for _, data in self.store.read(self.name, made.first - 1, made.last - made.first + 1):
            event = msgspec.json.decode(data)
            events.append(msgspec.json.decode(data))
            known.take(event)
        if known.number - self._snapshot >= EVERY:
            self.store.keep(self.name, known.number, FORM, known.snapshot())
            self._snapshot = known.number
        return events

    def _again(self, was: Appended, seat: str, request: requests.Request) -> Reply:
        """The reply to a request that was made before."""
        known = self.known()
        keys = known.keys(seat)
        events = [e for _, e in self._history(was.first - 1, was.last - was.first + 1)]
        asked = fair.acknowledged(known.all.table, "", seat, written_down(request))
        if events[0].get("_asked") != asked:
            raise RuleError("key", "was used for another request; takes a new one for each")
        later = sum(shown(e, keys) is not None for _, e in self._history(was.last))
        told = [one for e in events if (one := shown(e, keys)) is not None]
        first = count(known.counts, keys) - later - len(told) + 1
        return msgspec.structs.replace(_reply(list(enumerate(told, first)), None), repeated=True)

    # ---- looking ahead --------------------------------------------------------------------------

    def prepare(self, seat: str, request: requests.Play) -> Prepared:
        """A rule before the table as this seat knows it: its decks are what the seat has not seen. Takes a rule's place
        in odds, advise and simulate. Raises RuleError."""
        with self._lock:
            desk = self._desk(self.known(), seat, request)
            rule = catalog.rule(request.rule)
            who, opponent = desk.someone("who", request.who), desk.someone("opponent", request.opponent)
            house = desk.house_of(rule, request.house)
            it, _ = prepared(desk.mine, rule, request.params, who, opponent, house, desk.role, request.text)
            return it

    def odds(self, seat: str, request: requests.Play, watch: Watch | None = None) -> Odds:
        """The exact odds of a play, as far as this seat can know."""
        policy = "best" if request.policy == "best" else "plain"
        return api.odds(self.prepare(seat, request), policy=policy, watch=watch)

    def waiting(self, seat: str, play: str) -> tuple[Laid, Any]:
        """A play that waits, laid out as this seat knows it, and the state that it waits in."""
        with self._lock:
            known = self.known()
            mine = fold.copied(known.state(seat))
            playing = mine.plays.get(play)
            if playing is None:
                raise Refused("play", f"no play {play!r} waits here")
            made: dict[str, House] = {
                id: houses.house(catalog.system(id), msgspec.json.decode(self._stored(digest)))
                for id, digest in playing.houses.items()
            }
            state = Shelf(made, playing.houses).load(playing.state)
            return Laid(playing, mine, mine, made), state

    def advise(self, seat: str, play: str, watch: Watch | None = None) -> Any:
        """What each option of the choice that a play waits at is worth, as far as this seat can know: a
        `engine.advise.Situation`."""
        from sortes.aims import aims
        from sortes.engine.advise import plan

        laid, state = self.waiting(seat, play)
        made = plan(state, laid.stock, laid.world, aims(laid.rule, None), watch=watch)
        return made.situation(made.start)

    # ---- in and out -----------------------------------------------------------------------------

    def exported(self, seat: str) -> Iterator[bytes]:
        """The log as this seat may see it, as lines that can be verified and imported (docs/fairness.md)."""
        return fair.exported(fair.canonical(event) for _, event in self.entries(seat))


def _reply(entries: list[tuple[int, Event]], link: str | None) -> Reply:
    play = next((event["play"] for _, event in entries if "play" in event), None)
    return Reply(entries, play, link)


# ---- tables ---------------------------------------------------------------------------------------


def opened(
    store: Store,
    name: str,
    *,
    title: str = "",
    words: str = "",
    master: str = "GM",
    house: Mapping[str, Mapping[str, Any]] | None = None,
    token: Token = os.urandom,
) -> tuple[Table, str, str]:
    """Make a table: the table, the game master's seat, and the secret of its link, which is told only now.

    `words` are the host's, and go into the first commitments. Raises RuleError, and Exists where the name is taken.
    """
    for parameter, said in (("title", title), ("words", words), ("master", master)):
        if len(said) > 200 or said.encode(errors="replace") != said.encode(errors="ignore"):
            raise wrong(parameter, said, "text of at most 200 characters")
    made = {id: houses.house(catalog.system(id), changes) for id, changes in (house or {}).items()}
    decks = {}
    for system in catalog.systems():
        for deck in system.decks(made.get(system.id) or houses.house(system)):
            if not deck.each:
                decks[deck.name] = [list(one) for one in deck.cards]
    events: list[Event] = [
        {
            "kind": "opened",
            "table": token(8).hex(),
            "title": title or name,
            "decks": decks,
            "houses": dict(house or {}),
            "settings": {"tell_secrets": False},
        }
    ]
    return _made(store, name, events, words or title or name, master, token)


def _made(
    store: Store, name: str, events: list[Event], words: str, master: str, token: Token
) -> tuple[Table, str, str]:
    """A table with these events, its first secrets, and a seat for its game master."""
    known = Known()
    for event in events:
        known.take(msgspec.json.decode(fair.canonical(event)))
    gm = next((id for id, one in known.all.seats.items() if one.role == GM), None)
    host = gm or token(6).hex()
    known.all.seats.setdefault(host, fold.Seat(master, GM))
    desk = Desk(
        known,
        host,
        requests.Prove(),
        id="",
        token=token,
        stored=store.get,
        history=lambda after: (),
    )
    desk.commit("dice", words)
    desk.commit("cards", words)
    desk.link = token(24).hex()
    keys = {"renewed": True} if gm else {"name": master, "role": GM}
    desk.tell("seat", id=host, **keys, _door=door(desk.link))
    now = int(time() * 1000)
    fresh = [{**event, "at": event.get("at", now), "seat": host} for event in desk.events]
    if not any("at" in event for event in events):
        events = [{**event, "at": now} for event in events]
    store.create(name)
    for event in events:
        if event["kind"] == "rules":
            store.put(event["digest"], event["text"].encode())
    try:
        lines = [fair.canonical(event) for event in [*events, *fresh]]
        for at in range(0, len(lines), 5_000):
            store.append(name, at, lines[at : at + 5_000])
    except BaseException:
        store.delete(name)
        raise
    return Table(store, name, token=token), host, desk.link


def imported(
    store: Store, name: str, lines: Iterable[bytes], *, token: Token = os.urandom
) -> tuple[Table, str, str]:
    """Make a table of an exported log: everything that was in it, for whoever may see it there, and new secrets.

    Raises RuleError where the log does not verify, and Exists where the name is taken.
    """
    read = list(lines)
    wrong_ = [found for found in fair.verify_log(read) if found.level == "wrong"]
    if wrong_:
        raise RuleError("file", f"line {wrong_[0].line}: {wrong_[0].text}; nothing was imported")
    told = (msgspec.json.decode(fair.LINE.fullmatch(line)[2]) for line in read[:-1])  # type: ignore[index]
    try:
        events = rebuilt(told)
    except (AttributeError, LookupError, TypeError, ValueError, msgspec.MsgspecError) as e:
        raise RuleError(
            "file", f"is no log of a table as Sortes keeps it ({e!r}); nothing was imported"
        ) from None
    title = events[0].get("title", name)
    events.append({"kind": "imported", "from": title, "lines": len(events), "at": int(time() * 1000)})
    return _made(store, name, events, title, "GM", token)


def request_of(data: Any) -> requests.Request:
    """A request from plain values, {"do": "note", …}. Raises RuleError that names what is wrong."""
    kinds = {cls.__struct_config__.tag: cls for cls in deeds.DEEDS}
    if not isinstance(data, Mapping) or data.get("do") not in kinds:
        raise wrong(
            "do",
            data.get("do") if isinstance(data, Mapping) else data,
            f"one of {', '.join(map(str, kinds))}",
        )
    try:
        return msgspec.convert(data, kinds[data["do"]])
    except msgspec.ValidationError as e:
        error = explained(Field("request", kinds[data["do"]]), data, str(e))
        name = error.parameter.removeprefix("request").lstrip(".") or "request"
        raise RuleError(name, str(error).removeprefix(f"{error.parameter}: ")) from None


__all__ = ["Changed", "Reply", "Table", "imported", "opened", "request_of"]
