"""Rounds and matches through the record alone, as the API uses it."""

from collections.abc import Callable
from typing import Any

import pytest
from flask.testing import FlaskClient
from sqlalchemy import text

from service.database import Database
from tests.api.requests import ANDI, BUDI, post_round
from tests.record.tampering import WON, Record, play_corrected
from tests.record.test_rounds import DOCUMENTS

Rows = Callable[..., list[dict[str, Any]]]


@pytest.fixture
def rows(database: Database) -> Rows:
    """What a query finds, as dictionaries."""

    def rows(query: str, **values: Any) -> list[dict[str, Any]]:
        with database.transaction() as connection:
            return [dict(row) for row in connection.execute(text(query), values).mappings()]

    return rows


@pytest.fixture
def record(database: Database, client: FlaskClient) -> Record:
    return Record(database, client)


@pytest.fixture
def match(record: Record) -> str:
    return record.open_match(ruleset="panduan", stake=10)


@pytest.fixture
def played(record: Record, match: str) -> list[dict[str, Any]]:
    return play_corrected(record, match)


@pytest.fixture
def alone(record: Record) -> list[dict[str, Any]]:
    """Rounds on their own, of which the second was corrected twice."""
    kept = [post_round(record.client, document=document) for document in DOCUMENTS.values()]
    record.revise(kept[1], [ANDI, WON])
    record.revise(kept[1], [ANDI, BUDI])
    return kept
