"""What `susun run` does: a database if none is given, then gunicorn, and both end with us.

Either is started again when it dies, as long as that does not happen all the time.
Whatever ends this process, nothing stays behind: when asked to stop it stops its children in order,
and when it is killed the system tells them (see `service.child`).
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
import shlex
import signal
import socket
import subprocess
import sys
import time
from collections import deque
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType

from service import child
from service.config import ConfigError, read_database_url
from service.database import DatabaseAway
from service.embedded_postgres import EmbeddedPostgres, PostgresError
from service.example import ROUND
from service.healthcheck import answers, reachable
from service.setup import prepare as prepare_database

CONFIGURATION = Path(__file__).resolve().with_name("gunicorn_conf.py")
START_SECONDS = 60
"""How long gunicorn may take to answer."""
STOP_SECONDS = 30
"""How long it may take to end: a little more than it gives its requests."""
TELL_SECONDS = 2
"""After how long it is told what the stop waits for."""
ORPHAN_SECONDS = 5
"""How long its workers may go on when gunicorn has died, before a new one takes their place."""
MOST_RESTARTS = 30
RESTART_WINDOW_SECONDS = 60
"""More restarts than so many in so long are given up."""

Prepare = Callable[[str, Path], str]


class Stopped(BaseException):
    """Somebody asked us to stop. Not an Exception, so that nobody takes it for an error."""


class RunError(RuntimeError):
    """The service cannot start or go on; the text says why, for a person."""


def run(
    home: Path,
    host: str,
    port: int,
    workers: int | None,
    *,
    app: str = "app:create_app()",
    prepare: Prepare = prepare_database,
) -> int:
    """Serves until it is told to stop; returns the exit status: 0 when told to, 1 on a failure.

    `home` holds all state; `workers` None means one for each core. `app` and `prepare` replace the
    application and what is done to the database before it starts.
    """
    service = _Service(home.resolve(), host, port, workers)
    status = 1
    with _signals() as (check, ignore_signals):
        try:
            service.start(app, prepare, check)
            service.watch(check)
        except Stopped:
            print("Stopping ...", flush=True)
            status = 0
        except (RunError, PostgresError, DatabaseAway, ConfigError) as problem:
            print(f"susun: {problem}", file=sys.stderr, flush=True)
        finally:
            ignore_signals()
            service.stop()
    return status


@contextlib.contextmanager
def _signals() -> Iterator[tuple[Callable[[], None], Callable[[], None]]]:
    """Makes the signals that ask us to stop raise Stopped, once.

    Yields a check, which raises it (again) if we have been asked, since the interpreter loses what is
    raised in the middle of some of its own work; and how to ignore the signals.
    """
    asking = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    before = {number: signal.getsignal(number) for number in asking}
    asked = False

    def ignore() -> None:
        for number in asking:
            signal.signal(number, signal.SIG_IGN)

    def check() -> None:
        if asked:
            raise Stopped

    def stop(number: int, frame: FrameType | None) -> None:
        nonlocal asked
        # An impatient second Ctrl-C must not interrupt the orderly stop.
        ignore()
        asked = True
        raise Stopped

    for number in asking:
        # nohup has the hangup ignored, and it stays so.
        if number != signal.SIGHUP or before[number] != signal.SIG_IGN:
            signal.signal(number, stop)
    try:
        yield check, ignore
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


class _Service:
    """The two children and where they are."""

    def __init__(self, home: Path, host: str, port: int, workers: int | None) -> None:
        self.home = home
        self.host = host
        self.port = port
        self.workers = workers
        self.postgres: EmbeddedPostgres | None = None
        self.gunicorn: subprocess.Popen[bytes] | None = None
        self._restarts: deque[float] = deque()
        self._app = ""

    def start(self, app: str, prepare: Prepare, check: Callable[[], None]) -> None:
        """Starts everything and returns when the service answers; raises RunError if it won't."""
        _check_port(self.host, self.port)
        self.home.mkdir(parents=True, exist_ok=True)
        url = read_database_url()
        if url is None:
            self.postgres = EmbeddedPostgres(self.home / "postgres")
            url = self.postgres.start()
        check()
        key = prepare(url, self.home)
        check()
        self._start_gunicorn(app)
        self._wait_until_live(check)
        self._app = app
        print(self._greeting(key), flush=True)

    def watch(self, check: Callable[[], None]) -> None:
        """Starts again what has ended; never returns, but raises RunError when that is of no use."""
        while True:
            check()
            failure = self._failure()
            if failure is not None:
                self._start_again(failure)
            time.sleep(0.25)

    def stop(self) -> None:
        """Stops gunicorn, so that its requests end well, and then the database."""
        if self.gunicorn is not None:
            _end_group(self.gunicorn, waiting=_tell_what_is_waited_for)
        if self.postgres is not None:
            self.postgres.stop()

    def _start_gunicorn(self, app: str) -> None:
        command = [sys.executable, "-m", "gunicorn", "-c", str(CONFIGURATION), app]
        environment = {
            "SUSUN_LOG_LEVEL": "warning",
            **os.environ,
            "SUSUN_HOME": str(self.home),
            "HOST": self.host,
            "PORT": str(self.port),
        }
        if self.postgres is not None:
            environment["DATABASE_URL"] = self.postgres.url
        # An empty number of workers is none for us, but a fault for gunicorn.
        if not environment.get("WEB_CONCURRENCY"):
            environment.pop("WEB_CONCURRENCY", None)
        if self.workers is not None:
            environment["WEB_CONCURRENCY"] = str(self.workers)
        # In a session of its own, so that Ctrl-C reaches us first and we stop it in turn.
        self.gunicorn = subprocess.Popen(
            child.wrapped(command, signal.SIGTERM, child.myself(), Path.cwd()),
            stdin=subprocess.DEVNULL,
            env=environment,
            start_new_session=True,
        )

    def _wait_until_live(self, check: Callable[[], None]) -> None:
        deadline = time.monotonic() + START_SECONDS
        while not answers(self.host, self.port, "/livez"):
            check()
            failure = self._failure()
            if failure is not None:
                raise RunError(failure)
            if time.monotonic() > deadline:
                raise RunError(f"The service has not answered within {START_SECONDS} seconds.")
            time.sleep(0.05)

    def _failure(self) -> str | None:
        """Which child has ended, and how; None while both run."""
        failure = self.postgres.failure() if self.postgres is not None else None
        if failure is None and self.gunicorn is not None and self.gunicorn.poll() is not None:
            status = self.gunicorn.returncode
            how = f"was killed by signal {-status}" if status < 0 else f"ended with status {status}"
            failure = f"gunicorn {how}. What it said is above."
        return failure

    def _start_again(self, failure: str) -> None:
        """Starts what has ended again, unless that has been done too often of late."""
        now = time.monotonic()
        while self._restarts and self._restarts[0] < now - RESTART_WINDOW_SECONDS:
            self._restarts.popleft()
        if len(self._restarts) >= MOST_RESTARTS:
            raise RunError(
                f"{failure}\nIt has happened {MOST_RESTARTS} times in {RESTART_WINDOW_SECONDS} seconds."
            )
        self._restarts.append(now)
        how = failure.partition(". ")[0]
        print(f"susun: {how}. It is started again.", file=sys.stderr, flush=True)
        if self.postgres is not None and self.postgres.failure() is not None:
            self.postgres.restart()
        else:
            assert self.gunicorn is not None
            # Its workers still listen where the new one is to.
            _end_group(self.gunicorn, ORPHAN_SECONDS, lambda: _is_free(self.host, self.port))
            self._start_gunicorn(self._app)

    def _greeting(self, key: str) -> str:
        name = reachable(self.host)
        base = f"http://{f'[{name}]' if ':' in name else name}:{self.port}"
        seats = ",\n    ".join(json.dumps(seat) for seat in ROUND["seats"])
        body = f'{{"ruleset": "{ROUND["ruleset"]}", "seats": [\n    {seats}]}}'
        data = "" if self.postgres is None else f"\n  Data           {self.home / 'postgres'}"
        return f"""
Susun is at {base} until you press Ctrl-C; what it has stored stays.

  Documentation  {base}/docs
  API key        {self.home / "api-key"}{data}

Paste this to score and store a first round:

curl {base}/v1/rounds \\
  -H {shlex.quote(f"Authorization: Bearer {key}")} \\
  -H 'Content-Type: application/json' \\
  -d {shlex.quote(body)}
"""


