"""Counting what clients use: exact over threads and processes, forgiving over time, never in the way."""

import math
import multiprocessing
import os
import signal
import struct
import threading
import time
from typing import Any

import pytest

from service import limit_table
from service.limit_table import MOST_DEBT_SECONDS, LimitTable, Rate

SLOW = Rate(a_second=1, burst=100)
NEVER = Rate(a_second=1e-6, burst=100)


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def table(clock: Clock) -> LimitTable:
    return LimitTable(clock)


def test_a_burst_is_let_in_and_then_what_a_second_gives(table: LimitTable, clock: Clock) -> None:
    assert [table.take(b"a", SLOW, 1).left for _ in range(100)] == list(range(99, -1, -1))
    refused = table.take(b"a", SLOW, 1)
    assert (refused.left, refused.wait) == (0, pytest.approx(1))
    clock.now += 0.5
    assert table.take(b"a", SLOW, 1).wait == pytest.approx(0.5)
    clock.now += 0.5
    assert table.take(b"a", SLOW, 1).wait == 0
    assert table.take(b"a", SLOW, 1).wait > 0


def test_who_waits_as_long_as_told_is_let_in(table: LimitTable, clock: Clock) -> None:
    table.take(b"a", SLOW, 98)
    refused = table.take(b"a", SLOW, 7)
    assert refused.wait == pytest.approx(5)
    clock.now += refused.wait
    assert table.take(b"a", SLOW, 7).wait == pytest.approx(0)


def test_a_refusal_costs_nothing(table: LimitTable) -> None:
    table.take(b"a", SLOW, 99)
    for _ in range(10):
        assert table.take(b"a", SLOW, 5).wait > 0
    assert table.take(b"a", SLOW, 1).wait == 0


def test_all_comes_back_and_no_more(table: LimitTable, clock: Clock) -> None:
    table.take(b"a", SLOW, 100)
    clock.now += 10_000
    assert table.take(b"a", SLOW, 0).left == 100


def test_units_are_given_back_but_never_more_than_were_taken(table: LimitTable) -> None:
    table.take(b"a", SLOW, 50)
    assert table.take(b"a", SLOW, -20).left == 70
    assert table.take(b"a", SLOW, -500).left == 100


def test_clients_do_each_other_no_harm(table: LimitTable) -> None:
    table.take(b"a", SLOW, 100)
    assert table.take(b"b", SLOW, 1).left == 99
    assert table.take(b"a", SLOW, 1).wait > 0


def test_many_clients_at_once_are_all_known(table: LimitTable) -> None:
    """A fifth of the places: hardly any set is full."""
    names = [b"%d" % number for number in range(6000)]
    for name in names:
        table.take(name, SLOW, 100)
    assert sum(table.take(name, SLOW, 1).wait > 0 for name in names) > 5990


def test_more_clients_than_places_are_let_in(table: LimitTable) -> None:
    for number in range(60_000):
        assert table.take(b"%d" % number, NEVER, 100).wait == 0


def test_places_free_themselves(table: LimitTable, clock: Clock) -> None:
    for number in range(60_000):
        table.take(b"%d" % number, SLOW, 100)
    clock.now += 101
    table.take(b"a", SLOW, 60)
    assert table.take(b"a", SLOW, 0).left == 40


@pytest.mark.parametrize("due", [math.nan, math.inf, -math.inf, 1e300, -1e300])
def test_what_somebody_has_overwritten_heals(table: LimitTable, due: float) -> None:
    table.take(b"a", SLOW, 1)
    size = limit_table._PLACE.size
    for offset in range(0, len(table._memory), size):
        name, _ = limit_table._PLACE.unpack_from(table._memory, offset)
        struct.pack_into("=Qd", table._memory, offset, name, due)
    assert table.take(b"a", SLOW, 1).left == 99
    assert table.take(b"someone new", SLOW, 1).left == 99


def test_threads_lose_no_count() -> None:
    table = LimitTable()

    def use() -> None:
        for _ in range(500):
            table.take(b"a", Rate(1e-6, 10_000), 1)

    threads = [threading.Thread(target=use) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert table.take(b"a", Rate(1e-6, 10_000), 0).left == 8000


def _use_in_a_fork(table: LimitTable, times: int) -> None:
    for _ in range(times):
        table.take(b"a", Rate(1e-6, 10_000), 1)


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_processes_count_together() -> None:
    table = LimitTable()
    fork: Any = multiprocessing.get_context("fork")
    processes = [fork.Process(target=_use_in_a_fork, args=(table, 500)) for _ in range(3)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
        assert process.exitcode == 0
    # A lock that was not to be had in time may lose a few on a busy machine.
    assert 8500 <= table.take(b"a", Rate(1e-6, 10_000), 0).left < 8520


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_process_that_was_stopped_or_killed_in_the_middle_holds_up_nobody(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    table = LimitTable()
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        table._lock.acquire()
        os.write(write, b"x")
        signal.pause()
    try:
        os.read(read, 1)
        start = time.monotonic()
        assert table.take(b"a", SLOW, 1).left == 99
        assert time.monotonic() - start < 5
    finally:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        os.close(read)
        os.close(write)
    # Its lock is still taken, which nobody gives back; after a while it is taken to be free.
    assert not table._acquire()
    monkeypatch.setattr(limit_table, "_DEAD_SECONDS", 0.05)
    until = time.monotonic() + 10
    while not table._acquire():
        assert time.monotonic() < until
    table._release()
    # Also where it was not dead, and gives back what it has no more.
    table._release()
    assert table._acquire() and not table._acquire()


def test_without_room_there_is_no_table_and_the_log_says_so(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def full(size: int) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(limit_table, "_nameless_file", full)
    assert limit_table.make_table() is None
    assert "No space left" in caplog.text


def test_a_table_leaves_no_descriptor_behind() -> None:
    open_before = len(os.listdir("/proc/self/fd"))
    for _ in range(5):
        LimitTable().take(b"a", SLOW, 1)
    assert len(os.listdir("/proc/self/fd")) <= open_before + 1


def test_what_is_charged_by_force_has_to_be_made_up_for() -> None:
    """Else who guesses at a steady pace would be charged the whole only once."""
    clock = [0.0]
    table = LimitTable(lambda: clock[0])
    rate = Rate(100, 100)
    for _ in range(50):
        table.take(b"guesser", rate, 100, force=True)
    assert table.take(b"guesser", rate, 1).wait == pytest.approx(MOST_DEBT_SECONDS + 0.01)
    clock[0] = MOST_DEBT_SECONDS + 0.02
    assert table.take(b"guesser", rate, 1).wait == 0
