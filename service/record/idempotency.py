"""Idempotency keys: the answer to a request is kept with what it did, and given again to a repeat."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from uuid import UUID

import orjson
from sqlalchemy import Connection, delete

from service.batch import Batch
from service.messages import _
from service.questions import question
from service.record.errors import Conflict
from service.record.ids import now
from service.record.tables import idempotency_keys

KEPT = timedelta(hours=48)

#: Asks for a claim and what was answered under it, as :func:`asked` says, for :func:`found` to judge. In
#: one message, but two statements: what is found must have been committed before the claim was held.
FIND = question(
    """
    SELECT set_config('susun.held',
        CAST(pg_try_advisory_xact_lock(hashtextextended(%(lock)s, 0)) AS text), true)
    """,
    """
    SELECT current_setting('susun.held') AS held, request_sha256, status, headers, body
    FROM (SELECT) AS claim LEFT JOIN idempotency_keys
        ON api_key_id = %(api_key_id)s AND key = %(key)s AND created_at > %(since)s
    """,
)
_VALUES = tuple(column.name for column in idempotency_keys.c)
# One that is there already has expired.
_KEEP = f"""
    INSERT INTO idempotency_keys ({", ".join(_VALUES)})
    VALUES ({", ".join(f"%(answer_{name})s" for name in _VALUES)})
    ON CONFLICT (api_key_id, key) DO UPDATE
    SET {", ".join(f"{name} = excluded.{name}" for name in _VALUES)}
"""

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


def asked(mine: Claim) -> dict[str, Any]:
    """What :data:`FIND` asks for; from then on the claim is ours until the transaction ends."""
    return {**_named(mine), "lock": f"{mine.api_key_id} {mine.key}", "since": now() - KEPT}


def found(mine: Claim, row: Any) -> KeptAnswer | None:
    """The answer given before, from what :data:`FIND` found, or None.

    :class:`Conflict` while another transaction holds the claim; :class:`KeyReused` where the key
    belongs to another request.
    """
    if row.held != "true":
        raise Conflict("idempotency-key-in-flight", _IN_FLIGHT)
    if row.request_sha256 is None:
        return None
    if bytes(row.request_sha256) != mine.request_sha256:
        raise KeyReused
    return KeptAnswer(row.status, row.headers, bytes(row.body))


def keep(connection: Connection, mine: Claim, answer: KeptAnswer) -> None:
    """Keep an answer, at the end of the transaction of what it tells of."""
    values = {
        **_named(mine),
        "request_sha256": mine.request_sha256,
        "status": answer.status,
        "headers": orjson.dumps(dict(answer.headers)).decode(),
        "body": answer.body,
        "created_at": now(),
    }
    batch = Batch()
    batch.add(_KEEP, **{f"answer_{name}": value for name, value in values.items()})
    batch.leave(connection)


def tidy(connection: Connection) -> int:
    """Delete expired answers; returns how many those were."""
    expired = idempotency_keys.c.created_at <= now() - KEPT
    return connection.execute(delete(idempotency_keys).where(expired)).rowcount


def _named(mine: Claim) -> dict[str, str]:
    return {"api_key_id": str(mine.api_key_id), "key": mine.key}
