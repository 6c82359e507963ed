"""Places for a store, each new."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from sortes.table.stores import Store, open_store
from tests.table.storing import schema


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.service)])
def where(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """Where a store is to be, one after the other of each kind."""
    if request.param == "sqlite":
        yield str(tmp_path / "tables.db")
    else:
        with schema() as url:
            yield url


@pytest.fixture
def store(where: str) -> Iterator[Store]:
    with open_store(where) as opened:
        yield opened


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "tables.db"


@pytest.fixture
def url() -> Iterator[str]:
    with schema() as made:
        yield made
