"""What each request does to a table: it is checked against what its seat knows, and becomes events."""

from __future__ import annotations

import hmac
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from hashlib import sha256
from typing import Any

import msgspec

from sortes import catalog
from sortes import house as houses
from sortes.aims import aims
from sortes.core.errors import Refused, RuleError, meant, wrong
from sortes.core.form import Field, explained
from sortes.core.system import House, Rule, Shuffle
from sortes.engine.policy import Decide, plain
from sortes.prepared import Prepared, decks_of
from sortes.table import fair, fold, requests, sheets
from sortes.table.log import GM, Audience, Event, shown
from sortes.table.stored import Shelf, Undecodable
from sortes.table.view import Known, Secret
from sortes.table.walk import Laid, Walk, named, staying

SEALS = 16  # secret plays that a commitment to dice brings seals for
REQUESTS = 500  # that throw, after which a stretch ends by itself
WATCHES = ("watcher",)


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
            if digest not in self.mine.rules:
                self.tell("rules", to=to, system=id, digest=digest, text=self.settings[digest].decode())
        return out

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

    def chance(self, to: Audience, nonce: str) -> Callable[[bool], tuple[Event, fair.Stream]]:
        """Where the throws of this request come from. Each stretch counts the request once."""
        streams: dict[str, tuple[Event, fair.Stream]] = {}
        filled = {} if nonce else {"filled": True}
        word = nonce or self.token(16).hex()

        def stream(cards: bool) -> tuple[Event, fair.Stream]:
            if to is not None:
                stretch = self.sealed(to)
            else:
                stretch = self.known.all.stretches["cards" if cards else "dice"]
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

    def sealed(self, to: Audience) -> str:
        """The stretch of a play in secret: the seal that its seat was told of, else one drawn by lot, else its own."""
        for event in self.events:
            if event["kind"] == "sealed" or (event["kind"] == "committed" and "to" in event):
                return str(event["stretch"])
        if stretch := self.known.seals.get(self.seat):
            return stretch
        return self.seal() or self.commit("play", "", to)

    def seal(self) -> str | None:
        """Bind this seat's next play in secret to a seal, and tell it alone. None where no seal is left."""
        dice = self.known.all.stretches["dice"]
        secret = self.known.secrets.get(dice)
        taken = {event["stretch"] for event in self.events if event["kind"] == "sealed"}
        lots = [lot for lot in secret.lots if f"{dice}.{lot}" not in taken] if secret else []
        if secret is None or not lots:
            return None
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
        self, laid: Laid, state: Any, policy: str, nonce: str, answer: Any = None, faces: Any = None
    ) -> None:
        """Go on with a play, and tell of it to those who may see it."""
        playing = laid.playing
        to = playing.to
        decide: Decide | None = plain if policy == "plain" or to == [] else None
        walk = Walk(laid, state, self.chance(to, nonce), decide=decide)
        if policy == "best" and to != []:
            walk.decide = lambda state, choice, worlds, world: best(self, walk, state)
        done = len(self.events)
        walk.go(answer, faces)
        for event in walk.events:
            if "to" in event:
                if event["to"] is None:
                    del event["to"]
            elif to is not None:
                event["to"] = to
        self.events[done:] = [*self.events[done:], *walk.events]


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


def best(desk: Desk, walk: Walk, state: Any) -> Any:
    """The best option of a choice, as far as the seat can know."""
    from sortes.engine.advise import plan

    known = fold.copied(desk.mine)
    for event in [*desk.events, *walk.events]:
        if (told := shown(event, desk.keys)) is not None:
            fold.fold(known, told)
    playing = msgspec.structs.replace(known.plays[walk.playing.play], purses=walk.playing.purses)
    laid = Laid(playing, known, known, walk.laid.houses)
    made = plan(state, laid.stock, laid.world, aims(laid.rule, None))
    return made.situation(made.start).best.value


# ---- plays ----------------------------------------------------------------------------------------


