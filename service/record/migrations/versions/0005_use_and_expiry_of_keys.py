"""When API keys were last used, and when they expire."""

from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    op.execute(
        """
        ALTER TABLE api_keys
            ADD COLUMN last_used_at timestamptz,
            ADD COLUMN expires_at timestamptz;
        """
    )
