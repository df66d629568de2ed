"""What is done to a database before the service starts: migrations, rule sets, the first key."""

import os
import sys
from pathlib import Path

from service.database import Database
from service.migrating import migrate, wait_for
from service.record import keys, rulesets

FIRST_KEY_NAME = "first"
WAIT_SECONDS = 60
"""How long a database may take to come up."""


def prepare_database(url: str, wait_seconds: float = WAIT_SECONDS) -> None:
    """Migrate, and record the published rule sets, so that rounds can refer to them.

    Waits for a database that is still coming up; raises DatabaseAway where that takes too long.
    """
    wait_for(url, wait_seconds, _say)
    migrate(url)
    database = Database(url)
    try:
        with database.transaction() as connection:
            rulesets.record_built_in(connection)
    finally:
        database.close()


def prepare(url: str, home: Path) -> str:
    """Prepare the database, and return an API key that works there.

    The key lies in ``home/api-key`` (mode 600); one with all scopes is made when there is none yet or
    this database does not know it.
    """
    prepare_database(url)
    path = home / "api-key"
    database = Database(url)
    try:
        with database.transaction() as connection:
            if path.exists():
                token = path.read_text("ascii").strip()
                if keys.find(connection, token):
                    return token
            token = keys.create(connection, FIRST_KEY_NAME, keys.SCOPES)
    finally:
        database.close()
    write_secret(path, token + "\n")
    return token


def _say(text: str) -> None:
    print(f"susun: {text}", file=sys.stderr, flush=True)


def write_secret(path: Path, text: str) -> None:
    """Write a file that only its owner can read, whole or not at all."""
    draft = path.with_name(path.name + ".new")
    draft.unlink(missing_ok=True)
    with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        file.write(text)
    draft.replace(path)
