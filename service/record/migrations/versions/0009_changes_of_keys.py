"""Changes of API keys are told to whoever listens, so that keys can be remembered meanwhile."""

from alembic import op

revision = "0009"
down_revision = "0008"

STATEMENTS = """
CREATE FUNCTION tell_of_keys() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    -- That a key was used, which is noted all the time, makes no difference to what it may do.
    IF TG_OP = 'UPDATE' AND to_jsonb(OLD) - 'last_used_at' = to_jsonb(NEW) - 'last_used_at' THEN
        RETURN NULL;
    END IF;
    PERFORM pg_notify('susun_keys', '');
    RETURN NULL;
END $$;
-- For its triggers alone.
REVOKE EXECUTE ON FUNCTION tell_of_keys() FROM PUBLIC;
CREATE TRIGGER api_keys_tell AFTER INSERT OR UPDATE OR DELETE ON api_keys
    FOR EACH ROW EXECUTE FUNCTION tell_of_keys();
CREATE TRIGGER api_keys_tell_of_all AFTER TRUNCATE ON api_keys
    FOR EACH STATEMENT EXECUTE FUNCTION tell_of_keys();
-- Also where rows come by replication, or from somebody who has switched triggers off.
ALTER TABLE api_keys ENABLE ALWAYS TRIGGER api_keys_tell;
ALTER TABLE api_keys ENABLE ALWAYS TRIGGER api_keys_tell_of_all;
"""


def upgrade() -> None:
    op.execute(STATEMENTS)
