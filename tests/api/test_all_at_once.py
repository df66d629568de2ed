"""Whatever is wrong is told at once, though one part of it can only be judged with another."""

from typing import Any

import pytest
from flask.testing import FlaskClient

from tests.api.requests import BUDI, PLAYERS, ROUND, SIX_PAIRS

NAGA = [{"player": "andi", "declare": "nagaa", "cards": SIX_PAIRS}, BUDI]


def told(answer: Any) -> set[tuple[str, str]]:
    """Code and place of everything that an answer says is wrong."""
    errors = answer.get_json()["errors"]
    return {(error["code"], error.get("parameter", error["pointer"])) for error in errors}


@pytest.mark.parametrize(
    ("path", "document", "wrong"),
    [
        (
            "/v1/rulesets",
            {"id": "r0", "title": "t", "base": "bsfyi", "rounds": [], "money": {"fee": 20000}},
            {("field_invalid", "/rounds"), ("field_invalid", "/money/fee")},
        ),
        (
            "/v1/score",
            {"ruleset": "nix", "seats": NAGA},
            {("ruleset_unknown", "/ruleset"), ("special_unknown", "/seats/0/declare")},
        ),
        (
            "/v1/matches/{match}/adjustments",
            {"player": "dewi", "points": 0, "reason": " "},
            {
                ("player_not_in_match", "/player"),
                ("field_invalid", "/points"),
                ("field_invalid", "/reason"),
            },
        ),
    ],
)
def test_of_a_body(client: FlaskClient, path: str, document: Any, wrong: set[tuple[str, str]]) -> None:
    match = client.post("/v1/matches", json={"players": list(PLAYERS)}).get_json()["id"]
    answer = client.post(path.format(match=match), json=document)
    assert answer.status_code == 422
    assert told(answer) >= wrong


def test_of_a_query(client: FlaskClient) -> None:
    answer = client.get("/v1/rounds?cursor=abc&status=x&limit=0")
    assert told(answer) == {("field_invalid", name) for name in ("cursor", "status", "limit")}


@pytest.mark.parametrize("path", ["/v1/rounds", "/v1/matches", "/v1/players/alias-a/rounds"])
def test_a_rule_set_is_found_by_its_alias_too(client: FlaskClient, path: str) -> None:
    players = ["alias-a", "alias-b"]
    client.post("/v1/matches", json={"players": players, "ruleset": "toto"})
    seats = [{**seat, "player": player} for seat, player in zip(ROUND["seats"], players, strict=True)]
    client.post("/v1/rounds", json={"ruleset": "toto", "seats": seats})
    by_id, by_alias = (
        client.get(path, query_string={"ruleset": name}).get_json()["items"]
        for name in ("panduan", "toto")
    )
    assert by_id and by_id == by_alias


def test_who_opens_the_address_is_led_to_the_documents(anonymous: FlaskClient) -> None:
    assert anonymous.get("/").headers["Location"] == "/docs"
    with anonymous.get("/", follow_redirects=True) as page:
        assert page.status_code == 200
