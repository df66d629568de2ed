"""Lists of rounds as NDJSON and CSV: the same rounds, an end that can be told, nothing held for ever."""

import csv
import json
import logging
import time
from collections.abc import Callable, Iterator
from io import StringIO
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import text
from werkzeug.test import TestResponse

from service.api import streams
from service.database import Database, DatabaseAway
from service.record.export import COLUMNS, cell
from tests.api.requests import DRAGON, ROUND, assert_invalid, assert_problem, change, invalid, post_round
from tests.bulk import copy_rounds

JSON, NDJSON, CSV = "application/json", "application/x-ndjson", "text/csv"
PATHS = ("/v1/rounds", "/v1/matches/{match}/rounds", "/v1/players/andi/rounds")


def stream(client: FlaskClient, path: str, media_type: str = NDJSON, **headers: str) -> TestResponse:
    response = client.get(path, headers={"Accept": media_type, **headers})
    assert response.status_code == 200, response.text
    assert response.mimetype == media_type
    return response


def lines(response: TestResponse) -> list[dict[str, Any]]:
    """The rounds of NDJSON, after a look at its end."""
    assert response.data.endswith(b"\n")
    *found, end = map(json.loads, response.data.splitlines())
    assert end == {"end": True, "count": len(found)}
    return found


def rows(response: TestResponse) -> list[dict[str, str]]:
    """The seats of CSV, after a look at its beginning and end."""
    assert response.data.startswith(b"\xef\xbb\xbf")
    reader = csv.reader(StringIO(response.data.decode("utf-8-sig"), newline=""), strict=True)
    header, *found, end = reader
    assert header == list(COLUMNS)
    assert {len(row) for row in (*found, end)} == {len(header)}
    rounds = list(dict.fromkeys(row[0] for row in found))
    assert end[:2] == ["end", str(len(rounds))] and not any(end[2:])
    return [dict(zip(header, row, strict=True)) for row in found]


def ids(client: FlaskClient, path: str, media_type: str) -> list[str]:
    if media_type == NDJSON:
        return [item["id"] for item in lines(stream(client, path))]
    if media_type == CSV:
        return list(dict.fromkeys(row["round"] for row in rows(stream(client, path, CSV))))
    items = client.get(path).get_json()["items"]
    return [item["id"] for item in items]


def with_query(path: str, query: str) -> str:
    return path + ("&" if "?" in path else "?") + query


@pytest.fixture
def plain(app: Flask, client: FlaskClient) -> FlaskClient:
    """A client that leaves a stream to be read bit by bit."""
    app.test_client_class = FlaskClient
    plain = app.test_client()
    plain.environ_base["HTTP_AUTHORIZATION"] = client.environ_base["HTTP_AUTHORIZATION"]
    return plain


@pytest.fixture
def many(client: FlaskClient, database: Database) -> list[str]:
    """The ids of 300 rounds, newest first: more than a stream sends, or reads, at once."""
    copy_rounds(database, [post_round(client)["id"]], 299)
    return ids(client, "/v1/rounds", NDJSON)


@pytest.fixture
def nothing_held(app: Flask) -> Iterator[Callable[[], None]]:
    """Fails if a connection or a place for a stream is still held; also at the end of the test."""
    pool: Any = app.extensions["susun_database"].engine.pool

    def check() -> None:
        deadline = time.monotonic() + 3  # threads of earlier tests may be at their ends
        while pool.checkedout() and time.monotonic() < deadline:
            time.sleep(0.01)
        assert pool.checkedout() == 0
        assert streams._running._value == streams.MOST_STREAMS  # type: ignore[attr-defined]

    yield check
    check()


@pytest.fixture
def match(client: FlaskClient, open_match: Callable[..., Any]) -> str:
    """The id of a match with some rounds; there are others of the same players, one of them void."""
    match: str = open_match(rounds=100, stake=50)["id"]
    for _ in range(4):
        post_round(client, f"/v1/matches/{match}/rounds")
        post_round(client)
    last = post_round(client, "/v1/rounds", change(ROUND, {"/seats/0/player": "zara"}))
    assert client.post(f"/v1/rounds/{last['id']}/void", json={"reason": "misdeal"}).status_code == 201
    return match


# --- what is in it -----------------------------------------------------------------------------------


