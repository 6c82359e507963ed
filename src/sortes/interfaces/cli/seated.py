"""Plays at a table, from the command line: chance, decks and sheets are the table's, and the log keeps what happens."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Mapping
from typing import Any

import click
import msgspec

from sortes import house as houses
from sortes.aims import aims
from sortes.answers import Play
from sortes.core.errors import Refused, RuleError, wrong
from sortes.core.system import Rule
from sortes.core.world import World, Worlds
from sortes.engine.play import Chosen, Played, can_ask
from sortes.engine.policy import offer
from sortes.interfaces.cli.here import Here
from sortes.prepared import Prepared
from sortes.show import terminal, text, words
from sortes.show.text import thrown
from sortes.table import requests
from sortes.table.log import Event
from sortes.table.service import Reply

AUDIENCES = ("all", "gm", "me", "blind")


def request(
    here: Here, rule: Rule, given: Mapping[str, Any], own: Mapping[str, Any], *, question: str = ""
) -> requests.Play:
    """What was typed as a request to the table. `own` are the command's own options."""
    policy = own.get("policy") or "ask"
    if policy not in ("ask", "plain", "best"):
        raise wrong(
            "policy", policy, "plain or best, at a table; for each chooser apart play with --no-table"
        )
    if own.get("worth") is not None:
        raise RuleError("worth", "another aim than the rule's own goes with --no-table")
    to = own.get("to") or "all"
    if to not in AUDIENCES:
        raise wrong("to", to, f"one of {', '.join(AUDIENCES)}")
    faces = own.get("faces")
    return requests.Play(
        rule=rule.id,
        params=dict(given),
        text=True,
        who=_none(own.get("as") or here.who),
        opponent=own.get("versus"),
        question=question or own.get("question") or "",
        to=to,  # type: ignore[arg-type]
        hand=bool(own.get("hand") or faces),
        policy=policy,  # type: ignore[arg-type]
        house=dict(houses.read(own.get("house"))),
        nonce=own.get("nonce") or fresh(),
    )


def _none(name: str | None) -> str | None:
    return None if name in (None, "none") else name


def fresh() -> str:
    """A nonce: this side's part in what chance is made of."""
    return os.urandom(16).hex()


class Seated:
    """One play at a table, begun here or waiting there, until it ends or is left waiting."""

    def __init__(self, here: Here, it: Prepared | None = None) -> None:
        self.here, self.it = here, it
        self.events: list[Event] = []
        self.play = ""
        self.asker: Any = None
        self._faces: list[list[str]] = []

    def by_hand(self, typed: str | None) -> None:
        """Throws as they were typed: faces with spaces or commas between, throws with a slash between."""
        self._faces = [re.split(r"[\s,]+", one.strip()) for one in (typed or "").split("/") if one.strip()]

    def heard(self, reply: Reply) -> None:
        """Take in what came of a request."""
        self.play = reply.play or self.play
        for _, event in reply.entries:
            self.events.append(event)
            if self.asker and event["kind"] == "throw":
                for record in thrown(event):
                    self.asker.told(record)

    @property
    def waits(self) -> Event | None:
        """What the play waits for, if it does."""
        last = next(
            (e for e in reversed(self.events) if e["kind"] in ("waiting", "resolved", "blind", "ended")), None
        )
        return last if last and last["kind"] == "waiting" else None

    def go_on(self, interactive: bool, policy: str = "ask") -> None:
        """Answer what the play asks, as far as somebody is here to answer."""
        while (waiting := self.waits) is not None:
            ask = waiting["ask"]
            if ask["kind"] == "throw":
                if not (self._faces or interactive):
                    return
                faces = self._faces.pop(0) if self._faces else self._ask_faces(ask)
                self._answer(
                    requests.Answer(
                        play=self.play,
                        turn=waiting["turn"],
                        faces=faces,
                        policy=_policy(policy),
                        nonce=fresh(),
                    )
                )
            elif interactive:
                option = self._ask_option()
                self._answer(
                    requests.Answer(play=self.play, turn=waiting["turn"], option=option, nonce=fresh())
                )
            else:
                return

    def _answer(self, answer: requests.Answer) -> None:
        self.heard(self.here.table.act(self.here.seat, answer))

    def _ask_option(self) -> Any:
        laid, state = self.here.table.waiting(self.here.seat, self.play)
        if self.asker is None:
            from sortes.interfaces.cli.asking import Asker

            self.it = self.it or Prepared.from_text(laid.rule, {})
            self.asker = Asker(self.it, terminal.ink(sys.stdout), aims(laid.rule, None))
            for event in self.events:
                for record in thrown(event) if event["kind"] == "throw" else ():
                    self.asker.told(record)
        ask = state.ask()
        choice = offer(ask, laid.stock.offered(laid.world, ask))
        worlds = Worlds(laid.stock, laid.world)
        return self.asker.decide(state, choice, worlds, worlds.start)

    def _ask_faces(self, ask: Event) -> list[str]:
        click.echo(f"  {wants(ask)}: ", nl=False)
        sys.stdout.flush()
        line = sys.stdin.readline()
        if not line.strip():
            raise click.Abort
        return re.split(r"[\s,]+", line.strip())

    def done(self) -> Play | None:
        """The play, if it has ended where this seat sees it."""
        end = next((e for e in reversed(self.events) if e["kind"] == "resolved"), None)
        if end is None or self.it is None:
            return None
        outcome = msgspec.convert(end["outcome"], self.it.rule.outcome)
        throws = [record for e in self.events if e["kind"] == "throw" for record in thrown(e)]
        choices = [
            Chosen(e["who"], e["about"], e["option"], tuple(e["cost"].items()), tuple(e["offered"]))
            for e in self.events
            if e["kind"] == "chosen"
        ]
        tallies = [(e["what"], e["n"]) for e in self.events if e["kind"] == "effect"]
        spent = {what for one in choices for what, _ in one.cost}
        kept = tuple(one for one in tallies if one[0] not in spent)
        played = Played(outcome, tuple(throws), tuple(choices), kept, tuple(end["why"]), World())
        return Play(self.it, played, "plain", None)


