"""Rounds and single arrangements as requests."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from marshmallow import ValidationError, fields

from schemas.fields import MOST_STAKE, Document, Text, WholeNumber
from schemas.mistakes import (
    FIELD_MISSING,
    FIELD_UNKNOWN,
    NOT_A_WHOLE_NUMBER,
    Invalid,
    Mistake,
    collect,
    escape,
)
from schemas.seats import OneSeat, Seats
from service.messages import _
from service.rules.cards import HAND_SIZE
from service.rules.reading import Seat, formed_names
from service.rules.ruleset import DEFAULT, RuleSet
from service.rules.specials import SPECIALS

LONGEST_RULESET_ID = 64
MOST_VERSIONS = 1_000_000
MOST_ROUNDS = 1_000
_MOST_PLAYERS_READ = 16
MOST_ADJUSTMENT = 1_000_000
LONGEST_REASON = 500
# Every JSON reader can hold whole numbers up to here.
MOST_MONEY = 2**53 - 1

#: Finds a rule set by id and version (None: the newest); None if there is none.
FindRuleSet = Callable[[str, int | None], RuleSet | None]


class RuleSetReference(fields.Field[tuple[str, int | None]]):
    """A rule set's id, or an object of ``id`` and ``version``; loaded as a pair."""

    def _deserialize(self, value: Any, attr: Any, data: Any, **kwargs: Any) -> tuple[str, int | None]:
        if type(value) is str:
            return value, None
        if type(value) is not dict:
            text = _("expected a rule set's id, or an object with id and version")
            raise ValidationError([Mistake("field_invalid", text)])
        mistakes = [
            FIELD_UNKNOWN._replace(pointer=f"/{escape(name)}")
            for name in sorted(value.keys() - {"id", "version"})
        ]
        identifier, version = value.get("id"), value.get("version")
        if type(identifier) is not str:
            wrong = Mistake("field_invalid", _("expected a string")) if "id" in value else FIELD_MISSING
            mistakes.append(wrong._replace(pointer="/id"))
        if "version" in value and not (type(version) is int and 1 <= version <= MOST_VERSIONS):
            mistakes.append(NOT_A_WHOLE_NUMBER._replace(pointer="/version"))
        if mistakes:
            raise ValidationError(mistakes)
        return str(identifier), version


class RoundDocument(Document):
    """A round to be scored, or to be kept on its own."""

    ruleset = RuleSetReference()
    stake = WholeNumber(1, MOST_STAKE)
    seats = Seats(required=True)


class MatchRoundDocument(Document):
    """A round of a match, which knows rule set and stake."""

    number = WholeNumber(1, MOST_ROUNDS)
    seats = Seats(required=True)


class CorrectionDocument(Document):
    """A round's seats as they should have been, and why."""

    reason = Text(LONGEST_REASON, required=True)
    seats = Seats(required=True)


class ReasonDocument(Document):
    """Why a round is void, or a match over early."""

    reason = Text(LONGEST_REASON, required=True)


class AdjustmentDocument(Document):
    """Points given to a player of a match, or taken away, and why."""

    player = Text(64, required=True)
    points = WholeNumber(-MOST_ADJUSTMENT, MOST_ADJUSTMENT, required=True)
    reason = Text(LONGEST_REASON, required=True)


class ArrangementDocument(Document):
    """One seat to be checked under a rule set."""

    ruleset = RuleSetReference()
    seat = OneSeat(required=True)


