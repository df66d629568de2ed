"""Corrections and voids: new revisions, old ones readable, totals that follow."""

from collections.abc import Callable
from typing import Any

import pytest
from flask.testing import FlaskClient
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError
from werkzeug.test import TestResponse

from service.database import Database
from tests.api.requests import ANDI, BUDI, ROUND, SEATS

# andi's kings are gone from the top, which budi wins: 3 + 7 - 1 for andi, and no sweep.
CORRECTED = [{**ANDI, "top": ["Kd", "Qd", "2d"]}, BUDI]
OpenMatch = Callable[..., dict[str, Any]]


def post(client: FlaskClient, path: str, document: Any, **headers: str) -> TestResponse:
    return client.post(path, json=document, headers={n.replace("_", "-"): v for n, v in headers.items()})


def correct(client: FlaskClient, kept: TestResponse, **changes: Any) -> TestResponse:
    path = f"/v1/rounds/{kept.get_json()['id']}/corrections"
    document = {"reason": "wrong top row", "seats": CORRECTED, **changes}
    return post(client, path, document, If_Match=kept.headers["ETag"])


def points(answer: Any) -> list[int]:
    return [seat["points"] for seat in answer["seats"]]


def test_a_correction_is_a_new_revision_and_the_old_one_stays(client: FlaskClient) -> None:
    first = client.post("/v1/rounds", json=ROUND)
    second = correct(client, first)
    assert second.status_code == 201
    old, new = first.get_json(), second.get_json()
    assert (new["id"], new["revision"], new["status"]) == (old["id"], 2, "corrected")
    assert (new["reason"], new["submitted_by"]) == ("wrong top row", "test")
    assert new["previous_digest"] == old["digest"] != new["digest"]
    assert points(old) == [22, -22]
    assert points(new) == [-1 + 3 + 7, 1 - 3 - 7]
    assert client.get(f"/v1/rounds/{old['id']}").get_json() == new
    revisions = client.get(f"/v1/rounds/{old['id']}/revisions").get_json()["items"]
    assert revisions == [old, new]
    for revision in revisions:
        found = client.get(f"/v1/rounds/{old['id']}/revisions/{revision['revision']}")
        assert found.get_json() == revision
        assert "immutable" in found.headers["Cache-Control"]
        known = client.get(found.request.path, headers={"If-None-Match": found.headers["ETag"]})
        assert (known.status_code, known.headers["ETag"]) == (304, found.headers["ETag"])
        assert "immutable" in known.headers["Cache-Control"]
    assert client.get(f"/v1/rounds/{old['id']}/revisions/3").status_code == 404


def test_a_list_shows_each_round_in_its_newest_revision(client: FlaskClient) -> None:
    first = client.post("/v1/rounds", json=ROUND)
    new = correct(client, first).get_json()
    assert client.get("/v1/rounds").get_json()["items"] == [new]
    assert client.get("/v1/rounds?player=andi").get_json()["items"] == [new]
    assert client.get("/v1/rounds?status=corrected").get_json()["items"] == [new]
    assert client.get("/v1/rounds?status=valid").get_json()["items"] == []


def test_a_correction_needs_the_etag_of_the_newest_revision(client: FlaskClient, stored: Any) -> None:
    first = client.post("/v1/rounds", json=ROUND)
    path = f"/v1/rounds/{first.get_json()['id']}/corrections"
    document = {"reason": "wrong top row", "seats": CORRECTED}
    without = client.post(path, json=document)
    assert (without.status_code, without.get_json()["type"]) == (428, "/problems/precondition-required")
    assert correct(client, first).status_code == 201
    stale = correct(client, first)
    assert (stale.status_code, stale.get_json()["type"]) == (412, "/problems/stale")
    for nonsense in ('"nonsense"', '""', "nonsense", '"a", ""', 'W/"x"'):
        assert post(client, path, document, If_Match=nonsense).status_code in (412, 428), nonsense
    assert stored("rounds") == 2
    newest = client.get(f"/v1/rounds/{first.get_json()['id']}", headers={"Accept-Language": "id"})
    assert post(client, path, document, If_Match=newest.headers["ETag"]).status_code == 201
    assert post(client, path, document, If_Match="*").status_code == 201


def test_a_wrong_correction_lists_everything_and_changes_nothing(
    client: FlaskClient, stored: Any
) -> None:
    first = client.post("/v1/rounds", json=ROUND)
    seats = [{**ANDI, "top": ["Ks", "Kh"]}, {**BUDI, "declare": "dragon", "bottom": "Xx"}]
    answer = correct(client, first, seats=seats, reason=" ", ruleset="gratis")
    codes = [(error["code"], error["pointer"]) for error in answer.get_json()["errors"]]
    assert answer.status_code == 422
    assert ("field_invalid", "/reason") in codes
    assert ("field_unknown", "/ruleset") in codes
    assert ("row_size", "/seats/0/top") in codes
    assert ("card_unknown", "/seats/1/bottom") in codes
    assert stored("rounds") == 1


