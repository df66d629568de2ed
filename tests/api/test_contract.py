"""The look at every answer: what the document does not promise is found, wherever it is."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from tests.api.contract import check_answer
from tests.api.requests import GONE, change, post_round

Spoil = Callable[[TestResponse], None]


def body(**changes: Any) -> Spoil:
    """Change members of the answer's JSON, by their pointers."""

    def spoil(response: TestResponse) -> None:
        pointers = {pointer.replace("__", "/"): value for pointer, value in changes.items()}
        response.data = json.dumps(change(response.get_json(), pointers)).encode()

    return spoil


def header(name: str, value: str | None) -> Spoil:
    """Change a header, or leave it out."""

    def spoil(response: TestResponse) -> None:
        del response.headers[name]
        if value is not None:
            response.headers[name] = value

    return spoil


SPOILS = {
    "a member more": body(__extra=1),
    "a member more far inside": body(__seats__0__rows__top__extra=1),
    "a member less": body(__seats__0__points=GONE),
    "another type": body(__seats__0__points="22"),
    "none of the choices": body(__status="odd"),
    "no time": body(__submitted_at="yesterday"),
    "no id": body(__id="12"),
    "another media type": header("Content-Type", "text/plain"),
    "no tag": header("ETag", None),
    "a header of other answers": header("Idempotency-Replayed", "true"),
}


@pytest.mark.parametrize("spoil", SPOILS.values(), ids=SPOILS)
def test_an_answer_that_is_not_as_documented_is_found(client: FlaskClient, spoil: Spoil) -> None:
    response = client.get(f"/v1/rounds/{post_round(client)['id']}")
    check_answer(response)
    spoil(response)
    with pytest.raises(AssertionError):
        check_answer(response)


def test_one_wrong_line_among_many_is_found(client: FlaskClient) -> None:
    for _ in range(3):
        post_round(client)
    response = client.get("/v1/rounds", headers={"Accept": "application/x-ndjson"})
    lines = response.data.splitlines()
    response.data = b"\n".join([*lines[:1], change_line(lines[1]), *lines[2:]])
    with pytest.raises(AssertionError, match="points"):
        check_answer(response)


def change_line(line: bytes) -> bytes:
    return json.dumps(change(json.loads(line), {"/seats/0/points": "many"})).encode()


def test_a_problem_that_is_not_as_documented_is_found(client: FlaskClient) -> None:
    response = client.get("/v1/nowhere")
    check_answer(response)
    body(__status=GONE)(response)
    with pytest.raises(AssertionError, match="status"):
        check_answer(response)
