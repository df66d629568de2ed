"""Matches: opened, played round by round, finished, with standings that follow."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest
from flask.testing import FlaskClient

from service.rules.ruleset import BUILT_IN
from tests.api.requests import PLAYERS, ROUND, SIX_PAIRS, assert_problem, post_round

OpenMatch = Callable[..., dict[str, Any]]


def read(client: FlaskClient, match: dict[str, Any]) -> dict[str, Any]:
    response = client.get(f"/v1/matches/{match['id']}")
    assert response.status_code == 200
    found: dict[str, Any] = response.get_json()
    return found


def play(client: FlaskClient, match: dict[str, Any], seats: Any = None, **more: Any) -> dict[str, Any]:
    return post_round(
        client, f"/v1/matches/{match['id']}/rounds", {"seats": seats or ROUND["seats"], **more}
    )


def test_a_match_opens_with_everything_pinned(
    client: FlaskClient, open_match: OpenMatch, stored: Any
) -> None:
    match = open_match(ruleset="bsfyi", rounds=3, stake=50, label="Meja 1: final")
    assert {name: match[name] for name in match if name not in ("id", "created_at")} == {
        "label": "Meja 1: final",
        "ruleset": {"id": "bsfyi", "version": 1, "digest": BUILT_IN["bsfyi"].digest},
        "stake": 50,
        "tournament": None,
        "stage": None,
        "table": None,
        "players": ["andi", "budi"],
        "withdrawn": [],
        "rounds": 3,
        "rounds_played": 0,
        "status": "open",
        "standings": [
            {
                "place": 1,
                "player": player,
                "points": 0,
                "adjustments": 0,
                "money": {"won": 0, "fee": 0, "net": 0},
            }
            for player in PLAYERS
        ],
        "adjustments": [],
        "created_by": "test",
        "finished_at": None,
        "finish_reason": None,
        "version": 1,
        "digest": None,
    }
    assert UUID(match["id"]).version == 7
    created = datetime.strptime(match["created_at"], "%Y-%m-%dT%H:%M:%S.%fZ").replace(tzinfo=UTC)
    assert abs(datetime.now(UTC) - created) < timedelta(minutes=1)
    assert read(client, match) == match
    assert stored("matches") == 1 and stored("match_players") == 2


def test_location_leads_to_the_match(client: FlaskClient) -> None:
    response = client.post("/v1/matches", json={"players": ["a", "b", "c", "d"]})
    assert response.status_code == 201
    assert response.headers["Location"] == f"/v1/matches/{response.get_json()['id']}"
    assert client.get(response.headers["Location"]).get_json() == response.get_json()


@pytest.mark.parametrize(
    ("document", "expected"),
    [
        ({}, ("bsfyi", 1, 10)),
        ({"ruleset": "toto"}, ("panduan", 1, 10)),
        ({"ruleset": {"id": "bsfyi", "version": 1}, "rounds": 5}, ("bsfyi", 1, 5)),
        ({"rounds": 1}, ("bsfyi", 1, 1)),
        ({"rounds": 1000}, ("bsfyi", 1, 1000)),
    ],
    ids=str,
)
def test_what_is_left_out_follows_the_rule_set(
    open_match: OpenMatch, document: dict[str, Any], expected: tuple[str, int, int]
) -> None:
    match = open_match(**document)
    assert (match["ruleset"]["id"], match["ruleset"]["version"], match["rounds"]) == expected
    assert match["stake"] is match["label"] is None
    assert all("money" not in line for line in match["standings"])


@pytest.mark.parametrize("players", [["a", "b"], ["c", "b", "a"], ["d", "a", "c", "b"]], ids="".join)
def test_players_keep_their_order(
    client: FlaskClient, open_match: OpenMatch, players: list[str]
) -> None:
    assert read(client, open_match(players=players))["players"] == players


def test_rounds_are_numbered_and_the_last_finishes_the_match(
    client: FlaskClient, open_match: OpenMatch
) -> None:
    match = open_match(rounds=2)
    first = play(client, match)
    assert (first["match"], first["number"]) == (match["id"], 1)
    halfway = read(client, match)
    assert (halfway["status"], halfway["rounds_played"], halfway["finished_at"]) == ("open", 1, None)
    last = play(client, match)
    assert last["number"] == 2
    end = read(client, match)
    assert (end["status"], end["rounds_played"]) == ("finished", 2)
    assert end["finished_at"] == last["submitted_at"]
    assert end["standings"] == [
        {"place": 1, "player": "andi", "points": 44, "adjustments": 0},
        {"place": 2, "player": "budi", "points": -44, "adjustments": 0},
    ]


def test_a_finished_match_takes_no_more(client: FlaskClient, open_match: OpenMatch, stored: Any) -> None:
    match = open_match(rounds=1)
    play(client, match)
    before, counted = read(client, match), stored()
    for extra in ({}, {"number": 1}, {"number": 2}):
        response = client.post(f"/v1/matches/{match['id']}/rounds", json={**ROUND, **extra})
        assert_problem(response, 409, "match-finished")
        assert response.get_json()["rounds"] == 1
    assert (read(client, match), stored()) == (before, counted)


@pytest.mark.parametrize("number", [1, 3, 1000])
def test_a_number_that_is_not_the_next_is_refused(
    client: FlaskClient, open_match: OpenMatch, stored: Any, number: int
) -> None:
    match = open_match()
    play(client, match, number=1)
    before, counted = read(client, match), stored()
    response = client.post(f"/v1/matches/{match['id']}/rounds", json={**ROUND, "number": number})
    assert_problem(response, 409, "round-number-taken")
    assert (response.get_json()["next"], response.get_json()["number"]) == (2, number)
    assert (read(client, match), stored()) == (before, counted)
    assert play(client, match, number=2)["number"] == 2


def test_a_wrong_round_is_refused_though_the_match_is_finished(
    client: FlaskClient, open_match: OpenMatch
) -> None:
    match = open_match(rounds=1)
    play(client, match)
    response = client.post(f"/v1/matches/{match['id']}/rounds", json={"seats": []})
    assert_problem(response, 422, "invalid-round")


def test_players_may_sit_in_any_order(client: FlaskClient, open_match: OpenMatch) -> None:
    match = open_match()
    kept = play(client, match, ROUND["seats"][::-1])
    assert [seat["player"] for seat in kept["seats"]] == ["budi", "andi"]
    assert read(client, match)["standings"][0] == {
        "place": 1,
        "player": "andi",
        "points": 22,
        "adjustments": 0,
    }
    assert read(client, match)["players"] == ["andi", "budi"]


def test_rounds_are_scored_under_the_rule_set_and_stake_of_the_match(
    client: FlaskClient, open_match: OpenMatch
) -> None:
    match = open_match(ruleset="panduan", stake=7)
    kept = play(client, match)
    assert (kept["ruleset"], kept["stake"]) == ({"id": "panduan", "version": 1}, 7)
    play(client, match)
    # 16 points of 7 are 112 a round, of which 3 % rounded down are 3: the fee is of each round.
    assert kept["seats"][0]["money"] == {"won": 112, "fee": 3, "net": 109}
    assert read(client, match)["standings"] == [
        {
            "place": 1,
            "player": "andi",
            "points": 32,
            "adjustments": 0,
            "money": {"won": 224, "fee": 6, "net": 218},
        },
        {
            "place": 2,
            "player": "budi",
            "points": -32,
            "adjustments": 0,
            "money": {"won": -224, "fee": 0, "net": -224},
        },
    ]


def test_equal_points_share_the_place(client: FlaskClient, open_match: OpenMatch) -> None:
    """Two declare the same special, and a third pays both: places 1, 1, 3."""
    match = open_match(players=["cici", "andi", "budi"])
    other_six_pairs = "2d 2c 3d 3c 4d 4c 5d 5c 6d 6c 7d 7c 8d"
    seats = [
        {"player": "andi", "declare": "six_pairs", "cards": SIX_PAIRS},
        {"player": "budi", "declare": "six_pairs", "cards": other_six_pairs},
        {"player": "cici", "top": "9s 9h Ks", "middle": "Ts Th Jd Jc 9d", "bottom": "As Ah Ac Ad Kh"},
    ]
    kept = play(client, match, seats)
    assert [duel["outcome"] for duel in kept["duels"]] == ["special_tie", "special", "special"]
    standings = read(client, match)["standings"]
    assert [(line["place"], line["player"], line["points"]) for line in standings] == [
        (1, "andi", 3),
        (1, "budi", 3),
        (3, "cici", -6),
    ]


def test_everybody_shares_the_first_place_at_the_start(open_match: OpenMatch) -> None:
    match = open_match(players=list("dcba"))
    assert [(line["place"], line["player"]) for line in match["standings"]] == [(1, p) for p in "dcba"]


def test_the_rounds_of_a_match_are_listed_newest_first(
    client: FlaskClient, open_match: OpenMatch
) -> None:
    match, other = open_match(), open_match()
    kept = [play(client, match) for _ in range(3)]
    play(client, other)
    post_round(client)
    listed = client.get(f"/v1/matches/{match['id']}/rounds").get_json()
    assert listed == {"items": kept[::-1], "next_cursor": None}
    filtered = client.get(f"/v1/rounds?match={match['id']}").get_json()
    assert filtered == listed


def test_matches_are_listed_newest_first_and_by_player(
    client: FlaskClient, open_match: OpenMatch
) -> None:
    made = [open_match(players=players) for players in (["a", "b"], ["b", "c"], ["c", "a"])]
    assert client.get("/v1/matches").get_json()["items"] == made[::-1]
    assert client.get("/v1/matches?player=a").get_json()["items"] == [made[2], made[0]]
    assert client.get("/v1/matches?player=A").get_json()["items"] == []


def test_who_opened_a_match_is_kept(client_with: Callable[..., FlaskClient]) -> None:
    response = client_with("write", name="Meja 7").post("/v1/matches", json={"players": ["a", "b"]})
    assert response.get_json()["created_by"] == "Meja 7"
