"""What is kept of tournaments, tampered with: the audit names the tournament, the player, the number."""

from random import Random
from typing import Any

import pytest
from flask.testing import FlaskClient

from service.database import Database
from service.record.tables import TOURNAMENT_COUNTS
from tests.record.tampering import Record
from tests.tournaments.recount import deal
from tests.tournaments.test_directors import open_tournament


@pytest.fixture
def record(database: Database, client: FlaskClient) -> Record:
    return Record(database, client)


@pytest.fixture
def tournament(client: FlaskClient) -> dict[str, Any]:
    """One whose first stage was played, whose second is open."""
    path, opened = open_tournament(client, stake=10, ruleset="panduan")
    chance = Random(4)
    for played in (2, 1):
        for table in client.post(f"{path}/stages", json={}).get_json()["tables"][:played]:
            sent = {"seats": deal(chance, table["players"])}
            client.post(f"/v1/matches/{table['match']}/rounds", json=sent)
    given = {"player": "player 1", "points": 5, "reason": "a gift"}
    assert client.post(f"{path}/adjustments", json=given).status_code == 201
    return opened


def found(record: Record, tournament: dict[str, Any]) -> list[Any]:
    """What both audits say, which is the same."""
    whole = record.whole().findings
    answer = record.client.get(f"/v1/tournaments/{tournament['id']}/audit").get_json()
    assert answer["findings"] == [finding.show() for finding in whole]
    assert answer["ok"] == (not whole)
    assert all(finding.tournament == tournament["id"] for finding in whole)
    return whole


def test_nothing_is_found_where_nothing_was_changed(record: Record, tournament: Any) -> None:
    assert found(record, tournament) == []


@pytest.mark.parametrize("stage", [0, 1])
@pytest.mark.parametrize("name", TOURNAMENT_COUNTS)
def test_every_kept_total_is_checked(record: Record, tournament: Any, name: str, stage: int) -> None:
    record.tamper(
        f"UPDATE tournament_totals SET {name} = {name} + 1 WHERE player = 'player 2' AND stage = :stage",
        stage=stage,
    )
    (finding,) = found(record, tournament)
    assert finding.code == "totals_differ"
    told = finding.parameters
    assert (told["name"], told["player"], told.get("stage")) == (name, "player 2", stage or None)
    assert told["kept"] == told["counted"] + 1


CHANGED = {
    "open_matches": "UPDATE tournaments SET open_matches = open_matches + 1",
    "stage": "UPDATE tournaments SET stage = stage + 1",
    "players": "UPDATE tournaments SET players = players + 1",
    "withdrawn": "UPDATE tournaments SET withdrawn = withdrawn + 1",
}


@pytest.mark.parametrize(("name", "change"), CHANGED.items(), ids=CHANGED)
def test_the_kept_state_is_checked(record: Record, tournament: Any, name: str, change: str) -> None:
    record.tamper(change)
    (finding,) = found(record, tournament)
    assert (finding.code, finding.parameters["name"]) == ("tournament_differs", name)


def test_an_adjustment_that_is_gone_is_missed(record: Record, tournament: Any) -> None:
    record.tamper("DELETE FROM tournament_events WHERE kind = 'adjusted'")
    (finding,) = found(record, tournament)
    assert (finding.parameters["name"], finding.parameters["counted"]) == ("adjustments", 0)
