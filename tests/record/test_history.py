"""The schema ``history`` is an interface: its columns stay, its answers are right, and it only reads."""

import re
import secrets
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import UUID

import psycopg2
import pytest
from click.testing import CliRunner, Result
from flask.testing import FlaskClient
from psycopg2.extras import RealDictCursor, register_uuid
from sqlalchemy import make_url, text

from docs.make_history import PAGE, fill, views
from service.cli import main
from service.database import Database
from service.migrating import migrate
from tests.api.requests import ANDI, BUDI, SIX_PAIRS, post_round
from tests.servers import fresh_server

register_uuid()

_REVISION = "round_id uuid, revision integer, counts boolean, match_id uuid, posted_at timestamptz"
# New columns come at the end. Nothing here is ever changed: other programs rely on it.
COLUMNS = {
    "adjustments": "adjustment_id uuid, match_id uuid, player text, points bigint, reason text, "
    "created_at timestamptz, created_by text",
    "events": "event_id uuid, tournament_id uuid, kind text, stage integer, player text, points bigint, "
    "reason text, created_at timestamptz, created_by text",
    "standings": "tournament_id uuid, stage integer, player text, points bigint, adjustments bigint, "
    "opponents bigint, placings numeric, matches bigint, wins bigint, rounds bigint, rows_won bigint, "
    "sweeps bigint, clean_sweeps bigint, fouls bigint, specials bigint, fee bigint, net bigint",
    "tournaments": "tournament_id uuid, name text, status text, ruleset_id text, "
    "ruleset_version integer, stake bigint, table_size smallint, stages integer, rounds integer, "
    "seating text, seed bigint, rank_by text, prizes bigint[], stage integer, open_matches integer, "
    "players integer, withdrawn integer, created_at timestamptz, created_by text, "
    "finished_at timestamptz, finished_by text, finish_reason text",
    "duels": f"{_REVISION}, player text, opponent text, points integer, winner text, outcome text, "
    "factor integer, bonus integer, top_winner text, middle_winner text, bottom_winner text",
    "matches": "match_id uuid, label text, status text, ruleset_id text, ruleset_version integer, "
    "stake bigint, players text[], rounds integer, rounds_played integer, created_at timestamptz, "
    "created_by text, finished_at timestamptz, finish_reason text, tournament_id uuid, "
    "stage integer, table_number integer",
    "players": "player text, matches bigint, rounds bigint, points bigint, wins bigint, fouls bigint, "
    "sweeps bigint, clean_sweeps bigint, specials bigint",
    "rounds": f"{_REVISION}, number integer, status text, ruleset_id text, ruleset_version integer, "
    "stake bigint, players integer, submitted_at timestamptz, submitted_by text, reason text, "
    "digest text",
    "rows": f"{_REVISION}, seat smallint, player text, row_name text, hand text, cards text[], "
    "wins integer, losses integer",
    "rulesets": "ruleset_id text, ruleset_version integer, title text, digest text, "
    "created_at timestamptz, created_by text",
    "seats": f"{_REVISION}, seat smallint, player text, points integer, won bigint, fee bigint, "
    "net bigint, foul text, special text, sweeps smallint, clean_sweep boolean, top_hand text, "
    "middle_hand text, bottom_hand text, cards text[]",
}
QUERIES = dict(re.findall(r"### ([^\n]+)\n[^#]*?```sql\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL))

SWAPPED = [{**BUDI, "player": "andi"}, {**ANDI, "player": "budi"}]
CICI = {"player": "cici", "top": "Ts 5h 4d", "middle": "7h 7d 6s 5s 3s", "bottom": "6c 5c 4h 3h 2h"}
WITH_FOUL = {
    "ruleset": "panduan",
    "stake": 10,
    "seats": [ANDI, {**BUDI, "top": "Qs Qh Qd", "middle": "8s 8h 5d 7c 7s"}, CICI],
}
DEWI = {"player": "dewi", "declare": "six_pairs", "cards": SIX_PAIRS}
WITH_SPECIAL = {"seats": [DEWI, {**BUDI, "middle": "8c 8h 8d 7c 7d"}]}


def run(url: str, *arguments: str) -> Result:
    return CliRunner().invoke(main, arguments, env={"DATABASE_URL": url}, catch_exceptions=False)


def new_name() -> str:
    return f"reader_{secrets.token_hex(6)}"


@pytest.fixture
def reader(database_url: str) -> Iterator[str]:
    """The address of a fresh reader."""
    name = new_name()
    made = run(database_url, "reader", "create", name)
    assert made.exit_code == 0, made.output
    yield made.output.strip()
    assert run(database_url, "reader", "drop", name).output == f"dropped {name}\n"


class Ask:
    """Asks Postgres as a reader."""

    def __init__(self, url: str) -> None:
        self.connection = psycopg2.connect(url, cursor_factory=RealDictCursor)
        self.connection.autocommit = True

    def __call__(self, query: str) -> list[dict[str, Any]]:
        with self.connection.cursor() as cursor:
            cursor.execute(query)
            return [dict(row) for row in cursor] if cursor.description else []


@pytest.fixture
def ask(database: Database, reader: str) -> Iterator[Ask]:
    ask = Ask(reader)
    yield ask
    ask.connection.close()


class Record:
    """What has been played: a match, and rounds on their own from another room."""

    def __init__(self, client: FlaskClient, other_key: str) -> None:
        self.client = client
        document = {"players": ["andi", "budi"], "ruleset": "panduan", "stake": 1000, "label": "Jumat"}
        self.match_id = client.post("/v1/matches", json=document).get_json()["id"]
        path = f"/v1/matches/{self.match_id}"
        self.first, second, third = (post_round(client, f"{path}/rounds") for _ in range(3))
        change = {"reason": "hands swapped", "seats": SWAPPED}
        seen = {"If-Match": f'"{second["digest"]}"'}
        self.second = client.post(
            f"/v1/rounds/{second['id']}/corrections", json=change, headers=seen
        ).get_json()
        answer = client.post(f"/v1/rounds/{third['id']}/void", json={"reason": "misdeal"})
        self.void = answer.get_json()
        for player, points in (("budi", 500), ("andi", -7)):
            late = {"player": player, "points": points, "reason": "late"}
            assert client.post(f"{path}/adjustments", json=late).status_code == 201
        self.match = client.post(f"{path}/finish", json={"reason": "closing time"}).get_json()
        other = client.application.test_client()
        other.environ_base["HTTP_AUTHORIZATION"] = f"Bearer {other_key}"
        self.foul = post_round(other, document=WITH_FOUL)
        self.special = post_round(other, document=WITH_SPECIAL)
        self.counted = [self.first, self.second, self.foul, self.special]

    def seats(self, player: str | None = None) -> list[dict[str, Any]]:
        found = [seat for round_ in self.counted for seat in round_["seats"]]
        return [seat for seat in found if player in (None, seat["player"])]


@pytest.fixture
def record(client: FlaskClient, make_key: Any) -> Record:
    return Record(client, make_key("write", name="room 2"))


def the_query(heading: str, match_id: str = "") -> str:
    """A query of the page, for this month and this match."""
    today = datetime.now(UTC)
    month = f"{today:%Y-%m}-01"
    later = f"{today.year + today.month // 12}-{today.month % 12 + 1:02}-01"
    query = QUERIES[heading].replace("2026-03-01", month).replace("2026-04-01", later)
    return query.replace("01950000-0000-7000-8000-000000000000", match_id)


def test_the_columns_stay(ask: Ask) -> None:
    found: dict[str, list[str]] = {}
    for row in ask("""
        SELECT relname, attname, format_type(atttypid, atttypmod) AS type
        FROM pg_class JOIN pg_attribute ON attrelid = oid
        WHERE relnamespace = 'history'::regnamespace AND attnum > 0 ORDER BY relname, attnum
    """):
        kind = row["type"].replace("timestamp with time zone", "timestamptz")
        found.setdefault(row["relname"], []).append(f"{row['attname']} {kind}")
    for view, columns in COLUMNS.items():
        expected = columns.split(", ")
        assert found[view][: len(expected)] == expected, view
    assert set(found) == set(COLUMNS)


def test_the_page_says_what_the_database_says(database: Database) -> None:
    with database.transaction() as connection:
        found = views(connection)
    assert not [line for page in found.values() for line in page.splitlines() if "None" in line]
    page = PAGE.read_text("utf-8")
    assert fill(page, found) == page, "run: python -m docs.make_history"
    assert set(re.findall(r"<!-- view: (\w+) -->", page)) == set(COLUMNS)


def test_there_are_ten_questions_and_each_is_tested() -> None:
    assert len(QUERIES) == 10
    source = Path(__file__).read_text("utf-8")
    assert [name for name in QUERIES if f'the_query("{name}"' not in source] == []


def test_a_month(ask: Ask, record: Record) -> None:
    seats = record.seats("andi")
    assert ask(the_query("A player's month")) == [
        {
            "rounds": 3,
            "wins": sum(seat["points"] > 0 for seat in seats),
            "points": sum(seat["points"] for seat in seats),
            "net": sum(seat["money"]["net"] for seat in seats),
        }
    ]


def test_head_to_head(ask: Ask, record: Record) -> None:
    duels = [
        duel
        for round_ in record.counted
        for duel in round_["duels"]
        if set(duel["players"]) == {"andi", "budi"}
    ]
    points = sum(duel["points"][duel["players"].index("andi")] for duel in duels)
    expected = {"rounds": 3, "won": 2, "lost": 1, "points": points}
    query = the_query("Two players, head to head")
    assert ask(query) == [expected]
    mirrored = query.replace("andi", "x").replace("budi", "andi").replace("'x'", "'budi'")
    assert ask(mirrored) == [{"rounds": 3, "won": 1, "lost": 2, "points": -points}]


def test_hands(ask: Ask, record: Record) -> None:
    found = ask(the_query("How often each hand is laid in each row"))
    assert [(row["row_name"], row["hand"], row["times"], float(row["percent"])) for row in found] == [
        ("bottom", "four_of_a_kind", 2, 66.7),
        ("bottom", "full_house", 1, 33.3),
        ("middle", "full_house", 3, 100),
        ("top", "pair", 3, 100),
    ]


def test_swings(ask: Ask, record: Record) -> None:
    expected = []
    for round_ in record.counted:
        seats = sorted(round_["seats"], key=lambda seat: seat["points"])
        swing = seats[-1]["points"] - seats[0]["points"]
        line = {"round_id": UUID(round_["id"]), "swing": swing}
        expected.append(line | {"winner": seats[-1]["player"], "loser": seats[0]["player"]})
    expected.sort(key=lambda line: (-line["swing"], line["round_id"]))
    assert ask(the_query("The rounds with the biggest swings")) == expected


def test_fouls(ask: Ask, record: Record) -> None:
    found = ask(the_query("Fouls per player"))
    assert [(row["player"], row["rounds"], row["fouls"], float(row["percent"])) for row in found] == [
        ("budi", 4, 1, 25),
        ("andi", 3, 0, 0),
        ("cici", 1, 0, 0),
        ("dewi", 1, 0, 0),
    ]


def test_standings(ask: Ask, record: Record) -> None:
    assert ask(the_query("The standings of a match", record.match_id)) == [
        {name: line[name] for name in ("place", "player", "points")}
        for line in record.match["standings"]
    ]


def test_specials(ask: Ask, record: Record) -> None:
    found = ask(the_query("Specials"))
    (seat,) = record.seats("dewi")
    assert [(row["player"], row["special"], row["points"], row["cards"]) for row in found] == [
        ("dewi", "six_pairs", seat["points"], SIX_PAIRS)
    ]


def test_sweeps(ask: Ask, record: Record) -> None:
    found = ask(the_query("How often a player sweeps and is swept"))
    assert [tuple(row.values()) for row in found] == [("budi", 3, 2, 1), ("cici", 1, 1, 0)]


def test_sweeps_add_up_to_those_of_the_totals(ask: Ask, record: Record) -> None:
    no_sweeps = {"sweep": None, "clean_sweep": None, "foul": {"pays": "points", "points": 6}}
    house = {"id": "no-sweeps", "title": "No sweeps", "base": "bsfyi", **no_sweeps}
    assert record.client.post("/v1/rulesets", json=house).status_code == 201
    post_round(record.client, document={**WITH_FOUL, "ruleset": "no-sweeps"})
    query = the_query("How often a player sweeps and is swept")
    for row in ask("SELECT player, sweeps FROM history.players"):
        found = ask(query.replace("'andi'", f"'{row['player']}'"))
        assert sum(line["swept"] for line in found) == row["sweeps"], row["player"]


def test_changes(ask: Ask, record: Record) -> None:
    found = ask(the_query("Rounds corrected or voided, and why"))
    assert [
        (str(row["round_id"]), row["revision"], row["status"], row["reason"], row["submitted_by"])
        for row in found
    ] == [
        (record.void["id"], 2, "void", "misdeal", "test"),
        (record.second["id"], 2, "corrected", "hands swapped", "test"),
    ]


def test_money(ask: Ask, record: Record) -> None:
    def line(room: str, stake: int, *rounds: dict[str, Any]) -> dict[str, Any]:
        money = [seat["money"] for round_ in rounds for seat in round_["seats"]]
        return {
            "room": room,
            "rounds": len(rounds),
            "lowest_stake": stake,
            "highest_stake": stake,
            "won": sum(part["won"] for part in money if part["won"] > 0),
            "fees": sum(part["fee"] for part in money),
        }

    found = ask(the_query("Money, by room and day"))
    assert [{name: row[name] for name in row if name != "day"} for row in found] == [
        line("room 2", 10, record.foul),
        line("test", 1000, record.first, record.second),
    ]


def test_only_the_newest_revision_that_is_not_void_counts(ask: Ask, record: Record) -> None:
    query = "SELECT round_id, revision, counts FROM history.rounds ORDER BY round_id, revision"
    assert [(str(row["round_id"]), row["revision"], row["counts"]) for row in ask(query)] == [
        (record.first["id"], 1, True),
        (record.second["id"], 1, False),
        (record.second["id"], 2, True),
        (record.void["id"], 1, False),
        (record.void["id"], 2, False),
        (record.foul["id"], 1, True),
        (record.special["id"], 1, True),
    ]
    for view in ("seats", "rows", "duels"):
        assert ask(f"SELECT DISTINCT round_id, revision, counts FROM history.{view} ORDER BY 1, 2") == [
            row for row in ask(query) if view != "rows" or row["round_id"] != record.special["id"]
        ]


def test_every_view_tells_the_same_as_the_api(ask: Ask, record: Record) -> None:
    (match,) = ask("SELECT * FROM history.matches")
    for name in ("label", "status", "stake", "players", "rounds", "rounds_played", "finish_reason"):
        assert match[name] == record.match[name]
    for row in ask("SELECT * FROM history.players"):
        assert record.client.get(f"/v1/players/{row['player']}").get_json() == row
    for row in ask("SELECT * FROM history.rows WHERE counts"):
        (round_,) = [found for found in record.counted if found["id"] == str(row["round_id"])]
        shown = round_["seats"][row["seat"]]
        assert row["player"] == shown["player"]
        in_row = shown["rows"][row["row_name"]]
        assert (row["cards"], row["hand"]) == (in_row["cards"], in_row["hand"])
        winners = [
            duel["rows"][row["row_name"]]["winner"]
            for duel in round_["duels"]
            if duel["rows"] and row["player"] in duel["players"]
        ]
        assert row["wins"] == winners.count(row["player"])
        assert row["losses"] == len(winners) - winners.count(row["player"]) - winners.count(None)
    for row in ask("SELECT * FROM history.seats WHERE counts"):
        (round_,) = [found for found in record.counted if found["id"] == str(row["round_id"])]
        request = round_["request"]["seats"][row["seat"]]
        in_rows = [card for name in ("top", "middle", "bottom") for card in request.get(name, ())]
        assert row["cards"] == request.get("cards", in_rows)
        assert row["posted_at"].date() == datetime.now(UTC).date()


FILTERS = {
    "rounds": ("round_id", "match_id"),
    "seats": ("round_id", "match_id", "player"),
    "rows": ("round_id", "match_id", "player"),
    "duels": ("round_id", "match_id", "player"),
    "matches": ("match_id",),
    "players": ("player",),
    "adjustments": ("match_id", "player"),
}


@pytest.mark.parametrize(
    ("view", "column"), [(view, column) for view, columns in FILTERS.items() for column in columns]
)
def test_a_filter_finds_an_index(ask: Ask, view: str, column: str) -> None:
    value = "andi" if column == "player" else str(UUID(int=0))
    counts = "AND counts" if "counts" in COLUMNS[view] else ""
    ask_plan(ask, f"SELECT * FROM history.{view} WHERE {column} = '{value}' {counts}")


def test_a_time_finds_an_index(ask: Ask) -> None:
    for view in ("rounds", "seats"):
        ask_plan(ask, f"SELECT * FROM history.{view} WHERE posted_at >= '2026-03-01' AND counts")


def ask_plan(ask: Ask, query: str) -> None:
    """Fail if even a planner that shuns it has to scan a whole table, or finds no index to search."""
    with ask.connection.cursor() as cursor:
        for way in ("seqscan", "mergejoin", "hashjoin", "bitmapscan", "sort"):
            cursor.execute(f"SET enable_{way} = off")
        cursor.execute(f"EXPLAIN {query}")
        plan = [row["QUERY PLAN"] for row in cursor]
    assert not [line for line in plan if "Seq Scan" in line], plan
    # Which index serves best on a handful of rows depends on statistics of the moment; the plans on a
    # large record are checked by `python -m bench.reading`.
    assert any("Index Cond" in line for line in plan), plan


def test_a_reader_reads_history_alone(ask: Ask, record: Record, client: FlaskClient) -> None:
    document = {"name": "Jumat", "players": ["andi"], "stages": 1}
    assert client.post("/v1/tournaments", json=document).status_code == 201
    for view in COLUMNS:
        assert ask(f"SELECT * FROM {view} LIMIT 1")
    ask("SET default_transaction_read_only = off")
    tables = ask("""
        SELECT oid::regclass::text AS name FROM pg_class
        WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p', 'v', 'm', 'S')
    """)
    assert len(tables) > 9
    for table in tables:
        for statement in ("SELECT 1 FROM", "DELETE FROM", "TRUNCATE"):
            with pytest.raises(psycopg2.errors.InsufficientPrivilege):
                ask(f"{statement} {table['name']}")
    for statement in (
        "DELETE FROM history.players",
        "UPDATE history.players SET points = 0",
        "INSERT INTO history.rulesets (ruleset_id) VALUES ('x')",
        "CREATE VIEW history.mine AS SELECT 1",
        "CREATE TABLE public.mine (id integer)",
        "CREATE TEMPORARY TABLE mine (id integer)",
        "CREATE SCHEMA mine",
        "CREATE ROLE mine",
        "SET ROLE susun",
    ):
        with pytest.raises(psycopg2.Error):
            ask(statement)
    functions = ask("""
        SELECT oid::regprocedure::text AS name FROM pg_proc
        WHERE pronamespace = 'public'::regnamespace AND has_function_privilege(oid, 'EXECUTE')
    """)
    assert functions == []


def test_a_reader_is_read_only_unless_it_says_otherwise(ask: Ask) -> None:
    assert ask("SHOW default_transaction_read_only") == [{"default_transaction_read_only": "on"}]
    assert ask("SHOW statement_timeout") == [{"statement_timeout": "1min"}]


WRONG_NAMES = ["", "Andi", "1st", "a-b", 'a"; DROP TABLE rounds; --', "x" * 42, "ä", "a b"]


@pytest.mark.parametrize("name", WRONG_NAMES)
def test_a_wrong_name_is_refused(database_url: str, name: str) -> None:
    result = run(database_url, "reader", "create", name)
    assert (result.exit_code, "a name has 1 to 41 of" in result.output) == (1, True)


def test_names_that_are_taken_or_unknown(database: Database, database_url: str, reader: str) -> None:
    taken = make_url(reader).username or ""
    for name in (taken, "susun_reader", make_url(database_url).username or ""):
        result = run(database_url, "reader", "create", name)
        assert (result.exit_code, result.output) == (1, f"Error: a role {name} exists already\n")
    for name in ("nobody_like_this", "susun_reader", make_url(database_url).username or ""):
        result = run(database_url, "reader", "drop", name)
        assert (result.exit_code, result.output) == (1, f"Error: there is no reader {name}\n")


def test_a_dropped_reader_reads_no_more(database: Database, database_url: str) -> None:
    name = new_name()
    url = run(database_url, "reader", "create", name).output.strip()
    ask = Ask(url)
    ask("SELECT 1 FROM history.rounds")
    assert run(database_url, "reader", "drop", name).exit_code == 0
    with pytest.raises(psycopg2.Error):
        ask("SELECT 1 FROM history.rounds")
    ask.connection.close()
    with pytest.raises(psycopg2.OperationalError):
        psycopg2.connect(url)


MIGRATE = "import sys; from service.migrating import migrate; migrate(sys.argv[1])"


def test_databases_of_one_server_share_the_role() -> None:
    """Also when they are migrated at once, and none has made it yet."""
    names = ["one", "two", "three"]
    with fresh_server() as server:
        server.run(*(f"CREATE DATABASE {name}" for name in names))
        command = [sys.executable, "-c", MIGRATE]
        started = [subprocess.Popen([*command, server.address(database=name)]) for name in names]
        assert [process.wait(60) for process in started] == [0, 0, 0]
        url = run(server.address(database="one"), "reader", "create", "kasir").output.strip()
        for name in names:
            ask = Ask(make_url(url).set(database=name).render_as_string(hide_password=False))
            assert ask("SELECT count(*) FROM history.rounds") == [{"count": 0}]
            ask.connection.close()


def test_without_the_right_to_make_roles_all_else_goes_on() -> None:
    """As on a managed Postgres: the schema is there, and the command says what to do."""
    with fresh_server() as server:
        server.run("CREATE ROLE club LOGIN PASSWORD 'x'", "CREATE DATABASE club OWNER club")
        club = {"database": "club", "username": "club", "password": "x"}
        migrate(server.address(**club))
        refused = run(server.address(**club), "reader", "create", "kasir")
        assert refused.exit_code == 1
        assert "may not manage roles" in refused.output
        made, allowed = (
            re.findall(r"^ {4}(.*;)", part, re.MULTILINE)
            for part in refused.output.replace("'...'", "'y'").split("and this user")
        )
        server.run(*made)
        server.run(*allowed, **club)
        ask = Ask(server.address(database="club", username="kasir", password="y"))
        assert ask("SELECT count(*) FROM history.rounds") == [{"count": 0}]
        ask.connection.close()


def test_expired_answers_are_tidied(database: Database, database_url: str) -> None:
    with database.transaction() as connection:
        connection.execute(
            text("""
                INSERT INTO idempotency_keys
                SELECT gen_random_uuid(), 'key', '', 201, '{}', '', now() - age * interval '1 hour'
                FROM unnest(ARRAY[1, 47, 49, 500]) AS age
            """)
        )
    assert run(database_url, "tidy").output == "deleted 2 expired idempotency keys\n"
    assert run(database_url, "tidy").output == "deleted 0 expired idempotency keys\n"


def test_tournaments_are_told_as_the_api_tells_them(ask: Ask, client: FlaskClient) -> None:
    document = {"name": "Jumat", "players": ["andi", "budi"], "stages": 1, "rounds": 1, "stake": 5}
    opened = client.post("/v1/tournaments", json={**document, "prizes": [7]}).get_json()
    path = f"/v1/tournaments/{opened['id']}"
    (table,) = client.post(f"{path}/stages", json={}).get_json()["tables"]
    kept = post_round(client, f"/v1/matches/{table['match']}/rounds")
    late = {"player": "budi", "points": -1, "reason": "late"}
    assert client.post(f"{path}/adjustments", json=late).status_code == 201
    (match,) = ask("SELECT match_id, tournament_id, stage, table_number FROM history.matches")
    assert match == {
        "match_id": UUID(kept["match"]),
        "tournament_id": UUID(opened["id"]),
        "stage": 1,
        "table_number": 1,
    }
    (tournament,) = ask("SELECT * FROM history.tournaments")
    told = client.get(path).get_json()
    for name in ("name", "status", "stake", "seed", "prizes", "stage", "open_matches", "withdrawn"):
        assert tournament[name] == told[name], name
    lines = ask("SELECT * FROM history.standings WHERE stage = 0 ORDER BY points DESC")
    items = client.get(f"{path}/standings").get_json()["items"]
    for line, item in zip(lines, items, strict=True):
        assert (line["fee"], line["net"]) == (item["money"]["fee"], item["money"]["net"])
        for name in set(line) - {"tournament_id", "stage", "fee", "net"}:
            assert line[name] == item[name], name
    events = ask(
        "SELECT kind, player, points, reason FROM history.events ORDER BY event_id DESC LIMIT 1"
    )
    assert events == [{"kind": "adjusted", **late}]