def _policy(policy: str) -> Any:
    return policy if policy in ("plain", "best") else "ask"


def wants(ask: Event) -> str:
    """What a throw by hand takes, in words."""
    if "deck" in ask:
        many = "a card and name it" if ask["n"] == 1 else f"{ask['n']} cards and name them in order"
        return f"Draw {many} (9C, KS, 0H)"
    groups = [f"{one.get('n', 'any number of')} {one['name']}" for one in ask["dice"]]
    return f"Throw {', '.join(groups)} and type the faces in order"


def begin(
    here: Here, rule: Rule, asked: requests.Play, *, interactive: bool, wait: bool, faces: str | None
) -> Seated:
    """Begin a play and answer what it asks."""
    it = here.table.prepare(here.seat, asked)
    asks = asked.policy == "ask" and asked.to != "blind"
    if asks and not (interactive or wait) and can_ask(it.state, it.stock, it.world):
        raise Refused(
            "policy",
            f"is missing: {rule.id} can ask on the way, and nobody is here to answer; take plain or best, or --wait "
            "to go on later with sortes table answer",
        )
    seated = Seated(here, it)
    seated.by_hand(faces)
    if interactive:
        from sortes.interfaces.cli.asking import Asker

        seated.asker = Asker(it, terminal.ink(sys.stdout), aims(rule, None))
    seated.heard(here.table.act(here.seat, asked))
    try:
        seated.go_on(interactive and not wait, asked.policy)
    except RuleError as e:  # it has begun, and is not lost
        more = f"{e}; the play waits, go on with sortes table answer {seated.play}"
        raise type(e)(e.parameter, more.removeprefix(f"{e.parameter}: ")) from None
    return seated


def left_waiting(seated: Seated) -> list[str]:
    """What to do with a play that was left waiting, or that nobody may see yet."""
    if any(e["kind"] == "blind" for e in seated.events):
        return ["", f"  Thrown blind: nobody sees it until sortes table reveal {seated.play}.", ""]
    waiting = seated.waits
    assert waiting is not None
    ask = waiting["ask"]
    out = [""]
    records = [record for e in seated.events if e["kind"] == "throw" for record in thrown(e)]
    out += [f"  {text.throw(record)}" for record in records]
    if ask["kind"] == "throw":
        out += [f"  The play waits. {wants(ask)}:", f"    sortes table answer {seated.play} FACES", ""]
        return out
    out.append(f"  The play waits. {words.question(ask['about'])}")
    for one in ask["options"]:
        cost = f", costs {words.cost(one['cost'].items())}" if one.get("cost") else ""
        out.append(f"    {one['option']}: {words.option(ask['about'], one['option'])}{cost}")
    return [*out, f"  Answer with: sortes table answer {seated.play} OPTION", ""]
