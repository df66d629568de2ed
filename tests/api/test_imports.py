"""Who may bring matches in, and as what."""

import json
from collections.abc import Callable

import pytest
from flask.testing import FlaskClient

from service.api.examples import EXAMPLE_LINES
from tests.api.requests import assert_problem
from tests.record.test_imports import MATCHES, NDJSON, bring_in, statuses


def test_only_lines_are_taken_and_only_from_who_may(
    client: FlaskClient, client_with: Callable[..., FlaskClient]
) -> None:
    assert_problem(client.post("/v1/imports", json=MATCHES[0]), 415, "unsupported-media-type")
    response = client_with("write", "read", "score").post("/v1/imports", data=b"", content_type=NDJSON)
    assert_problem(response, 403, "forbidden")
    assert_problem(client.post("/v1/imports?x=1", data=b"", content_type=NDJSON), 422, "invalid-request")
    assert bring_in(client, b"")[-1]["count"] == 0
    assert statuses(bring_in(client_with("admin"), MATCHES[:1])) == ["imported"]


@pytest.mark.parametrize("language", ["en", "id"])
def test_what_is_answered_is_as_documented_in_any_language(client: FlaskClient, language: str) -> None:
    client.environ_base["HTTP_ACCEPT_LANGUAGE"] = language
    lines = [MATCHES[0], MATCHES[0], {**MATCHES[0], "stake": 1}, {"key": "x", "y": 1}]
    assert statuses(bring_in(client, lines)) == ["imported", "unchanged", "rejected", "rejected"]
    *_, last, end = bring_in(client, b"{")
    assert last["problem"]["instance"] == "/v1/imports"
    assert ("JSON" in last["problem"]["detail"]) and end["rejected"] == 1


def test_the_example_is_taken_as_it_stands(client: FlaskClient) -> None:
    assert statuses(bring_in(client, EXAMPLE_LINES["import_matches"])) == ["imported"] * 2
    body = "\n".join(json.dumps(line) for line in EXAMPLE_LINES["score"])
    response = client.post("/v1/score", data=body, content_type=NDJSON)
    assert all("duels" in json.loads(line) for line in response.data.splitlines())
