"""The shape of problems, their pages, and who is let in."""

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient

from app import create_app
from schemas.mistakes import CODES
from service.api import openapi
from service.api.calls import CALLS, Call
from service.api.problems import PROBLEMS, RETRY_SECONDS
from service.database import Database
from service.record import keys
from tests.api.conftest import CheckedClient
from tests.api.requests import ROUND, assert_problem

assert openapi.document()  # importing it has filled the list of calls

NOTHING = "01890a5d-ac96-774b-bcce-b302099a8057"
NOWHERE = "postgresql://susun@127.0.0.1:1/susun"


# --- shape -------------------------------------------------------------------------------------------


def unauthorized(client: FlaskClient) -> Any:
    return client.post("/v1/score", json=ROUND, headers={"Authorization": ""})


REFUSALS: dict[str, tuple[str, Callable[[FlaskClient], Any]]] = {
    "400": (
        "malformed-request",
        lambda c: c.post("/v1/score", data="{", content_type="application/json"),
    ),
    "401": ("unauthorized", unauthorized),
    "404 of an id": ("not-found", lambda c: c.get(f"/v1/rounds/{NOTHING}")),
    "404 of an address": ("not-found", lambda c: c.get("/v1/nothing/a%20b/é")),
    "405": ("method-not-allowed", lambda c: c.put("/v1/score")),
    "413": (
        "payload-too-large",
        lambda c: c.post("/v1/score", data=" " * 70_000, content_type="application/json"),
    ),
    "415": ("unsupported-media-type", lambda c: c.post("/v1/score", data="{}")),
    "422 of a round": ("invalid-round", lambda c: c.post("/v1/score", json={})),
    "422 of a query": ("invalid-request", lambda c: c.get("/v1/rounds?limit=0")),
}


@pytest.mark.parametrize(("problem", "send"), REFUSALS.values(), ids=REFUSALS)
def test_every_problem_has_the_same_shape(client: FlaskClient, problem: str, send: Any) -> None:
    response = send(client)
    status, title, _about = PROBLEMS[problem]
    assert_problem(response, status, problem)
    body = response.get_json()
    assert body["title"] == title
    assert body["detail"] and "{" not in body["detail"]
    assert response.request.path.startswith("/v1/") and body["instance"].startswith("/v1/")
    assert body["request_id"] == response.headers["X-Request-ID"]
    assert response.headers["X-Content-Type-Options"] == "nosniff"
    assert list(body)[:6] == ["type", "title", "status", "detail", "instance", "request_id"]


def test_instance_is_the_path_as_a_uri_reference(client: FlaskClient) -> None:
    assert client.get("/v1/rounds/a%20b%00é?x=1").get_json()["instance"] == "/v1/rounds/a%20b%00%C3%A9"


def test_an_unexpected_fault_is_a_problem_that_tells_nothing(
    database: Database, database_url: str, caplog: pytest.LogCaptureFixture
) -> None:
    app = create_app({"database_url": database_url})

    @app.get("/fault")
    def fault() -> str:
        raise RuntimeError("a secret {in} braces")

    response = app.test_client().get("/fault", headers={"X-Request-ID": "r-1"})
    assert_problem(response, 500, "internal-error")
    assert "secret" not in response.text
    assert response.get_json()["request_id"] == "r-1"
    assert "r-1" in caplog.text and "unexpected error" in caplog.text


class TestWithoutADatabase:
    @pytest.fixture
    def lonely(self) -> FlaskClient:
        app = create_app({"database_url": NOWHERE})
        app.test_client_class = CheckedClient
        return app.test_client()

    @pytest.mark.parametrize("path", ["/readyz", "/v1/rounds"])
    def test_the_answer_is_503_with_retry_after(self, lonely: FlaskClient, path: str) -> None:
        response = lonely.get(path, headers={"Authorization": "Bearer susun_a_b"})
        assert_problem(response, 503, "database-away")
        assert response.headers["Retry-After"] == str(RETRY_SECONDS)
        assert "127.0.0.1" not in response.text

    @pytest.mark.parametrize("path", ["/livez", "/openapi.json", "/docs", "/problems"])
    def test_what_needs_none_is_served(self, lonely: FlaskClient, path: str) -> None:
        response = lonely.get(path)
        assert response.status_code == 200
        response.close()

    def test_without_a_key_it_is_not_asked(self, lonely: FlaskClient) -> None:
        assert_problem(lonely.get("/v1/rounds"), 401, "unauthorized")


