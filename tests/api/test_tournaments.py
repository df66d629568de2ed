"""Tournaments on the wire: an evening from registering to the end, its seating and standings."""

import csv
from collections.abc import Callable
from io import StringIO
from typing import Any

import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from service.rules.ruleset import BUILT_IN
from service.tournaments.seating import seat_random
from tests.api.directing import PATH, SIX, seats_of
from tests.api.requests import assert_invalid, assert_problem, error, invalid, post_round

# --- an evening --------------------------------------------------------------------------------------


def test_it_opens_with_everything_pinned(client: FlaskClient, direct: Any) -> None:
    opened = direct(stake=500, prizes=[100, 50], rank_by="placings", seating="spread").opened
    assert {name: opened[name] for name in opened if name not in ("id", "created_at")} == {
        "name": "Jumat",
        "ruleset": {"id": "bsfyi", "version": 1, "digest": BUILT_IN["bsfyi"].digest},
        "stake": 500,
        "table_size": 4,
        "stages": 3,
        "rounds": 1,
        "seating": "spread",
        "seed": 7,
        "rank_by": "placings",
        "prizes": [100, 50],
        "status": "registering",
        "stage": 0,
        "open_matches": 0,
        "entered": 6,
        "withdrawn": 0,
        "created_by": "test",
        "finished_at": None,
        "finished_by": None,
        "finish_reason": None,
        "version": 2,
    }
    assert client.get(f"{PATH}/{opened['id']}").get_json() == opened


def test_what_is_left_out_has_defaults(client: FlaskClient) -> None:
    response = client.post(PATH, json={"name": "Jumat", "stages": 2})
    assert response.status_code == 201
    opened = response.get_json()
    shown = [opened[name] for name in ("table_size", "rounds", "seating", "rank_by", "stake", "entered")]
    assert shown == [4, BUILT_IN["bsfyi"].rounds[0], "random", "points", None, 0]
    other = client.post(PATH, json={"name": "Jumat", "stages": 2}).get_json()
    assert opened["seed"] != other["seed"]


def test_an_evening_from_registering_to_the_end(client: FlaskClient, direct: Any) -> None:
    evening = direct(stages=2, ruleset="panduan", stake=1000)
    stage = evening.seat()
    assert [table["players"] for table in stage["tables"]] == seat_random(SIX, 4, 7, 1)
    assert [table["table"] for table in stage["tables"]] == [1, 2]
    assert evening.get()["status"] == "stage_open"
    for table in stage["tables"]:
        kept = post_round(
            client, f"/v1/matches/{table['match']}/rounds", {"seats": seats_of(*table["players"])}
        )
        assert kept["match"] == table["match"]
    state = evening.get()
    assert (state["status"], state["open_matches"], state["stage"]) == ("stage_done", 0, 1)
    told = evening.get("/stages/1")
    assert told["status"] == "done"
    assert [(t["status"], t["rounds_played"]) for t in told["tables"]] == [("finished", 1)] * 2
    # Both tables were dealt the same cards.
    lines = evening.get("/standings")["items"]
    assert [(item["place"], item["tied"]) for item in lines] == [
        (1, True),
        (1, True),
        (3, True),
        (3, True),
        (5, True),
        (5, True),
    ]
    assert {item["player"] for item in lines[:2]} == {t["players"][0] for t in stage["tables"]}
    assert [item["placings"] for item in lines] == [3, 3, 2, 2, 1, 1]
    assert [item["wins"] for item in lines] == [1, 1, 0, 0, 0, 0]
    assert [item["opponents"] for item in lines] == [2] * 6
    assert sum(item["points"] for item in lines) == 0
    assert all(i["money"]["net"] == i["money"]["won"] - i["money"]["fee"] for i in lines)
    assert evening.seat()["stage"] == 2
    assert evening.standings("?stage=2")["andi"]["rounds"] == 0
    assert evening.standings()["andi"]["rounds"] == 1
    evening.end(evening.get("/stages/2"))
    over = evening.post("finish").get_json()
    assert (over["status"], over["finished_by"], over["finish_reason"]) == ("finished", "test", None)
    kinds = [event["kind"] for event in evening.events()]
    assert kinds == ["finished", "seated", "seated", *["entered"] * 6, "opened"]
    audit = evening.get("/audit")
    assert audit == {"ok": True, "matches": 4, "findings": []}


