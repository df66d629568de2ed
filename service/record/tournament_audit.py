"""The audit of tournaments: what is kept of them, counted again from their matches.

By other means than those that keep it: in one question over seats, duels, players of matches and
adjustments, which the audit of matches holds against the rounds.
"""

from collections.abc import Collection, Iterator
from typing import Any
from uuid import UUID

from sqlalchemy import Connection, func, select, text

from service.record import findings
from service.record.findings import Finding
from service.record.tables import TOURNAMENT_COUNTS, matches
from service.record.tournament_totals import OVER_ALL


def _columns(**given: str) -> str:
    """All counts, those that are given and 0 for the others."""
    return ", ".join(f"{given.get(name, '0')} AS {name}" for name in TOURNAMENT_COUNTS)


_SUMS = ", ".join(f"sum({name})::bigint AS {name}" for name in TOURNAMENT_COUNTS)
_PAIRS = ", ".join(
    f"coalesce(kept.{name}, 0) AS kept_{name}, coalesce(counted.{name}, 0) AS counted_{name}"
    for name in TOURNAMENT_COUNTS
)
_UNLIKE = " OR ".join(
    f"coalesce(kept.{name}, 0) <> coalesce(counted.{name}, 0)" for name in TOURNAMENT_COUNTS
)
_FROM_SEATS = {
    "points": "points",
    "opponents": "size - 1",
    "rounds": "1",
    "sweeps": "sweeps",
    "clean_sweeps": "clean_sweep::integer",
    "fouls": "(foul IS NOT NULL)::integer",
    "specials": "(special IS NOT NULL)::integer",
    "net": "coalesce(net, 0)",
    "fees": "coalesce(fee, 0)",
}
_PLACED = {
    "matches": "1",
    "wins": "(best = 1 AND sharing = 1)::integer",
    "half_placings": "2 * (size - best + 1) - (sharing - 1)",
}
_DIFFERING = text(f"""
    WITH played AS MATERIALIZED (
        SELECT id, tournament_id, stage, status FROM matches
        WHERE tournament_id IS NOT NULL AND tournament_id = coalesce(CAST(:id AS uuid), tournament_id)
    ),
    counting AS MATERIALIZED (
        SELECT r.id, r.revision, played.tournament_id, played.stage
        FROM rounds r JOIN played ON played.id = r.match_id
        WHERE r.status <> 'void' AND NOT EXISTS (
            SELECT FROM rounds newer WHERE newer.id = r.id AND newer.revision > r.revision)
    ),
    in_seats AS (
        SELECT c.tournament_id, c.stage, s.*, count(*) OVER (PARTITION BY s.round_id) AS size
        FROM counting c JOIN seats s ON s.round_id = c.id AND s.revision = c.revision
    ),
    placed AS (
        SELECT tournament_id, stage, player,
            rank() OVER (PARTITION BY id ORDER BY total DESC) AS best,
            count(*) OVER (PARTITION BY id, total) AS sharing,
            count(*) OVER (PARTITION BY id) AS size
        FROM (
            SELECT played.*, p.player, p.points + p.adjustments AS total
            FROM played JOIN match_players p ON p.match_id = played.id
            WHERE played.status = 'finished' AND p.rounds > 0
        ) AS members
    ),
    each AS (
        SELECT tournament_id, stage, player, {_columns(**_FROM_SEATS)} FROM in_seats
        UNION ALL
        SELECT c.tournament_id, c.stage, line.winner, {_columns(rows_won="1")}
        FROM counting c JOIN duels d ON d.round_id = c.id AND d.revision = c.revision,
            LATERAL (VALUES (d.top_winner), (d.middle_winner), (d.bottom_winner)) AS line (winner)
        WHERE line.winner IS NOT NULL
        UNION ALL
        SELECT tournament_id, stage, player, {_columns(**_PLACED)} FROM placed
        UNION ALL
        SELECT played.tournament_id, played.stage, a.player, {_columns(adjustments="a.points")}
        FROM played JOIN adjustments a ON a.match_id = played.id
    ),
    counted AS (
        SELECT tournament_id, stage, player, {_SUMS} FROM (
            SELECT * FROM each
            UNION ALL
            SELECT tournament_id, {OVER_ALL}, player, {", ".join(TOURNAMENT_COUNTS)} FROM each
            UNION ALL
            SELECT tournament_id, {OVER_ALL}, player, {_columns(adjustments="points")}
            FROM tournament_events
            WHERE kind = 'adjusted' AND tournament_id = coalesce(CAST(:id AS uuid), tournament_id)
        ) AS both_ways GROUP BY tournament_id, stage, player
    )
    SELECT CAST(tournament_id AS text) AS tournament_id, stage, player, {_PAIRS}
    FROM (
            SELECT * FROM tournament_totals
            WHERE tournament_id = coalesce(CAST(:id AS uuid), tournament_id)
        ) AS kept
        FULL JOIN counted USING (tournament_id, stage, player)
    WHERE {_UNLIKE} ORDER BY 1, 2, 3
""")

_STATES = text("""
    SELECT CAST(t.id AS text) AS id, t.open_matches AS kept_open_matches,
        (SELECT count(*) FROM matches m WHERE m.tournament_id = t.id AND m.status = 'open')
            AS counted_open_matches,
        t.stage AS kept_stage,
        (SELECT coalesce(max(m.stage), 0) FROM matches m WHERE m.tournament_id = t.id) AS counted_stage,
        t.players AS kept_players,
        (SELECT count(*) FROM tournament_players p WHERE p.tournament_id = t.id) AS counted_players,
        t.withdrawn AS kept_withdrawn,
        (SELECT count(p.withdrawn_at) FROM tournament_players p WHERE p.tournament_id = t.id)
            AS counted_withdrawn
    FROM tournaments t WHERE t.id = coalesce(CAST(:id AS uuid), t.id) ORDER BY t.id
""")


def audit_tournaments(
    connection: Connection, tournament_id: UUID | None = None, doubtful: Collection[str] = ()
) -> Iterator[Finding]:
    """What is wrong with what is kept of a tournament, or of all.

    Totals of ``doubtful`` players are not looked at: what they would be counted from is in doubt.
    """
    values = {"id": None if tournament_id is None else str(tournament_id)}
    for row in connection.execute(_STATES, values).mappings():
        for name in ("open_matches", "stage", "players", "withdrawn"):
            kept, counted = row[f"kept_{name}"], row[f"counted_{name}"]
            if kept != counted:
                told = {"name": name, "kept": kept, "counted": counted}
                words = findings.TOURNAMENT
                yield Finding("tournament_differs", words, parameters=told, tournament=row["id"])
    for row in connection.execute(_DIFFERING, values).mappings():
        if row["player"] not in doubtful:
            yield from _differing(row)


def count_matches(connection: Connection, tournament_id: UUID) -> int:
    """How many matches a tournament has."""
    of_tournament = matches.c.tournament_id == tournament_id
    return connection.scalar(select(func.count()).select_from(matches).where(of_tournament)) or 0


def _differing(row: Any) -> Iterator[Finding]:
    of_stage = row["stage"] != OVER_ALL
    words = findings.STAGE_TOTAL if of_stage else findings.TOURNAMENT_TOTAL
    for name in TOURNAMENT_COUNTS:
        kept, counted = row[f"kept_{name}"], row[f"counted_{name}"]
        if kept != counted:
            told = {"name": name, "player": row["player"], "kept": kept, "counted": counted}
            if of_stage:
                told["stage"] = row["stage"]
            yield Finding("totals_differ", words, parameters=told, tournament=row["tournament_id"])
