"""Rounds written as text: ``"Ks Kh 2d / 9s 9h 9d 4c 4s / As Ac Ad Ah 3c"``."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import orjson

from service.rules.cards import parse
from service.rules.labels import ENGLISH
from service.rules.reading import Seat
from service.rules.results import show
from service.rules.ruleset import BUILT_IN, RuleSet, from_document
from service.rules.scoring import score

#: A result as the wire has it.
Document = dict[str, Any]


def seat(player: str, text: str, declare: str | None = None) -> Seat:
    """A seat from its rows, or (without slashes) from its 13 cards."""
    return Seat(player, parse(text.replace("/", " ").split()), "/" in text, declare)


def scored(ruleset: RuleSet, seats: Sequence[Seat], stake: int | None = None) -> Document:
    """A round scored, as a document."""
    document: Document = show(score(ruleset, seats, stake, ENGLISH))
    return document


def score_text(
    ruleset: RuleSet | str, texts: Mapping[str, str], stake: int | None = None, **declared: str
) -> Document:
    """Score rows given as text by player; ``declared`` names specials by player."""
    rules = BUILT_IN[ruleset] if isinstance(ruleset, str) else ruleset
    seats = [seat(player, text, declared.get(player)) for player, text in texts.items()]
    return scored(rules, seats, stake)


def points(result: Document) -> list[int | None]:
    """The points of each seat."""
    return [seat["points"] for seat in result["seats"]]


def without_texts(result: Document) -> dict[str, Any]:
    """Seats and duels without labels and details, as the independent scorer gives them."""
    copy = orjson.loads(orjson.dumps({"seats": result["seats"], "duels": result["duels"]}))
    for shown in copy["seats"]:
        for row in (shown["rows"] or {}).values():
            del row["label"]
        if shown["foul"]:
            del shown["foul"]["detail"]
    return dict(copy)


def house_rules(base: str = "bsfyi", **changes: Any) -> RuleSet:
    """A rule set built on a published one; tables are merged one level deep, None removes."""
    document = json.loads(json.dumps(BUILT_IN[base].document))
    for name, value in changes.items():
        if value is None:
            del document[name]
        elif isinstance(value, dict):
            document[name] = {**document.get(name, {}), **value}
        else:
            document[name] = value
    return from_document({**document, "id": "house"})
