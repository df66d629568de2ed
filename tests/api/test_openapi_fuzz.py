"""Schemathesis over the application against its own OpenAPI document, with a key to everything."""

import json
from collections.abc import Callable, Mapping
from types import SimpleNamespace
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest
import schemathesis
from flask import Flask
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from schemathesis import GenerationMode
from schemathesis.checks import CHECKS, load_all_checks
from schemathesis.core.parameters import ParameterLocation

from service.api.openapi import document
from service.record import keys
from tests.api.requests import PLAYERS, ROUND

load_all_checks()

EXAMPLES = 15
CASES = [
    (method.upper(), path, mode)
    for path, operations in document()["paths"].items()
    for method, operation in operations.items()
    for mode in GenerationMode
    # Where nothing is taken, nothing can be wrong.
    if mode is GenerationMode.POSITIVE or operation["parameters"] or "requestBody" in operation
]
# That a string is a card, and no card there twice, is more than a schema says.
NOT_PROMISED = CHECKS.get_by_names(["positive_data_acceptance"])
# A wrong line is answered by a line, and not by a status.
WRONG_IS_REFUSED = CHECKS.get_by_names(["negative_data_rejection"])
NDJSON = "application/x-ndjson"


@schemathesis.serializer(NDJSON)
def as_a_line(_context: Any, value: Any) -> bytes:
    """A body of one line; what is sent is what the schema says of each."""
    return value if isinstance(value, bytes) else json.dumps(value).encode() + b"\n"


@pytest.fixture(scope="session")
def operations(shared_app: Flask) -> Any:
    """The document, read once, with the application to call."""
    return schemathesis.openapi.from_wsgi("/openapi.json", shared_app)


@pytest.fixture
def known(client: Any) -> Mapping[str, str]:
    """Ids, for paths, of what there is."""
    match = client.post("/v1/matches", json={"players": list(PLAYERS), "rounds": 1000}).get_json()
    kept = client.post(f"/v1/matches/{match['id']}/rounds", json=ROUND).get_json()
    return {"match_id": match["id"], "round_id": kept["id"], "ruleset": "panduan", "player": PLAYERS[0]}


def is_sent_as_if_right(case: Any, address: str) -> bool:
    """Whether all that is wrong with a query are unknown parameters of which its address has none.

    An empty list is not sent at all. Wrong bodies and paths are wrong all the same; of header fields
    only the key is required, and that is given.
    """
    declared = {parameter.name for parameter in case.operation.query}
    unknown = set(case.query or ()) - declared
    sent = {name for name, _ in parse_qsl(urlsplit(address).query, keep_blank_values=True)}
    elsewhere = (ParameterLocation.BODY, ParameterLocation.PATH)
    parts = case.meta.components if case.meta else {}
    wrong = any(place in parts and parts[place].mode is GenerationMode.NEGATIVE for place in elsewhere)
    return bool(unknown) and not unknown & sent and not wrong


@pytest.mark.parametrize(
    ("query", "address", "sent"),
    [
        ({"x": []}, "http://localhost/v1/rounds", True),
        ({"x": [], "limit": "2"}, "http://localhost/v1/rounds?limit=2", True),
        ({"x": [], "y": ""}, "http://localhost/v1/rounds?y=", False),
        ({"x": "1"}, "http://localhost/v1/rounds?x=1", False),
        ({"limit": []}, "http://localhost/v1/rounds", False),
        ({}, "http://localhost/v1/rounds", False),
    ],
)
def test_only_what_left_no_trace_is_let_pass(query: Any, address: str, sent: bool) -> None:
    operation = SimpleNamespace(query=[SimpleNamespace(name="limit")])
    assert (
        is_sent_as_if_right(SimpleNamespace(query=query, operation=operation, meta=None), address)
        is sent
    )
    body = {ParameterLocation.BODY: SimpleNamespace(mode=GenerationMode.NEGATIVE)}
    wrong = SimpleNamespace(query=query, operation=operation, meta=SimpleNamespace(components=body))
    assert not is_sent_as_if_right(wrong, address)


@pytest.mark.parametrize(
    ("method", "path", "mode"), CASES, ids=lambda part: getattr(part, "value", part)
)
def test_every_answer_is_as_documented(
    operations: Any,
    make_key: Callable[..., str],
    known: Mapping[str, str],
    method: str,
    path: str,
    mode: Any,
) -> None:
    headers = {"Authorization": f"Bearer {make_key(*keys.SCOPES)}"}
    operation = operations[path][method]

    @settings(
        max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck), database=None
    )
    @given(case=operation.as_strategy(generation_mode=mode), of_known=st.booleans())
    def answers(case: Any, of_known: bool) -> None:
        if of_known and mode is GenerationMode.POSITIVE:
            for name in set(case.path_parameters or {}) & set(known):
                case.path_parameters[name] = known[name]
        response = case.call(headers=headers)
        of_lines = case.media_type == NDJSON
        # Schemathesis does not count 413 among refusals, which it is: whatever is wrong in such a body.
        unjudged = (
            of_lines
            or response.status_code == 413
            or is_sent_as_if_right(case, str(response.request.url))
        )
        excluded = [*NOT_PROMISED, *(WRONG_IS_REFUSED if unjudged else [])]
        transport = {"headers": headers}
        case.validate_response(
            response, headers=headers, excluded_checks=excluded, transport_kwargs=transport
        )

    answers()
