"""Ctrl-C, which a terminal sends to every process of a command: it is for the first of them alone."""

import multiprocessing
import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import resource_tracker
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


@contextmanager
def held() -> Iterator[None]:
    """Keep it waiting. Processes that are started meanwhile never get it: who started them ends them."""
    asked = False

    def note(*_: Any) -> None:
        nonlocal asked
        asked = True

    # Starting this, multiprocessing would let interrupts through again.
    resource_tracker.ensure_running()
    # Blocked for what is started; but another thread of ours may take it for us.
    in_main = threading.current_thread() is threading.main_thread()
    handler = signal.signal(signal.SIGINT, note) if in_main else None
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        if handler is not None:
            signal.signal(signal.SIGINT, handler)
        if asked:
            signal.raise_signal(signal.SIGINT)


class Processes(ProcessPoolExecutor):
    """So many processes that share the work of a command, and are never interrupted themselves.

    Not forked: copies of this process would share its connections. ``begin`` is what each does first.
    """

    def __init__(self, count: int, begin: Callable[[], None]) -> None:
        super().__init__(count, multiprocessing.get_context("spawn"), initializer=begin)

    def submit(self, task: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Have one of them do something; starts it, where there are too few yet."""
        with held():
            return super().submit(task, *args, **kwargs)
