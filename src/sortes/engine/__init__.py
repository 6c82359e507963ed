"""Four walks over the same states, one file a question: play, odds, advise, simulate."""

from __future__ import annotations


def clear_caches() -> None:
    """Forget every counted bag and every deck laid out, so that a measurement starts cold."""
    from sortes.core import chance, world

    for cached in (
        chance._kept,
        chance._sides,
        chance._ranks,
        chance._standings,
        chance._open_ended,
        chance.deals,
        chance.die,
        world.stock,
    ):
        cached.cache_clear()
