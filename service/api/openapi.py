"""The OpenAPI 3.1 document, made from the list of calls and their schemas."""

from functools import cache
from importlib.metadata import version
from typing import Any

import orjson
from apispec import APISpec
from apispec.ext.marshmallow import MarshmallowPlugin

from schemas.answers import ProblemAnswer
from schemas.requests import describe
from service.api import audit, imports, matches, players, rounds, rulesets, scoring, system, tournaments
from service.api.answer_headers import HEADERS, headers_of
from service.api.bodies import NDJSON
from service.api.calls import CALLS, JSON, Call
from service.api.examples import EXAMPLE_LINES, EXAMPLES
from service.api.problems import MEDIA_TYPE, PROBLEMS

# Importing them is what fills the list of calls.
_WITH_CALLS = (scoring, rulesets, matches, rounds, imports, tournaments, audit, players, system)

_DESCRIPTION = """\
Scores Capsa Susun (Chinese Poker): send the arrangements of a round, get row-by-row outcomes and
settled points back, and keep rounds and matches in a record that can be read and checked.

Every error is `application/problem+json` (RFC 9457); invalid input lists everything that is wrong in
`errors`. Every answer tells in `RateLimit` and `RateLimit-Policy` what may still be sent; who sends more
gets a 429 with `Retry-After`. A call that stores counts five times as much as another, a suggestion
fifty times.

Times are RFC 3339 in UTC, ids are UUIDv7, points and money are integers.
"""

# What any call may answer, by what kind of call it is.
_ALWAYS = (
    "malformed-request",
    "request-timeout",
    "uri-too-long",
    "header-fields-too-large",
    "internal-error",
)
_WITH_KEY = ("unauthorized", "forbidden", "too-many-requests", "database-away", "busy")
_WITH_IDEMPOTENCY = ("idempotency-key-in-flight", "idempotency-key-reused")
_WHEN_STORED = ("outcome-unknown", "storage-full")
_WITH_BODY = ("payload-too-large", "unsupported-media-type")
_UNKNOWN_PARAMETERS = ("invalid-request",)


def problems_of(call: Call) -> list[str]:
    """The names of all problems that a call may answer."""
    names = [*call.problems, *_ALWAYS, *_UNKNOWN_PARAMETERS]
    if call.scope:
        names += _WITH_KEY
    if call.stores:
        names += (*_WITH_IDEMPOTENCY, *_WHEN_STORED)
    if call.body or call.lines:
        names += _WITH_BODY
    return list(dict.fromkeys(names))


@cache
def document() -> dict[str, Any]:
    """The document as one JSON-able object."""
    marshmallow = MarshmallowPlugin(schema_name_resolver=_schema_name)
    spec = APISpec(
        title="Susun",
        version=version("susun"),
        openapi_version="3.1.0",
        plugins=[marshmallow],
        info={"description": _DESCRIPTION},
    )
    describe(marshmallow)
    spec.components.security_scheme("key", {"type": "http", "scheme": "bearer"})
    for name, header in HEADERS.items():
        spec.components.header(name, header.show())
    for call in CALLS:
        path = call.path.replace("<", "{").replace(">", "}")
        spec.path(path, operations={call.method.lower(): _operation(call)})
    return spec.to_dict()


def _schema_name(schema: Any) -> str:
    kind = schema if isinstance(schema, type) else type(schema)
    return kind.__name__.removesuffix("Answer").replace("Document", "Request")


def _operation(call: Call) -> dict[str, Any]:
    as_json = {"application/json": {"schema": call.answer}} if call.answer else {}
    operation: dict[str, Any] = {
        "operationId": call.name,
        "summary": call.summary,
        "responses": {
            str(call.status): {
                "description": "The answer.",
                "content": {**as_json, **call.also},
            },
        },
    }
    if call.again:
        operation["responses"][str(call.again)] = dict(operation["responses"][str(call.status)])
    for status, names in _by_status(problems_of(call)).items():
        operation["responses"][str(status)] = {
            "description": "; ".join(PROBLEMS[name][1] for name in names) + ".",
            "content": {MEDIA_TYPE: {"schema": ProblemAnswer}},
        }
    operation["parameters"] = [
        {"in": "path", "name": name, "required": True, "schema": _path_schema(name)}
        for name in _path_names(call.path)
    ]
    operation["parameters"] += _header_parameters(call)
    if call.conditional:
        operation["responses"]["304"] = {"description": "The client has what is there."}
    if call.query:
        operation["parameters"].append({"in": "query", "schema": call.query})
    if call.body or call.lines:
        operation["requestBody"] = {"required": True, "content": _contents(call)}
    for status, response in operation["responses"].items():
        headers = headers_of(call, int(status))
        if headers:
            response["headers"] = headers
    operation["description"] = call.about.replace("``", "`")
    if call.scope:
        operation["security"] = [{"key": []}]
        operation["description"] += f"\n\nNeeds a key with the scope `{call.scope}`."
    return operation


def _contents(call: Call) -> dict[str, Any]:
    """The media types that a call takes, each with its schema and example."""
    contents: dict[str, Any] = {}
    if call.body:
        contents[JSON] = {"schema": call.body}
        if call.name in EXAMPLES:
            contents[JSON]["example"] = EXAMPLES[call.name]
    if call.lines:
        schema = {"description": "Each line.", "allOf": [call.lines.line]}
        lines = [orjson.dumps(line).decode() for line in EXAMPLE_LINES[call.name]]
        contents[NDJSON] = {"schema": schema, "example": "\n".join([*lines, ""])}
    return contents


def _header_parameters(call: Call) -> list[dict[str, Any]]:
    known = {
        "Idempotency-Key": (
            call.stores,
            "1 to 255 visible characters, made before the request is first sent; a repeat of the same "
            "bytes under the same API key is answered as it was, for 48 hours.",
        ),
        "If-None-Match": (call.conditional, "The ETag of what the client has."),
        "If-Match": (
            "stale" in call.problems,
            "The ETag of the revision that is to be replaced, in any language, or `*`; no weak one. "
            "Corrections need it.",
        ),
    }
    return [
        {"in": "header", "name": name, "schema": {"type": "string"}, "description": description}
        for name, (taken, description) in known.items()
        if taken
    ]


def _by_status(names: list[str]) -> dict[int, list[str]]:
    found: dict[int, list[str]] = {}
    for name in names:
        found.setdefault(PROBLEMS[name][0], []).append(name)
    return dict(sorted(found.items()))


def _path_names(path: str) -> list[str]:
    return [part[1:-1] for part in path.split("/") if part.startswith("<")]


def _path_schema(name: str) -> dict[str, Any]:
    return {"type": "string", "format": "uuid"} if name.endswith("_id") else {"type": "string"}
