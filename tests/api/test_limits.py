"""Limits by key and by address: told on every answer, generous, and never in the way of a fault."""

import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient

from app import create_app
from service.api import limits
from service.api.limits import COMPUTING, GUESSING, READING, STORING
from service.config import Config
from service.database import Database
from service.record import keys
from tests.api.conftest import CheckedClient
from tests.api.requests import DRAGON, ROUND, assert_problem

MakeKey = Callable[..., str]
# So slow that nothing comes back while a test runs.
BURST = 100
STRICT = {"key_rate": 1e-3, "key_burst": BURST, "address_rate": 1e-3, "address_burst": 10 * BURST}


@pytest.fixture
def make_app(database: Database, database_url: str) -> Iterator[Callable[..., Flask]]:
    """Make an application with limits of its own."""
    made: list[Flask] = []

    def make(**settings: Any) -> Flask:
        made.append(create_app({"database_url": database_url, **STRICT, **settings}))
        made[-1].test_client_class = CheckedClient
        return made[-1]

    yield make
    for app in made:
        app.extensions["susun_database"].close()


def client_of(app: Flask, token: str, address: str = "10.0.0.1") -> FlaskClient:
    client = app.test_client()
    client.environ_base["REMOTE_ADDR"] = address
    if token:
        client.environ_base["HTTP_AUTHORIZATION"] = f"Bearer {token}"
    return client


def left(response: Any, name: str) -> int:
    """What the answer says is left."""
    (found,) = re.findall(rf'"{name}";r=(\d+);t=\d+', response.headers["RateLimit"])
    return int(found)


@pytest.fixture
def client(make_app: Callable[..., Flask], make_key: MakeKey) -> FlaskClient:
    return client_of(make_app(), make_key(*keys.SCOPES))


# --- what is told ------------------------------------------------------------------------------------


def test_every_answer_tells_the_policy_and_what_is_left(client: FlaskClient) -> None:
    for send in (
        lambda: client.get("/v1/rounds"),
        lambda: client.get("/v1/rounds/nothing"),
        lambda: client.get("/nowhere"),
        lambda: client.put("/v1/score"),
        lambda: client.post("/v1/score", json={}),
        lambda: client.get("/openapi.json"),
        lambda: client.get("/problems"),
    ):
        response = send()
        policy = '"address";q=1000;w=1000000, "key";q=100;w=100000'
        assert response.headers["RateLimit-Policy"] == policy
        assert re.fullmatch(r'"address";r=\d+;t=\d+, "key";r=\d+;t=\d+', response.headers["RateLimit"])


@pytest.mark.parametrize("path", ["/livez", "/readyz"])
def test_who_asks_whether_it_lives_is_never_limited(
    make_app: Callable[..., Flask], make_key: MakeKey, path: str
) -> None:
    client = client_of(make_app(address_burst=BURST), make_key(*keys.SCOPES))
    for _ in range(BURST + 1):
        response = client.get(path)
        assert response.status_code in (200, 503)  # on a machine that is busy it may be too late
    assert "RateLimit" not in response.headers and "RateLimit-Policy" not in response.headers


def test_without_a_key_only_the_address_is_told(make_app: Callable[..., Flask]) -> None:
    response = client_of(make_app(), "").get("/problems")
    assert '"key"' not in response.headers["RateLimit"]
    assert left(response, "address") == 10 * BURST - READING


def test_limits_that_are_off_are_not_told(make_app: Callable[..., Flask], make_key: MakeKey) -> None:
    client = client_of(make_app(key_rate=None), make_key("read"))
    for _ in range(BURST + 1):
        response = client.get("/v1/rounds")
        assert response.status_code == 200
    assert '"key"' not in response.headers["RateLimit"] + response.headers["RateLimit-Policy"]
    client = client_of(make_app(key_rate=None, address_rate=None), make_key("read"))
    assert "RateLimit-Policy" not in client.get("/v1/rounds").headers


# --- what calls cost ---------------------------------------------------------------------------------

OPEN_MATCH = {"players": ["andi", "budi"]}
CARDS = {"cards": DRAGON}
SUGGESTING = COMPUTING["suggest_arrangements"]
COSTS: dict[str, tuple[int, Callable[[FlaskClient], Any], int]] = {
    "scoring": (READING, lambda c: c.post("/v1/score", json=ROUND), 200),
    "reading": (READING, lambda c: c.get("/v1/rounds"), 200),
    "storing a round": (STORING, lambda c: c.post("/v1/rounds", json=ROUND), 201),
    "a suggestion": (SUGGESTING, lambda c: c.post("/v1/arrangements/suggest", json=CARDS), 200),
    "a suggestion for too few cards": (
        READING,
        lambda c: c.post("/v1/arrangements/suggest", json={"cards": "As"}),
        422,
    ),
    "opening a match": (STORING, lambda c: c.post("/v1/matches", json=OPEN_MATCH), 201),
    "a round that cannot be scored": (READING, lambda c: c.post("/v1/rounds", json={}), 422),
    "no JSON": (
        READING,
        lambda c: c.post("/v1/rounds", data="{", content_type="application/json"),
        400,
    ),
    "nothing there": (READING, lambda c: c.get("/v1/nothing"), 404),
    "another method": (READING, lambda c: c.delete("/v1/rounds"), 405),
}