def test_a_stage_is_made_of_ordinary_matches(client: FlaskClient, direct: Any) -> None:
    evening = direct()
    one, other = evening.seat()["tables"]
    match = client.get(f"/v1/matches/{one['match']}").get_json()
    assert (match["tournament"], match["stage"], match["table"]) == (evening.opened["id"], 1, 1)
    assert (match["label"], match["players"], match["rounds"]) == ("Jumat", one["players"], 1)
    alone = client.post("/v1/matches", json={"players": ["andi", "budi"]}).get_json()
    assert (alone["tournament"], alone["stage"], alone["table"]) == (None, None, None)
    kept = post_round(
        client, f"/v1/matches/{other['match']}/rounds", {"seats": seats_of(*other["players"])}
    )
    post_round(client)
    query = f"tournament={evening.opened['id']}"
    found = client.get(f"/v1/matches?{query}").get_json()["items"]
    assert {item["id"] for item in found} == {one["match"], other["match"]}
    assert client.get(f"/v1/matches?{query}&status=open").get_json()["items"] == [match]
    found = client.get(f"/v1/rounds?{query}").get_json()["items"]
    assert [item["id"] for item in found] == [kept["id"]]
    player = other["players"][0]
    found = client.get(f"/v1/players/{player}/rounds?{query}").get_json()["items"]
    assert [item["id"] for item in found] == [kept["id"]]
    assert client.get(f"/v1/matches/{other['match']}/audit").get_json()["ok"]


def test_lists_have_pages_and_filters(client: FlaskClient, direct: Any) -> None:
    opened = [direct().opened["id"] for _ in range(3)]
    direct().seat()
    page = client.get(f"{PATH}?status=registering&limit=2")
    assert [item["id"] for item in page.get_json()["items"]] == opened[:0:-1]
    (rest,) = client.get(page.headers["Link"][1:].split(">")[0]).get_json()["items"]
    assert rest["id"] == opened[0]
    assert client.get(f"{PATH}?until=2020-01-01T00:00:00Z").get_json()["items"] == []
    assert len(client.get(f"{PATH}?since=2020-01-01T00:00:00Z").get_json()["items"]) == 4
    wrong = client.get(f"{PATH}?cursor={page.get_json()['next_cursor']}")
    assert_invalid(wrong, "invalid-request", invalid("", parameter="cursor"))


# --- standings ---------------------------------------------------------------------------------------


def test_a_304_until_something_changes(client: FlaskClient, direct: Any) -> None:
    evening = direct(stages=2)
    stage = evening.seat()
    path, match = f"{evening.path}/standings", stage["tables"][0]["match"]
    players = stage["tables"][0]["players"]

    def changed(tag: str | None) -> str | None:
        """The new tag, if the standings and the state are others."""
        answers = [
            client.get(address, headers={"If-None-Match": tag or ""})
            for address in (path, evening.path, f"{evening.path}/stages/1")
        ]
        assert len({answer.status_code for answer in answers}) == 1
        return answers[0].headers["ETag"] if answers[0].status_code == 200 else None

    tag = changed(None)
    assert tag and changed(tag) is None
    kept = post_round(client, f"/v1/matches/{match}/rounds", {"seats": seats_of(*players)})
    adjusted = {"player": players[0], "points": -1, "reason": "late"}
    changes: dict[str, Callable[[], TestResponse]] = {
        "the round": lambda: client.get("/livez"),
        "a correction": lambda: client.post(
            f"/v1/rounds/{kept['id']}/corrections",
            json={"reason": "swapped", "seats": seats_of(*reversed(players))},
            headers={"If-Match": "*"},
        ),
        "a void": lambda: client.post(f"/v1/rounds/{kept['id']}/void", json={"reason": "misdeal"}),
        "a match adjusted": lambda: client.post(f"/v1/matches/{match}/adjustments", json=adjusted),
        "an adjustment": lambda: evening.post("adjustments", **adjusted),
        "a late entry": lambda: evening.post("players", players=["gita"]),
        "a withdrawal": lambda: evening.post("withdrawals", player="gita", reason="changed her mind"),
        "a match finished": lambda: client.post(
            f"/v1/matches/{stage['tables'][1]['match']}/finish", json={"reason": "closing time"}
        ),
        "the end": lambda: evening.post("finish", reason="closing time"),
    }
    for change in changes.values():
        assert change().status_code in (200, 201)
        tag = changed(tag)
        assert tag
    assert changed(tag) is None
    of_stage = client.get(f"{path}?stage=1")
    assert client.get(f"{path}?stage=1", headers={"If-None-Match": tag}).status_code == 304
    assert of_stage.get_json()["stage"] == 1


def test_standings_as_csv(client: FlaskClient, direct: Any) -> None:
    evening = direct(players=["=1+1", *SIX[:2]], stake=10, prizes=[7])
    response = client.get(f"{evening.path}/standings", headers={"Accept": "text/csv"})
    assert response.content_type == "text/csv; charset=utf-8"
    lines = list(csv.DictReader(StringIO(response.data.decode("utf-8-sig"))))
    assert sorted(line["player"] for line in lines) == ["'=1+1", "andi", "budi"]
    assert sum(int(line["prize"]) for line in lines) == 7
    tag = response.headers["ETag"]
    assert "Accept" in response.headers["Vary"]
    for accept, status in (("text/csv", 304), ("application/json", 200)):
        headers = {"Accept": accept, "If-None-Match": tag}
        assert client.get(f"{evening.path}/standings", headers=headers).status_code == status
    refused = client.get(f"{evening.path}/standings", headers={"Accept": "image/png"})
    assert_problem(refused, 406, "not-acceptable")


