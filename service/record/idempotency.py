"""Idempotency keys: the answer to a request is kept with what it did, and given again to a repeat."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from uuid import UUID

from sqlalchemy import ColumnElement, Connection, delete, func, insert, select

from service.messages import _
from service.record.errors import Conflict
from service.record.ids import now
from service.record.tables import idempotency_keys

KEPT = timedelta(hours=48)

_IN_FLIGHT = _("a request with this Idempotency-Key is being answered just now; try again in a moment")


class KeyReused(Exception):
    """The key has been used with another request."""


@dataclass(frozen=True, slots=True)
class Claim:
    """One use of an idempotency key: whose, which, and the digest of the request."""

    api_key_id: UUID
    key: str
    request_sha256: bytes


@dataclass(frozen=True, slots=True)
class KeptAnswer:
    """An answer that was given before."""

    status: int
    headers: Mapping[str, str]
    body: bytes


def claim(api_key_id: UUID, key: str, request: str, body: bytes) -> Claim:
    """The claim of a request; ``request`` is its method and address."""
    digest = hashlib.sha256(request.encode() + b"\n" + body).digest()
    return Claim(api_key_id, key, digest)


def find(connection: Connection, mine: Claim) -> KeptAnswer | None:
    """The answer given before, or None; from then on the claim is ours until the transaction ends.

    :class:`Conflict` while another transaction holds the claim; :class:`KeyReused` where the key
    belongs to another request.
    """
    name = f"{mine.api_key_id} {mine.key}"
    held = func.pg_try_advisory_xact_lock(func.hashtextextended(name, 0))
    if not connection.scalar(select(held)):
        raise Conflict("idempotency-key-in-flight", _IN_FLIGHT)
    row = connection.execute(
        select(idempotency_keys).where(*_where(mine), idempotency_keys.c.created_at > now() - KEPT)
    ).one_or_none()
    if row is None:
        return None
    if bytes(row.request_sha256) != mine.request_sha256:
        raise KeyReused
    return KeptAnswer(row.status, row.headers, bytes(row.body))


def keep(connection: Connection, mine: Claim, answer: KeptAnswer) -> None:
    """Keep an answer, in the transaction of what it tells of."""
    connection.execute(delete(idempotency_keys).where(*_where(mine)))  # one that has expired
    connection.execute(
        insert(idempotency_keys).values(
            api_key_id=mine.api_key_id,
            key=mine.key,
            request_sha256=mine.request_sha256,
            status=answer.status,
            headers=dict(answer.headers),
            body=answer.body,
            created_at=now(),
        )
    )


def tidy(connection: Connection) -> int:
    """Delete expired answers; returns how many those were."""
    expired = idempotency_keys.c.created_at <= now() - KEPT
    return connection.execute(delete(idempotency_keys).where(expired)).rowcount


def _where(mine: Claim) -> tuple[ColumnElement[bool], ...]:
    columns = idempotency_keys.c
    return columns.api_key_id == mine.api_key_id, columns.key == mine.key
