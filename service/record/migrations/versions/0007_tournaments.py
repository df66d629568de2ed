"""Tournaments: their players, stages and events, and totals kept for standings."""

from alembic import op

revision = "0007"
down_revision = "0006"

STATEMENTS = """
CREATE TABLE tournaments (
    id uuid PRIMARY KEY,
    name text NOT NULL,
    ruleset_id text NOT NULL,
    ruleset_version integer NOT NULL,
    stake bigint CHECK (stake > 0),
    table_size smallint NOT NULL CHECK (table_size BETWEEN 2 AND 4),
    stages integer NOT NULL CHECK (stages > 0),
    rounds integer NOT NULL CHECK (rounds > 0),
    seating text NOT NULL CHECK (seating IN ('random', 'standings', 'spread')),
    seed bigint NOT NULL,
    rank_by text NOT NULL CHECK (rank_by IN ('points', 'points_per_opponent', 'placings')),
    prizes bigint[] NOT NULL DEFAULT '{}',
    status text NOT NULL DEFAULT 'registering'
        CHECK (status IN ('registering', 'stage_open', 'stage_done', 'finished')),
    stage integer NOT NULL DEFAULT 0,
    open_matches integer NOT NULL DEFAULT 0,
    players integer NOT NULL DEFAULT 0,
    withdrawn integer NOT NULL DEFAULT 0,
    version bigint NOT NULL DEFAULT 1,
    created_at timestamptz NOT NULL,
    created_by text NOT NULL,
    finished_at timestamptz,
    finished_by text,
    finish_reason text,
    CONSTRAINT tournaments_ruleset FOREIGN KEY (ruleset_id, ruleset_version) REFERENCES rulesets,
    CHECK (stage BETWEEN 0 AND stages),
    CHECK ((status = 'registering') = (stage = 0) OR status = 'finished'),
    CHECK (open_matches >= 0 AND (status = 'stage_open') = (open_matches > 0)),
    CHECK ((status = 'finished') = (finished_at IS NOT NULL)),
    CHECK (withdrawn BETWEEN 0 AND players)
-- Changed with every round: room for the next version beside the last.
) WITH (fillfactor = 20);

CREATE TABLE tournament_players (
    tournament_id uuid CONSTRAINT tournament_players_tournament REFERENCES tournaments,
    player text,
    id uuid NOT NULL UNIQUE,
    first_stage integer NOT NULL,
    entered_at timestamptz NOT NULL,
    entered_by text NOT NULL,
    withdrawn_at timestamptz,
    withdrawn_by text,
    withdraw_reason text,
    PRIMARY KEY (tournament_id, player),
    CHECK ((withdrawn_at IS NULL) = (withdraw_reason IS NULL))
);
CREATE INDEX tournament_players_newest ON tournament_players (tournament_id, id DESC);

CREATE TABLE tournament_stages (
    tournament_id uuid CONSTRAINT tournament_stages_tournament REFERENCES tournaments,
    stage integer CHECK (stage > 0),
    seating text NOT NULL CHECK (seating IN ('random', 'standings', 'spread', 'given')),
    tables integer NOT NULL,
    players integer NOT NULL,
    repeated_meetings integer NOT NULL,
    seated_at timestamptz NOT NULL,
    seated_by text NOT NULL,
    PRIMARY KEY (tournament_id, stage)
);

CREATE TABLE tournament_events (
    id uuid PRIMARY KEY,
    tournament_id uuid NOT NULL CONSTRAINT tournament_events_tournament REFERENCES tournaments,
    kind text NOT NULL
        CHECK (kind IN ('opened', 'entered', 'withdrawn', 'seated', 'adjusted', 'finished')),
    stage integer NOT NULL,
    player text,
    points bigint,
    reason text,
    created_at timestamptz NOT NULL,
    created_by text NOT NULL,
    CHECK ((kind = 'adjusted') = (points IS NOT NULL)),
    CHECK ((kind IN ('entered', 'withdrawn', 'adjusted')) = (player IS NOT NULL)),
    CHECK (kind NOT IN ('withdrawn', 'adjusted') OR reason IS NOT NULL)
);
CREATE INDEX tournament_events_newest ON tournament_events (tournament_id, id DESC);
CREATE INDEX tournament_events_player ON tournament_events (tournament_id, player, id DESC);

CREATE TABLE tournament_totals (
    tournament_id uuid CONSTRAINT tournament_totals_tournament REFERENCES tournaments,
    stage integer,
    player text,
    points bigint NOT NULL DEFAULT 0,
    adjustments bigint NOT NULL DEFAULT 0,
    opponents bigint NOT NULL DEFAULT 0,
    matches bigint NOT NULL DEFAULT 0,
    wins bigint NOT NULL DEFAULT 0,
    half_placings bigint NOT NULL DEFAULT 0,
    rounds bigint NOT NULL DEFAULT 0,
    rows_won bigint NOT NULL DEFAULT 0,
    sweeps bigint NOT NULL DEFAULT 0,
    clean_sweeps bigint NOT NULL DEFAULT 0,
    fouls bigint NOT NULL DEFAULT 0,
    specials bigint NOT NULL DEFAULT 0,
    net bigint NOT NULL DEFAULT 0,
    fees bigint NOT NULL DEFAULT 0,
    PRIMARY KEY (tournament_id, stage, player)
) WITH (fillfactor = 70);

ALTER TABLE matches
    ADD COLUMN stage integer,
    ADD COLUMN table_number integer,
    ADD CONSTRAINT matches_tournament_known FOREIGN KEY (tournament_id) REFERENCES tournaments,
    ADD CHECK ((tournament_id IS NULL) = (stage IS NULL)),
    ADD CHECK ((tournament_id IS NULL) = (table_number IS NULL));
CREATE UNIQUE INDEX matches_table ON matches (tournament_id, stage, table_number)
    WHERE tournament_id IS NOT NULL;

ALTER TABLE match_players
    ADD COLUMN rounds integer NOT NULL DEFAULT 0,
    ADD COLUMN withdrawn boolean NOT NULL DEFAULT false;
UPDATE match_players SET rounds = counted.rounds
FROM (
    SELECT s.match_id, s.player, count(*) AS rounds
    FROM seats s
        JOIN rounds r ON r.id = s.round_id AND r.revision = s.revision AND r.status <> 'void'
        LEFT JOIN rounds newer
            ON newer.id = s.round_id AND newer.revision = s.revision + 1 AND newer.revision > 1
    WHERE s.match_id IS NOT NULL AND newer.id IS NULL
    GROUP BY s.match_id, s.player
) AS counted
WHERE counted.match_id = match_players.match_id AND counted.player = match_players.player;
"""

