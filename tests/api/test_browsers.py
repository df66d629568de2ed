"""What browsers are told: CORS only for who is configured, and fields that keep them from mischief."""

import hashlib
import re
from base64 import b64encode
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient

from app import create_app
from service.api.browsers import READ, SENT
from service.database import Database
from service.record import keys
from tests.api.requests import ROUND, assert_problem

FRONTEND, IPV6 = "https://app.example.org", "http://[::1]:5173"
STRANGERS = [
    "https://evil.example",
    "https://app.example.org.evil.example",
    "https://appxexample.org",
    "http://app.example.org",
    "https://app.example.org:8443",
    "null",
    "http://1:5173",
    "http://::5173",
]
CORS_FIELD = re.compile("access-control-", re.IGNORECASE)


@pytest.fixture
def make_app(database: Database, database_url: str) -> Iterator[Callable[..., Flask]]:
    made: list[Flask] = []

    def make(**settings: Any) -> Flask:
        made.append(create_app({"database_url": database_url, **settings}))
        return made[-1]

    yield make
    for app in made:
        app.extensions["susun_database"].close()


@pytest.fixture
def web(make_app: Callable[..., Flask]) -> FlaskClient:
    """A client of a service that two frontends may call."""
    return make_app(cors_origins=(FRONTEND, IPV6)).test_client()


def preflight(client: FlaskClient, origin: str, path: str = "/v1/rounds", **more: str) -> Any:
    headers = {
        "Origin": origin,
        "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": "authorization, content-type, idempotency-key",
        **more,
    }
    return client.options(path, headers=headers)


def cors_of(response: Any) -> dict[str, str]:
    return {name: value for name, value in response.headers if CORS_FIELD.match(name)}


# --- CORS --------------------------------------------------------------------------------------------


def test_unless_it_is_configured_no_frontend_may_call(client: FlaskClient) -> None:
    for response in (
        preflight(client, FRONTEND),
        client.get("/v1/rounds", headers={"Origin": FRONTEND}),
        client.get("/nowhere", headers={"Origin": FRONTEND}),
    ):
        assert cors_of(response) == {}
        assert "Origin" not in response.headers["Vary"]


@pytest.mark.parametrize("origin", [FRONTEND, IPV6])
def test_a_preflight_needs_no_key_and_allows_what_clients_send(web: FlaskClient, origin: str) -> None:
    response = preflight(web, origin, **{"Access-Control-Request-Headers": ", ".join(SENT).lower()})
    assert response.status_code == 200
    found = cors_of(response)
    assert found["Access-Control-Allow-Origin"] == origin
    allowed = {name.strip().lower() for name in found["Access-Control-Allow-Headers"].split(",")}
    assert allowed == {name.lower() for name in SENT}
    assert "POST" in found["Access-Control-Allow-Methods"]
    assert int(found["Access-Control-Max-Age"]) > 0


def test_a_preflight_allows_no_other_fields(web: FlaskClient) -> None:
    response = preflight(web, FRONTEND, **{"Access-Control-Request-Headers": "x-other, authorization"})
    assert cors_of(response)["Access-Control-Allow-Headers"] == "authorization"


@pytest.mark.parametrize("path", ["/v1/rounds", "/v1/score", "/openapi.json", "/livez"])
def test_a_frontend_may_read_every_answer_and_the_fields_it_needs(
    web: FlaskClient, make_key: Callable[..., str], path: str
) -> None:
    headers = {"Origin": FRONTEND, "Authorization": f"Bearer {make_key(*keys.SCOPES)}"}
    for response in (
        web.get(path, headers=headers),
        web.post(path, json=ROUND, headers=headers),
        web.get(path, headers={"Origin": FRONTEND}),
    ):
        found = cors_of(response)
        assert found["Access-Control-Allow-Origin"] == FRONTEND
        assert set(found["Access-Control-Expose-Headers"].split(", ")) == set(READ)
        assert "Origin" in response.headers["Vary"]


def test_what_clients_need_is_among_the_fields_that_can_be_read() -> None:
    needed = {"ETag", "Link", "Location", "Retry-After", "RateLimit", "RateLimit-Policy"}
    assert needed | {"X-Request-ID", "Idempotency-Replayed"} <= set(READ)


def test_refusals_can_be_read_too(make_app: Callable[..., Flask]) -> None:
    app = make_app(cors_origins=(FRONTEND,), address_rate=1e-3, address_burst=1)
    client = app.test_client()
    statuses = []
    for path in ("/v1/rounds", "/v1/rounds"):
        response = client.get(path, headers={"Origin": FRONTEND})
        statuses.append(response.status_code)
        assert cors_of(response)["Access-Control-Allow-Origin"] == FRONTEND
    assert statuses == [401, 429]


