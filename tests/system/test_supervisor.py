"""`susun run`: what it starts ends with it, however it ends."""

import contextlib
import json
import os
import re
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psycopg2
import pytest
import requests

from service import postgres_data
from service.example import ROUND
from tests.gunicorns import free_port

ROOT = Path(__file__).resolve().parents[2]

linux_only = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")

APP = """
import os
import time
def app(environ, start_response):
    time.sleep(float(environ["QUERY_STRING"] or 0))
    start_response("200 OK", [("Content-Type", "text/plain")])
    return [os.environ["DATABASE_URL"].encode()]
"""

# As service.__main__ begins.
RUN = """
import signal
signal.signal(signal.SIGINT, signal.SIG_DFL)
import sys
from pathlib import Path
from service.supervisor import run
import os
from service import supervisor
supervisor.MOST_RESTARTS = int(os.environ.get("RESTARTS", supervisor.MOST_RESTARTS))
home, port, app = sys.argv[1:]
sys.exit(run(Path(home), "127.0.0.1", int(port), 2, app=app, prepare=lambda url, home: "the-key"))
"""


@pytest.fixture(scope="session")
def home() -> Iterator[Path]:
    """One for all in a process, so that the database is made once."""
    parent = Path(tempfile.mkdtemp())
    parent.chmod(0o711)
    (parent / "tiny.py").write_text(APP)
    yield parent / "home"
    shutil.rmtree(parent)


@pytest.fixture
def port() -> int:
    return free_port()


class Run:
    """A supervisor as a program of its own, and everything that it has started."""

    def __init__(self, home: Path, port: int, app: str, **environment: str) -> None:
        self.mark = f"SUSUN_TEST={uuid.uuid4()}"
        self.data_dir = home / "postgres"
        kept = {name: value for name, value in os.environ.items() if name != "DATABASE_URL"}
        name, value = self.mark.split("=")
        paths = f"{ROOT}{os.pathsep}{home.parent}"
        self.process = subprocess.Popen(
            [sys.executable, "-c", RUN, str(home), str(port), app],
            cwd=ROOT,
            env={**kept, name: value, "PYTHONPATH": paths, **environment},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )
        self.said = ""

    def until_it_serves(self) -> "Run":
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.said += line
            if line.endswith("]}'\n"):  # The last line of the greeting.
                return self
        raise AssertionError(f"It has not started: {self.said}")

    def ends(self, seconds: float = 20) -> int:
        """The exit status, once nothing that it has started is left."""
        rest, _ = self.process.communicate(timeout=seconds)
        self.said += rest
        deadline = time.monotonic() + seconds
        while self.children():
            assert time.monotonic() < deadline, f"left behind: {self.children()}"
            time.sleep(0.05)
        return self.process.returncode

    def children(self) -> list[int]:
        """By what they have inherited; Postgres overwrites that, but stays in its directory."""
        return self._marked() + postgres_data.processes_on(self.data_dir.resolve())

    def gunicorn(self) -> int | None:
        """The process id of gunicorn's master, the only one of its processes that we started."""
        for pid in self._marked():
            with contextlib.suppress(OSError):
                status = Path(f"/proc/{pid}/status").read_text()
                command = Path(f"/proc/{pid}/cmdline").read_text()
                if f"PPid:\t{self.process.pid}\n" in status and "gunicorn" in command:
                    return pid
        return None

    def postgres(self) -> int | None:
        """The process id of the server."""
        with contextlib.suppress(OSError, ValueError):
            return int((self.data_dir / "postmaster.pid").read_text().split("\n")[0])
        return None

    def _marked(self) -> list[int]:
        found = []
        for entry in Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                if self.mark.encode() in (entry / "environ").read_bytes().split(b"\0"):
                    found.append(int(entry.name))
        return [pid for pid in found if pid != self.process.pid]


Start = Callable[..., Run]


def wait_until(there: Callable[[], bool], seconds: float = 30) -> None:
    until = time.monotonic() + seconds
    while not there():
        assert time.monotonic() < until
        time.sleep(0.05)


def serves(port: int) -> bool:
    try:
        return requests.get(f"http://127.0.0.1:{port}/", timeout=5).status_code == 200
    except requests.RequestException:
        return False


def takes_connections(url: str) -> bool:
    try:
        psycopg2.connect(url.replace("+psycopg2", "")).close()
    except psycopg2.OperationalError:
        return False
    return True


@pytest.fixture
def start(home: Path, port: int) -> Iterator[Start]:
    """Makes a Run; what a failed test leaves is ended afterwards."""
    made: list[Run] = []

    def begin(app: str = "tiny:app", *, new: Path | None = None, **environment: str) -> Run:
        made.append(Run(new or home, port, app, **environment))
        return made[-1]

    yield begin
    for run in made:
        for pid in [run.process.pid] * (run.process.poll() is None) + run.children():
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        run.process.communicate()


@linux_only
def test_ctrl_c_stops_everything_in_order(start: Start) -> None:
    run = start().until_it_serves()
    assert len(run.children()) > 3
    os.killpg(run.process.pid, signal.SIGINT)
    assert run.ends() == 0
    log = run.data_dir.with_name("postgres.log").read_text()
    assert log.rstrip().endswith("database system is shut down")


@linux_only
def test_term_stops_everything_in_order(start: Start) -> None:
    run = start().until_it_serves()
    run.process.terminate()
    assert run.ends() == 0


