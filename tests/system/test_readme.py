"""What the README promises to somebody who has just cloned the project."""

import json
import os
import re
import shlex
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import requests

from tests.gunicorns import free_port

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text("utf-8")
START_SECONDS = 60
ADDRESS = "http://127.0.0.1:8000"


class Running:
    """`susun run`, which is what `make run` ends in, in a home of its own."""

    def __init__(self, home: Path) -> None:
        self.home, self.port = home, free_port()
        environment = {name: value for name, value in os.environ.items() if name != "DATABASE_URL"}
        environment |= {"SUSUN_HOME": str(home), "PORT": str(self.port)}
        self.process = subprocess.Popen(
            [Path(sys.executable).with_name("susun"), "run"],
            cwd=ROOT,
            env=environment,
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        self.printed = self._read_greeting()

    def _read_greeting(self) -> str:
        """What is printed up to the end of the request to paste."""
        assert self.process.stdout is not None
        text, deadline = "", time.monotonic() + START_SECONDS
        while not text.rstrip().endswith("}'") and time.monotonic() < deadline:
            line = self.process.stdout.readline()
            assert line, f"it ended: {text}"
            text += line
        return text

    def stop(self) -> int:
        self.process.send_signal(signal.SIGINT)
        with self.process:  # closes the pipe, too
            return self.process.wait(START_SECONDS)

    def send(self, command: str) -> requests.Response:
        """Do what a curl command does."""
        words = shlex.split(command.replace("\\\n", " "))
        assert words[0] == "curl"
        headers, body = {}, None
        for flag, value in zip(words[2::2], words[3::2], strict=True):
            if flag == "-H":
                name, _, text = value.partition(": ")
                headers[name] = text
            else:
                assert flag == "-d"
                body = value
        assert body is not None
        return requests.post(words[1], data=body.encode(), headers=headers, timeout=30)


@pytest.fixture(scope="module")
def running() -> Iterator[Running]:
    with tempfile.TemporaryDirectory(prefix="susun-readme-") as parent:
        Path(parent).chmod(0o711)  # Postgres may run as another user, who must get there
        service = Running(Path(parent) / "home")
        yield service
        if service.process.poll() is None:
            service.stop()


def block(language: str) -> str:
    """The README's first fenced block of a language that shows a request or an answer."""
    blocks = re.findall(rf"^```{language}\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)
    return next(text for text in blocks if language != "sh" or text.startswith("curl"))


def test_the_readmes_request_gets_the_readmes_answer(running: Running) -> None:
    key = (running.home / "api-key").read_text().strip()
    command = block("sh").replace(ADDRESS, f"http://127.0.0.1:{running.port}")
    answer = running.send(command.replace("$(cat .local/api-key)", key))
    assert answer.status_code == 200
    assert answer.json() == json.loads(block("json"))


def test_the_printed_request_stores_a_round_that_can_be_read_back(running: Running) -> None:
    command = running.printed[running.printed.index("curl ") :].strip()
    answer = running.send(command)
    kept: dict[str, Any] = answer.json()
    assert (answer.status_code, kept["seats"][0]["points"]) == (201, 22)
    address = f"http://127.0.0.1:{running.port}"
    authorization = {"Authorization": answer.request.headers["Authorization"]}
    found = requests.get(address + answer.headers["Location"], headers=authorization, timeout=30)
    assert found.json() == kept


def test_the_documents_need_no_key(running: Running) -> None:
    for path in ("/docs", "/openapi.json", "/problems/invalid-round", "/livez", "/readyz"):
        assert requests.get(f"http://127.0.0.1:{running.port}{path}", timeout=30).status_code == 200


def test_stopping_and_starting_again_loses_nothing(running: Running) -> None:
    key = {"Authorization": f"Bearer {(running.home / 'api-key').read_text().strip()}"}
    before = requests.get(f"http://127.0.0.1:{running.port}/v1/rounds", headers=key, timeout=30).json()
    assert running.stop() == 0
    again = Running(running.home)
    try:
        after = requests.get(f"http://127.0.0.1:{again.port}/v1/rounds", headers=key, timeout=30).json()
    finally:
        assert again.stop() == 0
    assert after == before
    assert before["items"]
