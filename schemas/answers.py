"""What comes back: the shapes of answers, for the OpenAPI document and the tests that hold us to it.

Answers are built in these shapes where they come from; they are not passed through the schemas, which
would double the time of a call.
"""

from typing import Any

from marshmallow import EXCLUDE, INCLUDE, Schema, fields

from service.record.findings import CODES
from service.rules.cards import NAMES
from service.rules.hands import HANDS
from service.rules.labels import FOULS
from service.rules.specials import SPECIALS

OUTCOMES = ("rows", "sweep", "clean_sweep", "foul", "both_foul", "special", "special_tie")
DECIDED_BY = ("hand", "ranks", "suit", "foul", "draw")


def _field(kind: type[fields.Field[Any]], *args: Any, **metadata: Any) -> fields.Field[Any]:
    """A field that is always there; keyword arguments go into the OpenAPI document."""
    nullable = metadata.pop("nullable", False)
    return kind(*args, required=True, allow_none=nullable, metadata=metadata)


def text(**metadata: Any) -> fields.Field[Any]:
    """A string."""
    return _field(fields.String, **metadata)


def whole(**metadata: Any) -> fields.Field[Any]:
    """An integer."""
    return _field(fields.Integer, **metadata)


def number(**metadata: Any) -> fields.Field[Any]:
    """A number that need not be whole."""
    return _field(fields.Float, **metadata)


def flag(**metadata: Any) -> fields.Field[Any]:
    """A boolean."""
    return _field(fields.Boolean, **metadata)


def many(item: fields.Field[Any] | type[Schema], **metadata: Any) -> fields.Field[Any]:
    """A list of fields or of objects."""
    return _field(
        fields.List, item if isinstance(item, fields.Field) else fields.Nested(item), **metadata
    )


def part(schema: type[Schema], **metadata: Any) -> fields.Field[Any]:
    """An object within an object."""
    return _field(fields.Nested, schema, **metadata)


class Answer(Schema):
    """Documented without closing it: later versions of v1 may add members."""

    class Meta:  # noqa: D106 (marshmallow reads it)
        unknown = EXCLUDE


CARD = {"enum": list(NAMES)}
IDENTIFIER = {"format": "uuid"}
TIME = {"format": "date-time"}


class RuleSetReferenceAnswer(Answer):
    """Which rule set, in which version."""

    id = text(example="bsfyi")
    version = whole(minimum=1)


class RowAnswer(Answer):
    """A row as it was read."""

    cards = many(fields.String(metadata=CARD))
    hand = text(enum=list(HANDS))
    label = text(description="The hand in words.", example="pair of kings")


class RowsAnswer(Answer):
    """The three rows of an arrangement."""

    top = part(RowAnswer)
    middle = part(RowAnswer)
    bottom = part(RowAnswer)


class FoulAnswer(Answer):
    """Why an arrangement is not in order."""

    code = text(enum=list(FOULS))
    detail = text()


class SpecialAnswer(Answer):
    """A special, and what each opponent pays for it."""

    name = text(enum=list(SPECIALS))
    points = whole()


class SpecialTakenAnswer(SpecialAnswer):
    """A special that counts in a round."""

    declared = flag()


class MoneyAnswer(Answer):
    """Points times stake, the room's fee, and what is left; whole units."""

    won = whole()
    fee = whole(minimum=0)
    net = whole()


class SeatAnswer(Answer):
    """One player's part of a result."""

    player = text()
    rows = part(RowsAnswer, nullable=True)
    foul = part(FoulAnswer, nullable=True)
    special = part(SpecialTakenAnswer, nullable=True)
    could_declare = many(
        fields.String(metadata={"enum": list(SPECIALS)}),
        description="Specials that the cards form and that were not declared.",
    )
    sweeps = whole(minimum=0, description="How many opponents this player swept; fouls count.")
    clean_sweep = flag()
    points = whole(nullable=True, description="Null under a rule set without points.")
    money = fields.Nested(MoneyAnswer, metadata={"description": "Only with a stake."})


class RowDuelAnswer(Answer):
    """One row of a duel."""

    winner = text(nullable=True)
    points = whole(nullable=True, description="What the row's winner gets, before `factor`.")
    decided_by = text(enum=list(DECIDED_BY))


class DuelRowsAnswer(Answer):
    """The rows of a duel."""

    top = part(RowDuelAnswer)
    middle = part(RowDuelAnswer)
    bottom = part(RowDuelAnswer)


