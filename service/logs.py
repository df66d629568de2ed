"""Logs: a JSON object a line on standard error, or readable lines where that is a terminal.

Our own lines, gunicorn's and those of libraries take the same way. What is logged within a request
carries the request's id. Cards, players, keys and the parameters of SQL are in no line: what people
send is not logged, and errors that may quote it are told without their text (see ``describe``).
"""

import logging
import logging.config
import sys
import time
import traceback
from collections.abc import MutableMapping
from contextlib import nullcontext
from contextvars import ContextVar
from datetime import UTC, datetime
from typing import Any

import orjson
import structlog
from sqlalchemy.exc import DBAPIError, SQLAlchemyError

LEVELS = ("debug", "info", "warning", "error")

Line = MutableMapping[str, Any]

# Whose texts quote the value that they are about, which may be a card, a name or a row of the database.
_QUOTING = (ValueError, LookupError, SQLAlchemyError)
#: Loggers whose lines are wanted from the level of the setting on; all others from "warning" on.
_OURS = ("service", "schemas", "app", "gunicorn.error")

_root, _service = logging.getLogger(), logging.getLogger("service")
_requests = structlog.get_logger("service.requests")
#: The levels of requests.
_TOLD = {logging.DEBUG: "debug", logging.INFO: "info"}
_request_id: ContextVar[str | None] = ContextVar("request_id", default=None)


def settings(level: str) -> dict[str, Any]:
    """What ``logging.config.dictConfig`` wants, for one of ``LEVELS``; ``ValueError`` for another."""
    if level not in LEVELS:
        raise ValueError(f"SUSUN_LOG_LEVEL is one of {', '.join(LEVELS)}, not {level!r}")
    wanted = level.upper()
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {"lines": {"()": "service.logs.formatter"}},
        "filters": {"quiet": {"()": "service.logs.Quiet"}},
        "handlers": {
            "stderr": {
                "class": "service.logs.Lines",
                "stream": "ext://sys.stderr",
                "formatter": "lines",
                "filters": ["quiet"],
            }
        },
        "root": {"level": "ERROR" if level == "error" else "WARNING", "handlers": ["stderr"]},
        "loggers": {name: {"level": wanted, "handlers": [], "propagate": True} for name in _OURS},
    }


