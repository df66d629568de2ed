"""Rounds on their own: kept, read back, listed."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest
from flask.testing import FlaskClient

from tests.api.requests import ANDI, BUDI, DRAGON, ROUND, SIX_PAIRS, change, post_round, score

KEEPING = {
    "id",
    "match",
    "number",
    "revision",
    "status",
    "request",
    "submitted_at",
    "submitted_by",
    "reason",
    "digest",
    "previous_digest",
}
FOUL = {"player": "budi", "top": "Qs Qh 5d", "middle": "8s 7h 6d 4h 3s", "bottom": "Tc Td Th Jc Js"}
DRAGON_SEAT = {"player": "andi", "declare": "dragon", "cards": DRAGON}
ROUNDS: dict[str, dict[str, Any]] = {
    "a sweep": ROUND,
    "a foul": {"seats": [ANDI, FOUL]},
    "with a stake": {**ROUND, "stake": 250},
    "under panduan with a fee": {**ROUND, "ruleset": "toto", "stake": 1000},
    "a special": {"seats": [DRAGON_SEAT, {**BUDI, "top": "Qs Qh 5d"}]},
    "a special in rows": {
        "seats": [
            {
                "player": "andi",
                "declare": "six_pairs",
                "top": "2s 2h 8s",
                "middle": "3s 3h 4s 4h 5s",
                "bottom": "6s 6h 7s 7h 5h",
            },
            {**BUDI, "middle": "8c 8h 8d 7c 7d"},
        ]
    },
    "names of all kinds": change(ROUND, {"/seats/0/player": 'é"\\/<安迪>🂡', "/seats/1/player": "null"}),
}


@pytest.mark.parametrize("document", ROUNDS.values(), ids=ROUNDS)
def test_what_is_kept_is_what_was_scored_and_answered(
    client: FlaskClient, stored: Any, document: dict[str, Any]
) -> None:
    kept = post_round(client, document=document)
    assert {name: value for name, value in kept.items() if name not in KEEPING} == score(
        client, document
    )
    assert client.get(f"/v1/rounds/{kept['id']}").get_json() == kept
    assert (stored("rounds"), stored("seats"), stored("duels")) == (1, 2, 1)


def test_the_keeping_of_a_round(client_with: Callable[..., FlaskClient]) -> None:
    client = client_with("write", "read", name="Meja 7")
    response = client.post("/v1/rounds", json=ROUND)
    assert response.status_code == 201
    kept = response.get_json()
    assert response.headers["Location"] == f"/v1/rounds/{kept['id']}"
    assert kept["match"] is kept["number"] is kept["previous_digest"] is None
    assert (kept["revision"], kept["status"], kept["submitted_by"]) == (1, "valid", "Meja 7")
    assert UUID(kept["id"]).version == 7
    assert len(kept["digest"]) == 64
    submitted = datetime.strptime(kept["submitted_at"], "%Y-%m-%dT%H:%M:%S.%fZ").replace(tzinfo=UTC)
    assert abs(datetime.now(UTC) - submitted) < timedelta(minutes=1)


def test_the_request_is_kept_with_canonical_cards(client: FlaskClient) -> None:
    document = {
        "ruleset": "toto",
        "stake": 5,
        "seats": [
            {
                "player": "budi",
                "top": "10♠TDth",
                "middle": ["9S", "9h", "9♦️", "4c", "4s"],
                "bottom": "As ac Ad\tKh3c",
            },
            {
                "player": "andi",
                "declare": "dragon",
                "cards": ["2h", "3h", "4h", "5s", "6d", "7h", "8c", "9C", "10c", "j♥", "qd", "kc", "ah"],
            },
        ],
    }
    kept = post_round(client, document=document)
    assert kept["request"] == {
        "ruleset": {"id": "panduan", "version": 1},
        "stake": 5,
        "seats": [
            {
                "player": "budi",
                "top": ["Ts", "Td", "Th"],
                "middle": ["9s", "9h", "9d", "4c", "4s"],
                "bottom": ["As", "Ac", "Ad", "Kh", "3c"],
            },
            {
                "player": "andi",
                "declare": "dragon",
                "cards": ["2h", "3h", "4h", "5s", "6d", "7h", "8c", "9c", "Tc", "Jh", "Qd", "Kc", "Ah"],
            },
        ],
    }


@pytest.mark.parametrize("document", ROUNDS.values(), ids=ROUNDS)
def test_a_kept_request_can_be_sent_again(client: FlaskClient, document: dict[str, Any]) -> None:
    kept = post_round(client, document=document)
    again = post_round(client, document=kept["request"])
    assert again["request"] == kept["request"]
    assert again["seats"] == kept["seats"] and again["duels"] == kept["duels"]
    assert again["id"] != kept["id"] and again["digest"] != kept["digest"]


def test_rounds_are_listed_newest_first_by_player_and_by_match(
    client: FlaskClient, open_match: Callable[..., Any]
) -> None:
    match = open_match()
    alone = post_round(client)
    of_match = post_round(client, f"/v1/matches/{match['id']}/rounds")
    of_cici = post_round(client, document=change(ROUND, {"/seats/0/player": "cici"}))

    def listed(query: str) -> list[Any]:
        answer = client.get(f"/v1/rounds{query}").get_json()
        assert answer["next_cursor"] is None
        items: list[Any] = answer["items"]
        return items

    assert listed("") == [of_cici, of_match, alone]
    assert listed("?player=andi") == [of_match, alone]
    assert listed("?player=cici") == [of_cici]
    assert listed("?player=CICI") == []
    assert listed(f"?match={match['id']}") == [of_match]
    assert listed(f"?match={match['id'].upper()}") == [of_match]
    assert listed(f"?match={match['id']}&player=andi") == [of_match]
    assert listed(f"?match={match['id']}&player=cici") == []
    assert listed(f"?match={alone['id']}") == []


def test_scoring_and_keeping_agree_on_a_table_of_four(client: FlaskClient, stored: Any) -> None:
    deck = [rank + suit for suit in "shdc" for rank in "AKQJT98765432"]
    seats = [
        {"player": f"p{place}", "top": hand[10:], "middle": hand[5:10], "bottom": hand[:5]}
        for place, hand in enumerate(deck[start : start + 13] for start in range(0, 52, 13))
    ]
    kept = post_round(client, document={"seats": seats})
    assert kept["duels"] == score(client, {"seats": seats})["duels"]
    assert (stored("rounds"), stored("seats"), stored("duels")) == (1, 4, 6)


def test_a_round_that_is_only_scored_is_not_listed(client: FlaskClient) -> None:
    score(client, {**ROUND, "stake": 3})
    score(
        client,
        {
            "seats": [
                {"player": "andi", "declare": "six_pairs", "cards": SIX_PAIRS},
                {**BUDI, "middle": "8c 8h 8d 7c 7d"},
            ]
        },
    )
    assert client.get("/v1/rounds").get_json() == {"items": [], "next_cursor": None}