class Players(fields.List[str]):
    """The players of a match; of a list that is far too long nothing is looked at."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(Text(64), **kwargs)

    def _deserialize(self, value: Any, attr: Any, data: Any, **kwargs: Any) -> list[Any]:
        if type(value) is list and len(value) > _MOST_PLAYERS_READ:
            raise ValidationError([_wrong_count(value)])
        return super()._deserialize(value, attr, data, **kwargs)


class MatchDocument(Document):
    """A match to be opened."""

    players = Players(required=True)
    ruleset = RuleSetReference()
    rounds = WholeNumber(1, MOST_ROUNDS)
    stake = WholeNumber(1, MOST_STAKE)
    label = Text(200)


_ROUND = RoundDocument()
_MATCH_ROUND = MatchRoundDocument()
_CORRECTION = CorrectionDocument()
_REASON = ReasonDocument()
_ADJUSTMENT = AdjustmentDocument()
_ARRANGEMENT = ArrangementDocument()
_MATCH = MatchDocument()


@dataclass(frozen=True, slots=True)
class RoundRequest:
    """A valid round: declared specials are formed, cards and players different."""

    ruleset: RuleSet
    seats: Sequence[Seat]
    stake: int | None = None
    number: int | None = None


@dataclass(frozen=True, slots=True)
class MatchRequest:
    """A valid match to open."""

    ruleset: RuleSet
    players: Sequence[str]
    rounds: int
    stake: int | None
    label: str | None


def read_round(document: Any, find: FindRuleSet, *, to_keep: bool = False) -> RoundRequest:
    """Read a round on its own; :class:`Invalid` with everything that is wrong.

    One that is to be kept needs a rule set with points, and so does one with a stake.
    """
    loaded, mistakes = load(_ROUND, document)
    ruleset = find_named(loaded, find, mistakes)
    if ruleset is not None and (to_keep or "stake" in loaded):
        check_points(ruleset, loaded.get("stake"), mistakes)
    _check_declarations(ruleset, loaded.get("seats", ()), mistakes)
    if mistakes or ruleset is None:
        raise Invalid(mistakes)
    return RoundRequest(ruleset, loaded["seats"], loaded.get("stake"))


def read_match_round(
    document: Any,
    ruleset: RuleSet,
    stake: int | None,
    players: Sequence[str],
    withdrawn: Sequence[str] = (),
) -> RoundRequest:
    """Read a round of a match of some players, under its rule set; :class:`Invalid` otherwise.

    Those of them who are ``withdrawn`` may have a seat or not.
    """
    loaded, mistakes = load_match_round(document, ruleset, players, withdrawn)
    if mistakes:
        raise Invalid(mistakes)
    return RoundRequest(ruleset, loaded["seats"], stake, loaded.get("number"))


def load_match_round(
    document: Any,
    ruleset: RuleSet | None,
    players: Sequence[str] | None,
    withdrawn: Sequence[str] = (),
) -> tuple[dict[str, Any], list[Mistake]]:
    """A round of a match as far as it can be loaded, with all that is wrong.

    ``ruleset`` or ``players`` are None where they are wrong themselves.
    """
    loaded, mistakes = load(_MATCH_ROUND, document)
    seats = loaded.get("seats", ())
    _check_declarations(ruleset, seats, mistakes)
    if players is not None:
        _check_roster(seats, players, mistakes, withdrawn)
    return loaded, mistakes


def read_correction(
    document: Any, ruleset: RuleSet, players: Sequence[str] | None, absent: Sequence[str] = ()
) -> Sequence[Seat]:
    """Read the seats of a correction; ``players`` are those of the match, None outside of one.

    Those of them who are ``absent`` may have a seat or not.
    """
    loaded, mistakes = load(_CORRECTION, document)
    seats = loaded.get("seats", ())
    _check_declarations(ruleset, seats, mistakes)
    if players is not None:
        _check_roster(seats, players, mistakes, absent)
    if mistakes:
        raise Invalid(mistakes)
    return list(seats)


def read_reason(document: Any) -> str:
    """Read a document of nothing but a reason."""
    return str(_REASON.read(document)["reason"])


def read_adjustment(document: Any, players: Sequence[str] | None) -> tuple[str, int, str]:
    """Read an adjustment: a player of these (None: any), points (not 0), reason; :class:`Invalid`."""
    loaded, mistakes = load(_ADJUSTMENT, document)
    if loaded.get("points") == 0:
        mistakes.append(Mistake("field_invalid", _("an adjustment of 0 changes nothing"), "/points"))
    if players is not None and loaded.get("player", players[0]) not in players:
        text = _("this player does not belong to the match")
        mistakes.append(Mistake("player_not_in_match", text, "/player"))
    if mistakes:
        raise Invalid(mistakes)
    return loaded["player"], loaded["points"], loaded["reason"]


def read_arrangement(document: Any, find: FindRuleSet) -> tuple[RuleSet, Seat]:
    """Read one arrangement and the rule set to check it under; :class:`Invalid` otherwise."""
    loaded, mistakes = load(_ARRANGEMENT, document)
    ruleset = find_named(loaded, find, mistakes)
    seat = loaded.get("seat")
    if ruleset is not None and seat is not None:
        _check_declaration(ruleset, seat, "/seat", mistakes)
    if mistakes or ruleset is None or seat is None:
        raise Invalid(mistakes)
    return ruleset, seat


def read_match(document: Any, find: FindRuleSet) -> MatchRequest:
    """Read a match to open; :class:`Invalid` with everything that is wrong."""
    loaded, mistakes = load(_MATCH, document)
    ruleset = find_named(loaded, find, mistakes)
    if ruleset is not None:
        rounds = loaded.get("rounds", ruleset.rounds[0])
        check_points(ruleset, loaded.get("stake"), mistakes, rounds)
    # As they were sent: what was loaded lacks wrong names, so that places would be off.
    players = document.get("players") if type(document) is dict else None
    if type(players) is list:
        check_players(players, mistakes)
    if mistakes or ruleset is None:
        raise Invalid(mistakes)
    return MatchRequest(ruleset, loaded["players"], rounds, loaded.get("stake"), loaded.get("label"))


def load(schema: Document, document: Any) -> tuple[dict[str, Any], list[Mistake]]:
    """Load what can be loaded, with what is wrong about the rest."""
    plain = schema.load_plain(document)
    if plain is not None:
        return plain, []
    try:
        return schema.load(document), []
    except ValidationError as error:
        loaded = error.valid_data if isinstance(error.valid_data, dict) else {}
        return loaded, list(collect(error.messages))


def find_named(loaded: dict[str, Any], find: FindRuleSet, mistakes: list[Mistake]) -> RuleSet | None:
    """The rule set that is named, or the default; None, with a mistake, if there is none."""
    if mistakes and any(mistake.pointer.startswith("/ruleset") for mistake in mistakes):
        return None
    identifier, version = loaded.get("ruleset", (DEFAULT, None))
    ruleset = find(identifier, version)
    if ruleset is None:
        text = _("there is no rule set “{ruleset}”")
        shown = {"ruleset": identifier[:LONGEST_RULESET_ID]}
        if version is not None and find(identifier, None):
            text = _("the rule set “{ruleset}” has no version {version}")
            shown["version"] = version
        mistakes.append(Mistake("ruleset_unknown", text, "/ruleset", shown))
    return ruleset


def check_points(ruleset: RuleSet, stake: int | None, mistakes: list[Mistake], rounds: int = 1) -> None:
    """Whether so many rounds can be kept under a rule set, and paid at a stake."""
    if not ruleset.has_points:
        text = _("the rule set “{ruleset}” gives no points, so nothing can be paid or kept under it")
        mistakes.append(Mistake("ruleset_without_points", text, "/ruleset", {"ruleset": ruleset.id}))
    elif stake is not None and stake * ruleset.most_points * rounds > MOST_MONEY:
        text = _("the stake is too high for the points of this rule set: at most {most}")
        most = {"most": MOST_MONEY // (ruleset.most_points * rounds)}
        mistakes.append(Mistake("field_invalid", text, "/stake", most))


def _check_declarations(
    ruleset: RuleSet | None, seats: Sequence[Seat | None], mistakes: list[Mistake]
) -> None:
    """Whether specials are known and formed; without a rule set, whether any could have them."""
    for place, seat in enumerate(seats):
        if seat is None or seat.declare is None:
            continue
        if ruleset is None and seat.declare not in SPECIALS:
            text = _("no rule set has a special of this name; there are: {known}")
            known = {"known": list(SPECIALS)}
            mistakes.append(Mistake("special_unknown", text, f"/seats/{place}/declare", known))
        elif ruleset is not None:
            _check_declaration(ruleset, seat, f"/seats/{place}", mistakes)


def _check_declaration(ruleset: RuleSet, seat: Seat, pointer: str, mistakes: list[Mistake]) -> None:
    if seat.declare is None:
        return
    known = [special.name for special in ruleset.specials]
    if seat.declare not in known:
        text = (
            _("the rule set “{ruleset}” has no special of this name; it has: {known}")
            if known
            else _("the rule set “{ruleset}” has no specials")
        )
        shown = {"ruleset": ruleset.id, "known": known}
        mistakes.append(Mistake("special_unknown", text, f"{pointer}/declare", shown))
        return
    if len(set(seat.cards)) != HAND_SIZE:
        return  # the cards are wrong themselves, which has been said
    forms = formed_names(ruleset, seat.cards)
    if seat.declare not in forms:
        text = (
            _("the cards do not form {special}; they form: {forms}")
            if forms
            else _("the cards do not form {special}, nor any other special")
        )
        shown = {"special": seat.declare, "forms": forms}
        mistakes.append(Mistake("special_not_formed", text, f"{pointer}/declare", shown))


def _check_roster(
    seats: Sequence[Seat | None],
    players: Sequence[str],
    mistakes: list[Mistake],
    absent: Sequence[str] = (),
) -> None:
    """A round of a match seats its players, but for some who may be absent, and nobody else."""
    if not seats or any(seat is None for seat in seats):
        return
    seated = [seat.player for seat in seats if seat is not None]
    for place, player in enumerate(seated):
        if player and player not in players:
            text = _("this player does not belong to the match")
            mistakes.append(Mistake("player_not_in_match", text, f"/seats/{place}/player"))
    for player in players:
        if player not in seated and player not in absent:
            text = _("the player {player} of the match has no seat in the round")
            mistakes.append(Mistake("player_absent", text, "/seats", {"player": player}))


def check_players(players: Sequence[Any], mistakes: list[Mistake]) -> None:
    """Whether players are as many as a match has, and different."""
    if len(players) > _MOST_PLAYERS_READ:
        return  # which has been told
    if not 2 <= len(players) <= 4:
        mistakes.append(_wrong_count(players)._replace(pointer="/players"))
    first: dict[str, int] = {}
    for place, player in enumerate(players):
        if type(player) is str and first.setdefault(player, place) != place:
            text = _("this player is named already")
            other = {"other": f"/players/{first[player]}"}
            mistakes.append(Mistake("player_duplicate", text, f"/players/{place}", other))


def _wrong_count(players: Sequence[Any]) -> Mistake:
    text = _("a match has {least} to {most} players, not {got}")
    return Mistake("seat_count", text, "", {"least": 2, "most": 4, "got": len(players)})
