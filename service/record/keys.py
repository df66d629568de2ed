"""API keys: a prefix to look up and a 256-bit secret of which only the SHA-256 is kept."""

import hashlib
import hmac
import re
import secrets
from collections import namedtuple
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, Connection, func, insert, or_, select, update

from service.questions import question
from service.record.ids import new_id, now
from service.record.tables import api_keys

#: What a key may do: score (nothing is stored), read, write, and administer.
SCOPES = ("score", "read", "write", "admin")

#: Asks for the key with a prefix, which :func:`judge` then judges.
LOOK_UP = question(
    f"SELECT {', '.join(column.name for column in api_keys.c)} FROM api_keys WHERE prefix = %(prefix)s"
)

_KeyRow = namedtuple("_KeyRow", [column.name for column in api_keys.c])  # type: ignore[misc]
_MARK = "susun"
_PREFIX_BYTES = 6
_SECRET_BYTES = 32
# Compared where there is no key with a prefix, so that it takes as long to be told so.
_NO_HASH = bytes(32)


class UnlikeKeysError(ValueError):
    """The keys of a name may do different things, so that no one key can replace them."""


@dataclass(frozen=True, slots=True)
class Key:
    """A key as the service knows it, without its secret."""

    id: UUID
    name: str
    prefix: str
    scopes: tuple[str, ...]
    created_at: datetime
    revoked_at: datetime | None
    expires_at: datetime | None
    last_used_at: datetime | None

    @property
    def live(self) -> bool:
        """Whether it lets anybody in."""
        return self.revoked_at is None and (self.expires_at is None or self.expires_at > now())


@dataclass(frozen=True, slots=True)
class Claimed:
    """The key that a token says it is: nobody has compared its secret yet."""

    prefix: str
    secret_sha256: bytes = field(repr=False)


def create(connection: Connection, name: str, scopes: Sequence[str]) -> str:
    """Make a key and return it: ``susun_PREFIX_SECRET``. It cannot be read again later."""
    prefix = secrets.token_hex(_PREFIX_BYTES)
    secret = secrets.token_urlsafe(_SECRET_BYTES)
    connection.execute(
        insert(api_keys).values(
            id=new_id(),
            name=name,
            prefix=prefix,
            secret_sha256=_hash(secret),
            scopes=list(scopes),
            created_at=now(),
        )
    )
    return f"{_MARK}_{prefix}_{secret}"


def read(token: str) -> Claimed | None:
    """The key that a token claims to be, or None if it is no token of ours."""
    mark, _, rest = token.partition("_")
    prefix, _, secret = rest.partition("_")
    if mark != _MARK or not token.isascii() or "\0" in token:
        return None
    return Claimed(prefix, _hash(secret))


def judge(claimed: Claimed, row: Sequence[Any] | None) -> Key | None:
    """The key of a row that :data:`LOOK_UP` found, if it is live and the secret is its own."""
    known = _KeyRow._make(row) if row else None
    expected = bytes(known.secret_sha256) if known else _NO_HASH
    if not hmac.compare_digest(claimed.secret_sha256, expected) or known is None:
        return None
    key = _key(known)
    return key if key.live else None


def find(connection: Connection, token: str) -> Key | None:
    """The key that a token is, unless it is unknown, revoked or expired."""
    claimed = read(token)
    if claimed is None:
        return None
    row = connection.exec_driver_sql(LOOK_UP.sql, {"prefix": claimed.prefix}).one_or_none()
    return judge(claimed, row)


def is_prefix(text: str) -> bool:
    """Whether a text has the form of a key's prefix."""
    return re.fullmatch(f"[0-9a-f]{{{2 * _PREFIX_BYTES}}}", text) is not None


def list_all(connection: Connection) -> list[Key]:
    """All keys ever made, oldest first."""
    rows = connection.execute(select(api_keys).order_by(api_keys.c.created_at))
    return [_key(row) for row in rows]


def revoke(connection: Connection, name_or_prefix: str) -> int:
    """Revoke the keys of a name, or the one with a prefix; returns how many that were.

    Those that would have expired by themselves are revoked with the others.
    """
    result = connection.execute(
        update(api_keys)
        .where(_named(name_or_prefix), api_keys.c.revoked_at.is_(None))
        .values(revoked_at=now())
    )
    return result.rowcount


def rotate(connection: Connection, name_or_prefix: str, keep: timedelta) -> tuple[str, int]:
    """Make a key that replaces the live ones of a name, or the one with a prefix.

    It has their name and scopes; they expire after ``keep``, unless they would sooner. Returns it, and
    how many it replaces; ``LookupError`` if there is none, :class:`UnlikeKeysError` if their scopes
    differ.
    """
    until = now() + keep
    found = connection.execute(select(api_keys).where(_named(name_or_prefix)).with_for_update())
    old = [key for key in map(_key, found) if key.live]
    if not old:
        raise LookupError(name_or_prefix)
    if len({(key.name, frozenset(key.scopes)) for key in old}) > 1:
        raise UnlikeKeysError("these keys have different scopes: give the prefix of one")
    connection.execute(
        update(api_keys)
        .where(
            api_keys.c.id.in_([key.id for key in old]),
            or_(api_keys.c.expires_at.is_(None), api_keys.c.expires_at > until),
        )
        .values(expires_at=until)
    )
    return create(connection, old[0].name, old[0].scopes), len(old)


def mark_used(connection: Connection, used: Mapping[UUID, datetime]) -> None:
    """Note when keys were last used, where no later use has been noted."""
    # In order, so that two workers cannot wait for each other.
    for identifier in sorted(used):
        connection.execute(
            update(api_keys)
            .where(
                api_keys.c.id == identifier,
                func.coalesce(api_keys.c.last_used_at < used[identifier], True),
            )
            .values(last_used_at=used[identifier])
        )


def _named(name_or_prefix: str) -> ColumnElement[bool]:
    return (api_keys.c.name == name_or_prefix) | (api_keys.c.prefix == name_or_prefix)


def _key(row: Any) -> Key:
    """A key from its row, as SQLAlchemy or the driver gives it."""
    identifier = row.id if isinstance(row.id, UUID) else UUID(row.id)
    parts = (identifier, row.name, row.prefix, tuple(row.scopes), row.created_at)
    return Key(*parts, row.revoked_at, row.expires_at, row.last_used_at)


def _hash(secret: str) -> bytes:
    return hashlib.sha256(secret.encode()).digest()
