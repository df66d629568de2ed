"""A dump restored elsewhere is the same record, and the service answers the same from it."""

import subprocess
from pathlib import Path
from typing import Any

import psycopg2
import pytest
from click.testing import CliRunner
from flask.testing import FlaskClient
from sqlalchemy import make_url

from app import create_app
from service.cli import main
from service.embedded_postgres import PostgresError, find_binary
from service.setup import prepare_database
from tests.api.requests import ANDI, BUDI, ROUND, post_round
from tests.servers import fresh_server

HOUSE = {"id": "meja-7", "title": "Meja 7", "base": "panduan", "sweep": {"factor": 3}}
FILLED = ["api_keys", "rulesets", "matches", "match_players", "rounds", "seats", "duels"]
FILLED += ["adjustments", "player_totals", "idempotency_keys"]
RESTORE = ("--no-owner", "--exit-on-error", "--dbname")


def fill(client: FlaskClient) -> list[str]:
    """Play some of everything; returns the addresses of all of it."""
    house = client.post("/v1/rulesets", json=HOUSE)
    assert house.status_code == 201, house.text
    document = {"players": ["andi", "budi"], "ruleset": "meja-7", "stake": 500, "rounds": 5}
    match = client.post("/v1/matches", json=document).get_json()
    path = f"/v1/matches/{match['id']}"
    kept = [post_round(client, f"{path}/rounds") for _ in range(3)]
    kept.append(post_round(client, document={**ROUND, "ruleset": "toto", "stake": 3}))
    kept.append(post_round(client, document={"seats": [{**ANDI, "player": "安迪 \\N 🂡"}, BUDI]}))
    swapped = [{**BUDI, "player": "andi"}, {**ANDI, "player": "budi"}]
    for wrong in (kept[0], kept[3]):
        answer = client.post(
            f"/v1/rounds/{wrong['id']}/corrections",
            json={"reason": "hands swapped", "seats": swapped},
            headers={"If-Match": "*", "Idempotency-Key": wrong["id"]},
        )
        assert answer.status_code == 201, answer.text
    for void in (kept[0], kept[1]):
        answer = client.post(f"/v1/rounds/{void['id']}/void", json={"reason": "misdeal"})
        assert answer.status_code == 201, answer.text
    late = {"player": "budi", "points": -5, "reason": "late"}
    assert client.post(f"{path}/adjustments", json=late).status_code == 201
    return [
        "/v1/rounds",
        "/v1/matches",
        "/v1/rulesets",
        "/v1/rulesets/meja-7",
        "/v1/players/andi",
        "/v1/players/budi",
        path,
        f"{path}/rounds",
        *(f"/v1/rounds/{round_['id']}" for round_ in kept),
        *(f"/v1/rounds/{round_['id']}/revisions" for round_ in kept),
    ]


def rows_of(url: str) -> dict[str, list[str]]:
    """Every row of every table, and of every view for others, as text."""
    connection = psycopg2.connect(make_url(url).set(drivername="postgresql").render_as_string(False))
    found = {}
    with connection.cursor() as cursor:
        cursor.execute("""
            SELECT oid::regclass::text FROM pg_class
            WHERE relnamespace IN ('public'::regnamespace, 'history'::regnamespace)
                AND relkind IN ('r', 'v')
        """)
        for (name,) in cursor.fetchall():
            cursor.execute(f"SELECT whole::text FROM {name} AS whole ORDER BY 1")
            found[name] = [row for (row,) in cursor]
    connection.close()
    return found


def program(name: str) -> str:
    try:
        return str(find_binary(name))
    except PostgresError:
        pytest.skip(f"{name} is not here")


def test_a_restored_record_is_the_same(client: FlaskClient, database_url: str, tmp_path: Path) -> None:
    pages = fill(client)
    before = rows_of(database_url)
    answers = {page: client.get(page).get_json() for page in pages}
    dump = tmp_path / "susun.dump"
    ours = make_url(database_url).set(drivername="postgresql").render_as_string(hide_password=False)
    subprocess.run([program("pg_dump"), "-Fc", "-f", str(dump), ours], check=True)
    with fresh_server() as server:
        server.run("CREATE ROLE susun_reader")
        subprocess.run([program("pg_restore"), *RESTORE, server.address(), str(dump)], check=True)
        assert rows_of(server.url) == before
        assert all(before[name] for name in FILLED)
        # Nothing is left to migrate, and what others may read is as it was.
        prepare_database(server.url)
        assert rows_of(server.url) == before
        made = CliRunner().invoke(main, ["reader", "create", "kasir"], env={"DATABASE_URL": server.url})
        assert rows_of_reader(made.output.strip()) == len(before["history.rounds"])
        assert_same_answers(client, server.url, answers)
        if "audit" in main.commands:
            audited = CliRunner().invoke(main, ["audit"], env={"DATABASE_URL": server.url})
            assert audited.exit_code == 0, audited.output


def rows_of_reader(url: str) -> int:
    connection = psycopg2.connect(url)
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM rounds")
        ((count,),) = cursor.fetchall()
    connection.close()
    return int(count)


def assert_same_answers(client: FlaskClient, url: str, answers: dict[str, Any]) -> None:
    """The restored service knows the same keys, answers the same, and goes on where it was."""
    restored = create_app({"database_url": url})
    other = restored.test_client()
    other.environ_base["HTTP_AUTHORIZATION"] = client.environ_base["HTTP_AUTHORIZATION"]
    for page, answer in answers.items():
        assert other.get(page).get_json() == answer, page
    open_match = next(page for page in answers if page.endswith("/rounds") and "matches" in page)
    assert post_round(other, open_match)["number"] == 4
    restored.extensions["susun_database"].close()
