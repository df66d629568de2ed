"""Real gunicorns of a test's own, started as the container starts them."""

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import requests

ROOT = Path(__file__).resolve().parents[1]
SECONDS = 30
CONFIGURATION = """
from service.gunicorn_conf import *
from service.gunicorn_conf import post_worker_init as _whole

def post_worker_init(worker):
    _whole(worker)
"""
_SETTINGS = ("SUSUN_", "OTEL_", "PROMETHEUS_", "GUNICORN_")


class Gunicorn:
    """One that serves; ``base`` is where."""

    def __init__(self, process: subprocess.Popen[bytes], port: int, log: Path) -> None:
        self.process, self.port, self._log, self._forgotten = process, port, log, 0
        self.base = f"http://127.0.0.1:{port}"

    def connect(self, receive_bytes: int | None = None) -> socket.socket:
        """A connection, which takes in as little as it can where a number of bytes is given."""
        connection = socket.socket()
        if receive_bytes is not None:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_bytes)
        connection.settimeout(20)
        connection.connect(("127.0.0.1", self.port))
        return connection

    def workers(self) -> set[int]:
        """The process ids of its workers."""
        pid = self.process.pid
        return set(map(int, Path(f"/proc/{pid}/task/{pid}/children").read_text().split()))

    def text(self) -> str:
        """All that it has written to standard error since it was told to forget, or ever."""
        return self._log.read_bytes()[self._forgotten :].decode()

    def forget(self) -> None:
        """Leave out what it has written so far."""
        self._forgotten = self._log.stat().st_size

    def lines(self, event: str | None = None) -> list[dict[str, Any]]:
        """The same as objects; those of an event, or all."""
        lines = [json.loads(line) for line in self.text().splitlines()]
        return [line for line in lines if event in (None, line["event"])]

    def line(self, event: str, **parts: Any) -> dict[str, Any]:
        """The one line of an event with some members, as soon as it is there."""
        deadline = time.monotonic() + SECONDS
        while time.monotonic() < deadline:
            with contextlib.suppress(ValueError):  # half a line
                found = [line for line in self.lines(event) if parts.items() <= line.items()]
                if found:
                    assert len(found) == 1, found
                    return found[0]
            time.sleep(0.05)
        raise AssertionError(f"no {event} with {parts} in:\n{self.text()}")

    def replace(self, victim: int) -> None:
        """Kill a worker, and wait until another has its place."""
        before = len(self.workers())
        os.kill(victim, signal.SIGKILL)
        self.until(lambda: victim not in self.workers() and len(self.workers()) == before)

    def until(self, done: Callable[[], Any]) -> None:
        """Wait for something."""
        deadline = time.monotonic() + SECONDS
        while not done():
            assert time.monotonic() < deadline, self.text()
            time.sleep(0.05)


def free_port() -> int:
    """A port of this machine that nobody uses just now."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return int(probe.getsockname()[1])


@contextmanager
def serving(
    url: str,
    directory: Path,
    *,
    workers: int = 2,
    tweaks: Sequence[str] = (),
    hooks: str = "",
    **environment: str,
) -> Iterator[Gunicorn]:
    """A gunicorn on a database; its log is kept in ``directory``.

    ``tweaks`` are statements for each worker, such as shorter time limits, and ``hooks`` functions that
    gunicorn calls, by their names.
    """
    port = free_port()
    log, configuration = directory / f"gunicorn-{port}.log", directory / f"gunicorn-{port}.conf.py"
    configuration.write_text(CONFIGURATION + "".join(f"    {line}\n" for line in tweaks) + hooks)
    settings = {
        "DATABASE_URL": url,
        "HOST": "127.0.0.1",
        "PORT": str(port),
        "WEB_CONCURRENCY": str(workers),
        "PYTHONPATH": os.pathsep.join([str(directory), str(ROOT)]),
        **environment,
    }
    app = settings.pop("APP", "app:create_app()")
    command = [sys.executable, "-m", "gunicorn", "--config", str(configuration), app]
    kept = {name: value for name, value in os.environ.items() if not name.startswith(_SETTINGS)}
    with log.open("wb") as errors:
        process = subprocess.Popen(command, cwd=ROOT, env={**kept, **settings}, stderr=errors)
    try:
        gunicorn = Gunicorn(process, port, log)
        _wait(gunicorn)
        yield gunicorn
    finally:
        process.terminate()
        process.wait(SECONDS + 10)


def _wait(gunicorn: Gunicorn) -> None:
    deadline = time.monotonic() + SECONDS
    while True:
        with contextlib.suppress(requests.ConnectionError, requests.Timeout):
            if requests.get(f"{gunicorn.base}/livez", timeout=5).ok:
                return
        assert gunicorn.process.poll() is None and time.monotonic() < deadline, gunicorn.text()
        time.sleep(0.1)
