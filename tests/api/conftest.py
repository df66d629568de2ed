"""A client that holds every answer to the OpenAPI document."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from service.record import keys
from tests.api.contract import check_answer
from tests.api.directing import Director
from tests.api.requests import GONE, PLAYERS

_ROUND_PATHS = {"score": "/v1/score", "round": "/v1/rounds"}


class CheckedClient(FlaskClient):
    """Fails where an answer's status, media type or body is not as the document says."""

    def open(self, *args: Any, **kwargs: Any) -> TestResponse:
        response = super().open(*args, **kwargs)
        check_answer(response)
        return response


@pytest.fixture
def anonymous(app: Flask) -> FlaskClient:
    """A client without a key."""
    app.test_client_class = CheckedClient
    return app.test_client()


@pytest.fixture
def client_with(app: Flask, make_key: Callable[..., str]) -> Callable[..., FlaskClient]:
    """Make a client that sends a key with some scopes."""
    app.test_client_class = CheckedClient

    def make(*scopes: str, name: str = "test") -> FlaskClient:
        client = app.test_client()
        client.environ_base["HTTP_AUTHORIZATION"] = f"Bearer {make_key(*scopes, name=name)}"
        return client

    return make


@pytest.fixture
def client(client_with: Callable[..., FlaskClient]) -> FlaskClient:
    """A client that sends a key with all scopes."""
    return client_with(*keys.SCOPES)


@pytest.fixture
def open_match(client: FlaskClient) -> Callable[..., dict[str, Any]]:
    """Open a match of andi and budi, or as told."""

    def open_match(**document: Any) -> dict[str, Any]:
        response = client.post("/v1/matches", json={"players": list(PLAYERS), **document})
        assert response.status_code == 201, response.text
        match: dict[str, Any] = response.get_json()
        return match

    return open_match


@pytest.fixture
def direct(client: FlaskClient) -> Callable[..., Director]:
    """Open a tournament of six, or as told."""
    return lambda **document: Director(client, **document)


@pytest.fixture(params=["score", "round", "match"])
def refuse_seats(
    request: pytest.FixtureRequest, client: FlaskClient, open_match: Any, stored: Any
) -> Iterator[Callable[[Any], TestResponse]]:
    """Post seats wherever seats are taken; fails if anything is stored."""
    path = (
        f"/v1/matches/{open_match()['id']}/rounds"
        if request.param == "match"
        else _ROUND_PATHS[request.param]
    )
    before = stored()
    yield lambda seats: client.post(path, json={} if seats is GONE else {"seats": seats})
    assert stored() == before


@pytest.fixture(params=["score", "round"])
def refuse_round(
    request: pytest.FixtureRequest, client: FlaskClient, stored: Any
) -> Iterator[Callable[[Any], TestResponse]]:
    """Post a round of no match, to be scored and to be kept; fails if anything is stored."""
    yield lambda document: client.post(_ROUND_PATHS[request.param], json=document)
    assert stored() == 0
