"""Requests to vary, and how to look at what came back."""

import copy
from collections.abc import Mapping
from typing import Any

from flask.testing import FlaskClient
from werkzeug.test import TestResponse

PLAYERS = ("andi", "budi")
ANDI = {
    "player": "andi",
    "top": ["Ks", "Kh", "2d"],
    "middle": ["9s", "9h", "9d", "4c", "4s"],
    "bottom": ["As", "Ac", "Ad", "Ah", "3c"],
}
BUDI = {
    "player": "budi",
    "top": ["Qs", "Qh", "5d"],
    "middle": ["8s", "8h", "8d", "7c", "7s"],
    "bottom": ["Tc", "Td", "Th", "Jc", "Js"],
}
SEATS = [ANDI, BUDI]
ROUND = {"seats": SEATS}

#: In place of a value: leave the member or item out.
GONE = object()

SIX_PAIRS = "2s 2h 3s 3h 4s 4h 5s 5h 6s 6h 7s 7h 8s"
DRAGON = "2s 3h 4h 5s 6d 7h 8c 9c Ts Jh Qd Kc Ah"


def change(document: Any, changes: Mapping[str, Any]) -> Any:
    """A copy with the values at some JSON pointers replaced, added or (``GONE``) removed."""
    document = copy.deepcopy(document)
    for pointer, value in changes.items():
        if pointer == "":
            document = value
            continue
        *steps, last = [step.replace("~1", "/").replace("~0", "~") for step in pointer.split("/")[1:]]
        part = document
        for step in steps:
            part = part[int(step)] if isinstance(part, list) else part[step]
        if value is GONE:
            del part[int(last) if isinstance(part, list) else last]
        elif isinstance(part, list) and int(last) == len(part):
            part.append(value)
        else:
            part[int(last) if isinstance(part, list) else last] = value
    return document


def error(code: str, pointer: str, **parameters: Any) -> dict[str, Any]:
    """An entry of ``errors``, without its detail."""
    return {"code": code, "pointer": pointer, **parameters}


def invalid(pointer: str, **parameters: Any) -> dict[str, Any]:
    """An entry for a value that is wrong."""
    return error("field_invalid", pointer, **parameters)


def missing(pointer: str) -> dict[str, Any]:
    """An entry for a field that should be there."""
    return error("field_missing", pointer)


def unknown(pointer: str) -> dict[str, Any]:
    """An entry for a field that should not."""
    return error("field_unknown", pointer)


def assert_invalid(response: TestResponse, problem: str, *errors: dict[str, Any]) -> None:
    """Fail unless the answer is a 422 that reports exactly these errors."""
    assert_problem(response, 422, problem)
    found = response.get_json()["errors"]
    assert all(entry["detail"] for entry in found)
    bare = [{name: value for name, value in entry.items() if name != "detail"} for entry in found]
    assert _sorted(bare) == _sorted(errors)


def assert_problem(response: TestResponse, status: int, problem: str) -> None:
    """Fail unless the answer is this problem."""
    assert response.status_code == status, response.text
    assert response.content_type == "application/problem+json"
    body = response.get_json()
    assert (body["type"], body["status"]) == (f"/problems/{problem}", status)


def score(client: FlaskClient, document: Any = ROUND) -> dict[str, Any]:
    """Score a round that is valid."""
    response = client.post("/v1/score", json=document)
    assert response.status_code == 200, response.text
    result: dict[str, Any] = response.get_json()
    return result


def post_round(client: FlaskClient, path: str = "/v1/rounds", document: Any = ROUND) -> dict[str, Any]:
    """Post a round that is valid, on its own or to the match of a path."""
    response = client.post(path, json=document)
    assert response.status_code == 201, response.text
    kept: dict[str, Any] = response.get_json()
    return kept


def _sorted(errors: Any) -> list[dict[str, Any]]:
    return sorted(errors, key=lambda entry: (entry["pointer"], entry["code"], str(entry)))
