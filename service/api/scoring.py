"""The stateless calls: score a round, check an arrangement, suggest arrangements."""

from collections.abc import Generator
from typing import IO, Any

from flask import Blueprint, Response, g

from schemas.answers import ArrangementAnswer, ProblemLineAnswer, RoundAnswer
from schemas.mistakes import Invalid
from schemas.rounds import (
    ArrangementDocument,
    FindRuleSet,
    RoundDocument,
    RoundRequest,
    read_arrangement,
    read_round,
)
from schemas.suggestions import SuggestionDocument, SuggestionsAnswer, read_suggestion
from service import metrics
from service.api import bulk, json_input, limits, observing
from service.api.calls import Lines, call, database
from service.api.problems import invalid, occasion
from service.language import words
from service.record.rulesets import find_ruleset, published
from service.rules import results
from service.rules.reading import take_up
from service.rules.ruleset import RuleSet
from service.rules.scoring import score as score_round
from service.rules.suggestions import suggest

blueprint = Blueprint("scoring", __name__, url_prefix="/v1")


def find(identifier: str, version: int | None) -> RuleSet | None:
    """A rule set by id or alias; the database is asked only for what is not built in."""
    built_in = published(identifier, version)
    if built_in is not None:
        return built_in
    with database().reading() as connection:
        return find_ruleset(connection, identifier, version)


def round_of(document: Any, find: FindRuleSet, *, to_keep: bool) -> RoundRequest:
    """Read a round; what is wrong with it is the problem ``invalid-round``."""
    try:
        return read_round(document, find, to_keep=to_keep)
    except Invalid as error:
        raise invalid("invalid-round", error.mistakes) from None


#: Of a round in a body of lines, as of one alone.
MOST_LINE_BYTES = 64 * 1024
#: So many rounds cost a unit: about as many as take as long as a request.
ROUNDS_A_UNIT = 20
_COUNTED = 1_000
_MOST_REMEMBERED = 256


class _Scorer:
    """Scores lines; counts rounds by their rule sets, and charges for them."""

    def __init__(self) -> None:
        self.database, self.words = database(), words(g.language)
        self.charge = limits.meter()
        self.found: dict[tuple[str, int | None], RuleSet | None] = {}
        self.counts: dict[str, list[Any]] = {}
        self.lines = 0

    def count(self) -> None:
        """Count a line, whatever it holds."""
        self.lines += 1
        if self.lines % _COUNTED == 0:
            self.charge(_COUNTED / ROUNDS_A_UNIT)

    def read(self, line: bytes) -> RoundRequest:
        """The round of a line; raises what is wrong with it."""
        return round_of(json_input.parse(line), self.find, to_keep=False)

    def answer(self, asked: RoundRequest) -> bytes:
        """Its result as a line."""
        ruleset = asked.ruleset
        result = score_round(ruleset, asked.seats, asked.stake, self.words)
        self.counts.setdefault(ruleset.id, [ruleset, 0])[1] += 1
        return results.write(result) + b"\n"

    def find(self, identifier: str, version: int | None) -> RuleSet | None:
        """A rule set; one that is not built in is looked up once."""
        built_in = published(identifier, version)
        if built_in is not None:
            return built_in
        key = identifier, version
        if key not in self.found:
            if len(self.found) >= _MOST_REMEMBERED:
                self.found.clear()
            with self.database.reading() as connection:
                self.found[key] = find_ruleset(connection, identifier, version)
        return self.found[key]

    def finish(self) -> None:
        """Count and charge what has been done."""
        self.charge(self.lines % _COUNTED / ROUNDS_A_UNIT)
        for ruleset, count in self.counts.values():
            metrics.count_round(ruleset, kept=False, rounds=count)


def score_lines(body: IO[bytes]) -> Response:
    """Score a round a line; for each line a line, in the same order."""
    scorer, refusals = _Scorer(), bulk.Refusals(occasion())

    def pieces() -> Generator[bytes, None, None]:
        try:
            yield from bulk.in_pieces(
                bulk.answers(body, MOST_LINE_BYTES, scorer.count, scorer.read, scorer.answer, refusals)
            )
        finally:
            scorer.finish()

    return bulk.streamed(body, pieces())


@call(
    blueprint,
    "POST",
    "/score",
    scope="score",
    summary="Score a round, store nothing",
    body=RoundDocument(),
    answer=RoundAnswer(),
    problems=["invalid-round", "storage-full"],
    also=bulk.answers_of(RoundAnswer, ProblemLineAnswer),
    lines=Lines(RoundDocument(), score_lines),
)
def score(document: Any) -> Any:
    """Rows, duels and points of a round, in full, each so that it can be added up again.

    The winner of a duel gets `factor` times (row points won - lost) + `bonus`.

    As `application/x-ndjson` many rounds at once, a round a line. Each line is answered by a line, in
    the same order: what this round alone would be answered, a result or a problem, with the number of
    its `line`. As many lines come back as were sent, or else the answer is broken. Blank lines at the
    end are none; any other, or one of more than 65536 bytes, is a problem.
    """
    asked = round_of(document, find, to_keep=False)
    observing.scored(asked.ruleset, kept=False)
    return score_round(asked.ruleset, asked.seats, asked.stake, words(g.language))


@call(
    blueprint,
    "POST",
    "/arrangements/check",
    scope="score",
    summary="Check one arrangement",
    body=ArrangementDocument(),
    answer=ArrangementAnswer(),
    problems=["invalid-round"],
)
def check_arrangement(document: Any) -> Any:
    """The hands of an arrangement, whether it is in order, and the specials that the cards form.

    With `cards` in place of rows only the specials.
    """
    try:
        ruleset, seat = read_arrangement(document, find)
    except Invalid as error:
        raise invalid("invalid-round", error.mistakes) from None
    tables, told = ruleset.tables, words(g.language)
    (hand,) = take_up(tables, [seat], told)
    disorder = hand.disorder
    return {
        "ruleset": ruleset.reference,
        "rows": results.show(hand.shown.rows),
        "in_order": disorder is None if seat.arranged else None,
        "foul": {"code": disorder, "detail": told.fouls[disorder]} if disorder else None,
        "specials": [
            {"name": ruleset.specials[place].name, "points": ruleset.specials[place].points}
            for place in hand.formed
        ],
    }


@call(
    blueprint,
    "POST",
    "/arrangements/suggest",
    scope="score",
    summary="The best arrangements of 13 cards",
    body=SuggestionDocument(),
    answer=SuggestionsAnswer(),
    problems=["invalid-round"],
)
def suggest_arrangements(document: Any) -> Any:
    """The best arrangements of 13 cards, best first, and whether a special brings more.

    Of all 72,072 arrangements those than which no other is better are tried against hands that are dealt
    from the other 39 cards and arranged sensibly; nothing listed is a foul. The same cards and `seed`
    always get the same answer, and a larger `limit` only makes the list longer. Counts fifty times as
    much as scoring.
    """
    try:
        asked = read_suggestion(document, find)
    except Invalid as error:
        raise invalid("invalid-round", error.mistakes) from None
    return suggest(
        asked.ruleset,
        asked.cards,
        limit=asked.limit,
        opponents=asked.opponents,
        seed=asked.seed,
        words=words(g.language),
    )
