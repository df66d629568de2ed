"""The embedded Postgres keeps its data and leaves nothing running, whatever dies."""

import contextlib
import os
import shutil
import signal
import socket
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import psycopg2
import pytest

from service import child, embedded_postgres, postgres_data
from service.embedded_postgres import EmbeddedPostgres, PostgresError, find_binary

ROOT = Path(__file__).resolve().parents[2]
SHARED_MEMORY = Path("/dev/shm")

linux_only = pytest.mark.skipif(sys.platform != "linux", reason="the signal is Linux's")

LAUNCHER = """
import sys, time
from pathlib import Path
from service import child
from service.embedded_postgres import EmbeddedPostgres
users = [user for user in child.unprivileged() if str(user.namespace) == sys.argv[2]]
child.unprivileged = lambda: users
server = EmbeddedPostgres(Path(sys.argv[1]))
print(server.start(), server.pid, flush=True)
time.sleep(60)
"""


@pytest.fixture
def data_dir() -> Iterator[Path]:
    """In a directory that other users can pass, unlike pytest's own."""
    parent = Path(tempfile.mkdtemp(dir=SHARED_MEMORY if SHARED_MEMORY.is_dir() else None))
    parent.chmod(0o711)
    yield parent / "postgres"
    shutil.rmtree(parent)