@pytest.mark.parametrize("language", ["en", "id"])
@pytest.mark.parametrize("path", PATHS)
def test_a_line_is_the_stored_round_with_its_cursor(
    client: FlaskClient, match: str, path: str, language: str
) -> None:
    spoken = {"Accept-Language": language}
    response = stream(client, path.format(match=match), **spoken)
    assert response.headers["Content-Language"] == language
    found = lines(response)
    assert found
    for line in found:
        cursor = line.pop("cursor")
        assert cursor and line == client.get(f"/v1/rounds/{line['id']}", headers=spoken).get_json()
    items = client.get(path.format(match=match), headers=spoken).get_json()["items"]
    assert found == items


SPECIAL = {"player": "citra", "declare": "dragon", "cards": DRAGON}
FOUL = {"player": "dédé", "top": "Js Jd 5h", "middle": "6s 6h 9d 8d 2h", "bottom": "Th Td 4d 4c 2c"}


@pytest.mark.parametrize(("language", "label"), [("en", "pair of jacks"), ("id", "pair jack")])
def test_csv_has_a_line_a_seat(client: FlaskClient, language: str, label: str) -> None:
    kept = post_round(client, "/v1/rounds", {"stake": 100, "seats": [SPECIAL, FOUL]})
    response = stream(client, "/v1/rounds", CSV, **{"Accept-Language": language})
    assert response.content_type == "text/csv; charset=utf-8"
    assert response.headers["Content-Disposition"] == 'attachment; filename="rounds.csv"'
    special, foul = rows(response)
    for place, (row, seat) in enumerate(zip((special, foul), kept["seats"], strict=True), 1):
        assert (row["round"], row["seat"], row["player"]) == (kept["id"], str(place), seat["player"])
        assert (row["match"], row["number"], row["reason"]) == ("", "", "")
        assert (row["revision"], row["status"]) == ("1", "valid")
        assert (row["ruleset"], row["ruleset_version"], row["stake"]) == ("bsfyi", "1", "100")
        assert (row["submitted_at"], row["submitted_by"]) == (kept["submitted_at"], "test")
        assert (row["sweeps"], row["clean_sweep"]) == (str(seat["sweeps"]), "false")
        assert int(row["points"]) == seat["points"]
        assert {name: int(row[name]) for name in ("won", "fee", "net")} == seat["money"]
    assert sorted((int(special["points"]), int(foul["points"]))) == [-13, 13]
    assert (special["special"], special["foul"], special["top"]) == ("dragon", "", "")
    assert special["cards"].split() == kept["request"]["seats"][0]["cards"]
    assert (foul["special"], foul["cards"], foul["foul"]) == ("", "", "top_over_middle")
    assert (foul["top"], foul["top_hand"], foul["top_label"]) == ("Js Jd 5h", "pair", label)
    assert foul["middle"] == "6s 6h 9d 8d 2h" and foul["bottom_hand"] == "two_pair"
    assert foul["foul_detail"].startswith({"en": "the ", "id": "salah susun"}[language])


def test_csv_of_a_round_without_stake_leaves_money_empty(client: FlaskClient) -> None:
    post_round(client)
    assert [
        (row["stake"], row["won"], row["net"]) for row in rows(stream(client, "/v1/rounds", CSV))
    ] == [("", "", "")] * 2


@pytest.mark.parametrize("media_type", [NDJSON, CSV])
def test_of_nothing_there_is_the_end_alone(client: FlaskClient, media_type: str) -> None:
    assert ids(client, "/v1/rounds", media_type) == []


@pytest.mark.parametrize("media_type", [NDJSON, CSV])
@pytest.mark.parametrize(
    "path",
    [
        *PATHS,
        "/v1/rounds?player=budi",
        "/v1/rounds?match={match}",
        "/v1/rounds?status=void",
        "/v1/rounds?status=valid&player=andi",
        "/v1/rounds?ruleset=bsfyi&since=2020-01-01T00:00:00Z",
        "/v1/rounds?until=2020-01-01T00:00:00Z",
        "/v1/rounds?player=nobody",
        "/v1/players/zara/rounds?status=valid",
        "/v1/rounds?tournament=01890a5d-ac96-774b-bcce-b302099a8057",
    ],
)
def test_filters_work_as_for_pages(client: FlaskClient, match: str, path: str, media_type: str) -> None:
    path = path.format(match=match)
    assert ids(client, path, media_type) == ids(client, path, JSON)


@pytest.mark.parametrize("media_type", [NDJSON, CSV])
def test_without_limit_it_goes_to_the_end_and_with_it_no_further(
    client: FlaskClient, many: list[str], database: Database, media_type: str
) -> None:
    assert len(many) == 300
    assert ids(client, "/v1/rounds", media_type) == many
    assert len(ids(client, "/v1/rounds", JSON)) == 50
    for limit in (1, 25, 26, 299, 300, 301, 10**12, 10**19):
        assert ids(client, f"/v1/rounds?limit={limit}", media_type) == many[:limit]
    copy_rounds(database, many[:1], 300)
    assert len(ids(client, "/v1/rounds?limit=555", media_type)) == 555


