"""ETags: what a reader has need not be sent again, and what has changed is not corrected blindly."""

from collections.abc import Callable, Mapping
from typing import Any

import orjson
from flask import Response, g, request

from service.api.problems import Problem
from service.language import retold
from service.messages import _
from service.record.rounds import StoredRound


def unless_known(
    read_state: Callable[[], object], read: Callable[[], tuple[Mapping[str, Any] | bytes, object]]
) -> Response:
    """Answer with what ``read`` gives, or 304 without reading it where the client has that state.

    Both tell the state of the thing: whatever changes whenever the thing does.
    """
    if "HTTP_IF_NONE_MATCH" in request.environ and request.if_none_match:
        tag = tag_of(read_state())
        if request.if_none_match.contains_weak(tag):
            known = Response(status=304)
            known.set_etag(tag)
            return known
    document, state = read()
    return tagged(document, state)


def tagged(
    document: Mapping[str, Any] | bytes,
    state: object,
    status: int = 200,
    location: str | None = None,
) -> Response:
    """A JSON answer, from a document or as it stands, with the ETag of a state."""
    body = document if isinstance(document, bytes) else orjson.dumps(document)
    response = Response(body, status, content_type="application/json")
    response.set_etag(tag_of(state))
    if location is not None:
        response.headers["Location"] = location
    return response


def kept_round(kept: StoredRound) -> Response:
    """The answer to whoever has posted or changed a round, in their language."""
    return tagged(retold(kept.json, g.language), kept.digest, 201, f"/v1/rounds/{kept.id}")


def tag_of(state: object) -> str:
    """The ETag of a state, in the language in which it is told."""
    return f"{state}.{g.language}"


def has_seen(state: str) -> bool:
    """Whether If-Match names a state; a 428 problem without If-Match."""
    if not request.if_match:
        text = _("send If-Match with the ETag of the revision that is to be replaced")
        raise Problem("precondition-required", text)
    return not contradicts(state)


def contradicts(state: str) -> bool:
    """Whether there is an If-Match, and it does not name a state (in whatever language it was read)."""
    expected = request.if_match
    if expected.star_tag or "If-Match" not in request.headers:
        return False
    # An unquoted or empty tag is read as none at all.
    return state not in {str(tag).partition(".")[0] for tag in expected.as_set()}
