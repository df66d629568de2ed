"""Directors and tables at once: one stage, one 409, and no round in limbo."""

from collections.abc import Callable
from random import Random
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import text

from service.database import Database
from tests.record.test_concurrency import at_once
from tests.tournaments.recount import deal, recount

PLAYERS = [f"player {number}" for number in range(1, 9)]

Post = Callable[[str, Any], tuple[int, Any]]


@pytest.fixture
def post(app: Flask, client: FlaskClient) -> Post:
    """Post as a client of one's own, from any thread."""
    authorization = client.environ_base["HTTP_AUTHORIZATION"]

    def post(path: str, document: Any) -> tuple[int, Any]:
        own = app.test_client()
        response = own.post(path, json=document, headers={"Authorization": authorization})
        return response.status_code, response.get_json()

    return post


def open_tournament(client: FlaskClient, **document: Any) -> tuple[str, dict[str, Any]]:
    sent = {"name": "Jumat", "players": PLAYERS, "stages": 30, "rounds": 1, "seed": 1, **document}
    response = client.post("/v1/tournaments", json=sent)
    assert response.status_code == 201, response.text
    return response.headers["Location"], response.get_json()


def test_two_directors_who_seat_at_once_get_one_stage_and_one_409(
    client: FlaskClient, post: Post, stored: Any
) -> None:
    path, _ = open_tournament(client)
    for stage in range(1, 11):
        answers = at_once(2, lambda _: post(f"{path}/stages", {}))
        assert sorted(status for status, _ in answers) == [201, 409]
        ((_, refused),) = [answer for answer in answers if answer[0] == 409]
        assert refused["type"] in ("/problems/stage-open", "/problems/tournament-busy")
        assert client.get(path).get_json()["stage"] == stage
        assert stored("matches") == 2 * stage
        for table in client.get(f"{path}/stages/{stage}").get_json()["tables"]:
            post(f"/v1/matches/{table['match']}/finish", {"reason": "next"})


def test_a_round_at_the_moment_a_stage_closes_is_in_or_refused(client: FlaskClient, post: Post) -> None:
    """The last match is finished by a director, who seats the next stage, while its table posts."""
    path, tournament = open_tournament(client, rounds=2, players=PLAYERS[:4])
    chance, kept = Random(1), 0
    for stage in range(1, 13):
        table = post(f"{path}/stages", {})[1]["tables"][0]
        match = f"/v1/matches/{table['match']}"
        sent = {"seats": deal(chance, table["players"])}

        def move(place: int, match: str = match, sent: Any = sent) -> tuple[int, Any]:
            if place:
                return post(f"{match}/rounds", sent)
            finished, _ = post(f"{match}/finish", {"reason": "closing time"})
            return finished, None

        (finished, _), (status, answer) = at_once(2, move)
        assert finished == 200 and status in (201, 409)
        assert status == 201 or answer["type"] == "/problems/match-finished"
        kept += status == 201
        rounds = client.get(f"{match}/rounds").get_json()["items"]
        assert len(rounds) == (status == 201)
        late, refused = post(f"{match}/rounds", sent)
        assert (late, refused["type"]) == (409, "/problems/match-finished")
        told = client.get(f"{path}/standings?stage={stage}").get_json()["items"]
        assert told == recount(client, tournament, stage)
    assert client.get(f"{path}/standings").get_json()["items"] == recount(client, tournament)
    found = client.get(f"/v1/rounds?tournament={tournament['id']}").get_json()["items"]
    assert len(found) == kept
    assert client.get(f"{path}/audit").get_json()["findings"] == []


def test_everybody_at_once_loses_nothing(client: FlaskClient, post: Post) -> None:
    """Rounds of two stages corrected and posted, while directors adjust, enter and withdraw."""
    path, tournament = open_tournament(client, rounds=6, stake=100, ruleset="panduan")
    chance, old = Random(2), []
    for table in post(f"{path}/stages", {})[1]["tables"]:
        for _ in range(6):
            sent = {"seats": deal(chance, table["players"])}
            old.append(post(f"/v1/matches/{table['match']}/rounds", sent)[1])
    tables = post(f"{path}/stages", {})[1]["tables"]
    dealt = [[deal(chance, table["players"]) for _ in range(5)] for table in tables]

    def move(place: int) -> tuple[int, Any]:
        if place < 2:
            address = f"/v1/matches/{tables[place]['match']}/rounds"
            return 0, [post(address, {"seats": seats})[0] for seats in dealt[place]]
        if place < 4:
            mine = old[place::4]
            return 0, [post(f"/v1/rounds/{kept['id']}/void", {"reason": "misdeal"})[0] for kept in mine]
        if place == 4:
            gifts = [{"player": player, "points": -1, "reason": "late"} for player in PLAYERS[:5]]
            return 0, [post(f"{path}/adjustments", gift)[0] for gift in gifts]
        names = [f"late {number}" for number in range(4)]
        entered = [post(f"{path}/players", {"players": [name]})[0] for name in names]
        left = post(f"{path}/withdrawals", {"player": names[0], "reason": "left"})[0]
        return 0, [*entered, left]

    answers = at_once(6, move)
    assert {status for _, statuses in answers for status in statuses} == {201}
    for stage in (None, 1, 2):
        query = f"?stage={stage}" if stage else ""
        told = client.get(f"{path}/standings{query}").get_json()["items"]
        assert told == recount(client, tournament, stage)
    assert client.get(f"{path}/audit").get_json()["findings"] == []


def test_a_director_does_not_hold_up_tables(client: FlaskClient, post: Post, database: Database) -> None:
    """While one seats or adjusts, rounds are posted: only the end of each transaction waits."""
    path, tournament = open_tournament(client, rounds=3)
    table = post(f"{path}/stages", {})[1]["tables"][0]
    with database.transaction() as connection:
        lock = text("SELECT pg_advisory_xact_lock(hashtextextended(:name, 0))")
        connection.execute(lock, {"name": f"tournament {tournament['id']}"})
        sent = {"seats": deal(Random(3), table["players"])}
        assert post(f"/v1/matches/{table['match']}/rounds", sent)[0] == 201
        status, answer = post(f"{path}/stages", {})
        assert (status, answer["type"]) == (409, "/problems/tournament-busy")


def test_who_was_told_that_another_is_at_it_may_try_again_under_the_same_key(
    client: FlaskClient, database: Database
) -> None:
    path, tournament = open_tournament(client)
    key = {"Idempotency-Key": "seat"}
    with database.transaction() as connection:
        lock = text("SELECT pg_advisory_xact_lock(hashtextextended(:name, 0))")
        connection.execute(lock, {"name": f"tournament {tournament['id']}"})
        assert client.post(f"{path}/stages", json={}, headers=key).status_code == 409
    assert client.post(f"{path}/stages", json={}, headers=key).status_code == 201
