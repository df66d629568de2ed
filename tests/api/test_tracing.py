"""Spans: what they say of a request, and what they must not."""

import sys
from collections.abc import Iterator
from typing import Any

import pytest
from flask.testing import FlaskClient
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind, StatusCode
from sqlalchemy import text

from app import create_app
from service import tracing
from tests.api.requests import ROUND

PLAYER = "a-player-whom-no-span-may-name"
TRACE, PARENT = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"


class Spans:
    """A client of an app that is traced, and the spans that have ended."""

    def __init__(self, url: str, authorization: str) -> None:
        self._kept = InMemorySpanExporter()
        provider = TracerProvider()
        provider.add_span_processor(SimpleSpanProcessor(self._kept))
        self.app = create_app({"database_url": url})
        self.database = self.app.extensions["susun_database"]
        tracing.register(self.app, self.database.engine, provider)
        self.client = self.app.test_client()
        self.client.environ_base["HTTP_AUTHORIZATION"] = authorization

    def all(self) -> list[ReadableSpan]:
        return list(self._kept.get_finished_spans())

    def server(self) -> list[ReadableSpan]:
        return [span for span in self.all() if span.kind == SpanKind.SERVER]

    def text(self) -> str:
        return "".join(span.to_json() for span in self.all())


@pytest.fixture
def spans(client: FlaskClient, database_url: str) -> Iterator[Spans]:
    spans = Spans(database_url, client.environ_base["HTTP_AUTHORIZATION"])
    yield spans
    spans.database.close()


def attributes(span: ReadableSpan) -> dict[str, Any]:
    return dict(span.attributes or {})


def test_a_request_is_a_span_with_its_statements_below_it(spans: Spans) -> None:
    sent = {"seats": [{**seat, "player": f"{PLAYER}-{n}"} for n, seat in enumerate(ROUND["seats"])]}
    response = spans.client.post("/v1/rounds", json=sent, headers={"X-Request-ID": "mine-1"})
    assert response.status_code == 201
    (span,) = spans.server()
    assert span.name == "POST /v1/rounds"
    assert attributes(span) == {
        "http.request.method": "POST",
        "http.route": "/v1/rounds",
        "http.response.status_code": 201,
        "susun.request_id": "mine-1",
    }
    statements = [span for span in spans.all() if span.kind == SpanKind.CLIENT]
    assert {"SELECT", "INSERT"} <= {statement.name for statement in statements}
    for statement in statements:
        assert statement.parent is not None and span.context is not None
        assert statement.parent.span_id == span.context.span_id
        assert attributes(statement)["db.system.name"] == "postgresql"
        assert statement.name in attributes(statement)["db.query.text"]
    spans.client.get(f"/v1/players/{PLAYER}-0")
    spans.client.get(f"/v1/rounds?player={PLAYER}-0")
    assert [span.name for span in spans.server()[1:]] == ["GET /v1/players/<player>", "GET /v1/rounds"]
    told = spans.text()
    assert PLAYER not in told and '"Ks"' not in told and "Ks Kh" not in told
    assert spans.client.environ_base["HTTP_AUTHORIZATION"].split("_")[1] not in told


def test_a_span_continues_the_trace_of_the_caller(spans: Spans) -> None:
    spans.client.post("/v1/score", json=ROUND, headers={"traceparent": f"00-{TRACE}-{PARENT}-01"})
    (span,) = spans.server()
    assert span.context is not None and f"{span.context.trace_id:032x}" == TRACE
    assert span.parent is not None and f"{span.parent.span_id:016x}" == PARENT


def test_requests_that_follow_each_other_are_no_family(spans: Spans) -> None:
    for _ in range(3):
        spans.client.post("/v1/score", json=ROUND)
    assert [span.parent for span in spans.server()] == [None] * 3
    assert len({span.context.trace_id for span in spans.server() if span.context}) == 3


def test_a_stream_is_a_span_until_its_last_piece(spans: Spans) -> None:
    response = spans.client.get("/v1/rounds", headers={"Accept": "text/csv"})
    assert spans.server() == []
    assert response.data
    response.close()
    (span,) = spans.server()
    assert attributes(span)["http.response.status_code"] == 200


def test_a_failed_statement_is_an_error_that_quotes_nothing(spans: Spans) -> None:
    @spans.app.get("/fault")
    def fault() -> str:
        with spans.database.transaction() as connection:
            connection.execute(text("INSERT INTO api_keys (name) VALUES (:name)"), {"name": PLAYER})
        return ""

    assert spans.client.get("/fault").status_code == 500
    (span,) = spans.server()
    assert span.status.status_code == StatusCode.ERROR
    (failed,) = [span for span in spans.all() if span.name == "INSERT"]
    assert failed.status.status_code == StatusCode.ERROR
    assert attributes(failed)["db.response.status_code"] == "23502"
    assert PLAYER not in spans.text()


def test_probes_and_made_up_addresses_make_no_names(spans: Spans) -> None:
    for path in ("/livez", "/readyz", "/metrics", "/nothing/1", "/nothing/2"):
        spans.client.get(path)
    spans.client.open("/nothing/3", method="BREW")
    assert [span.name for span in spans.all()] == ["GET none", "GET none", "other none"]


def test_without_an_endpoint_there_is_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"):
        monkeypatch.delenv(name, raising=False)
    assert tracing.provider() is None


def test_without_the_extra_there_is_a_warning(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:1")
    monkeypatch.setitem(sys.modules, "opentelemetry.sdk.trace.export", None)
    monkeypatch.setitem(sys.modules, "opentelemetry.exporter.otlp.proto.http.trace_exporter", None)
    assert tracing.provider() is None
    assert "pip install susun[otel]" in caplog.text
