"""Suggestions: 13 cards in, their best arrangements out."""

from dataclasses import dataclass
from typing import Any

from marshmallow import fields

from schemas.answers import (
    CARD,
    Answer,
    RowsAnswer,
    RuleSetReferenceAnswer,
    SpecialAnswer,
    many,
    number,
    part,
    text,
    whole,
)
from schemas.fields import Document, WholeNumber
from schemas.mistakes import Invalid
from schemas.rounds import FindRuleSet, RuleSetReference, find_named, load
from schemas.seats import Hand
from service.rules.ruleset import RuleSet
from service.rules.specials import SPECIALS
from service.rules.suggestions import MOST_OPPONENTS

DEFAULT_SUGGESTIONS, MOST_SUGGESTIONS = 5, 20
DEFAULT_SEED, MOST_SEED = 0, 2**53 - 1


class SuggestionDocument(Document):
    """A player's 13 cards, to be arranged under a rule set."""

    ruleset = RuleSetReference()
    cards = Hand(required=True)
    limit = WholeNumber(
        1,
        MOST_SUGGESTIONS,
        load_default=DEFAULT_SUGGESTIONS,
        metadata={"description": "How many arrangements are wanted at most."},
    )
    opponents = WholeNumber(
        1,
        MOST_OPPONENTS,
        load_default=MOST_OPPONENTS,
        metadata={"description": "How many others play."},
    )
    seed = WholeNumber(
        0,
        MOST_SEED,
        load_default=DEFAULT_SEED,
        metadata={"description": "Which hands the opponents are dealt; the same from the same seed."},
    )


class ChancesAnswer(Answer):
    """How often it happens in the deals that were tried, from 0 to 1."""

    top = number(minimum=0, maximum=1, description="Of an opponent's top row being beaten.")
    middle = number(minimum=0, maximum=1)
    bottom = number(minimum=0, maximum=1)
    sweep = number(minimum=0, maximum=1, description="Of an opponent being swept.")
    clean_sweep = number(minimum=0, maximum=1, description="Of everybody being swept.")


class SuggestedAnswer(Answer):
    """An arrangement in order, and what it brings on the average."""

    rows = part(RowsAnswer)
    expected_points = number(nullable=True, description="Null under a rule set without points.")
    expected_rows = number(description="Rows won less rows lost, over all opponents.")
    standard_error = number(
        minimum=0, description="Of what the list is ranked by. Differences within it are surer."
    )
    chances = part(ChancesAnswer)


class SuggestedSpecialAnswer(SpecialAnswer):
    """A special that the cards form, and what it brings on the average."""

    expected_points = number()
    standard_error = number(minimum=0)


class SuggestionsAnswer(Answer):
    """The best arrangements, best first, and the specials, high to low."""

    ruleset = part(RuleSetReferenceAnswer)
    cards = many(fields.String(metadata=CARD), description="From the highest down.")
    opponents = whole(minimum=1, maximum=MOST_OPPONENTS)
    seed = whole(minimum=0, maximum=MOST_SEED)
    deals = whole(minimum=1, description="How many deals were tried.")
    ranked_by = text(enum=["points", "rows"], description="`rows` under a rule set without points.")
    best = text(enum=["arrangement", "special"], description="What brings more.")
    declare = text(
        nullable=True, enum=[*SPECIALS, None], description="The special to declare, if that is best."
    )
    arrangements = many(
        SuggestedAnswer,
        description="None where the cards form a special that counts without being declared.",
    )
    specials = many(SuggestedSpecialAnswer)


_SUGGESTION = SuggestionDocument()


@dataclass(frozen=True, slots=True)
class SuggestionRequest:
    """A valid question: 13 different cards, and how they are to be tried."""

    ruleset: RuleSet
    cards: tuple[int, ...]
    limit: int
    opponents: int
    seed: int


def read_suggestion(document: Any, find: FindRuleSet) -> SuggestionRequest:
    """Read what is to be arranged, under which rule set; :class:`Invalid` with all that is wrong."""
    loaded, mistakes = load(_SUGGESTION, document)
    ruleset = find_named(loaded, find, mistakes)
    if mistakes or ruleset is None:
        raise Invalid(mistakes)
    asked = (loaded[name] for name in ("cards", "limit", "opponents", "seed"))
    return SuggestionRequest(ruleset, *asked)