def play(desk: Desk, r: requests.Play) -> None:
    """Begin a play."""
    rule = catalog.rule(r.rule)
    who, opponent = desk.someone("who", r.who), desk.someone("opponent", r.opponent)
    desk.may_act_for("who", who)
    if r.hand and r.to == "blind":
        raise RuleError("hand", "what people throw themselves they see; a blind play is not thrown by hand")
    if r.to == "gm" and desk.role != GM:
        raise RuleError(
            "to", "a seat plays for itself alone (me), for all, or blind; gm is the game master's own"
        )
    id = desk.id()
    it, filled = prepared(
        desk.mine, rule, r.params, who, opponent, desk.house_of(rule, r.house), desk.role, r.text
    )
    purses = {
        name: {
            "used": 0 if (link := filled.links.get(name)) else purse.used,
            "size": purse.size,
            **({} if purse.keeps else {"keeps": False}),
            **({"link": msgspec.to_builtins(link)} if link else {}),
        }
        for name, purse in zip(it.stock.purses, it.world.purses, strict=True)
    }
    shared = set(marked(rule, desk.mine))
    to = desk.audience(r.to)
    playing = fold.Playing(
        play=id,
        rule=rule.id,
        params={name: msgspec.to_builtins(v) for name, v in it.params.items() if name not in shared},
        seat=desk.seat,
        to=to,
        named=filled.named,
        who=who,
        opponent=opponent,
        question=r.question,
        hand=r.hand,
        houses=desk.keep(it.houses, to),
        purses=purses,
    )
    if to is None:
        desk.renew()
    else:
        desk.sealed(to)
    own: dict[str, fold.Deck] = {}
    for deck in it.stock.decks:
        if deck.each:
            cards = it.stock.cards(it.world, deck.name)
            own[named(deck, id)] = fold.Deck(cards, dict(cards))
    begun = msgspec.to_builtins(playing)
    for key in ("purses", "to", "seat"):
        begun.pop(key, None)
    desk.tell("played", to=to, **begun)
    for name, laid_out in own.items():
        desk.tell("shuffled", to=to, deck=name, cards=[list(one) for one in laid_out.cards.items()], out=[])
    known, mine = with_decks(desk.known.all, own), with_decks(desk.mine, own)
    desk.walk(Laid(playing, known, mine, it.houses), it.state, r.policy, r.nonce)
    if r.to == "blind":
        desk.tell("blind", to=sorted({desk.seat, GM}), play=id, rule=rule.id, question=r.question)
    if to is not None:
        if desk.known.all.written.get("settings", {}).get("tell_secrets"):
            desk.tell("noticed")
        desk.seal()


def with_decks(state: fold.State, own: Mapping[str, fold.Deck]) -> fold.State:
    """A state with the decks of a play that begins."""
    return msgspec.structs.replace(state, decks={**state.decks, **own}) if own else state


def marked(rule: Rule, state: fold.State) -> dict[str, str]:
    """The parameters that say how a deck of the table's stands, each with its deck."""
    return {name: deck for (_, deck), name in rule.form.marks.items() if deck in state.decks}


def prepared(
    state: fold.State,
    rule: Rule,
    given: Mapping[str, Any],
    who: str | None,
    opponent: str | None,
    house: Mapping[str, Any],
    role: str,
    text: bool,
) -> tuple[Prepared, sheets.Filled]:
    """A rule with its parameters from what is given, sheets, and the decks of the table as far as they are known."""
    filled = sheets.filled(rule, given, state.characters, who, opponent, role=role)
    params = dict(filled.params)
    roles = {name: role for (role, deck), name in rule.form.marks.items() if deck in state.decks}
    for name, of in marked(rule, state).items():
        if roles[name] == "lies":
            continue
        if params.get(name) is not None:
            raise RuleError(
                name, "the table has its own deck; play with --no-table, or without a table, to name one"
            )
        left, away = piles(state, of)
        pile = left if roles[name] == "stocks" else away
        if left.total() < sum(state.decks[of].cards.values()):
            params[name] = [card for card, n in pile.items() for _ in range(n)]
    make = Prepared.from_text if text else lambda rule, params, house: Prepared(rule, house, **params)
    it: Prepared = make(rule, params, house or None)
    for deck in decks_of(rule, tuple(it.houses.values())):
        if deck.name in state.decks and dict(deck.cards) != state.decks[deck.name].cards:
            raise RuleError(
                "house", f"the deck {deck.name} of this table is made up otherwise; change the table's rules"
            )
    return it, filled


