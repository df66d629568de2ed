"""``susun import``: what it prints, how it ends, and that it completes what was broken off."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import psycopg2
import pytest
from click.testing import CliRunner, Result
from flask.testing import FlaskClient
from sqlalchemy import make_url

from service.auditing import audit_everything
from service.cli import main
from service.record import whole_audit
from tests.record.test_imports import FOUR, MATCHES, bring_in, deal, statuses

ROOT = Path(__file__).resolve().parents[2]
MANY = 1_000


@pytest.fixture
def run(database_url: str) -> Callable[..., Result]:
    def run(*arguments: str, given: bytes = b"", url: str = database_url) -> Result:
        return CliRunner().invoke(
            main, ["import", "--workers", "1", *arguments], env={"DATABASE_URL": url}, input=given
        )

    return run


def write(path: Path, lines: Any) -> str:
    path.write_bytes(b"".join(json.dumps(line).encode() + b"\n" for line in lines))
    return str(path)


def test_files_are_brought_in_once(
    client: FlaskClient, run: Callable[..., Result], tmp_path: Path, stored: Any
) -> None:
    one, other = write(tmp_path / "1", MATCHES[:3]), write(tmp_path / "2", MATCHES[2:4])
    result = run(one, other)
    assert (result.exit_code, result.stdout) == (0, "")
    assert result.stderr == "matches: 4 imported, 1 unchanged, 0 rejected; rounds imported: 16\n"
    result = run(one, other)
    assert result.stderr == "matches: 0 imported, 5 unchanged, 0 rejected; rounds imported: 0\n"
    # The same by the call.
    assert statuses(bring_in(client, MATCHES[:4])) == ["unchanged"] * 4
    assert stored("matches") == 4


def test_rejects_are_told_by_file_and_line_with_all_that_is_wrong(
    run: Callable[..., Result], tmp_path: Path, stored: Any, database: Any
) -> None:
    path = write(tmp_path / "1", [MATCHES[0], {**MATCHES[1], "stake": 0, "x": 1}])
    result = run(path)
    assert result.exit_code == 1
    first, *rest = result.stdout.splitlines()
    assert first == f"{path}:2 (2): Invalid request: 2 things are wrong"
    assert sorted(line.strip().split(":")[0] for line in rest) == ["/stake", "/x"]
    assert stored("matches") == 1


def test_each_outcome_as_json(run: Callable[..., Result], database: Any) -> None:
    given = b"\n".join([json.dumps(MATCHES[0]).encode(), b"{"])
    result = run("--json", "--by", "archive", "-", given=given)
    kept, rejected = [json.loads(line) for line in result.stdout.splitlines()]
    assert (kept["file"], kept["line"], kept["status"]) == ("-", 1, "imported")
    assert (rejected["line"], rejected["status"]) == (2, "rejected")
    with database.transaction() as connection:
        by = connection.exec_driver_sql("SELECT created_by FROM matches").scalar()
    assert by == "archive"


@pytest.mark.parametrize("name", ["", " ", "a\nb", "x" * 65])
def test_names_are_names(run: Callable[..., Result], tmp_path: Path, database: Any, name: str) -> None:
    path = write(tmp_path / "1", MATCHES[:1])
    for option in ("--by", "--source"):
        assert run(option, name, path).exit_code == 1


def test_without_a_database_it_says_so(run: Callable[..., Result], tmp_path: Path) -> None:
    path = write(tmp_path / "1", MATCHES[:1])
    result = run(path, url="postgresql://susun@127.0.0.1:1/susun")
    assert result.exit_code == 1
    assert "import the same again" in result.stderr and "Traceback" not in result.output


def test_what_was_killed_in_the_middle_is_completed_by_the_same_again(
    database_url: str, tmp_path: Path, stored: Any, database: Any
) -> None:
    rounds = [deal(FOUR, seed) for seed in range(4)]
    lines = [{"key": str(number), "players": FOUR, "rounds": rounds} for number in range(MANY)]
    path = write(tmp_path / "season", lines)
    command = [sys.executable, "-m", "service", "import", "--workers", "2", path]
    environment = {**os.environ, "DATABASE_URL": database_url}

    def start() -> subprocess.Popen[bytes]:
        return subprocess.Popen(command, cwd=ROOT, env=environment, stderr=subprocess.PIPE)

    killed = start()
    until = time.monotonic() + 60
    while not stored("imports"):
        assert killed.poll() is None and time.monotonic() < until
        time.sleep(0.01)
    killed.send_signal(signal.SIGKILL)
    killed.communicate()
    again = start()
    _, told = again.communicate(timeout=120)
    assert again.returncode == 0, told
    counted = told.decode().split(": ", 1)[1].split(" ")
    imported, unchanged = int(counted[0]), int(counted[2])
    assert imported + unchanged == MANY and unchanged > 0
    assert stored("matches") == stored("imports") == MANY
    assert stored("rounds") == 4 * MANY
    report = audit_everything(database_url, workers=2)
    whole_audit._engine.cache_clear()
    assert (report.findings, report.rounds) == ([], 4 * MANY)


# Outcomes are written in one place, by whomever they were found; waiting for the lock takes seconds.
@pytest.mark.parametrize(("workers", "as_json"), [("1", False), ("2", True)])
def test_lines_that_failed_are_told_and_nothing_else_is_in_the_way(
    database_url: str, database: Any, tmp_path: Path, workers: str, as_json: bool
) -> None:
    """A lock that nobody lets go of: what is printed are outcomes, and the log goes elsewhere."""
    path = write(tmp_path / "1", MATCHES[:1])
    command = [sys.executable, "-m", "service", "import", "--workers", workers, path]
    # Not by a transaction of our own, which may be idle for 10 s: on a busy machine it takes longer.
    holder = psycopg2.connect(
        make_url(database_url).set(drivername="postgresql").render_as_string(False)
    )
    with closing(holder), holder.cursor() as cursor:
        cursor.execute("LOCK TABLE player_totals IN ACCESS EXCLUSIVE MODE")
        ended = subprocess.run(
            [*command, *(["--json"] if as_json else [])],
            env={**os.environ, "DATABASE_URL": database_url},
            cwd=ROOT,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
    assert ended.returncode == 1
    if as_json:
        (line,) = map(json.loads, ended.stdout.splitlines())
        assert (line["line"], line["status"], line["problem"]["status"]) == (1, "failed", 503)
    else:
        assert ended.stdout.startswith(f"{path}:1 (1): ")
    assert "0 imported, 0 unchanged, 0 rejected, 1 failed" in ended.stderr
    assert "import the same again" in ended.stderr
