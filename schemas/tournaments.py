"""Tournaments as requests."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from marshmallow import ValidationError, fields

from schemas.fields import LONGEST_PLAYER, MOST_STAKE, Choice, Document, Text, WholeNumber, text_mistake
from schemas.mistakes import NOT_A_LIST, Invalid, Mistake
from schemas.rounds import (
    LONGEST_REASON,
    MOST_ROUNDS,
    FindRuleSet,
    RuleSetReference,
    check_points,
    find_named,
    load,
)
from service.messages import _
from service.tournaments.seating import TABLE_SIZES
from service.tournaments.standings import RANK_BY
from service.tournaments.store import MOST_PLAYERS, SEATINGS, Plan

MOST_STAGES = 100
MOST_PRIZES = 1_000
MOST_SEED = 2**53 - 1
#: Of a body that names all players of a tournament.
MOST_BYTES = 2 * 1024 * 1024

_NAMED_TWICE = _("this player is named already")


class Players(fields.Field[list[str]]):
    """Names of players, each once, read in one pass: there may be thousands."""

    def __init__(self, least: int, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.least = least

    def _deserialize(self, value: Any, attr: Any, data: Any, **kwargs: Any) -> list[str]:
        if type(value) is not list:
            raise ValidationError([NOT_A_LIST])
        if not self.least <= len(value) <= MOST_PLAYERS:
            text = _("expected {least} to {most} players, got {got}")
            bounds = {"least": self.least, "most": MOST_PLAYERS, "got": len(value)}
            raise ValidationError([Mistake("field_invalid", text, "", bounds)])
        mistakes = list(_wrong_names(value))
        if mistakes:
            raise ValidationError(mistakes)
        return value


class Tables(fields.Field[list[list[str]]]):
    """A seating: a list of tables, each a list of its players."""

    def _deserialize(self, value: Any, attr: Any, data: Any, **kwargs: Any) -> list[list[str]]:
        if type(value) is not list:
            raise ValidationError([NOT_A_LIST])
        if not 1 <= len(value) <= MOST_PLAYERS // 2:
            text = _("expected {least} to {most} tables, got {got}")
            bounds = {"least": 1, "most": MOST_PLAYERS // 2, "got": len(value)}
            raise ValidationError([Mistake("field_invalid", text, "", bounds)])
        mistakes = []
        for number, table in enumerate(value):
            if type(table) is not list:
                mistakes.append(NOT_A_LIST.below(f"/{number}"))
                continue
            for place, name in enumerate(table):
                mistake = text_mistake(name, LONGEST_PLAYER)
                if mistake:
                    mistakes.append(mistake.below(f"/{number}/{place}"))
        if mistakes:
            raise ValidationError(mistakes)
        return value


class TournamentDocument(Document):
    """A tournament to be opened."""

    name = Text(200, required=True)
    ruleset = RuleSetReference()
    players = Players(0)
    table_size = WholeNumber(TABLE_SIZES[0], TABLE_SIZES[-1])
    stages = WholeNumber(1, MOST_STAGES, required=True)
    rounds = WholeNumber(1, MOST_ROUNDS)
    seating = Choice(SEATINGS)
    seed = WholeNumber(0, MOST_SEED)
    rank_by = Choice(RANK_BY)
    stake = WholeNumber(1, MOST_STAKE)
    prizes = fields.List(WholeNumber(0, MOST_STAKE))


class EntriesDocument(Document):
    """Players who enter a tournament, late ones perhaps with a reason."""

    players = Players(1, required=True)
    reason = Text(LONGEST_REASON)


class WithdrawalDocument(Document):
    """A player who leaves a tournament, and why."""

    player = Text(LONGEST_PLAYER, required=True)
    reason = Text(LONGEST_REASON, required=True)


class StageDocument(Document):
    """The next stage of a tournament: its tables, unless it is to be seated as the tournament says."""

    tables = Tables()


class FinishDocument(Document):
    """The end of a tournament; before its last planned stage it takes a reason."""

    reason = Text(LONGEST_REASON)


_TOURNAMENT = TournamentDocument()
_ENTRIES = EntriesDocument()
_WITHDRAWAL = WithdrawalDocument()
_STAGE = StageDocument()
_FINISH = FinishDocument()


@dataclass(frozen=True, slots=True)
class TournamentRequest:
    """A valid tournament to open, and its first players."""

    plan: Plan
    players: Sequence[str]


def read_tournament(document: Any, find: FindRuleSet) -> TournamentRequest:
    """Read a tournament to open; :class:`Invalid` with everything that is wrong."""
    loaded, mistakes = load(_TOURNAMENT, document)
    ruleset = find_named(loaded, find, mistakes)
    if ruleset is not None:
        rounds = loaded.get("rounds", ruleset.rounds[0])
        check_points(ruleset, loaded.get("stake"), mistakes, rounds * loaded.get("stages", 1))
    prizes = loaded.get("prizes", [])
    if len(prizes) > MOST_PRIZES:
        text = _("at most {most} prizes can be named")
        mistakes.append(Mistake("field_invalid", text, "/prizes", {"most": MOST_PRIZES}))
    if mistakes or ruleset is None:
        raise Invalid(mistakes)
    plan = Plan(
        name=loaded["name"],
        ruleset=ruleset,
        stake=loaded.get("stake"),
        table_size=loaded.get("table_size", TABLE_SIZES[-1]),
        stages=loaded["stages"],
        rounds=rounds,
        seating=loaded.get("seating", SEATINGS[0]),
        seed=loaded.get("seed"),
        rank_by=loaded.get("rank_by", RANK_BY[0]),
        prizes=prizes,
    )
    return TournamentRequest(plan, loaded.get("players", []))


def read_entries(document: Any) -> tuple[list[str], str | None]:
    """Read who enters, and why if that is said."""
    loaded = _ENTRIES.read(document)
    return loaded["players"], loaded.get("reason")


def read_withdrawal(document: Any) -> tuple[str, str]:
    """Read who leaves, and why."""
    loaded = _WITHDRAWAL.read(document)
    return loaded["player"], loaded["reason"]


def read_stage(document: Any) -> list[list[str]] | None:
    """Read the tables that are given; None for none."""
    return _STAGE.read(document).get("tables")


def read_finish(document: Any) -> str | None:
    """Read why a tournament ends, if that is said."""
    return _FINISH.read(document).get("reason")


def _wrong_names(value: Sequence[Any]) -> Iterator[Mistake]:
    first: dict[str, int] = {}
    for place, name in enumerate(value):
        mistake = text_mistake(name, LONGEST_PLAYER)
        if mistake:
            yield mistake.below(f"/{place}")
        elif first.setdefault(name, place) != place:
            other = {"other": f"/{first[name]}"}
            yield Mistake("player_duplicate", _NAMED_TWICE, f"/{place}", other)
