"""Matches and their rounds that are wrong: players, rule set, stake, numbers."""

from collections.abc import Callable
from typing import Any

import pytest
from flask.testing import FlaskClient

from tests.api.requests import (
    GONE,
    PLAYERS,
    ROUND,
    SEATS,
    assert_invalid,
    change,
    error,
    invalid,
    missing,
    unknown,
)

# Of a match's round: its own players, its own rule set and stake.
MATCH_ROUND_CASES: dict[str, tuple[dict[str, Any], list[dict[str, Any]]]] = {
    "a rule set": ({"/ruleset": "bsfyi"}, [unknown("/ruleset")]),
    "a stake": ({"/stake": 100}, [unknown("/stake")]),
    "a player of no match": (
        {"/seats/0/player": "cici"},
        [
            error("player_not_in_match", "/seats/0/player"),
            error("player_absent", "/seats", player="andi"),
        ],
    ),
    "one player too many": (
        {
            "/seats/2": {
                "player": "cici",
                "top": "2s 3h 4d",
                "middle": "2h 3d 6c 6d 5s",
                "bottom": "5h 6s 6h 7h Jd",
            }
        },
        [error("player_not_in_match", "/seats/2/player")],
    ),
    "one player too few": (
        {"/seats/1": GONE},
        [
            error("seat_count", "/seats", least=2, most=4, got=1),
            error("player_absent", "/seats", player="budi"),
        ],
    ),
    "a player twice": (
        {"/seats/1/player": "andi"},
        [
            error("player_duplicate", "/seats/1/player", other="/seats/0/player"),
            error("player_absent", "/seats", player="budi"),
        ],
    ),
    "a blank player": (
        {"/seats/1/player": ""},
        [invalid("/seats/1/player"), error("player_absent", "/seats", player="budi")],
    ),
    "number 0": ({"/number": 0}, [invalid("/number", least=1, most=1000)]),
    "number 1001": ({"/number": 1001}, [invalid("/number", least=1, most=1000)]),
    "number a string": ({"/number": "1"}, [invalid("/number")]),
    "number null": ({"/number": None}, [invalid("/number")]),
    "a list for the document": ({"": []}, [invalid("")]),
}


@pytest.mark.parametrize(("changes", "errors"), MATCH_ROUND_CASES.values(), ids=MATCH_ROUND_CASES)
def test_wrong_rounds_of_a_match_are_reported(
    client: FlaskClient,
    open_match: Callable[..., Any],
    stored: Any,
    changes: dict[str, Any],
    errors: list[dict[str, Any]],
) -> None:
    match = open_match()
    response = client.post(f"/v1/matches/{match['id']}/rounds", json=change(ROUND, changes))
    assert_invalid(response, "invalid-round", *errors)
    assert stored("rounds", "seats", "duels") == 0
    assert client.get(f"/v1/matches/{match['id']}").get_json() == match


MATCH = {"players": list(PLAYERS)}
MATCH_CASES: dict[str, tuple[dict[str, Any], list[dict[str, Any]]]] = {
    "no players": ({"/players": GONE}, [missing("/players")]),
    "players null": ({"/players": None}, [invalid("/players")]),
    "players a string": ({"/players": "andi"}, [invalid("/players")]),
    "players an object": ({"/players": {"andi": 1}}, [invalid("/players")]),
    "one player": ({"/players/1": GONE}, [error("seat_count", "/players", least=2, most=4, got=1)]),
    "five players": (
        {"/players": list("abcde")},
        [error("seat_count", "/players", least=2, most=4, got=5)],
    ),
    "five players of whom some are wrong": (
        {"/players": ["a", 1, None, "d", "e"]},
        [
            error("seat_count", "/players", least=2, most=4, got=5),
            invalid("/players/1"),
            invalid("/players/2"),
        ],
    ),
    "a player twice": (
        {"/players": ["andi", "budi", "andi"]},
        [error("player_duplicate", "/players/2", other="/players/0")],
    ),
    "a player twice after a wrong one": (
        {"/players": ["", "andi", "andi"]},
        [invalid("/players/0"), error("player_duplicate", "/players/2", other="/players/1")],
    ),
    "a player that is no string, and no wrong count": ({"/players/1": 7}, [invalid("/players/1")]),
    "a player null": ({"/players/1": None}, [invalid("/players/1")]),
    "a player too long": ({"/players/1": "x" * 65}, [invalid("/players/1", most=64)]),
    "a player with a tab": ({"/players/1": "a\tb"}, [invalid("/players/1", character="U+0009")]),
    "rounds 0": ({"/rounds": 0}, [invalid("/rounds", least=1, most=1000)]),
    "rounds 1001": ({"/rounds": 1001}, [invalid("/rounds", least=1, most=1000)]),
    "rounds a string": ({"/rounds": "5"}, [invalid("/rounds")]),
    "rounds true": ({"/rounds": True}, [invalid("/rounds")]),
    "rounds null": ({"/rounds": None}, [invalid("/rounds")]),
    "stake 0": ({"/stake": 0}, [invalid("/stake", least=1, most=10**12)]),
    "label null": ({"/label": None}, [invalid("/label")]),
    "label blank": ({"/label": ""}, [invalid("/label")]),
    "label too long": ({"/label": "x" * 201}, [invalid("/label", most=200)]),
    "label a number": ({"/label": 1}, [invalid("/label")]),
    "an unknown field": ({"/seats": SEATS}, [unknown("/seats")]),
    "an unknown rule set": (
        {"/ruleset": "nope"},
        [error("ruleset_unknown", "/ruleset", ruleset="nope")],
    ),
    "a rule set without points": (
        {"/ruleset": "gratis"},
        [error("ruleset_without_points", "/ruleset", ruleset="gratis")],
    ),
    "a list for the document": ({"": []}, [invalid("")]),
    "everything wrong": (
        {"/players": ["a", "a"], "/ruleset": "nope", "/rounds": 0, "/stake": "1", "/label": "", "/x": 1},
        [
            error("player_duplicate", "/players/1", other="/players/0"),
            error("ruleset_unknown", "/ruleset", ruleset="nope"),
            invalid("/rounds", least=1, most=1000),
            invalid("/stake"),
            invalid("/label"),
            unknown("/x"),
        ],
    ),
}


@pytest.mark.parametrize(("changes", "errors"), MATCH_CASES.values(), ids=MATCH_CASES)
def test_wrong_matches_are_reported(
    client: FlaskClient, stored: Any, changes: dict[str, Any], errors: list[dict[str, Any]]
) -> None:
    assert_invalid(client.post("/v1/matches", json=change(MATCH, changes)), "invalid-request", *errors)
    assert stored() == 0
