"""Who enters, leaves and comes back in a tournament, and every wrong move, on the wire."""

from typing import Any

import pytest
from flask.testing import FlaskClient

from schemas.tournaments import MOST_BYTES
from service.tournaments.store import MOST_PLAYERS
from tests.api.directing import PATH, SIX, seats_of
from tests.api.requests import (
    ROUND,
    assert_invalid,
    assert_problem,
    error,
    invalid,
    missing,
    post_round,
    unknown,
)

NOTHING = "01890a5d-ac96-774b-bcce-b302099a8057"

# --- people ------------------------------------------------------------------------------------------


def test_late_entries_play_from_the_next_stage_on(direct: Any) -> None:
    evening = direct()
    first = evening.seat()
    answer = evening.post("players", players=["gita", "hadi"], reason="the train was late")
    assert (answer.status_code, answer.get_json()["entered"]) == (201, 8)
    assert evening.get("/stages/1") == first
    assert evening.standings()["gita"]["rounds"] == 0
    assert "gita" not in evening.standings("?stage=1")
    evening.end(first)
    seated = {player for table in evening.seat()["tables"] for player in table["players"]}
    assert seated == {*SIX, "gita", "hadi"}
    late = {item["player"]: item for item in evening.get("/players")["items"]}["gita"]
    assert (late["first_stage"], late["entered_by"]) == (2, "test")
    event = evening.events("?kind=entered&player=gita")[0]
    assert (event["stage"], event["reason"]) == (1, "the train was late")


def test_who_leaves_keeps_the_points_and_the_table_plays_on_short(
    client: FlaskClient, direct: Any
) -> None:
    evening = direct(rounds=2)
    table = evening.seat()["tables"][0]
    path, (first, second, gone) = f"/v1/matches/{table['match']}", table["players"]
    post_round(client, f"{path}/rounds", {"seats": seats_of(first, second, gone)})
    short = {"seats": seats_of(first, second)}
    refused = client.post(f"{path}/rounds", json=short)
    assert_invalid(refused, "invalid-round", error("player_absent", "/seats", player=gone))
    answer = evening.post("withdrawals", player=gone, reason="the last bus")
    assert (answer.status_code, answer.get_json()["withdrawn"]) == (201, 1)
    assert client.get(path).get_json()["withdrawn"] == [gone]
    post_round(client, f"{path}/rounds", short)
    line = evening.standings()[gone]
    assert (line["rounds"], line["opponents"], line["withdrawn"]) == (1, 2, True)
    assert line["points"] < 0 and line["matches"] == 1
    evening.end(evening.get("/stages/1"))
    second_stage = evening.seat()
    assert gone not in {player for t in second_stage["tables"] for player in t["players"]}
    (event,) = evening.events("?kind=withdrawn")
    assert (event["player"], event["reason"], event["created_by"]) == (gone, "the last bus", "test")
    (left,) = evening.get("/players?withdrawn=true")["items"]
    assert (left["player"], left["withdraw_reason"]) == (gone, "the last bus")
    assert evening.get("/audit")["ok"]


def test_others_of_the_table_still_have_to_be_there(client: FlaskClient, direct: Any) -> None:
    evening = direct(players=SIX[:4], rounds=3)
    match = evening.seat()["tables"][0]["match"]
    evening.post("withdrawals", player="dewi", reason="ill")
    seats = [*seats_of("andi", "budi"), {**seats_of("x", "y", "zoe")[2]}]
    response = client.post(f"/v1/matches/{match}/rounds", json={"seats": seats})
    absent, stranger = (
        error("player_absent", "/seats", player="cici"),
        error("player_not_in_match", "/seats/2/player"),
    )
    assert_invalid(response, "invalid-round", absent, stranger)


