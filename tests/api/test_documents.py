"""The documents: OpenAPI, the page made from it, and whether the service lives."""

import json
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import urljoin, urlsplit

import pytest
from flask.testing import FlaskClient
from openapi_spec_validator import OpenAPIV31SpecValidator

from service.api.calls import CALLS
from service.api.examples import EXAMPLES
from service.api.openapi import document, problems_of
from service.api.problems import PROBLEMS
from tests.api.requests import post_round

COMMITTED = Path(__file__).parents[2] / "openapi.json"
ORIGIN = "http://susun.example"


def test_the_served_openapi_document_is_the_committed_one(anonymous: FlaskClient) -> None:
    response = anonymous.get("/openapi.json")
    assert response.content_type == "application/json"
    assert response.get_json() == json.loads(COMMITTED.read_text("utf-8")), "run `make openapi`"


def test_the_openapi_document_is_valid() -> None:
    OpenAPIV31SpecValidator(document()).validate()


def test_every_call_is_described() -> None:
    described = {
        (method.upper(), path.replace("{", "<").replace("}", ">"))
        for path, operations in document()["paths"].items()
        for method in operations
    }
    assert described == {(call.method, call.path) for call in CALLS}
    names = [call.name for call in CALLS]
    assert len(set(names)) == len(names)


@pytest.mark.parametrize("call", CALLS, ids=lambda call: f"{call.method} {call.path}")
def test_a_call_is_described_in_full(call: Any) -> None:
    path = call.path.replace("<", "{").replace(">", "}")
    operation = document()["paths"][path][call.method.lower()]
    assert (operation["operationId"], operation["summary"]) == (call.name, call.summary)
    statuses = {str(PROBLEMS[name][0]) for name in problems_of(call)}
    known = 304 if call.conditional else None
    answered = {str(status) for status in (call.status, call.again, known) if status}
    assert set(operation["responses"]) == answered | statuses
    assert ("security" in operation) == (call.scope is not None)
    assert ("requestBody" in operation) == bool(call.body or call.lines)
    in_path = {p["name"] for p in operation["parameters"] if p["in"] == "path"}
    assert in_path == set(re.findall(r"<(\w+)>", call.path))
    if call.scope:
        assert f"`{call.scope}`" in operation["description"]


def test_every_operation_is_told_in_words_of_its_own() -> None:
    told = {}
    for call in CALLS:
        path = call.path.replace("<", "{").replace(">", "}")
        about, *_ = document()["paths"][path][call.method.lower()]["description"].split(
            "\n\nNeeds a key"
        )
        assert len(about) > 30 and about != call.summary, call.name
        told[call.name] = about
    assert len(told) == len(CALLS)


def test_nothing_is_described_as_just_anything() -> None:
    """A field of ours that the converter was not taught has the schema ``{}``."""

    def empty(part: Any, at: str) -> Iterator[str]:
        members = part.items() if isinstance(part, dict) else enumerate(part)
        for name, value in members:
            if value == {} and name != "additionalProperties":
                yield f"{at}/{name}"
            if isinstance(value, dict | list):
                yield from empty(value, f"{at}/{name}")

    assert list(empty(document(), "#")) == []


BODIES = [call for call in CALLS if call.body]


@pytest.mark.parametrize("call", BODIES, ids=lambda call: call.name)
def test_every_body_has_an_example_that_is_taken(
    call: Any, client: FlaskClient, open_match: Any
) -> None:
    path = call.path.replace("<", "{").replace(">", "}")
    content = document()["paths"][path][call.method.lower()]["requestBody"]["content"]
    example = content["application/json"]["example"]
    ids = {"match_id": open_match()["id"]}
    ids["round_id"] = post_round(client, f"/v1/matches/{ids['match_id']}/rounds")["id"]
    if call.name == "post_match_round":
        ids["match_id"] = open_match()["id"]  # the example is of its first round
    if "tournament_id" in call.path:
        opened = client.post("/v1/tournaments", json=EXAMPLES["open_tournament"])
        ids["tournament_id"] = opened.get_json()["id"]
    headers = {"If-Match": "*"}
    response = client.open(path.format(**ids), method=call.method, json=example, headers=headers)
    assert response.status_code == call.status, response.text


class Loads(HTMLParser):
    """Collects what a page loads by itself, and whether it holds a script of its own."""

    def __init__(self) -> None:
        super().__init__()
        self.addresses: list[str] = []
        self.inline = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        address = given.get("src") or (given.get("href") if tag == "link" else None)
        if address:
            self.addresses.append(address)
        self.inline |= tag in ("script", "style") and not address
        self.inline |= any(name.startswith("on") for name in given)


@pytest.mark.parametrize("path", ["/docs", "/docs/"])
def test_the_docs_page_loads_only_from_here(anonymous: FlaskClient, path: str) -> None:
    with anonymous.get(path) as page:
        assert (page.status_code, page.mimetype) == (200, "text/html")
        loads = Loads()
        loads.feed(page.text)
    assert len(loads.addresses) >= 3 and not loads.inline
    for address in loads.addresses:
        whole = urlsplit(urljoin(ORIGIN + path, address))
        assert f"{whole.scheme}://{whole.netloc}" == ORIGIN
        with anonymous.get(whole.path) as response:
            assert response.status_code == 200
            assert len(response.data) > 0


def test_the_script_that_starts_the_page_asks_for_the_document_here(anonymous: FlaskClient) -> None:
    with anonymous.get("/docs/start.js") as script:
        assert script.mimetype in ("text/javascript", "application/javascript")
        assert "/openapi.json" in script.text
        assert "http:" not in script.text and "https:" not in script.text


def test_the_docs_page_may_load_only_from_here(anonymous: FlaskClient) -> None:
    with anonymous.get("/docs") as page:
        directives = dict(
            part.strip().split(" ", 1) for part in page.headers["Content-Security-Policy"].split(";")
        )
    assert directives["default-src"] == "'none'"
    assert directives["script-src"] == directives["connect-src"] == "'self'"
    assert directives["frame-ancestors"] == directives["base-uri"] == "'none'"
    for sources in directives.values():
        assert set(sources.split()) <= {"'self'", "'none'", "data:"}


@pytest.mark.parametrize(
    "name", ["../app.py", "..%2fapp.py", "nothing.js", "%2e%2e/pyproject.toml", "x%00"]
)
def test_the_docs_serve_no_other_files(anonymous: FlaskClient, name: str) -> None:
    assert anonymous.get(f"/docs/{name}").status_code == 404


@pytest.mark.parametrize("path", ["/livez", "/readyz"])
def test_the_service_lives_and_is_ready(anonymous: FlaskClient, path: str) -> None:
    response = anonymous.get(path)
    assert (response.status_code, response.get_json()) == (200, {"status": "ok"})


def test_head_answers_as_get_without_a_body(client: FlaskClient) -> None:
    for path in ("/livez", "/v1/rounds", "/openapi.json"):
        get, head = client.get(path), client.head(path)
        assert (head.status_code, head.data) == (200, b"")
        assert head.content_length == get.content_length
