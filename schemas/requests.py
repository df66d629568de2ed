"""Requests as the OpenAPI document shows them.

The fields that read seats and rule set references do it in one pass, so their shape is told here.
"""

from typing import Any

from apispec.ext.marshmallow import MarshmallowPlugin
from marshmallow import fields

from schemas.fields import Choice, QueryNumber, QueryOrdinal, Text, WholeNumber
from schemas.imports import Rounds
from schemas.queries import Identifier, Moment
from schemas.rounds import MOST_ROUNDS, MOST_VERSIONS, RuleSetReference
from schemas.rulesets import IDENTIFIER_PATTERN, RuleSetIdentifier
from schemas.seats import FEWEST_SEATS, MOST_SEATS, Hand, OneSeat, Seats
from schemas.tournaments import Players, Tables
from service.rules.cards import HAND_SIZE, ROW_SIZES, ROWS
from service.rules.specials import SPECIALS
from service.tournaments.store import MOST_PLAYERS

_CARD = (
    "Rank `2` to `9`, `10` or `T`, `J Q K A`, then suit `s h c d` or ♠ ♥ ♣ ♦, in any case. "
    "A row is a list of cards, or one string of them with or without spaces."
)


def _cards(size: int) -> dict[str, Any]:
    items = {"type": "string", "examples": ["As", "10h"]}
    return {
        "description": f"{size} cards. {_CARD}",
        "oneOf": [
            {"type": "array", "items": items, "minItems": size, "maxItems": size},
            {"type": "string"},
        ],
    }


_PLAYER = {
    "type": "string",
    "minLength": 1,
    "maxLength": 64,
    "description": "The caller's own id of the player, compared exactly as it is sent.",
}
_DECLARE = {"type": "string", "enum": list(SPECIALS), "description": "The special that is declared."}
_ROWS = {row: _cards(size) for row, size in zip(ROWS, ROW_SIZES, strict=True)}
_ARRANGED = {
    "type": "object",
    "required": ["player", *ROWS],
    "properties": {"player": _PLAYER, **_ROWS, "declare": _DECLARE},
    "additionalProperties": False,
}
_UNARRANGED = {
    "type": "object",
    "required": ["player", "cards", "declare"],
    "properties": {"player": _PLAYER, "cards": _cards(13), "declare": _DECLARE},
    "additionalProperties": False,
}


def _without_player(seat: dict[str, Any], *names: str) -> dict[str, Any]:
    return {**seat, "required": [name for name in seat["required"] if name not in ("player", *names)]}


_SEATS = {
    "type": "array",
    "minItems": FEWEST_SEATS,
    "maxItems": MOST_SEATS,
    "items": {"oneOf": [_ARRANGED, _UNARRANGED]},
}
_SHAPES: dict[type[fields.Field[Any]], dict[str, Any]] = {
    Seats: _SEATS,
    OneSeat: {"oneOf": [_without_player(_ARRANGED), _without_player(_UNARRANGED, "declare")]},
    Hand: _cards(HAND_SIZE),
    RuleSetReference: {
        "description": "An id or alias (its newest version), or an exact version; `bsfyi` if absent.",
        "oneOf": [
            {"type": "string"},
            {
                "type": "object",
                "required": ["id"],
                "properties": {
                    "id": {"type": "string"},
                    "version": {"type": "integer", "minimum": 1, "maximum": MOST_VERSIONS},
                },
                "additionalProperties": False,
            },
        ],
    },
    Tables: {
        "type": "array",
        "minItems": 1,
        "items": {"type": "array", "items": _PLAYER},
        "description": "Each table as the list of its players; everybody who has not left sits once.",
    },
    Rounds: {
        "type": "array",
        "maxItems": MOST_ROUNDS,
        "items": {
            "type": "object",
            "required": ["seats"],
            "properties": {
                "number": {"type": "integer", "minimum": 1, "maximum": MOST_ROUNDS},
                "seats": _SEATS,
            },
            "additionalProperties": False,
        },
        "description": "In order, each as it would be posted; `number`, if there, counts from 1.",
    },
    Identifier: {"type": "string", "format": "uuid"},
    Moment: {"type": "string", "format": "date-time"},
    RuleSetIdentifier: {
        "type": "string",
        "pattern": f"^{IDENTIFIER_PATTERN}$",
        "description": "1 to 64 small letters, digits, `-` and `_`, a letter or digit first and last; "
        "not that of a published rule set.",
    },
}


def describe(marshmallow: MarshmallowPlugin) -> None:
    """Teach apispec's converter the shapes of our own fields."""

    def shape(_converter: Any, field: Any, **_: Any) -> dict[str, Any]:
        if isinstance(field, QueryOrdinal):
            return {"type": "integer", "minimum": field.least}
        if isinstance(field, QueryNumber):
            return {
                "type": "integer",
                "minimum": field.least,
                "description": field.metadata.get("description")
                or f"At most {field.most}; more is lowered to it.",
            }
        if isinstance(field, WholeNumber):
            return {"type": "integer", "minimum": field.least, "maximum": field.most}
        if isinstance(field, Text):
            return {"type": "string", "minLength": 1, "maxLength": field.longest}
        if isinstance(field, Players):
            return {
                "type": "array",
                "minItems": field.least,
                "maxItems": MOST_PLAYERS,
                "items": _PLAYER,
                "uniqueItems": True,
            }
        if isinstance(field, Choice):
            return {"type": "string", "enum": list(field.choices)}
        return _SHAPES.get(type(field), {})

    assert marshmallow.converter is not None
    marshmallow.converter.add_attribute_function(shape)  # type: ignore[no-untyped-call]