class DuelAnswer(Answer):
    """Two players settled: the winner gets factor x (row points won - lost) + bonus."""

    players = many(fields.String(), minItems=2, maxItems=2)
    outcome = text(enum=list(OUTCOMES))
    winner = text(nullable=True, description="Who gained points; null at 0.")
    rows = part(DuelRowsAnswer, nullable=True, description="Null for specials and for two fouls.")
    factor = whole(nullable=True)
    bonus = whole(nullable=True)
    points = many(fields.Integer(), nullable=True, description="What each of `players` got: [n, -n].")


class RoundAnswer(Answer):
    """A scored round."""

    ruleset = part(RuleSetReferenceAnswer)
    stake = fields.Integer(metadata={"minimum": 1})
    seats = many(SeatAnswer)
    duels = many(DuelAnswer, description="Each pair of seats once, in seat order.")


class StoredSeat(Answer):
    """A seat of a stored request: three rows, or `cards` with `declare`."""

    player = text()
    top = fields.List(fields.String(metadata=CARD))
    middle = fields.List(fields.String(metadata=CARD))
    bottom = fields.List(fields.String(metadata=CARD))
    cards = fields.List(fields.String(metadata=CARD))
    declare = fields.String()


class StoredRequest(Answer):
    """What a round was scored from, with canonical cards."""

    ruleset = part(RuleSetReferenceAnswer)
    stake = fields.Integer(metadata={"minimum": 1})
    seats = many(StoredSeat)


class StoredRoundAnswer(RoundAnswer):
    """A stored round: the result, and all about its keeping."""

    id = text(**IDENTIFIER)
    match = text(nullable=True, **IDENTIFIER)
    number = whole(nullable=True, description="Of the round in its match.")
    revision = whole(minimum=1)
    status = text(enum=["valid", "corrected", "void"])
    request = part(StoredRequest)
    submitted_at = text(**TIME)
    submitted_by = text(description="The name of the API key.")
    reason = text(nullable=True, description="Of a correction or a void.")
    digest = text()
    previous_digest = text(nullable=True)


class RoundLineAnswer(StoredRoundAnswer):
    """A line of a stream of rounds."""

    cursor = text(description="Send it as `cursor` to go on after this round.")


class StreamEndAnswer(Answer):
    """The last line of a stream that is whole."""

    end = flag(const=True)
    count = whole(minimum=0, description="How many rounds there were.")


class RevisionsAnswer(Answer):
    """All revisions of a round, oldest first."""

    items = many(StoredRoundAnswer)


class PageAnswer(Answer):
    """A page of a list."""

    next_cursor = text(nullable=True, description="Send it as `cursor`; null on the last page.")


class RoundsAnswer(PageAnswer):
    """A page of rounds, newest first."""

    items = many(StoredRoundAnswer)


class MatchRuleSetAnswer(RuleSetReferenceAnswer):
    """The rule set that a match pins."""

    digest = text()


class StandingAnswer(Answer):
    """A line of a match's standings; equal points share the place."""

    place = whole(minimum=1)
    player = text()
    points = whole(description="Of the rounds and the adjustments together.")
    adjustments = whole(description="How many of the points come from adjustments.")
    money = fields.Nested(MoneyAnswer, metadata={"description": "Of the rounds; only with a stake."})


class AdjustmentAnswer(Answer):
    """Points given to a player, or taken away."""

    id = text(**IDENTIFIER)
    player = text()
    points = whole()
    reason = text()
    created_at = text(**TIME)
    created_by = text()


class MatchAnswer(Answer):
    """A match."""

    id = text(**IDENTIFIER)
    label = text(nullable=True)
    ruleset = part(MatchRuleSetAnswer)
    stake = whole(nullable=True)
    tournament = text(nullable=True, **IDENTIFIER)
    stage = whole(nullable=True, description="Of the tournament.")
    table = whole(nullable=True, description="The number of the table in the stage.")
    players = many(fields.String())
    withdrawn = many(
        fields.String(),
        description="Of the players, those who have left the tournament: rounds may do without them.",
    )
    rounds = whole(minimum=1, description="How many are planned.")
    rounds_played = whole(minimum=0)
    status = text(enum=["open", "finished"])
    standings = many(StandingAnswer)
    adjustments = many(AdjustmentAnswer, description="Oldest first.")
    created_at = text(**TIME)
    created_by = text()
    finished_at = text(nullable=True, **TIME)
    finish_reason = text(nullable=True, description="Where it was ended early.")
    version = whole(minimum=1, description="Goes up with every change of the match.")
    digest = text(
        nullable=True,
        description="Of the revision that was stored last: it stands for all rounds of the match.",
    )


