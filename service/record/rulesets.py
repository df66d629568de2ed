"""Rule sets in the record: every version that a round may refer to."""

from typing import Any

from sqlalchemy import Connection, func, select
from sqlalchemy.dialects.postgresql import insert

from service.record.ids import now
from service.record.tables import rulesets
from service.rules.ruleset import BUILT_IN, RuleSet, from_document

# Versions never change, so what has been read and compiled once serves for good.
_known: dict[tuple[str, int], RuleSet] = {}
_MOST_KNOWN = 200


class RuleSetChanged(Exception):
    """A published rule set differs from the record's under the same version."""


def find_ruleset(connection: Connection, identifier: str, version: int | None) -> RuleSet | None:
    """The rule set of an id or alias, in a version or the newest; None if there is none."""
    built_in = BUILT_IN.get(identifier)
    if built_in is not None and version in (None, built_in.version):
        return built_in
    if version is None:
        newest = select(func.max(rulesets.c.version)).where(rulesets.c.id == identifier)
        version = connection.scalar(newest)
        if version is None:
            return None
    if (identifier, version) not in _known:
        document = connection.scalar(
            select(rulesets.c.document).where(rulesets.c.id == identifier, rulesets.c.version == version)
        )
        if document is None:
            return None
        if len(_known) >= _MOST_KNOWN:
            _known.clear()
        _known[identifier, version] = from_document(document)
    return _known[identifier, version]


def record_built_in(connection: Connection) -> None:
    """Record the published rule sets; :class:`RuleSetChanged` if one was changed but not its version."""
    for ruleset in {r.id: r for r in BUILT_IN.values()}.values():
        values: dict[str, Any] = {
            "id": ruleset.id,
            "version": ruleset.version,
            "title": ruleset.title,
            "digest": ruleset.digest,
            "document": ruleset.document,
            "created_at": now(),
        }
        connection.execute(insert(rulesets).values(values).on_conflict_do_nothing())
        stored = connection.execute(
            select(rulesets.c.digest).where(
                rulesets.c.id == ruleset.id, rulesets.c.version == ruleset.version
            )
        ).scalar_one()
        if stored != ruleset.digest:
            raise RuleSetChanged(
                f"the rule set {ruleset.id}, version {ruleset.version}, differs from the one in the "
                "database; a changed rule set needs a new version"
            )
