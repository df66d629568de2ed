"""Rule sets: frozen values in which everything that differs from place to place is a field.

A rule set is written as a document: a TOML file for the built-in ones, JSON of the same shape on the
wire. ``docs/rulesets.md`` explains every field.
"""

import hashlib
import json
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from importlib import resources
from typing import Any

from service.rules.cards import ROWS
from service.rules.tables import Tables, compile_tables

_MOST_OPPONENTS = 3

#: A row's bonus by hand: one number, or one for each rank that the hand is named after.
Bonus = int | Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Sweep:
    """What winning all three rows does to a duel: ``factor`` multiplies, ``points`` are added.

    A clean sweep (of everybody) takes at least ``opponents`` of them.
    """

    factor: int
    points: int = 0
    opponents: int = 1


@dataclass(frozen=True, slots=True)
class Foul:
    """What a foul pays each player without one.

    ``pays``: ``"sweep"``, as if swept by that player (or clean swept, when that player has a clean
    sweep); ``"clean_sweep"``, as if clean swept, at any table; ``"points"``, a flat number of
    ``points``, and with ``bonuses`` that player's bonuses too.
    """

    pays: str
    points: int = 0
    bonuses: bool = False


@dataclass(frozen=True, slots=True)
class Special:
    """A special of the rule set and what each opponent pays for it."""

    name: str
    points: int


@dataclass(frozen=True)
class RuleSet:
    """One version of one rule set; equal when its documents are."""

    id: str
    version: int
    title: str
    aliases: tuple[str, ...]
    rounds: tuple[int, ...]
    suits: str
    wheel: str
    compare: Mapping[str, tuple[str, ...]]
    order_by_suits: bool
    row_points: int | None
    most_rows: int
    bonuses: str
    factors: str
    row_bonuses: tuple[Mapping[str, Bonus], ...]
    sweep: Sweep | None
    clean_sweep: Sweep | None
    foul: Foul | None
    specials: tuple[Special, ...]
    declared: bool
    equal_specials: str
    fee: int
    document: Mapping[str, Any]

    @property
    def has_points(self) -> bool:
        """Whether rounds are scored; without points only the order of rows and their comparison is."""
        return self.row_points is not None

    @cached_property
    def most_points(self) -> int:
        """More than any player can win in a round: no total is ever larger."""
        row = self.row_points or 0
        best = sum(row + max(map(_highest, bonuses.values()), default=0) for bonuses in self.row_bonuses)
        sweeps = [sweep for sweep in (self.sweep, self.clean_sweep) if sweep]
        factor = max((sweep.factor for sweep in sweeps), default=1)
        added = self.most_rows + max((sweep.points for sweep in sweeps), default=0)
        foul = self.foul.points if self.foul else 0
        duel = 2 * factor * best + added + foul
        special = max((special.points for special in self.specials), default=0)
        return _MOST_OPPONENTS * max(duel, special)

    @cached_property
    def digest(self) -> str:
        """SHA-256 (hex) of the document as canonical JSON (RFC 8785)."""
        return hashlib.sha256(canonical(self.document)).hexdigest()

    @cached_property
    def tables(self) -> Tables:
        """The rule set compiled into look-ups; made once, at first use."""
        return compile_tables(self)

    @property
    def reference(self) -> dict[str, Any]:
        """``{"id", "version"}``, as results name the rule set that they were scored under."""
        return {"id": self.id, "version": self.version}


def _highest(bonus: Bonus) -> int:
    return bonus if isinstance(bonus, int) else max(bonus.values(), default=0)


def canonical(document: Mapping[str, Any]) -> bytes:
    """Canonical JSON as RFC 8785 has it, for documents of ASCII keys, strings, booleans and integers."""
    text = json.dumps(document, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return text.encode()


def from_document(document: Mapping[str, Any]) -> RuleSet:
    """Build a rule set from a complete, valid document; ``KeyError`` or ``TypeError`` if it is not."""
    comparison, specials = document["comparison"], document.get("specials", {})
    points = document.get("points")
    return RuleSet(
        id=document["id"],
        version=document["version"],
        title=document["title"],
        aliases=tuple(document.get("aliases", ())),
        rounds=tuple(document["rounds"]),
        suits="".join(comparison["suits"]),
        wheel=comparison["wheel"],
        compare={hand: tuple(parts) for hand, parts in comparison["hands"].items()},
        order_by_suits=document["order"]["suits"],
        row_points=points["row"] if points else None,
        most_rows=points.get("most_rows", 0) if points else 0,
        bonuses=points["bonuses"] if points else "instead",
        factors=points["factors"] if points else "all",
        row_bonuses=tuple((points or {}).get(row, {}) for row in ROWS),
        sweep=Sweep(**document["sweep"]) if "sweep" in document else None,
        clean_sweep=Sweep(**document["clean_sweep"]) if "clean_sweep" in document else None,
        foul=Foul(**document["foul"]) if "foul" in document else None,
        specials=tuple(Special(**special) for special in specials.get("ranking", ())),
        declared=specials.get("declared", True),
        equal_specials=specials.get("equal", "tie"),
        fee=document.get("money", {}).get("fee", 0),
        document=document,
    )


def _read_built_in() -> dict[str, RuleSet]:
    found = {}
    for file in sorted(resources.files("service.rules.rulesets").iterdir(), key=lambda f: f.name):
        if file.name.endswith(".toml"):
            ruleset = from_document(tomllib.loads(file.read_text("utf-8")))
            for name in (ruleset.id, *ruleset.aliases):
                found[name] = ruleset
    return found


#: The published rule sets, by id and by alias.
BUILT_IN: Mapping[str, RuleSet] = _read_built_in()
DEFAULT = "bsfyi"
