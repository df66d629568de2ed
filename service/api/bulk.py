"""Bodies of lines answered by lines: in order, streamed, no further than they are read."""

import time
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass
from itertools import islice
from typing import IO, Any, TypeVar

import orjson
import structlog
from flask import Response
from marshmallow import Schema

from service import logs
from service.api import streams
from service.api.bodies import NDJSON, lines
from service.api.problems import Occasion, Problem, show, understand
from service.messages import _

log = structlog.get_logger(__name__)

_PIECE_BYTES = 64 * 1024
#: How long the answer may take.
MOST_SECONDS = streams.MOST_SECONDS
_TOGETHER = 32

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Refusals:
    """What is wrong with lines."""

    told: Occasion

    def of(self, number: int, error: Exception) -> dict[str, object]:
        """The problem document that the error of a line makes; where that is our fault, it is logged."""
        try:
            problem = understand(error)
        except Exception as fault:
            log.exception("unexpected error in a line", line=number)
            logs.told(fault)
            problem = Problem("internal-error", _("something went wrong on our side"))
        # Also where a detail tells at which line JSON ends to be JSON: it is that of the body.
        problem.parameters["line"] = number
        return show(problem, self.told)

    def line(self, number: int, error: Exception) -> bytes:
        """The same as a line."""
        return orjson.dumps(self.of(number, error), option=orjson.OPT_APPEND_NEWLINE)


def answers_of(*schemas: type[Schema]) -> dict[str, Any]:
    """What a body of lines is answered by, as OpenAPI describes it."""
    return {NDJSON: {"schema": {"description": "Each line.", "anyOf": list(schemas)}}}


def check(line: bytes | None, most: int) -> bytes:
    """The line, if there is one to be read; a problem otherwise."""
    if line is None:
        raise Problem("payload-too-large", _("the line has more than {most} bytes"), most=most)
    if not line:
        raise Problem("malformed-request", _("the line is empty"))
    return line


def answers(
    body: IO[bytes],
    most: int,
    count: Callable[[], None],
    read: Callable[[bytes], T],
    answer: Callable[[T], bytes],
    refusals: Refusals,
) -> Iterator[bytes]:
    """A line for each line of a body, which is counted: what answers it, or what is wrong with it.

    Some lines are read, then answered, then the next: one kind of work at a time took a sixth less.
    """
    numbered = lines(body, most)
    while some := list(islice(numbered, _TOGETHER)):
        asked: list[T | bytes] = []
        for number, line in some:
            count()
            try:
                asked.append(read(check(line, most)))
            except Exception as error:
                asked.append(refusals.line(number, error))
        for (number, _line), one in zip(some, asked, strict=True):
            told = one
            if not isinstance(told, bytes):
                try:
                    told = answer(told)
                except Exception as error:
                    told = refusals.line(number, error)
            yield told


def in_pieces(told: Iterable[bytes]) -> Generator[bytes, None, None]:
    """The same, not sent line by line."""
    piece, size = [], 0
    for line in told:
        piece.append(line)
        size += len(line)
        if size >= _PIECE_BYTES:
            yield b"".join(piece)
            piece, size = [], 0
    if piece:
        yield b"".join(piece)


def streamed(body: IO[bytes], pieces: Generator[bytes, None, None]) -> Response:
    """The answer to a body: pieces that are made while they are sent, as long as they are read."""
    streams.bound_sending()
    response = Response(_send(body, pieces), mimetype=NDJSON)
    # Also where not a single piece of it is wanted.
    response.call_on_close(body.close)
    response.headers["X-Accel-Buffering"] = "no"
    return response


def _send(body: IO[bytes], pieces: Generator[bytes, None, None]) -> Iterator[bytes]:
    deadline = time.monotonic() + MOST_SECONDS
    sent = 0
    with closing(body), closing(pieces):
        try:
            for piece in pieces:
                if time.monotonic() > deadline:
                    raise streams.StreamBroken(f"it has taken more than {MOST_SECONDS} seconds")
                yield piece
                sent += len(piece)
        except GeneratorExit:
            log.info("the reader of a stream has left", bytes=sent)
            raise
        except streams.StreamBroken as error:
            log.warning("a stream broke", bytes=sent, why=str(error))
            raise logs.told(error) from None
        except Exception as error:
            log.exception("a stream broke", bytes=sent)
            logs.told(error)
            raise
