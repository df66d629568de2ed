"""Spans arrive at a collector, from every worker, by the variables of OpenTelemetry alone."""

import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
import requests
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from tests.api.requests import ROUND
from tests.gunicorns import serving


class Collector(ThreadingHTTPServer):
    """Keeps what is exported to it."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.paths: set[str] = set()
        self.received: list[ExportTraceServiceRequest] = []


class _Handler(BaseHTTPRequestHandler):
    server: Collector

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.paths.add(self.path)
        self.server.received.append(ExportTraceServiceRequest.FromString(body))
        self.send_response(200)
        self.send_header("Content-Type", "application/x-protobuf")
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def collector() -> Iterator[Collector]:
    with Collector() as collector:
        thread = threading.Thread(target=collector.serve_forever)
        thread.start()
        yield collector
        collector.shutdown()
        thread.join()


def test_spans_of_all_workers_arrive(
    make_key: Callable[..., str], database_url: str, tmp_path: Path, collector: Collector
) -> None:
    headers = {"Authorization": f"Bearer {make_key('score')}", "Connection": "close"}
    settings = {"OTEL_EXPORTER_OTLP_ENDPOINT": f"http://127.0.0.1:{collector.server_port}"}
    sent = {f"mine-{number}" for number in range(20)}
    with serving(database_url, tmp_path, workers=2, **settings) as gunicorn:
        for name in sorted(sent):
            response = requests.post(
                f"{gunicorn.base}/v1/score",
                json=ROUND,
                headers={**headers, "X-Request-ID": name},
                timeout=20,
            )
            assert response.status_code == 200
    # Ending, the workers have sent what they held.
    assert collector.paths == {"/v1/traces"}
    found = set()
    for received in collector.received:
        for resource in received.resource_spans:
            named = {
                attribute.key: attribute.value.string_value for attribute in resource.resource.attributes
            }
            assert named["service.name"] == "susun"
            for span in (span for scope in resource.scope_spans for span in scope.spans):
                values = {attribute.key: attribute.value.string_value for attribute in span.attributes}
                if span.name == "POST /v1/score":
                    assert values["http.route"] == "/v1/score"
                    found.add(values["susun.request_id"])
    assert found == sent
