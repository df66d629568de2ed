"""Time limits on a database that says nothing at all, which only its client can set.

A server that is frozen, or a machine that is paused, still takes in what it is sent: TCP sees no fault,
and ``statement_timeout`` is kept by the server itself. So whoever has waited for too long has the
connection shut under him, and sees it as lost.
"""

import contextlib
import os
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from sqlalchemy import Connection, Engine, PoolProxiedConnection, event

_LOOK_SECONDS = 0.25
_LINE = "susun_line"


class Line:
    """A handle of our own on a connection's socket, whose number may be another's when we need it."""

    def __init__(self, number: int) -> None:
        self._lock = threading.Lock()
        self._number: int | None = os.dup(number)

    def cut(self) -> None:
        """Shut the connection down under whoever waits for it."""
        with self._lock, contextlib.suppress(OSError):
            if self._number is not None:
                with socket.socket(fileno=os.dup(self._number)) as line:
                    line.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """Let go of it."""
        with self._lock:
            number, self._number = self._number, None
        if number is not None:
            os.close(number)

    # Of an engine that nobody closes.
    __del__ = close


class Use:
    """One use of a connection, and whether it was cut off."""

    __slots__ = ("cut",)

    def __init__(self) -> None:
        self.cut = False


class Cutoff:
    """One thread that looks after all connections of a process which are in use."""

    def __init__(self) -> None:
        self._running: dict[Use, tuple[float, Line]] = {}
        self._starting = threading.Lock()
        self._stopped = threading.Event()
        self._thread: threading.Thread | None = None

    @contextmanager
    def after(
        self, seconds: float, connection: Connection | PoolProxiedConnection, use: Use | None = None
    ) -> Iterator[Use]:
        """Cut a connection, of an engine with lines, off if this takes longer; ``use`` tells of it."""
        if self._thread is None or not self._thread.is_alive():
            self._start()
        use = use or Use()
        self._running[use] = (time.monotonic() + seconds, connection.info[_LINE])
        try:
            yield use
        finally:
            self._running.pop(use, None)

    def stop(self) -> None:
        """End the thread."""
        self._stopped.set()
        if self._thread is not None:
            self._thread.join()

    def _start(self) -> None:
        # When first needed, which is after a fork.
        with self._starting:
            if self._thread is None or not self._thread.is_alive():
                self._stopped.clear()
                self._thread = threading.Thread(target=self._look, name="cutoff", daemon=True)
                self._thread.start()

    def _look(self) -> None:
        while not self._stopped.wait(_LOOK_SECONDS):
            now = time.monotonic()
            for use, (until, line) in self._running.copy().items():
                if until <= now:
                    self._running.pop(use, None)
                    use.cut = True
                    line.cut()


def hold_lines(engine: Engine) -> None:
    """Keep a handle on the socket of each of an engine's connections, so that it can be cut off."""

    @event.listens_for(engine, "connect")
    def _connected(driver: Any, record: Any) -> None:
        record.info[_LINE] = Line(driver.fileno())

    @event.listens_for(engine, "close")
    def _closed(driver: Any, record: Any) -> None:
        line = record.info.pop(_LINE, None)
        if line is not None:
            line.close()
