"""Fields whose errors are mistakes: strict about types, clear about what they want."""

import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any

from marshmallow import RAISE, Schema, ValidationError, fields, missing

from schemas.mistakes import (
    FIELD_MISSING,
    FIELD_UNKNOWN,
    NOT_A_LIST,
    NOT_A_STRING,
    NOT_A_WHOLE_NUMBER,
    NOT_AN_OBJECT,
    NOT_NULL,
    NOT_TRUE_OR_FALSE,
    Invalid,
    Mistake,
    collect,
)
from service.messages import _

_TYPE_MISTAKES: Mapping[type[fields.Field[Any]], Mistake] = {
    fields.List: NOT_A_LIST,
    fields.Nested: NOT_AN_OBJECT,
}

_CONTROL_CATEGORIES = ("Cc", "Cs", "Zl", "Zp")
MOST_STAKE = 10**12
LONGEST_PLAYER = 64


#: The largest number of Postgres's type `integer`: larger ones name nothing either.
MOST_ORDINAL = 2**31 - 1


class Document(Schema):
    """A request body or a query: unknown fields are mistakes, and so is null."""

    class Meta:  # noqa: D106 (marshmallow reads it)
        unknown = RAISE

    error_messages: dict[str, Any] = {  # noqa: RUF012 (as marshmallow declares it)
        "unknown": FIELD_UNKNOWN,
        "type": NOT_AN_OBJECT,
    }

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        plain = [field for field in self.load_fields.values() if not field.validators]
        self._readers = {field.name: field._deserialize for field in plain}
        self._required = {name for name, field in self.load_fields.items() if field.required}
        self._defaults = {
            name: field.load_default
            for name, field in self.load_fields.items()
            if field.load_default is not missing
        }

    def on_bind_field(self, field_name: str, field_obj: fields.Field[Any]) -> None:
        """Let every field speak in mistakes."""
        of_type = next(
            (mistake for kind, mistake in _TYPE_MISTAKES.items() if isinstance(field_obj, kind)), None
        )
        messages: dict[str, Any] = {"required": FIELD_MISSING, "null": NOT_NULL}
        for key in field_obj.error_messages:
            if of_type is not None and key not in messages:
                messages[key] = of_type
        field_obj.error_messages = {**field_obj.error_messages, **messages}
        if isinstance(field_obj, fields.List):
            self.on_bind_field(field_name, field_obj.inner)

    def load_plain(self, document: Any) -> dict[str, Any] | None:
        """What loading gives, in less than half the time; None if it has to be loaded to tell.

        Each field reads its value as ever. Left out is what marshmallow does around that to collect what
        is wrong, which nothing is if this does not stop.
        """
        if type(document) is not dict or not self._required <= document.keys():
            return None
        if None in document.values():
            return None
        readers = self._readers
        try:
            read = {name: readers[name](value, name, document) for name, value in document.items()}
        except (KeyError, ValidationError):
            return None
        return {**self._defaults, **read} if self._defaults else read

    def read(self, document: Any) -> dict[str, Any]:
        """Load a document, or raise :class:`Invalid` with everything that is wrong in it."""
        try:
            loaded: dict[str, Any] = self.load(document)
        except ValidationError as error:
            raise Invalid(list(collect(error.messages))) from None
        return loaded


class WholeNumber(fields.Field[int]):
    """An integer within bounds; no booleans, floats or strings."""

    def __init__(self, least: int, most: int, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.least, self.most = least, most

    def _deserialize(self, value: Any, attr: Any, data: Any, **kwargs: Any) -> int:
        if type(value) is not int:
            raise _wrong(NOT_A_WHOLE_NUMBER)
        if not self.least <= value <= self.most:
            bounds = {"least": self.least, "most": self.most}
            text = _("expected a whole number from {least} to {most}")
            raise _wrong(Mistake("field_invalid", text, "", bounds))
        return value


class QueryNumber(WholeNumber):
    """An integer in a query string; more than ``most`` is lowered to it."""

    def _deserialize(self, value: Any, attr: Any, data: Any, **kwargs: Any) -> int:
        if not (isinstance(value, str) and value.isascii() and value.isdigit() and len(value) <= 20):
            raise _wrong(NOT_A_WHOLE_NUMBER)
        return super()._deserialize(min(int(value), self.most), attr, data, **kwargs)


class QueryOrdinal(QueryNumber):
    """Which one of several that are numbered from 1 on; of a number that is too large there is none."""

    def __init__(self) -> None:
        super().__init__(1, MOST_ORDINAL)


class Text(fields.Field[str]):
    """A string of 1 to ``longest`` characters, not blank, without control characters."""

    def __init__(self, longest: int, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.longest = longest

    def _deserialize(self, value: Any, attr: Any, data: Any, **kwargs: Any) -> str:
        mistake = text_mistake(value, self.longest)
        if mistake:
            raise _wrong(mistake)
        return str(value)


def text_mistake(value: Any, longest: int) -> Mistake | None:
    """What is wrong with a text, if anything."""
    if type(value) is not str:
        return NOT_A_STRING
    if not value or value.isspace():
        return Mistake("field_invalid", _("this field may not be blank"))
    if len(value) > longest:
        text = _("too long: at most {most} characters")
        return Mistake("field_invalid", text, "", {"most": longest})
    if not value.isprintable():
        for character in value:
            if unicodedata.category(character) in _CONTROL_CATEGORIES:
                text = _("the control character {character} is not allowed")
                name = f"U+{ord(character):04X}"
                return Mistake("field_invalid", text, "", {"character": name})
    return None


class Flag(fields.Field[bool]):
    """True or false; nothing that merely resembles them."""

    def _deserialize(self, value: Any, attr: Any, data: Any, **kwargs: Any) -> bool:
        if type(value) is not bool:
            raise _wrong(NOT_TRUE_OR_FALSE)
        return value


class Choice(fields.Field[str]):
    """One of a few words."""

    def __init__(self, choices: Sequence[str], **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.choices = tuple(choices)

    def _deserialize(self, value: Any, attr: Any, data: Any, **kwargs: Any) -> str:
        if value not in self.choices:
            text = _("expected one of: {choices}")
            raise _wrong(Mistake("field_invalid", text, "", {"choices": list(self.choices)}))
        return str(value)


def _wrong(mistake: Mistake) -> ValidationError:
    return ValidationError([mistake])
