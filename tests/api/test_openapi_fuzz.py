"""Schemathesis over the application against its own OpenAPI document, with a key to everything."""

import json
from collections.abc import Callable, Mapping
from typing import Any

import pytest
import schemathesis
from flask import Flask
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from schemathesis import GenerationMode
from schemathesis.checks import CHECKS, load_all_checks

from service.api.openapi import document
from service.record import keys
from tests.api.requests import PLAYERS, ROUND

load_all_checks()

EXAMPLES = 25
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
NOT_OF_LINES = CHECKS.get_by_names(["negative_data_rejection"])
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
        excluded = [*NOT_PROMISED, *(NOT_OF_LINES if case.media_type == NDJSON else [])]
        case.call_and_validate(headers=headers, excluded_checks=excluded)

    answers()
