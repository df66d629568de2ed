"""Logins for programs that read the schema ``history`` in Postgres itself, and nothing else."""

import re
import secrets

import psycopg2
from psycopg2 import errors
from psycopg2.extensions import encrypt_password
from psycopg2.sql import SQL, Identifier, Literal
from sqlalchemy import Connection, make_url

ROLE = "susun_reader"
NAME = re.compile("[a-z][a-z0-9_]{0,40}")

# Also of a database restored from a dump, which holds no roles.
_ROLE_EXISTS = "SELECT EXISTS (SELECT FROM pg_roles WHERE rolname = %s)"
_GRANT = SQL("GRANT USAGE ON SCHEMA history TO {0}; GRANT SELECT ON ALL TABLES IN SCHEMA history TO {0}")
_CREATE = SQL("CREATE ROLE {0} LOGIN PASSWORD {1} IN ROLE {2}")
# For convenience, not for safety, which lies in what the role may do at all.
_SETTINGS = SQL(
    "ALTER ROLE {0} SET search_path = history;"
    "ALTER ROLE {0} SET default_transaction_read_only = on;"
    "ALTER ROLE {0} SET statement_timeout = '60s';"
    "ALTER ROLE {0} SET idle_in_transaction_session_timeout = '60s'"
)
_IS_OURS = "SELECT pg_has_role(datdba, 'USAGE') FROM pg_database WHERE datname = current_database()"
_NO_TABLES = SQL("REVOKE TEMPORARY ON DATABASE {0} FROM PUBLIC")
_IS_READER = """
    SELECT EXISTS (
        SELECT FROM pg_auth_members
        JOIN pg_roles reader ON reader.oid = member
        JOIN pg_roles whole ON whole.oid = roleid
        WHERE reader.rolname = %s AND whole.rolname = %s
    )
"""

_NOT_ALLOWED = f"""\
this database user may not manage roles. Let one who may (often called postgres) run

    CREATE ROLE {ROLE} NOLOGIN;
    CREATE ROLE {{name}} LOGIN PASSWORD '...' IN ROLE {ROLE};

and this user, which owns the tables,

    GRANT USAGE ON SCHEMA history TO {ROLE};
    GRANT SELECT ON ALL TABLES IN SCHEMA history TO {ROLE};"""


class ReaderError(ValueError):
    """A reader cannot be made or dropped; the text says why, for a person."""


def create(connection: Connection, name: str, url: str) -> str:
    """Make a login that may read ``history``; returns its address, made from ours.

    The server is told a hash, so that no log of statements has the password.
    """
    if not NAME.fullmatch(name):
        raise ReaderError("a name has 1 to 41 of a-z, 0-9 and _, and begins with a letter")
    password = secrets.token_urlsafe(24)
    driver = _driver(connection)
    hashed = encrypt_password(password, name, driver, "scram-sha-256")
    try:
        with driver.cursor() as cursor:
            if _ask(cursor, _ROLE_EXISTS, name):
                raise ReaderError(f"a role {name} exists already")
            if not _ask(cursor, _ROLE_EXISTS, ROLE):
                cursor.execute(SQL("CREATE ROLE {0} NOLOGIN").format(Identifier(ROLE)))
            cursor.execute(_GRANT.format(Identifier(ROLE)))
            cursor.execute(_CREATE.format(Identifier(name), Literal(hashed), Identifier(ROLE)))
            cursor.execute(_SETTINGS.format(Identifier(name)))
            if _ask(cursor, _IS_OURS):
                cursor.execute(_NO_TABLES.format(Identifier(driver.info.dbname)))
    except errors.InsufficientPrivilege:
        raise ReaderError(_NOT_ALLOWED.format(name=name)) from None
    except (errors.DuplicateObject, errors.UniqueViolation):
        raise ReaderError(f"the role {name} or {ROLE} has been made just now; try again") from None
    ours = make_url(url)
    if "target_session_attrs" in ours.query:
        # A session that begins read-only is not what libpq takes for one that can be written to.
        ours = ours.update_query_dict({"target_session_attrs": "any"})
    return ours.set(drivername="postgresql", username=name, password=password).render_as_string(
        hide_password=False
    )


def drop(connection: Connection, name: str) -> None:
    """Drop a login made by :func:`create`; what it still has open can read no more."""
    try:
        with _driver(connection).cursor() as cursor:
            if not _ask(cursor, _IS_READER, name, ROLE):
                raise ReaderError(f"there is no reader {name}")
            cursor.execute(SQL("DROP ROLE {0}").format(Identifier(name)))
    except errors.InsufficientPrivilege:
        raise ReaderError(f"this database user may not drop the role {name}") from None
    except errors.DependentObjectsStillExist as error:
        raise ReaderError(
            f"the role {name} is more than a reader: {error.diag.message_detail}"
        ) from None


def _driver(connection: Connection) -> psycopg2.extensions.connection:
    found = connection.connection.driver_connection
    assert isinstance(found, psycopg2.extensions.connection)
    return found


def _ask(cursor: psycopg2.extensions.cursor, query: str, *values: str) -> bool:
    cursor.execute(query, values)
    row = cursor.fetchone()
    return bool(row and row[0])
