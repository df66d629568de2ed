"""Rule sets in the record: every version that a round may refer to."""

import hashlib
from collections.abc import Mapping
from typing import Any
from weakref import WeakKeyDictionary

from sqlalchemy import Connection, Engine, func, select
from sqlalchemy.dialects.postgresql import distinct_on, insert

from service.record.errors import WRONG
from service.record.ids import now
from service.record.tables import rulesets
from service.rules.ruleset import BUILT_IN, RuleSet, canonical, from_document

# Versions never change, so what has been read from a database and compiled serves for good; 3 MB each.
_known: WeakKeyDictionary[Engine, dict[tuple[str, int], RuleSet]] = WeakKeyDictionary()
_MOST_KNOWN = 32


class RuleSetChanged(Exception):
    """A published rule set differs from the record's under the same version."""


def published(identifier: str, version: int | None) -> RuleSet | None:
    """The rule set of an id or alias if it is one that comes with the service, which needs no record."""
    built_in = BUILT_IN.get(identifier)
    return built_in if built_in is not None and version in (None, built_in.version) else None


def find_ruleset(connection: Connection, identifier: str, version: int | None) -> RuleSet | None:
    """The rule set of an id or alias, in a version or the newest; None if there is none."""
    built_in = published(identifier, version)
    if built_in is not None:
        return built_in
    if identifier in BUILT_IN:
        identifier = BUILT_IN[identifier].id
    if version is None:
        newest = select(func.max(rulesets.c.version)).where(rulesets.c.id == identifier)
        version = connection.scalar(newest)
        if version is None:
            return None
    known = _known.setdefault(connection.engine, {})
    ruleset = known.get((identifier, version))
    if ruleset is None:
        document = connection.scalar(
            select(rulesets.c.document).where(rulesets.c.id == identifier, rulesets.c.version == version)
        )
        if document is None:
            return None
        while len(known) >= _MOST_KNOWN:
            known.pop(next(iter(known)), None)
        known[identifier, version] = ruleset = from_document(document)
    return ruleset


def list_rulesets(connection: Connection) -> list[RuleSet]:
    """Every rule set in its newest version, by id; what was tampered with as it was published."""
    query = select(rulesets.c.id, rulesets.c.document).ext(distinct_on(rulesets.c.id))
    rows = connection.execute(query.order_by(rulesets.c.id, rulesets.c.version.desc()))
    found = [_readable(row.document) or BUILT_IN.get(row.id) for row in rows]
    return [ruleset for ruleset in found if ruleset is not None]


def _readable(document: Any) -> RuleSet | None:
    try:
        return from_document(document)
    except WRONG:
        return None  # for the audit to tell


def record_house_rules(
    connection: Connection, document: Mapping[str, Any], by: str
) -> tuple[RuleSet, bool]:
    """Record house rules as the next version of their id; returns it, and whether it is new.

    ``document`` is complete but for its version. What says the same as the newest version is that one
    again; an older one that is gone back to becomes the next, so that the newest is always what counts.
    """
    identifier, content = document["id"], content_digest(document)
    # Two who post one id at once come one after the other, whether it exists yet or not.
    connection.execute(select(func.pg_advisory_xact_lock(func.hashtextextended(identifier, 0))))
    of_id = rulesets.c.id == identifier
    query = select(rulesets.c.version, rulesets.c.content_digest, rulesets.c.document)
    newest = connection.execute(
        query.where(of_id).order_by(rulesets.c.version.desc()).limit(1)
    ).one_or_none()
    if newest is not None and newest.content_digest == content:
        return from_document(newest.document), False
    version = newest.version + 1 if newest is not None else 1
    ruleset = from_document({**document, "version": version})
    connection.execute(
        insert(rulesets).values(
            id=identifier,
            version=ruleset.version,
            title=ruleset.title,
            digest=ruleset.digest,
            content_digest=content,
            document=ruleset.document,
            created_at=now(),
            created_by=by,
        )
    )
    return ruleset, True


def content_digest(document: Mapping[str, Any]) -> str:
    """The digest of what a document says, whatever its version."""
    content = {name: value for name, value in document.items() if name != "version"}
    return hashlib.sha256(canonical(content)).hexdigest()


def record_built_in(connection: Connection) -> None:
    """Record the published rule sets; :class:`RuleSetChanged` if one was changed but not its version."""
    for ruleset in {r.id: r for r in BUILT_IN.values()}.values():
        values: dict[str, Any] = {
            "id": ruleset.id,
            "version": ruleset.version,
            "title": ruleset.title,
            "digest": ruleset.digest,
            "content_digest": content_digest(ruleset.document),
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