# --- the request's id --------------------------------------------------------------------------------


@pytest.mark.parametrize("given", ["a", "A-1_b.c", "0" * 64, "6f1c5c6e-0d0e-4f5e-9f3b-1f1b0f3b7a55"])
def test_a_plain_request_id_is_echoed(client: FlaskClient, given: str) -> None:
    for path in ("/livez", "/v1/rounds", "/v1/nothing"):
        response = client.get(path, headers={"X-Request-ID": given})
        assert response.headers["X-Request-ID"] == given
        assert response.get_json().get("request_id", given) == given


@pytest.mark.parametrize("given", ["", "a b", "0" * 65, "é", "a;b", "<script>", "{x}", "a/b"], ids=repr)
def test_another_request_id_is_replaced(client: FlaskClient, given: str) -> None:
    header = client.get("/livez", headers={"X-Request-ID": given}).headers["X-Request-ID"]
    assert header != given and len(header) == 32 and header.isalnum()


def test_requests_without_an_id_get_one_each(client: FlaskClient) -> None:
    assert len({client.get("/livez").headers["X-Request-ID"] for _ in range(5)}) == 5


# --- pages -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", PROBLEMS)
def test_every_problem_has_a_page(anonymous: FlaskClient, name: str) -> None:
    response = anonymous.get(f"/problems/{name}")
    assert (response.status_code, response.mimetype) == (200, "text/html")
    status, title, _about = PROBLEMS[name]
    assert f"<h1>{title}</h1>" in response.text
    assert f"HTTP {status}" in response.text
    assert f'href="/problems/{name}"' in anonymous.get("/problems").text


@pytest.mark.parametrize("code", CODES)
def test_every_code_has_a_page_and_an_anchor(anonymous: FlaskClient, code: str) -> None:
    for name in (code, code.replace("_", "-")):
        response = anonymous.get(f"/problems/{name}")
        assert (response.status_code, response.mimetype) == (200, "text/html")
        # A problem with the name of its only code has the page.
        assert f"<h1>{PROBLEMS[name][1] if name in PROBLEMS else code}</h1>" in response.text
    for problem in ("invalid-round", "invalid-request"):
        assert f'id="{code}"' in anonymous.get(f"/problems/{problem}").text


@pytest.mark.parametrize(
    "name", ["nothing", "INVALID-ROUND", "invalid-round.html", "%00", "<b>", "{name}"]
)
def test_what_is_no_problem_has_no_page(anonymous: FlaskClient, name: str) -> None:
    assert_problem(anonymous.get(f"/problems/{name}"), 404, "not-found")


@pytest.mark.parametrize("path", ["/problems", "/problems/invalid-round", "/problems/card-unknown"])
def test_pages_load_nothing_and_run_nothing(anonymous: FlaskClient, path: str) -> None:
    response = anonymous.get(path)
    policy = response.headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy and "script-src" not in policy
    assert "<script" not in response.text and "http:" not in response.text


def test_every_code_in_the_source_is_documented() -> None:
    source = "".join(
        path.read_text("utf-8")
        for part in ("schemas", "service/api")
        for path in (Path(openapi.__file__).parents[2] / part).rglob("*.py")
    )
    for code in CODES:
        assert f'Mistake("{code}"' in source or f'"{code}"' in source, f"{code} is used nowhere"


# --- who is let in -----------------------------------------------------------------------------------


def send(client: FlaskClient, call: Call, **headers: str) -> Any:
    path = call.path.replace("<ruleset>", "bsfyi").replace("<match_id>", NOTHING)
    path = path.replace("<round_id>", NOTHING).replace("<player>", "nobody")
    path = path.replace("<tournament_id>", NOTHING).replace("<stage>", "1")
    return client.open(path, method=call.method, json={} if call.body else None, headers=headers)


def named(call: Call) -> str:
    return f"{call.method} {call.path}"


