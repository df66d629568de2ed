"""API keys, rule sets, matches, and rounds with their seats and duels."""

from alembic import op

revision = "0001"
down_revision = None

STATEMENTS = """
CREATE TABLE api_keys (
    id uuid PRIMARY KEY,
    name text NOT NULL,
    prefix text NOT NULL UNIQUE,
    secret_sha256 bytea NOT NULL,
    scopes text[] NOT NULL,
    created_at timestamptz NOT NULL,
    revoked_at timestamptz
);

CREATE TABLE rulesets (
    id text,
    version integer,
    title text NOT NULL,
    digest text NOT NULL,
    content_digest text NOT NULL,
    document jsonb NOT NULL,
    created_at timestamptz NOT NULL,
    created_by text,
    PRIMARY KEY (id, version),
    UNIQUE (id, content_digest)
);

CREATE TABLE matches (
    id uuid PRIMARY KEY,
    label text,
    ruleset_id text NOT NULL,
    ruleset_version integer NOT NULL,
    stake bigint CHECK (stake > 0),
    rounds integer NOT NULL CHECK (rounds > 0),
    rounds_played integer NOT NULL DEFAULT 0,
    status text NOT NULL DEFAULT 'open' CHECK (status IN ('open', 'finished')),
    created_at timestamptz NOT NULL,
    created_by text NOT NULL,
    finished_at timestamptz,
    chain_length integer NOT NULL DEFAULT 0,
    chain_digest text,
    CONSTRAINT matches_ruleset FOREIGN KEY (ruleset_id, ruleset_version) REFERENCES rulesets,
    CHECK (rounds_played BETWEEN 0 AND rounds),
    CHECK ((status = 'finished') = (finished_at IS NOT NULL))
);

CREATE TABLE match_players (
    match_id uuid CONSTRAINT match_players_match REFERENCES matches,
    seat smallint,
    player text NOT NULL,
    points bigint NOT NULL DEFAULT 0,
    net bigint NOT NULL DEFAULT 0,
    fees bigint NOT NULL DEFAULT 0,
    PRIMARY KEY (match_id, seat),
    UNIQUE (match_id, player)
);
CREATE INDEX match_players_player ON match_players (player, match_id DESC);

CREATE TABLE rounds (
    id uuid,
    revision integer,
    match_id uuid CONSTRAINT rounds_match REFERENCES matches,
    number integer,
    link integer NOT NULL,
    status text NOT NULL CHECK (status IN ('valid', 'corrected', 'void')),
    ruleset_id text NOT NULL,
    ruleset_version integer NOT NULL,
    request jsonb NOT NULL,
    result jsonb NOT NULL,
    submitted_at timestamptz NOT NULL,
    submitted_by text NOT NULL,
    previous_digest text,
    digest text NOT NULL,
    PRIMARY KEY (id, revision),
    UNIQUE (match_id, number, revision),
    UNIQUE (match_id, link),
    CONSTRAINT rounds_ruleset FOREIGN KEY (ruleset_id, ruleset_version) REFERENCES rulesets,
    CHECK ((match_id IS NULL) = (number IS NULL))
);
CREATE INDEX rounds_match_newest ON rounds (match_id, id DESC);

CREATE TABLE seats (
    round_id uuid,
    revision integer,
    seat smallint,
    match_id uuid,
    player text NOT NULL,
    top_hand text,
    middle_hand text,
    bottom_hand text,
    foul text,
    special text,
    sweeps smallint NOT NULL,
    clean_sweep boolean NOT NULL,
    points integer NOT NULL,
    won bigint,
    fee bigint,
    net bigint,
    PRIMARY KEY (round_id, revision, seat),
    CONSTRAINT seats_round FOREIGN KEY (round_id, revision) REFERENCES rounds,
    UNIQUE (round_id, revision, player)
);
CREATE INDEX seats_player ON seats (player, round_id DESC, revision DESC);

CREATE TABLE duels (
    round_id uuid,
    revision integer,
    duel smallint,
    match_id uuid,
    player text NOT NULL,
    opponent text NOT NULL,
    outcome text NOT NULL,
    winner text,
    factor integer NOT NULL,
    bonus integer NOT NULL,
    points integer NOT NULL,
    top_winner text,
    middle_winner text,
    bottom_winner text,
    PRIMARY KEY (round_id, revision, duel),
    CONSTRAINT duels_round FOREIGN KEY (round_id, revision) REFERENCES rounds
);
"""


def upgrade() -> None:
    op.execute(STATEMENTS)
