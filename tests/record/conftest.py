"""Rounds and matches through the record alone, as the API uses it."""

from collections.abc import Callable
from typing import Any

import pytest
from sqlalchemy import text

from service.database import Database

Rows = Callable[..., list[dict[str, Any]]]


@pytest.fixture
def rows(database: Database) -> Rows:
    """What a query finds, as dictionaries."""

    def rows(query: str, **values: Any) -> list[dict[str, Any]]:
        with database.transaction() as connection:
            return [dict(row) for row in connection.execute(text(query), values).mappings()]

    return rows
