"""Who may call: a live API key with the scope that the call needs."""

from flask import g, request
from sqlalchemy import Connection

from service.api.problems import Problem
from service.messages import _
from service.record import keys

_CHALLENGE = 'Bearer realm="susun"'


def read_token() -> str:
    """The API key that a request sends; a 401 problem without one, before the database is asked."""
    scheme, _space, token = request.headers.get("Authorization", "").partition(" ")
    if scheme.lower() != "bearer" or not token.strip():
        text = _("this call needs an API key: Authorization: Bearer <key>")
        raise Problem("unauthorized", text, headers={"WWW-Authenticate": _CHALLENGE})
    return token.strip()


def authenticate(connection: Connection, token: str, scope: str) -> None:
    """Let in a live key that has the scope; a 401 or 403 problem otherwise.

    From then on ``g.key`` is the key, whose name is put to what is stored, and into the log.
    """
    key = keys.find(connection, token)
    if key is None:
        headers = {"WWW-Authenticate": f'{_CHALLENGE}, error="invalid_token"'}
        raise Problem("unauthorized", _("this API key is unknown or revoked"), headers=headers)
    g.key = key
    if scope not in key.scopes:
        challenge = f'{_CHALLENGE}, error="insufficient_scope", scope="{scope}"'
        text = _("this call needs a key with the scope “{scope}”")
        raise Problem("forbidden", text, headers={"WWW-Authenticate": challenge}, scope=scope)
