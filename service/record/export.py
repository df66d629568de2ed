"""Rounds on their way out: read from one snapshot, a few at a time, and written a line each.

As NDJSON a round is a line; as CSV each of its seats is, in columns for a spreadsheet. The last line of
either says that it is the end, and how many rounds there were: without it, something broke.
"""

import csv
import re
from collections.abc import Callable, Iterator, Mapping
from io import StringIO
from typing import Any, Protocol

import orjson
from sqlalchemy import Connection

from service.record.errors import WRONG
from service.record.pages import Window
from service.record.rounds import StoredRound, select_rounds, show_round
from service.rules.cards import ROWS

# Few, so that a slow reader is through with them before Postgres gives up on an idle transaction, and so
# that the garbage collector has little to look through: batches of 200 take twice the time.
_BATCH = 25

COLUMNS = (
    *("round", "match", "number", "revision", "status", "submitted_at", "submitted_by"),
    *("ruleset", "ruleset_version", "stake", "seat", "player"),
    *(row + suffix for row in ROWS for suffix in ("", "_hand", "_label")),
    *("cards", "foul", "foul_detail", "special", "sweeps", "clean_sweep", "points"),
    *("won", "fee", "net", "reason", "cursor"),
)

_OF_ROUND = ("id", "match", "number", "revision", "status", "submitted_at", "submitted_by")
# What spreadsheets take for the beginning of a formula; some also split cells at semicolons.
_FORMULA = re.compile(r"(^|;)(?=['\s]*[=+@＝＋－＠-]|[\t\r\n])")

Document = dict[str, Any]


class Lines(Protocol):
    """How rounds are written: what comes first, a round, the end after so many."""

    head: bytes

    def show(self, shown: bytes, cursor: str) -> bytes:
        """A round, given as JSON, and the cursor to go on after it."""

    def end(self, count: int) -> bytes:
        """The last line."""


def read_rounds(
    connection: Connection, window: Window, filters: Mapping[str, Any], limit: int | None
) -> Iterator[list[StoredRound]]:
    """Rounds from where a window begins, newest first, to the limit or the end.

    In batches, through a cursor of the server.
    """
    query, values = select_rounds(window, filters, limit)
    found = connection.execute(query, values, execution_options={"yield_per": _BATCH})
    for rows in found.partitions():
        yield [show_round(row._mapping) for row in rows]


class JsonLines:
    """NDJSON."""

    head = b""

    def show(self, shown: bytes, cursor: str) -> bytes:
        """A round."""
        return b'%b,"cursor":"%b"}\n' % (shown[:-1], cursor.encode())

    def end(self, count: int) -> bytes:
        """The last line."""
        return orjson.dumps({"end": True, "count": count}, option=orjson.OPT_APPEND_NEWLINE)


class CsvLines:
    """CSV as RFC 4180 has it, in UTF-8 with the mark by which Excel knows that."""

    def __init__(self) -> None:
        self._buffer = StringIO()
        self._write: Callable[[Any], object] = csv.writer(self._buffer).writerow
        self._write(COLUMNS)
        self.head = b"\xef\xbb\xbf" + self._taken()

    def show(self, shown: bytes, cursor: str) -> bytes:
        """A round, its seats a line each."""
        for row in _readable_rows(shown, cursor):
            self._write([cell(value) for value in row])
        return self._taken()

    def end(self, count: int) -> bytes:
        """The last line, as long as the others."""
        self._write(["end", count, *[""] * (len(COLUMNS) - 2)])
        return self._taken()

    def _taken(self) -> bytes:
        text = self._buffer.getvalue()
        self._buffer.seek(0)
        self._buffer.truncate()
        return text.encode()


def _readable_rows(shown: bytes, cursor: str) -> list[list[Any]]:
    """The cells of a round; of one that was tampered with, so that it has none, as much as there is."""
    document: Any = {}
    try:
        document = orjson.loads(shown)
        return list(csv_rows(document, cursor))
    except WRONG:
        named = [document.get(name) for name in _OF_ROUND]
        return [[*named, *[None] * (len(COLUMNS) - len(named) - 1), cursor]]


def csv_rows(document: Document, cursor: str) -> Iterator[list[Any]]:
    """The cells of a round, seat by seat.

    Only the last seat has the cursor, so that whoever goes on from there has the whole round.
    """
    seats, ruleset = document["seats"], document["ruleset"]
    of_round = [document[name] for name in _OF_ROUND]
    of_round += [ruleset["id"], ruleset["version"], document.get("stake")]
    asked = document["request"]["seats"]
    for place, (seat, sent) in enumerate(zip(seats, asked, strict=True), 1):
        hands, foul, special = seat["rows"] or {}, seat["foul"] or {}, seat["special"] or {}
        money = seat.get("money") or {}
        row = [*of_round, place, seat["player"]]
        for name in ROWS:
            hand = hands.get(name) or {}
            row += [" ".join(hand.get("cards", ())), hand.get("hand"), hand.get("label")]
        row += [
            " ".join(sent.get("cards", ())),
            foul.get("code"),
            foul.get("detail"),
            special.get("name"),
        ]
        row += [seat["sweeps"], seat["clean_sweep"], seat["points"]]
        row += [money.get("won"), money.get("fee"), money.get("net"), document["reason"]]
        yield [*row, cursor if place == len(seats) else None]


def cell(value: Any) -> Any:
    """A value as a cell: a text never begins a formula, a number stays one, null is empty."""
    if type(value) is str:
        plain = value[:1].isalnum() and ";" not in value  # nearly all are
        return value if plain else _FORMULA.sub(r"\1'", value)
    if type(value) is bool:
        return "true" if value else "false"
    return value
