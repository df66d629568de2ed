"""House rules as requests: a base, and what differs from it; checked as a whole."""

import json
import re
from collections.abc import Mapping
from typing import Any

from marshmallow import INCLUDE, ValidationError, fields

from schemas.fields import Choice, Document, Flag, Text, WholeNumber
from schemas.mistakes import (
    FIELD_MISSING,
    FIELD_UNKNOWN,
    NOT_A_WHOLE_NUMBER,
    NOT_AN_OBJECT,
    Invalid,
    Mistake,
    collect,
    escape,
)
from schemas.rounds import MOST_ROUNDS, FindRuleSet, RuleSetReference
from service.messages import _
from service.rules.cards import RANKS, SUITS
from service.rules.hands import HANDS, ONE_SUIT_HANDS, THREE_CARD_HANDS
from service.rules.ruleset import RuleSet
from service.rules.specials import SPECIALS
from service.rules.tables import PARTS

# Bounds that keep every total a whole number that all of JSON's readers can hold.
MOST_POINTS = 1_000
MOST_FACTOR = 20
MOST_FEE = 10_000

IDENTIFIER_PATTERN = "[a-z0-9](?:[a-z0-9_-]{0,62}[a-z0-9])?"
_IDENTIFIER = re.compile(IDENTIFIER_PATTERN)
# What names a rule set, rather than being a rule of it.
_NAMES = ("id", "version", "title", "aliases", "base")


class RuleSetIdentifier(fields.Field[str]):
    """A rule set's id: small letters, digits, - and _."""

    def _deserialize(self, value: Any, attr: Any, data: Any, **kwargs: Any) -> str:
        if type(value) is not str or not _IDENTIFIER.fullmatch(value):
            text = _("expected 1 to 64 small letters, digits, - or _")
            raise ValidationError([Mistake("field_invalid", text)])
        return value


class Suits(fields.Field[list[str]]):
    """All four suits, high to low, or none."""

    def _deserialize(self, value: Any, attr: Any, data: Any, **kwargs: Any) -> list[str]:
        if value == [] or (type(value) is list and sorted(map(str, value)) == sorted(SUITS)):
            return list(value)
        text = _("expected all four suits (s, h, c, d), high to low, or an empty list")
        raise ValidationError([Mistake("field_invalid", text)])


class Comparison(fields.Field[dict[str, list[str]]]):
    """For each hand, what is compared in turn."""

    def _deserialize(self, value: Any, attr: Any, data: Any, **kwargs: Any) -> dict[str, list[str]]:
        if type(value) is not dict:
            raise ValidationError([NOT_AN_OBJECT])
        mistakes = [
            FIELD_UNKNOWN._replace(pointer=f"/{escape(hand)}")
            for hand in sorted(value.keys() - set(HANDS))
        ]
        for hand in HANDS:
            if hand not in value:
                mistakes.append(FIELD_MISSING._replace(pointer=f"/{hand}"))
            elif not _in_sensible_order(value[hand], hand):
                text = _("expected some of {parts}, in this order and beginning with the first")
                if hand in ONE_SUIT_HANDS:
                    text = _("expected some of {parts}; suit comes first or last")
                shown = {"parts": list(PARTS[hand])}
                mistakes.append(Mistake("field_invalid", text, f"/{hand}", shown))
        if mistakes:
            raise ValidationError(mistakes)
        return value


def _in_sensible_order(parts: Any, hand: str) -> bool:
    known = PARTS[hand]
    if type(parts) is not list or any(type(part) is not str for part in parts):
        return False
    if hand in ONE_SUIT_HANDS and len(parts) > 1 and parts[0] == "suit":
        parts = [*parts[1:], "suit"]
    if parts != [part for part in known if part in parts]:
        return False
    return hand == "royal_flush" or known[0] in parts


