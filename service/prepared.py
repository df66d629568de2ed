"""Statements that a connection prepares once, so that Postgres does not parse and plan them each time.

To plan the list of a player's rounds takes Postgres as long as to read it; of a single round that is
half. ``PREPARE`` and ``EXECUTE`` are said in SQL, since psycopg2 has no other way. A statement is named
after its text, so that one name never means two.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from hashlib import blake2b
from typing import Any

import structlog

log = structlog.get_logger(__name__)

_PARAMETER = re.compile(r"%\((\w+)\)s")
#: A prepared statement is not there, or is there already: the connection is another than it was.
_NOT_AS_LEFT = ("26000", "42P05")


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement in the driver's words (``sql``), what prepares it, and what it is called by then."""

    sql: str
    name: str
    prepare: str
    execute: str


@cache
def statement(sql: str) -> Statement:
    """The statement of a text with parameters as ``%(name)s``, the only ``%`` in it.

    ValueError for any other. Values get the types that Postgres finds for them where they stand.
    """
    names = list(dict.fromkeys(_PARAMETER.findall(sql)))
    numbered = _PARAMETER.sub(lambda found: f"${names.index(found[1]) + 1}", sql)
    if "%" in numbered:
        raise ValueError("a statement to be prepared has no % but those of its parameters")
    name = "susun_" + blake2b(sql.encode(), digest_size=8).hexdigest()
    values = f" ({', '.join(f'%({value})s' for value in names)})" if names else ""
    return Statement(sql, name, f"PREPARE {name} AS {numbered}", f"EXECUTE {name}{values}")


@dataclass(slots=True)
class Preparing:
    """Whether the connections of a database prepare statements.

    Not while they are ``read``, by traces for one, which are to tell what is asked, not a name of it.
    """

    read: Callable[[], bool] = lambda: False
    _of_use: bool = True

    @property
    def on(self) -> bool:
        """Whether they do now."""
        return self._of_use and not self.read()

    def hear(self, error: BaseException | None) -> None:
        """Let nothing be prepared any more if an error shows that connections change behind our back.

        So they do behind a pooler that shares them, transaction by transaction.
        """
        if self._of_use and getattr(error, "pgcode", None) in _NOT_AS_LEFT:
            self._of_use = False
            log.info("statements are not prepared any more, since a pooler shares connections")


@dataclass(slots=True)
class Prepared:
    """What has been prepared on one connection, in whose ``info`` it is noted under ``prepared``."""

    preparing: Preparing
    names: set[str] = field(default_factory=set)


def message(
    statements: Iterable[Statement], info: Mapping[Any, Any], prepare: Callable[[str], object]
) -> str:
    """Statements as one message for a connection of which ``info`` tells, to be sent with their values.

    What is to be prepared first is handed to ``prepare``, which says it to the connection. Nothing is
    where ``info`` tells of nothing.
    """
    prepared: Prepared | None = info.get("prepared")
    if prepared is None or not prepared.preparing.on:
        return ";".join([one.sql for one in statements])
    words = []
    for one in statements:
        if one.name not in prepared.names:
            prepare(one.prepare)
            prepared.names.add(one.name)
        words.append(one.execute)
    return ";".join(words)