def _check_port(host: str, port: int) -> None:
    """Raises RunError when gunicorn could not listen there, before anything is started."""
    if not 0 < port < 65536:
        raise RunError(f"{port} is not a port: PORT is a number from 1 to 65535.")
    try:
        family, kind, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        with socket.socket(family, kind) as attempt:
            attempt.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            attempt.bind(address)
    except OSError as problem:
        if problem.errno == errno.EADDRINUSE:
            raise RunError(
                f"Port {port} of {host} is in use by another program. "
                f"Stop that one, or choose another port: PORT={port + 1} make run"
            ) from problem
        raise RunError(
            f"The service cannot listen on port {port} of {host}: {problem.strerror}."
        ) from problem


def _is_free(host: str, port: int) -> bool:
    try:
        _check_port(host, port)
    except RunError:
        return False
    return True


def _tell_what_is_waited_for() -> None:
    print(f"... for requests that are not over yet, at most {STOP_SECONDS} seconds", flush=True)


def _end_group(
    leader: subprocess.Popen[bytes],
    seconds: float = STOP_SECONDS,
    enough: Callable[[], bool] = lambda: False,
    waiting: Callable[[], None] = lambda: None,
) -> None:
    """Ends a process and its children, gracefully first: for so many seconds, or until it is enough.

    The children are told as well when their leader is dead already and cannot do it. ``waiting`` is
    called once, should it take longer than usual.
    """
    tell_at: float | None = time.monotonic() + TELL_SECONDS
    with contextlib.suppress(ProcessLookupError):
        if leader.poll() is None:
            leader.terminate()
        else:
            os.killpg(leader.pid, signal.SIGTERM)
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline and not enough():
            leader.poll()
            os.killpg(leader.pid, 0)
            if tell_at is not None and time.monotonic() > tell_at:
                waiting()
                tell_at = None
            time.sleep(0.02)
        os.killpg(leader.pid, signal.SIGKILL)
    leader.wait()
