"""Errors as ``application/problem+json`` (RFC 9457), all of them, in one place."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import orjson
import structlog
from flask import Flask, Response, g
from gunicorn.http.errors import ParseException
from werkzeug.exceptions import ClientDisconnected, HTTPException

from schemas.mistakes import Invalid, Mistake, Translate
from service.api.addresses import path_to_send
from service.api.json_input import NotJson
from service.database import DatabaseAway
from service.logs import told
from service.messages import _
from service.record.errors import Conflict, Missing, Stale
from service.tournaments.errors import NotSeated

log = structlog.get_logger(__name__)

MEDIA_TYPE = "application/problem+json"
RETRY_SECONDS = 2
_MOST_ERRORS = 200


#: Every problem: its status, its title, and what a client should know about it.
PROBLEMS: Mapping[str, tuple[int, str, str]] = {
    "malformed-request": (
        400,
        _("Malformed request"),
        _("The request could not be read as HTTP or as JSON. The detail says where."),
    ),
    "unauthorized": (
        401,
        _("API key needed"),
        _("Send a live key: `Authorization: Bearer <key>`. It is missing, unknown, revoked or expired."),
    ),
    "forbidden": (
        403,
        _("Scope missing"),
        _("The key is valid but lacks the scope that this call needs; `scope` names it."),
    ),
    "not-found": (404, _("Not found"), _("There is nothing at this address, or nothing with this id.")),
    "method-not-allowed": (
        405,
        _("Method not allowed"),
        _("The address exists, but not for this method; the Allow header lists those it takes."),
    ),
    "not-acceptable": (
        406,
        _("Not acceptable"),
        _("The answer does not come in any of the media types that Accept names."),
    ),
    "request-timeout": (
        408,
        _("Request too slow"),
        _("The request did not come in fast enough. Nothing was done; send it again, whole."),
    ),
    "match-finished": (
        409,
        _("Match finished"),
        _("All planned rounds of the match have been played, or it was ended early; it takes no more."),
    ),
    "round-number-taken": (
        409,
        _("Not the next round"),
        _("The `number` that was sent is not the number of the match's next round."),
    ),
    "round-void": (
        409,
        _("Round void"),
        _("The round counts no more already. A correction can bring it back."),
    ),
    "tournament-finished": (
        409,
        _("Tournament finished"),
        _("The tournament is over: nobody enters or leaves, and no stage follows."),
    ),
    "stage-open": (
        409,
        _("Stage open"),
        _("Matches of the last stage are not finished. `open` names them, `count` says how many."),
    ),
    "no-stage-left": (
        409,
        _("No stage left"),
        _("All planned stages have been seated; nobody can be seated or enter any more."),
    ),
    "too-few-players": (409, _("Too few players"), _("A stage takes at least two players.")),
    "too-many-players": (
        409,
        _("Too many players"),
        _("There would be more players than a tournament takes; `most` says how many it does."),
    ),
    "player-withdrawn": (
        409,
        _("Player withdrawn"),
        _("The player has left the tournament already."),
    ),
    "tournament-busy": (
        409,
        _("Tournament busy"),
        _("Another director is changing the tournament just now. Read it again."),
    ),
    "idempotency-key-in-flight": (
        409,
        _("Request in flight"),
        _("A request with the same Idempotency-Key is being answered just now. Send it again shortly."),
    ),
    "stale": (
        412,
        _("Changed meanwhile"),
        _("What you want to change is no longer what If-Match names. Read it again first."),
    ),
    "precondition-required": (
        428,
        _("If-Match needed"),
        _("A correction needs If-Match with the ETag of the revision that it replaces."),
    ),
    "payload-too-large": (413, _("Body too large"), _("The body is larger than this call takes.")),
    "uri-too-long": (
        414,
        _("Address too long"),
        _("The address with its query has more than 4094 bytes together with the method."),
    ),
    "header-fields-too-large": (
        431,
        _("Header fields too large"),
        _("There are more than 50 header fields, or one of more than 8190 bytes."),
    ),
    "unsupported-media-type": (
        415,
        _("Unsupported media type"),
        _(
            "The body is of a media type that the call does not take. The Accept header lists those "
            "that it takes."
        ),
    ),
    "invalid-request": (
        422,
        _("Invalid request"),
        _("The request is well-formed but wrong. `errors` lists everything that is."),
    ),
    "invalid-round": (
        422,
        _("Invalid round"),
        _("The round cannot be scored. `errors` lists everything that is wrong, each with its place."),
    ),
    "idempotency-key-reused": (
        422,
        _("Idempotency-Key reused"),
        _("The Idempotency-Key belongs to another request, sent within the last 48 hours."),
    ),
    "too-many-requests": (429, _("Too many requests"), _("Wait as long as Retry-After says.")),
    "internal-error": (
        500,
        _("Internal error"),
        _("The fault is ours, and has been logged under the `request_id`."),
    ),
    "database-away": (
        503,
        _("Database away"),
        _("The database cannot be reached just now. Nothing was stored; try again as Retry-After says."),
    ),
    "outcome-unknown": (
        503,
        _("Outcome unknown"),
        _(
            "The database went away just when the change was to be kept: it may have been kept or not. "
            "Send it again with the same Idempotency-Key, or look before you send it again."
        ),
    ),
    "busy": (
        503,
        _("Busy"),
        _(
            "There is too much to do just now, or somebody else holds what the call needs. Nothing was "
            "stored; try again as Retry-After says."
        ),
    ),
    "storage-full": (
        503,
        _("Storage full"),
        _("The database has no room left. Nothing was stored; what is stored can still be read."),
    ),
    "too-many-streams": (
        503,
        _("Too many streams"),
        _("As many streams are being read as can be at a time. Try again as Retry-After says."),
    ),
}

_BY_STATUS = {
    400: "malformed-request",
    404: "not-found",
    405: "method-not-allowed",
    408: "request-timeout",
    413: "payload-too-large",
    414: "uri-too-long",
    415: "unsupported-media-type",
    429: "too-many-requests",
    431: "header-fields-too-large",
}

_HTTP_DETAILS = {
    400: _("the request could not be read"),
    404: _("there is nothing at this address"),
    405: _("this address does not take this method"),
}


class Problem(Exception):
    """An error to answer with: its name in ``PROBLEMS``, a detail, and more members."""

    def __init__(
        self,
        name: str,
        text: str,
        /,
        *,
        headers: Mapping[str, str] | None = None,
        mistakes: list[Mistake] | None = None,
        **parameters: Any,
    ) -> None:
        super().__init__(text)
        self.name, self.text, self.parameters = name, text, parameters
        self.headers, self.mistakes = headers or {}, mistakes


@dataclass(frozen=True, slots=True)
class Occasion:
    """The request that a problem is told to: its language, address and id."""

    translate: Translate
    instance: str
    request_id: str | None


def occasion() -> Occasion:
    """That of the request which is being answered."""
    return Occasion(g.get("translate", str), path_to_send(), g.get("request_id"))


def show(problem: Problem, told: Occasion, status: int | None = None) -> dict[str, Any]:
    """The document that a problem makes; ``status`` where it is another than the problem's own."""
    translate = told.translate
    known, title, _about = PROBLEMS[problem.name]
    body: dict[str, Any] = {
        "type": f"/problems/{problem.name}",
        "title": translate(title),
        "status": status or known,
        "detail": translate(problem.text).format_map(problem.parameters),
        "instance": told.instance,
        "request_id": told.request_id,
        **problem.parameters,
    }
    if problem.mistakes is not None:
        shown = problem.mistakes[:_MOST_ERRORS]
        body["errors"] = [mistake.show(translate) for mistake in shown]
        if len(problem.mistakes) > len(shown):
            body["errors_left_out"] = len(problem.mistakes) - len(shown)
    return body


