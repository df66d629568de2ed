"""Many write at once: rounds get their numbers without gaps, and nothing is lost or counted twice."""

import threading
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import text

from service.database import Database
from tests.api.requests import ANDI, BUDI, ROUND

WRITERS = 8
FOUL = {**BUDI, "top": "Qs Qh 5d", "middle": "8s 7h 6d 4h 3s"}

Send = Callable[[int], tuple[int, Any]]


def at_once(count: int, send: Send) -> list[tuple[int, Any]]:
    """What so many threads get that start together; each is told its place."""
    barrier = threading.Barrier(count)

    def run(place: int) -> tuple[int, Any]:
        barrier.wait(timeout=10)
        return send(place)

    with ThreadPoolExecutor(count) as pool:
        return list(pool.map(run, range(count)))


@pytest.fixture
def post(app: Flask, client: FlaskClient) -> Callable[[str, Any], tuple[int, Any]]:
    """Post as a client of one's own, from any thread."""
    authorization = client.environ_base["HTTP_AUTHORIZATION"]

    def post(path: str, document: Any) -> tuple[int, Any]:
        own = app.test_client()
        response = own.post(path, json=document, headers={"Authorization": authorization})
        return response.status_code, response.get_json()

    return post


def open_match(client: FlaskClient, **document: Any) -> dict[str, Any]:
    response = client.post("/v1/matches", json={"players": ["andi", "budi"], **document})
    match: dict[str, Any] = response.get_json()
    return match


def test_rounds_posted_at_once_get_a_number_each(client: FlaskClient, post: Any) -> None:
    planned, each = 25, 5
    match = open_match(client, rounds=planned, ruleset="panduan", stake=7)
    path = f"/v1/matches/{match['id']}/rounds"

    def send(place: int) -> tuple[int, Any]:
        seats = [ANDI, FOUL if place % 2 else BUDI]
        return 0, [post(path, {"seats": seats}) for _ in range(each)]

    answers = [answer for _, sent in at_once(WRITERS, send) for answer in sent]
    assert Counter(status for status, _ in answers) == {201: planned, 409: WRITERS * each - planned}
    refused = [answer for status, answer in answers if status == 409]
    assert {answer["type"] for answer in refused} == {"/problems/match-finished"}

    kept = sorted((a for status, a in answers if status == 201), key=lambda answer: answer["number"])
    assert [answer["number"] for answer in kept] == list(range(1, planned + 1))
    assert [answer["previous_digest"] for answer in kept] == [None, *(a["digest"] for a in kept[:-1])]
    assert len({answer["digest"] for answer in kept}) == planned
    # Numbers and ids run the same way, so that pages by id are pages by number.
    assert [answer["id"] for answer in kept] == sorted(answer["id"] for answer in kept)

    assert client.get(f"{path}?limit=500").get_json()["items"] == kept[::-1]
    end = client.get(f"/v1/matches/{match['id']}").get_json()
    assert (end["status"], end["rounds_played"]) == ("finished", planned)
    assert end["finished_at"] == kept[-1]["submitted_at"]
    for line in end["standings"]:
        seats = [seat for answer in kept for seat in answer["seats"] if seat["player"] == line["player"]]
        assert line["points"] == sum(seat["points"] for seat in seats)
        for name in ("won", "fee", "net"):
            assert line["money"][name] == sum(seat["money"][name] for seat in seats)


def test_of_those_who_want_the_same_number_one_gets_it(
    client: FlaskClient, post: Any, stored: Any
) -> None:
    match = open_match(client)
    path = f"/v1/matches/{match['id']}/rounds"
    for number in (1, 2, 3):
        document = {**ROUND, "number": number}
        answers = at_once(2, partial(lambda sent, _: post(path, sent), document))
        assert sorted(status for status, _ in answers) == [201, 409]
        (refused,) = [answer for status, answer in answers if status == 409]
        assert refused["type"] == "/problems/round-number-taken"
        assert (refused["next"], refused["number"]) == (number + 1, number)
        assert stored("rounds") == number


def test_matches_do_not_wait_for_each_other_and_keep_apart(client: FlaskClient, post: Any) -> None:
    matches = [open_match(client, rounds=4) for _ in range(4)]

    def send(place: int) -> tuple[int, Any]:
        path = f"/v1/matches/{matches[place % 4]['id']}/rounds"
        return 0, [post(path, ROUND)[0] for _ in range(2)]

    assert [sent for _, sent in at_once(WRITERS, send)] == [[201, 201]] * WRITERS
    for match in matches:
        end = client.get(f"/v1/matches/{match['id']}").get_json()
        assert (end["status"], end["standings"][0]["points"]) == ("finished", 4 * 22)
        items = client.get(f"/v1/matches/{match['id']}/rounds").get_json()["items"]
        assert [item["number"] for item in items] == [4, 3, 2, 1]
        digests = [item["digest"] for item in items]
        assert [item["previous_digest"] for item in items] == [*digests[1:], None]


def test_rounds_of_no_match_do_not_disturb_each_other(post: Any, stored: Any) -> None:
    answers = at_once(WRITERS, lambda _: post("/v1/rounds", ROUND))
    assert [status for status, _ in answers] == [201] * WRITERS
    assert len({answer["id"] for _, answer in answers}) == WRITERS
    assert (stored("rounds"), stored("seats"), stored("duels")) == (WRITERS, 2 * WRITERS, WRITERS)


def test_a_match_that_is_locked_too_long_is_503_and_nothing_is_stored(
    client: FlaskClient, database: Database, stored: Any
) -> None:
    match = open_match(client)
    with database.transaction() as connection:
        connection.execute(text("SELECT 1 FROM matches FOR UPDATE"))
        response = client.post(f"/v1/matches/{match['id']}/rounds", json=ROUND)
    assert response.status_code == 503
    assert response.headers["Retry-After"]
    assert stored("rounds", "seats", "duels") == 0
    assert client.post(f"/v1/matches/{match['id']}/rounds", json=ROUND).status_code == 201