@linux_only
def test_an_impatient_second_ctrl_c_changes_nothing(start: Start) -> None:
    run = start().until_it_serves()
    for _ in range(3):
        os.killpg(run.process.pid, signal.SIGINT)
        time.sleep(0.02)
    assert run.ends() == 0


@linux_only
def test_killed_it_leaves_nothing_behind(start: Start) -> None:
    run = start().until_it_serves()
    run.process.kill()
    assert run.ends() == -signal.SIGKILL
    assert start().until_it_serves().process.poll() is None


@linux_only
def test_killed_together_with_gunicorn_it_leaves_nothing_behind(start: Start) -> None:
    run = start().until_it_serves()
    os.kill(run.gunicorn(), signal.SIGKILL)  # type: ignore[arg-type]
    run.process.kill()
    assert run.ends() == -signal.SIGKILL


@linux_only
@pytest.mark.parametrize("seconds", [0.05, 0.15, 0.25, 0.35, 0.5, 0.7, 1.0, 1.4])
def test_ctrl_c_during_the_start_leaves_nothing_behind(start: Start, seconds: float, home: Path) -> None:
    new = home.with_name(f"new-{seconds}")
    run = start(new=new)
    time.sleep(seconds)
    os.killpg(run.process.pid, signal.SIGINT)
    run.ends()
    assert not new.exists() or "postgres.new" not in [path.name for path in new.iterdir()]


def test_a_port_in_use_is_told_before_anything_starts(start: Start, port: int, home: Path) -> None:
    new = home.with_name("never")
    with socket.create_server(("127.0.0.1", port)):
        run = start(new=new)
        assert run.ends() == 1
    assert f"Port {port} of 127.0.0.1 is in use" in run.said
    assert not new.exists()


@linux_only
def test_what_is_in_flight_is_finished_when_it_is_told_to_stop(start: Start, port: int) -> None:
    run = start().until_it_serves()
    for number in (signal.SIGTERM, signal.SIGINT):
        run = run if run.process.poll() is None else start().until_it_serves()
        with ThreadPoolExecutor() as threads:
            slow = threads.submit(requests.get, f"http://127.0.0.1:{port}/?3.5", timeout=20)
            time.sleep(0.7)
            os.kill(run.process.pid, number)
            assert slow.result().status_code == 200
        assert run.ends() == 0
        assert "... for requests that are not over yet, at most 30 seconds" in run.said


@linux_only
def test_gunicorn_and_postgres_are_started_again_when_they_die(start: Start, port: int) -> None:
    run = start().until_it_serves()
    url = requests.get(f"http://127.0.0.1:{port}/", timeout=5).text
    for _ in range(2):
        for victim in (run.gunicorn, run.postgres):
            killed = victim()
            os.kill(killed, signal.SIGKILL)
            wait_until(lambda: victim() not in (None, killed))  # noqa: B023
            wait_until(lambda: serves(port))
            wait_until(lambda: takes_connections(url))
    run.process.terminate()
    assert run.ends() == 0
    assert run.said.count("gunicorn was killed by signal 9. It is started again.") == 2
    assert run.said.count("Postgres ended with status -9. It is started again.") == 2


@linux_only
def test_both_at_once_are_started_again(start: Start, port: int) -> None:
    run = start().until_it_serves()
    killed = (run.gunicorn(), run.postgres())
    for pid in killed:
        assert pid is not None
        os.kill(pid, signal.SIGKILL)
    wait_until(lambda: run.gunicorn() not in (None, killed[0]))
    wait_until(lambda: serves(port))
    run.process.terminate()
    assert run.ends() == 0


@linux_only
def test_what_dies_again_and_again_is_given_up(start: Start) -> None:
    run = start(RESTARTS="2").until_it_serves()
    for _ in range(3):
        wait_until(lambda: run.gunicorn() is not None)
        killed = run.gunicorn()
        os.kill(killed, signal.SIGKILL)  # type: ignore[arg-type]
        wait_until(lambda: run.gunicorn() != killed)  # noqa: B023
    assert run.ends() == 1
    assert "gunicorn was killed by signal 9" in run.said
    assert "It has happened 2 times in 60 seconds" in run.said


@linux_only
def test_an_application_that_does_not_load_is_an_error(start: Start) -> None:
    run = start("no_such_module:app")
    assert run.ends() == 1
    assert "no_such_module" in run.said
    assert "gunicorn ended with status" in run.said


def test_a_given_database_is_used_and_none_started(start: Start, home: Path, port: int) -> None:
    new = home.with_name("given")
    url = "postgresql://elsewhere.example/susun"
    run = start(new=new, DATABASE_URL=url).until_it_serves()
    assert requests.get(f"http://127.0.0.1:{port}/", timeout=5).text == url
    assert not (new / "postgres").exists()
    run.process.terminate()
    assert run.process.wait(20) == 0


def test_the_greeting_holds_a_request_ready_to_paste(start: Start, port: int) -> None:
    run = start().until_it_serves()
    run.process.terminate()
    run.ends()
    pasted = re.search(r"^curl .*?\]\}'$", run.said, re.DOTALL | re.MULTILINE)
    assert pasted is not None
    words = shlex.split(pasted[0])
    assert words[1] == f"http://127.0.0.1:{port}/v1/rounds"
    assert "Authorization: Bearer the-key" in words
    assert json.loads(words[-1]) == ROUND
