"""Standings go to many screens: compressed to those that accept it, once a version."""

import gzip
from typing import Any

import pytest
from flask.testing import FlaskClient


@pytest.mark.parametrize(
    ("accepted", "compressed"),
    [
        ("gzip", True),
        ("gzip, deflate, br", True),
        ("*", True),
        ("br;q=1, gzip;q=0.1", True),
        ("gzip;q=0", False),
        ("identity", False),
        ("br", False),
        ("", False),
    ],
)
@pytest.mark.parametrize("media_type", ["application/json", "text/csv"])
def test_standings_are_compressed_where_that_is_accepted(
    client: FlaskClient, direct: Any, accepted: str, compressed: bool, media_type: str
) -> None:
    path = f"{direct().path}/standings"
    plain = client.get(path, headers={"Accept": media_type})
    asked = {"Accept": media_type, "Accept-Encoding": accepted}
    response = client.get(path, headers=asked)
    assert response.headers.get("Content-Encoding") == ("gzip" if compressed else None)
    assert (gzip.decompress(response.data) if compressed else response.data) == plain.data
    assert response.content_length == len(response.data)
    assert response.content_type == plain.content_type
    assert "Accept-Encoding" in response.vary and "Accept-Encoding" in plain.vary


def test_each_form_has_an_etag_of_its_own(client: FlaskClient, direct: Any) -> None:
    path, zipped = f"{direct().path}/standings", {"Accept-Encoding": "gzip"}
    tags = [client.get(path, headers=headers).headers["ETag"] for headers in ({}, zipped)]
    assert len(set(tags)) == 2
    for headers, tag, other in (({}, *tags), (zipped, *reversed(tags))):
        known = client.get(path, headers={**headers, "If-None-Match": tag})
        assert (known.status_code, known.data) == (304, b"")
        assert "Content-Encoding" not in known.headers
        assert client.get(path, headers={**headers, "If-None-Match": other}).status_code == 200


def test_they_are_compressed_once_however_many_ask(
    client: FlaskClient, direct: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    evening, made = direct(), list[object]()
    compress = gzip.compress

    def counted(*given: Any, **named: Any) -> bytes:
        made.append(given)
        return compress(*given, **named)

    monkeypatch.setattr(gzip, "compress", counted)
    for _ in range(3):
        response = client.get(f"{evening.path}/standings", headers={"Accept-Encoding": "gzip"})
        assert b"andi" in gzip.decompress(response.data)
    assert len(made) == 1
