"""The application: ``gunicorn 'app:create_app()'``."""

import re
from collections.abc import Callable, Mapping
from random import getrandbits
from typing import Any

from flask import Flask, Response, current_app, g, request
from werkzeug.middleware.proxy_fix import ProxyFix

from service import logs, tracing
from service.api import (
    audit,
    browsers,
    documents,
    imports,
    limits,
    matches,
    observing,
    players,
    problems,
    rounds,
    rulesets,
    scoring,
    system,
    tournaments,
)
from service.api.addresses import keep_slashes
from service.api.idempotent import keep_refusal
from service.config import read_config
from service.database import Database
from service.known_keys import KnownKeys
from service.language import DEFAULT, LANGUAGES, translator
from service.last_use import LastUse
from service.metrics import PoolWatch

MOST_BODY_BYTES = 64 * 1024
_REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")


class Susun(Flask):
    """Flask, which need not look at each function whether it is a coroutine: none is."""

    def ensure_sync(self, func: Callable[..., Any]) -> Callable[..., Any]:
        """The function itself."""
        return func


def create_app(config: Mapping[str, Any] | None = None) -> Flask:
    """Build and wire the application; ``config`` stands in for the environment (see service.config)."""
    settings = read_config(config)
    logs.connect()
    app = Susun(__name__, static_folder=None)
    app.config["MAX_CONTENT_LENGTH"] = MOST_BODY_BYTES
    database = Database(settings.database_url, pool_size=settings.pool_size)
    database.watch = PoolWatch(database.pool, database.most_connections)
    app.extensions["susun_database"] = database
    app.extensions["susun_last_use"] = LastUse(database)
    app.extensions["susun_known_keys"] = known_keys = KnownKeys(database)
    database.at_close.append(known_keys.stop)
    with_calls = (scoring, rulesets, matches, rounds, imports, tournaments, audit, players, system)
    for part in (*with_calls, documents):
        app.register_blueprint(part.blueprint)
    problems.register(app)
    browsers.register(app, settings)
    app.before_request(_prepare)
    tracing.register(app, database.engine, tracing.provider())
    limits.register(app, settings)
    app.after_request(_finish)
    # Two slashes are no mistake to be redirected, which would name a host: there is nothing there.
    app.url_map.merge_slashes = False
    app.wsgi_app = keep_slashes(app.wsgi_app)  # type: ignore[method-assign]
    if settings.trusted_proxies:
        # The last address that a proxy of ours has noted; nothing else of what they say is relied on.
        proxies = {"x_for": settings.trusted_proxies, "x_proto": 0, "x_host": 0}
        app.wsgi_app = ProxyFix(app.wsgi_app, **proxies)  # type: ignore[method-assign]
    return app


def _prepare() -> None:
    """Give the request an id (the caller's, if it sends a plain one) and find its language."""
    environ = request.environ
    given = environ.get("HTTP_X_REQUEST_ID", "")
    request_id = given if _REQUEST_ID.fullmatch(given) else f"{getrandbits(128):032x}"
    language = DEFAULT
    if "HTTP_ACCEPT_LANGUAGE" in environ:
        language = request.accept_languages.best_match(LANGUAGES, DEFAULT)
    g.request_id, g.language, g.translate = request_id, language, translator(language)
    observing.begin(request_id)


def _finish(response: Response) -> Response:
    response = keep_refusal(current_app.extensions["susun_database"], response)
    headers = response.headers
    headers.add("X-Request-ID", g.request_id)
    if "Content-Language" not in headers:
        headers.add("Content-Language", g.language)
    if "Vary" in headers:
        response.vary.add("Accept-Language")
    else:
        headers.add("Vary", "Accept-Language")
    return observing.finish(response)
