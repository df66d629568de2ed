"""``susun audit``: what it prints, how it ends, and what it leaves alone."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import text

from service.cli import INTERRUPTED, main
from service.database import Database
from service.record import whole_audit
from service.record.whole_audit import audit_everything
from tests.api.requests import BUDI, post_round
from tests.record.tampering import FOUL, Record, play_corrected

CHANGE = "UPDATE rounds SET submitted_by = 'nobody' WHERE id = :id AND revision = 1"


@pytest.fixture
def record(database: Database, client: FlaskClient) -> Record:
    return Record(database, client)


@pytest.fixture
def run(database_url: str) -> Any:
    def run(*arguments: str) -> Result:
        env = {"DATABASE_URL": database_url}
        return CliRunner().invoke(main, ["audit", *arguments], env=env, catch_exceptions=False)

    return run


def test_a_clean_record_ends_well(record: Record, run: Any) -> None:
    play_corrected(record, record.open_match())
    result = run()
    assert (result.exit_code, result.stdout) == (0, "")
    assert result.stderr == "10 revisions audited, 0 findings\n"


def test_findings_are_lines_and_end_badly(record: Record, run: Any) -> None:
    match = record.open_match()
    kept = record.play(match, BUDI, FOUL)[0]
    record.tamper(CHANGE, id=kept["id"])
    result = run()
    assert result.exit_code == 1
    place = f"match {match}, number 1, round {kept['id']}, revision 1"
    assert result.stdout.startswith(f"digest_differs: {place}: the content has the digest ")
    assert result.stdout.count("\n") == 1
    result = run("--json")
    assert (result.exit_code, result.stderr) == (1, "")
    finding = json.loads(result.stdout)
    answer = record.client.get(f"/v1/matches/{match}/audit").get_json()
    assert [finding] == answer["findings"]


def test_one_match_is_audited_alone(record: Record, run: Any) -> None:
    one, other = record.open_match(), record.open_match()
    kept = record.play(one, BUDI, BUDI)[0]
    record.play(other, BUDI)
    record.tamper(CHANGE, id=kept["id"])
    assert run("--match", one).exit_code == 1
    result = run("--match", other)
    assert (result.exit_code, result.stderr) == (0, "1 revision audited, 0 findings\n")
    assert run("--match", "x").exit_code == 2


def test_what_was_changed_since_is_audited_alone(record: Record, run: Any) -> None:
    old, revised = record.open_match(), record.open_match()
    kept = record.play(old, BUDI)[0]
    again = record.play(revised, BUDI, BUDI)[0]
    alone = [post_round(record.client) for _ in range(2)]
    # Ids tell to the millisecond when something was posted.
    since = datetime.now(UTC) + timedelta(milliseconds=1)
    while datetime.now(UTC) <= since:
        pass
    record.revise(again)
    record.revise(alone[0])
    post_round(record.client)
    record.tamper(CHANGE, id=kept["id"])
    report = audit_everything(record.url, since=since, workers=1)
    assert (report.findings, report.rounds) == ([], 3 + 2 + 1)
    record.tamper(CHANGE, id=again["id"])
    assert len(audit_everything(record.url, since=since, workers=1).findings) == 1
    assert run("--since", "2020-01-01").stderr == "8 revisions audited, 2 findings\n"
    assert run("--since", "2020-01-01T00:00:00+0700", "--json").exit_code == 1
    assert run("--since", "2999-01-01T00:00:00").stderr == "0 revisions audited, 0 findings\n"
    assert run("--since", "yesterday").exit_code == 2


def test_progress_is_shown_on_a_terminal_only(
    record: Record, run: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    record.play(record.open_match(), BUDI)
    assert "auditing" not in run().output
    monkeypatch.setattr("service.auditing.on_terminal", lambda: True)
    assert "auditing" in run().stderr


def test_many_parts_on_many_processes_find_the_same(
    record: Record, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(whole_audit, "PART_SIZE", 3)
    matches = [record.open_match() for _ in range(4)]
    played = [record.play(match, BUDI, FOUL) for match in matches]
    alone = [post_round(record.client) for _ in range(7)]
    changed = [played[0][0], played[3][1], alone[0], alone[6]]
    for kept in changed:
        record.tamper(CHANGE, id=kept["id"])
    for workers in (1, 3):
        told: list[int] = []
        report = audit_everything(
            record.url,
            workers=workers,
            start=lambda size, told=told: told.append,  # type: ignore[misc]
        )
        assert report.rounds == 15
        assert [finding.round for finding in report.findings] == [kept["id"] for kept in changed]
        assert len(told) == 6


#: One with many parts, so that there are processes to go through them.
AUDIT = """
from service.record import whole_audit
whole_audit.PART_SIZE = 1
from service.cli import main
main(["audit"])
"""


@pytest.mark.skipif(not Path("/proc").exists(), reason="looks into /proc")
@pytest.mark.parametrize("seconds", [0, 0.1, 0.3])
def test_ctrl_c_ends_an_audit_without_a_word_of_its_processes(
    record: Record, database_url: str, seconds: float
) -> None:
    for _ in range(4):
        record.play(record.open_match(), *[BUDI] * 10)
    command = [sys.executable, "-c", AUDIT]
    environment = {**os.environ, "DATABASE_URL": database_url}
    # A terminal sends it to all processes of the command.
    audit = subprocess.Popen(
        command, env=environment, stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    children = Path(f"/proc/{audit.pid}/task/{audit.pid}/children")
    while audit.poll() is None and not children.read_text():
        time.sleep(0.005)
    time.sleep(seconds)
    os.killpg(audit.pid, signal.SIGINT)
    _, said = audit.communicate(timeout=20)
    assert (audit.returncode, said) in [
        (INTERRUPTED, "\nInterrupted.\n"),
        (0, "40 revisions audited, 0 findings\n"),
    ]


def test_an_audit_that_is_broken_off_waits_for_nothing_that_postgres_does(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: Any) -> Any:
        raise KeyboardInterrupt
        yield

    monkeypatch.setattr(whole_audit, "_each", interrupted)
    monkeypatch.setattr(whole_audit, "_STRAYS", text("SELECT pg_sleep(60)"))
    began = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        audit_everything(database_url)
    assert time.monotonic() - began < 20


def test_rounds_posted_meanwhile_are_no_fault(record: Record, app: Flask, client: FlaskClient) -> None:
    """Matches go on, rounds are corrected and voided while the audit looks at them."""
    matches = [record.open_match(rounds=500) for _ in range(2)]
    authorization = client.environ_base["HTTP_AUTHORIZATION"]
    stop = threading.Event()

    def write(match: str) -> None:
        own = app.test_client()
        own.environ_base["HTTP_AUTHORIZATION"] = authorization
        writer = Record(record.database, own)
        while not stop.is_set():
            one, two = writer.play(match, BUDI, FOUL)
            writer.revise(one)
            writer.revise(two, two["request"]["seats"])
            writer.revise(post_round(own))

    threads = [threading.Thread(target=write, args=(match,)) for match in matches]
    for thread in threads:
        thread.start()
    try:
        looked_at = []
        for _ in range(12):
            report = record.whole()
            assert report.findings == []
            looked_at.append(report.rounds)
            for match in matches:
                assert record.asked(f"/matches/{match}") == []
    finally:
        stop.set()
        for thread in threads:
            thread.join()
    assert looked_at[-1] > looked_at[0]


def end_other_sessions(record: Record) -> None:
    """A session tells what it has updated some seconds late, or when it ends."""
    others = "FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
    with record.database.engine.execution_options(isolation_level="AUTOCOMMIT").connect() as connection:
        connection.exec_driver_sql(f"SELECT pg_terminate_backend(pid) {others}")
        while connection.exec_driver_sql(f"SELECT count(*) {others}").scalar():
            time.sleep(0.05)
        connection.exec_driver_sql("SELECT pg_stat_force_next_flush()")


def test_the_audit_writes_nothing(record: Record, run: Any, stored: Any) -> None:
    record.play(record.open_match(), BUDI)
    before = stored()
    end_other_sessions(record)
    # When keys were last used is written now and then, whatever else is done.
    query = "SELECT sum(n_tup_upd) FROM pg_stat_user_tables WHERE relname <> 'api_keys'"
    with record.database.transaction() as connection:
        counted = connection.exec_driver_sql(query).scalar()
    run()
    assert stored() == before
    with record.database.transaction() as connection:
        assert connection.exec_driver_sql(query).scalar() == counted


def test_a_match_that_is_none_is_an_error(record: Record, run: Any) -> None:
    result = run("--match", "01900000-0000-7000-8000-000000000000")
    assert result.exit_code == 1
    assert "there is no match 01900000-0000-7000-8000-000000000000" in result.stderr
