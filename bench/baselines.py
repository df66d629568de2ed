"""What requests are measured against: Flask that does next to nothing, and Flask with one plain insert.

Under ``/alone`` there is what requests of ours are about, by the service's own functions, and nothing
around it: no key, no limits, no log, no metrics, no transaction of several messages, no
Idempotency-Key, and whatever is wrong is a 500. Less than that no service on Flask can do for them.

``APP=bench.baselines:create_app()`` under the service's own gunicorn settings.
"""

import os
import threading
from functools import cache
from types import SimpleNamespace
from typing import Any, cast
from uuid import UUID

import orjson
import psycopg2
from flask import Flask, Response, request
from sqlalchemy import Connection, make_url

from schemas.rounds import RoundRequest, read_round
from service.api import json_input
from service.batch import send_left
from service.database import Database
from service.prepared import Prepared, Preparing, message
from service.questions import Question, question
from service.record import idempotency, keeping, rounds
from service.record.pages import window
from service.record.rulesets import published
from service.rules.labels import ENGLISH
from service.rules.results import write
from service.rules.scoring import score

TABLE = "CREATE TABLE IF NOT EXISTS bench_documents (id bigserial PRIMARY KEY, document jsonb NOT NULL)"
#: What is found of a kept answer, after whether the claim is held.
_KEPT = ("request_sha256", "status", "headers", "body")
_INSERT = "INSERT INTO bench_documents (document) VALUES (%s)"


def libpq_address(url: str) -> str:
    """An address of SQLAlchemy's as psycopg2 itself takes it."""
    return make_url(url).set(drivername="postgresql").render_as_string(hide_password=False)


class _Driver:
    """A connection of each thread, by the driver alone: a pool could only be slower.

    As much of a connection of SQLAlchemy's, and of :class:`Database`, as is used here.
    """

    def __init__(self, address: str, *, autocommit: bool) -> None:
        self._address, self._autocommit, self._kept = address, autocommit, threading.local()
        self._preparing = Preparing()

    @property
    def connection(self) -> Any:
        """The connection of this thread; with ``autocommit`` each message is a transaction."""
        if not hasattr(self._kept, "connection"):
            self._kept.connection = psycopg2.connect(self._address)
            self._kept.connection.autocommit = self._autocommit
            self._kept.info = {"prepared": Prepared(self._preparing)}
        return self._kept.connection

    @property
    def info(self) -> dict[str, Any]:
        """What is noted of this thread's connection."""
        assert self.connection
        info: dict[str, Any] = self._kept.info
        return info

    def exec_driver_sql(self, statement: str, values: Any = None) -> None:
        """One message."""
        with self.connection.cursor() as cursor:
            cursor.execute(statement, values)

    def rows(self, what: Question, **parameters: Any) -> Any:
        """The answer to one."""
        with self.connection.cursor() as cursor:
            cursor.execute(message(what.statements, self.info, cursor.execute), parameters)
            return cursor.fetchall()


def _round() -> RoundRequest:
    return read_round(json_input.parse(request.get_data()), published, to_keep=True)


def _json(body: bytes, status: int = 200) -> Response:
    return Response(body, status, content_type="application/json")


def create_app() -> Flask:
    """The baselines on the database of DATABASE_URL, in which ``TABLE`` must be there."""
    app = Flask(__name__, static_folder=None)
    address = libpq_address(os.environ["DATABASE_URL"])
    plain = _Driver(address, autocommit=False)

    @app.get("/livez")
    def livez() -> dict[str, str]:
        return {"status": "ok"}

    @app.route("/bare", methods=["GET", "POST"])
    def bare() -> dict[str, str]:
        return {"status": "ok"}

    @app.post("/insert")
    def insert() -> tuple[dict[str, str], int]:
        connection = plain.connection
        with connection, connection.cursor() as cursor:
            # As it came: to parse it, and to write it anew, could only be slower, too.
            cursor.execute(_INSERT, (request.get_data(as_text=True),))
        return {"status": "stored"}, 201

    _add_alone(app, _Driver(address, autocommit=True))
    return app


def _add_alone(app: Flask, driver: _Driver) -> None:
    """What requests of ours are about, and nothing around it."""

    @app.post("/alone/score")
    def alone_score() -> Response:
        asked = _round()
        return _json(write(score(asked.ruleset, asked.seats, asked.stake, ENGLISH)))

    @app.post("/alone/rounds")
    def alone_stored() -> Response:
        asked, connection = _round(), cast(Connection, driver)
        kept = keeping.keep_round(connection, asked.ruleset, asked.seats, stake=asked.stake, by="bench")
        send_left(connection)
        return _json(kept.json, 201)

    @app.post("/alone/replayed/rounds")
    def alone_replayed() -> Response:
        raw, key = request.get_data(), request.headers["Idempotency-Key"]
        mine = idempotency.claim(sender(), key, "POST /v1/rounds? ", raw)
        ((held, *kept),) = driver.rows(idempotency.FIND, **idempotency.asked(mine))
        row = SimpleNamespace(held=held, **dict(zip(_KEPT, kept, strict=True)))
        found = idempotency.found(mine, row)
        assert found is not None
        return Response(found.body, found.status, {**found.headers, "Idempotency-Replayed": "true"})

    @cache
    def sender() -> UUID:
        """The only API key that has sent anything under an Idempotency-Key."""
        ((found,),) = driver.rows(question("SELECT DISTINCT api_key_id FROM idempotency_keys"))
        return UUID(found)

    @app.get("/alone/rounds/<uuid:round_id>")
    def alone_get(round_id: Any) -> Response:
        database = cast(Database, driver)
        if "If-None-Match" in request.headers:
            known = rounds.get_digest(database, round_id) in request.headers["If-None-Match"]
            return Response(status=304 if known else 500)
        return _json(rounds.get_round(database, round_id).json)

    @app.get("/alone/rounds")
    def alone_newest() -> Response:
        part = window(int(request.args["limit"]), None, {})
        page = rounds.list_rounds(cast(Database, driver), part, {"player": request.args["player"]})
        return _json(
            orjson.dumps({**page, "items": [orjson.Fragment(one.json) for one in page["items"]]})
        )
