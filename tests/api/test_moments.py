"""What is read by several statements is of one moment, whatever is stored between them."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from flask.testing import FlaskClient
from sqlalchemy import event

PATHS = {
    "a match": "/v1/matches/{match}",
    "matches": "/v1/matches",
    "a tournament": "{tournament}",
    "tournaments": "/v1/tournaments",
    "a stage": "{tournament}/stages/1",
    "standings": "{tournament}/standings",
}


@contextmanager
def after_statement(client: FlaskClient, number: int, change: Callable[[], None]) -> Iterator[list[str]]:
    """Change something when this thread has run so many statements; gives those that it ran."""
    engine = client.application.extensions["susun_database"].engine
    told: list[str] = []
    changing, thread = False, threading.get_ident()

    def count(_connection: Any, _cursor: Any, statement: str, *_: Any) -> None:
        nonlocal changing
        # Others of the application note uses of keys meanwhile, say.
        if not changing and threading.get_ident() == thread:
            told.append(statement)
            if len(told) == number:
                changing = True
                change()
                changing = False

    event.listen(engine, "after_cursor_execute", count)
    try:
        yield told
    finally:
        event.remove(engine, "after_cursor_execute", count)


@pytest.mark.parametrize("number", range(1, 6))
@pytest.mark.parametrize("path", PATHS.values(), ids=PATHS)
def test_nothing_is_torn(client: FlaskClient, direct: Any, path: str, number: int) -> None:
    evening = direct(players=["andi", "budi", "cici", "dewi"], table_size=2)
    match = evening.seat()["tables"][0]["match"]
    address = path.format(match=match, tournament=evening.path)

    def change() -> None:
        penalty = {"player": evening.get("/stages/1")["tables"][0]["players"][0], "points": -5}
        for below, document in (
            ("adjustments", {**penalty, "reason": "late"}),
            ("finish", {"reason": "late"}),
        ):
            assert client.post(f"/v1/matches/{match}/{below}", json=document).status_code in (200, 201)

    before = client.get(address)
    with after_statement(client, number, change) as told:
        during = client.get(address)
    if len(told) < number:
        change()
    after = client.get(address)
    first, torn, last = [
        (answer.status_code, answer.headers.get("ETag"), answer.data)
        for answer in (before, during, after)
    ]
    assert first != last and torn in (first, last)
