"""Calls: one decorator that authenticates, reads, answers, and notes what OpenAPI has to say.

``CALLS`` is the one list of everything that the service answers; the OpenAPI document, and tests
that go over all calls, are made from it.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import wraps
from typing import Any

import orjson
from flask import Blueprint, Response, current_app, g, request
from marshmallow import Schema
from werkzeug.exceptions import RequestEntityTooLarge

from schemas.fields import Document
from schemas.mistakes import FIELD_UNKNOWN, Invalid, Mistake
from service.api import json_input
from service.api.problems import Problem
from service.database import Database
from service.messages import _
from service.record import keys
from service.record.ids import parse_id

View = Callable[..., Any]


@dataclass(frozen=True, slots=True)
class Call:
    """What the service answers at one address with one method.

    ``body`` and ``query`` describe what it takes, ``answer`` what comes back with ``status``,
    or with ``again`` where nothing new had to be made; ``problems`` are those that only some calls have.
    """

    name: str
    method: str
    path: str
    scope: str | None
    summary: str
    body: Schema | None
    query: Schema | None
    answer: Schema
    status: int
    problems: tuple[str, ...]
    again: int | None


CALLS: list[Call] = []


@dataclass(frozen=True, slots=True)
class Created:
    """An answer with the address of what was made: 201, or 200 if it was there already."""

    document: Mapping[str, Any]
    location: str
    status: int = 201


def call(
    blueprint: Blueprint,
    method: str,
    path: str,
    *,
    scope: str | None,
    summary: str,
    answer: Schema,
    body: Schema | None = None,
    query: Document | None = None,
    status: int = 200,
    problems: Sequence[str] = (),
    again: int | None = None,
) -> Callable[[View], View]:
    """Make a function the view of a call.

    It gets the ids in the path as UUIDs (anything else is 404), ``document`` (the parsed body) if the
    call has one, and ``query`` (the loaded parameters) if it takes any. It returns a JSON-able
    mapping, a :class:`Created` or a response.
    """

    def decorate(view: View) -> View:
        name = view.__name__
        whole_path = (blueprint.url_prefix or "") + path
        parts = (name, method, whole_path, scope, summary, body, query, answer, status)
        CALLS.append(Call(*parts, tuple(problems), again))

        @wraps(view)
        def respond(**ids: str) -> Response:
            if scope is not None:
                authenticate(scope)
            arguments: dict[str, Any] = {
                name: _id(text) if name.endswith("_id") else _name(text) for name, text in ids.items()
            }
            _read_query(query, arguments)
            if body is not None:
                arguments["document"] = read_body()
            return _respond(view(**arguments), status)

        blueprint.add_url_rule(path, name, respond, methods=[method])
        return view

    return decorate


def database() -> Database:
    """The app's database."""
    found: Database = current_app.extensions["susun_database"]
    return found


def authenticate(scope: str) -> None:
    """Let in who sends a live key with the scope; a 401 or 403 problem otherwise."""
    challenge = {"WWW-Authenticate": 'Bearer realm="susun"'}
    scheme, _space, token = request.headers.get("Authorization", "").partition(" ")
    if scheme.lower() != "bearer" or not token.strip():
        text = _("this call needs an API key: Authorization: Bearer <key>")
        raise Problem("unauthorized", text, headers=challenge)
    with database().transaction() as connection:
        key = keys.find(connection, token.strip())
    if key is None:
        challenge["WWW-Authenticate"] += ', error="invalid_token"'
        raise Problem("unauthorized", _("this API key is unknown or revoked"), headers=challenge)
    if scope not in key.scopes:
        challenge["WWW-Authenticate"] += f', error="insufficient_scope", scope="{scope}"'
        text = _("this call needs a key with the scope “{scope}”")
        raise Problem("forbidden", text, headers=challenge, scope=scope)
    g.key_name = key.name


def read_body() -> Any:
    """The request's JSON body, parsed strictly."""
    if request.mimetype != "application/json":
        text = _("the body must be application/json, not {media_type}")
        shown = request.mimetype or "undeclared"
        raise Problem(
            "unsupported-media-type", text, headers={"Accept": "application/json"}, media_type=shown
        )
    try:
        body = request.get_data(cache=False)
    except RequestEntityTooLarge:
        most = current_app.config["MAX_CONTENT_LENGTH"]
        text = _("the body is larger than {most} bytes")
        raise Problem("payload-too-large", text, headers={"Connection": "close"}, most=most) from None
    return json_input.parse(body)


def _read_query(schema: Document | None, arguments: dict[str, Any]) -> None:
    given = request.args
    known = schema.fields if schema else {}
    mistakes = [_of_parameter(FIELD_UNKNOWN, name) for name in given if name not in known]
    for name, values in given.lists():
        if len(values) > 1 and name in known:
            mistake = Mistake("field_invalid", _("this parameter is there more than once"))
            mistakes.append(_of_parameter(mistake, name))
    if schema is not None:
        try:
            arguments["query"] = schema.read({n: v for n, v in given.items() if n in known})
        except Invalid as error:
            mistakes += [_of_parameter(m, m.pointer.removeprefix("/")) for m in error.mistakes]
    if mistakes:
        raise Invalid(mistakes)


def _of_parameter(mistake: Mistake, name: str) -> Mistake:
    """A mistake in the query, which no pointer into the body can show."""
    return mistake._replace(pointer="", parameters={**mistake.parameters, "parameter": name})


def _id(text: str) -> Any:
    found = parse_id(text)
    if found is None:
        raise Problem("not-found", _("there is nothing with this id: it is no UUID"))
    return found


def _name(text: str) -> str:
    if "\0" in text:
        raise Problem("not-found", _("there is nothing with this name: it holds a NUL character"))
    return text


def _respond(result: Any, status: int) -> Response:
    if isinstance(result, Response):
        return result
    headers = {}
    if isinstance(result, Created):
        headers["Location"] = result.location
        result, status = result.document, result.status
    return Response(orjson.dumps(result), status, headers, content_type="application/json")
