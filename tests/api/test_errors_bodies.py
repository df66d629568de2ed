"""Bodies that are no JSON, or JSON that parsers disagree on, too long, or of another media type."""

import json
from collections.abc import Callable, Iterator
from io import BytesIO
from typing import Any

import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from tests.api.requests import ROUND, assert_invalid, assert_problem, change, error

MOST_BYTES = 64 * 1024
VALID = json.dumps(ROUND).encode()


def with_player(text: str) -> bytes:
    """The round, with a first player spelt as in JSON."""
    return VALID.replace(b'"andi"', b'"' + text.encode("latin-1") + b'"', 1)


MALFORMED: dict[str, tuple[bytes, str]] = {
    "nothing": (b"", "the body is empty"),
    "no JSON": (b"ruleset=bsfyi", "not JSON at line 1, column 1"),
    "blank": (b" \n", "not JSON at line 2, column 1"),
    "cut short": (VALID[:-1], f"not JSON at line 1, column {len(VALID)}"),
    "two documents": (b"{} {}", "not JSON at line 1, column 4"),
    "a comma at the end": (b'{"seats": [],}', "not JSON"),
    "single quotes": (b"{'seats': []}", "not JSON at line 1, column 2"),
    "a comment": (b"{} // none", "not JSON at line 1, column 4"),
    "NaN": (b'{"stake": NaN}', "NaN is not JSON"),
    "Infinity": (b'{"stake": Infinity}', "Infinity is not JSON"),
    "-Infinity": (b'{"stake": -Infinity}', "-Infinity is not JSON"),
    "a key twice": (b'{"seats": 1, "seats": 2}', "the key “seats” is there twice in an object"),
    "a key twice, spelt differently": (
        b'{"seats": 1, "s\\u0065ats": 2}',
        "the key “seats” is there twice",
    ),
    "a key twice, deep down": (b'{"seats": [{"a": [{"b": 1, "b": 1}]}]}', "the key “b” is there twice"),
    "a key that is half a surrogate pair twice": (b'{"\\ud800": 1, "\\ud800": 1}', "is there twice"),
    "5,000 digits": (b'{"stake": ' + b"1" * 5000 + b"}", "a number has more than 20 digits"),
    "5,000 digits below zero": (b'{"stake": -' + b"1" * 5000 + b"}", "a number has more than 20 digits"),
    "21 digits": (b'{"stake": ' + b"1" * 21 + b"}", "a number has more than 20 digits"),
    "1e999": (b'{"stake": 1e999}', "the number 1e999 is out of bounds"),
    "-1e999": (b'{"stake": -1e999}', "the number -1e999 is out of bounds"),
    "5,000 digits and a fraction": (b'{"stake": ' + b"1" * 5000 + b".5}", "is out of bounds"),
    "33 brackets": (b"[" * 33 + b"]" * 33, "nested deeper than 32 levels"),
    "60,000 brackets": (b"[" * 60_000, "nested deeper than 32 levels"),
    "60,000 bytes of objects": (b'{"a":' * 12_000, "nested deeper than 32 levels"),
    "NUL": (b"\0", "not JSON at line 1, column 1"),
    "NUL in a string": (with_player("an\0di"), "not JSON at line 1"),
    "NUL after the document": (VALID + b"\0", f"not JSON at line 1, column {len(VALID) + 1}"),
    "NUL escaped": (with_player(r"an\u0000di"), "a string holds a NUL character"),
    "NUL escaped in a key": (b'{"a\\u0000": 1}', "a string holds a NUL character"),
    "a high surrogate alone": (with_player(r"\ud83c"), "half of a surrogate pair"),
    "a low surrogate alone": (with_player(r"\udca1"), "half of a surrogate pair"),
    "surrogates in the wrong order": (with_player(r"\udca1\ud83c"), "half of a surrogate pair"),
    "a surrogate in a key": (b'{"\\udfff": 1}', "half of a surrogate pair"),
    "a surrogate in a rule set": (b'{"ruleset": "\\uDC00"}', "half of a surrogate pair"),
    "a surrogate in UTF-8": (b'{"ruleset": "\xed\xa0\x80"}', "the body is not UTF-8 at byte 13"),
    "Latin-1": (b'{"ruleset": "\xe9"}', "the body is not UTF-8 at byte 13"),
    "UTF-16": (json.dumps({}).encode("utf-16"), "the body is not UTF-8 at byte 0"),
    "an overlong slash": (b'{"ruleset": "\xc0\xaf"}', "the body is not UTF-8 at byte 13"),
    "a byte order mark": (b"\xef\xbb\xbf" + VALID, "not JSON at line 1, column 1"),
    "a line break in a string": (with_player("an\ndi"), "not JSON at line 1"),
    "a wrong escape": (with_player(r"\x41"), "not JSON at line 1"),
}

PATHS = {
    "score": "/v1/score",
    "check": "/v1/arrangements/check",
    "round": "/v1/rounds",
    "match": "/v1/matches",
    "match round": "/v1/matches/{match}/rounds",
}


@pytest.fixture(params=PATHS)
def post(
    request: pytest.FixtureRequest, client: FlaskClient, open_match: Any, stored: Any
) -> Iterator[Callable[..., TestResponse]]:
    """Post a body wherever one is taken; fails if anything is stored."""
    path = PATHS[request.param].format(match=open_match()["id"])
    before = stored()

    def post(
        body: bytes | None = None, content_type: str | None = "application/json", **more: Any
    ) -> Any:
        return client.post(path, data=body, content_type=content_type, **more)

    yield post
    assert stored() == before