def piles(state: fold.State, deck: str) -> tuple[Counter[str], Counter[str]]:
    """What is left of a deck, and its discard: without what lies out for plays that wait."""
    known = state.decks[deck]
    out = Counter(card for one in state.plays.values() for card in one.out.get(deck, ()))
    away = Counter({card: n - known.left.get(card, 0) for card, n in known.cards.items()})
    return +Counter(known.left), +(away - out)


def answer(desk: Desk, r: requests.Answer) -> None:
    """Answer the choice, or make the throw, that a play waits for."""
    seen = desk.play(r.play)
    playing = msgspec.convert(msgspec.to_builtins(desk.known.all.plays[r.play]), fold.Playing)
    ask = playing.ask or {}
    desk_may_answer(desk, seen, ask)
    if r.turn is not None and r.turn != playing.turn:
        raise Refused("turn", f"got {r.turn}; this play has gone on and waits at turn {playing.turn}")
    chosen, faces = None, None
    if ask.get("kind") == "throw":
        if not r.faces:
            raise wrong("faces", r.faces, "the faces of this throw, which is made by hand")
        faces = hand_of(playing, r.faces)
    else:
        offered = {str(one["option"]): one["option"] for one in ask.get("options", ())}
        if str(r.option) not in offered:
            raise wrong("option", r.option, f"one of {', '.join(offered)}")
        chosen = offered[str(r.option)]
    try:
        made = desk.kept(playing.houses)
        state = Shelf(made, playing.houses).load(playing.state)
    except Undecodable as e:
        raise Refused("play", f"{e}; end it by hand") from None
    if playing.to is None:
        desk.renew()
    desk.walk(Laid(playing, desk.known.all, desk.mine, made), state, r.policy, r.nonce, chosen, faces)


def desk_may_answer(desk: Desk, playing: fold.Playing, ask: Event) -> None:
    """Refuse an answer of somebody whose choice it is not."""
    if desk.role == GM:
        return
    their = ask.get("who") == "opponent"
    who = playing.opponent if their else playing.who
    owner = desk.mine.characters[who].owner if who in desk.mine.characters else None
    if desk.seat not in ((owner,) if their else (owner, playing.seat)):
        raise Refused("play", "this choice is another seat's")


def hand_of(playing: fold.Playing, faces: Sequence[Any]) -> Any:
    """Faces as the throw takes them: cards by any of their names; dice thrown in groups as a list for each."""
    ask = playing.ask or {}
    if "deck" in ask:
        rule = catalog.rule(playing.rule)
        decks = decks_of(rule, tuple(houses.house(catalog.system(id)) for id in playing.houses))
        deck = next(one for one in decks if one.name == ask["deck"])
        cards = [str(one) for one in faces]
        if deck.parse is None:
            return cards
        return [card for one in cards for card in deck.parse("faces", (one,))]
    dice = ask.get("dice", [])
    numbers = [int(one) if isinstance(one, str) and one.isdecimal() else one for one in faces]
    known = [one for group in dice for one in group["faces"]]
    numbers = [str(one) if one not in known and str(one) in known else one for one in numbers]
    if len(dice) == 1 or any(isinstance(one, list) for one in numbers):
        return numbers
    groups, at = [], 0
    for group in dice:
        groups.append(numbers[at : at + group.get("n", 1)])
        at += group.get("n", 1)
    if at != len(numbers):
        raise wrong(
            "faces", numbers, f"{at} faces: {', '.join(str(g.get('n', 1)) + ' ' + g['name'] for g in dice)}"
        )
    return groups


