"""Addresses, methods and query parameters that are wrong."""

import re
from collections.abc import Callable
from typing import Any
from uuid import UUID

import pytest
from flask.testing import FlaskClient

from service.api import openapi
from service.api.calls import CALLS
from tests.api.requests import ROUND, assert_invalid, assert_problem, error, post_round

assert openapi.document()  # importing it has filled the list of calls

NOTHING = "01890a5d-ac96-774b-bcce-b302099a8057"
PATHS = sorted({call.path.replace("<ruleset>", "bsfyi") for call in CALLS})
WITH_ID = [
    ("GET", "/v1/rounds/{}"),
    ("GET", "/v1/matches/{}"),
    ("GET", "/v1/matches/{}/rounds"),
    ("POST", "/v1/matches/{}/rounds"),
]


def fill(path: str) -> str:
    return re.sub(r"<\w+_id>", NOTHING, path).replace("<stage>", "1")


@pytest.mark.parametrize("path", PATHS)
def test_another_method_is_refused_and_allow_lists_those_there_are(
    client: FlaskClient, path: str
) -> None:
    allowed = {"OPTIONS"}
    for call in CALLS:
        if call.path.replace("<ruleset>", "bsfyi") == path:
            allowed |= {"GET", "HEAD"} if call.method == "GET" else {call.method}
    for method in {"GET", "POST", "PUT", "PATCH", "DELETE"} - allowed:
        response = client.open(fill(path), method=method)
        assert_problem(response, 405, "method-not-allowed")
        assert set(response.headers["Allow"].split(", ")) == allowed


@pytest.mark.parametrize("method", ["GET", "POST", "DELETE"])
@pytest.mark.parametrize(
    "path", ["/v1", "/v2/score", "/v1/score/", "/v1/Score", "/v1/rulesets/bsfyi/1", "/favicon.ico"]
)
def test_an_address_of_nothing_is_not_found(client: FlaskClient, method: str, path: str) -> None:
    assert_problem(client.open(path, method=method), 404, "not-found")


@pytest.mark.parametrize(("method", "path"), WITH_ID, ids=lambda part: part)
@pytest.mark.parametrize(
    "identifier",
    [
        "1",
        "null",
        NOTHING[:-1],
        NOTHING + "0",
        NOTHING.replace("-", ""),
        "{" + NOTHING + "}",
        "urn:uuid:" + NOTHING,
        NOTHING.replace("0", "g"),
        NOTHING.replace("0", "٠"),
        "%00",
        "%ff",
        NOTHING + "%0A",
        "andi budi",
        "é",
    ],
)
def test_an_id_that_is_no_uuid_is_not_found(
    client: FlaskClient, method: str, path: str, identifier: str
) -> None:
    response = client.open(path.format(identifier), method=method, json=ROUND)
    assert_problem(response, 404, "not-found")
    assert response.get_json()["instance"].isascii()


@pytest.mark.parametrize(("method", "path"), WITH_ID, ids=lambda part: part)
@pytest.mark.parametrize(
    "identifier", [NOTHING, NOTHING.upper(), str(UUID(int=0)), str(UUID(int=2**128 - 1))]
)
def test_the_id_of_nothing_is_not_found(
    client: FlaskClient, stored: Any, method: str, path: str, identifier: str
) -> None:
    assert_problem(client.open(path.format(identifier), method=method, json=ROUND), 404, "not-found")
    assert stored() == 0


def test_the_id_of_a_match_is_none_of_a_round(
    client: FlaskClient, open_match: Callable[..., Any]
) -> None:
    match = open_match()
    kept = post_round(client)
    assert_problem(client.get(f"/v1/rounds/{match['id']}"), 404, "not-found")
    assert_problem(client.get(f"/v1/matches/{kept['id']}"), 404, "not-found")


def test_ids_are_taken_in_any_case(client: FlaskClient) -> None:
    kept = post_round(client)
    assert client.get(f"/v1/rounds/{kept['id'].upper()}").get_json() == kept


@pytest.mark.parametrize(
    "name", ["nope", "BSFYI", "bsfyi%20", "%00", "bs%00fyi", "%ff", "x" * 2000, "bsfyi%2F1"]
)
def test_an_unknown_rule_set_is_not_found(client: FlaskClient, name: str) -> None:
    assert_problem(client.get(f"/v1/rulesets/{name}"), 404, "not-found")


@pytest.mark.parametrize("call", CALLS, ids=lambda call: f"{call.method} {call.path}")
@pytest.mark.parametrize("name", ["x", "Limit", "", "\0", "limit[]"], ids=repr)
def test_an_unknown_parameter_is_refused(client: FlaskClient, stored: Any, call: Any, name: str) -> None:
    path = fill(call.path).replace("<ruleset>", "bsfyi")
    sent: dict[str, Any] = {"json": ROUND} if call.body else {}
    if call.lines and not call.body:
        sent = {"data": b"", "content_type": "application/x-ndjson"}
    response = client.open(path, method=call.method, query_string={name: "1"}, **sent)
    assert_invalid(response, "invalid-request", error("field_unknown", "", parameter=name))
    assert stored() == 0


