"""Idempotency-Key: sent again, answered again, done once."""

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import text

from service.database import Database
from service.record import idempotency
from tests.api.requests import ROUND, SEATS, change

OpenMatch = Callable[..., dict[str, Any]]


def send(client: FlaskClient, key: str, document: Any = ROUND, path: str = "/v1/rounds") -> Any:
    return client.post(path, json=document, headers={"Idempotency-Key": key})


def test_a_repeat_gets_the_same_answer_and_does_nothing(client: FlaskClient, stored: Any) -> None:
    first, second = send(client, "one"), send(client, "one")
    assert (first.status_code, second.status_code) == (201, 201)
    assert first.data == second.data
    for header in ("Location", "ETag", "Content-Type", "Content-Language"):
        assert first.headers[header] == second.headers[header]
    assert "Idempotency-Replayed" not in first.headers
    assert second.headers["Idempotency-Replayed"] == "true"
    assert stored("rounds") == 1
    assert client.get("/v1/players/andi").get_json()["rounds"] == 1


@pytest.mark.parametrize(("key", "same"), [('"quoted"', "quoted"), ("x" * 255, '"' + "x" * 255 + '"')])
def test_a_key_is_the_same_bare_or_quoted(client: FlaskClient, stored: Any, key: str, same: str) -> None:
    send(client, key)
    assert send(client, same).headers["Idempotency-Replayed"] == "true"
    assert stored("rounds") == 1


@pytest.mark.parametrize("key", ["", "two words", "x" * 256, "é", '""'])
def test_a_key_that_is_none_is_refused(client: FlaskClient, stored: Any, key: str) -> None:
    answer = send(client, key)
    assert (answer.status_code, answer.get_json()["type"]) == (400, "/problems/malformed-request")
    assert stored("rounds") == 0


def test_a_key_used_with_another_request_is_refused(client: FlaskClient, stored: Any) -> None:
    send(client, "one")
    for answer in (
        send(client, "one", {**ROUND, "stake": 5}),
        send(client, "one", {"players": ["andi", "budi"]}, "/v1/matches"),
    ):
        (error,) = answer.get_json()["errors"]
        assert (answer.status_code, error["code"]) == (422, "idempotency_key_reused")
        assert answer.get_json()["type"] == "/problems/idempotency-key-reused"
    assert stored("rounds", "matches") == 1


def test_a_key_belongs_to_one_api_key(client_with: Callable[..., FlaskClient], stored: Any) -> None:
    for name in ("one", "other"):
        assert "Idempotency-Replayed" not in send(client_with("write", name=name), "same").headers
    assert stored("rounds") == 2


def test_refusals_of_the_call_are_kept_too(
    client: FlaskClient, open_match: OpenMatch, stored: Any
) -> None:
    wrong = change(ROUND, {"/seats/0/top/0": "Xx"})
    first, second = send(client, "wrong", wrong), send(client, "wrong", wrong)
    assert first.status_code == second.status_code == 422
    assert first.data == second.data
    assert second.headers["Idempotency-Replayed"] == "true"
    match = open_match(rounds=1)
    path = f"/v1/matches/{match['id']}/rounds"
    assert client.post(path, json={"seats": SEATS}).status_code == 201
    refused = [send(client, "late", {"seats": SEATS}, path) for _ in range(2)]
    assert [answer.status_code for answer in refused] == [409, 409]
    assert refused[1].headers["Idempotency-Replayed"] == "true"
    assert stored("rounds") == 1


def test_what_failed_before_the_call_ran_may_be_sent_again(client: FlaskClient) -> None:
    broken = client.post(
        "/v1/rounds",
        data="{",
        content_type="application/json",
        headers={"Idempotency-Key": "one"},
    )
    assert broken.status_code == 400
    assert send(client, "one").status_code == 201


def test_twenty_at_once_store_one_round(client: FlaskClient, app: Flask, stored: Any) -> None:
    key = client.environ_base["HTTP_AUTHORIZATION"]

    def post(_: int) -> tuple[int, bytes]:
        for _try in range(200):
            answer = app.test_client().post(
                "/v1/rounds", json=ROUND, headers={"Idempotency-Key": "rush", "Authorization": key}
            )
            if answer.status_code != 409:
                return answer.status_code, answer.data
            assert answer.get_json()["type"] == "/problems/idempotency-key-in-flight"
            time.sleep(0.01)
        raise AssertionError("always in flight")

    with ThreadPoolExecutor(20) as pool:
        answers = set(pool.map(post, range(20)))
    assert len(answers) == 1
    assert next(iter(answers))[0] == 201
    assert stored("rounds") == 1


def test_after_two_days_a_key_is_free_again(
    client: FlaskClient, database: Database, stored: Any
) -> None:
    send(client, "old")
    send(client, "older")
    with database.transaction() as connection:
        connection.execute(text("UPDATE idempotency_keys SET created_at = now() - interval '49 hours'"))
    assert "Idempotency-Replayed" not in send(client, "old").headers
    assert stored("rounds") == 3
    with database.transaction() as connection:
        assert idempotency.tidy(connection) == 1
    assert stored("idempotency_keys") == 1


def test_a_repeat_is_told_in_the_language_of_the_first(client: FlaskClient) -> None:
    answers = [
        client.post(
            "/v1/rounds",
            json=ROUND,
            headers={"Idempotency-Key": "languages", "Accept-Language": language},
        )
        for language in ("id", "en")
    ]
    assert {answer.headers["Content-Language"] for answer in answers} == {"id"}
    assert answers[0].data == answers[1].data