# --- going on ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", [*PATHS, "/v1/rounds?player=budi&match={match}"])
def test_any_cursor_leads_to_exactly_the_rest(client: FlaskClient, match: str, path: str) -> None:
    path = path.format(match=match)
    whole = lines(stream(client, path))
    for place, line in enumerate(whole, 1):
        on = with_query(path, f"cursor={line['cursor']}")
        assert lines(stream(client, on)) == whole[place:]
        assert ids(client, on, CSV) == ids(client, on, JSON) == [item["id"] for item in whole[place:]]


def test_csv_gives_a_cursor_where_a_round_is_whole(client: FlaskClient, match: str) -> None:
    whole = rows(stream(client, "/v1/rounds", CSV))
    given = [place for place, row in enumerate(whole, 1) if row["cursor"]]
    assert given == list(range(2, len(whole) + 1, 2))
    for place in given:
        on = f"/v1/rounds?cursor={whole[place - 1]['cursor']}"
        assert rows(stream(client, on, CSV)) == whole[place:]
    cursors = [line["cursor"] for line in lines(stream(client, "/v1/rounds"))]
    assert cursors == [whole[place - 1]["cursor"] for place in given]


def test_cursors_of_pages_and_streams_are_the_same(client: FlaskClient, match: str) -> None:
    page = client.get("/v1/rounds?limit=3").get_json()
    whole = lines(stream(client, "/v1/rounds"))
    assert page["next_cursor"] == whole[2]["cursor"]
    assert lines(stream(client, "/v1/rounds?limit=3"))[-1]["cursor"] == page["next_cursor"]


@pytest.mark.parametrize("media_type", [NDJSON, CSV])
@pytest.mark.parametrize(
    "query", ["player=andi&cursor={cursor}", "cursor=x", "limit=0", "limit=x", "x=1"]
)
def test_what_is_wrong_with_the_query_is_a_problem(
    client: FlaskClient, match: str, query: str, media_type: str
) -> None:
    cursor = lines(stream(client, "/v1/rounds"))[0]["cursor"]
    path = f"/v1/rounds?{query.format(cursor=cursor)}"
    response = client.get(path, headers={"Accept": media_type})
    assert_problem(response, 422, "invalid-request")
    if "cursor" in query:
        assert_invalid(response, "invalid-request", invalid("", parameter="cursor"))


def test_the_rounds_of_no_match_are_not_found(client: FlaskClient) -> None:
    nothing = "/v1/matches/01890a5d-ac96-774b-bcce-b302099a8057/rounds"
    assert_problem(client.get(nothing, headers={"Accept": CSV}), 404, "not-found")


# --- what is accepted --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("accept", "media_type"),
    [
        (None, JSON),
        ("", JSON),
        ("*/*", JSON),
        ("application/*", JSON),
        ("application/json; charset=utf-8", JSON),
        ("text/html, application/xhtml+xml, */*;q=0.8", JSON),
        (NDJSON, NDJSON),
        ("Application/X-NDJSON", NDJSON),
        (CSV, CSV),
        ("text/csv; charset=utf-8; header=present", CSV),
        ("text/*", CSV),
        ("text/csv;q=0.5, application/x-ndjson", NDJSON),
        ("application/json;q=0.1, text/csv;q=0.2", CSV),
        ("application/json;q=0, */*;q=0.1", NDJSON),
        ("text/html, text/csv;q=0.1", CSV),
    ],
)
def test_the_answer_is_what_is_accepted_most(
    client: FlaskClient, accept: str | None, media_type: str
) -> None:
    response = client.get("/v1/rounds", headers={} if accept is None else {"Accept": accept})
    assert (response.status_code, response.mimetype) == (200, media_type)
    assert {"Accept", "Accept-Language"} <= set(response.vary)


@pytest.mark.parametrize("path", PATHS)
def test_what_there_is_not_is_a_problem(client: FlaskClient, match: str, path: str) -> None:
    for accept in ("text/html", "application/problem+json", "text/csv;q=0", "x", "a/b/c"):
        response = client.get(path.format(match=match), headers={"Accept": accept})
        assert_problem(response, 406, "not-acceptable")
        assert response.get_json()["media_types"] == [JSON, NDJSON, CSV]
        assert "Accept" in response.vary


