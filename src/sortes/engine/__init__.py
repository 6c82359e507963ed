"""Four walks over the same states, one file a question: play, odds, advise, simulate."""

from __future__ import annotations


def clear_caches() -> None:
    """Forget every counted bag, so that a measurement starts cold."""
    from sortes.core import chance

    for cached in (
        chance._kept,
        chance._ranks,
        chance._standings,
        chance._open_ended,
        chance.deals,
        chance.die,
    ):
        cached.cache_clear()
