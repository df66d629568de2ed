"""Results kept as they were written: read back without being taken apart, and in the same order."""

from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    op.execute("ALTER TABLE rounds ALTER COLUMN result TYPE json USING result::json")


def downgrade() -> None:
    op.execute("ALTER TABLE rounds ALTER COLUMN result TYPE jsonb USING result::jsonb")
