"""House rules posted: versions, refusals, and rounds that stay scored under theirs."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient

from service.example import ROUND

WARUNG = {
    "id": "warung",
    "title": "Warung Kopi",
    "base": "bsfyi",
    "sweep": {"factor": 1, "points": 3},
    "clean_sweep": None,
}


def test_posted_rules_hold_the_base_and_what_differs(client: FlaskClient) -> None:
    answer = client.post("/v1/rulesets", json=WARUNG)
    assert (answer.status_code, answer.headers["Location"]) == (201, "/v1/rulesets/warung?version=1")
    shown = client.get("/v1/rulesets/warung").get_json()
    assert shown == answer.get_json()
    assert shown["base"] == {"id": "bsfyi", "version": 1}
    assert shown["differs"] == {"sweep": {"factor": 1, "points": 3}, "clean_sweep": None}
    base = client.get("/v1/rulesets/bsfyi").get_json()["rules"]
    del base["clean_sweep"]
    assert shown["rules"] == {**base, "sweep": {"factor": 1, "points": 3}}
    assert "warung" in [item["id"] for item in client.get("/v1/rulesets").get_json()["items"]]


def test_what_the_newest_version_says_is_that_version_and_all_else_the_next(client: FlaskClient) -> None:
    changed = {**WARUNG, "id": "versions", "money": {"fee": 100}}
    versions = []
    for document in ({**WARUNG, "id": "versions"}, changed, changed, {**WARUNG, "id": "versions"}):
        answer = client.post("/v1/rulesets", json=document)
        versions.append((answer.status_code, answer.get_json()["version"]))
    assert versions == [(201, 1), (201, 2), (200, 2), (201, 3)]
    newest = client.get("/v1/rulesets/versions").get_json()
    assert (newest["version"], newest["rules"]["money"]) == (3, {"fee": 0})
    first = client.get("/v1/rulesets/versions?version=1").get_json()
    assert first["rules"]["money"] == {"fee": 0}
    assert client.get("/v1/rulesets/versions?version=4").status_code == 404


def test_many_who_post_at_once_get_versions_without_gaps(client: FlaskClient, app: Flask) -> None:
    def post(fee: int) -> int:
        key = client.environ_base["HTTP_AUTHORIZATION"]
        document = {**WARUNG, "id": "crowd", "money": {"fee": fee}}
        answer = app.test_client().post("/v1/rulesets", json=document, headers={"Authorization": key})
        version: int = answer.get_json()["version"]
        return version

    with ThreadPoolExecutor(8) as pool:
        assert sorted(pool.map(post, range(8))) == list(range(1, 9))


def test_rounds_and_matches_keep_the_version_they_began_with(client: FlaskClient) -> None:
    client.post("/v1/rulesets", json={**WARUNG, "id": "pinned"})
    match = client.post(
        "/v1/matches", json={"players": ["andi", "budi"], "ruleset": "pinned", "rounds": 2}
    ).get_json()
    client.post("/v1/rulesets", json={**WARUNG, "id": "pinned", "sweep": {"factor": 5, "points": 0}})
    seats = {"seats": ROUND["seats"]}
    kept = client.post(f"/v1/matches/{match['id']}/rounds", json=seats).get_json()
    assert kept["ruleset"] == {"id": "pinned", "version": 1}
    assert kept["seats"][0]["points"] == 1 + 3 + 7 + 3
    newest = client.post("/v1/score", json={**seats, "ruleset": "pinned"}).get_json()
    assert (newest["ruleset"]["version"], newest["seats"][0]["points"]) == (2, 5 * (1 + 3 + 7))
    exact = {**seats, "ruleset": {"id": "pinned", "version": 1}}
    assert client.post("/v1/score", json=exact).get_json()["seats"][0]["points"] == 14
    match = client.get(f"/v1/matches/{match['id']}").get_json()
    first = client.get("/v1/rulesets/pinned?version=1").get_json()
    assert match["ruleset"] == {"id": "pinned", "version": 1, "digest": first["digest"]}


REFUSED: dict[str, tuple[dict[str, Any], list[str]]] = {
    "negative points": ({"points": {"row": -1}}, ["/points/row"]),
    "too many points": ({"points": {"middle": {"flush": 1_001}}}, ["/points/middle/flush"]),
    "a negative bonus by rank": ({"points": {"top": {"pair": {"6": -1}}}}, ["/points/top/pair/6"]),
    "no rank": (
        {"points": {"top": {"pair": {"10": 1}}}},
        ["/points/top/pair/10"],
    ),
    "a flush on top": ({"points": {"top": {"flush": 4}}}, ["/points/top/flush"]),
    "no hand": ({"points": {"middle": {"flash": 4}}}, ["/points/middle/flash"]),
    "a suit missing": ({"comparison": {"suits": ["s", "h", "c"]}}, ["/comparison/suits"]),
    "a suit twice": ({"comparison": {"suits": ["s", "h", "c", "c"]}}, ["/comparison/suits"]),
    "an unknown special": (
        {"specials": {"ranking": [{"name": "royal_dragon", "points": 3}]}},
        ["/specials/ranking/0/name"],
    ),
    "a special twice": (
        {"specials": {"ranking": [{"name": "dragon", "points": 3}, {"name": "dragon", "points": 4}]}},
        ["/specials/ranking"],
    ),
    "a sweep of factor 0": ({"sweep": {"factor": 0}}, ["/sweep/factor"]),
    "a clean sweep without a sweep": ({"sweep": None}, ["/clean_sweep", "/foul/pays"]),
    "a foul that pays what is not there": ({"foul": {"pays": "nothing"}}, ["/foul/pays"]),
    "a foul's points that would not count": ({"foul": {"points": 6}}, ["/foul"]),
    "kickers before the pair": (
        {"comparison": {"hands": {"pair": ["kickers", "pair"]}}},
        ["/comparison/hands/pair"],
    ),
    "a hand left out": ({"comparison": {"hands": {"pair": None}}}, ["/comparison/hands/pair"]),
    "no place of the ace": ({"comparison": {"wheel": "middle"}}, ["/comparison/wheel"]),
    "suits in the order of rows but in no order": (
        {"comparison": {"suits": []}, "order": {"suits": True}},
        ["/order/suits"],
    ),
    "a number for a flag": ({"order": {"suits": 1}}, ["/order/suits"]),
    "a fee of more than all": ({"money": {"fee": 10_001}}, ["/money/fee"]),
    "a fraction": ({"money": {"fee": 2.5}}, ["/money/fee"]),
    "an unknown rule": ({"jokers": 2}, ["/jokers"]),
    "no rounds": ({"rounds": []}, ["/rounds"]),
    "sweeps without points": (
        {"points": None},
        ["/sweep", "/clean_sweep", "/foul", "/specials", "/money"],
    ),
    "another's id": ({"id": "toto"}, ["/id"]),
    "an id with spaces": ({"id": "Warung Kopi"}, ["/id"]),
    "no base": ({"base": "nowhere"}, ["/base"]),
    "several at once": (
        {"title": " ", "sweep": {"factor": 0}, "order": {"suits": "yes"}},
        ["/title", "/order/suits", "/sweep/factor"],
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_rules_that_make_no_sense_are_refused_with_their_places(
    name: str, client: FlaskClient, stored: Any
) -> None:
    changes, pointers = REFUSED[name]
    before = stored("rulesets")
    document = {"id": "senseless", "title": "x", "base": "bsfyi", **changes}
    answer = client.post("/v1/rulesets", json=document)
    assert answer.status_code == 422
    assert [error["pointer"] for error in answer.get_json()["errors"]] == pointers
    assert stored("rulesets") == before


def test_a_stake_that_no_total_could_hold_is_refused(client: FlaskClient) -> None:
    high = {"id": "high", "title": "High", "base": "bsfyi", "points": {"row": 1_000}}
    client.post("/v1/rulesets", json={**high, "sweep": {"factor": 20}})
    answer = client.post("/v1/score", json={**ROUND, "ruleset": "high", "stake": 10**12})
    (error,) = answer.get_json()["errors"]
    assert (answer.status_code, error["pointer"]) == (422, "/stake")
    answer = client.post("/v1/score", json={**ROUND, "ruleset": "high", "stake": error["most"]})
    assert answer.status_code == 200


def test_practice_rules_become_scoring_rules_by_adding_points(client: FlaskClient) -> None:
    rules = {
        "id": "gratis-plus",
        "title": "Gratis, with points",
        "base": "gratis",
        "points": {"row": 1, "bonuses": "instead", "factors": "all"},
        "foul": {"pays": "points", "points": 6},
    }
    assert client.post("/v1/rulesets", json=rules).status_code == 201
    answer = client.post("/v1/rounds", json={**ROUND, "ruleset": "gratis-plus"})
    assert answer.status_code == 201
    assert [seat["points"] for seat in answer.get_json()["seats"]] == [3, -3]
