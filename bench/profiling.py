"""Where the time of a kind of requests goes: the application in this process, without a network."""

import cProfile
import io
import logging.config
import os
import pstats
import re
import tempfile
import time
from collections.abc import Iterable, Mapping
from contextlib import closing
from functools import partial
from typing import Any

from werkzeug.datastructures import Headers
from werkzeug.test import Client, EnvironBuilder

from bench.client import Request
from bench.kinds import KINDS, Scene
from tests.gunicorns import ROOT

REQUESTS = 500
FILLED = 2_000
#: What every path begins with, which says nothing.
_WHERE = re.compile(
    rf"{re.escape(str(ROOT))}/(?!\.venv)|\S*/site-packages/|{re.escape(os.path.dirname(os.__file__))}/"
)


def profile(name: str, *, requests: int = REQUESTS, lines: int = 40) -> None:
    """Print what a request of a kind costs, then profiles by own and by cumulative time."""
    from bench.requests import LIMITS, filled  # noqa: PLC0415 (it is who calls)

    with tempfile.TemporaryDirectory(prefix="susun-bench-") as counts, filled(FILLED) as base:
        # Before the application is imported, which then counts in files, as under gunicorn.
        os.environ["PROMETHEUS_MULTIPROC_DIR"] = counts
        from app import create_app  # noqa: PLC0415
        from service import logs  # noqa: PLC0415
        from service.warm_up import warm_up  # noqa: PLC0415

        with open(os.devnull, "w") as nowhere:
            settings = logs.settings("info")
            settings["handlers"]["stderr"]["stream"] = nowhere
            logging.config.dictConfig(settings)
            rates = {field.removeprefix("SUSUN_").lower(): int(rate) for field, rate in LIMITS.items()}
            app = create_app({"database_url": base.url, **rates})
            warm_up()
            scene = Scene(partial(_ask, Client(app)), base.token, base.busiest)
            sent = KINDS[name].lines(scene)[0]
            environs = [environ_of(next(sent)) for _ in range(3 * requests)]

            def serve(part: Iterable[dict[str, Any]]) -> None:
                for environ in part:
                    _serve(app, environ, KINDS[name].expected.status)
                    logs.end_request()

            serve(environs[:requests])
            wall, computed = time.perf_counter(), time.thread_time()
            serve(environs[requests : 2 * requests])
            wall, computed = time.perf_counter() - wall, time.thread_time() - computed
            profiler = cProfile.Profile()
            profiler.enable()
            serve(environs[2 * requests :])
            profiler.disable()
            app.extensions["susun_database"].close()
        micro = 1e6 / requests
        each = f"{wall * micro:.0f} µs a request, of which {computed * micro:.0f} are computed here"
        print(f"{KINDS[name].title}: {each}")
        print("(not counted: gunicorn, and what Postgres computes). Under the profiler all is slower:")
        for order in ("tottime", "cumulative"):
            told = io.StringIO()
            pstats.Stats(profiler, stream=told).sort_stats(order).print_stats(lines)
            print(_WHERE.sub("", told.getvalue()))


def environ_of(request: Request) -> dict[str, Any]:
    """A request as a WSGI server hands it over."""
    path, _, query = request.path.partition("?")
    headers = Headers(list(request.headers.items()))
    if request.body:
        headers["Content-Type"] = "application/json"
    builder = EnvironBuilder(
        path, query_string=query, method=request.method, headers=headers, data=request.body
    )
    with closing(builder):
        environ = builder.get_environ()
    environ["wsgi.input"] = io.BytesIO(request.body)
    environ["REMOTE_ADDR"] = "127.0.0.1"
    return environ


def _serve(app: Any, environ: dict[str, Any], wanted: int) -> None:
    statuses: list[str] = []
    answer = app(environ, lambda status, *_: statuses.append(status))
    size = sum(map(len, answer))
    answer.close()
    assert statuses[0].startswith(f"{wanted} "), (statuses, size)


def _ask(client: Client, request: Request) -> tuple[int, Mapping[str, str], bytes]:
    answer = client.open(environ_of(request))
    assert answer.status_code < 400, answer.text
    return answer.status_code, answer.headers, answer.get_data()  # type: ignore[return-value]
