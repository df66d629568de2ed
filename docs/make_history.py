"""Fill the tables of ``history.md`` from the comments of the views themselves.

A table stands between ``<!-- view: NAME -->`` and ``<!-- end -->``; what is between them is replaced.
``python -m docs.make_history`` writes the page anew, with a Postgres of its own.
"""

import re
import tempfile
from collections.abc import Mapping
from pathlib import Path

from sqlalchemy import Connection, text

from service.database import Database
from service.embedded_postgres import EmbeddedPostgres
from service.setup import prepare_database

PAGE = Path(__file__).parent / "history.md"

_REGION = re.compile(r"(<!-- view: ([a-z]+) -->\n).*?(<!-- end -->)", re.DOTALL)
_COLUMNS = text("""
    SELECT relname, obj_description(oid, 'pg_class') AS purpose, attname,
        format_type(atttypid, atttypmod) AS type, col_description(oid, attnum) AS meaning
    FROM pg_class JOIN pg_attribute ON attrelid = oid
    WHERE relnamespace = 'history'::regnamespace AND relkind = 'v' AND attnum > 0
    ORDER BY relname, attnum
""")


def views(connection: Connection) -> dict[str, str]:
    """Every view of the schema as a piece of the page: its comment, and a table of its columns."""
    found: dict[str, str] = {}
    for name, purpose, column, kind, meaning in connection.execute(_COLUMNS):
        head = f"\n{purpose}\n\n| column | type | |\n| --- | --- | --- |\n"
        kind = kind.replace("timestamp with time zone", "timestamptz")  # noqa: PLW2901
        found[name] = found.get(name, head) + f"| `{column}` | {kind} | {meaning} |\n"
    return found


def fill(page: str, found: Mapping[str, str]) -> str:
    """The page with every view's piece made anew; ``KeyError`` for a view that there is not."""
    return _REGION.sub(lambda region: f"{region[1]}{found[region[2]]}\n{region[3]}", page)


def main() -> None:
    """Write the page anew."""
    with tempfile.TemporaryDirectory() as home:
        Path(home).chmod(0o755)
        with EmbeddedPostgres(Path(home) / "postgres", durable=False) as server:
            prepare_database(server.url)
            database = Database(server.url)
            with database.transaction() as connection:
                found = views(connection)
            database.close()
    PAGE.write_text(fill(PAGE.read_text("utf-8"), found), "utf-8")


if __name__ == "__main__":
    main()
