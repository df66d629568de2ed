"""The stateless calls: score a round, check an arrangement."""

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
from service.api import observing
from service.api.calls import call, database
from service.api.problems import invalid
from service.language import words
from service.record.rulesets import find_ruleset
from service.rules.reading import take_up
from service.rules.ruleset import BUILT_IN, RuleSet
from service.rules.scoring import score as score_round

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