#: Of every call the one scope that lets in, and what `send` is then answered: its body is empty, and
#: nothing has such an id. Whoever adds a call says here who may call it.
MATRIX: dict[str, tuple[str | None, int]] = {
    "GET /v1/rounds/<round_id>/audit": ("read", 404),
    "GET /v1/matches/<match_id>/audit": ("read", 404),
    "GET /v1/tournaments/<tournament_id>/audit": ("read", 404),
    "POST /v1/matches": ("write", 422),
    "GET /v1/matches": ("read", 200),
    "GET /v1/matches/<match_id>": ("read", 404),
    "POST /v1/matches/<match_id>/rounds": ("write", 404),
    "GET /v1/matches/<match_id>/rounds": ("read", 404),
    "POST /v1/matches/<match_id>/finish": ("write", 404),
    "POST /v1/matches/<match_id>/adjustments": ("write", 404),
    "POST /v1/tournaments": ("write", 422),
    "GET /v1/tournaments": ("read", 200),
    "GET /v1/tournaments/<tournament_id>": ("read", 404),
    "POST /v1/tournaments/<tournament_id>/players": ("write", 404),
    "GET /v1/tournaments/<tournament_id>/players": ("read", 404),
    "POST /v1/tournaments/<tournament_id>/withdrawals": ("write", 404),
    "POST /v1/tournaments/<tournament_id>/stages": ("write", 404),
    "GET /v1/tournaments/<tournament_id>/stages/<stage>": ("read", 404),
    "GET /v1/tournaments/<tournament_id>/standings": ("read", 404),
    "POST /v1/tournaments/<tournament_id>/adjustments": ("write", 404),
    "POST /v1/tournaments/<tournament_id>/finish": ("write", 404),
    "GET /v1/tournaments/<tournament_id>/events": ("read", 404),
    "GET /metrics": ("read", 200),
    "GET /v1/players/<player>": ("read", 404),
    "GET /v1/players/<player>/rounds": ("read", 200),
    "POST /v1/score": ("score", 422),
    "POST /v1/arrangements/check": ("score", 422),
    "POST /v1/arrangements/suggest": ("score", 422),
    "POST /v1/imports": ("admin", 415),
    "POST /v1/rounds": ("write", 422),
    "GET /v1/rounds": ("read", 200),
    "GET /v1/rounds/<round_id>": ("read", 404),
    "GET /v1/rounds/<round_id>/revisions": ("read", 404),
    "GET /v1/rounds/<round_id>/revisions/<revision>": ("read", 404),
    "POST /v1/rounds/<round_id>/corrections": ("write", 404),
    "POST /v1/rounds/<round_id>/void": ("write", 404),
    "GET /v1/rulesets": ("read", 200),
    "GET /v1/rulesets/<ruleset>": ("read", 200),
    "POST /v1/rulesets": ("write", 422),
    "GET /livez": (None, 200),
    "GET /readyz": (None, 200),
}
CLOSED = [call for call in CALLS if call.scope]
OPEN = [call for call in CALLS if not call.scope]
CREDENTIALS = {
    "no key": "",
    "an empty key": "Bearer ",
    "another scheme": "Basic c3VzdW46c3VzdW4=",
    "a key without scheme": "{key}",
    "an unknown key": "Bearer susun_000000000000_unknown",
    "a known prefix with another secret": "Bearer {key}x",
    "a key of another make": "Bearer x{key}",
    "a key that is no ASCII": "Bearer {key}é",
    "a prefix alone": "Bearer susun",
}


def test_every_call_has_its_row_and_no_row_is_of_none() -> None:
    assert {named(call): call.scope for call in CALLS} == {
        name: scope for name, (scope, _) in MATRIX.items()
    }
    assert len(MATRIX) == len(CALLS)


def test_what_is_documented_is_what_the_matrix_says() -> None:
    """The description names the scope; 401, 403 and 429 are documented where a key is needed."""
    for call in CALLS:
        path = call.path.replace("<", "{").replace(">", "}")
        operation = openapi.document()["paths"][path][call.method.lower()]
        scope, status = MATRIX[named(call)]
        assert str(status) in operation["responses"]
        assert ("security" in operation) == (scope is not None)
        assert {"401", "403", "429"} & set(operation["responses"]) == (
            {"401", "403", "429"} if scope else set()
        )
        assert scope is None or f"`{scope}`" in operation["description"]


def test_every_route_is_a_call_or_a_document(app: Flask) -> None:
    """What the matrix below goes over is all that there is."""
    documents = {"/", "/openapi.json", "/docs", "/docs/<path:name>", "/problems", "/problems/<name>"}
    routes = {
        (method, rule.rule)
        for rule in app.url_map.iter_rules()
        for method in (rule.methods or set()) - {"HEAD", "OPTIONS"}
    }
    assert routes == {(call.method, call.path) for call in CALLS} | {("GET", path) for path in documents}


