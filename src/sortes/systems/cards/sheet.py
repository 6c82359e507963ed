"""What the cards keep of a character (C6, C7.3), and which parameters it feeds."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from msgspec import Meta, Struct

from sortes.core.form import Entry, Fed

Rank: TypeAlias = Annotated[int, Meta(ge=0, le=100)]

EL, THEIR_EL = Fed("els"), Fed("els", their=True)
HOOK = Fed("hooks", purse="hook", counts="used", used="used")
LUCK = Fed("luck", purse="luck", most="level")
THEIR_LUCK = Fed("luck", their=True, purse="their_luck", most="level")


class CardsSheet(Struct, frozen=True, forbid_unknown_fields=True):
    """A character as the cards know it."""

    level: Annotated[
        int, Meta(ge=0, le=100, description="Level: how many Luck Tokens there can be, and are at the start")
    ] = 1
    els: Annotated[
        dict[Entry, Annotated[int, Meta(ge=0, le=500)]], Meta(max_length=200, description="ELs by name")
    ] = {}
    hooks: Annotated[
        dict[Entry, Rank], Meta(max_length=200, description="hooks by name, each with its rank")
    ] = {}
    used: Annotated[
        dict[Entry, Rank], Meta(max_length=200, description="what of each hook is used up in this scene")
    ] = {}
    luck: Annotated[int, Meta(ge=0, le=100, description="Luck Tokens that are left")] = 0
