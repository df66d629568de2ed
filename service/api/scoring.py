"""The stateless calls: score a round, check an arrangement, suggest arrangements."""

from typing import Any

from flask import Blueprint, g

from schemas.answers import ArrangementAnswer, RoundAnswer
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
from service.api import observing
from service.api.calls import call, database
from service.api.problems import invalid
from service.language import words
from service.record.rulesets import find_ruleset
from service.rules.reading import take_up
from service.rules.ruleset import BUILT_IN, RuleSet
from service.rules.scoring import score as score_round
from service.rules.suggestions import suggest

blueprint = Blueprint("scoring", __name__, url_prefix="/v1")


def find(identifier: str, version: int | None) -> RuleSet | None:
    """A rule set by id or alias; the database is asked only for what is not built in."""
    built_in = BUILT_IN.get(identifier)
    if built_in is not None and version in (None, built_in.version):
        return built_in
    with database().transaction() as connection:
        return find_ruleset(connection, identifier, version)


def round_of(document: Any, find: FindRuleSet, *, to_keep: bool) -> RoundRequest:
    """Read a round; what is wrong with it is the problem ``invalid-round``."""
    try:
        return read_round(document, find, to_keep=to_keep)
    except Invalid as error:
        raise invalid("invalid-round", error.mistakes) from None


@call(
    blueprint,
    "POST",
    "/score",
    scope="score",
    summary="Score a round, store nothing",
    body=RoundDocument(),
    answer=RoundAnswer(),
    problems=["invalid-round"],
)
def score(document: Any) -> Any:
    """Rows, duels and points of a round, in full, each so that it can be added up again.

    The winner of a duel gets `factor` times (row points won - lost) + `bonus`.
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
        "rows": hand.shown["rows"],
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
