"""Who may call: a live API key with the scope that the call needs."""

from flask import g, request
from sqlalchemy import Connection

from service.api.problems import Problem
from service.messages import _
from service.record import keys


def authenticate(connection: Connection, scope: str) -> None:
    """Let in who sends a live key with the scope; a 401 or 403 problem otherwise.

    From then on ``g.key`` is the key, whose name is put to what is stored.
    """
    challenge = {"WWW-Authenticate": 'Bearer realm="susun"'}
    scheme, _space, token = request.headers.get("Authorization", "").partition(" ")
    if scheme.lower() != "bearer" or not token.strip():
        text = _("this call needs an API key: Authorization: Bearer <key>")
        raise Problem("unauthorized", text, headers=challenge)
    key = keys.find(connection, token.strip())
    if key is None:
        challenge["WWW-Authenticate"] += ', error="invalid_token"'
        raise Problem("unauthorized", _("this API key is unknown or revoked"), headers=challenge)
    if scope not in key.scopes:
        challenge["WWW-Authenticate"] += f', error="insufficient_scope", scope="{scope}"'
        text = _("this call needs a key with the scope “{scope}”")
        raise Problem("forbidden", text, headers=challenge, scope=scope)
    g.key = key
