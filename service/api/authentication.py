"""Who may call: a live API key with the scope that the call needs."""

from typing import NoReturn

from flask import current_app, g, request

from service.api.problems import Problem
from service.database import Database
from service.known_keys import KnownKeys
from service.last_use import LastUse
from service.messages import _
from service.record import keys
from service.record.keys import Claimed, Key

_CHALLENGE = 'Bearer realm="susun"'


def read_token() -> Claimed:
    """The API key that a request claims; a 401 problem without one, before the database is asked."""
    scheme, _space, token = request.environ.get("HTTP_AUTHORIZATION", "").partition(" ")
    if scheme.lower() != "bearer" or not token.strip():
        text = _("this call needs an API key: Authorization: Bearer <key>")
        raise Problem("unauthorized", text, headers={"WWW-Authenticate": _CHALLENGE})
    return keys.read(token.strip()) or _refuse()


def authenticate(database: Database, claimed: Claimed, scope: str) -> None:
    """Let in a live key that has the scope; a 401 or 403 problem otherwise.

    Where it is not remembered, by one question outside of any transaction. From then on ``g.key`` is
    the key, whose name is put to what is stored, and into the log.
    """
    known: KnownKeys = current_app.extensions["susun_known_keys"]
    key = known.find(claimed)
    if key is None:
        memory = known.memory()
        key = keys.judge(claimed, database.ask(keys.LOOK_UP, prefix=claimed.prefix))
        if key is not None:
            known.remember(memory, claimed, key)
    _let_in(key, scope)


def _let_in(key: Key | None, scope: str) -> None:
    if key is None:
        _refuse()
    g.key = key
    if scope not in key.scopes:
        challenge = f'{_CHALLENGE}, error="insufficient_scope", scope="{scope}"'
        text = _("this call needs a key with the scope “{scope}”")
        raise Problem("forbidden", text, headers={"WWW-Authenticate": challenge}, scope=scope)
    last_use: LastUse = current_app.extensions["susun_last_use"]
    last_use.note(key.id)


def _refuse() -> NoReturn:
    headers = {"WWW-Authenticate": f'{_CHALLENGE}, error="invalid_token"'}
    raise Problem("unauthorized", _("this API key is unknown, revoked or expired"), headers=headers)