def end(desk: Desk, r: requests.End) -> None:
    """End a play by hand."""
    playing = desk.play(r.play)
    if desk.role != GM and playing.seat != desk.seat:
        raise Refused("play", "only its own seat or the game master may end this play")
    desk.tell("ended", to=playing.to, play=r.play, reason=r.reason)


def reveal(desk: Desk, r: requests.Reveal) -> None:
    """Show a play that was made in secret."""
    hidden = desk.known.hidden.get(r.play)
    theirs = hidden is not None and (bool(desk.keys & set(hidden.to)) or (not hidden.to and desk.role == GM))
    if hidden is None or not theirs:
        raise RuleError("play", f"there is no play {r.play!r} in secret that this seat may reveal")
    counts, told, gone = (
        dict(hidden.counts),
        [],
        {deck: cards for deck, cards in hidden.gone.items() if cards},
    )
    changes: list[Event] = []
    throws = 0
    from sortes.table.log import audience

    for _, event in desk.history(hidden.number):
        of_play = event.get("play") == r.play or event.get("deck", "").endswith(f"-{r.play}")
        its_own = event["kind"] == "committed" and event["stretch"] == hidden.stretch
        if event.get("to") is not None and event["kind"] != "blind" and (of_play or its_own):
            if event["kind"] == "throw":
                event = with_stays(event, throws, hidden.stays)
                throws += 1
            changes += event.get("changes", ())
            told.append({"counts": dict(counts), "event": event})
        name = audience(event)
        counts[name] = counts.get(name, 0) + 1
    more: Event = {"gone": gone} if gone else {}
    more |= {"changes": changes} if changes else {}
    desk.tell("revealed", play=r.play, _events=told, **more)
    secret = desk.known.secrets.get(hidden.stretch)
    if secret and not secret.cards and r.play not in desk.known.all.plays:
        desk.open(hidden.stretch)


def with_stays(event: Event, n: int, stays: Mapping[str, int]) -> Event:
    """A throw with how many shuffles its cards stayed out of while they were hidden."""
    groups = []
    for i, item in enumerate(event["groups"]):
        many = stays.get(f"{n}.{i}", 0)
        groups.append({**item, "stays": many} if many else item)
    return {**event, "groups": groups}


# ---- setting right --------------------------------------------------------------------------------


def undo(desk: Desk, r: requests.Undo) -> None:
    """Take back an act for which nobody was shown a face."""
    own = [act for act in desk.mine.acts if act.seat == desk.seat and (r.of is None or act.act == r.of)]
    if not own:
        raise Refused(
            "undo", "there is nothing of yours to undo: once a face was shown, only the game master corrects"
        )
    act = own[-1]
    free = next((one for one in desk.known.all.acts if one.act == act.act), None)
    if free is None:
        raise Refused("undo", "a face was shown since; only the game master corrects that")
    after = desk.known.all.acts[desk.known.all.acts.index(free) + 1 :]
    if any(touches(act, later) for later in after):
        raise Refused("undo", "somebody has changed the same thing since; undo that first")
    more: Event = {}
    if act.play:
        before = act.before
        more = {"play": act.play, "before": msgspec.to_builtins(before) if before else None}
    if act.entries:
        more["entries"] = [list(one) for one in act.entries]
    if act.changes:
        more["changes"] = act.changes
    desk.tell("undone", to=act.to, of=act.act, what=act.kind, **more)


def touches(act: fold.Act, later: fold.Act) -> bool:
    """Whether a later act stands on an earlier one."""
    same = {(section, key) for section, key, _ in act.entries} & {(s, k) for s, k, _ in later.entries}
    play = act.play is not None and act.play == later.play
    set_ = {tuple(c["at"]) for c in act.changes} & {tuple(c["at"]) for c in later.changes if "to" in c}
    return bool(same or play or set_)


