"""The Idempotency-Key header: a request that is sent again is answered again, and done once."""

import random
import re
from collections.abc import Callable
from typing import Any

import structlog
from flask import Response, g, request
from sqlalchemy import Connection
from werkzeug.datastructures import Headers

from schemas.mistakes import Mistake
from service.api.problems import Problem, invalid
from service.database import Database, DatabaseAway
from service.messages import _
from service.record import idempotency
from service.record.errors import Conflict
from service.record.idempotency import Claim, KeptAnswer, KeyReused

log = structlog.get_logger(__name__)

_KEY = re.compile(r'"([!#-~]{1,255})"|([!#-~]{1,255})')
_KEPT_HEADERS = ("Content-Type", "Location", "ETag", "Content-Language")
#: Refusals that are answers of the call itself; what failed before it ran may be tried again.
_KEPT_REFUSALS = (404, 409, 422)
# Refusals of a moment, which may be tried again, too.
_MOMENTARY = ("tournament-busy",)
_TIDY_CHANCE = 0.001


def idempotently(database: Database, raw: bytes, serve: Callable[[Connection], Response]) -> Response:
    """Serve a request in a transaction; or, if its Idempotency-Key was served before, answer that again.

    The answer is kept in the same transaction, so that it is there exactly if what it tells of is.
    Refusals undo the transaction, and are kept in one of their own.
    """
    g.claim = None  # of an attempt before
    mine = _claim(raw)
    if mine is None:
        with database.transaction() as connection:
            return serve(connection)
    with database.transaction_after(idempotency.FIND, idempotency.asked(mine)) as (connection, row):
        kept = _found(mine, row)
        if kept is not None:
            return _replay(kept)
        g.claim = mine  # for keep_refusal, should the call fail
        response = serve(connection)
        g.claim = None
        idempotency.keep(connection, mine, _kept(response))
        if random.random() < _TIDY_CHANCE:
            idempotency.tidy(connection)
        return response


def keep_refusal(database: Database, response: Response) -> Response:
    """Keep the answer to a request whose claim was undone, unless somebody else was faster."""
    mine: Claim | None = g.get("claim")
    if mine is None or response.status_code not in _KEPT_REFUSALS or g.get("problem") in _MOMENTARY:
        return response

    def keep() -> None:
        begun = database.transaction_after(idempotency.FIND, idempotency.asked(mine))
        with begun as (connection, row):
            if idempotency.found(mine, row) is None:
                idempotency.keep(connection, mine, _kept(response))

    try:
        database.whole(keep)
    except (DatabaseAway, Conflict, KeyReused):
        log.warning("a refusal could not be kept under its idempotency key")
    return response


def _claim(raw: bytes) -> Claim | None:
    header = request.environ.get("HTTP_IDEMPOTENCY_KEY")
    if header is None:
        return None
    match = _KEY.fullmatch(header)
    if match is None:
        text = _("an Idempotency-Key has 1 to 255 visible characters")
        raise Problem("malformed-request", text)
    address = f"{request.method} {request.full_path} {request.environ.get('HTTP_IF_MATCH', '')}"
    return idempotency.claim(g.key.id, match[1] or match[2], address, raw)


def _found(mine: Claim, row: Any) -> KeptAnswer | None:
    try:
        return idempotency.found(mine, row)
    except KeyReused:
        text = _("this Idempotency-Key has been used with another request")
        raise invalid("idempotency-key-reused", [Mistake("idempotency_key_reused", text)]) from None


def _kept(response: Response) -> KeptAnswer:
    headers = {name: response.headers[name] for name in _KEPT_HEADERS if name in response.headers}
    headers.setdefault("Content-Language", g.language)
    return KeptAnswer(response.status_code, headers, response.get_data())


def _replay(kept: KeptAnswer) -> Response:
    response = Response(kept.body, kept.status, Headers(kept.headers))
    response.headers["Idempotency-Replayed"] = "true"
    return response
