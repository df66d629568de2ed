"""Which core does what, and what processes have computed: of Linux; elsewhere nothing is known of it."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def server_and_client() -> tuple[int, int] | tuple[None, None]:
    """A core for all that serves, and another for who asks; the same one where there is no other."""
    if not hasattr(os, "sched_getaffinity"):
        return None, None
    cores = sorted(os.sched_getaffinity(0))
    return cores[0], cores[-1]


@contextmanager
def on_core(core: int | None) -> Iterator[None]:
    """Run on one core, with all processes that are started meanwhile."""
    if core is None:
        yield
        return
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {core})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def with_children(pid: int) -> Iterator[int]:
    """A process and all that it has started, as far as they still live."""
    yield pid
    try:
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except OSError:
        return
    for child in children:
        yield from with_children(int(child))


def computed(*parents: int | None) -> float:
    """Seconds that processes and their children have computed, in themselves and in the kernel.

    Of those that live; from the scheduler's own count, to the microsecond, where ticks of 10 ms would
    be too coarse for a turn of a second. 0 where there is no such count, or no such process.
    """
    nanoseconds = 0
    for parent in parents:
        if parent is None:
            continue
        for pid in with_children(parent):
            try:
                for count in Path(f"/proc/{pid}/task").glob("*/schedstat"):
                    nanoseconds += int(count.read_text().split()[0])
            except OSError:
                continue
    return nanoseconds / 1e9
