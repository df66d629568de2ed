"""Mistakes in a request: what is wrong, where, and in which words.

marshmallow carries them as the messages of its ``ValidationError``; ``collect`` flattens what it
carries into a list with JSON pointers (RFC 6901).
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from service.messages import _
from service.rules.labels import SPECIAL_NAMES

Translate = Callable[[str], str]

_NAMES_OF_SPECIALS = ("special", "forms", "known")


class Mistake(NamedTuple):
    """One problem: its code, the message (with ``{parameters}``), where, and the parameters.

    ``pointer``, and a parameter ``other``, are relative to what is being read until ``below`` says
    where that is.
    """

    code: str
    text: str
    pointer: str = ""
    parameters: Mapping[str, Any] = {}

    def below(self, pointer: str) -> "Mistake":
        """The same mistake, found in a part of the document."""
        parameters = self.parameters
        if "other" in parameters:
            parameters = {**parameters, "other": pointer + parameters["other"]}
        return self._replace(pointer=pointer + self.pointer, parameters=parameters)

    def show(self, translate: Translate) -> dict[str, Any]:
        """The mistake as the wire has it: code, pointer, detail and parameters."""
        words = {name: _told(name, value, translate) for name, value in self.parameters.items()}
        detail = translate(self.text).format_map(words)
        return {"code": self.code, "pointer": self.pointer, "detail": detail, **self.parameters}


def _told(name: str, value: Any, translate: Translate) -> Any:
    """A parameter as a detail tells it: lists joined, specials by the names that players use."""
    values = value if isinstance(value, (list, tuple)) else [value]
    if name in _NAMES_OF_SPECIALS:
        values = [translate(SPECIAL_NAMES.get(item, item)) for item in values]
    return ", ".join(map(str, values))


class Invalid(Exception):
    """A request is well-formed but wrong; ``mistakes`` holds everything that is."""

    def __init__(self, mistakes: list[Mistake]) -> None:
        super().__init__(f"{len(mistakes)} mistakes")
        self.mistakes = mistakes


FIELD_MISSING = Mistake("field_missing", _("this field is required"))
FIELD_UNKNOWN = Mistake("field_unknown", _("there is no such field"))
PARAMETER_UNKNOWN = Mistake("field_unknown", _("there is no such parameter"))
NOT_NULL = Mistake("field_invalid", _("this field may be left out but not be null"))
NOT_AN_OBJECT = Mistake("field_invalid", _("expected a JSON object"))
NOT_A_LIST = Mistake("field_invalid", _("expected a list"))
NOT_A_STRING = Mistake("field_invalid", _("expected a string"))
NOT_A_WHOLE_NUMBER = Mistake("field_invalid", _("expected a whole number"))
NOT_TRUE_OR_FALSE = Mistake("field_invalid", _("expected true or false"))

#: Every code that ``errors`` can hold, and what it means; the problem pages show it.
CODES: Mapping[str, str] = {
    "card_unknown": _("A string is not a card."),
    "card_duplicate": _("A card is there twice in the round; `other` points at its first use."),
    "row_size": _("A row has too few or too many cards: the top takes 3, middle and bottom 5."),
    "hand_size": _("`cards` has too few or too many cards: a player has 13."),
    "seat_count": _("A round has 2 to 4 seats."),
    "player_duplicate": _("A player is named twice; `other` points at the first."),
    "player_not_in_match": _("A player does not belong to the match."),
    "player_absent": _("A player of the match has no seat in the round."),
    "player_entered": _("A player has been entered in the tournament already."),
    "player_not_in_tournament": _("A player does not belong to the tournament, or has left it."),
    "player_unseated": _("A player of the tournament sits at none of the given tables."),
    "table_size": _("A given table has too few or too many players."),
    "special_unknown": _("The rule set has no such special; `known` lists those that it has."),
    "special_not_formed": _("The cards do not form the declared special; `forms` lists what they do."),
    "ruleset_unknown": _("There is no such rule set, or no such version of it."),
    "ruleset_without_points": _("The rule set gives no points, so that nothing can be paid or kept."),
    "idempotency_key_reused": _("The Idempotency-Key belongs to another request."),
    "import_key_reused": _("A match with another content has been brought in under this key."),
    "field_missing": _("A required field is missing."),
    "field_unknown": _("A field or query parameter is none that this call knows."),
    "field_invalid": _("A field or query parameter has the wrong type or value."),
}


def escape(key: object) -> str:
    """One step of a JSON pointer."""
    return str(key).replace("~", "~0").replace("/", "~1")


def collect(messages: Any, pointer: str = "") -> Iterator[Mistake]:
    """Flatten the messages of a marshmallow ``ValidationError`` into mistakes with full pointers."""
    if isinstance(messages, Mistake):
        yield messages.below(pointer)
    elif isinstance(messages, Mapping):
        for key, value in messages.items():
            # marshmallow's name for the whole document, unless a client has sent a field of this name.
            whole = key == "_schema" and FIELD_UNKNOWN not in value
            yield from collect(value, pointer if whole else f"{pointer}/{escape(key)}")
    else:
        for message in messages:
            yield from collect(message, pointer)
