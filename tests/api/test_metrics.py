"""What counts as what, and that labels stay few whatever is sent."""

import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from flask.testing import FlaskClient
from prometheus_client.parser import text_string_to_metric_families
from sqlalchemy import text

from app import create_app
from service import metrics
from service.api.observing import PROBES
from service.api.streams import NDJSON
from service.database import Database, DatabaseAway
from tests.api.requests import ROUND

HOUSE = {"id": "my-club", "title": "My Club", "base": "bsfyi", "sweep": {"factor": 3}}


class Counts:
    """What has been counted since the test began."""

    def __init__(self, client: FlaskClient) -> None:
        self._client = client
        self._before = self._read()

    def _read(self) -> dict[Any, float]:
        response = self._client.get("/metrics")
        assert response.status_code == 200
        return {
            (sample.name, frozenset(sample.labels.items())): sample.value
            for family in text_string_to_metric_families(response.text)
            for sample in family.samples
        }

    def since(self, name: str, **labels: str) -> dict[tuple[str, ...], float]:
        """What was added to the samples of a name with some labels, by the values of their others."""
        found = {}
        for (sample, have), value in self._read().items():
            added = value - self._before.get((sample, have), 0)
            if sample == f"susun_{name}" and labels.items() <= have and added:
                rest = {label: text for label, text in have if label not in labels}
                found[tuple(rest[label] for label in sorted(rest))] = added
        return found


@pytest.fixture
def counts(client: FlaskClient) -> Counts:
    return Counts(client)


def test_requests_are_counted_by_rule_and_status(client: FlaskClient, counts: Counts) -> None:
    client.post("/v1/score", json=ROUND)
    client.post("/v1/score", json=ROUND)
    client.post("/v1/score", json={})
    client.get("/v1/players/andi")
    client.get("/v1/players/budi")
    assert counts.since("requests_total", route="/v1/score") == {("POST", "200"): 2, ("POST", "422"): 1}
    assert counts.since("requests_total", route="/v1/players/<player>") == {("GET", "404"): 2}
    assert counts.since("request_seconds_count", route="/v1/score") == {(): 3}


def test_nobody_can_make_labels(client: FlaskClient, counts: Counts) -> None:
    for number in range(20):
        client.open(f"/nothing/{number}", method=f"M{number}")
        client.get(f"/v1/{number}?x={number}")
    client.put("/v1/score")
    client.open("/v1/score", method="BREW")
    found = counts.since("requests_total", route="none")
    assert found == {("other", "404"): 20, ("other", "405"): 1, ("GET", "404"): 20, ("PUT", "405"): 1}


def test_rounds_count_by_rule_set_once_they_are_kept(
    client: FlaskClient, counts: Counts, open_match: Callable[..., dict[str, Any]]
) -> None:
    assert client.post("/v1/rulesets", json=HOUSE).status_code == 201
    client.post("/v1/score", json=ROUND)
    client.post("/v1/score", json={**ROUND, "ruleset": "toto"})
    client.post("/v1/score", json={**ROUND, "ruleset": "my-club"})
    posted = client.post("/v1/rounds", json=ROUND, headers={"Idempotency-Key": "k"})
    client.post("/v1/rounds", json=ROUND, headers={"Idempotency-Key": "k"})
    client.post("/v1/rounds", json={**ROUND, "ruleset": "my-club"})
    client.post(f"/v1/matches/{open_match()['id']}/rounds", json=ROUND)
    where = f"/v1/rounds/{posted.get_json()['id']}/corrections"
    correction = {**ROUND, "reason": "x"}
    assert client.post(where, json=correction).status_code == 428
    headers = {"If-Match": posted.headers["ETag"]}
    assert client.post(where, json=correction, headers=headers).status_code == 201
    assert client.post(where, json=correction, headers=headers).status_code == 412
    assert counts.since("rounds_scored_total") == {
        ("no", "bsfyi"): 1,
        ("no", "panduan"): 1,
        ("no", "house"): 1,
        ("yes", "bsfyi"): 3,
        ("yes", "house"): 1,
    }
    assert counts.since("idempotent_replays_total") == {(): 1}


