"""How tests are spread over processes: one by one, and what takes long first.

pytest-xdist's own way to keep some of them together (``--dist loadgroup``) does nothing with pytest 9.2:
it marks the ids of tests, which are not to be changed any more. So here their files are looked at.
"""

import os
from functools import cache
from typing import Any

import pytest
from xdist.scheduler import LoadScopeScheduling

#: Where tests take longest, so that at the end no core waits for another; the longest before all.
FIRST = (
    "tests/system/test_torture.py",
    "tests/system/test_busy_match.py",
    "tests/system/test_fuzz.py",
    "tests/independent/test_differential.py",
    "tests/system/test_bench.py",
    "tests/system/",
    "tests/rules/",
    "tests/schemas/",
    "tests/independent/",
    "tests/tournaments/",
)
SHARED = 'scope="module"'


class Spread(LoadScopeScheduling):
    """Each test may run anywhere, but those of a file that share something run together."""

    def _split_scope(self, nodeid: str) -> str:
        file = nodeid.partition("::")[0]
        return file if shares(str(self.config.rootpath / file)) else nodeid


@cache
def shares(path: str) -> bool:
    """Whether tests of a file share what is made once for it."""
    with open(path, encoding="utf-8") as file:
        return SHARED in file.read()


def place(nodeid: str) -> int:
    """When a test's turn comes: the lower, the earlier."""
    return next((place for place, start in enumerate(FIRST) if nodeid.startswith(start)), len(FIRST))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """One more than there are cores, since some tests wait."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return cores + 1


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Ours for ``--dist loadscope``; any other is left as it is."""
    return Spread(config, log) if config.getvalue("dist") == "loadscope" else None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """In one process tests keep their order."""
    if hasattr(config, "workerinput"):
        items.sort(key=lambda item: place(item.nodeid))
