"""Where the command line plays: which store, which table there, in which seat, and as whom.

Tables are kept in the user's data folder, or where SORTES_STORE says (a file, or postgresql://…). Beside them a small
file remembers what `sortes table use` chose, with the links of the seats that this user may take.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import click
import msgspec
from msgspec import Struct

from sortes.answers import Play
from sortes.core.ask import Done
from sortes.core.errors import Refused, RuleError
from sortes.table import requests, service
from sortes.table.service import Table
from sortes.table.stores import Exists, Missing, Store, StoreError, open_store

PERSONAL = "personal"


class Memory(Struct, omit_defaults=True):
    """What is remembered between commands."""

    table: str = PERSONAL
    links: dict[str, str] = {}  # by store and table
    who: dict[str, str] = {}


class Here:
    """A table that is sat at. Names and links come from options, else the environment, else what is remembered."""

    def __init__(self, table: str | None = None, link: str | None = None) -> None:
        self.folder = _folder()
        self.where = os.environ.get("SORTES_STORE") or os.path.join(self.folder, "tables.db")
        self.memory = self._remembered()
        self.name = table or os.environ.get("SORTES_TABLE") or self.memory.table
        self.link = link or os.environ.get("SORTES_SEAT")
        self._store: Store | None = None
        self._table: Table | None = None
        self._seat = ""

    # ---- what is remembered ---------------------------------------------------------------------

    @property
    def _file(self) -> str:
        return os.path.join(self.folder, "here.json")

    def _remembered(self) -> Memory:
        try:
            with open(self._file, "rb") as file:
                return msgspec.json.decode(file.read(), type=Memory)
        except (OSError, msgspec.MsgspecError):
            return Memory()

    def remember(self) -> None:
        """Keep it for the next command; the file is its owner's alone, since links are secrets."""
        os.makedirs(self.folder, exist_ok=True)
        new = f"{self._file}.new"
        with os.fdopen(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
            file.write(msgspec.json.encode(self.memory))
        os.replace(new, self._file)

    def key(self, name: str) -> str:
        """Under which a table's link and character are remembered."""
        return f"{self.where} {name}"

    # ---- the table ------------------------------------------------------------------------------

    @property
    def store(self) -> Store:
        """The store, opened when it is first asked for."""
        if self._store is None:
            if "://" not in self.where:
                os.makedirs(os.path.dirname(os.path.abspath(self.where)), exist_ok=True)
            self._store = open_store(self.where)
        return self._store

    @property
    def table(self) -> Table:
        """The table; the personal one is made where it is not there yet. Raises RuleError with the tables there are."""
        if self._table is None:
            try:
                self._table = Table(self.store, self.name)
            except Missing:
                if self.name != PERSONAL:
                    names = ", ".join(self.store.tables()) or "none yet; sortes table new NAME makes one"
                    raise RuleError("table", f"there is no {self.name!r}; there are {names}") from None
                self.new(PERSONAL, title="Personal table")
        assert self._table is not None
        return self._table

    @property
    def seat(self) -> str:
        """The seat that is sat in. Raises RuleError where this user has no link to one."""
        if not self._seat:
            table = self.table
            link = self.link or self.memory.links.get(self.key(self.name))
            if link is None:
                raise RuleError(
                    "seat", f"no link to a seat at {self.name} is known here; give one with --seat LINK"
                )
            self._seat = table.enter(link)
        return self._seat

    @property
    def who(self) -> str | None:
        """The name of the character in use."""
        return self.memory.who.get(self.key(self.name))

    def new(self, name: str, **told: Any) -> str:
        """Make a table and sit down at it as its game master: the secret of the link to that seat."""
        try:
            self._table, self._seat, link = service.opened(self.store, name, **told)
        except Exists:
            if name != PERSONAL:
                raise
            self._table = Table(self.store, name)  # another command was faster
            return ""
        self.name = name
        self.keep(link)
        return link

    def keep(self, link: str) -> None:
        """Remember the way to a seat of this table."""
        self.memory.links[self.key(self.name)] = link
        self.remember()

    @classmethod
    @contextmanager
    def at(cls, table: str | None = None, link: str | None = None) -> Iterator[Here]:
        """Sit down for one command."""
        here = cls(table, link)
        try:
            yield here
        except StoreError as e:
            raise Refused("table", str(e)) from None
        finally:
            if here._store is not None:
                here._store.close()

    def warn(self, show: Callable[[list[str]], None], done: Play) -> None:
        """Say what an NPC has shown, for the ledger (C5), and when the deck runs low on numbers (C10)."""
        shown = getattr(done.outcome, "shown", None)
        for el in shown if isinstance(shown, tuple) else (shown,):
            if el is not None:
                show([f"  For the ledger: sortes table ledger NAME --el {el} --skill SKILL", ""])
        if any(one.name == "cards" for one in done.throws):
            told = self.table.prepare(self.seat, requests.Play(rule="cards.numbers")).state
            assert isinstance(told, Done)
            if told.outcome.result != "enough":
                left = told.outcome.pips or "none"
                show(
                    [
                        f"  Few numbers are left in the deck: {left}. sortes table shuffle brings them back.",
                        "",
                    ]
                )


def _folder() -> str:
    """The user's data folder, as each system has it."""
    if sys.platform in ("win32", "darwin"):
        return click.get_app_dir("sortes")
    home = os.environ.get("XDG_DATA_HOME") or os.path.join(os.path.expanduser("~"), ".local", "share")
    return os.path.join(home, "sortes")
