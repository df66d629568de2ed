"""Ctrl-C goes to all processes of a command, and is for the first of them alone."""

import signal
import subprocess
import sys
import threading
from collections.abc import Iterator

import pytest

from service import interrupts

# In a process of its own, in which multiprocessing has not started anything yet.
PROGRAM = """
import signal
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from service import interrupts
with ProcessPoolExecutor(2, get_context("spawn")) as pool:
    for _ in range(2):
        with interrupts.held():
            blocked = pool.submit(signal.pthread_sigmask, signal.SIG_BLOCK, [])
        print(signal.SIGINT in blocked.result())
print(signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, []))
"""


@pytest.fixture(autouse=True)
def handler() -> Iterator[None]:
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def test_processes_that_are_started_meanwhile_never_get_it() -> None:
    found = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True)
    assert found.stdout.split() == ["True", "True", "False"]


@pytest.mark.parametrize("taken_by", ["this thread", "another"])
def test_it_waits_until_they_are_started(taken_by: str) -> None:
    done, begun = [], threading.Event()

    def interrupt() -> None:
        begun.wait()
        signal.raise_signal(signal.SIGINT)

    other = threading.Thread(target=interrupt)
    if taken_by == "another":
        other.start()
    with pytest.raises(KeyboardInterrupt), interrupts.held():
        if taken_by == "another":
            begun.set()
            other.join()
        else:
            signal.raise_signal(signal.SIGINT)
        done.append("all of it")
    assert done == ["all of it"]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_another_thread_may_start_some_as_well() -> None:
    def start() -> None:
        with interrupts.held():
            done.append("started")

    done: list[str] = []
    thread = threading.Thread(target=start)
    thread.start()
    thread.join()
    assert done == ["started"]
