"""Which core does what, and what processes have computed: of Linux; elsewhere nothing is known of it."""

import contextlib
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


#: Nanoseconds that each thread has computed, by its id.
Computed = dict[str, int]


def computed(*parents: int | None) -> Computed:
    """What the threads of processes and their children have computed, in themselves and in the kernel.

    Of those that live; from the scheduler's own count, to the microsecond, where ticks of 10 ms would
    be too coarse for a turn of a second. Nothing where there is no such count, or no such process.
    """
    found: Computed = {}
    for parent in parents:
        if parent is None:
            continue
        for pid in with_children(parent):
            for thread in Path(f"/proc/{pid}/task").glob("*"):
                with contextlib.suppress(OSError):
                    found[thread.name] = int((thread / "schedstat").read_text().split()[0])
    return found


def seconds_since(before: Computed, *parents: int | None) -> float:
    """Seconds that they have computed since; of those that have ended meanwhile, nothing."""
    now = computed(*parents)
    return sum(count - before.get(thread, 0) for thread, count in now.items()) / 1e9