@pytest.mark.parametrize("name", COSTS)
def test_calls_cost_what_they_take(client: FlaskClient, name: str) -> None:
    cost, send, status = COSTS[name]
    response = send(client)
    assert response.status_code == status
    assert left(response, "key") == BURST - cost
    assert left(response, "address") == 10 * BURST - cost


def test_an_answer_that_is_given_again_costs_as_much_as_reading(client: FlaskClient) -> None:
    header = {"Idempotency-Key": "one"}
    first = client.post("/v1/rounds", json=ROUND, headers=header)
    again = client.post("/v1/rounds", json=ROUND, headers=header)
    assert left(first, "key") == BURST - STORING
    assert left(again, "key") == BURST - STORING - READING


def test_an_unknown_key_costs_the_address_much_and_no_key_anything(
    make_app: Callable[..., Flask], make_key: MakeKey
) -> None:
    app, token = make_app(), make_key("read")
    for number in range(1, 4):
        guess = client_of(app, token + "x").get("/v1/rounds")
        assert guess.status_code == 401
        assert '"key"' not in guess.headers["RateLimit"]
        assert left(guess, "address") == 10 * BURST - number * (GUESSING + READING)
    owner = client_of(app, token).get("/v1/rounds")
    assert left(owner, "key") == BURST - READING


def test_guessing_is_slowed_down_and_elsewhere_nobody_notices(
    make_app: Callable[..., Flask], make_key: MakeKey
) -> None:
    app, token = make_app(), make_key("read")
    guesser = client_of(app, "susun_000000000000_guess")
    answers = [guesser.get("/v1/rounds") for _ in range(12)]
    assert {answer.status_code for answer in answers[:9]} == {401}
    assert_problem(answers[-1], 429, "too-many-requests")
    assert client_of(app, token, "10.0.0.2").get("/v1/rounds").status_code == 200


def test_a_request_without_a_key_is_no_guess(make_app: Callable[..., Flask]) -> None:
    response = client_of(make_app(), "").get("/v1/rounds")
    assert response.status_code == 401
    assert left(response, "address") == 10 * BURST - READING


# --- who is refused ----------------------------------------------------------------------------------


