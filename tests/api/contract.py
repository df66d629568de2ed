"""Holds answers to the OpenAPI document, more strictly than it reads: no member but the documented."""

import copy
import gzip
import json
import re
from functools import cache
from typing import Any
from urllib.parse import quote

from jsonschema_rs import Draft202012Validator, Registry
from werkzeug.test import TestResponse

from service.api.answer_headers import HEADERS
from service.api.openapi import document
from service.api.problems import MEDIA_TYPE

_AT = "urn:openapi"
# An error has more members, by its code.
_OPEN = ("Problem", "ProblemLine", "Error")


def check_answer(response: TestResponse) -> None:
    """Fail unless the answer is one that the document promises for its request."""
    method, path = response.request.method, response.request.path
    if method in ("HEAD", "OPTIONS"):
        return
    template = _template(path)
    operation = document()["paths"].get(template, {}).get(method.lower())
    if operation is None:
        if response.status_code >= 400:
            assert response.mimetype == MEDIA_TYPE, (path, response.mimetype)
            _validate(f"{_AT}#/components/schemas/Problem", response)
        return
    status = str(response.status_code)
    assert status in operation["responses"], (
        f"{method} {template} may not answer {status}: {response.text}"
    )
    _check_headers(response, operation["responses"][status].get("headers", {}))
    if response.status_code == 304:
        assert response.data == b""
        return
    content = operation["responses"][status]["content"]
    assert response.mimetype in content, f"{method} {template} may not answer {response.mimetype}"
    steps = (
        "paths",
        template,
        method.lower(),
        "responses",
        status,
        "content",
        response.mimetype,
        "schema",
    )
    pointer = "/".join(quote(step.replace("/", "~1")) for step in steps)
    _validate(f"{_AT}#/{pointer}", response)


def _check_headers(response: TestResponse, declared: Any) -> None:
    for name, header in HEADERS.items():
        about = f"{name} of {response.status_code} at {response.request.path}"
        assert name in declared or name not in response.headers, f"undeclared: {about}"
        assert name in response.headers or not (name in declared and header.always), f"missing: {about}"
        if name in response.headers:
            value: Any = response.headers[name]
            value = int(value) if header.schema["type"] == "integer" else value
            _header_validator(name).validate(value)


def _validate(reference: str, response: TestResponse) -> None:
    problems = [
        f"/{'/'.join(map(str, error.instance_path))}: {error.message}"
        for part in _parts(response)
        for error in _validator(reference).iter_errors(part)
    ]
    assert not problems, f"{response.request.path}: {problems}"


def _parts(response: TestResponse) -> list[Any]:
    body = response.data
    if response.content_encoding == "gzip":
        body = gzip.decompress(body)
    if response.mimetype == "application/x-ndjson":
        return [json.loads(line) for line in body.splitlines()]
    return [json.loads(body) if response.is_json else body.decode()]


@cache
def _validator(reference: str) -> Draft202012Validator:
    return Draft202012Validator({"$ref": reference}, registry=_registry(), validate_formats=True)


@cache
def _header_validator(name: str) -> Draft202012Validator:
    return Draft202012Validator(HEADERS[name].schema)


@cache
def _registry() -> Registry:
    return Registry([(_AT, _closed())])


@cache
def _closed() -> dict[str, Any]:
    closed = copy.deepcopy(document())
    for name, schema in closed["components"]["schemas"].items():
        if name not in _OPEN and "properties" in schema:
            schema.setdefault("additionalProperties", False)
    return closed


@cache
def _patterns() -> list[tuple[re.Pattern[str], str]]:
    return [
        (re.compile(re.sub(r"\\{\w+\\}", "[^/]+", re.escape(path))), path)
        for path in document()["paths"]
    ]


def _template(path: str) -> str:
    return next((template for pattern, template in _patterns() if pattern.fullmatch(path)), path)
