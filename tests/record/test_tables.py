"""The tables as the code sees them are those that the migrations make; the database guards itself."""

from typing import Any

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from flask.testing import FlaskClient
from sqlalchemy import text
from sqlalchemy.exc import IntegrityError

from service.database import Database
from service.migrating import migrate
from service.record.tables import metadata
from tests.api.requests import ROUND, post_round

# Only the migrations name what the code never refers to.
_NOT_IN_CODE = ("remove_index", "remove_constraint")


def test_the_code_and_the_migrations_agree(database: Database) -> None:
    with database.engine.connect() as connection:
        context = MigrationContext.configure(
            connection, opts={"compare_type": True, "compare_server_default": True}
        )
        differences = compare_metadata(context, metadata)
    assert [found for found in differences if found[0] not in _NOT_IN_CODE] == []


def test_migrating_again_changes_nothing(database: Database, database_url: str, rows: Any) -> None:
    before = rows("SELECT table_name, column_name FROM information_schema.columns ORDER BY 1, 2")
    migrate(database_url)
    assert rows("SELECT table_name, column_name FROM information_schema.columns ORDER BY 1, 2") == before
    assert len(rows("SELECT * FROM alembic_version")) == 1


REFUSED = {
    "a number twice in a match": """
        INSERT INTO rounds (id, revision, match_id, number, link, status, ruleset_id, ruleset_version,
                            request, result, submitted_at, submitted_by, digest)
        SELECT gen_random_uuid(), revision, match_id, number, link + 1, status, ruleset_id,
               ruleset_version, request, result, submitted_at, submitted_by, digest FROM rounds
    """,
    "a link twice in a match": """
        INSERT INTO rounds (id, revision, match_id, number, link, status, ruleset_id, ruleset_version,
                            request, result, submitted_at, submitted_by, digest)
        SELECT gen_random_uuid(), revision, match_id, number + 1, link, status, ruleset_id,
               ruleset_version, request, result, submitted_at, submitted_by, digest FROM rounds
    """,
    "a round without its number": "UPDATE rounds SET number = NULL",
    "a round of no rule set": "UPDATE rounds SET ruleset_version = 99",
    "a round of another status": "UPDATE rounds SET status = 'lost'",
    "a round whose seats are left": "DELETE FROM rounds",
    "a player twice in a round": "UPDATE seats SET player = 'andi'",
    "a player twice in a match": "UPDATE match_players SET player = 'andi'",
    "more rounds than planned": "UPDATE matches SET rounds_played = rounds + 1",
    "a finished match without a time": "UPDATE matches SET status = 'finished'",
    "a match of no rule set": "UPDATE matches SET ruleset_id = 'nope'",
    "a match without a stake worth the name": "UPDATE matches SET stake = 0",
}


@pytest.mark.parametrize("statement", REFUSED.values(), ids=REFUSED)
def test_the_database_itself_refuses(client: FlaskClient, database: Database, statement: str) -> None:
    match = client.post("/v1/matches", json={"players": ["andi", "budi"]}).get_json()
    post_round(client, f"/v1/matches/{match['id']}/rounds", ROUND)
    with pytest.raises(IntegrityError), database.transaction() as connection:
        connection.execute(text(statement))


def test_every_transaction_has_time_limits(database: Database) -> None:
    with database.transaction() as connection:
        found = [
            connection.scalar(text(f"SHOW {name}"))
            for name in ("statement_timeout", "lock_timeout", "idle_in_transaction_session_timeout")
        ]
    assert found == ["5s", "2s", "10s"]


def test_a_transaction_that_fails_leaves_nothing(database: Database, stored: Any) -> None:
    insert = "INSERT INTO api_keys VALUES (gen_random_uuid(), 'x', 'x', '', '{}', now())"
    with pytest.raises(ZeroDivisionError), database.transaction() as connection:
        connection.execute(text(insert))
        raise ZeroDivisionError
    assert stored("api_keys") == 0
