"""What all tests share."""

from __future__ import annotations

import os

from hypothesis import settings

# Time is for the benchmarks to judge; and where CI runs, a failure there is one that everyone can repeat.
settings.register_profile("sortes", deadline=None, max_examples=60, derandomize=bool(os.environ.get("CI")))
settings.load_profile("sortes")

# The command line plays at no table unless a test says which: nobody's own table is played at.
os.environ["SORTES_TABLE"] = "none"
