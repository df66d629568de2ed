"""Adjustments, matches ended early, players' totals."""

from collections.abc import Callable
from typing import Any

import pytest
from flask.testing import FlaskClient

from tests.api.requests import ROUND, SEATS

OpenMatch = Callable[..., dict[str, Any]]
NOTHING = "00000000-0000-7000-8000-000000000000"


def adjust(client: FlaskClient, match: dict[str, Any], **document: Any) -> Any:
    document = {"player": "budi", "points": 5, "reason": "host's gift", **document}
    return client.post(f"/v1/matches/{match['id']}/adjustments", json=document)


def test_adjustments_are_listed_apart_and_rounds_still_add_up_to_zero(
    client: FlaskClient, open_match: OpenMatch
) -> None:
    match = open_match()
    client.post(f"/v1/matches/{match['id']}/rounds", json={"seats": SEATS})
    adjust(client, match)
    after = adjust(client, match, player="andi", points=-30, reason="late").get_json()
    assert [(a["player"], a["points"], a["reason"], a["created_by"]) for a in after["adjustments"]] == [
        ("budi", 5, "host's gift", "test"),
        ("andi", -30, "late", "test"),
    ]
    assert [(s["place"], s["player"], s["points"], s["adjustments"]) for s in after["standings"]] == [
        (1, "andi", 22 - 30, -30),
        (2, "budi", -22 + 5, 5),
    ]
    assert sum(s["points"] - s["adjustments"] for s in after["standings"]) == 0
    assert after == client.get(f"/v1/matches/{match['id']}").get_json()
    assert client.get("/v1/players/andi").get_json()["points"] == 22


def test_a_finished_match_can_be_adjusted(client: FlaskClient, open_match: OpenMatch) -> None:
    match = open_match(rounds=1)
    client.post(f"/v1/matches/{match['id']}/rounds", json={"seats": SEATS})
    answer = adjust(client, match)
    assert (answer.status_code, answer.get_json()["status"]) == (201, "finished")


@pytest.mark.parametrize(
    ("document", "code", "pointer"),
    [
        ({"points": 0}, "field_invalid", "/points"),
        ({"points": 1.5}, "field_invalid", "/points"),
        ({"points": 10**7}, "field_invalid", "/points"),
        ({"reason": ""}, "field_invalid", "/reason"),
        ({"player": "cici"}, "player_not_in_match", "/player"),
        ({"why": "x"}, "field_unknown", "/why"),
    ],
    ids=str,
)
def test_a_wrong_adjustment_changes_nothing(
    client: FlaskClient, open_match: OpenMatch, stored: Any, document: Any, code: str, pointer: str
) -> None:
    match = open_match()
    answer = adjust(client, match, **document)
    (error,) = answer.get_json()["errors"]
    assert (answer.status_code, error["code"], error["pointer"]) == (422, code, pointer)
    assert stored("adjustments") == 0


def test_a_match_ended_early_takes_no_more_rounds(client: FlaskClient, open_match: OpenMatch) -> None:
    match = open_match(rounds=10)
    client.post(f"/v1/matches/{match['id']}/rounds", json={"seats": SEATS})
    finish = f"/v1/matches/{match['id']}/finish"
    ended = client.post(finish, json={"reason": "power cut"}).get_json()
    assert (ended["status"], ended["finish_reason"], ended["rounds_played"]) == (
        "finished",
        "power cut",
        1,
    )
    assert ended["finished_at"] is not None
    for path, document in (
        (f"/v1/matches/{match['id']}/rounds", {"seats": SEATS}),
        (finish, {"reason": "again"}),
    ):
        answer = client.post(path, json=document)
        assert (answer.status_code, answer.get_json()["type"]) == (409, "/problems/match-finished")


def test_players_totals_count_what_happened(client: FlaskClient, open_match: OpenMatch) -> None:
    client.post("/v1/rounds", json=ROUND)
    match = open_match()
    client.post(f"/v1/matches/{match['id']}/rounds", json={"seats": SEATS})
    foul = {"player": "budi", "top": "Qs Qh 5d", "middle": "8s 8h 3d 7c 6s", "bottom": "Tc 2c Th Jc Js"}
    dragon = {"player": "andi", "declare": "dragon", "cards": "2s 3h 4h 5s 6d 7h 8c 9c Ts Jh Qd Kc Ah"}
    client.post("/v1/rounds", json={"seats": [dragon, foul]})
    expected = {"matches": 1, "rounds": 3, "points": 22 + 22 + 13, "wins": 3, "fouls": 0, "sweeps": 2}
    found = client.get("/v1/players/andi").get_json()
    assert {name: found[name] for name in expected} == expected
    assert (found["specials"], found["clean_sweeps"]) == (1, 0)
    found = client.get("/v1/players/budi").get_json()
    assert (found["points"], found["wins"], found["fouls"]) == (-57, 0, 1)
    assert client.get("/v1/players/nobody").status_code == 404