@pytest.fixture(params=["switched", "namespace"] if os.geteuid() == 0 else ["ordinary"])
def variant(request: pytest.FixtureRequest, data_dir: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Each way to run a server: as root there are two."""
    if request.param != "ordinary":
        namespace = request.param == "namespace"
        users = [user for user in child.unprivileged() if user.namespace == namespace]
        command = [str(find_binary("postgres")), "-V"]
        if all(postgres_data.run(command, user, data_dir.parent) for user in users):
            pytest.skip(f"{request.param}: no such user can run Postgres here")
        monkeypatch.setattr(child, "unprivileged", lambda: users)
    return str(request.param)


def query(url: str, statement: str) -> list[tuple[object, ...]]:
    connection = psycopg2.connect(url.replace("+psycopg2", ""))
    try:
        connection.autocommit = True
        with connection.cursor() as cursor:
            cursor.execute(statement)
            return cursor.fetchall() if cursor.description else []
    finally:
        connection.close()


def write_a_row(url: str) -> None:
    query(url, "CREATE TABLE kept (n int)")
    query(url, "INSERT INTO kept VALUES (7)")


def assert_ends(data_dir: Path, seconds: float = 15) -> None:
    deadline = time.monotonic() + seconds
    while postgres_data.processes_on(data_dir):
        assert time.monotonic() < deadline, "a server is still running"
        time.sleep(0.05)


def test_data_survives_a_restart_under_the_same_address(data_dir: Path, variant: str) -> None:
    with EmbeddedPostgres(data_dir, durable=False) as server:
        first = server.url
        write_a_row(first)
    assert postgres_data.processes_on(data_dir) == []
    with EmbeddedPostgres(data_dir, durable=False) as server:
        assert server.url == first
        assert query(server.url, "SELECT n FROM kept") == [(7,)]


@linux_only
def test_a_killed_launcher_leaves_no_server_behind(data_dir: Path, variant: str) -> None:
    command = [sys.executable, "-c", LAUNCHER, str(data_dir), str(variant == "namespace")]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as launcher:
        assert launcher.stdout is not None
        url, _ = launcher.stdout.readline().split()
        write_a_row(url)
        launcher.kill()
    # Started at once, while the old server may still be shutting down.
    with EmbeddedPostgres(data_dir) as server:
        assert query(server.url, "SELECT n FROM kept") == [(7,)]
        assert "interrupted" not in data_dir.with_name("postgres.log").read_text()
    assert_ends(data_dir)


@linux_only
@pytest.mark.parametrize("earlier", [None, b"", b"x" * embedded_postgres.LOG_BYTES])
def test_servers_that_overlap_write_one_log_and_lose_nothing(
    data_dir: Path, earlier: bytes | None
) -> None:
    """What the second says in the log, while the first shuts down, decides whether it is tried again."""
    log = data_dir.with_name("postgres.log")
    if earlier is not None:
        log.write_bytes(earlier)
    with EmbeddedPostgres(data_dir) as server, log.open("ab") as other:
        told = Path(f"/proc/{server.pid}/fdinfo/2").read_text()
        flags = int(dict(line.split(":\t", 1) for line in told.splitlines())["flags"], 8)
        assert flags & os.O_APPEND
        other.write(b"said by another\n")
    assert b"said by another\n" in log.read_bytes()


@linux_only
def test_a_killed_launcher_alone_ends_the_server(data_dir: Path, variant: str) -> None:
    command = [sys.executable, "-c", LAUNCHER, str(data_dir), str(variant == "namespace")]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as launcher:
        assert launcher.stdout is not None
        launcher.stdout.readline()
        assert postgres_data.processes_on(data_dir)
        launcher.kill()
    assert_ends(data_dir)
    assert "database system is shut down" in data_dir.with_name("postgres.log").read_text()


def test_data_survives_a_killed_server(data_dir: Path, variant: str) -> None:
    with EmbeddedPostgres(data_dir) as server:
        write_a_row(server.url)
        assert server.failure() is None
        assert server.pid is not None
        os.kill(server.pid, signal.SIGKILL)
        while server.failure() is None:
            time.sleep(0.01)
        assert "status -9" in str(server.failure())
    with EmbeddedPostgres(data_dir) as server:
        assert query(server.url, "SELECT n FROM kept") == [(7,)]


def test_a_server_killed_while_it_starts_is_started_again(
    data_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = EmbeddedPostgres(data_dir)
    make = embedded_postgres._make_database
    killed: list[int] = []

    def kill_first(*arguments: object) -> None:
        if len(killed) < 2:
            assert server.pid is not None
            killed.append(server.pid)
            os.kill(server.pid, signal.SIGKILL)
            raise psycopg2.OperationalError("killed")
        make(*arguments)

    monkeypatch.setattr(embedded_postgres, "_make_database", kill_first)
    with server:
        assert len(set(killed)) == 2
        psycopg2.connect(server.url.replace("+psycopg2", "")).close()


@linux_only
def test_everything_killed_at_once_loses_nothing(data_dir: Path, variant: str) -> None:
    command = [sys.executable, "-c", LAUNCHER, str(data_dir), str(variant == "namespace")]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as launcher:
        assert launcher.stdout is not None
        url, _ = launcher.stdout.readline().split()
        write_a_row(url)
        for pid in [*postgres_data.processes_on(data_dir), launcher.pid]:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
    with EmbeddedPostgres(data_dir) as server:
        assert query(server.url, "SELECT n FROM kept") == [(7,)]


def test_a_second_launcher_on_the_same_directory_is_refused(data_dir: Path) -> None:
    with EmbeddedPostgres(data_dir, durable=False) as server:
        second = EmbeddedPostgres(data_dir, durable=False)
        with pytest.raises(PostgresError, match=f"in use by another susun .process {os.getpid()}"):
            second.start()
        assert query(server.url, "SELECT 1") == [(1,)]


def test_data_of_another_version_is_refused_and_not_touched(data_dir: Path) -> None:
    data_dir.mkdir()
    (data_dir / "PG_VERSION").write_text("9\n")
    with pytest.raises(PostgresError, match="was written by Postgres 9, and only Postgres"):
        EmbeddedPostgres(data_dir).start()
    assert [path.name for path in data_dir.iterdir()] == ["PG_VERSION"]


def test_a_directory_of_something_else_is_refused(data_dir: Path) -> None:
    data_dir.mkdir()
    (data_dir / "letter.txt").touch()
    with pytest.raises(PostgresError, match="no Postgres data"):
        EmbeddedPostgres(data_dir).start()


def test_without_server_programs_the_error_says_what_to_do(
    data_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(embedded_postgres, "installations", list)
    with pytest.raises(PostgresError, match="DATABASE_URL"):
        EmbeddedPostgres(data_dir).start()


def test_the_pid_of_another_program_in_the_pid_file_does_not_stop_the_start(
    data_dir: Path, variant: str
) -> None:
    with EmbeddedPostgres(data_dir, durable=False):
        remains = (data_dir / "postmaster.pid").read_text().split("\n")
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as stranger:
        (data_dir / "postmaster.pid").write_text("\n".join([str(stranger.pid), *remains[1:]]))
        with EmbeddedPostgres(data_dir, durable=False) as server:
            assert query(server.url, "SELECT 1") == [(1,)]
        assert stranger.poll() is None
        stranger.kill()


def test_data_password_and_log_are_for_nobody_else(data_dir: Path, variant: str) -> None:
    with EmbeddedPostgres(data_dir, durable=False) as server:
        password = data_dir / postgres_data.PASSWORD_FILE
        assert stat.S_IMODE(data_dir.stat().st_mode) == 0o700
        for path in (password, data_dir.with_name("postgres.log")):
            assert stat.S_IMODE(path.stat().st_mode) == 0o600
        assert password.read_text().strip() in server.url
        wrong = server.url.replace(":" + password.read_text().strip(), ":wrong")
        with pytest.raises(psycopg2.OperationalError, match="password authentication failed"):
            query(wrong, "SELECT 1")


def test_a_remembered_port_that_is_taken_is_replaced_and_a_given_one_is_an_error(
    data_dir: Path,
) -> None:
    with EmbeddedPostgres(data_dir, durable=False):
        port = int(data_dir.with_name("postgres.port").read_text())
    assert port < 32_768
    with socket.create_server(("127.0.0.1", port)):
        with EmbeddedPostgres(data_dir, durable=False) as server:
            assert f":{port}/" not in server.url
        with pytest.raises(PostgresError, match=f"Port {port} is in use"):
            EmbeddedPostgres(data_dir, durable=False, port=port).start()


def test_a_server_is_found_as_long_as_it_runs(data_dir: Path) -> None:
    assert embedded_postgres.running_url(data_dir) is None
    with EmbeddedPostgres(data_dir, durable=False) as server:
        assert embedded_postgres.running_url(data_dir) == server.url
    assert embedded_postgres.running_url(data_dir) is None


def test_only_a_server_for_tests_gives_up_durability(data_dir: Path) -> None:
    with EmbeddedPostgres(data_dir) as server:
        assert query(server.url, "SHOW fsync") == [("on",)]
        assert query(server.url, "SHOW listen_addresses") == [("127.0.0.1",)]
    with EmbeddedPostgres(data_dir, durable=False) as server:
        assert query(server.url, "SHOW fsync") == [("off",)]


@pytest.mark.parametrize(
    ("memory", "megabytes"), [("max", 1024), (str(2 * 1024**3), 512), (str(100 * 1024**2), 128)]
)
def test_a_server_holds_in_memory_what_a_quarter_of_it_takes(
    monkeypatch: pytest.MonkeyPatch, memory: str, megabytes: int
) -> None:
    monkeypatch.setattr(os, "sysconf", {"SC_PAGE_SIZE": 4096, "SC_PHYS_PAGES": 2_000_000}.get)
    monkeypatch.setattr(Path, "read_text", lambda _: memory)
    assert embedded_postgres._cache_megabytes() == megabytes


def test_the_other_postgres_programs_are_found() -> None:
    told = subprocess.run([find_binary("pg_dump"), "-V"], capture_output=True, text=True, check=True)
    assert told.stdout.startswith("pg_dump (PostgreSQL)")
    with pytest.raises(PostgresError, match="pg_nothing"):
        find_binary("pg_nothing")