def test_who_has_used_up_all_is_told_when_to_come_again(client: FlaskClient, stored: Any) -> None:
    answers = [client.post("/v1/rounds", json=ROUND) for _ in range(BURST // STORING + 1)]
    assert {answer.status_code for answer in answers[:-1]} == {201}
    refused = answers[-1]
    assert_problem(refused, 429, "too-many-requests")
    body = refused.get_json()
    assert body["policy"] == "key"
    assert refused.headers["Retry-After"] == str(body["seconds"])
    assert 0 < body["seconds"] <= STORING * 1000
    window = re.search(r'"key";r=0;t=(\d+)', refused.headers["RateLimit"])
    assert window is not None and int(window[1]) <= body["seconds"]
    assert stored("rounds") == BURST // STORING


def test_who_comes_again_as_told_is_let_in(make_app: Callable[..., Flask], make_key: MakeKey) -> None:
    client = client_of(make_app(key_rate=1000), make_key("read"))
    app_limits = client.application.extensions["susun_limits"]
    now = [0.0]
    app_limits.table._clock = lambda: now[0]
    answers = [client.get("/v1/rounds") for _ in range(BURST + 1)]
    assert answers[-1].status_code == 429
    now[0] += int(answers[-1].headers["Retry-After"])
    assert client.get("/v1/rounds").status_code == 200


def test_what_is_refused_for_its_key_costs_the_address_little(client: FlaskClient) -> None:
    for _ in range(BURST // STORING):
        before = client.post("/v1/rounds", json=ROUND)
    refused = client.post("/v1/rounds", json=ROUND)
    assert refused.status_code == 429
    assert left(before, "address") - left(refused, "address") == READING


def test_keys_have_limits_of_their_own(make_app: Callable[..., Flask], make_key: MakeKey) -> None:
    app, one, other = make_app(), make_key("read", name="one"), make_key("read", name="other")
    for _ in range(BURST + 1):
        last = client_of(app, one).get("/v1/rounds")
    assert last.status_code == 429
    assert client_of(app, other).get("/v1/rounds").status_code == 200


@pytest.mark.parametrize("written", ["bearer {}", "BEARER  {}", "Bearer {} ", "Bearer \t{}"])
def test_a_key_that_is_written_in_another_way_is_the_same(
    make_app: Callable[..., Flask], make_key: MakeKey, written: str
) -> None:
    app, token = make_app(), make_key("read")
    client_of(app, token).get("/v1/rounds")
    other = client_of(app, "").get("/v1/rounds", headers={"Authorization": written.format(token)})
    assert other.status_code == 200
    assert left(other, "key") == BURST - 2 * READING


def test_an_address_has_a_limit_over_all_its_keys(
    make_app: Callable[..., Flask], make_key: MakeKey
) -> None:
    app = make_app(address_burst=BURST)
    tokens = [make_key("read", name=str(number)) for number in range(3)]
    statuses = [client_of(app, tokens[n % 3]).get("/v1/rounds").status_code for n in range(BURST + 1)]
    assert (set(statuses[:-1]), statuses[-1]) == ({200}, 429)


# --- whose address -----------------------------------------------------------------------------------

FORWARDED = {"X-Forwarded-For": "192.0.2.1, 192.0.2.2"}


@pytest.mark.parametrize(("proxies", "address"), [(0, "10.0.0.1"), (1, "192.0.2.2"), (2, "192.0.2.1")])
def test_the_address_is_the_one_that_the_trusted_proxies_have_noted(
    make_app: Callable[..., Flask], proxies: int, address: str
) -> None:
    app = make_app(trusted_proxies=proxies)
    client_of(app, "").get("/problems", headers=FORWARDED)
    direct = make_direct(app, address)
    assert left(direct, "address") == 10 * BURST - 2 * READING


def make_direct(app: Flask, address: str) -> Any:
    """An answer to that address itself, through as many proxies as the app expects."""
    header = {"X-Forwarded-For": f"{address}, {address}"}
    return client_of(app, "", address).get("/problems", headers=header)


def test_what_a_client_says_of_its_address_is_not_believed(make_app: Callable[..., Flask]) -> None:
    app = make_app()
    for number in range(3):
        last = client_of(app, "").get("/problems", headers={"X-Forwarded-For": f"192.0.2.{number}"})
    assert left(last, "address") == 10 * BURST - 3 * READING


SAME = [
    ("2001:db8::1", "2001:db8::2", True),
    ("2001:db8::1", "2001:db8:0:1::1", False),
    ("192.0.2.1", "::ffff:192.0.2.1", True),
    ("192.0.2.1", "192.0.2.2", False),
    ("fe80::1%eth0", "fe80::2%eth1", True),
    ("", "", True),
]


@pytest.mark.parametrize(("one", "other", "same"), SAME)
def test_a_network_of_ipv6_is_one_address(
    make_app: Callable[..., Flask], one: str, other: str, same: bool
) -> None:
    app = make_app()
    client_of(app, "", one).get("/problems")
    second = client_of(app, "", other).get("/problems")
    assert left(second, "address") == 10 * BURST - (2 if same else 1) * READING


# --- faults ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("error", [OSError("gone"), ValueError("mmap closed or invalid")], ids=repr)
def test_a_table_that_cannot_be_read_fails_no_request(
    client: FlaskClient,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    error: Exception,
) -> None:
    def fail(*arguments: Any, **more: Any) -> None:
        raise error

    monkeypatch.setattr(
        client.application.extensions["susun_limits"].table, "take_each", fail, raising=True
    )
    for _ in range(3):
        response = client.post("/v1/rounds", json=ROUND)
        assert response.status_code == 201
        assert "RateLimit" not in response.headers
    assert caplog.text.count("cannot be counted") == 1


def test_without_a_table_nothing_is_limited(
    make_app: Callable[..., Flask], make_key: MakeKey, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "shared_or_own", lambda: None)
    client = client_of(make_app(), make_key("read"))
    assert {client.get("/v1/rounds").status_code for _ in range(BURST + 1)} == {200}


def test_the_defaults_let_a_tournament_play() -> None:
    """200 stored rounds a second, each read back by two others, all under one key and one address."""
    config = Config("postgresql://")
    a_second = 200 * (STORING + 2 * READING)
    for rate, burst in (
        (config.key_rate, config.key_burst),
        (config.address_rate, config.address_burst),
    ):
        assert rate is not None and a_second < rate
        assert burst > a_second
        # No call costs more than there can be.
        assert burst >= max(READING, STORING, GUESSING)
