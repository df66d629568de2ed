"""Ids and times: UUIDv7, so that ids sort by when they were made, and RFC 3339 in UTC."""

import re
import uuid
from datetime import UTC, datetime

import uuid_utils.compat

_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")


def new_id() -> uuid.UUID:
    """A fresh UUIDv7."""
    return uuid_utils.compat.uuid7()


def parse_id(text: str) -> uuid.UUID | None:
    """The id that a text is, in its canonical form (in any case); None if it is none."""
    return uuid.UUID(text) if _UUID.fullmatch(text.lower()) else None


def now() -> datetime:
    """The time, in UTC."""
    return datetime.now(UTC)


def show_time(time: datetime) -> str:
    """A time as RFC 3339 in UTC, to the microsecond: ``2026-01-31T12:00:00.000000Z``."""
    return time.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")
