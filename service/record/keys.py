"""API keys: a prefix to look up and a 256-bit secret of which only the SHA-256 is kept."""

import hashlib
import hmac
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import Connection, Row, insert, select, update

from service.record.ids import new_id, now
from service.record.tables import api_keys

#: What a key may do: score (nothing is stored), read, write, and administer.
SCOPES = ("score", "read", "write", "admin")

_MARK = "susun"
_PREFIX_BYTES = 6
_SECRET_BYTES = 32


@dataclass(frozen=True, slots=True)
class Key:
    """A key as the service knows it, without its secret."""

    id: UUID
    name: str
    prefix: str
    scopes: tuple[str, ...]
    created_at: datetime
    revoked_at: datetime | None


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


def find(connection: Connection, token: str) -> Key | None:
    """The key that a token is, unless it is unknown or revoked."""
    mark, _, rest = token.partition("_")
    prefix, _, secret = rest.partition("_")
    if mark != _MARK or not token.isascii() or "\0" in token:
        return None
    row = connection.execute(select(api_keys).where(api_keys.c.prefix == prefix)).one_or_none()
    expected = row.secret_sha256 if row else bytes(32)
    if not hmac.compare_digest(_hash(secret), expected) or row is None or row.revoked_at:
        return None
    return _key(row)


def list_all(connection: Connection) -> list[Key]:
    """All keys ever made, oldest first."""
    rows = connection.execute(select(api_keys).order_by(api_keys.c.created_at))
    return [_key(row) for row in rows]


def revoke(connection: Connection, name_or_prefix: str) -> int:
    """Revoke the live keys of a name, or the one with a prefix; returns how many that were."""
    named = (api_keys.c.name == name_or_prefix) | (api_keys.c.prefix == name_or_prefix)
    result = connection.execute(
        update(api_keys).where(named, api_keys.c.revoked_at.is_(None)).values(revoked_at=now())
    )
    return result.rowcount


def _key(row: Row[Any]) -> Key:
    return Key(row.id, row.name, row.prefix, tuple(row.scopes), row.created_at, row.revoked_at)


def _hash(secret: str) -> bytes:
    return hashlib.sha256(secret.encode()).digest()