class MatchesAnswer(PageAnswer):
    """A page of matches, newest first."""

    items = many(MatchAnswer)


class PlayerAnswer(Answer):
    """A player over all rounds that count."""

    player = text()
    matches = whole(minimum=0)
    rounds = whole(minimum=0)
    points = whole(description="Of rounds; adjustments belong to matches.")
    wins = whole(minimum=0, description="Rounds in which points were gained.")
    fouls = whole(minimum=0)
    sweeps = whole(minimum=0)
    clean_sweeps = whole(minimum=0)
    specials = whole(minimum=0)


class FindingAnswer(Answer):
    """Something that an audit found."""

    code = text(enum=list(CODES))
    detail = text()
    match = text(nullable=True, **IDENTIFIER)
    round = text(nullable=True, **IDENTIFIER)
    number = whole(nullable=True)
    revision = whole(nullable=True)
    tournament = text(nullable=True, **IDENTIFIER)


class AuditAnswer(Answer):
    """What scoring again from the record, and following its seals, showed."""

    ok = flag()
    rounds = whole(minimum=0, description="How many revisions were looked at.")
    findings = many(FindingAnswer)


class ArrangementAnswer(Answer):
    """One arrangement, checked."""

    ruleset = part(RuleSetReferenceAnswer)
    rows = part(RowsAnswer, nullable=True, description="Null where only `cards` were sent.")
    in_order = flag(nullable=True, description="Bottom >= middle >= top.")
    foul = part(FoulAnswer, nullable=True)
    specials = many(SpecialAnswer, description="Specials that the cards form, high to low.")


class RuleSetSummary(RuleSetReferenceAnswer):
    """A rule set in the list."""

    title = text()
    aliases = many(fields.String())
    digest = text()


class RuleSetsAnswer(Answer):
    """All rule sets, each in its newest version."""

    items = many(RuleSetSummary)


class RuleSetAnswer(RuleSetSummary):
    """A whole rule set: every rule that varies is a field of `rules`."""

    base = part(RuleSetReferenceAnswer, nullable=True)
    differs = _field(fields.Dict, nullable=True, description="From the base, as a JSON Merge Patch.")
    rules = _field(fields.Dict)


class StatusAnswer(Answer):
    """Whether the service lives or is ready."""

    status = text(enum=["ok"])


class ErrorAnswer(Answer):
    """One thing that is wrong; some codes have more members."""

    class Meta:  # noqa: D106 (marshmallow reads it)
        unknown = INCLUDE

    code = text()
    pointer = text(description="RFC 6901, into the request body; empty for a mistake in the query.")
    detail = text()
    parameter = fields.String(
        metadata={"description": "Of a mistake in the query: the parameter that it is in."}
    )


class ProblemAnswer(Answer):
    """An error (RFC 9457); some types have more members."""

    class Meta:  # noqa: D106 (marshmallow reads it)
        unknown = INCLUDE

    type = text(format="uri-reference")
    title = text()
    status = whole()
    detail = text()
    instance = text(format="uri-reference")
    request_id = text()
    errors = fields.List(fields.Nested(ErrorAnswer))


class ImportLineAnswer(Answer):
    """What became of a line of an import."""

    line = whole(minimum=1)
    key = text(nullable=True, description="What the match is known by; null if the line is no JSON.")
    status = text(enum=["imported", "unchanged", "rejected", "failed"])
    match = text(nullable=True, description="Its id in the record; null unless it is there.")
    rounds = whole(minimum=0)
    problem = fields.Nested("ProblemLineAnswer", metadata={"description": "Why it is not there."})


class ImportEndAnswer(Answer):
    """The last line of an import that was gone through to its end."""

    end = flag(const=True)
    count = whole(minimum=0, description="How many lines there were.")
    imported = whole(minimum=0)
    unchanged = whole(minimum=0)
    rejected = whole(minimum=0)
    rounds = whole(minimum=0, description="How many rounds have been brought in.")


class ProblemLineAnswer(ProblemAnswer):
    """What is wrong with a line of a body of many."""

    line = whole(minimum=1, description="The number of the line.")
