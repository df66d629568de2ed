"""Many rounds at once, copied within the database from one that was posted."""

from collections.abc import Sequence

from sqlalchemy import bindparam, text
from sqlalchemy.dialects.postgresql import ARRAY, UUID

from service.database import Database
from service.record.ids import new_id

_ROUND = """
    match_id, number, link, status, ruleset_id, ruleset_version, request, result, submitted_at,
    submitted_by, reason, previous_digest, digest
"""
_SEAT = """
    seat, match_id, player, top_hand, middle_hand, bottom_hand, foul, special, sweeps, clean_sweep,
    points, won, fee, net
"""
_IDS = bindparam("ids", type_=ARRAY(UUID(as_uuid=True)))


def copy_rounds(database: Database, round_ids: Sequence[str], count: int) -> None:
    """Add so many copies of rounds of no match, in their first revision, each with an id of its own."""
    with database.transaction() as connection:
        connection.execute(text("SET LOCAL session_replication_role = replica"))
        for place, round_id in enumerate(round_ids):
            fresh = [new_id() for _ in range(count // len(round_ids) + (place < count % len(round_ids)))]
            of = {"ids": fresh, "of": round_id}
            rounds = text(f"""
                INSERT INTO rounds (id, revision, {_ROUND})
                SELECT fresh, 1, {_ROUND} FROM unnest(:ids) AS fresh, rounds
                WHERE rounds.id = :of AND rounds.revision = 1
            """)
            seats = text(f"""
                INSERT INTO seats (round_id, revision, {_SEAT})
                SELECT fresh, 1, {_SEAT} FROM unnest(:ids) AS fresh, seats
                WHERE seats.round_id = :of AND seats.revision = 1
            """)
            for statement in (rounds, seats):
                connection.execute(statement.bindparams(_IDS), of)
