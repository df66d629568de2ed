"""Addresses that hold names: which slashes are of a name, and how an address is sent again."""

import re
from collections.abc import Callable
from typing import Any
from urllib.parse import quote, unquote

from flask import request

#: In place of a slash within a name; no name has this character.
_SLASH, _ENCODED_SLASH = "\x1f", re.compile("%2f", re.IGNORECASE)


def keep_slashes(serve: Callable[..., Any]) -> Callable[..., Any]:
    """An application by WSGI that tells the slashes within a name, sent as ``%2F``, from those between.

    WSGI decodes both before the address is looked at; so one within a name comes as a character that no
    name has, for :func:`with_slashes`. Needs the address as it was sent (``RAW_URI``, as gunicorn has
    it).
    """

    def kept(environ: dict[str, Any], start_response: Any) -> Any:
        raw = environ.get("RAW_URI", "").partition("?")[0].removeprefix(environ.get("SCRIPT_NAME", ""))
        if "%2f" in raw.lower() and raw.startswith("/") and _SLASH not in environ["PATH_INFO"]:
            environ["PATH_INFO"] = unquote(_ENCODED_SLASH.sub(_SLASH, raw), "latin-1")
        return serve(environ, start_response)

    return kept


def with_slashes(name: str) -> str:
    """A name from an address, as it is."""
    return name.replace(_SLASH, "/")


def path_to_send() -> str:
    """The path of the request as it can be sent again, whatever names are in it."""
    return quote(request.path).replace(quote(_SLASH), quote("/", safe=""))