@pytest.mark.parametrize("origin", STRANGERS)
def test_nobody_else_may(web: FlaskClient, origin: str) -> None:
    for response in (preflight(web, origin), web.get("/livez", headers={"Origin": origin})):
        assert cors_of(response) == {}
        # Or a cache would give this answer to the frontend.
        assert "Origin" in response.headers["Vary"]


@pytest.mark.parametrize("origins", [(FRONTEND,), ("*",)])
def test_cookies_and_the_like_are_never_asked_for(
    make_app: Callable[..., Flask], origins: tuple[str, ...]
) -> None:
    client = make_app(cors_origins=origins).test_client()
    for response in (preflight(client, FRONTEND), client.get("/livez", headers={"Origin": FRONTEND})):
        assert "Access-Control-Allow-Credentials" not in response.headers


def test_all_frontends_may_call_if_that_is_configured(make_app: Callable[..., Flask]) -> None:
    client = make_app(cors_origins=("*",)).test_client()
    response = client.get("/livez", headers={"Origin": "https://whoever.example"})
    assert cors_of(response)["Access-Control-Allow-Origin"] == "*"
    assert "Origin" not in response.headers["Vary"]


def test_a_preflight_is_no_way_around_the_key(web: FlaskClient) -> None:
    assert_problem(web.get("/v1/rounds", headers={"Origin": FRONTEND}), 401, "unauthorized")


# --- fields of every answer --------------------------------------------------------------------------

ANSWERS: dict[str, Callable[[FlaskClient], Any]] = {
    "an answer": lambda c: c.get("/v1/rounds"),
    "a stored round": lambda c: c.post("/v1/rounds", json=ROUND),
    "a problem": lambda c: c.post("/v1/rounds", json={}),
    "nothing there": lambda c: c.get("/nowhere"),
    "another method": lambda c: c.put("/v1/score"),
    "a stream": lambda c: c.get("/v1/rounds", headers={"Accept": "text/csv"}),
    "the document": lambda c: c.get("/openapi.json"),
    "the page": lambda c: c.get("/docs"),
    "a script of it": lambda c: c.get("/docs/start.js"),
    "a page on a problem": lambda c: c.get("/problems"),
    "a preflight": lambda c: c.options("/v1/rounds"),
    "whether it lives": lambda c: c.get("/livez"),
}


@pytest.mark.parametrize("send", ANSWERS.values(), ids=ANSWERS)
def test_every_answer_keeps_browsers_from_mischief(client: FlaskClient, send: Any) -> None:
    response = send(client)
    assert response.headers["X-Content-Type-Options"] == "nosniff"
    assert response.headers["Referrer-Policy"] == "no-referrer"
    assert response.headers["Cross-Origin-Resource-Policy"] == "same-origin"
    policy = response.headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy and "frame-ancestors 'none'" in policy
    assert "unsafe" not in policy and "*" not in policy
    assert "Cache-Control" in response.headers
    assert "Strict-Transport-Security" not in response.headers
    for name in ("Content-Security-Policy", "Cache-Control", "X-Content-Type-Options"):
        assert len(response.headers.getlist(name)) == 1
    response.close()


def test_what_has_an_etag_may_be_kept_by_who_asks_again_and_nothing_else(client: FlaskClient) -> None:
    kept = client.post("/v1/rounds", json=ROUND).get_json()["id"]
    first = client.get(f"/v1/rounds/{kept}")
    again = client.get(f"/v1/rounds/{kept}", headers={"If-None-Match": first.headers["ETag"]})
    assert again.status_code == 304
    for response in (first, again):
        assert response.headers["Cache-Control"] == "private, no-cache"
    assert client.post("/v1/score", json=ROUND).headers["Cache-Control"] == "no-store"
    assert client.get("/v1/rounds/nothing").headers["Cache-Control"] == "no-store"


def test_browsers_are_told_to_come_by_tls_if_that_is_configured(make_app: Callable[..., Flask]) -> None:
    client = make_app(hsts_seconds=31_536_000).test_client()
    for path in ("/livez", "/nowhere", "/docs"):
        response = client.get(path)
        assert response.headers["Strict-Transport-Security"] == "max-age=31536000"
        response.close()


@pytest.mark.parametrize("path", ["/docs", "/problems", "/problems/invalid-round"])
def test_no_page_has_a_script_or_a_style_that_its_policy_would_refuse(
    client: FlaskClient, path: str
) -> None:
    """Only a style whose digest the policy names may stand in a page."""
    response = client.get(path)
    page = response.get_data(as_text=True)
    assert "unsafe" not in response.headers["Content-Security-Policy"]
    assert re.findall(r"<script(?![^>]* src=)[^>]*>", page) == []
    assert re.findall(r"\s(?:style|on\w+)=", page) == []
    for style in re.findall(r"<style>(.*?)</style>", page, re.DOTALL):
        digest = b64encode(hashlib.sha256(style.encode()).digest()).decode()
        assert f"style-src 'sha256-{digest}'" in response.headers["Content-Security-Policy"]
    response.close()