def test_a_no_show_is_placed_nowhere(client: FlaskClient, direct: Any) -> None:
    evening = direct(players=SIX[:3])
    match = evening.seat(SIX[:3])["tables"][0]["match"]
    evening.post("withdrawals", player="cici", reason="never came")
    post_round(client, f"/v1/matches/{match}/rounds", {"seats": seats_of("andi", "budi")})
    lines = evening.standings()
    assert {player: line["placings"] for player, line in lines.items()} == {
        "andi": 2,
        "budi": 1,
        "cici": 0,
    }
    assert lines["cici"]["matches"] == 0


def test_who_has_left_may_come_back(client: FlaskClient, direct: Any) -> None:
    evening = direct(rounds=2)
    table = evening.seat()["tables"][0]
    gone = table["players"][2]
    evening.post("withdrawals", player=gone, reason="a mistake")
    answer = evening.post("players", players=[gone], reason="it was a mistake")
    assert (answer.status_code, answer.get_json()["withdrawn"]) == (201, 0)
    assert answer.get_json()["entered"] == 6
    assert client.get(f"/v1/matches/{table['match']}").get_json()["withdrawn"] == []
    kinds = [event["kind"] for event in evening.events(f"?player={gone}")]
    assert kinds == ["entered", "withdrawn", "entered"]


def test_adjustments_count_over_all_and_are_told(direct: Any) -> None:
    evening = direct()
    evening.seat()
    answer = evening.post("adjustments", player="andi", points=-3, reason="rude")
    assert answer.status_code == 201
    line = evening.standings()["andi"]
    assert (line["points"], line["adjustments"], line["place"]) == (-3, -3, 6)
    assert evening.standings("?stage=1")["andi"]["adjustments"] == 0
    (event,) = evening.events("?kind=adjusted")
    assert (event["player"], event["points"], event["reason"]) == ("andi", -3, "rude")


def test_players_who_cannot_be_entered_withdrawn_or_adjusted_are_named_all_at_once(direct: Any) -> None:
    evening = direct()
    assert_invalid(
        evening.post("players", players=["gita", "andi", "hadi", "budi"]),
        "invalid-request",
        error("player_entered", "/players/1"),
        error("player_entered", "/players/3"),
    )
    assert evening.get()["entered"] == 6
    stranger = error("player_not_in_tournament", "/player")
    refused = evening.post("withdrawals", player="zoe", reason="gone")
    assert_invalid(refused, "invalid-request", stranger)
    refused = evening.post("adjustments", player="zoe", points=1, reason="nice")
    assert_invalid(refused, "invalid-request", stranger)
    evening.post("withdrawals", player="andi", reason="gone")
    again = evening.post("withdrawals", player="andi", reason="gone")
    assert_problem(again, 409, "player-withdrawn")


# --- wrong moves -------------------------------------------------------------------------------------


def test_no_stage_while_a_match_is_open_and_the_answer_says_which(
    client: FlaskClient, direct: Any
) -> None:
    evening = direct()
    first, second = evening.seat()["tables"]
    client.post(f"/v1/matches/{first['match']}/finish", json={"reason": "closing time"})
    for move in ("stages", "finish"):
        response = evening.post(move)
        assert_problem(response, 409, "stage-open")
        body = response.get_json()
        assert (body["stage"], body["count"]) == (1, 1)
        assert body["open"] == [{"table": 2, "match": second["match"]}]
    assert evening.get()["stage"] == 1


def test_after_the_last_stage_nobody_is_seated_or_enters(direct: Any) -> None:
    evening = direct(stages=1)
    stage = evening.seat()
    assert_problem(evening.post("players", players=["gita"]), 409, "no-stage-left")
    evening.end(stage)
    assert_problem(evening.post("stages"), 409, "no-stage-left")


def test_who_left_by_mistake_comes_back_to_their_seat_in_the_last_stage_too(direct: Any) -> None:
    evening = direct(stages=1)
    evening.seat()
    assert evening.post("withdrawals", player="dewi", reason="wrong name").status_code == 201
    assert_problem(evening.post("players", players=["dewi", "gita"]), 409, "no-stage-left")
    assert evening.standings()["dewi"]["withdrawn"] is True
    assert evening.post("players", players=["dewi"], reason="a mistake").status_code == 201
    assert evening.standings()["dewi"]["withdrawn"] is False
    (entered,) = [item for item in evening.get("/players")["items"] if item["player"] == "dewi"]
    assert (entered["first_stage"], entered["withdrawn_at"]) == (1, None)


