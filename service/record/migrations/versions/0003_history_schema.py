"""The schema ``history``: what other programs may read of the record, and the role that may.

Its views are an interface: a column is never renamed, retyped, dropped or moved, only added at the end.
"""

from alembic import op

revision = "0003"
down_revision = "0002"

# Few rounds are ever revised. What asks whether a newer revision exists looks in here, and finds it
# small. The times of rounds go up with their place in the table, which is all that BRIN needs.
INDEXES = """
CREATE INDEX rounds_revised ON rounds (id, revision) WHERE revision > 1;
CREATE INDEX rounds_revised_newest ON rounds (submitted_at DESC) WHERE revision > 1;
CREATE INDEX rounds_submitted ON rounds USING brin (submitted_at)
    WITH (pages_per_range = 32, autosummarize = on);
CREATE INDEX adjustments_player ON adjustments (player, id DESC);
"""

# The revision itself, a newer one if there is one, and the first: left joins by primary key, which
# Postgres leaves out where no column of theirs is asked for. `WHERE counts` makes an anti-join of one.
_REVISION = """
    LEFT JOIN rounds r ON r.id = s.round_id AND r.revision = s.revision
    LEFT JOIN rounds newer
        ON newer.id = s.round_id AND newer.revision = s.revision + 1 AND newer.revision > 1
    LEFT JOIN rounds first ON first.id = s.round_id AND first.revision = 1
"""
_COUNTS = "r.status <> 'void' AND newer.id IS NULL"
_OF_REVISION = {
    "round_id": "The round; sorts by when rounds were posted.",
    "revision": "Which revision of the round, from 1.",
    "counts": "True for the newest revision, unless it is void: normally ask for these only.",
    "match_id": "The match; null for a round on its own.",
    "posted_at": "When the round was first posted.",
}

