"""House rules that go back to what an older version says get a version of their own."""

from alembic import op

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    op.execute("ALTER TABLE rulesets DROP CONSTRAINT rulesets_id_content_digest_key")
