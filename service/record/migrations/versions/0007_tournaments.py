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

INSERT_ONLY = ("tournament_stages", "tournament_events")


def upgrade() -> None:
    op.execute(STATEMENTS)
    for table in INSERT_ONLY:
        op.execute(
            f"CREATE TRIGGER {table}_stay BEFORE UPDATE OR DELETE OR TRUNCATE ON {table} "
            "FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()"
        )