def correct(desk: Desk, r: requests.Correct) -> None:
    """The game master sets a play right."""
    desk.master("correct", "correct a play")
    events = [
        event
        for _, event in desk.history(0)
        if event.get("play") == r.play and shown(event, desk.keys) is not None
    ]
    told = [e.get("_events") or e.get("events") or [] for e in events if e["kind"] == "revealed"]
    flat = [one["event"] for part in told for one in part]
    begun = next((e for e in [*flat, *events] if e["kind"] == "played"), None)
    if begun is None:
        raise RuleError("play", f"there is no play {r.play!r} here")
    rule = catalog.rule(begun["rule"])
    more: Event = {}
    if r.outcome:
        try:
            made = msgspec.convert({**resolved(events), **r.outcome}, rule.outcome)
        except msgspec.ValidationError as e:
            raise explained(Field("outcome", rule.outcome), r.outcome, str(e)) from None
        more["outcome"] = msgspec.to_builtins(made)
    if r.void:
        if any(e["kind"] == "corrected" and e.get("void") for e in events):
            raise Refused("play", "this play was made void already")
        more["void"] = True
        done = [
            change for e in events if e["kind"] in ("effect", "resolved") for change in e.get("changes", ())
        ]
        more["changes"] = [{"at": c["at"], "by": -c["by"], "least": 0} for c in reversed(done) if "by" in c]
    elif r.cards:
        raise RuleError("cards", "cards go back into the deck only with void")
    if not (r.text or more):
        raise RuleError("correct", "is empty; takes a text, another outcome, or void")
    to = None if any("to" not in e for e in events) else begun.get("to")
    desk.tell("corrected", to=to, play=r.play, text=r.text, **more)
    if r.cards:
        if to is not None:
            raise Refused(
                "cards", "cards of a play in secret go back only when all see them; reveal it first"
            )
        put_back(desk, r.play, [*flat, *events])


def resolved(events: Iterable[Event]) -> Event:
    """The outcome of a play as it stands."""
    out: Event = {}
    for event in events:
        out = event.get("outcome", out) if event["kind"] in ("resolved", "corrected") else out
    return out


def put_back(desk: Desk, play: str, events: Iterable[Event]) -> None:
    """Shuffle the cards of a play back into their decks, and nothing else."""
    cards: dict[str, Counter[str]] = {}
    for event in events:
        for item in event.get("groups", ()) if event["kind"] == "throw" else ():
            if item["kind"] == "cards" and item["name"] in desk.known.all.decks:
                cards.setdefault(item["name"], Counter()).update(item["faces"])
    for deck, back in cards.items():
        seen = desk.known.seen[""].decks[deck]
        away = Counter({card: n - seen.left.get(card, 0) for card, n in seen.cards.items()}) - back
        desk.tell(
            "shuffled",
            deck=deck,
            by="correction",
            **staying(hidden_out(desk, deck, all_of_it=True), list(away.elements())),
        )


def hidden_out(desk: Desk, deck: str, *, all_of_it: bool = False) -> list[tuple[Audience, list[str]]]:
    """The cards of a deck that lie out, or are gone, in plays that not all see."""
    if all_of_it:
        return [(one.to, one.gone[deck]) for one in desk.known.hidden.values() if one.gone.get(deck)]
    return [
        (p.to, p.out[deck]) for p in desk.known.all.plays.values() if p.to is not None and p.out.get(deck)
    ]


# ---- scenes and what people write -----------------------------------------------------------------


def note(desk: Desk, r: requests.Note) -> None:
    """Write a note."""
    desk.tell("note", to=desk.audience(r.to), id=desk.id(), text=r.text)


def all_houses(desk: Desk) -> dict[str, House]:
    """The house rules of every system that keeps something of characters or has a deck here."""
    of_table = desk.mine.written.get("house", {})
    ids = {id for one in desk.mine.characters.values() for id in one.sheets} | {"cards"}
    return {id: houses.house(catalog.system(id), of_table.get(id)) for id in sorted(ids)}