# What comes as a stream, too, may be asked for at any length.
MOST_ITEMS = {"/v1/rounds": 10**12, "/v1/matches": 500}
BAD_PARAMETERS: dict[str, tuple[str, list[dict[str, Any]]]] = {
    "limit 0": ("limit=0", [{"least": 1, "most": MOST_ITEMS, "parameter": "limit"}]),
    "limit of letters": ("limit=abc", [{"parameter": "limit"}]),
    "limit below zero": ("limit=-1", [{"parameter": "limit"}]),
    "limit with a sign": ("limit=%2B5", [{"parameter": "limit"}]),
    "limit with a point": ("limit=1.0", [{"parameter": "limit"}]),
    "limit with a space": ("limit=5%20", [{"parameter": "limit"}]),
    "limit with an underscore": ("limit=1_0", [{"parameter": "limit"}]),
    "limit in Arabic digits": ("limit=٥", [{"parameter": "limit"}]),
    "limit a superscript": ("limit=²", [{"parameter": "limit"}]),
    "limit of 5,000 digits": ("limit=" + "9" * 5000, [{"parameter": "limit"}]),
    "limit blank": ("limit=", [{"parameter": "limit"}]),
    "limit twice": ("limit=5&limit=6", [{"parameter": "limit"}]),
    "limit twice the same": ("limit=5&limit=5", [{"parameter": "limit"}]),
    "cursor blank": ("cursor=", [{"parameter": "cursor"}]),
    "cursor of garbage": ("cursor=garbage", [{"parameter": "cursor"}]),
    "cursor of an id": (f"cursor={NOTHING}", [{"parameter": "cursor"}]),
    "cursor that is no ASCII": ("cursor=é", [{"parameter": "cursor"}]),
    "cursor of no Base64": ("cursor=%25%25%25", [{"parameter": "cursor"}]),
    "cursor of Base64 that is no ASCII": ("cursor=____", [{"parameter": "cursor"}]),
    "cursor with NUL": ("cursor=a%00", [{"parameter": "cursor", "character": "U+0000"}]),
    "cursor too long": ("cursor=" + "a" * 201, [{"parameter": "cursor", "most": 200}]),
    "player blank": ("player=", [{"parameter": "player"}]),
    "player too long": ("player=" + "a" * 65, [{"parameter": "player", "most": 64}]),
    "player with NUL": ("player=%00", [{"parameter": "player", "character": "U+0000"}]),
    "player twice": ("player=a&player=b", [{"parameter": "player"}]),
    "two at once": (
        "limit=0&cursor=",
        [{"least": 1, "most": MOST_ITEMS, "parameter": "limit"}, {"parameter": "cursor"}],
    ),
}


@pytest.mark.parametrize("path", MOST_ITEMS)
@pytest.mark.parametrize(("query", "parameters"), BAD_PARAMETERS.values(), ids=BAD_PARAMETERS)
def test_wrong_parameters_of_lists_are_refused(
    client: FlaskClient, path: str, query: str, parameters: list[dict[str, Any]]
) -> None:
    errors = [error("field_invalid", "", **entry) for entry in parameters]
    for entry in errors:
        if entry.get("most") is MOST_ITEMS:
            entry["most"] = MOST_ITEMS[path]
    assert_invalid(client.get(f"{path}?{query}"), "invalid-request", *errors)


@pytest.mark.parametrize(
    "value", ["", "1", "%00", NOTHING[:-1], NOTHING.replace("-", ""), "0_" + NOTHING[2:]]
)
def test_a_match_to_filter_by_is_a_uuid(client: FlaskClient, value: str) -> None:
    response = client.get(f"/v1/rounds?match={value}")
    assert_invalid(response, "invalid-request", error("field_invalid", "", parameter="match"))


@pytest.mark.parametrize("value", ["0", "abc", "-1", "1.0", ""])
def test_a_version_is_a_whole_number(client: FlaskClient, value: str) -> None:
    response = client.get(f"/v1/rulesets/bsfyi?version={value}")
    assert_problem(response, 422, "invalid-request")
    assert [(entry["code"], entry["parameter"]) for entry in response.get_json()["errors"]] == [
        ("field_invalid", "version")
    ]


@pytest.mark.parametrize("version", ["2", "1000000", "99999999999999999999"])
def test_a_version_that_is_not_there_is_not_found(client: FlaskClient, version: str) -> None:
    assert_problem(client.get(f"/v1/rulesets/bsfyi?version={version}"), 404, "not-found")


def test_unknown_and_wrong_parameters_are_reported_together(client: FlaskClient) -> None:
    assert_invalid(
        client.get("/v1/rounds?limit=0&x=1&match=1&player=a&player=b"),
        "invalid-request",
        error("field_invalid", "", least=1, most=10**12, parameter="limit"),
        error("field_unknown", "", parameter="x"),
        error("field_invalid", "", parameter="match"),
        error("field_invalid", "", parameter="player"),
    )


class TestACursorOfAnotherList:
    """A cursor goes with the list and the filters that it came with."""

    @pytest.fixture
    def cursors(self, client: FlaskClient, open_match: Callable[..., Any]) -> dict[str, str]:
        """The cursor of each list, by its address; every list has more than one item."""
        match = open_match(players=["None", "budi"])
        open_match(players=["None", "budi"])
        seats = [{**ROUND["seats"][0], "player": "None"}, ROUND["seats"][1]]
        for _ in range(2):
            post_round(client, f"/v1/matches/{match['id']}/rounds", {"seats": seats})
        addresses = [
            "/v1/rounds?",
            "/v1/rounds?player=budi",
            "/v1/rounds?player=None",
            f"/v1/rounds?match={match['id']}",
            f"/v1/rounds?match={match['id']}&player=budi",
            "/v1/matches?",
            "/v1/matches?player=budi",
            "/v1/matches?player=None",
        ]
        return {
            address: client.get(f"{address}&limit=1").get_json()["next_cursor"] for address in addresses
        }

    def test_is_refused(self, client: FlaskClient, cursors: dict[str, str]) -> None:
        for address in cursors:
            for owner, cursor in cursors.items():
                response = client.get(f"{address}&limit=1&cursor={cursor}")
                if owner == address:
                    assert response.status_code == 200
                else:
                    expected = error("field_invalid", "", parameter="cursor")
                    assert_invalid(response, "invalid-request", expected)
