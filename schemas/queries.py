"""What lists take in their query strings."""

import re
from datetime import datetime
from typing import Any
from uuid import UUID

from marshmallow import ValidationError, fields

from schemas.fields import LONGEST_PLAYER, Choice, Document, QueryNumber, QueryOrdinal, Text
from schemas.mistakes import Mistake
from schemas.rounds import LONGEST_RULESET_ID
from service.messages import _
from service.record.ids import parse_id
from service.record.pages import is_cursor
from service.rules.ruleset import BUILT_IN
from service.tournaments.reading import EVENTS
from service.tournaments.store import STATUSES

DEFAULT_LIMIT, MOST_ITEMS, MOST_STREAMED = 50, 500, 10**12
_LONGEST_CURSOR = 200
_FIRST_YEAR = 1970
_RULESET = {"description": "The id or alias of a rule set, in any version."}
_MOMENT = re.compile(r"\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(?:\.\d{1,6})?(?:[Zz]|[+-]\d\d:\d\d)")


class Identifier(fields.Field[UUID]):
    """A UUID."""

    def _deserialize(self, value: Any, attr: Any, data: Any, **kwargs: Any) -> UUID:
        found = parse_id(value) if type(value) is str else None
        if found is None:
            raise ValidationError([Mistake("field_invalid", _("expected a UUID"))])
        return found


class RuleSetName(Text):
    """A rule set's id; an alias is loaded as the id that it stands for."""

    def _deserialize(self, value: Any, attr: Any, data: Any, **kwargs: Any) -> str:
        name = super()._deserialize(value, attr, data, **kwargs)
        return BUILT_IN[name].id if name in BUILT_IN else name


class Cursor(Text):
    """A cursor; whether it belongs to the list that is asked for is seen later."""

    def _deserialize(self, value: Any, attr: Any, data: Any, **kwargs: Any) -> str:
        cursor = super()._deserialize(value, attr, data, **kwargs)
        if not is_cursor(cursor):
            raise ValidationError([Mistake("field_invalid", _("this is no cursor of a list"))])
        return cursor


class ListQuery(Document):
    """Which part of a list: how many items, after which cursor."""

    limit = QueryNumber(1, MOST_ITEMS, load_default=DEFAULT_LIMIT)
    cursor = Cursor(
        _LONGEST_CURSOR,
        metadata={
            "description": "`next_cursor` of the page before, or a stream's last cursor; all filters "
            "must be those that it came with."
        },
    )


class RoundsPartQuery(ListQuery):
    """The same for what also comes as a stream, which has no end of its own."""

    limit = QueryNumber(
        1,
        MOST_STREAMED,
        metadata={
            "description": f"Of a page: {DEFAULT_LIMIT} if absent, and at most {MOST_ITEMS}; more is "
            "lowered to it. Of a stream: everything if absent."
        },
    )


class Moment(fields.Field[datetime]):
    """A time as RFC 3339 has it, with its offset from UTC."""

    def _deserialize(self, value: Any, attr: Any, data: Any, **kwargs: Any) -> datetime:
        # A plus in a query string that was not encoded arrives as a space.
        found = _MOMENT.fullmatch(str(value).replace(" ", "+"))
        try:
            if found is None:
                raise ValueError
            moment = datetime.fromisoformat(found[0].upper().replace("Z", "+00:00"))
            if moment.year < _FIRST_YEAR:
                raise ValueError
        except ValueError:
            text = _("expected a time such as 2026-01-31T12:00:00Z")
            raise ValidationError([Mistake("field_invalid", text)]) from None
        return moment


def _moment(what: str) -> dict[str, str]:
    form = "RFC 3339 with an offset, such as `2026-01-31T12:00:00Z`; a date alone is refused"
    return {"description": f"{what}. {form}."}


class MatchesQuery(ListQuery):
    """Which matches; ``since`` and ``until`` go by when they were opened."""

    player = Text(LONGEST_PLAYER)
    status = Choice(("open", "finished"))
    ruleset = RuleSetName(LONGEST_RULESET_ID, metadata=_RULESET)
    tournament = Identifier()
    since = Moment(metadata=_moment("Opened then or later"))
    until = Moment(metadata=_moment("Opened before then"))


class MatchRoundsQuery(RoundsPartQuery):
    """Which rounds of a match."""

    status = Choice(
        ("valid", "corrected", "void"),
        metadata={"description": "Of the newest revision. Without it, void rounds are listed too."},
    )


class PlayerRoundsQuery(MatchRoundsQuery):
    """Which rounds of a player; ``since`` and ``until`` go by when they were first posted."""

    match = Identifier()
    tournament = Identifier()
    ruleset = RuleSetName(LONGEST_RULESET_ID, metadata=_RULESET)
    since = Moment(metadata=_moment("First posted then or later, whenever it was corrected"))
    until = Moment(metadata=_moment("First posted before then"))


class RoundsQuery(PlayerRoundsQuery):
    """Which rounds."""

    player = Text(LONGEST_PLAYER)


class TournamentsQuery(ListQuery):
    """Which tournaments; ``since`` and ``until`` go by when they were opened."""

    status = Choice(STATUSES)
    since = Moment(metadata=_moment("Opened then or later"))
    until = Moment(metadata=_moment("Opened before then"))


class TournamentEventsQuery(ListQuery):
    """Which events of a tournament."""

    kind = Choice(EVENTS)
    player = Text(LONGEST_PLAYER)


class TournamentPlayersQuery(ListQuery):
    """Which players of a tournament."""

    withdrawn = Choice(("true", "false"))


class StandingsQuery(Document):
    """Which standings: of one stage; over all if absent."""

    stage = QueryOrdinal()


class RuleSetQuery(Document):
    """Which version of a rule set."""

    version = QueryOrdinal()
