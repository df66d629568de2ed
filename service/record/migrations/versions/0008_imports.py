"""Imports: which matches were brought in, under which keys, so that none is brought in twice."""

from alembic import op

revision = "0008"
down_revision = "0007"

STATEMENTS = """
CREATE TABLE imports (
    source text,
    key text,
    match_id uuid NOT NULL UNIQUE
        -- Kept before its match, so that of two who bring in the same match one waits for the other.
        CONSTRAINT imports_match REFERENCES matches DEFERRABLE INITIALLY DEFERRED,
    content_digest text NOT NULL,
    imported_at timestamptz NOT NULL,
    imported_by text NOT NULL,
    PRIMARY KEY (source, key)
);
CREATE TRIGGER imports_stay BEFORE UPDATE OR DELETE OR TRUNCATE ON imports
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
"""


def upgrade() -> None:
    op.execute(STATEMENTS)