def test_a_correction_seats_who_was_left_out_and_leaves_out_who_has_left(
    client: FlaskClient, direct: Any
) -> None:
    evening = direct(players=SIX[:3], rounds=2, stages=1)
    (table,) = evening.seat()["tables"]
    left, other, third = table["players"]
    assert evening.post("withdrawals", player=left, reason="wrong name").status_code == 201
    short = post_round(client, f"/v1/matches/{table['match']}/rounds", {"seats": seats_of(other, third)})

    def correct(*players: str) -> Any:
        return client.post(
            f"/v1/rounds/{short['id']}/corrections",
            json={"seats": seats_of(*players), "reason": "it was another"},
            headers={"If-Match": "*"},
        )

    assert correct(left, other, third).status_code == 201
    assert evening.standings()[left]["opponents"] == 2
    assert evening.post("players", players=[left], reason="a mistake").status_code == 201
    without = correct(other, third)
    assert {error["code"] for error in without.get_json()["errors"]} == {"player_absent"}
    assert evening.post("withdrawals", player=left, reason="the last bus").status_code == 201
    assert correct(other, third).status_code == 201
    client.post(f"/v1/matches/{table['match']}/finish", json={"reason": "closing time"})
    line = evening.standings()[left]
    assert (line["rounds"], line["opponents"], line["points"], line["placings"]) == (0, 0, 0, 0)
    assert {line["opponents"] for name, line in evening.standings().items() if name != left} == {1}
    assert client.get(f"/v1/players/{left}").get_json()["rounds"] == 0
    assert evening.get("/audit")["ok"]
    stranger = correct(other, "gita")
    assert "player_not_in_match" in {error["code"] for error in stranger.get_json()["errors"]}


def test_a_finished_tournament_takes_adjustments_and_corrections_only(
    client: FlaskClient, direct: Any
) -> None:
    evening = direct(stages=1, rounds=1)
    for table in evening.seat()["tables"]:
        kept = post_round(
            client, f"/v1/matches/{table['match']}/rounds", {"seats": seats_of(*table["players"])}
        )
    assert evening.post("finish").status_code == 200
    for move, document in {
        "stages": {},
        "players": {"players": ["gita"]},
        "withdrawals": {"player": "andi", "reason": "gone"},
        "finish": {},
    }.items():
        assert_problem(evening.post(move, **document), 409, "tournament-finished")
    before = evening.standings()
    assert evening.post("adjustments", player="andi", points=2, reason="protest").status_code == 201
    client.post(f"/v1/rounds/{kept['id']}/void", json={"reason": "protest"})
    after = evening.standings()
    assert after["andi"]["adjustments"] == before["andi"]["adjustments"] + 2
    assert sum(line["rounds"] for line in after.values()) == 3
    assert evening.get()["status"] == "finished"


def test_an_early_end_takes_a_reason(direct: Any) -> None:
    evening = direct()
    assert_invalid(evening.post("finish"), "invalid-request", missing("/reason"))
    over = evening.post("finish", reason="a power cut").get_json()
    assert (over["status"], over["finish_reason"]) == ("finished", "a power cut")


def test_a_stage_takes_two_players(direct: Any) -> None:
    evening = direct(players=["andi"])
    response = evening.post("stages")
    assert_problem(response, 409, "too-few-players")
    assert response.get_json()["players"] == 1
    evening.post("players", players=["budi"])
    assert evening.seat()["tables"][0]["players"] in (["andi", "budi"], ["budi", "andi"])