def scene(desk: Desk, r: requests.Scene) -> None:
    """Begin a scene: what comes back with it, and new secrets under it."""
    desk.master("scene", "begin a scene")
    effects = sheets.effects(all_houses(desk), "scene")
    changes = sheets.brought(effects, desk.mine.characters)
    open_, secret = apart(desk, changes)
    desk.tell("scene", n=desk.known.all.scene + 1, title=r.title, changes=open_)
    if secret:
        desk.tell("brought", to=[GM], changes=secret)
    for of_system in effects.values():
        for effect in of_system:
            if isinstance(effect, Shuffle) and effect.deck in desk.known.all.decks:
                shuffled(desk, effect.deck, "scene")
    dice = desk.known.all.stretches["dice"]
    secret = desk.known.secrets.get(dice)
    if secret is None or secret.counter:
        if secret:
            desk.open(dice)
        desk.commit("dice", desk.words(r.words or r.title))


def apart(desk: Desk, changes: list[Event]) -> tuple[list[Event], list[Event]]:
    """What comes back to characters whom all know, and to those whom only the game master does."""
    known = desk.known.seen[""].characters
    return [c for c in changes if c["at"][0] in known], [c for c in changes if c["at"][0] not in known]


def rest(desk: Desk, r: requests.Rest) -> None:
    """What a rest brings back."""
    who = desk.someone("who", r.who)
    desk.may_act_for("who", who)
    if who is None:
        desk.master("rest", "let everybody rest")
    resting = {id: one for id, one in desk.mine.characters.items() if who in (None, id)}
    if not resting:
        raise Refused("who", "there is nobody here to rest; make a character first")
    changes = sheets.brought(sheets.effects(all_houses(desk), "rest"), resting)
    of: Event = {"who": who} if who else {}
    open_, secret = apart(desk, changes)
    if open_ or who is None:
        desk.tell("rest", changes=open_, **of)
        if secret:
            desk.tell("brought", to=[GM], changes=secret)
    else:
        desk.tell("rest", to=[GM], changes=secret, **of)


def shuffle(desk: Desk, r: requests.Shuffle) -> None:
    """Shuffle a deck because somebody says so (C2)."""
    if r.deck not in desk.mine.decks:
        raise wrong("deck", r.deck, f"a deck of the table: {', '.join(desk.mine.decks)}")
    shuffled(desk, r.deck, "ask")


def shuffled(desk: Desk, deck: str, by: str) -> None:
    """A deck is shuffled with its discard; what lies out for plays that wait stays out."""
    plays = [(one.to, one.out[deck]) for one in desk.known.all.plays.values() if one.out.get(deck)]
    desk.tell("shuffled", deck=deck, by=by, **staying(plays, []))


def written(desk: Desk, r: Any) -> None:
    """A thread, clock, question or line of the ledger, new or changed."""
    kind = type(r).__struct_config__.tag
    entries = desk.mine.written.get(kind, {})
    keys = {name: getattr(r, name) for name in r.__struct_fields__ if name not in ("id", "tick", "gone")}
    keys = {name: value for name, value in keys.items() if value is not None}
    if r.id is None:
        first = next(name for name in r.__struct_fields__ if name != "id")
        if first not in keys:
            raise RuleError(first, f"is missing: a new {kind} needs it")
        defaults: dict[str, Event] = {"thread": {"state": "open"}, "clock": {"size": 6, "filled": 0}}
        old: dict[str, Any] = {}
        id, keys = desk.id(), {**defaults.get(kind, {}), **keys}
    else:
        id, old = entry(kind, r.id, entries)
        if not (keys or r.gone or getattr(r, "tick", 0)):
            raise RuleError(kind, "nothing to change was given")
    if isinstance(r, requests.Clock) and not r.gone:
        now = {**old, **keys}
        keys["filled"] = min(max(now["filled"] + r.tick, 0), now["size"])
    desk.tell(kind, id=id, **({"gone": True} if r.gone else keys))