@pytest.mark.parametrize(("body", "detail"), MALFORMED.values(), ids=MALFORMED)
def test_malformed_bodies_are_refused(
    client: FlaskClient, stored: Any, body: bytes, detail: str
) -> None:
    for path in ("/v1/score", "/v1/rounds"):
        response = client.post(path, data=body, content_type="application/json")
        assert_problem(response, 400, "malformed-request")
        assert detail in response.get_json()["detail"]
        assert "errors" not in response.get_json()
    assert stored() == 0


@pytest.mark.parametrize("body", [b"", b"{", b'{"a": NaN}', b'"\\u0000"'], ids=repr)
def test_malformed_bodies_are_refused_everywhere(post: Callable[..., TestResponse], body: bytes) -> None:
    assert_problem(post(body), 400, "malformed-request")


def test_null_is_no_object(post: Callable[..., TestResponse]) -> None:
    response = post(b"null")
    problem = response.get_json()["type"].removeprefix("/problems/")
    assert_invalid(response, problem, error("field_invalid", ""))
    assert problem in ("invalid-round", "invalid-request")


@pytest.mark.parametrize(
    "text",
    [r"\ud83c\udca1", r"\u0000".replace("0000", "00e9"), r"\\ud800", r"\\u0000"],
    ids=["a surrogate pair", "an escape", "a backslash before ud800", "a backslash before u0000"],
)
def test_sound_escapes_are_taken(client: FlaskClient, text: str) -> None:
    response = client.post("/v1/score", data=with_player(text), content_type="application/json")
    assert response.status_code == 200
    assert response.get_json()["seats"][0]["player"] == json.loads(f'"{text}"')


def test_brackets_in_strings_do_not_nest(client: FlaskClient) -> None:
    document = change(ROUND, {"/seats/0/player": "[" * 40, "/seats/1/player": '"' + "{" * 40})
    assert client.post("/v1/score", json=document).status_code == 200


def test_depth_of_32_is_read(client: FlaskClient) -> None:
    body = b'{"seats": ' + b"[" * 31 + b"]" * 31 + b"}"
    assert client.post("/v1/score", data=body, content_type="application/json").status_code == 422


def test_a_body_of_64_kib_is_read(client: FlaskClient) -> None:
    body = VALID.ljust(MOST_BYTES)
    assert client.post("/v1/score", data=body, content_type="application/json").status_code == 200


@pytest.mark.parametrize(
    "body",
    [VALID.ljust(MOST_BYTES + 1), VALID.ljust(65 * 1024 + 1), b"[" * 100_000],
    ids=["64 KiB and a byte", "65 KiB", "100,000 brackets"],
)
def test_a_longer_body_is_refused(post: Callable[..., TestResponse], body: bytes) -> None:
    response = post(body)
    assert_problem(response, 413, "payload-too-large")
    assert response.get_json()["most"] == MOST_BYTES
    assert response.headers["Connection"] == "close"


def test_a_longer_body_of_unknown_length_is_refused(client: FlaskClient) -> None:
    response = client.post(
        "/v1/score",
        input_stream=BytesIO(VALID.ljust(MOST_BYTES + 1)),
        content_type="application/json",
        environ_overrides={"wsgi.input_terminated": True},
    )
    assert_problem(response, 413, "payload-too-large")


@pytest.mark.parametrize(
    ("content_type", "shown"),
    [
        (None, "undeclared"),
        ("", "undeclared"),
        ("text/plain", "text/plain"),
        ("text/json; charset=utf-8", "text/json"),
        ("application/x-www-form-urlencoded", "application/x-www-form-urlencoded"),
        ("multipart/form-data; boundary=x", "multipart/form-data"),
        ("application/xml", "application/xml"),
        ("application/problem+json", "application/problem+json"),
        ("json", "json"),
        ("{}", "{}"),
    ],
    ids=str,
)
def test_another_media_type_is_refused(
    post: Callable[..., TestResponse], content_type: str | None, shown: str
) -> None:
    response = post(VALID, content_type)
    assert_problem(response, 415, "unsupported-media-type")
    assert response.get_json()["media_type"] == shown
    taken = response.headers["Accept"]
    assert taken == response.get_json()["accepted"]
    lines_too = response.request.path == "/v1/score"
    assert taken == "application/json" + ", application/x-ndjson" * lines_too


@pytest.mark.parametrize(
    "content_type", ["application/json", "application/json; charset=utf-8", "Application/JSON"]
)
def test_json_is_taken_however_it_is_declared(client: FlaskClient, content_type: str) -> None:
    assert client.post("/v1/score", data=VALID, content_type=content_type).status_code == 200


@pytest.mark.parametrize("coding", ["gzip", "br", "deflate, gzip"])
@pytest.mark.parametrize("content_type", ["application/json", "application/x-ndjson"])
def test_a_body_in_a_coding_is_refused(client: FlaskClient, coding: str, content_type: str) -> None:
    headers = {"Content-Encoding": coding}
    response = client.post("/v1/score", data=b"\x1f\x8b", content_type=content_type, headers=headers)
    assert_problem(response, 415, "unsupported-media-type")
    assert (response.get_json()["coding"], response.headers["Accept-Encoding"]) == (coding, "identity")