class Bonuses(fields.Field[dict[str, Any]]):
    """A row's bonuses by hand: points, or points for each rank that the hand is named after."""

    def __init__(self, hands: tuple[str, ...], **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.hands = hands

    def _deserialize(self, value: Any, attr: Any, data: Any, **kwargs: Any) -> dict[str, Any]:
        if type(value) is not dict:
            raise ValidationError([NOT_AN_OBJECT])
        mistakes: list[Mistake] = []
        for hand, bonus in value.items():
            pointer = f"/{escape(hand)}"
            if hand not in self.hands:
                text = _("this row cannot be such a hand, only: {hands}")
                mistakes.append(Mistake("field_invalid", text, pointer, {"hands": list(self.hands)}))
            elif type(bonus) is dict:
                for rank, points in bonus.items():
                    if rank not in RANKS or len(rank) != 1:
                        mistakes.append(FIELD_UNKNOWN._replace(pointer=f"{pointer}/{escape(rank)}"))
                    else:
                        mistakes += _points_mistakes(points, f"{pointer}/{rank}")
            else:
                mistakes += _points_mistakes(bonus, pointer)
        if mistakes:
            raise ValidationError(mistakes)
        return value


def _points_mistakes(points: Any, pointer: str) -> list[Mistake]:
    if type(points) is not int:
        return [NOT_A_WHOLE_NUMBER._replace(pointer=pointer)]
    if not 0 <= points <= MOST_POINTS:
        text = _("expected a whole number from {least} to {most}")
        return [Mistake("field_invalid", text, pointer, {"least": 0, "most": MOST_POINTS})]
    return []


class ComparisonDocument(Document):
    """How rows are compared."""

    suits = Suits(required=True)
    wheel = Choice(("lowest", "second_highest", "none"), required=True)
    hands = Comparison(required=True)


class OrderDocument(Document):
    """How the order of rows is judged."""

    suits = Flag(required=True)


class PointsDocument(Document):
    """What won rows are worth."""

    row = WholeNumber(0, MOST_POINTS, required=True)
    most_rows = WholeNumber(0, MOST_POINTS)
    bonuses = Choice(("instead", "added", "always"), required=True)
    factors = Choice(("all", "rows"), required=True)
    top = Bonuses(THREE_CARD_HANDS)
    middle = Bonuses(HANDS)
    bottom = Bonuses(HANDS)


class SweepDocument(Document):
    """What winning all three rows does."""

    factor = WholeNumber(1, MOST_FACTOR, required=True)
    points = WholeNumber(0, MOST_POINTS)


class CleanSweepDocument(SweepDocument):
    """What sweeping everybody does."""

    opponents = WholeNumber(1, 3, required=True)


class FoulDocument(Document):
    """What a foul pays."""

    pays = Choice(("sweep", "clean_sweep", "points"), required=True)
    points = WholeNumber(0, MOST_POINTS)
    bonuses = Flag()


class SpecialDocument(Document):
    """A special and its points."""

    name = Choice(tuple(SPECIALS), required=True)
    points = WholeNumber(0, MOST_POINTS, required=True)


class SpecialsDocument(Document):
    """Which specials count, and when."""

    declared = Flag(required=True)
    equal = Choice(("tie", "ranks"), required=True)
    ranking = fields.List(fields.Nested(SpecialDocument), required=True)


class MoneyDocument(Document):
    """The room's fee."""

    fee = WholeNumber(0, MOST_FEE, required=True)


def _some(values: list[Any]) -> None:
    if not values:
        raise ValidationError([Mistake("field_invalid", _("expected at least one number of rounds"))])


class RulesDocument(Document):
    """All the rules of a rule set."""

    rounds = fields.List(WholeNumber(1, MOST_ROUNDS), required=True, validate=_some)
    comparison = fields.Nested(ComparisonDocument, required=True)
    order = fields.Nested(OrderDocument, required=True)
    points = fields.Nested(PointsDocument)
    sweep = fields.Nested(SweepDocument)
    clean_sweep = fields.Nested(CleanSweepDocument)
    foul = fields.Nested(FoulDocument)
    specials = fields.Nested(SpecialsDocument)
    money = fields.Nested(MoneyDocument)


class HouseRulesDocument(Document):
    """House rules to be posted: their id and title, a base, and whatever differs from it."""

    class Meta:  # noqa: D106 (marshmallow reads it)
        unknown = INCLUDE

    id = RuleSetIdentifier(required=True)
    title = Text(100, required=True)
    base = RuleSetReference(required=True)


_RULES = RulesDocument()
_HEAD = HouseRulesDocument()


def read_house_rules(document: Any, find: FindRuleSet, taken: frozenset[str]) -> dict[str, Any]:
    """Read posted house rules into a complete document without a version.

    What differs is a JSON Merge Patch (RFC 7396) on the base's rules. ``taken`` ids belong to the
    published rule sets. :class:`Invalid` with everything that is wrong.
    """
    if type(document) is not dict:
        raise Invalid([NOT_AN_OBJECT])
    head = {name: value for name, value in document.items() if name in _HEAD.fields}
    changes = {name: value for name, value in document.items() if name not in _HEAD.fields}
    mistakes: list[Mistake] = []
    try:
        loaded = _HEAD.load(head)
    except ValidationError as error:
        loaded = error.valid_data if isinstance(error.valid_data, dict) else {}
        mistakes += collect(error.messages)
    if loaded.get("id") in taken:
        mistakes.append(Mistake("field_invalid", _("this id belongs to a published rule set"), "/id"))
    base = find(*loaded["base"]) if "base" in loaded else None
    if base is None:
        if "base" in loaded:
            text = _("there is no rule set “{ruleset}”")
            mistakes.append(
                Mistake("ruleset_unknown", text, "/base", {"ruleset": loaded["base"][0][:64]})
            )
        raise Invalid(mistakes)
    rules = merge(rules_of(base), changes)
    mistakes += rules_mistakes(rules)
    if mistakes:
        raise Invalid(mistakes)
    return {"id": loaded["id"], "title": loaded["title"], "base": base.reference, **rules}


def rules_of(ruleset: RuleSet) -> dict[str, Any]:
    """The rules of a rule set, without what names it."""
    rules = {name: value for name, value in ruleset.document.items() if name not in _NAMES}
    copy: dict[str, Any] = json.loads(json.dumps(rules))
    return copy


def merge(target: Any, patch: Any) -> Any:
    """Apply a JSON Merge Patch (RFC 7396): objects are merged, null removes, all else replaces."""
    if not isinstance(patch, Mapping):
        return patch
    merged = dict(target) if isinstance(target, Mapping) else {}
    for name, value in patch.items():
        if value is None:
            merged.pop(name, None)
        else:
            merged[name] = merge(merged.get(name), value)
    return merged


def differences(base: Any, rules: Any) -> Any:
    """The merge patch that makes ``rules`` of ``base``."""
    patch: dict[str, Any] = {name: None for name in base if name not in rules}
    for name, value in rules.items():
        if name not in base:
            patch[name] = value
        elif isinstance(value, Mapping) and isinstance(base[name], Mapping):
            if value != base[name]:
                patch[name] = differences(base[name], value)
        elif value != base[name]:
            patch[name] = value
    return patch


def rules_mistakes(rules: Any) -> list[Mistake]:
    """Everything that is wrong with complete rules: each field, and what does not go together."""
    try:
        _RULES.load(rules)
    except ValidationError as error:
        return list(collect(error.messages))
    return [
        Mistake("field_invalid", text, pointer) for holds, text, pointer in _sense(rules) if not holds
    ]


def _sense(rules: dict[str, Any]) -> list[tuple[bool, str, str]]:
    """What must hold between fields: whether it does, what to say if not, and where."""
    foul, specials = rules.get("foul", {}), rules.get("specials", {})
    ranking = [special["name"] for special in specials.get("ranking", ())]
    checks = [
        (len(set(ranking)) == len(ranking), _("a special is ranked twice"), "/specials/ranking"),
        (
            bool(rules["comparison"]["suits"]) or not rules["order"]["suits"],
            _("suits that have no order cannot judge the order of rows"),
            "/order/suits",
        ),
        (
            "sweep" in rules or "clean_sweep" not in rules,
            _("a clean sweep needs a sweep"),
            "/clean_sweep",
        ),
        (
            foul.get("pays") not in ("sweep", "clean_sweep") or foul["pays"] in rules,
            _("a foul cannot pay what the rule set does not have"),
            "/foul/pays",
        ),
        (
            foul.get("pays") == "points" or not (foul.get("points") or foul.get("bonuses")),
            _("points and bonuses of a foul count only where it pays points"),
            "/foul",
        ),
    ]
    for name in ("sweep", "clean_sweep", "foul", "specials", "money"):
        text = _("a rule set without points has no use for this")
        checks.append(("points" in rules or name not in rules, text, f"/{name}"))
    return checks
