"""Traces by OpenTelemetry: a span for each request, and one below it for each statement of SQL.

Off unless the extra ``otel`` is installed and OTEL_EXPORTER_OTLP_ENDPOINT (or
OTEL_EXPORTER_OTLP_TRACES_ENDPOINT) is set; everything else is set by the OTEL_* variables of
OpenTelemetry too. Spans say what was called and how long it took, never what was sent: the rule of an
address and not the path, SQL and not its parameters.
"""

import os
from typing import TYPE_CHECKING, Any

import structlog
from flask import Flask, Response, g, request
from sqlalchemy import Engine, event

from service.metrics import METHODS, NO_ROUTE, OTHER_METHOD

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import TracerProvider

log = structlog.get_logger(__name__)

_ENDPOINTS = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
#: Asked every few seconds by machines.
_UNTRACED = frozenset(("/livez", "/readyz", "/metrics"))


def provider() -> "TracerProvider | None":
    """What sends spans to where the environment says; None where it says nothing.

    It starts a thread, so a process that forks must not call it before.
    """
    if not any(os.environ.get(name) for name in _ENDPOINTS):
        return None
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import (  # noqa: PLC0415 (an extra)
            OTLPSpanExporter,
        )
        from opentelemetry.sdk.trace import TracerProvider  # noqa: PLC0415
        from opentelemetry.sdk.trace.export import BatchSpanProcessor  # noqa: PLC0415
    except ImportError:
        log.warning("traces are wanted, but cannot be made: pip install susun[otel]")
        return None
    os.environ.setdefault("OTEL_SERVICE_NAME", "susun")
    made = TracerProvider()
    made.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    return made


def register(app: Flask, engine: Engine, provider: "TracerProvider | None") -> None:
    """Make spans of the app's requests and of the engine's statements, if there is who takes them.

    Requests must have their ids (``g.request_id``) by a function that was registered before.
    """
    if provider is None:
        return
    tracer = provider.get_tracer("susun")
    _Requests(tracer).register(app)
    _Statements(tracer).register(engine)


class _Requests:
    """A span for each request, from its being read to its answer; of a stream, to its last piece."""

    def __init__(self, tracer: Any) -> None:
        from opentelemetry import context, propagate, trace  # noqa: PLC0415

        self._tracer, self._context, self._propagate, self._trace = tracer, context, propagate, trace

    def register(self, app: Flask) -> None:
        app.before_request(self.begin)
        app.after_request(self.answered)
        app.teardown_request(self.end)

    def begin(self) -> None:
        """The span continues the caller's trace, if it names one."""
        route = request.url_rule.rule if request.url_rule is not None else NO_ROUTE
        if route in _UNTRACED:
            return
        method = request.method if request.method in METHODS else OTHER_METHOD
        span = self._tracer.start_span(
            f"{method} {route}",
            context=self._propagate.extract(request.headers),
            kind=self._trace.SpanKind.SERVER,
            attributes={
                "http.request.method": method,
                "http.route": route,
                "susun.request_id": g.request_id,
            },
        )
        g.span = span
        g.span_token = self._context.attach(self._trace.set_span_in_context(span))

    def answered(self, response: Response) -> Response:
        """The status is known; the end of a stream is yet to come."""
        span = g.get("span")
        if span is not None:
            span.set_attribute("http.response.status_code", response.status_code)
            if response.status_code >= 500:
                span.set_status(self._trace.StatusCode.ERROR)
            if response.is_streamed and not response.direct_passthrough:
                g.span = None
                response.call_on_close(span.end)
        return response

    def end(self, _error: BaseException | None) -> None:
        """The thread is free for another request."""
        token = g.pop("span_token", None)
        if token is not None:
            self._context.detach(token)
        span = g.pop("span", None)
        if span is not None:
            span.end()


class _Statements:
    """A span for each statement that runs within a request's."""

    def __init__(self, tracer: Any) -> None:
        from opentelemetry import trace  # noqa: PLC0415

        self._tracer, self._trace = tracer, trace

    def register(self, engine: Engine) -> None:
        event.listen(engine, "before_cursor_execute", self.begin)
        event.listen(engine, "after_cursor_execute", self.end)
        event.listen(engine, "handle_error", self.fail)

    def begin(
        self, _connection: Any, _cursor: Any, statement: str, _values: Any, context: Any, _many: bool
    ) -> None:
        """Parameters are not looked at: they hold the round."""
        if not self._trace.get_current_span().is_recording():
            return
        # Of several statements in one message, the last is what is asked.
        operation = statement.rpartition(";")[2].split(None, 1)[0].upper()
        context._susun_span = self._tracer.start_span(
            operation,
            kind=self._trace.SpanKind.CLIENT,
            attributes={
                "db.system.name": "postgresql",
                "db.operation.name": operation,
                "db.query.text": statement.strip(),
            },
        )

    def end(
        self, _connection: Any, _cursor: Any, _statement: str, _values: Any, context: Any, _many: bool
    ) -> None:
        """It has run."""
        span = getattr(context, "_susun_span", None)
        if span is not None:
            span.end()

    def fail(self, failure: Any) -> None:
        """It has failed. Postgres's text may quote a row, and is left out."""
        span = getattr(failure.execution_context, "_susun_span", None)
        if span is not None:
            span.set_status(self._trace.StatusCode.ERROR)
            state = getattr(failure.original_exception, "pgcode", None)
            if state:
                span.set_attribute("db.response.status_code", state)
            span.end()
