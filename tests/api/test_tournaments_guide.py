"""docs/tournaments.md: its evening is played in turn, and answered as the page shows."""

import json
import re
import shlex
from pathlib import Path
from typing import Any

from werkzeug.test import TestResponse

from tests.api.test_matches_guide import Reader

PAGE = (Path(__file__).parents[2] / "docs" / "tournaments.md").read_text("utf-8")
STEPS = re.findall(r"```sh\n(.*?)```\n\n```json\n(.*?)```", PAGE, re.DOTALL)
(TOURNAMENT,) = re.findall(r"^T=(\S+)$", PAGE, re.MULTILINE)


class Director(Reader):
    """Reads the page's own two commands, `get` and `post`."""

    def send(self, command: str) -> TestResponse:
        """What a command of the page asks for."""
        words = shlex.split(self.with_own(command.replace("$T", TOURNAMENT).replace("\\\n", " ")))
        verb, path, *rest = words
        assert verb in ("get", "post")
        if verb == "get":
            return self.client.get(path)
        body, *options = rest
        assert options[::2] == ["-H"] * len(options[1::2])
        headers = dict(option.split(": ", 1) for option in options[1::2])
        headers["Content-Type"] = "application/json"
        return self.client.post(path, data=body, headers=headers)

    def compare(self, shown: Any, found: Any, at: str) -> None:
        """As of the other page; `"..."` in a list stands for any number of items."""
        if isinstance(shown, list) and "..." in shown:
            place = shown.index("...")
            shown, after = shown[:place], shown[place + 1 :]
            assert len(found) >= len(shown) + len(after), at
            super().compare(after, found[len(found) - len(after) :], at)
            found = found[: len(shown)]
        super().compare(shown, found, at)


def test_the_evening_goes_as_the_page_shows(client_with: Any) -> None:
    director = Director(client_with("read", "write", name="first"))
    assert len(STEPS) == PAGE.count("```sh") > 10
    for command, answer in STEPS:
        response = director.send(command)
        assert response.status_code in (200, 201), (command, response.text)
        director.compare(json.loads(answer), response.get_json(), command.split()[1])