def test_findings_count_by_code(client: FlaskClient, counts: Counts, database: Database) -> None:
    where = f"/v1/rounds/{client.post('/v1/rounds', json=ROUND).get_json()['id']}/audit"
    assert client.get(where).get_json()["ok"]
    with database.transaction() as connection:
        connection.execute(text("SET LOCAL session_replication_role = replica"))
        connection.execute(text("UPDATE seats SET points = points + 1"))
    assert not client.get(where).get_json()["ok"]
    assert counts.since("audits_total") == {(): 2}
    assert counts.since("audit_findings_total") == {("seats_differ",): 1}


def test_streams_are_open_until_they_are_read_or_left(client: FlaskClient, counts: Counts) -> None:
    client.post("/v1/rounds", json=ROUND)
    read, left = (client.get("/v1/rounds", headers={"Accept": NDJSON}) for _ in range(2))
    # The checked client has read both to their ends; what is open is closed with the response.
    for response in (read, left):
        response.close()
    assert counts.since("streams_open") == {}


def test_an_open_stream_counts(client: FlaskClient, counts: Counts, shared_app: Any) -> None:
    client.post("/v1/rounds", json=ROUND)
    plain = FlaskClient(shared_app, shared_app.response_class)
    headers = {"Accept": NDJSON, "Authorization": client.environ_base["HTTP_AUTHORIZATION"]}
    response = plain.get("/v1/rounds", headers=headers)
    assert counts.since("streams_open") == {(): 1}
    # It is counted as a request, and timed, only when it is over.
    assert counts.since("requests_total", route="/v1/rounds") == {("POST", "201"): 1}
    response.close()
    assert counts.since("streams_open") == {}
    assert counts.since("requests_total", route="/v1/rounds") == {("POST", "201"): 1, ("GET", "200"): 1}


@pytest.fixture
def small(database_url: str) -> Iterator[Database]:
    """The pool of another app, of one connection and two more for a while."""
    database: Database = create_app({"database_url": database_url, "pool_size": 1}).extensions[
        "susun_database"
    ]
    yield database
    database.close()
    assert database.watch is not None
    database.watch.changed(0)


def test_the_pool_is_shown_as_it_is(client: FlaskClient, counts: Counts, small: Database) -> None:
    assert counts.since("pool_checked_out") == counts.since("pool_overflow") == {}
    with small.transaction(), small.transaction():
        assert counts.since("pool_checked_out") == {(): 2}
        assert counts.since("pool_overflow") == {(): 1}
        with small.snapshot():
            assert counts.since("pool_checked_out") == {(): 3}
            assert counts.since("pool_waits_total") == {}
            with pytest.raises(DatabaseAway), small.transaction():
                pass
        assert counts.since("pool_checked_out") == {(): 2}
    assert counts.since("pool_waits_total") == counts.since("pool_timeouts_total") == {(): 1}
    assert counts.since("pool_checked_out") == counts.since("pool_overflow") == {}


def test_the_pool_is_shown_rightly_after_a_rush(
    client: FlaskClient, counts: Counts, small: Database
) -> None:
    def rush() -> None:
        for _ in range(50):
            with small.transaction():
                pass

    threads = [threading.Thread(target=rush) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    # Threads of the other application, which note when keys were last used, may hold one for a moment.
    until = time.monotonic() + 10
    while counts.since("pool_checked_out") and time.monotonic() < until:
        time.sleep(0.05)
    assert counts.since("pool_checked_out") == counts.since("pool_overflow") == {}


def test_probes_are_calls(client: FlaskClient) -> None:
    assert all(client.get(path).status_code == 200 for path in PROBES)


def test_metrics_are_not_for_caches(client: FlaskClient) -> None:
    response = client.get("/metrics")
    assert response.headers["Cache-Control"] == "no-store"
    assert response.headers["Content-Type"] == metrics.CONTENT_TYPE
