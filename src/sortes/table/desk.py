"""One request being done: what is known, who asks, and the events that come of it so far."""

from __future__ import annotations

import hmac
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from hashlib import sha256
from typing import Any

import msgspec

from sortes import catalog
from sortes import house as houses
from sortes.aims import aims
from sortes.core.errors import Refused, RuleError, meant, wrong
from sortes.core.system import House, Rule
from sortes.engine.policy import Decide, plain
from sortes.table import fair, fold, requests
from sortes.table.log import GM, Audience, Event, shown
from sortes.table.stored import Undecodable
from sortes.table.view import Hidden, Known, Secret
from sortes.table.walk import Laid, Settled, Walk

SEALS = 16  # secret plays that a commitment to dice brings seals for
REQUESTS = 500  # that throw, after which a stretch ends by itself


class Desk:
    """One request being done: what is known, who asks, and the events that come of it so far."""

    def __init__(
        self,
        known: Known,
        seat: str,
        request: requests.Request,
        *,
        id: str,
        token: Callable[[int], bytes],
        stored: Callable[[str], bytes],
        history: Callable[[int], Iterable[tuple[int, Event]]],
    ) -> None:
        self.known, self.seat, self.act = known, seat, id
        self.mine, self.keys = known.state(seat), known.keys(seat)
        self.role = known.all.seats[seat].role
        self.token, self.stored, self.history = token, stored, history
        self.asked = written_down(request)
        self.events: list[Event] = []
        self.settings: dict[str, bytes] = {}  # house settings by digest, to be kept with the table
        self.link: str | None = None  # the secret of a seat's link, told once
        self._given = 0

    def id(self) -> str:
        """A new id. It is drawn by lot, so that no gap in a row of them tells of what others do not see."""
        return self.token(6).hex()

    def tell(self, kind: str, *, to: Audience = None, **keys: Any) -> Event:
        """One more event."""
        event = {"kind": kind, **keys, **({} if to is None else {"to": to})}
        self.events.append(event)
        return event

    def master(self, parameter: str, what: str) -> None:
        """Refuse what only the game master may do."""
        if self.role != GM:
            raise Refused(parameter, f"only the game master may {what}")

    def audience(self, to: str) -> Audience:
        """Whom a request is for."""
        if to == "gm" and self.role != GM:
            return sorted({GM, self.seat})  # told to the game master: who wrote it knows it
        return {"all": None, "gm": [GM], "me": [self.seat], "blind": []}[to]

    def someone(self, parameter: str, named: str | None) -> str | None:
        """The id of a character, by id or name, among those that this seat knows. Raises RuleError."""
        if named is None:
            return None
        if named in self.mine.characters:
            return named
        for id, one in self.mine.characters.items():
            if one.name.casefold() == named.casefold():
                return id
        names = [one.name for one in self.mine.characters.values()]
        there = f"there are {', '.join(names)}" if names else "there are no characters yet"
        raise RuleError(parameter, f"there is no {named!r}; {meant(named, names)}{there}")

    def seat_of(self, parameter: str, named: str) -> str:
        """A seat by id or name. Raises RuleError."""
        for id, one in self.known.all.seats.items():
            if named == id or named.casefold() == one.name.casefold():
                return id
        raise wrong(
            parameter, named, f"a seat: {', '.join(one.name for one in self.known.all.seats.values())}"
        )

    def may_act_for(self, parameter: str, who: str | None) -> None:
        """Refuse to act for somebody else's character."""
        owner = self.mine.characters[who].owner if who else None
        if self.role != GM and owner is not None and owner != self.seat:
            raise Refused(parameter, f"{self.mine.characters[who or ''].name} is another seat's")

    # ---- house rules ----------------------------------------------------------------------------

    def house_of(self, rule: Rule, given: Mapping[str, Any]) -> dict[str, Any]:
        """The table's settings of a rule's systems, with those that a request changes, by system."""
        ids = frozenset([rule.system, *[catalog.rule(id).system for id in rule.calls]])
        of_table = self.mine.written.get("house", {})
        of_request = houses.sections(given, rule.system, ids)
        return {id: merged for id in ids if (merged := {**of_table.get(id, {}), **of_request[id]})}

    def keep(self, made: Mapping[str, House], to: Audience) -> dict[str, str]:
        """The digests of house rules, which are kept with the table, and told in its log the first time."""
        out = {}
        for id, house in made.items():
            digest = out[id] = houses.digest(house)
            self.settings[digest] = msgspec.json.encode(house, order="sorted")
            self.tell_rules(id, digest, self.settings[digest], to)
        return out

    def tell_rules(self, system: str, digest: str, settings: bytes, to: Audience) -> None:
        """Put house rules into the log, where those who will see what is played by them have not seen them yet."""
        known = self.known.seen[""].rules if to is None else self.mine.rules
        if digest not in known:
            self.tell("rules", to=to, system=system, digest=digest, text=settings.decode())

    def kept(self, digests: Mapping[str, str]) -> dict[str, House]:
        """The house rules of a play, as they were kept. Raises Undecodable."""
        out = {}
        for id, digest in digests.items():
            try:
                out[id] = houses.house(catalog.system(id), msgspec.json.decode(self.stored(digest)))
            except RuleError as e:
                raise Undecodable(f"the house rules of {id} cannot be read any more: {e}") from None
        return out

    # ---- chance ---------------------------------------------------------------------------------

    def chance(self, sealed: str, nonce: str) -> Callable[[bool], tuple[Event, fair.Stream]]:
        """Where the throws of this request come from: the seal of a play in secret, or the table's own stretches. Each
        stretch counts the request once."""
        streams: dict[str, tuple[Event, fair.Stream]] = {}
        filled = {} if nonce else {"filled": True}
        word = nonce or self.token(16).hex()

        def stream(cards: bool) -> tuple[Event, fair.Stream]:
            stretch = sealed or self.known.all.stretches["cards" if cards else "dice"]
            if stretch not in streams:
                secret = self._secret(stretch)
                if sha256(word.encode()).hexdigest()[:16] in secret.nonces:
                    raise Refused(
                        "nonce", "was used before in this stretch; takes new words or digits each time"
                    )
                counter, table = secret.counter + 1, self.known.all.table
                streams[stretch] = (
                    {
                        "stretch": stretch,
                        "counter": counter,
                        "nonce": word,
                        "request": fair.acknowledged(table, stretch, word, self.asked),
                        **filled,
                    },
                    fair.Stream(bytes.fromhex(secret.secret), table, stretch, counter, word),
                )
            return streams[stretch]

        return stream

    def _secret(self, stretch: str) -> Secret:
        if stretch in self.known.secrets:
            return self.known.secrets[stretch]
        made = next(e for e in self.events if e.get("stretch") == stretch and "_secret" in e)
        return Secret(made["_secret"], "play")

    def sealed(self, hidden: Hidden | None = None) -> str:
        """The stretch of a play in secret: its own from its beginning to its end. One that begins takes the seal that
        its seat was told of, or a new one."""
        if hidden and hidden.stretch in self.known.secrets:  # it is not where the table was imported
            return hidden.stretch
        return self.known.seals.get(self.seat) or self.seal()

    def seal(self) -> str:
        """Bind this seat's next play in secret to a seal drawn by lot, or where none is left to a secret of its own,
        and tell it alone."""
        dice = self.known.all.stretches["dice"]
        secret = self.known.secrets.get(dice)
        taken = {event["stretch"] for event in self.events if event["kind"] == "sealed"}
        lots = [lot for lot in secret.lots if f"{dice}.{lot}" not in taken] if secret else []
        if secret is None or not lots:
            stretch = self.commit("play", "", sorted({GM, self.seat}) if self.role == GM else [self.seat])
            self.tell("sealed", to=[self.seat], stretch=stretch, _seat=self.seat)
            return stretch
        lot = lots[fair_lot(len(lots), self.token)]
        hidden = seal_secret(bytes.fromhex(secret.root), lot).hex()
        stretch = f"{dice}.{lot}"
        self.tell("sealed", to=[self.seat], stretch=stretch, _secret=hidden, _seat=self.seat)
        return stretch

    def commit(self, purpose: str, words: str, to: Audience = None) -> str:
        """Commit to a new secret for dice, for cards, or for one play in secret."""
        root = self.token(32)
        secret = seal_secret(root, 0)
        if purpose == "play":
            stretch = f"play-{self.id()}"
        else:
            before = self.known.all.stretches.get(purpose, f"{purpose}-0")
            stretch = f"{purpose}-{int(before.rpartition('-')[2]) + 1}"
        table = self.known.all.table or next(e["table"] for e in self.events if e["kind"] == "opened")
        keys: Event = {
            "stretch": stretch,
            "words": words,
            "commitment": fair.commitment(secret, words, table, stretch),
            "_secret": secret.hex(),
        }
        if purpose != "play":
            keys["for"] = purpose
        if purpose == "dice":
            keys["_root"] = root.hex()
            keys["seals"] = [
                fair.commitment(seal_secret(root, i), words, table, f"{stretch}.{i}")
                for i in range(1, SEALS + 1)
            ]
        self.tell("committed", to=to, **keys)
        return stretch

    def open(self, stretch: str) -> None:
        """Open a secret."""
        self.tell("opened-secret", stretch=stretch, secret=self.known.secrets[stretch].secret)

    def renew(self) -> None:
        """End the stretch of dice that has been thrown under for long, and one of cards without opening it."""
        for purpose in ("dice", "cards"):
            stretch = self.known.all.stretches.get(purpose)
            if stretch and (
                stretch not in self.known.secrets or len(self.known.secrets[stretch].nonces) >= REQUESTS
            ):
                if purpose == "dice" and stretch in self.known.secrets:
                    self.open(stretch)
                self.commit(purpose, self.words(""))

    def words(self, given: str) -> str:
        """The host's words at a commitment."""
        return given or self.known.all.scene_title or self.known.all.title

    # ---- plays ----------------------------------------------------------------------------------

    def play(self, id: str) -> fold.Playing:
        """A play that waits, as this seat sees it. Raises RuleError."""
        playing = self.mine.plays.get(id)
        if playing is None:
            waiting = ", ".join(f"{one.play} ({one.rule})" for one in self.mine.plays.values()) or "none"
            raise Refused("play", f"no play {id!r} waits here; waiting: {waiting}")
        return playing

    def walk(
        self,
        playing: fold.Playing,
        houses: Mapping[str, House],
        state: Any,
        policy: str,
        nonce: str,
        sealed: str,
        answer: Any = None,
        faces: Any = None,
        own: Mapping[str, fold.Deck] | None = None,
    ) -> None:
        """Go on with a play, and tell of it to those who may see it. `own` are decks that are laid for it now."""
        to = playing.to
        known, mine, public = (
            with_decks(one, own or {}) for one in (self.known.all, self.mine, self.known.seen[""])
        )
        laid = Laid(playing, known, mine, houses, public if to is None else mine, self.settled())
        decide: Decide | None = plain if policy == "plain" or to == [] else None
        walk = Walk(laid, state, self.chance(sealed, nonce), decide=decide)
        if policy == "best" and to != []:
            walk.decide = lambda state, choice, worlds, world: self.best(walk, state)
        done = len(self.events)
        walk.go(answer, faces)
        for event in walk.events:
            if "to" in event:
                if event["to"] is None:  # for all to see, by itself: nothing may tell what it belongs to
                    del event["to"]
                    event["act"] = self.id()
            elif to is not None:
                event["to"] = to
        self.events[done:] = [*self.events[done:], *walk.events]

    def settled(self) -> list[Settled]:
        """The cards that were drawn in secret and are in the discard, as far as all others have them in the deck still:
        one that was thrown by hand since is elsewhere."""
        out, decks, public = [], self.known.all.decks, self.known.seen[""].decks
        missing = {
            deck: Counter(public[deck].left) - Counter(one.left)
            for deck, one in decks.items()
            if deck in public
        }
        for play, hidden in self.known.hidden.items():
            lies = self.known.all.plays[play].out if play in self.known.all.plays else {}
            for deck, cards in hidden.gone.items():
                back = (Counter(cards) - Counter(lies.get(deck, ()))) & missing[deck]
                missing[deck] -= back
                if back:
                    out.append(Settled(play, hidden.to, deck, list(back.elements())))
        return out

    def best(self, walk: Walk, state: Any) -> Any:
        """The best option of a choice, as far as the seat can know."""
        from sortes.engine.advise import plan

        known = fold.copied(self.mine)
        for event in [*self.events, *walk.events]:
            if (told := shown(event, self.keys)) is not None:
                fold.fold(known, told)
        playing = msgspec.structs.replace(known.plays[walk.playing.play], purses=walk.playing.purses)
        laid = Laid(playing, known, known, walk.laid.houses)
        made = plan(state, laid.stock, laid.world, aims(laid.rule, None))
        return made.situation(made.start).best.value


def with_decks(state: fold.State, own: Mapping[str, fold.Deck]) -> fold.State:
    """A state with the decks of a play that begins."""
    return msgspec.structs.replace(state, decks={**state.decks, **own}) if own else state


def written_down(request: requests.Request) -> bytes:
    """A request as bytes. Raises RuleError where it holds what cannot be written."""
    try:
        return msgspec.json.encode(request, order="sorted")
    except UnicodeEncodeError:
        raise RuleError("text", "holds half a character (a surrogate alone); takes text") from None
    except (TypeError, OverflowError) as e:
        raise RuleError("request", f"holds what cannot be written down ({e}); takes plain values") from None


def seal_secret(root: bytes, i: int) -> bytes:
    """The secret of a stretch (0) and of its seals, all from one root that is never opened."""
    return hmac.digest(root, b"sortes/1/seal" + i.to_bytes(8, "big"), "sha256")


def fair_lot(n: int, token: Callable[[int], bytes]) -> int:
    """One of n lots, each as likely as the others."""
    return fair.Stream(token(32), "", "", 1, "").randrange(n)


def door(link: str) -> str:
    """The hash of a link's secret."""
    return sha256(b"sortes/1/link" + link.encode()).hexdigest()