# The view of 0003, with more columns at its end.
MATCHES = """
CREATE OR REPLACE VIEW history.matches AS
SELECT m.id AS match_id, m.label, m.status, m.ruleset_id, m.ruleset_version, m.stake,
    ARRAY(SELECT p.player FROM match_players p
          WHERE p.match_id = m.id ORDER BY p.seat) AS players,
    m.rounds, m.rounds_played, m.created_at, m.created_by, m.finished_at, m.finish_reason,
    m.tournament_id, m.stage, m.table_number
FROM matches m;
COMMENT ON COLUMN history.matches.stage IS 'The stage of the tournament; null outside of one.';
COMMENT ON COLUMN history.matches.table_number IS 'The table in the stage, from 1.';
"""

# As in 0003: a view's purpose, its query, and what each of its columns says.
VIEWS: dict[str, tuple[str, str, dict[str, str]]] = {
    "tournaments": (
        "One line a tournament.",
        """
        SELECT t.id AS tournament_id, t.name, t.status, t.ruleset_id, t.ruleset_version, t.stake,
            t.table_size, t.stages, t.rounds, t.seating, t.seed, t.rank_by, t.prizes, t.stage,
            t.open_matches, t.players, t.withdrawn, t.created_at, t.created_by, t.finished_at,
            t.finished_by, t.finish_reason
        FROM tournaments t
        """,
        {
            "tournament_id": "The tournament; sorts by when tournaments were opened.",
            "name": "What it is called.",
            "status": "registering, stage_open, stage_done or finished.",
            "ruleset_id": "The rule set that all its rounds are scored under.",
            "ruleset_version": "The version of the rule set.",
            "stake": "Money a point, in whole units of the currency; null without money.",
            "table_size": "Players at a full table, 2 to 4.",
            "stages": "Stages planned.",
            "rounds": "Rounds planned for each match.",
            "seating": "random, standings or spread.",
            "seed": "With it anybody can seat the stages again.",
            "rank_by": "points, points_per_opponent or placings.",
            "prizes": "For the first place, the second, and so on; empty without prizes.",
            "stage": "The last stage that was seated; 0 before the first.",
            "open_matches": "Matches that are not finished.",
            "players": "Players who have entered, with those who have left.",
            "withdrawn": "Players who have left.",
            "created_at": "When it was opened.",
            "created_by": "The name of the API key that opened it.",
            "finished_at": "When it ended; null until then.",
            "finished_by": "The name of the API key that ended it.",
            "finish_reason": "Why it ended, if that was said.",
        },
    ),
    "standings": (
        "One line a player and stage of a tournament, and one a player with stage 0 over all stages.",
        """
        SELECT k.tournament_id, k.stage, k.player, k.points + k.adjustments AS points, k.adjustments,
            k.opponents, k.half_placings / 2.0 AS placings, k.matches, k.wins, k.rounds, k.rows_won,
            k.sweeps, k.clean_sweeps, k.fouls, k.specials,
            CASE WHEN t.stake IS NOT NULL THEN k.fees END AS fee,
            CASE WHEN t.stake IS NOT NULL THEN k.net END AS net
        FROM tournament_totals k LEFT JOIN tournaments t ON t.id = k.tournament_id
        """,
        {
            "tournament_id": "The tournament.",
            "stage": "The stage; 0 for the whole tournament.",
            "player": "The player.",
            "points": "Points of rounds that count, and of adjustments.",
            "adjustments": "How many of them are from adjustments; those of the tournament in 0 only.",
            "opponents": "Opponents met, each once a round.",
            "placings": "Of finished matches, n at a table of n down to 1, shared places averaged.",
            "matches": "Finished matches in which the player has played.",
            "wins": "Matches with the first place, not shared.",
            "rounds": "Rounds that count.",
            "rows_won": "Rows won, each against each opponent.",
            "sweeps": "Opponents swept.",
            "clean_sweeps": "Rounds in which all opponents were swept at once.",
            "fouls": "Rounds with a foul.",
            "specials": "Rounds with a special that counts.",
            "fee": "What the room keeps of the money won; null without money.",
            "net": "Money won less the fee; null without money.",
        },
    ),
    "events": (
        "One line a thing that was done in a tournament.",
        """
        SELECT e.id AS event_id, e.tournament_id, e.kind, e.stage, e.player, e.points, e.reason,
            e.created_at, e.created_by
        FROM tournament_events e
        """,
        {
            "event_id": "The event; sorts by when things were done.",
            "tournament_id": "The tournament.",
            "kind": "opened, entered, withdrawn, seated, adjusted or finished.",
            "stage": "The last stage that had been seated by then.",
            "player": "The player, where it is about one.",
            "points": "Of an adjustment: points given, or taken away if negative.",
            "reason": "Why, where that was said.",
            "created_at": "When it was done.",
            "created_by": "The name of the API key that did it.",
        },
    ),
}

GRANT = """
DO $$
BEGIN
    IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'susun_reader') THEN
        GRANT SELECT ON ALL TABLES IN SCHEMA history TO susun_reader;
    END IF;
END $$;
"""

INSERT_ONLY = ("tournament_stages", "tournament_events")


def upgrade() -> None:
    op.execute(STATEMENTS)
    for table in INSERT_ONLY:
        op.execute(
            f"CREATE TRIGGER {table}_stay BEFORE UPDATE OR DELETE OR TRUNCATE ON {table} "
            "FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()"
        )
    op.execute(MATCHES)
    for name, (purpose, query, columns) in VIEWS.items():
        op.execute(f"CREATE VIEW history.{name} AS {query}")
        op.execute(f"COMMENT ON VIEW history.{name} IS {_quoted(purpose)}")
        for column, meaning in columns.items():
            op.execute(f"COMMENT ON COLUMN history.{name}.{column} IS {_quoted(meaning)}")
    op.execute(GRANT)


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
