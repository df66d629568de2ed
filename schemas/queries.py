"""What lists take in their query strings."""

from typing import Any
from uuid import UUID

from marshmallow import ValidationError, fields

from schemas.fields import LONGEST_PLAYER, Document, QueryNumber, Text
from schemas.mistakes import Mistake
from service.messages import _
from service.record.ids import parse_id

DEFAULT_LIMIT, MOST_ITEMS = 50, 500
_LONGEST_CURSOR = 200


class Identifier(fields.Field[UUID]):
    """A UUID."""

    def _deserialize(self, value: Any, attr: Any, data: Any, **kwargs: Any) -> UUID:
        found = parse_id(value) if type(value) is str else None
        if found is None:
            raise ValidationError([Mistake("field_invalid", _("expected a UUID"))])
        return found


class ListQuery(Document):
    """Which part of a list: how many items, after which cursor."""

    limit = QueryNumber(1, MOST_ITEMS, load_default=DEFAULT_LIMIT)
    cursor = Text(_LONGEST_CURSOR)


class MatchesQuery(ListQuery):
    """Which matches."""

    player = Text(LONGEST_PLAYER)


class RoundsQuery(ListQuery):
    """Which rounds."""

    player = Text(LONGEST_PLAYER)
    match = Identifier()


class RuleSetQuery(Document):
    """Which version of a rule set."""

    version = QueryNumber(1, 1_000_000)