def test_a_void_round_counts_no_more_and_can_be_corrected_back(client: FlaskClient) -> None:
    first = client.post("/v1/rounds", json=ROUND)
    round_id = first.get_json()["id"]
    void = client.post(f"/v1/rounds/{round_id}/void", json={"reason": "cards were exposed"})
    assert (void.status_code, void.get_json()["status"], void.get_json()["revision"]) == (201, "void", 2)
    assert client.get("/v1/players/andi").get_json()["rounds"] == 0
    again = client.post(f"/v1/rounds/{round_id}/void", json={"reason": "cards were exposed"})
    assert (again.status_code, again.get_json()["type"]) == (409, "/problems/round-void")
    stale = post(client, f"/v1/rounds/{round_id}/void", {"reason": "x"}, If_Match=first.headers["ETag"])
    assert stale.status_code == 412
    back = correct(client, void, seats=SEATS)
    assert (back.get_json()["status"], points(back.get_json())) == ("corrected", [22, -22])
    assert client.get("/v1/players/andi").get_json()["points"] == 22


def test_match_and_players_totals_follow(client: FlaskClient, open_match: OpenMatch) -> None:
    match = open_match(rounds=2, stake=100, ruleset="panduan")
    path = f"/v1/matches/{match['id']}"
    kept = [client.post(f"{path}/rounds", json={"seats": SEATS}) for _ in range(2)]
    assert client.get(path).get_json()["status"] == "finished"
    before = client.get(path).get_json()["standings"]
    assert [line["points"] for line in before] == [32, -32]
    corrected = correct(client, kept[0])
    assert corrected.status_code == 201
    assert corrected.get_json()["previous_digest"] == kept[1].get_json()["digest"]
    standings = client.get(path).get_json()["standings"]
    assert [line["points"] for line in standings] == [16 + 9, -25]
    assert standings[0]["money"] == {"won": 2500, "fee": 48 + 27, "net": 2500 - 75}
    client.post(f"/v1/rounds/{kept[1].get_json()['id']}/void", json={"reason": "misdeal"})
    standings = client.get(path).get_json()["standings"]
    assert [line["points"] for line in standings] == [9, -9]
    totals = client.get("/v1/players/andi").get_json()
    assert totals == {
        "player": "andi",
        "matches": 1,
        "rounds": 1,
        "points": 9,
        "wins": 1,
        "fouls": 0,
        "sweeps": 0,
        "clean_sweeps": 0,
        "specials": 0,
    }


def test_a_correction_seats_the_players_of_its_match(client: FlaskClient, open_match: OpenMatch) -> None:
    match = open_match(rounds=2)
    kept = client.post(f"/v1/matches/{match['id']}/rounds", json={"seats": SEATS})
    stranger = correct(client, kept, seats=[ANDI, {**BUDI, "player": "cici"}])
    assert {error["code"] for error in stranger.get_json()["errors"]} == {
        "player_not_in_match",
        "player_absent",
    }


def test_a_round_on_its_own_can_be_corrected_to_other_players(client: FlaskClient) -> None:
    kept = client.post("/v1/rounds", json=ROUND)
    assert correct(client, kept, seats=[ANDI, {**BUDI, "player": "cici"}]).status_code == 201
    assert client.get("/v1/players/budi").get_json()["rounds"] == 0
    assert client.get("/v1/players/cici").get_json()["points"] == -22
    assert client.get("/v1/players/budi/rounds").get_json()["items"] == []
    assert len(client.get("/v1/players/cici/rounds").get_json()["items"]) == 1


@pytest.mark.parametrize("table", ["rounds", "seats", "duels", "rulesets", "adjustments"])
@pytest.mark.parametrize("change", ["UPDATE {} SET {}", "DELETE FROM {}", "TRUNCATE {} CASCADE"])
def test_the_database_itself_refuses_changes(
    client: FlaskClient, open_match: OpenMatch, database: Database, table: str, change: str
) -> None:
    match = open_match()
    client.post(f"/v1/matches/{match['id']}/rounds", json={"seats": SEATS})
    adjustment = {"player": "andi", "points": -3, "reason": "late"}
    client.post(f"/v1/matches/{match['id']}/adjustments", json=adjustment)
    column = {"rulesets": "title = 'x'", "adjustments": "points = 1"}.get(table, "match_id = NULL")
    with (
        pytest.raises(DBAPIError, match="never changed or deleted"),
        database.transaction() as connection,
    ):
        connection.execute(text(change.format(table, column)))


@pytest.mark.parametrize("tag", ['\\"abc"', '"', ",", "W/", '"abc'])
def test_an_if_match_that_cannot_be_read_names_no_revision(client: FlaskClient, tag: str) -> None:
    kept = client.post("/v1/rounds", json=ROUND)
    path = f"/v1/rounds/{kept.get_json()['id']}"
    assert post(client, f"{path}/void", {"reason": "misdeal"}, If_Match=tag).status_code == 412
    assert client.get(path).get_json()["status"] == "valid"
