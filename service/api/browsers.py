"""What browsers are told: which web frontends may read answers, and to make nothing else of them."""

import re
from collections.abc import Sequence

from flask import Flask, Response
from flask_cors import CORS

from service.config import Config

#: Of the fields that requests have, those that frontends may send; and of answers, those they may read.
SENT = (
    "Accept-Language",
    "Authorization",
    "Content-Type",
    "Idempotency-Key",
    "If-Match",
    "If-None-Match",
    "X-Request-ID",
)
READ = (
    "Content-Language",
    "ETag",
    "Idempotency-Replayed",
    "Link",
    "Location",
    "RateLimit",
    "RateLimit-Policy",
    "Retry-After",
    "WWW-Authenticate",
    "X-Request-ID",
)
_METHODS = ("GET", "HEAD", "POST")
_PREFLIGHT_SECONDS = 600

# Where an answer does not say anything else. Frontends that may call are told so by CORS, which reading
# into a page without asking (as a picture, say) has nothing to do with.
_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
}
_ONLY_NOW = "no-store"
# A browser may keep it, but asks each time whether it is still so.
_ASK_AGAIN = "private, no-cache"


def register(app: Flask, config: Config) -> None:
    """Let every answer of an app carry these fields; those of CORS only if it is configured."""
    headers = dict(_HEADERS)
    if config.hsts_seconds:
        headers["Strict-Transport-Security"] = f"max-age={config.hsts_seconds}"
    always = [(name.lower(), name, value) for name, value in headers.items()]
    differs = bool(config.cors_origins) and config.cors_origins != ("*",)

    @app.after_request
    def _tell(response: Response) -> Response:
        told = response.headers
        there = {name.lower() for name, _ in told}
        for key, name, value in always:
            if key not in there:
                told.add(name, value)
        if "cache-control" not in there:
            told.add("Cache-Control", _ASK_AGAIN if "etag" in there else _ONLY_NOW)
        if differs:
            response.vary.add("Origin")
        return response

    if config.cors_origins:
        _allow(app, config.cors_origins)


def _allow(app: Flask, origins: Sequence[str]) -> None:
    CORS(
        app,
        # Patterns of ours: in plain text, the brackets of an IPv6 address would be taken for one.
        origins="*" if "*" in origins else [re.compile(re.escape(origin) + r"\Z") for origin in origins],
        methods=list(_METHODS),
        allow_headers=list(SENT),
        expose_headers=list(READ),
        max_age=_PREFLIGHT_SECONDS,
        supports_credentials=False,
        send_wildcard=True,
        always_send=False,
        vary_header=False,
    )