WRONG = {
    "nothing": ({}, [missing("/name"), missing("/stages")]),
    "unknown": ({"name": "x", "stages": 1, "sead": 1}, [unknown("/sead")]),
    "everything": (
        {
            "name": " ",
            "ruleset": "nope",
            "players": ["a", "b", "a", 7, ""],
            "table_size": 5,
            "stages": 0,
            "rounds": "1",
            "seating": "any",
            "seed": -1,
            "rank_by": "luck",
            "stake": 0,
            "prizes": [1, -1],
        },
        [
            invalid("/name"),
            error("ruleset_unknown", "/ruleset", ruleset="nope"),
            error("player_duplicate", "/players/2", other="/players/0"),
            invalid("/players/3"),
            invalid("/players/4"),
            invalid("/table_size", least=2, most=4),
            invalid("/stages", least=1, most=100),
            invalid("/rounds"),
            invalid("/seating", choices=["random", "standings", "spread"]),
            invalid("/seed", least=0, most=2**53 - 1),
            invalid("/rank_by", choices=["points", "points_per_opponent", "placings"]),
            invalid("/stake", least=1, most=10**12),
            invalid("/prizes/1", least=0, most=10**12),
        ],
    ),
    "no points": (
        {"name": "x", "stages": 1, "ruleset": "gratis"},
        [error("ruleset_without_points", "/ruleset", ruleset="gratis")],
    ),
    "too many prizes": (
        {"name": "x", "stages": 1, "prizes": [1] * 1001},
        [invalid("/prizes", most=1000)],
    ),
}


@pytest.mark.parametrize(("document", "errors"), WRONG.values(), ids=WRONG)
def test_what_is_wrong_about_a_tournament_is_told_at_once(
    client: FlaskClient, stored: Any, document: Any, errors: Any
) -> None:
    assert_invalid(client.post(PATH, json=document), "invalid-request", *errors)
    assert stored("tournaments", "tournament_events", "tournament_players") == 0


@pytest.mark.parametrize("move", ["players", "withdrawals", "stages", "adjustments", "finish"])
def test_what_is_not_there_cannot_be_moved(client: FlaskClient, move: str) -> None:
    assert_problem(client.post(f"{PATH}/{NOTHING}/{move}", json={}), 404, "not-found")


def test_a_move_sent_again_is_made_once(client: FlaskClient, direct: Any, stored: Any) -> None:
    evening = direct()
    key = {"Idempotency-Key": "stage-1"}
    one, again = (client.post(f"{evening.path}/stages", json={}, headers=key) for _ in range(2))
    assert (one.status_code, one.data) == (again.status_code, again.data)
    assert again.headers["Idempotency-Replayed"] == "true"
    assert stored("matches") == 2


def test_wrong_moves_are_told_in_indonesian(client: FlaskClient, direct: Any) -> None:
    evening = direct()
    evening.seat()
    response = client.post(
        f"{evening.path}/stages", json={}, headers={"Accept-Language": "id"}
    ).get_json()
    assert response["detail"] == "babak 1 masih berjalan: 2 pertandingannya belum selesai"


# --- many --------------------------------------------------------------------------------------------


def test_thousands_of_players_fit_into_a_body_and_more_do_not(client: FlaskClient, direct: Any) -> None:
    players = [f"{number:05} {'x' * 58}" for number in range(MOST_PLAYERS)]
    evening = direct(players=players)
    assert evening.opened["entered"] == MOST_PLAYERS
    refused = evening.post("players", players=["one more"])
    assert_problem(refused, 409, "too-many-players")
    response = client.post(PATH, json={"name": "x", "stages": 1, "players": [*players, "one more"]})
    counts = {"least": 0, "most": MOST_PLAYERS, "got": MOST_PLAYERS + 1}
    assert_invalid(response, "invalid-request", invalid("/players", **counts))
    large = client.post(PATH, data=" " * (MOST_BYTES + 1), content_type="application/json")
    assert_problem(large, 413, "payload-too-large")
    assert large.get_json()["most"] == MOST_BYTES
    # Other calls keep their limit.
    refused = client.post("/v1/rounds", data=" " * 70_000, content_type="application/json")
    assert_problem(refused, 413, "payload-too-large")
    assert post_round(client, document=ROUND)
