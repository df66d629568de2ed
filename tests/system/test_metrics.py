"""The counts of a gunicorn with several workers, and what is left of a worker that is gone."""

import contextlib
import signal
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
import requests
from prometheus_client.parser import text_string_to_metric_families

from tests.api.requests import ROUND
from tests.gunicorns import Gunicorn, serving

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")


@pytest.fixture
def headers(make_key: Callable[..., str]) -> dict[str, str]:
    return {"Authorization": f"Bearer {make_key('score', 'read', 'write')}"}


@pytest.fixture
def gunicorn(headers: Any, database_url: str, tmp_path: Path) -> Iterator[Gunicorn]:
    with serving(database_url, tmp_path, workers=3, SUSUN_POOL_SIZE="2") as gunicorn:
        yield gunicorn


def read(gunicorn: Gunicorn, headers: dict[str, str]) -> dict[tuple[str, frozenset[Any]], float]:
    """All samples, as whichever worker answers tells them."""
    response = requests.get(f"{gunicorn.base}/metrics", headers=headers, timeout=20)
    assert response.status_code == 200, response.text
    assert response.headers["Content-Type"].startswith("text/plain; version=0.0.4")
    return {
        (sample.name, frozenset(sample.labels.items())): sample.value
        for family in text_string_to_metric_families(response.text)
        for sample in family.samples
    }


def value(samples: dict[Any, float], name: str, **labels: str) -> float:
    return samples.get((name, frozenset(labels.items())), 0)


def all_serve(gunicorn: Gunicorn, headers: dict[str, str]) -> bool:
    """Whether all three workers have their pools, and the dead none any more."""
    return value(read(gunicorn, headers), "susun_pool_size") == 3 * 2


def score(gunicorn: Gunicorn, headers: dict[str, str], times: int) -> None:
    """Rounds to be scored, each over a connection of its own, many at a time."""

    def one(_: int) -> int:
        return requests.post(
            f"{gunicorn.base}/v1/score",
            json=ROUND,
            headers={**headers, "Connection": "close"},
            timeout=20,
        ).status_code

    with ThreadPoolExecutor(8) as pool:
        assert set(pool.map(one, range(times))) == {200}


SCORED = {"route": "/v1/score", "method": "POST", "status": "200"}


def test_every_worker_tells_the_counts_of_all(gunicorn: Gunicorn, headers: dict[str, str]) -> None:
    gunicorn.until(lambda: all_serve(gunicorn, headers))
    score(gunicorn, headers, 60)
    for _ in range(6):
        samples = read(gunicorn, headers)
        assert value(samples, "susun_requests_total", **SCORED) == 60
        assert value(samples, "susun_request_seconds_count", route="/v1/score") == 60
        assert value(samples, "susun_request_seconds_bucket", route="/v1/score", le="+Inf") == 60
        assert value(samples, "susun_rounds_scored_total", ruleset="bsfyi", kept="no") == 60
    # No request is under way but this one, whose connection has been given back; perhaps a worker
    # makes sure just now that it hears of changes.
    gunicorn.until(lambda: value(read(gunicorn, headers), "susun_pool_checked_out") == 0)


def test_nothing_is_lost_with_a_killed_worker(gunicorn: Gunicorn, headers: dict[str, str]) -> None:
    score(gunicorn, headers, 30)
    for victim in gunicorn.workers():
        gunicorn.replace(victim)
    score(gunicorn, headers, 30)
    samples = read(gunicorn, headers)
    assert value(samples, "susun_requests_total", **SCORED) == 60
    assert value(samples, "susun_request_seconds_count", route="/v1/score") == 60
    gunicorn.until(lambda: value(read(gunicorn, headers), "susun_pool_checked_out") == 0)
    # What the dead held open is open no more.
    gunicorn.until(lambda: all_serve(gunicorn, headers))


def test_a_start_begins_anew_and_leaves_what_is_not_its_own(
    headers: dict[str, str], database_url: str, tmp_path: Path
) -> None:
    counts = tmp_path / "counts"
    for _ in range(2):
        with serving(
            database_url, tmp_path, workers=1, PROMETHEUS_MULTIPROC_DIR=str(counts)
        ) as gunicorn:
            score(gunicorn, headers, 3)
            assert value(read(gunicorn, headers), "susun_requests_total", **SCORED) == 3
            (counts / "diary.txt").write_text("dear diary")
    assert (counts / "diary.txt").read_text() == "dear diary"


def test_a_directory_of_its_own_goes_with_gunicorn(
    headers: dict[str, str], database_url: str, tmp_path: Path
) -> None:
    with serving(database_url, tmp_path, workers=1) as gunicorn:
        (worker,) = gunicorn.workers()
        environment = Path(f"/proc/{worker}/maps").read_text()
        (directory,) = {
            Path(line.split()[-1]).parent for line in environment.splitlines() if "susun-counts-" in line
        }
        assert directory.is_dir()
        score(gunicorn, headers, 3)
        # A reload replaces the workers and the configuration, but nothing that has been counted.
        gunicorn.process.send_signal(signal.SIGHUP)
        gunicorn.until(lambda: gunicorn.workers().isdisjoint({worker}) and gunicorn.workers())
        assert value(read(gunicorn, headers), "susun_requests_total", **SCORED) == 3
    assert not directory.exists()


def test_it_runs_where_nothing_but_memory_and_tmp_can_be_written(
    headers: dict[str, str], database_url: str, tmp_path: Path
) -> None:
    with serving(database_url, tmp_path, workers=1) as gunicorn:
        score(gunicorn, headers, 2)
        (worker,) = gunicorn.workers()
        written = set()
        for pid in (gunicorn.process.pid, worker):
            for entry in Path(f"/proc/{pid}/fd").iterdir():
                with contextlib.suppress(FileNotFoundError):  # closed meanwhile
                    told = Path(f"/proc/{pid}/fdinfo/{entry.name}").read_text()
                    flags = int(told.split("flags:")[1].split()[0], 8)
                    target = str(entry.readlink())
                    if flags & 0b11 and target.startswith("/") and entry.name not in "012":
                        written.add(target.split("/")[1])
        assert written <= {"dev", "tmp"}