def test_the_standings_of_a_stage_that_is_not_seated_are_none(client: FlaskClient, direct: Any) -> None:
    evening = direct()
    evening.seat()
    for below in ("/standings?stage=2", "/stages/2", "/stages/0", "/stages/x", "/stages/99999"):
        assert_problem(client.get(f"{evening.path}{below}"), 404, "not-found")
    for below in ("/standings?stage=2", "/stages/2"):
        told = client.get(f"{evening.path}{below}").get_json()
        assert (told["stage"], told["seated"]) == (2, 1)
        assert told["detail"] == "stage 2 has not been seated; so far there are 1"
    for stage in (5_000, 2**31 - 1):
        assert client.get(f"{evening.path}/standings?stage={stage}").get_json()["stage"] == stage
    assert_problem(client.get(f"{evening.path}/standings?stage={10**19}"), 404, "not-found")


def test_a_version_of_a_rule_set_is_none_however_large(client: FlaskClient) -> None:
    for version in (2, 1_000_001, 2**31 - 1, 2**31, 10**19):
        assert_problem(client.get(f"/v1/rulesets/bsfyi?version={version}"), 404, "not-found")


def test_a_correction_changes_standings_and_no_seating(client: FlaskClient, direct: Any) -> None:
    evening = direct(seating="standings", players=SIX[:4], table_size=2)
    first = evening.seat()
    kept = [
        post_round(client, f"/v1/matches/{t['match']}/rounds", {"seats": seats_of(*t["players"])})
        for t in first["tables"]
    ]
    second = evening.seat()
    before = evening.standings()
    winner, loser = first["tables"][0]["players"]
    response = client.post(
        f"/v1/rounds/{kept[0]['id']}/corrections",
        json={"reason": "swapped", "seats": seats_of(loser, winner)},
        headers={"If-Match": "*"},
    )
    assert response.status_code == 201
    after = evening.standings()
    assert after[winner]["points"] == -before[winner]["points"] != 0
    assert (after[winner]["wins"], after[loser]["wins"]) == (0, 1)
    assert evening.get("/stages/2") == second
    client.post(f"/v1/rounds/{kept[0]['id']}/void", json={"reason": "misdeal"})
    void = evening.standings()[winner]
    assert (void["rounds"], void["matches"], void["placings"], void["points"]) == (0, 0, 0, 0)
    assert evening.get("/audit")["ok"]


# --- seating -----------------------------------------------------------------------------------------


def test_the_director_may_give_the_tables(direct: Any) -> None:
    evening = direct()
    tables = [["fajar", "andi"], ["cici", "budi", "eka", "dewi"]]
    stage = evening.seat(*tables)
    assert [table["players"] for table in stage["tables"]] == tables
    assert (stage["seating"], stage["repeated_meetings"]) == ("given", 0)
    evening.end(stage)
    assert evening.seat(*tables)["repeated_meetings"] == 7


def test_everything_that_is_wrong_with_given_tables_is_told(direct: Any, stored: Any) -> None:
    evening = direct()
    evening.post("withdrawals", player="fajar", reason="ill")
    response = evening.post("stages", tables=[["andi"], ["budi", "zoe", "andi", "fajar"]])
    assert_invalid(
        response,
        "invalid-request",
        error("table_size", "/tables/0", least=2, most=4, got=1),
        error("player_not_in_tournament", "/tables/1/1"),
        error("player_duplicate", "/tables/1/2", other="/tables/0/0"),
        error("player_not_in_tournament", "/tables/1/3"),
        *(error("player_unseated", "/tables", player=player) for player in ("cici", "dewi", "eka")),
    )
    assert stored("matches") == 0
    wrong = evening.post("stages", tables=["andi", ["", 7]])
    assert_invalid(
        wrong, "invalid-request", *(invalid(p) for p in ("/tables/0", "/tables/1/0", "/tables/1/1"))
    )


@pytest.mark.parametrize("seating", ["random", "standings", "spread"])
def test_the_same_seed_seats_the_same(direct: Any, seating: str) -> None:
    players = [f"player {number}" for number in range(23)]

    def seatings(seed: int, order: int) -> list[Any]:
        evening = direct(players=players[::order], seating=seating, seed=seed)
        found = []
        for _ in range(3):
            stage = evening.seat()
            evening.end(stage)
            found.append([table["players"] for table in stage["tables"]])
        return found

    one = seatings(5, 1)
    assert one == seatings(5, -1)
    assert one != seatings(6, 1)
    assert [len(table) for table in one[0]] == [4, 4, 4, 4, 4, 3]


def test_standings_seat_neighbours_together(client: FlaskClient, direct: Any) -> None:
    evening = direct(seating="standings", table_size=2)
    for table in evening.seat()["tables"]:
        post_round(
            client, f"/v1/matches/{table['match']}/rounds", {"seats": seats_of(*table["players"])}
        )
    places = {player: line["place"] for player, line in evening.standings().items()}
    together = [{places[player] for player in t["players"]} for t in evening.seat()["tables"]]
    # Three have won and three have lost: two winners meet, then one of each, then two losers.
    assert together == [{1}, {1, 4}, {4}]
