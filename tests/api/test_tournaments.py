"""Tournaments on the wire: an evening from registering to the end, and every wrong move."""

import csv
from collections.abc import Callable
from io import StringIO
from typing import Any

import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from schemas.tournaments import MOST_BYTES
from service.rules.ruleset import BUILT_IN
from service.tournaments.seating import seat_random
from service.tournaments.store import MOST_PLAYERS
from tests.api.requests import (
    ANDI,
    BUDI,
    ROUND,
    assert_invalid,
    assert_problem,
    error,
    invalid,
    missing,
    post_round,
    unknown,
)

SIX = ["andi", "budi", "cici", "dewi", "eka", "fajar"]
NOTHING = "01890a5d-ac96-774b-bcce-b302099a8057"
PATH = "/v1/tournaments"

Answer = dict[str, Any]


class Director:
    """Runs a tournament."""

    def __init__(self, client: FlaskClient, **document: Any) -> None:
        self.client = client
        sent = {"name": "Jumat", "players": SIX, "stages": 3, "rounds": 1, "seed": 7, **document}
        response = client.post(PATH, json=sent)
        assert response.status_code == 201, response.text
        self.opened: Answer = response.get_json()
        self.path = response.headers["Location"]

    def post(self, below: str, **document: Any) -> TestResponse:
        return self.client.post(f"{self.path}/{below}", json=document)

    def get(self, below: str = "", **headers: str) -> Any:
        response = self.client.get(f"{self.path}{below}", headers=headers)
        assert response.status_code == 200, response.text
        return response.get_json()

    def seat(self, *tables: list[str]) -> Answer:
        response = self.post("stages", **({"tables": list(tables)} if tables else {}))
        assert response.status_code == 201, response.text
        stage: Answer = response.get_json()
        return stage

    def end(self, stage: Answer) -> None:
        """Finish all matches of a stage."""
        for table in stage["tables"]:
            path = f"/v1/matches/{table['match']}/finish"
            self.client.post(path, json={"reason": "closing time"})

    def standings(self, query: str = "") -> dict[str, Answer]:
        return {item["player"]: item for item in self.get(f"/standings{query}")["items"]}

    def events(self, query: str = "") -> list[Answer]:
        found: list[Answer] = self.get(f"/events{query}")["items"]
        return found


@pytest.fixture
def direct(client: FlaskClient) -> Callable[..., Director]:
    """Open a tournament of six, or as told."""
    return lambda **document: Director(client, **document)


def seats_of(*players: str) -> list[Answer]:
    """A round in which the first has the cards of andi, the second those of budi, and so on."""
    third = {"top": "Ts 5h 4d", "middle": "7h 7d 6s 5s 3s", "bottom": "6c 5c 4h 3h 2h"}
    cards = [ANDI, BUDI, third]
    return [{**rows, "player": player} for rows, player in zip(cards, players, strict=False)]


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