def entry(kind: str, named: str, entries: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """An entry by its id, or by its title or name. Raises RuleError."""
    for id, one in entries.items():
        titles = [one.get(key) for key in ("title", "name", "text")]
        if named == id or named.casefold() in [t.casefold() for t in titles if t]:
            return id, one
    there = [next((one[k] for k in ("title", "name", "text") if k in one), id) for id, one in entries.items()]
    raise RuleError(kind, f"there is no {named!r}; there are {', '.join(there) or 'none'}")


def character(desk: Desk, r: requests.Character) -> None:
    """Make a character, or change one."""
    if r.id is None:
        if r.name is None:
            raise RuleError("name", "is missing: a new character needs one")
        if any(one.name.casefold() == r.name.casefold() for one in desk.mine.characters.values()):
            raise RuleError("name", f"there is a {r.name} already; change it, or take another name")
        read = {id: sheets.read(catalog.system(id), sheet) for id, sheet in r.sheets.items()}
        id = desk.id()
        for path, value in r.edits.items():
            change = sheets.edited(id, read, path, value, text=r.text)
            system = change["at"][1]
            if system not in read:
                read[system] = sheets.read(catalog.system(system), {})
            read = dict(sheets.applied({id: read}, change)[id])
        for system in read:  # what starts at its maximum does so after the edits, too
            set_ = {path.split(".")[1] for path in r.edits if path.startswith(f"{system}.") and "." in path}
            given = {k: v for k, v in read[system].items() if k in set_ or k in r.sheets.get(system, {})}
            read[system] = sheets.read(catalog.system(system), given)
        owner = desk.seat if r.owner is None and desk.role != GM else owner_of(desk, r.owner)
        to = desk.audience(r.to)
        desk.tell("character", to=to, id=id, name=r.name, owner=owner, sheets=read)
        return
    id = desk.someone("id", r.id) or ""
    desk.may_act_for("id", id)
    old = desk.mine.characters[id]
    keys: Event = {}
    if r.name is not None:
        keys["name"] = r.name
    if r.owner is not None:
        desk.master("owner", "give a character to a seat")
        keys["owner"] = owner_of(desk, r.owner)
    if r.gone:
        keys["gone"] = True
    new = {i: sheets.read(catalog.system(i), sheet) for i, sheet in r.sheets.items()}
    now = {**old.sheets, **new}
    changes = []
    for path, value in r.edits.items():
        change = sheets.edited(id, now, path, value, text=r.text)
        if change["at"][1] not in now:
            new[change["at"][1]] = now[change["at"][1]] = sheets.read(catalog.system(change["at"][1]), {})
        now = dict(sheets.applied({id: now}, change)[id])
        changes.append(change)
    keys |= {"sheets": new} if new else {}
    keys |= {"changes": changes} if changes else {}
    if not keys:
        raise RuleError("character", "nothing to change was given")
    hidden = id not in desk.known.seen[""].characters
    desk.tell("character", to=[GM] if hidden and desk.role == GM else None, id=id, **keys)


def owner_of(desk: Desk, named: str | None) -> str | None:
    """The seat that a character is given to, by id or name."""
    return None if named in (None, "", "none") else seat_of(desk, "owner", str(named))


def seat_of(desk: Desk, parameter: str, named: str) -> str:
    """A seat by id or name. Raises RuleError."""
    for id, one in desk.known.all.seats.items():
        if named == id or named.casefold() == one.name.casefold():
            return id
    raise wrong(parameter, named, f"a seat: {', '.join(one.name for one in desk.known.all.seats.values())}")


# ---- how the table is run -------------------------------------------------------------------------


def settings(desk: Desk, r: requests.Settings) -> None:
    """Change settings."""
    desk.master("settings", "change settings")
    changed = {name: getattr(r, name) for name in r.__struct_fields__ if getattr(r, name) is not None}
    if not changed:
        raise RuleError("settings", f"nothing to change was given; takes {', '.join(r.__struct_fields__)}")
    desk.tell("settings", changed=changed)


def house(desk: Desk, r: requests.House) -> None:
    """Change the house rules of a system for what is played from here on."""
    desk.master("house", "change house rules")
    system = catalog.system(r.system)
    made = houses.house(system, r.changes)
    for deck in system.decks(made):
        known = desk.known.all.decks.get(deck.name)
        if known is None or deck.each or known.cards == dict(deck.cards):
            continue
        if any(one.out.get(deck.name) for one in desk.known.all.plays.values()):
            raise Refused("house", f"plays wait with cards of the deck {deck.name}; let them end first")
        desk.tell("shuffled", deck=deck.name, cards=[list(one) for one in deck.cards], out=[])
    desk.tell("house", system=r.system, changes=r.changes)


def seat(desk: Desk, r: requests.Seat) -> None:
    """A seat, and its secret link: it is told once, and only its hash is kept."""
    if r.id is None:
        desk.master("seat", "make seats")
        if r.name is None:
            raise RuleError("name", "is missing: a new seat needs one")
        if any(one.name.casefold() == r.name.casefold() for one in desk.known.all.seats.values()):
            raise RuleError("name", f"there is a seat {r.name} already")
        new_seat(desk, r.name, r.role)
        return
    id = seat_of(desk, "id", r.id)
    if id != desk.seat:
        desk.master("seat", "change another's seat")
    if r.revoke:
        desk.master("revoke", "take a seat away")
        if id == desk.seat:
            raise Refused("revoke", "you would lock yourself out")
        desk.tell("seat", id=id, revoked=True, _door="")
    elif r.renew:
        desk.link = desk.token(24).hex()
        desk.tell("seat", id=id, renewed=True, revoked=False, _door=door(desk.link))
    elif r.name is not None:
        desk.tell("seat", id=id, name=r.name)
    else:
        raise RuleError("seat", "nothing to change was given; takes a name, revoke or renew")


def new_seat(desk: Desk, name: str, role: str) -> str:
    """A seat with a new secret for its link."""
    id = desk.id()
    desk.link = desk.token(24).hex()
    desk.tell("seat", id=id, name=name, role=role, _door=door(desk.link))
    return id


def door(link: str) -> str:
    """The hash of a link's secret."""
    return sha256(b"sortes/1/link" + link.encode()).hexdigest()


def prove(desk: Desk, r: requests.Prove) -> None:
    """Open what can be opened, and go on under new secrets.

    The secrets of cards tell which cards are gone, so they stay closed while a play in secret has some.
    """
    desk.master("prove", "open the secrets")
    known = desk.known
    closed = [h for h in known.hidden.values() if (s := known.secrets.get(h.stretch)) and s.cards]
    waiting = {h.stretch for h in known.hidden.values()}
    for stretch, secret in list(known.secrets.items()):
        if stretch in waiting or stretch in known.seals.values():
            continue
        of_cards = secret.cards or secret.purpose == "cards"
        if secret.counter and not (closed and of_cards):
            desk.open(stretch)
            if known.all.stretches.get(secret.purpose) == stretch:
                desk.commit(secret.purpose, desk.words(r.words))
    if closed and not desk.events:
        raise Refused("prove", "cards are out in secret: reveal those plays first")


DEEDS: dict[type[requests.Request], Callable[[Desk, Any], None]] = {
    requests.Play: play,
    requests.Answer: answer,
    requests.End: end,
    requests.Reveal: reveal,
    requests.Undo: undo,
    requests.Correct: correct,
    requests.Note: note,
    requests.Scene: scene,
    requests.Rest: rest,
    requests.Shuffle: shuffle,
    requests.Question: written,
    requests.Thread: written,
    requests.Clock: written,
    requests.Ledger: written,
    requests.Character: character,
    requests.Settings: settings,
    requests.House: house,
    requests.Seat: seat,
    requests.Prove: prove,
}


def done(desk: Desk, request: requests.Request) -> None:
    """Do what a seat asks for. Raises RuleError, and then nothing has happened."""
    if desk.role in WATCHES and not (isinstance(request, requests.Seat) and request.id == desk.seat):
        raise Refused("seat", "a watcher looks on; ask the game master for a player's seat")
    DEEDS[type(request)](desk, request)