@pytest.mark.parametrize("call", OPEN, ids=named)
def test_open_calls_need_no_key_and_look_at_none(anonymous: FlaskClient, call: Call) -> None:
    for authorization in CREDENTIALS.values():
        response = send(anonymous, call, Authorization=authorization)
        assert response.status_code == MATRIX[named(call)][1]


@pytest.mark.parametrize("call", CLOSED, ids=named)
@pytest.mark.parametrize("credentials", CREDENTIALS.values(), ids=CREDENTIALS)
def test_calls_refuse_who_sends_no_valid_key(
    anonymous: FlaskClient, make_key: Callable[..., str], stored: Any, call: Call, credentials: str
) -> None:
    authorization = credentials.format(key=make_key(*keys.SCOPES))
    response = send(anonymous, call, Authorization=authorization)
    assert_problem(response, 401, "unauthorized")
    sent_a_key = authorization.startswith("Bearer ") and authorization != "Bearer "
    challenge = 'Bearer realm="susun"' + (', error="invalid_token"' if sent_a_key else "")
    assert response.headers["WWW-Authenticate"] == challenge
    assert stored() == 0


@pytest.mark.parametrize("call", CLOSED, ids=named)
def test_calls_refuse_a_revoked_key(
    anonymous: FlaskClient, make_key: Callable[..., str], database: Database, call: Call
) -> None:
    authorization = f"Bearer {make_key(*keys.SCOPES, name='gone')}"
    assert send(anonymous, call, Authorization=authorization).status_code == MATRIX[named(call)][1]
    with database.transaction() as connection:
        keys.revoke(connection, "gone")
    response = send(anonymous, call, Authorization=authorization)
    assert_problem(response, 401, "unauthorized")
    assert response.headers["WWW-Authenticate"] == 'Bearer realm="susun", error="invalid_token"'


@pytest.mark.parametrize("call", CLOSED, ids=named)
def test_calls_refuse_an_expired_key(
    anonymous: FlaskClient, make_key: Callable[..., str], database: Database, call: Call
) -> None:
    authorization = f"Bearer {make_key(*keys.SCOPES, name='old')}"
    assert send(anonymous, call, Authorization=authorization).status_code == MATRIX[named(call)][1]
    with database.transaction() as connection:
        keys.rotate(connection, "old", keep=timedelta())
    response = send(anonymous, call, Authorization=authorization)
    assert_problem(response, 401, "unauthorized")
    assert response.headers["WWW-Authenticate"] == 'Bearer realm="susun", error="invalid_token"'


@pytest.mark.parametrize("call", CLOSED, ids=named)
@pytest.mark.parametrize("scope", keys.SCOPES)
def test_calls_want_the_one_scope_that_is_documented(
    client_with: Callable[..., FlaskClient], call: Call, scope: str
) -> None:
    response = send(client_with(scope), call)
    wanted, status = MATRIX[named(call)]
    if scope == wanted:
        assert response.status_code == status
        return
    assert_problem(response, 403, "forbidden")
    assert response.get_json()["scope"] == wanted
    challenge = f'Bearer realm="susun", error="insufficient_scope", scope="{wanted}"'
    assert response.headers["WWW-Authenticate"] == challenge


@pytest.mark.parametrize("call", CLOSED, ids=named)
def test_a_key_without_scopes_may_do_nothing(
    client_with: Callable[..., FlaskClient], call: Call
) -> None:
    assert_problem(send(client_with(), call), 403, "forbidden")


@pytest.mark.parametrize("scheme", ["bearer", "BEARER", "Bearer"])
def test_the_scheme_is_taken_in_any_case(
    anonymous: FlaskClient, make_key: Callable[..., str], scheme: str
) -> None:
    headers = {"Authorization": f"{scheme} {make_key('read')}"}
    assert anonymous.get("/v1/rounds", headers=headers).status_code == 200


def test_a_key_in_the_address_is_none(anonymous: FlaskClient, make_key: Callable[..., str]) -> None:
    assert_problem(anonymous.get(f"/v1/rounds?key={make_key('read')}"), 401, "unauthorized")