def connect() -> None:
    """Let structlog's loggers be loggers of the standard library, which decides what goes where."""
    structlog.configure(
        processors=[
            structlog.stdlib.filter_by_level,
            _of_request,
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=True,
    )


def to_stderr() -> None:
    """Let warnings of a command go to standard error, where they are in nobody's way.

    Unless whoever runs it within a process of his own takes care of logs already.
    """
    if not logging.getLogger().handlers:
        logging.config.dictConfig(settings("warning"))
    connect()


def begin_request(request_id: str) -> None:
    """From now on the lines of this thread carry the request's id."""
    _request_id.set(request_id)


def end_request() -> None:
    """The thread is between requests."""
    _request_id.set(None)


def tell_request(level: int, line: dict[str, Any]) -> None:
    """Log the line of a request, which has its ``request_id``.

    Where nobody but our own handler would see it, it is written without a record of the library's: there
    is one for each request, and the way through three libraries takes ten times as long.
    """
    if not _service.isEnabledFor(level):
        return
    handlers = [*_service.handlers, *_root.handlers]
    if len(handlers) == 1 and isinstance(handlers[0], Lines) and handlers[0].as_json:
        head = {"time": _show(time.time()), "level": _TOLD[level], "event": "request"}
        handlers[0].write(orjson.dumps(head | line).decode())
    else:
        _requests.log(level, "request", **line)


def told(error: BaseException) -> BaseException:
    """Note that an error has been logged, so that who else meets it does not log it again."""
    error._susun_told = True  # type: ignore[attr-defined]
    return error


class Formatter(structlog.stdlib.ProcessorFormatter):
    """Makes lines of records; says whether they are JSON."""

    as_json = True


def formatter() -> Formatter:
    """Makes a line of a record."""
    readable = sys.stderr.isatty()
    # Not structlog's own tracebacks for terminals: those show what the variables hold.
    renderer: Any = structlog.dev.ConsoleRenderer(
        timestamp_key="time", exception_formatter=structlog.dev.plain_traceback
    )
    made = Formatter(
        foreign_pre_chain=[_of_request],
        processors=[_arranged, renderer if readable else _as_json],
        use_get_message=True,
    )
    made.as_json = not readable
    return made


class Lines(logging.StreamHandler[Any]):
    """A handler to which a line that is one already can be given as well."""

    @property
    def as_json(self) -> bool:
        """Whether lines are JSON."""
        return getattr(self.formatter, "as_json", False)

    def write(self, line: str) -> None:
        """Write a line, as a whole."""
        try:
            with self.lock or nullcontext():
                self.stream.write(f"{line}\n")
                self.flush()
        except Exception:
            self.handleError(logging.makeLogRecord({"msg": "a line"}))


def _of_request(_logger: Any, _method: str, line: Line) -> Line:
    """With the id of the request within which it happens."""
    request_id = _request_id.get()
    if request_id is not None:
        line.setdefault("request_id", request_id)
    return line


def _show(seconds: float) -> str:
    return f"{datetime.fromtimestamp(seconds, UTC).isoformat(timespec='milliseconds')[:-6]}Z"


def _arranged(_logger: Any, _method: str, line: Line) -> Line:
    """Time, level and event first, then what else there is, an error last."""
    record: logging.LogRecord = line.pop("_record")
    line.pop("_from_structlog", None)
    error = line.pop("exc_info", None)
    arranged = {
        "time": _show(record.created),
        "level": record.levelname.lower(),
        "event": line.pop("event"),
        **line,
    }
    if error:
        value = error if isinstance(error, BaseException) else (error[1] if error is not True else None)
        arranged["exception"] = describe(value or sys.exc_info()[1])
    return arranged


def _as_json(_logger: Any, _level: str, line: Line) -> str:
    return orjson.dumps(line, default=str).decode()


def describe(error: BaseException | None) -> str:
    """The traceback of an error and of what caused it, without anything that may have been sent to us.

    Frames show code, never values. Texts that may quote values are left out; of what Postgres says there
    remain the SQLSTATE and the name of the constraint.
    """
    parts: list[str] = []
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        frames = "".join(traceback.format_tb(error.__traceback__))
        parts.append(f"Traceback (most recent call last):\n{frames}{_named(error)}")
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    return "\n\nwhich led to:\n\n".join(reversed(parts))


def _named(error: BaseException) -> str:
    kind = type(error)
    name = f"{kind.__module__}.{kind.__qualname__}".removeprefix("builtins.")
    postgres = error.orig if isinstance(error, DBAPIError) else error
    state = getattr(postgres, "pgcode", None)
    if state is not None:
        constraint = getattr(getattr(postgres, "diag", None), "constraint_name", None)
        return f"{name}: SQLSTATE {state}" + (f", constraint {constraint}" if constraint else "")
    if isinstance(error, _QUOTING) or kind.__module__.startswith("psycopg2"):
        return f"{name} (its text may quote what was sent, and is left out)"
    return f"{name}: {error}" if str(error) else name


class Quiet(logging.Filter):
    """Takes out of the lines of others what is ours to keep quiet, and errors that have been told."""

    def filter(self, record: logging.LogRecord) -> bool:
        """False for a record of an error that has a line already; texts are changed in place."""
        error = record.exc_info[1] if record.exc_info else None
        if getattr(error, "_susun_told", False):
            return False
        if isinstance(record.msg, str) and record.levelno > logging.DEBUG:
            if record.name == "gunicorn.error" and record.msg.startswith("Invalid request from"):
                # It goes on with the part of the request that is wrong.
                kind = sys.exc_info()[0]
                record.msg, record.args = f"request refused: {kind.__name__ if kind else 'invalid'}", ()
            elif record.msg.startswith(("Error handling request %s", "Exception on ")):
                # With the raw path.
                record.msg, record.args = "unexpected error", ()
        return True
