"""Matches brought in from elsewhere, many at a time."""

from collections import Counter
from collections.abc import Generator
from typing import IO, Any

import orjson
from flask import Blueprint, Response, g

from schemas.answers import ImportEndAnswer, ImportLineAnswer
from schemas.imports import DEFAULT_SOURCE, ImportDocument, ImportsQuery
from service.api import bulk, limits
from service.api.bodies import lines
from service.api.calls import Lines, call, database
from service.api.importing import MOST_LINE_BYTES, Importer, ImportStopped
from service.api.problems import occasion
from service.api.streams import StreamBroken

blueprint = Blueprint("imports", __name__, url_prefix="/v1/imports")

#: So many rounds cost a unit; posted one by one they cost five each.
ROUNDS_A_UNIT = 4


@call(
    blueprint,
    "POST",
    "",
    scope="admin",
    summary="Bring in matches with all their rounds",
    query=ImportsQuery(),
    answer=None,
    problems=["storage-full"],
    also=bulk.answers_of(ImportLineAnswer, ImportEndAnswer),
    lines=Lines(ImportDocument()),
)
def import_matches(body: IO[bytes], query: dict[str, Any]) -> Response:
    """A match a line, as it would be opened, with its `rounds` in order and perhaps a `key`.

    What is stored is what posting them one by one would store, by who sends it, now. Each line is
    answered once it is kept: `imported`, `unchanged` (brought in before, with the same content),
    `rejected` with everything that is wrong, or `failed` where the database went away. A match is kept
    whole or not at all. The same lines sent again change nothing: they are told by `key`, which is
    unique within the `source`, or, without one, by their content. A match has as many rounds `planned`
    as there are, unless it says otherwise.

    The last line counts. Without it the answer is broken: send all of it again.
    """
    importer = Importer(
        database(), query.get("source", DEFAULT_SOURCE), g.key.name, bulk.Refusals(occasion())
    )
    charge = limits.meter()

    def pieces() -> Generator[bytes, None, None]:
        counts: Counter[str] = Counter()
        rounds = 0
        try:
            for outcomes in importer.outcomes(lines(body, MOST_LINE_BYTES)):
                for outcome in outcomes:
                    counts[outcome["status"]] += 1
                    rounds += outcome["rounds"] * (outcome["status"] == "imported")
                charge(importer.spent() / ROUNDS_A_UNIT)
                yield b"".join([_line(outcome) for outcome in outcomes])
        except ImportStopped as error:
            raise StreamBroken(str(error)) from error
        known = {name: counts[name] for name in ("imported", "unchanged", "rejected")}
        yield _line({"end": True, "count": counts.total(), **known, "rounds": rounds})

    return bulk.streamed(body, pieces())


def _line(content: dict[str, Any]) -> bytes:
    return orjson.dumps(content, option=orjson.OPT_APPEND_NEWLINE)