def test_who_sends_no_key_gets_no_stream(anonymous: FlaskClient, client_with: Any) -> None:
    accept = {"Accept": NDJSON}
    assert_problem(anonymous.get("/v1/rounds", headers=accept), 401, "unauthorized")
    assert_problem(client_with("write").get("/v1/rounds", headers=accept), 403, "forbidden")


# --- cells -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("=cmd()", "'=cmd()"),
        ("+62", "'+62"),
        ("-13", "'-13"),
        ("@x", "'@x"),
        ("\tx", "'\tx"),
        ("\r=x", "'\r=x"),
        ("\n", "'\n"),
        ("＝x", "'＝x"),
        (" =x", "' =x"),
        ("'=x", "''=x"),
        ("a;=x; -y", "a;'=x;' -y"),
        ("'t Hooft", "'t Hooft"),
        ("a=b-c", "a=b-c"),
        ("Qs 9d 3c", "Qs 9d 3c"),
        ("", ""),
        (-13, -13),
        (0, 0),
        (True, "true"),
        (False, "false"),
        (None, None),
    ],
)
def test_no_text_begins_a_formula_and_numbers_stay(value: Any, shown: Any) -> None:
    assert cell(value) == shown


def test_texts_of_callers_do_no_harm(client: FlaskClient, client_with: Any) -> None:
    players = ["=cmd|' /C calc'!A0", '-2+3"', "@SUM(1,2)", "+é"]
    deal = [ROUND["seats"][0], ROUND["seats"][1]]
    names = {f"/seats/{place}/player": player for place, player in enumerate(players[:2])}
    post_round(client, "/v1/rounds", change({"seats": deal}, names))
    names = {f"/seats/{place}/player": player for place, player in enumerate(players[2:])}
    kept = post_round(client_with("write", name="=key"), "/v1/rounds", change({"seats": deal}, names))
    void = client.post(f"/v1/rounds/{kept['id']}/void", json={"reason": '=1+1, "quoted"'})
    assert void.status_code == 201
    response = stream(client, "/v1/rounds", CSV)
    found = rows(response)
    assert sorted(row["player"] for row in found) == sorted(f"'{player}" for player in players)
    assert {row["reason"] for row in found} == {"", '\'=1+1, "quoted"'}
    for value in (value for row in found for value in row.values()):
        assert value[:1] not in tuple("=+@\t\r") and (value[:1] != "-" or int(value) < 0)
    assert all(int(row["points"]) for row in found)
    raw = response.data.decode("utf-8-sig")
    assert raw.count("\r\n") == raw.count("\n") == len(found) + 2
    assert '"\'=1+1, ""quoted"""' in raw


# --- from one moment ---------------------------------------------------------------------------------


def test_what_is_written_meanwhile_is_not_in_it(
    client: FlaskClient, plain: FlaskClient, many: list[str]
) -> None:
    response = stream(plain, "/v1/rounds")
    pieces = response.iter_encoded()
    read = next(pieces)
    late = json.loads(read.splitlines()[0])["id"]
    for _ in range(3):
        post_round(client)
    for changed in (many[-1], late):
        answer = client.post(f"/v1/rounds/{changed}/void", json={"reason": "misdeal"})
        assert answer.status_code == 201
    *found, end = map(json.loads, (read + b"".join(pieces)).splitlines())
    assert [line["id"] for line in found] == many
    assert {(line["revision"], line["status"]) for line in found} == {(1, "valid")}
    assert end == {"end": True, "count": 300}
    response.close()


# --- broken, given up, held up -----------------------------------------------------------------------


TERMINATE = text("""
    SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid() AND state = 'idle in transaction'
    AND query LIKE 'FETCH%'
""")


@pytest.mark.parametrize("media_type", [NDJSON, CSV])
def test_when_the_database_fails_there_is_no_end(
    client: FlaskClient,
    plain: FlaskClient,
    database: Database,
    many: list[str],
    media_type: str,
    nothing_held: Callable[[], None],
    caplog: pytest.LogCaptureFixture,
) -> None:
    response = stream(plain, "/v1/rounds", media_type, **{"X-Request-ID": "broken-1"})
    pieces = response.iter_encoded()
    read = next(pieces)
    with database.transaction() as connection:
        assert connection.scalar(TERMINATE) == 1
    with pytest.raises(streams.StreamBroken):
        for piece in pieces:
            read += piece
    nothing_held()
    response.close()
    assert b"end" not in read
    assert "a stream broke" in caplog.text and "broken-1" in caplog.text
    # What came is good, and the last cursor leads to the rest.
    if media_type == NDJSON:
        came = [json.loads(line) for line in read[: read.rindex(b"\n")].splitlines()]
        assert [line["id"] for line in came] == many[: len(came)] and 0 < len(came) < 300
        on = f"/v1/rounds?cursor={came[-1]['cursor']}"
        assert ids(client, on, NDJSON) == many[len(came) :]


