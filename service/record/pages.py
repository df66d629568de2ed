"""Pages of a list: keyset, not offset, so that nothing is skipped or shown twice while others write.

Ids are UUIDv7, so newest first is highest id first.
"""

import base64
import binascii
import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Generic, TypedDict, TypeVar
from uuid import UUID

from sqlalchemy import Column, Select

from service.record.ids import parse_id

_FILTER_CHARACTERS = 16


Item = TypeVar("Item")


class Page(TypedDict, Generic[Item]):
    """One page, and the cursor of the next; null at the end."""

    items: list[Item]
    next_cursor: str | None


class WrongCursor(Exception):
    """A cursor that is none, or that belongs to a list with other filters."""


@dataclass(frozen=True, slots=True)
class Window:
    """Which part of a list: ``limit`` items after the one with the id ``after``, under ``filters``."""

    limit: int
    after: UUID | None
    filters: str = ""

    def limit_query(self, query: Select[Any], key: Column[Any]) -> Select[Any]:
        """The query for this part, and one item more, which tells whether there is a next page."""
        if self.after is not None:
            query = query.where(key < self.after)
        return query.order_by(key.desc()).limit(self.limit + 1)

    def cursor(self, identifier: str) -> str:
        """What leads on from the item with an id."""
        return _encode(identifier, self.filters)

    def page(self, items: list[Item], identify: Callable[[Item], str]) -> Page[Item]:
        """The page that the query's items make; ``identify`` tells the id of one."""
        more = len(items) > self.limit
        items = items[: self.limit]
        return {
            "items": items,
            "next_cursor": self.cursor(identify(items[-1])) if more else None,
        }


def window(limit: int, cursor: str | None, filters: Mapping[str, Any]) -> Window:
    """The part of a list that a request asks for; :class:`WrongCursor` if it can't be."""
    given = {name: str(value) for name, value in filters.items() if value is not None}
    bound = json.dumps(given, sort_keys=True)
    mark = hashlib.sha256(bound.encode()).hexdigest()[:_FILTER_CHARACTERS]
    return Window(limit, None if cursor is None else _decode(cursor, mark), mark)


def since_id(time: datetime) -> UUID:
    """The lowest id that can have been made at a time (to the millisecond) or later."""
    milliseconds = max(int(time.timestamp() * 1000), 0)
    return UUID(int=milliseconds << 80)


def is_cursor(text: str) -> bool:
    """Whether a text is a cursor of some list."""
    try:
        _read(text)
    except WrongCursor:
        return False
    return True


def _encode(identifier: str, mark: str) -> str:
    return base64.urlsafe_b64encode(f"{mark}{identifier}".encode()).decode().rstrip("=")


def _decode(cursor: str, mark: str) -> UUID:
    found, identifier = _read(cursor)
    if found != mark:
        raise WrongCursor
    return identifier


def _read(cursor: str) -> tuple[str, UUID]:
    try:
        padded = cursor + "=" * (-len(cursor) % 4)
        text = base64.b64decode(padded, altchars="-_", validate=True).decode("ascii")
    except (binascii.Error, ValueError):
        raise WrongCursor from None
    identifier = parse_id(text[_FILTER_CHARACTERS:])
    if identifier is None:
        raise WrongCursor
    return text[:_FILTER_CHARACTERS], identifier
