"""A whole tournament on a real gunicorn, played by the command as a user would."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from textwrap import dedent

import pytest
from sqlalchemy import text

from service.database import Database
from service.record import keys
from tests.gunicorns import ROOT, Gunicorn, serving

UNLIMITED = {"SUSUN_KEY_RATE": "off", "SUSUN_ADDRESS_RATE": "off"}
# What a service with a fault would do: one row too many for the best, tables in another order.
LIARS = {
    "standings": """
        from service.api import tournaments
        show = tournaments.reading.show
        def lie(placed, rules):
            items = show(placed, rules)
            items[0]["rows_won"] += 1
            return items
        tournaments.reading.show = lie
    """,
    "seats": """
        from service.tournaments import stages
        shuffled = stages.seat_random
        stages.seat_random = lambda players, *rest: shuffled(players, *rest)[::-1]
    """,
}


@pytest.fixture
def key(database: Database) -> str:
    with database.transaction() as connection:
        return keys.create(connection, "simulation", ["read", "write"])


@pytest.fixture(scope="module")
def gunicorn(database_url: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Gunicorn]:
    with serving(database_url, tmp_path_factory.mktemp("served"), **UNLIMITED) as gunicorn:
        yield gunicorn


def simulate(base: str, key: str, *options: str) -> "subprocess.CompletedProcess[str]":
    command = [
        sys.executable,
        "-m",
        "service.cli",
        "tournament",
        "simulate",
        "--url",
        base,
        "--key",
        key,
    ]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("SUSUN_")}
    return subprocess.run(
        [*command, *options],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


@pytest.mark.parametrize(
    ("players", "options"),
    [
        (30, ("--seating", "random", "--rank-by", "points", "--stake", "500")),
        (31, ("--seating", "standings", "--rank-by", "points_per_opponent", "--ruleset", "panduan")),
        (13, ("--seating", "spread", "--rank-by", "placings", "--table-size", "3", "--rounds", "2")),
        (7, ("--seating", "spread", "--table-size", "2", "--seed", "9", "--clients", "2")),
    ],
)
def test_a_whole_event_is_as_the_simulation_counts_it(
    gunicorn: Gunicorn, database: Database, key: str, players: int, options: tuple[str, ...]
) -> None:
    stages = ("--players", str(players), "--stages", "3")
    done = simulate(gunicorn.base, key, *stages, *options)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "as the simulation's own count has it" in done.stdout
    rounds, withdrawn, late = (
        int(re.findall(what, done.stdout)[0])
        for what in (r"(\d+) rounds in", r"withdrawals (\d+)", r"late entries (\d+)")
    )
    assert late >= 1
    with database.engine.connect() as connection:
        stored = connection.scalar(text("SELECT count(DISTINCT id) FROM rounds"))
        left = connection.scalar(
            text("SELECT count(*) FROM tournament_players WHERE withdrawn_at > '-infinity'")
        )
        entered = connection.scalar(text("SELECT count(*) FROM tournament_players"))
    assert (rounds, withdrawn, players) == (stored, left, entered)


@pytest.mark.parametrize(
    ("what", "told"), [("standings", "rows_won should be"), ("seats", "the seed gives other")]
)
def test_a_service_that_counts_or_seats_otherwise_is_found_out(
    database_url: str, tmp_path: Path, key: str, what: str, told: str
) -> None:
    module = dedent(LIARS[what]) + "\nfrom app import create_app\n"
    (tmp_path / "liar.py").write_text(module)
    with serving(database_url, tmp_path, APP="liar:create_app()", **UNLIMITED) as gunicorn:
        done = simulate(gunicorn.base, key, "--players", "9", "--stages", "2", "--rounds", "2")
    assert done.returncode == 1
    assert told in done.stderr
    assert "differences from the simulation's own count" in done.stderr


def test_limits_slow_it_down_and_no_more(database_url: str, tmp_path: Path, key: str) -> None:
    slow = {"SUSUN_KEY_RATE": "30", "SUSUN_KEY_BURST": "100", "SUSUN_ADDRESS_RATE": "off"}
    with serving(database_url, tmp_path, **slow) as gunicorn:
        done = simulate(gunicorn.base, key, "--players", "12", "--stages", "2", "--rounds", "4")
    assert done.returncode == 0, done.stdout + done.stderr
    assert int(re.findall(r"(\d+) of them because of a limit", done.stdout)[0]) > 0


def test_a_wrong_key_or_address_is_told_in_a_line(gunicorn: Gunicorn) -> None:
    done = simulate(gunicorn.base, "wrong", "--players", "8", "--stages", "1")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("Error: POST /v1/tournaments: 401")
    done = simulate("nowhere", "wrong", "--players", "8", "--stages", "1")
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)