def test_an_unexpected_fault_is_no_end_either(
    plain: FlaskClient,
    many: list[str],
    nothing_held: Any,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    response = stream(plain, "/v1/rounds", **{"X-Request-ID": "faulty-1"})
    pieces = response.iter_encoded()
    assert next(pieces)

    def fail(*_: object) -> None:
        raise RuntimeError

    monkeypatch.setattr(streams, "retold", fail)
    with pytest.raises(RuntimeError):
        list(pieces)
    assert "a stream broke" in caplog.text and "faulty-1" in caplog.text


@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_when_the_reader_leaves_nothing_is_held(
    plain: FlaskClient,
    many: list[str],
    nothing_held: Callable[[], None],
    caplog: pytest.LogCaptureFixture,
    method: str,
) -> None:
    caplog.set_level(logging.INFO)
    for _ in range(5):
        response = plain.open("/v1/rounds", method=method, headers={"Accept": NDJSON})
        assert response.status_code == 200
        response.close()
        nothing_held()
    assert ("the reader of a stream has left" in caplog.text) == (method == "GET")


def test_a_reader_who_leaves_a_lost_connection_behind_does_no_harm(
    plain: FlaskClient, database: Database, many: list[str], nothing_held: Callable[[], None]
) -> None:
    response = stream(plain, "/v1/rounds")
    with database.transaction() as connection:
        assert connection.scalar(TERMINATE) == 1
    response.close()


def test_a_stream_ends_when_its_time_is_over(
    plain: FlaskClient, many: list[str], nothing_held: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    response = stream(plain, "/v1/rounds")
    assert next(response.iter_encoded())
    clock = streams.time.monotonic() + streams.MOST_SECONDS
    monkeypatch.setattr(streams.time, "monotonic", lambda: clock)
    with pytest.raises(streams.StreamBroken, match="more than 600 seconds"):
        list(response.iter_encoded())


def test_only_so_many_run_at_a_time(
    client: FlaskClient, plain: FlaskClient, many: list[str], nothing_held: Any
) -> None:
    running = [stream(plain, "/v1/rounds", media_type) for media_type in (NDJSON, CSV)]
    for media_type in (NDJSON, CSV):
        refused = client.get("/v1/rounds", headers={"Accept": media_type})
        assert_problem(refused, 503, "too-many-streams")
        assert int(refused.headers["Retry-After"]) > 0
    # A page is none.
    assert len(ids(client, "/v1/rounds", JSON)) == 50
    running.pop().close()
    assert ids(client, "/v1/rounds", NDJSON) == many
    running.pop().close()


def test_what_fails_before_the_beginning_is_a_problem(
    client: FlaskClient, nothing_held: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away(self: Database, seconds: float) -> Any:
        raise DatabaseAway("gone")

    monkeypatch.setattr(Database, "snapshot", away)
    assert_problem(client.get("/v1/rounds", headers={"Accept": CSV}), 503, "database-away")


def test_a_reader_who_stops_reading_is_not_waited_for(client: FlaskClient) -> None:
    class Socket:
        timeout = None

        def settimeout(self, seconds: float) -> None:
            self.timeout = seconds

    socket = Socket()
    client.get("/v1/rounds", headers={"Accept": NDJSON}, environ_overrides={"gunicorn.socket": socket})
    assert socket.timeout == 30


def test_proxies_pass_it_on_at_once(client: FlaskClient) -> None:
    assert stream(client, "/v1/rounds").headers["X-Accel-Buffering"] == "no"


def test_a_snapshot_is_for_reading(database: Database) -> None:
    with database.snapshot() as connection:
        shown = [
            connection.scalar(text(f"SHOW {name}"))
            for name in (
                "transaction_isolation",
                "transaction_read_only",
                "statement_timeout",
                "idle_in_transaction_session_timeout",
            )
        ]
    assert shown == ["repeatable read", "on", "30s", "1min"]
    with database.transaction() as connection:
        assert connection.scalar(text("SHOW transaction_isolation")) == "read committed"
        assert connection.scalar(text("SHOW transaction_read_only")) == "off"