def answer(problem: Problem, status: int | None = None) -> Response:
    """The response that a problem makes."""
    body = show(problem, occasion(), status)
    g.problem = problem.name
    response = Response(orjson.dumps(body), body["status"], content_type=MEDIA_TYPE)
    response.headers.extend(problem.headers)
    return response


def invalid(name: str, mistakes: list[Mistake]) -> Problem:
    """The problem that a list of mistakes makes."""
    if len(mistakes) == 1:
        return Problem(name, _("one thing is wrong"), mistakes=mistakes)
    return Problem(name, _("{count} things are wrong"), count=len(mistakes), mistakes=mistakes)


def understand(error: Exception) -> Problem:
    """The problem that an error of what was sent, of what is stored or of the database makes.

    Raises the error again if it is none of these.
    """
    if isinstance(error, Problem):
        return error
    if isinstance(error, NotJson):
        return Problem("malformed-request", error.text, **error.parameters)
    if isinstance(error, Invalid):
        return invalid("invalid-request", error.mistakes)
    if isinstance(error, Conflict):
        return Problem(error.problem, error.text, **error.parameters)
    if isinstance(error, DatabaseAway):
        log.warning(error.problem.replace("-", " "), why=str(error))
        text = PROBLEMS[error.problem][2]
        if error.problem == "database-away":
            text = _("the database cannot be reached, nothing was stored")
        return Problem(error.problem, text, headers={"Retry-After": str(RETRY_SECONDS)})
    raise error


def register(app: Flask) -> None:
    """Let every error of the app, expected or not, be answered as a problem."""

    for kind in (Problem, NotJson, Invalid, Conflict, DatabaseAway):
        app.register_error_handler(kind, lambda error: answer(understand(error)))

    @app.errorhandler(Missing)
    def _missing(error: Missing) -> Response:
        return answer(Problem("not-found", _("there is nothing with this id")))

    @app.errorhandler(NotSeated)
    def _not_seated(error: NotSeated) -> Response:
        text = _("stage {stage} has not been seated; so far there are {seated}")
        return answer(Problem("not-found", text, stage=error.stage, seated=error.seated))

    @app.errorhandler(Stale)
    def _stale(error: Stale) -> Response:
        return answer(Problem("stale", _("this is no longer the newest revision")))

    @app.errorhandler(ClientDisconnected)
    def _too_slow(error: ClientDisconnected) -> Response:
        # If it has left instead, nobody reads this.
        text = _("the body did not come in fast enough")
        return answer(Problem("request-timeout", text, headers={"Connection": "close"}))

    @app.errorhandler(ParseException)
    def _bad_framing(error: ParseException) -> Response:
        # Chunks are only read while the application reads the body.
        text = _("the body could not be read: its chunks are malformed")
        return answer(Problem("malformed-request", text, headers={"Connection": "close"}))

    @app.errorhandler(HTTPException)
    def _http(error: HTTPException) -> Response:
        status = error.code or 500
        name = _BY_STATUS.get(status, "malformed-request" if status < 500 else "internal-error")
        response = answer(Problem(name, _HTTP_DETAILS.get(status, PROBLEMS[name][2])), status)
        for header, value in error.get_headers():
            if header.lower() not in ("content-type", "content-length"):
                response.headers[header] = value
        return response

    @app.errorhandler(Exception)
    def _unexpected(error: Exception) -> Response:
        log.exception("unexpected error")
        told(error)
        return answer(Problem("internal-error", _("something went wrong on our side")))
