"""What a worker does before its first request."""

import gc
import sys

from service.rules.ruleset import BUILT_IN

# Reading a page of rounds makes 20,000 dictionaries and lists, none of which refer to themselves.
_OBJECTS_BETWEEN_COLLECTIONS = 50_000
# How long a thread that computes may keep others waiting each time that they come back from Postgres, a
# dozen times a request: Python's 5 ms would make 60 of one.
_SWITCH_SECONDS = 0.0005


def compile_published() -> None:
    """Compile the published rule sets, where that has not been done yet."""
    for ruleset in BUILT_IN.values():
        ruleset.tables  # noqa: B018 (made at first use)


def warm_up() -> None:
    """Compile the published rule sets, and take all that is there by now out of garbage collection.

    Otherwise the collector goes through it again and again, which takes 50 ms of whatever request it
    happens to meet.
    """
    compile_published()
    gc.collect()
    gc.freeze()
    sys.setswitchinterval(_SWITCH_SECONDS)
    gc.set_threshold(_OBJECTS_BETWEEN_COLLECTIONS, 20, 50)
