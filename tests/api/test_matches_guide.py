"""docs/matches.md: its requests are sent in turn, and answered as it shows."""

import json
import re
import shlex
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

PAGE = (Path(__file__).parents[2] / "docs" / "matches.md").read_text("utf-8")
STEPS = re.findall(r"```sh\n(.*?)```\n\n```http\n(.*?)```", PAGE, re.DOTALL)

# What is different each time: ids, digests, cursors.
_OWN = re.compile(r"[0-9a-f]{8}-[0-9a-f-]{27}|[0-9a-f]{64}|[A-Za-z0-9_-]{60,}")


class Reader:
    """Follows the page, with its own ids and digests in place of those shown."""

    def __init__(self, client: FlaskClient) -> None:
        self.client = client
        self.own: dict[str, str] = {}

    def with_own(self, command: str) -> str:
        """A command with our ids and digests."""
        return _OWN.sub(lambda found: self.own.get(found[0], found[0]), command)

    def send(self, command: str) -> TestResponse:
        """What a curl of the page asks for."""
        words = shlex.split(self.with_own(command).replace("\\\n", " "))
        assert words[:2] == ["curl", "-i"]
        address, *options = words[2:]
        given = list(zip(options[::2], options[1::2], strict=True))
        headers = dict(value.split(": ", 1) for option, value in given if option == "-H")
        assert headers.pop("Authorization") == "Bearer $KEY"
        (body,) = [value for option, value in given if option == "-d"] or [None]
        path = address.removeprefix("$URL")
        return self.client.open(path, method="POST" if body else "GET", headers=headers, data=body)

    def follow(self, command: str, answer: str) -> TestResponse:
        """Send a request, and fail unless it is answered as shown."""
        head, _, body = answer.partition("\n\n")
        status, *lines = head.splitlines()
        response = self.send(command)
        assert response.status_code == int(status.split()[1]), (command, response.text)
        for line in lines:
            name, value = line.split(": ", 1)
            self.compare(value, response.headers[name], name)
        if body:
            self.compare(json.loads(body), response.get_json(), command.split()[2])
        return response

    def compare(self, shown: Any, found: Any, at: str) -> None:
        """Fail unless all that is shown is there; other members may be, too."""
        if isinstance(shown, dict):
            for name, value in shown.items():
                self.compare(value, found[name], f"{at}/{name}")
        elif isinstance(shown, list):
            assert len(shown) == len(found), at
            for place, (one, other) in enumerate(zip(shown, found, strict=True)):
                self.compare(one, other, f"{at}/{place}")
        elif isinstance(shown, str):
            for mine, theirs in zip(_OWN.findall(shown), _OWN.findall(found), strict=True):
                assert self.own.setdefault(mine, theirs) == theirs, at
            assert _OWN.sub("*", shown) == _OWN.sub("*", found), at
        else:
            assert shown == found, at


@pytest.fixture
def reader(client_with: Any) -> Reader:
    return Reader(client_with("read", "write", name="first"))


def test_the_page_is_answered_as_it_shows(reader: Reader) -> None:
    assert len(STEPS) == PAGE.count("```sh") == PAGE.count("```http") > 10
    for command, answer in STEPS:
        response = reader.follow(command, answer)
        if "Idempotency-Key" in command:
            again = reader.send(command)
            assert again.headers["Idempotency-Replayed"] == "true"
            assert (again.status_code, again.data) == (response.status_code, response.data)


def test_if_match_is_taken_as_the_page_says(reader: Reader) -> None:
    (corrected,) = [place for place, (command, _) in enumerate(STEPS) if "/corrections" in command]
    for step in STEPS[:corrected]:
        reader.follow(*step)
    command, answer = STEPS[corrected]
    newest = reader.follow(command, answer).headers["ETag"]
    without_key, count = re.subn(r"-H 'Idempotency-Key: [^']*'", "", command)
    assert count == 1

    def correct(field: str) -> int:
        return reader.send(re.sub(r"If-Match: [^']*", lambda _: field, without_key)).status_code

    assert correct("X-Nothing: x") == 428
    assert correct('If-Match: "another"') == 412
    assert correct(f"If-Match: W/{newest}") == 412
    assert correct("If-Match: " + newest.replace(".en", ".id")) == 201
    assert correct(f"If-Match: {newest}") == 412
    (path,) = re.findall(r"\$URL(\S+)/corrections", reader.with_own(command))
    unquoted = reader.client.get(path).headers["ETag"].strip('"')
    assert correct(f"If-Match: {unquoted}") == 201
    assert correct("If-Match: *") == 201
