"""Requests read: body, query string, ids in the address."""

from typing import Any
from uuid import UUID

from flask import current_app, request
from werkzeug.exceptions import ClientDisconnected

from schemas.fields import Document
from schemas.mistakes import PARAMETER_UNKNOWN, Invalid, Mistake
from service.api.addresses import with_slashes
from service.api.problems import Problem
from service.messages import _
from service.record.ids import parse_id


def read_body(limit: int | None = None) -> bytes:
    """The request's body as it came, within the limit of its call, or that of all."""
    most: int = limit or current_app.config["MAX_CONTENT_LENGTH"]
    environ, length, body = request.environ, request.content_length, b""
    if length is None and not environ.get("wsgi.input_terminated"):
        return body
    if length is not None and length > most:
        raise too_large(most)
    # Not by werkzeug: of a body of unknown length it would read as far as the limit, and not tell that
    # there is more.
    wanted = most + 1 if length is None else length
    try:
        while len(body) < wanted and (piece := environ["wsgi.input"].read(wanted - len(body))):
            body += piece
    except OSError as error:
        raise ClientDisconnected from error
    if len(body) > most:
        raise too_large(most)
    if len(body) < (length or 0):
        raise ClientDisconnected
    return body


def too_large(most: int) -> Problem:
    """That a body is larger than it may be; what is left of it is not read."""
    text = _("the body is larger than {most} bytes")
    return Problem("payload-too-large", text, headers={"Connection": "close"}, most=most)


def check_media_type(*taken: str) -> None:
    """Refuse a body that is not declared to be of one of the media types that are taken, as it is."""
    coding = request.environ.get("HTTP_CONTENT_ENCODING", "identity")
    if coding.lower() != "identity":
        text = _("the body must be sent as it is, without the Content-Encoding {coding}")
        plain = {"Accept-Encoding": "identity"}
        raise Problem("unsupported-media-type", text, headers=plain, coding=coding[:64])
    if request.mimetype not in taken:
        accepted = ", ".join(taken)
        text = _("the body must be {accepted}, not {media_type}")
        if len(taken) > 1:
            text = _("the body must be one of {accepted}, not {media_type}")
        shown, headers = request.mimetype or "undeclared", {"Accept": accepted}
        raise Problem(
            "unsupported-media-type", text, headers=headers, accepted=accepted, media_type=shown
        )


def read_query(schema: Document | None, arguments: dict[str, Any]) -> None:
    """Load the query string into ``arguments["query"]``; every parameter must be known and single."""
    if schema is None and not request.environ.get("QUERY_STRING"):
        return
    given = request.args
    known = schema.fields if schema else {}
    mistakes = [_of_parameter(PARAMETER_UNKNOWN, name) for name in given if name not in known]
    for name, values in given.lists():
        if len(values) > 1 and name in known:
            mistake = Mistake("field_invalid", _("this parameter is there more than once"))
            mistakes.append(_of_parameter(mistake, name))
    if schema is not None:
        try:
            arguments["query"] = schema.read({n: v for n, v in given.items() if n in known})
        except Invalid as error:
            mistakes += [_of_parameter(m, m.pointer.removeprefix("/")) for m in error.mistakes]
    if mistakes:
        raise Invalid(mistakes)


def _of_parameter(mistake: Mistake, name: str) -> Mistake:
    """A mistake in the query, which no pointer into the body can show."""
    return mistake._replace(pointer="", parameters={**mistake.parameters, "parameter": name})


def read_id(text: str) -> UUID:
    """An id in the address; what is none is like the id of nothing."""
    found = parse_id(text)
    if found is None:
        raise Problem("not-found", _("there is nothing with this id: it is no UUID"))
    return found


def read_name(text: str) -> str:
    """A name in the address."""
    text = with_slashes(text)
    if "\0" in text:
        raise Problem("not-found", _("there is nothing with this name: it holds a NUL character"))
    return text
