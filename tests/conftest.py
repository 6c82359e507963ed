"""What all tests share."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator

import pytest
from hypothesis import settings

# Time is for the benchmarks to judge; and where CI runs, a failure there is one that everyone can repeat.
settings.register_profile("sortes", deadline=None, max_examples=60, derandomize=bool(os.environ.get("CI")))
settings.load_profile("sortes")

# The command line plays at no table unless a test says which: nobody's own table is played at.
os.environ["SORTES_TABLE"] = "none"


@pytest.fixture(autouse=True)
def _numbers_of_usual_length() -> Iterator[None]:
    """The command line lifts Python's limit for long numbers for its own process: tests share one."""
    limit = sys.get_int_max_str_digits()
    yield
    sys.set_int_max_str_digits(limit)
