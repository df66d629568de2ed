"""The shapes of what comes back of tournaments."""

from marshmallow import fields

from schemas.answers import (
    IDENTIFIER,
    TIME,
    Answer,
    FindingAnswer,
    MatchRuleSetAnswer,
    MoneyAnswer,
    PageAnswer,
    flag,
    many,
    number,
    part,
    text,
    whole,
)
from service.tournaments.reading import EVENTS
from service.tournaments.stages import GIVEN
from service.tournaments.standings import RANK_BY, TIE_BREAKS
from service.tournaments.store import SEATINGS, STATUSES


class TournamentAnswer(Answer):
    """A tournament and its state."""

    id = text(**IDENTIFIER)
    name = text()
    ruleset = part(MatchRuleSetAnswer)
    stake = whole(nullable=True)
    table_size = whole(minimum=2, maximum=4)
    stages = whole(minimum=1, description="How many are planned.")
    rounds = whole(minimum=1, description="Of each match.")
    seating = text(enum=list(SEATINGS))
    seed = whole(minimum=0, description="With it anybody can seat the stages again.")
    rank_by = text(enum=list(RANK_BY))
    prizes = many(fields.Integer(), description="For the first place, the second, and so on.")
    status = text(enum=list(STATUSES))
    stage = whole(minimum=0, description="The last that was seated; 0 before the first.")
    open_matches = whole(minimum=0)
    entered = whole(minimum=0, description="Players, with those who have left.")
    withdrawn = whole(minimum=0, description="Players who have left.")
    created_at = text(**TIME)
    created_by = text()
    finished_at = text(nullable=True, **TIME)
    finished_by = text(nullable=True)
    finish_reason = text(nullable=True)
    version = whole(
        minimum=1, description="Goes up with every change of the tournament or its standings."
    )


class TournamentsAnswer(PageAnswer):
    """A page of tournaments, newest first."""

    items = many(TournamentAnswer)


class TableAnswer(Answer):
    """A table of a stage, and its match."""

    table = whole(minimum=1)
    players = many(fields.String(), minItems=2, maxItems=4)
    match = text(**IDENTIFIER)
    status = text(enum=["open", "finished"])
    rounds_played = whole(minimum=0)


class StageAnswer(Answer):
    """A stage with its tables."""

    tournament = text(**IDENTIFIER)
    stage = whole(minimum=1)
    status = text(enum=["open", "done"])
    seating = text(enum=[*SEATINGS, GIVEN], description="`given`: by the director.")
    repeated_meetings = whole(
        minimum=0,
        description="Of each two at a table, how often they had met in earlier stages; all together.",
    )
    seated_at = text(**TIME)
    seated_by = text()
    tables = many(TableAnswer)


class TournamentStandingAnswer(Answer):
    """A player's line; those who are equal in all tie-breaks share the place, and are `tied`."""

    place = whole(minimum=1)
    player = text()
    points = whole(description="Of the rounds and the adjustments together.")
    opponents = whole(minimum=0, description="Met in rounds: each opponent once a round.")
    points_per_opponent = number(
        nullable=True, description="Rounded to 4 decimals; ranked by the exact fraction."
    )
    placings = number(minimum=0, description="Of finished matches, n at a table of n down to 1.")
    matches = whole(minimum=0, description="Finished ones in which the player has played.")
    wins = whole(minimum=0, description="Matches with the first place, not shared.")
    rounds = whole(minimum=0)
    rows_won = whole(minimum=0, description="Each row against each opponent.")
    sweeps = whole(minimum=0)
    clean_sweeps = whole(minimum=0)
    fouls = whole(minimum=0)
    specials = whole(minimum=0)
    adjustments = whole(description="How many of the points come from adjustments.")
    tied = flag(description="Whether others have the same place.")
    withdrawn = flag()
    money = fields.Nested(MoneyAnswer, metadata={"description": "Of the rounds; only with a stake."})
    prize = fields.Integer(
        metadata={
            "minimum": 0,
            "description": "As places are now; over all only, and only where there are prizes.",
        }
    )


class StandingsAnswer(Answer):
    """Standings: of one stage, or over all."""

    tournament = text(**IDENTIFIER)
    stage = whole(nullable=True, description="Null over all.")
    rank_by = text(enum=list(RANK_BY))
    tie_breaks = many(
        fields.String(metadata={"enum": [*RANK_BY, *TIE_BREAKS]}),
        description="What decides, first things first; of `fouls`, fewer are better.",
    )
    items = many(
        TournamentStandingAnswer,
        description="Best first. The order of those who share a place means nothing.",
    )
    version = whole(minimum=1)


class TournamentEventAnswer(Answer):
    """What was done in a tournament, by whom, when, and why."""

    id = text(**IDENTIFIER)
    kind = text(enum=list(EVENTS))
    stage = whole(minimum=0, description="The last that had been seated by then.")
    player = text(nullable=True)
    points = whole(nullable=True, description="Of an adjustment.")
    reason = text(nullable=True)
    created_at = text(**TIME)
    created_by = text()


class TournamentEventsAnswer(PageAnswer):
    """A page of events, newest first."""

    items = many(TournamentEventAnswer)


class TournamentPlayerAnswer(Answer):
    """A player of a tournament."""

    id = text(description="Of the entry.", **IDENTIFIER)
    player = text()
    first_stage = whole(minimum=1, description="From which stage on the player can be seated.")
    entered_at = text(**TIME)
    entered_by = text()
    withdrawn_at = text(nullable=True, **TIME)
    withdrawn_by = text(nullable=True)
    withdraw_reason = text(nullable=True)


class TournamentPlayersAnswer(PageAnswer):
    """A page of players, last entered first."""

    items = many(TournamentPlayerAnswer)


class TournamentAuditAnswer(Answer):
    """Kept totals held against the matches."""

    ok = flag()
    matches = whole(minimum=0, description="How many were counted again.")
    findings = many(FindingAnswer)