# A view: what it shows, its query, and what each of its columns says.
VIEWS: dict[str, tuple[str, str, dict[str, str]]] = {
    "matches": (
        "One line a match.",
        """
        SELECT m.id AS match_id, m.label, m.status, m.ruleset_id, m.ruleset_version, m.stake,
            ARRAY(SELECT p.player FROM match_players p
                  WHERE p.match_id = m.id ORDER BY p.seat) AS players,
            m.rounds, m.rounds_played, m.created_at, m.created_by, m.finished_at, m.finish_reason,
            m.tournament_id
        FROM matches m
        """,
        {
            "match_id": "The match; sorts by when matches were opened.",
            "label": "What it was called when it was opened, if anything.",
            "status": "open or finished.",
            "ruleset_id": "The rule set that all its rounds are scored under.",
            "ruleset_version": "The version of the rule set.",
            "stake": "Money a point, in whole units of the currency; null without money.",
            "players": "The players, in the order of their seats.",
            "rounds": "Rounds planned.",
            "rounds_played": "Rounds played, void ones included.",
            "created_at": "When it was opened.",
            "created_by": "The name of the API key that opened it.",
            "finished_at": "When it ended; null while it is open.",
            "finish_reason": "Why it ended early; null if it did not.",
            "tournament_id": "The tournament that it belongs to; null if to none.",
        },
    ),
    "rounds": (
        "One line a revision of a round: a round is never changed, each correction adds a revision.",
        f"""
        SELECT r.id AS round_id, r.revision, ({_COUNTS}) AS counts, r.match_id,
            first.submitted_at AS posted_at, r.number, r.status, r.ruleset_id, r.ruleset_version,
            (r.request ->> 'stake')::bigint AS stake,
            jsonb_array_length(r.request -> 'seats') AS players,
            r.submitted_at, r.submitted_by, r.reason, r.digest
        FROM rounds r
            LEFT JOIN rounds newer
                ON newer.id = r.id AND newer.revision = r.revision + 1 AND newer.revision > 1
            LEFT JOIN rounds first ON first.id = r.id AND first.revision = 1
        """,
        {
            **_OF_REVISION,
            "number": "Which round of its match, from 1; null for a round on its own.",
            "status": "valid (the first revision), corrected or void.",
            "ruleset_id": "The rule set that it was scored under.",
            "ruleset_version": "The version of the rule set.",
            "stake": "Money a point, in whole units of the currency; null without money.",
            "players": "How many players it has, 2 to 4.",
            "submitted_at": "When this revision was posted.",
            "submitted_by": "The name of the API key that posted this revision.",
            "reason": "Why the round was corrected or voided; null in the first revision.",
            "digest": "The SHA-256 that seals this revision, in hexadecimal.",
        },
    ),
    "seats": (
        "One line a player and revision of a round.",
        f"""
        SELECT s.round_id, s.revision, ({_COUNTS}) AS counts, r.match_id,
            first.submitted_at AS posted_at, s.seat, s.player, s.points, s.won, s.fee, s.net, s.foul,
            s.special, s.sweeps, s.clean_sweep, s.top_hand, s.middle_hand, s.bottom_hand,
            ARRAY(SELECT jsonb_array_elements_text(coalesce(
                r.request #> ARRAY['seats', s.seat::text, 'cards'],
                (r.request #> ARRAY['seats', s.seat::text, 'top'])
                    || (r.request #> ARRAY['seats', s.seat::text, 'middle'])
                    || (r.request #> ARRAY['seats', s.seat::text, 'bottom'])
            ))) AS cards
        FROM seats s {_REVISION}
        """,
        {
            **_OF_REVISION,
            "seat": "The place at the table, from 0, as the round was posted.",
            "player": "The player.",
            "points": "Points of the round, over all opponents; those of all its seats add up to 0.",
            "won": "Points times stake: money won, or lost if negative; null without money.",
            "fee": "What of it the room keeps, in the same units; null without money.",
            "net": "won less fee; null without money.",
            "foul": "top_over_middle, middle_over_bottom or both; null if the rows are in order.",
            "special": "The special that counts, such as dragon; null if none does.",
            "sweeps": "Opponents swept, that is beaten in all three rows.",
            "clean_sweep": "Whether all opponents were swept at once, where the rules count that.",
            "top_hand": "The hand of the top row, such as pair; null if no rows were sent.",
            "middle_hand": "The hand of the middle row.",
            "bottom_hand": "The hand of the bottom row.",
            "cards": "All 13 cards, such as As: top, middle and bottom row in turn, if rows were sent.",
        },
    ),
    "rows": (
        "One line a row of a seat, in every revision; none for a seat without rows (a special's cards).",
        f"""
        SELECT s.round_id, s.revision, ({_COUNTS}) AS counts, r.match_id,
            first.submitted_at AS posted_at, s.seat, s.player, line.row_name, line.hand,
            ARRAY(SELECT jsonb_array_elements_text(
                r.request #> ARRAY['seats', s.seat::text, line.row_name])) AS cards,
            (SELECT count(*) FROM duels d
             WHERE d.round_id = s.round_id AND d.revision = s.revision
                AND CASE line.row_name WHEN 'top' THEN d.top_winner WHEN 'middle' THEN d.middle_winner
                    ELSE d.bottom_winner END = s.player)::integer AS wins,
            (SELECT count(*) FROM duels d
             WHERE d.round_id = s.round_id AND d.revision = s.revision
                AND s.player IN (d.player, d.opponent)
                AND CASE line.row_name WHEN 'top' THEN d.top_winner WHEN 'middle' THEN d.middle_winner
                    ELSE d.bottom_winner END <> s.player)::integer AS losses
        FROM seats s {_REVISION}
            CROSS JOIN LATERAL (VALUES
                ('top', s.top_hand), ('middle', s.middle_hand), ('bottom', s.bottom_hand)
            ) AS line (row_name, hand)
        WHERE line.hand IS NOT NULL
        """,
        {
            **_OF_REVISION,
            "seat": "The place at the table, from 0, as the round was posted.",
            "player": "The player.",
            "row_name": "top, middle or bottom.",
            "hand": "The hand that the row makes, such as full_house.",
            "cards": "The cards of the row, such as As: 3 on top, 5 in the others.",
            "wins": "Opponents whose row it won against, those with a foul included.",
            "losses": "Opponents whose row it lost to.",
        },
    ),
    "duels": (
        "Two lines a pair of players and revision of a round: as the one and as the other sees it.",
        f"""
        SELECT s.round_id, s.revision, ({_COUNTS}) AS counts, r.match_id,
            first.submitted_at AS posted_at, s.player,
            CASE WHEN s.player = d.player THEN d.opponent ELSE d.player END AS opponent,
            CASE WHEN s.player = d.player THEN d.points ELSE -d.points END AS points,
            d.winner, d.outcome, d.factor, d.bonus, d.top_winner, d.middle_winner, d.bottom_winner
        FROM seats s
            JOIN duels d ON d.round_id = s.round_id AND d.revision = s.revision
                AND s.player IN (d.player, d.opponent)
            {_REVISION}
        """,
        {
            **_OF_REVISION,
            "player": "The player who sees the duel like this.",
            "opponent": "The other player.",
            "points": "What the player gets from the opponent; negative if it is to be paid.",
            "winner": "Who of the two gets points; null if nobody does.",
            "outcome": "rows, sweep, clean_sweep, foul, both_foul, special or special_tie.",
            "factor": "What the points of the rows are multiplied by.",
            "bonus": "What is added after the factor, as the winner sees it.",
            "top_winner": "Who won the top row; null for a draw, or if rows were not compared.",
            "middle_winner": "Who won the middle row.",
            "bottom_winner": "Who won the bottom row.",
        },
    ),
    "players": (
        "One line a player: totals over everything that counts, matches and rounds on their own.",
        """
        SELECT t.player, t.matches, t.rounds, t.points, t.wins, t.fouls, t.sweeps, t.clean_sweeps,
            t.specials
        FROM player_totals t
        """,
        {
            "player": "The player.",
            "matches": "Matches that the player takes or took part in.",
            "rounds": "Rounds that count.",
            "points": "Points of these rounds; adjustments are no part of it.",
            "wins": "Rounds with more than 0 points.",
            "fouls": "Rounds with a foul.",
            "sweeps": "Opponents swept.",
            "clean_sweeps": "Rounds in which all opponents were swept at once.",
            "specials": "Rounds with a special that counts.",
        },
    ),
    "adjustments": (
        "One line an adjustment: points given to a player of a match, or taken away, by hand.",
        """
        SELECT a.id AS adjustment_id, a.match_id, a.player, a.points, a.reason, a.created_at,
            a.created_by
        FROM adjustments a
        """,
        {
            "adjustment_id": "The adjustment; sorts by when adjustments were made.",
            "match_id": "The match.",
            "player": "The player.",
            "points": "Points given, or taken away if negative; they count in the match only.",
            "reason": "Why.",
            "created_at": "When it was made.",
            "created_by": "The name of the API key that made it.",
        },
    ),
    "rulesets": (
        "One line a version of a rule set.",
        """
        SELECT r.id AS ruleset_id, r.version AS ruleset_version, r.title, r.digest, r.created_at,
            r.created_by
        FROM rulesets r
        """,
        {
            "ruleset_id": "The rule set.",
            "ruleset_version": "Its version; what a version says never changes.",
            "title": "What people call it.",
            "digest": "The SHA-256 of its document, in hexadecimal.",
            "created_at": "When it came into this record.",
            "created_by": "The name of the API key that posted it; null for a published one.",
        },
    ),
}

