"""Corrections, adjustments, players' totals, idempotency keys; what is stored stays as it is."""

from alembic import op

revision = "0002"
down_revision = "0001"

STATEMENTS = """
ALTER TABLE rounds
    ADD COLUMN reason text,
    ADD CHECK ((revision = 1) = (status = 'valid')),
    ADD CHECK ((revision = 1) = (reason IS NULL));
CREATE INDEX rounds_ruleset ON rounds (ruleset_id, id DESC);
CREATE INDEX rounds_changed ON rounds (status, id DESC) WHERE status <> 'valid';

ALTER TABLE matches
    ADD COLUMN finish_reason text,
    ADD COLUMN tournament_id uuid,
    ADD COLUMN version integer NOT NULL DEFAULT 1;
CREATE INDEX matches_ruleset_newest ON matches (ruleset_id, id DESC);
CREATE INDEX matches_status ON matches (status, id DESC);
CREATE INDEX matches_tournament ON matches (tournament_id, id DESC) WHERE tournament_id IS NOT NULL;

ALTER TABLE match_players
    ADD COLUMN adjustments bigint NOT NULL DEFAULT 0;

CREATE TABLE adjustments (
    id uuid PRIMARY KEY,
    match_id uuid NOT NULL CONSTRAINT adjustments_match REFERENCES matches,
    player text NOT NULL,
    points bigint NOT NULL CHECK (points <> 0),
    reason text NOT NULL,
    created_at timestamptz NOT NULL,
    created_by text NOT NULL
);
CREATE INDEX adjustments_of_match ON adjustments (match_id, id);

CREATE TABLE player_totals (
    player text PRIMARY KEY,
    matches bigint NOT NULL DEFAULT 0,
    rounds bigint NOT NULL DEFAULT 0,
    points bigint NOT NULL DEFAULT 0,
    wins bigint NOT NULL DEFAULT 0,
    fouls bigint NOT NULL DEFAULT 0,
    sweeps bigint NOT NULL DEFAULT 0,
    clean_sweeps bigint NOT NULL DEFAULT 0,
    specials bigint NOT NULL DEFAULT 0,
    version bigint NOT NULL DEFAULT 1
);

CREATE TABLE idempotency_keys (
    api_key_id uuid,
    key text,
    request_sha256 bytea NOT NULL,
    status smallint NOT NULL,
    headers jsonb NOT NULL,
    body bytea NOT NULL,
    created_at timestamptz NOT NULL,
    PRIMARY KEY (api_key_id, key)
);
CREATE INDEX idempotency_keys_age ON idempotency_keys (created_at);

CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'rows of % are never changed or deleted', TG_TABLE_NAME
        USING ERRCODE = 'restrict_violation';
END $$;
"""

INSERT_ONLY = ("rounds", "seats", "duels", "adjustments", "rulesets")


def upgrade() -> None:
    op.execute(STATEMENTS)
    for table in INSERT_ONLY:
        op.execute(
            f"CREATE TRIGGER {table}_stay BEFORE UPDATE OR DELETE OR TRUNCATE ON {table} "
            "FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()"
        )
