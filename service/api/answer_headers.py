"""Header fields of answers, as the OpenAPI document tells of them: what each says, and where it is."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from schemas.queries import ListQuery
from service.api.calls import Call

# Refused before the application is asked, which is what counts requests.
_UNCOUNTED = (414, 431)
_KEPT = (404, 409, 422)
_TEXT: Mapping[str, Any] = {"type": "string"}


@dataclass(frozen=True, slots=True)
class AnswerHeader:
    """A field: what it says, which answers (by call and status) may have it, and its schema.

    ``always``: those answers that may have it do.
    """

    description: str
    occurs: Callable[[Call, int], bool]
    schema: Mapping[str, Any] = field(default_factory=lambda: _TEXT)
    always: bool = False

    def show(self) -> dict[str, Any]:
        """The field as OpenAPI has it."""
        return {"description": self.description, "schema": dict(self.schema)}


def _succeeds(call: Call, status: int) -> bool:
    return status in (call.status, call.again)


HEADERS: Mapping[str, AnswerHeader] = {
    "ETag": AnswerHeader(
        "The state of what is answered, in the language of the answer; for If-None-Match and If-Match.",
        lambda call, status: call.etag and (_succeeds(call, status) or status == 304),
        always=True,
    ),
    "Location": AnswerHeader(
        "The address of what was made or changed.",
        lambda call, status: call.status == 201 and _succeeds(call, status),
        {"type": "string", "format": "uri-reference"},
        always=True,
    ),
    "Link": AnswerHeader(
        'The next page, as `<...>; rel="next"`; absent on the last one.',
        lambda call, status: isinstance(call.query, ListQuery) and _succeeds(call, status),
    ),
    "Content-Disposition": AnswerHeader(
        "With `text/csv`: a name for the file.",
        lambda call, status: "text/csv" in call.also and _succeeds(call, status),
    ),
    "Content-Encoding": AnswerHeader(
        "`gzip`, where the client accepts it.",
        lambda call, status: call.name == "get_standings" and _succeeds(call, status),
        {"type": "string", "enum": ["gzip"]},
    ),
    "Idempotency-Replayed": AnswerHeader(
        "`true` where the answer is that of an earlier request with the same Idempotency-Key.",
        lambda call, status: call.stores and (_succeeds(call, status) or status in _KEPT),
        {"type": "string", "enum": ["true"]},
    ),
    "Retry-After": AnswerHeader(
        "After how many seconds to send it again.",
        lambda _call, status: status in (429, 503),
        {"type": "integer", "minimum": 1},
    ),
    "RateLimit-Policy": AnswerHeader(
        "How many units an address and a key may use at once (`q`), and in how many seconds all of them "
        "are there again (`w`); absent where nothing is limited.",
        lambda call, status: call.scope is not None and status not in _UNCOUNTED,
    ),
    "RateLimit": AnswerHeader(
        "How many units are left to the address and the key (`r`), and in how many seconds all are "
        "there again (`t`).",
        lambda call, status: call.scope is not None and status not in _UNCOUNTED,
    ),
}


def headers_of(call: Call, status: int) -> dict[str, Any]:
    """Which fields an answer of a call may have, as references into the document's components."""
    return {
        name: {"$ref": f"#/components/headers/{name}"}
        for name, header in HEADERS.items()
        if header.occurs(call, status)
    }