# Roles belong to the whole server: another database of it, or another migration just now, may have
# made this one. A managed Postgres may not let us make any; then the rest goes on without.
ROLE = """
DO $$
BEGIN
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'susun_reader') THEN
        CREATE ROLE susun_reader NOLOGIN;
    END IF;
EXCEPTION
    WHEN duplicate_object OR unique_violation THEN NULL;
    WHEN insufficient_privilege THEN
        RAISE NOTICE 'the role susun_reader cannot be made by %; "susun reader create" says what to do',
            current_user;
END $$;

DO $$
BEGIN
    IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'susun_reader') THEN
        GRANT USAGE ON SCHEMA history TO susun_reader;
        GRANT SELECT ON ALL TABLES IN SCHEMA history TO susun_reader;
    END IF;
END $$;
"""

# What everybody may do unless told otherwise, and readers should not.
PUBLIC = """
REVOKE ALL ON FUNCTION refuse_change() FROM PUBLIC;
DO $$
BEGIN
    REVOKE CREATE ON SCHEMA public FROM PUBLIC;
EXCEPTION WHEN insufficient_privilege THEN
    RAISE NOTICE 'the right to make tables in the schema public is left to PUBLIC';
END $$;
"""


def upgrade() -> None:
    op.execute(INDEXES)
    op.execute("CREATE SCHEMA history; COMMENT ON SCHEMA history IS 'The record, for other programs.'")
    for name, (purpose, query, columns) in VIEWS.items():
        op.execute(f"CREATE VIEW history.{name} AS {query}")
        op.execute(f"COMMENT ON VIEW history.{name} IS {_quoted(purpose)}")
        for column, meaning in columns.items():
            op.execute(f"COMMENT ON COLUMN history.{name}.{column} IS {_quoted(meaning)}")
    op.execute(ROLE)
    op.execute(PUBLIC)


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
