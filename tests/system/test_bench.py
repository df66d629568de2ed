"""What ``bench.requests`` measures is what it says: every kind is answered, and what is not is told."""

import itertools
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import psycopg2
import pytest

from bench import client, cores, requests, wrk
from bench import kinds as scenes
from bench.client import Expected, Request, Unexpected
from bench.kinds import KINDS
from bench.profiling import environ_of
from bench.requests import Filled, Turn, fill_anew, show, summary, take_turns
from tests.gunicorns import Gunicorn, serving
from tests.servers import fresh_server

NEEDS_WRK = pytest.mark.skipif(shutil.which("wrk") is None, reason="wrk is not installed")
COUNTED = pytest.mark.skipif(
    not Path("/proc/self/schedstat").exists(), reason="this system has no such count"
)
BARE = Request("GET", "/bare").encode()


@pytest.fixture(scope="module")
def base() -> Iterator[tuple[Filled, Any]]:
    with fresh_server() as server:
        yield fill_anew(server.url, 1_000, server.embedded.pid), server


@pytest.fixture(scope="module")
def baseline(base: tuple[Filled, Any], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Gunicorn]:
    directory = tmp_path_factory.mktemp("baseline")
    with serving(base[0].url, directory, workers=1, APP="bench.baselines:create_app()") as gunicorn:
        yield gunicorn


@pytest.mark.parametrize(
    ("seconds", "with_wrk", "kinds"),
    [
        (0.1, False, list(KINDS)),
        # Turns of whole seconds; what both can do it need not show again.
        pytest.param(
            1, True, ["bare-post", "insert", "stored", "match-round", "replay"], marks=NEEDS_WRK
        ),
    ],
)
def test_every_kind_is_answered_and_has_its_figures(
    base: tuple[Filled, Any],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    seconds: float,
    with_wrk: bool,
    kinds: list[str],
) -> None:
    monkeypatch.setattr(requests, "WARMING", 0.05)
    # So many are asked for in turns of seconds.
    monkeypatch.setattr(scenes, "REPLAYED_A_LINE", 25)
    monkeypatch.setattr(scenes, "ROUNDS_ASKED", 40)
    before = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else None
    turns = take_turns(base[0], rounds=1, seconds=seconds, with_wrk=with_wrk, kinds=kinds)
    assert before is None or os.sched_getaffinity(0) == before
    found = summary(turns)
    show("figures", found)
    table = capsys.readouterr().out
    assert list(found) == kinds
    for name in kinds:
        kind = KINDS[name]
        assert kind.title in table
        assert found[name]["a_second"] > 0
        assert found[name]["against"].keys() == kind.wanted.keys()
        for ratios in found[name]["against"].values():
            assert (
                f"{ratios['ratio']:6.2f}  {ratios['cpu_ratio']:6.2f}  {ratios['wanted']:6.2f}" in table
            )
    if Path("/proc/self/schedstat").exists():
        assert all(0 < turn.postgres < turn.computed for turn in turns["stored"])
    connection = psycopg2.connect(base[1].address())
    with connection, connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM bench_documents WHERE document ? 'seats'")
        assert cursor.fetchone() > (0,)
        cursor.execute("SELECT max(rounds_played) FROM matches WHERE rounds = 1000")
        assert cursor.fetchone() > (0,)
    connection.close()


def _with_wrk(port: int, lines: Any, expected: Expected) -> client.Run:
    return wrk.run(port, lines, expected, seconds=1)


@pytest.mark.parametrize("run", [client.run, pytest.param(_with_wrk, marks=NEEDS_WRK)])
@pytest.mark.parametrize(
    "expected",
    [Expected(201), Expected(200, b"Idempotency-Replayed: true"), Expected(200, least_bytes=1_000)],
    ids=["status", "header", "bytes"],
)
def test_another_answer_ends_the_measurement(baseline: Gunicorn, run: Any, expected: Expected) -> None:
    with pytest.raises(Unexpected, match=f"status={expected.status}"):
        run(baseline.port, [itertools.repeat(BARE)], expected)


@NEEDS_WRK
def test_wrk_sends_nothing_twice_that_is_to_be_sent_once(
    baseline: Gunicorn, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wrk, "MANY_A_SECOND", 3)
    with pytest.raises(Unexpected, match="not enough"):
        wrk.run(baseline.port, [itertools.repeat(BARE)], Expected(200), seconds=1, once=True)


def test_a_line_that_ends_ends_alone(baseline: Gunicorn) -> None:
    lines = [iter([BARE] * count) for count in (3, 1, 0)]
    assert client.run(baseline.port, lines, Expected(200), seconds=20).answers == 4


def test_an_answer_that_is_cut_off_is_not_taken_for_one() -> None:
    head = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n"
    Expected(200).check(head + b"whole")
    for answer in (head + b"half", b"", b"HTTP/1.1 200"):
        with pytest.raises(Unexpected):
            Expected(200).check(answer)


def test_ratios_are_those_of_the_same_round() -> None:
    # The machine is twice as fast in the second round, for both.
    turns = {
        "bare-get": [Turn(1000, 1e-3, 0, 0.1), Turn(2000, 1e-3, 0, 0.1), Turn(1000, 1e-3, 0, 0.1)],
        "get": [Turn(450, 2e-3, 1e-3, 0.1), Turn(900, 2e-3, 1e-3, 0.1), Turn(900, 4e-3, 1e-3, 0.1)],
    }
    found: Mapping[str, Any] = summary(turns)
    assert found["get"]["against"] == {"bare-get": {"wanted": 0.45, "ratio": 0.45, "cpu_ratio": 0.5}}
    assert (found["get"]["cpu_us"], found["get"]["postgres_us"]) == (2000, 1000)


@COUNTED
def test_what_a_process_computes_is_counted() -> None:
    before = cores.computed(os.getpid())
    sum(range(1_000_000))
    assert cores.seconds_since(before, os.getpid()) > 0.001
    assert cores.computed(None) == {}


@COUNTED
def test_what_has_ended_meanwhile_takes_nothing_away() -> None:
    busy = [sys.executable, "-c", "sum(range(3_000_000)); input()"]
    with subprocess.Popen(busy, stdin=subprocess.PIPE) as child:
        began: cores.Computed = {}
        while sum(began.values()) < 10_000_000:
            began = cores.computed(child.pid)
        before = cores.computed(os.getpid())
        child.communicate(b"\n")
    assert cores.seconds_since(before, os.getpid()) >= 0


def test_a_request_is_the_same_to_the_profile() -> None:
    environ = environ_of(Request("POST", "/v1/rounds?a=%20b", {"Idempotency-Key": "x"}, b'{"a": 1}'))
    assert environ["wsgi.input"].read() == b'{"a": 1}'
    wanted = {
        "REQUEST_METHOD": "POST",
        "PATH_INFO": "/v1/rounds",
        "QUERY_STRING": "a=%20b",
        "CONTENT_LENGTH": "8",
        "CONTENT_TYPE": "application/json",
        "HTTP_IDEMPOTENCY_KEY": "x",
    }
    assert wanted.items() <= environ.items()
