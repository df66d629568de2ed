"""Lists of rounds as streams: NDJSON and CSV, sent while they are read, in constant memory.

A stream that breaks, for whatever reason, has no last line; the last cursor that came leads on.
"""

import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

import structlog
from flask import Response, g, request
from sqlalchemy import Connection
from sqlalchemy.exc import DBAPIError
from werkzeug.datastructures import MIMEAccept

from schemas.answers import RoundLineAnswer, StreamEndAnswer
from schemas.queries import DEFAULT_LIMIT, MOST_ITEMS
from service import logs, metrics
from service.api.bodies import NDJSON
from service.api.calls import Afterwards
from service.api.lists import page_of_rounds, window_of
from service.api.problems import Problem
from service.database import Database, DatabaseAway
from service.language import retold
from service.messages import _
from service.record import export, rounds
from service.record.pages import Window
from service.record.rounds import StoredRound

log = structlog.get_logger(__name__)

JSON, CSV = "application/json", "text/csv"
_LINES: Mapping[str, Callable[[], export.Lines]] = {NDJSON: export.JsonLines, CSV: export.CsvLines}

#: Of a call that answers with such a list: what it comes in besides JSON, and the problems it may have.
STREAMS: Mapping[str, Any] = {
    NDJSON: {
        "schema": {
            "description": "Each line; the last one is the end, or else the stream is broken.",
            "anyOf": [RoundLineAnswer, StreamEndAnswer],
        }
    },
    CSV: {
        "schema": {
            "type": "string",
            "description": f"A line a seat: `{','.join(export.COLUMNS)}`. The first cell of the last "
            "line is `end`, the second the number of rounds, or else the stream is broken.",
        }
    },
}
STREAM_PROBLEMS = ("not-acceptable", "too-many-streams")

#: At a time, in a worker: the rest of its threads and connections are for other calls.
MOST_STREAMS = 2
_RETRY_SECONDS = 5
#: How long a stream may last, and how long its reader may take for one piece.
MOST_SECONDS = 600
_PIECE_SECONDS = 30
_PIECE_BYTES = 64 * 1024

_running = threading.BoundedSemaphore(MOST_STREAMS)


class StreamBroken(Exception):
    """A stream that cannot go on."""


@dataclass(slots=True)
class _Stream:
    """An open stream, and how to tell of it."""

    language: str
    deadline: float
    lines: export.Lines
    part: Window
    rounds: int = 0


def list_of_rounds(
    database: Database, query: Mapping[str, Any], filters: Mapping[str, Any]
) -> Response | Afterwards:
    """Rounds as the request wants them: a page, or a stream once the call is over."""
    media_type = wanted((JSON, *_LINES))
    limit = query.get("limit")
    of_page = {**query, "limit": min(limit or DEFAULT_LIMIT, MOST_ITEMS)}
    part = window_of(of_page, "rounds", filters)
    if media_type != JSON:
        return Afterwards(
            lambda: _open(
                database,
                media_type,
                part,
                lambda snapshot: export.read_rounds(snapshot, part, filters, limit),
            )
        )
    response = page_of_rounds(rounds.list_rounds(database, part, filters), of_page)
    response.vary.add("Accept")
    return response


def wanted(offered: Sequence[str]) -> str:
    """Which of some media types is accepted most; the first if none is named, 406 if none is taken."""
    accepted = request.accept_mimetypes
    if not accepted:
        return offered[0]
    # No parameter makes a difference here.
    bare = MIMEAccept([(name.partition(";")[0].strip(), quality) for name, quality in accepted])
    found = bare.best_match(offered)
    if found is None:
        text = _(
            "this does not come as anything that Accept names; `media_types` are those that it comes as"
        )
        raise Problem("not-acceptable", text, headers={"Vary": "Accept"}, media_types=list(offered))
    return found


def _open(
    database: Database,
    media_type: str,
    part: Window,
    read: Callable[[Connection], Iterator[list[StoredRound]]],
) -> Response:
    """Begin a stream; what fails until the first rounds are there is still a problem."""
    with ExitStack() as opening:
        if not _running.acquire(blocking=False):
            text = _("no more than {most} streams can be read at a time")
            headers = {"Retry-After": str(_RETRY_SECONDS)}
            raise Problem("too-many-streams", text, headers=headers, most=MOST_STREAMS)
        opening.callback(_running.release)
        metrics.STREAMS.inc()
        opening.callback(metrics.STREAMS.dec)
        snapshot = opening.enter_context(database.snapshot(MOST_SECONDS + _PIECE_SECONDS))
        batches = database.step_by_step(snapshot, read(snapshot))
        first = next(batches, [])
        held = opening.pop_all()

    def close() -> None:
        try:
            held.close()
        except DatabaseAway as error:
            log.info("the connection of a stream was lost", why=str(error))

    bound_sending()
    deadline = time.monotonic() + MOST_SECONDS
    stream = _Stream(g.language, deadline, lines=_LINES[media_type](), part=part)
    response = Response(_send(stream, first, batches, close), mimetype=media_type)
    # Also where not a single piece of it is wanted.
    response.call_on_close(close)
    response.vary.add("Accept")
    # A proxy that stored it would need as much room, and hide how fast it is read.
    response.headers["X-Accel-Buffering"] = "no"
    if media_type == CSV:
        response.headers["Content-Disposition"] = 'attachment; filename="rounds.csv"'
    return response


def bound_sending() -> None:
    """Let no reader that has stopped reading hold up a thread and a connection."""
    socket = request.environ.get("gunicorn.socket")
    if socket is not None:
        socket.settimeout(_PIECE_SECONDS)


def _send(
    stream: _Stream,
    first: list[StoredRound],
    batches: Iterable[list[StoredRound]],
    close: Callable[[], None],
) -> Iterator[bytes]:
    try:
        for piece in _pieces(stream, first, batches):
            if time.monotonic() > stream.deadline:
                raise StreamBroken(f"it has taken more than {MOST_SECONDS} seconds")
            yield piece
    except GeneratorExit:
        log.info("the reader of a stream has left", rounds=stream.rounds)
        raise
    except (StreamBroken, DBAPIError) as error:
        why = str(error).splitlines()[0]
        log.warning("a stream broke", rounds=stream.rounds, why=why)
        # Raised, so that the connection is cut off and not ended in good order.
        raise logs.told(StreamBroken(why)) from None
    except Exception as error:
        log.exception("a stream broke", rounds=stream.rounds)
        logs.told(error)
        raise
    finally:
        close()


def _pieces(
    stream: _Stream, first: list[StoredRound], batches: Iterable[list[StoredRound]]
) -> Iterator[bytes]:
    lines = stream.lines
    piece = bytearray(lines.head)
    batch: list[StoredRound] | None = first
    following = iter(batches)
    while batch:
        for stored in batch:
            piece += lines.show(retold(stored.json, stream.language), stream.part.cursor(stored.id))
            stream.rounds += 1
            if len(piece) >= _PIECE_BYTES:
                yield bytes(piece)
                piece.clear()
        batch = next(following, None)
    yield bytes(piece + lines.end(stream.rounds))
