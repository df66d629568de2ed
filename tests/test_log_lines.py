"""The line of a request is the same whether it takes the short way or the long one."""

import io
import logging
import logging.config
import re
from collections.abc import Iterator
from typing import Any

import pytest

from service import logs

LINES: list[dict[str, Any]] = [
    {"key": "club", "method": "POST", "route": "/v1/rounds", "status": 201, "ms": 7.31, "bytes": 2184},
    {"key": None, "method": "other", "route": "none", "status": 404, "ms": 0.0, "bytes": 0},
    {
        "key": 'Meja "3"\n\\ é♠\u2028',
        "method": "GET",
        "route": "/livez",
        "status": 200,
        "ms": 1e3,
        "bytes": 1,
    },
]


@pytest.fixture
def stream(monkeypatch: pytest.MonkeyPatch) -> Iterator[io.StringIO]:
    """Where lines go, as they would under gunicorn, whatever the tests' own handlers are."""
    root, service = logging.getLogger(), logging.getLogger("service")
    before = (root.handlers[:], root.level, service.level)
    settings = logs.settings("info")
    settings["handlers"]["stderr"]["stream"] = made = io.StringIO()
    logging.config.dictConfig(settings)
    logs.connect()
    yield made
    logs.end_request()
    root.handlers[:] = before[0]
    root.setLevel(before[1])
    service.setLevel(before[2])


@pytest.mark.parametrize("line", LINES)
def test_both_ways_write_the_same_line(stream: io.StringIO, line: dict[str, Any]) -> None:
    logs.begin_request("mine-1")
    whole = {**line, "request_id": "mine-1"}
    logs.tell_request(logging.INFO, whole)
    # Somebody else looks, so that there has to be a record.
    seen: list[logging.LogRecord] = []
    handler = logging.Handler()
    handler.emit = seen.append  # type: ignore[method-assign]
    logging.getLogger().addHandler(handler)
    logs.tell_request(logging.INFO, whole)
    # Not splitlines(): a line may hold what that takes for an end.
    written = stream.getvalue().removesuffix("\n").split("\n")
    short, long = (re.sub(r'^\{"time":"[^"]+Z"', "", text) for text in written)
    assert short == long and len(seen) == 1
    assert short.startswith(',"level":"info","event":"request","key":')
    assert short.endswith(',"request_id":"mine-1"}')


def test_what_is_below_the_level_is_not_written(stream: io.StringIO) -> None:
    logs.tell_request(logging.DEBUG, LINES[0])
    assert stream.getvalue() == ""


def test_lines_within_a_request_have_its_id_and_others_none(stream: io.StringIO) -> None:
    logs.begin_request("mine-2")
    logging.getLogger("service.x").warning("within")
    logs.end_request()
    logging.getLogger("service.x").warning("after")
    within, after = stream.getvalue().splitlines()
    assert within.endswith('"event":"within","request_id":"mine-2"}')
    assert "request_id" not in after


def test_a_stream_that_is_gone_fails_no_request(
    stream: io.StringIO, capsys: pytest.CaptureFixture[str]
) -> None:
    stream.close()
    logs.tell_request(logging.INFO, LINES[0])
    assert "closed file" in capsys.readouterr().err
