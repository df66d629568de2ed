"""Calls: one decorator that authenticates, reads, answers, and notes what OpenAPI has to say.

``CALLS`` is the one list of everything that the service answers; the OpenAPI document, and tests
that go over all calls, are made from it.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import wraps
from inspect import getdoc
from typing import Any

import orjson
from flask import Blueprint, Response, current_app, request
from marshmallow import Schema

from schemas.fields import Document
from service.api import bodies, json_input
from service.api.authentication import authenticate, read_token
from service.api.idempotent import idempotently
from service.api.reading import check_media_type, read_body, read_id, read_name, read_query
from service.database import Database
from service.record.keys import Claimed
from service.rules.results import RoundResult, write

View = Callable[..., Any]
JSON = "application/json"


@dataclass(frozen=True, slots=True)
class Lines:
    """Many requests in one: what a line of the body is, and who answers.

    ``view`` (without one, that of the call) gets the whole ``body`` as a file, and no connection: the
    key has been checked, and the body taken in, before anything is done.
    """

    line: Schema
    view: Callable[..., Response] | None = None


@dataclass(frozen=True, slots=True)
class Call:
    """What the service answers at one address with one method.

    ``body`` and ``query`` describe what it takes, ``answer`` what comes back with ``status`` (None: no
    JSON, but what is in ``also``), or with ``again`` where nothing new had to be made; ``problems`` are
    those that only some calls have.
    ``conditional``: the answer can be 304; ``etag``: it has an ETag. ``about``: what the docstring of
    its view says, which is written for clients.
    """

    name: str
    method: str
    path: str
    scope: str | None
    summary: str
    body: Schema | None
    query: Schema | None
    answer: Schema | None
    status: int
    problems: tuple[str, ...]
    again: int | None
    conditional: bool
    etag: bool
    about: str
    #: Other media types that the answer comes in, as OpenAPI describes them.
    also: Mapping[str, Any]
    #: What it takes as NDJSON, besides its ``body`` or instead.
    lines: Lines | None

    @property
    def stores(self) -> bool:
        """Whether it changes what is stored, and so honours an Idempotency-Key."""
        return self.method == "POST" and self.scope not in (None, "score") and self.body is not None


CALLS: list[Call] = []


@dataclass(frozen=True, slots=True)
class Created:
    """An answer with the address of what was made: 201, or 200 if it was there already."""

    document: Mapping[str, Any]
    location: str
    status: int = 201


@dataclass(frozen=True, slots=True)
class Afterwards:
    """An answer that is made when the transaction of its call is over: it takes long, or none at all."""

    make: Callable[[], Response]


def call(
    blueprint: Blueprint,
    method: str,
    path: str,
    *,
    scope: str | None,
    summary: str,
    answer: Schema | None,
    body: Schema | None = None,
    query: Document | None = None,
    status: int = 200,
    problems: Sequence[str] = (),
    again: int | None = None,
    conditional: bool = False,
    etag: bool = False,
    also: Mapping[str, Any] | None = None,
    most_bytes: int | None = None,
    lines: Lines | None = None,
    moment: bool = False,
    asks: bool = False,
) -> Callable[[View], View]:
    """Make a function the view of a call.

    It gets the ids in the path as UUIDs (anything else is 404), ``document`` (the parsed body) if the
    call has one, ``query`` (the loaded parameters) if it takes any, and ``connection`` if its scope is
    another than ``score``: for a POST a transaction, which is committed when the view returns and in
    which an Idempotency-Key is honoured; otherwise one to read by. It returns a JSON-able
    mapping, a :class:`Created`, a response, or :class:`Afterwards`. It may be called again for the same
    request where the database has undone what it did; so it changes nothing but the database.
    ``moment``: what it reads by several statements has to be of one moment. ``asks``: it gets the
    ``database`` in place of a connection, to ask it questions, each of which stands for itself.
    ``most_bytes``: what its body may have, if it is not the limit of all. ``lines``: what answers a body
    of NDJSON; the view is called for a body of JSON only.
    """
    taken = (*([JSON] if body is not None else []), *([bodies.NDJSON] if lines is not None else []))

    def decorate(view: View) -> View:
        name = view.__name__
        whole_path = (blueprint.url_prefix or "") + path
        parts = (name, method, whole_path, scope, summary, body, query, answer, status)
        tags, about = conditional or etag, getdoc(view) or ""
        CALLS.append(Call(*parts, tuple(problems), again, conditional, tags, about, also or {}, lines))

        def serve(ids: Mapping[str, str], raw: bytes, **arguments: Any) -> Any:
            for part, text in ids.items():
                arguments[part] = read_id(text) if part.endswith("_id") else read_name(text)
            read_query(query, arguments)
            if body is not None:
                arguments["document"] = json_input.parse(raw)
            return _respond(view(**arguments), status)

        def with_database(ids: Mapping[str, str], raw: bytes, claimed: Claimed, scope: str) -> Any:
            """All that a call does; more than once, perhaps, where the database has undone it."""
            authenticate(database(), claimed, scope)
            if body is not None:
                check_media_type(*taken)
            if method == "POST":
                return idempotently(
                    database(), raw, lambda connection: serve(ids, raw, connection=connection)
                )
            if asks:
                return serve(ids, raw, database=database())
            with database().moment() if moment else database().reading() as connection:
                return serve(ids, raw, connection=connection)

        def serve_lines(lines: Lines, scope: str) -> Response:
            claimed = read_token()
            # Before its long body is taken in, which no connection waits for.
            database().whole(lambda: authenticate(database(), claimed, scope))
            check_media_type(*taken)
            arguments: dict[str, Any] = {}
            read_query(query, arguments)
            return (lines.view or view)(body=bodies.take_in(), **arguments)

        @wraps(view)
        def respond(**ids: str) -> Any:
            if (
                lines is not None
                and scope is not None
                and (body is None or request.mimetype == bodies.NDJSON)
            ):
                return serve_lines(lines, scope)
            # Before any transaction: a slow client must not hold a connection to the database.
            raw = read_body(most_bytes) if body is not None else b""
            if scope is None:
                return serve(ids, raw)
            claimed = read_token()
            if scope == "score":
                database().whole(lambda: authenticate(database(), claimed, scope))
                if body is not None:
                    check_media_type(*taken)
                return serve(ids, raw)
            result = database().whole(lambda: with_database(ids, raw, claimed, scope))
            return database().whole(result.make) if isinstance(result, Afterwards) else result

        blueprint.add_url_rule(path, name, respond, methods=[method])
        return view

    return decorate


def database() -> Database:
    """The app's database."""
    found: Database = current_app.extensions["susun_database"]
    return found


def _respond(result: Any, status: int) -> Response | Afterwards:
    if isinstance(result, Response | Afterwards):
        return result
    headers = {}
    if isinstance(result, Created):
        headers["Location"] = result.location
        result, status = result.document, result.status
    body = write(result) if isinstance(result, RoundResult) else orjson.dumps(result)
    return Response(body, status, headers, content_type="application/json")