@pytest.mark.parametrize("path", ["/v1/rounds/{round}", "/v1/matches/{match}", "/v1/players/andi"])
def test_what_a_reader_has_is_not_sent_again_until_it_changes(
    client: FlaskClient, open_match: OpenMatch, path: str
) -> None:
    match = open_match()
    kept = client.post(f"/v1/matches/{match['id']}/rounds", json={"seats": SEATS}).get_json()
    path = path.format(round=kept["id"], match=match["id"])
    first = client.get(path)
    tag = first.headers["ETag"]
    assert not tag.startswith("W/")
    known = client.get(path, headers={"If-None-Match": tag})
    assert (known.status_code, known.data, known.headers["ETag"]) == (304, b"", tag)
    other = client.get(path, headers={"If-None-Match": tag, "Accept-Language": "id"})
    assert other.status_code == 200
    client.post(f"/v1/rounds/{kept['id']}/void", json={"reason": "misdeal"})
    changed = client.get(path, headers={"If-None-Match": tag})
    assert (changed.status_code, changed.headers["ETag"] != tag) == (200, True)


def test_a_304_is_not_given_for_nothing(client: FlaskClient) -> None:
    for path in (f"/v1/rounds/{NOTHING}", f"/v1/matches/{NOTHING}", "/v1/players/nobody"):
        assert client.get(path, headers={"If-None-Match": "*"}).status_code == 404


def test_lists_can_be_narrowed_by_everything_documented(
    client: FlaskClient, open_match: OpenMatch
) -> None:
    match = open_match(ruleset="panduan", rounds=1)
    inside = client.post(f"/v1/matches/{match['id']}/rounds", json={"seats": SEATS}).get_json()
    outside = client.post("/v1/rounds", json=ROUND).get_json()
    client.post(f"/v1/rounds/{outside['id']}/void", json={"reason": "misdeal"})

    def ids(path: str) -> list[str]:
        return [item["id"] for item in client.get(path).get_json()["items"]]

    assert ids("/v1/rounds") == [outside["id"], inside["id"]]
    assert ids("/v1/rounds?ruleset=panduan") == ids(f"/v1/rounds?match={match['id']}") == [inside["id"]]
    assert ids("/v1/rounds?status=void") == ids("/v1/rounds?ruleset=bsfyi") == [outside["id"]]
    assert ids("/v1/rounds?since=2020-01-01T00:00:00Z") == [outside["id"], inside["id"]]
    assert ids("/v1/rounds?until=2020-01-01T00:00:00%2B07:00") == []
    assert ids(f"/v1/rounds?tournament={NOTHING}") == []
    assert ids("/v1/matches?status=finished&ruleset=panduan&player=andi") == [match["id"]]
    assert ids("/v1/matches?status=open") == ids("/v1/matches?since=2999-01-01T00:00:00Z") == []
    assert ids("/v1/players/andi/rounds?status=valid") == [inside["id"]]


@pytest.mark.parametrize(
    "path", ["/v1/rounds", "/v1/matches", "/v1/tournaments", "/v1/players/andi/rounds"]
)
@pytest.mark.parametrize("bound", ["since", "until"])
def test_times_may_lie_before_all_that_there_is_and_after(
    client: FlaskClient, path: str, bound: str
) -> None:
    assert client.post("/v1/rounds", json=ROUND).status_code == 201
    found = {}
    for moment in ("1970-01-01T00:00:00+23:59", "9999-12-31T23:59:59.999999-23:59"):
        answer = client.get(path, query_string={bound: moment})
        assert answer.status_code == 200, answer.text
        found[moment] = answer.get_json()["items"]
    everything = client.get(path).get_json()["items"]
    expected = [everything, []] if bound == "since" else [[], everything]
    assert list(found.values()) == expected


@pytest.mark.parametrize(
    "moment",
    ["2026-01-31", "yesterday", "2026-02-30T00:00:00Z", "2026-01-31T12:00:00", "0001-01-01T00:00:00Z"],
)
def test_a_time_must_be_a_time(client: FlaskClient, moment: str) -> None:
    answer = client.get("/v1/rounds", query_string={"since": moment})
    (error,) = answer.get_json()["errors"]
    assert (answer.status_code, error["parameter"]) == (422, "since")
