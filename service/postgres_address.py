"""Addresses of Postgres, and how it is connected to."""

import re
from datetime import UTC, datetime
from typing import Any

import psycopg2
from psycopg2.extensions import PYDATETIMETZ, new_type, register_type
from sqlalchemy import make_url

DRIVER = "postgresql+psycopg2"

#: What connections are made with. A database whose machine or network has gone is noticed in seconds,
#: not in a quarter of an hour.
CONNECT = {
    "application_name": "susun",
    "connect_timeout": 3,
    "tcp_user_timeout": 5000,
    "keepalives_idle": 5,
    "keepalives_interval": 2,
    "keepalives_count": 2,
}

_TIMESTAMPTZ = 1184
_LATEST = datetime.max.replace(tzinfo=UTC)


def _read_time(text: str | bytes | None, cursor: Any) -> datetime | None:
    """A time in UTC. One that Python cannot hold is the latest there is, which never was stored."""
    if text is None:
        return None
    try:
        time: datetime = PYDATETIMETZ(text, cursor)
        return time.astimezone(UTC) if time.tzinfo else _LATEST
    except (psycopg2.Error, ValueError, OverflowError):
        return _LATEST


# For all connections of the process: what anybody has written there is to be read, and audited.
register_type(new_type((_TIMESTAMPTZ,), "TIMESTAMPTZ", _read_time))

_HOST = re.compile(r"[A-Za-z0-9._:-]*")
#: As libpq has it: postgresql://user@one:5432,two:5432/database
_SEVERAL_HOSTS = re.compile(r"(?<=://)([^/?@]*@)?([^/?@]*,[^/?@]*)([^?]*)\??(.*)")


def _as_query(found: "re.Match[str]") -> str:
    """Several servers in the form in which both SQLAlchemy and libpq take them."""
    user, hosts, path, query = found.groups(default="")
    each = [re.fullmatch(r"\[(.*)\](?::(\d*))?|([^:]*)(?::(\d*))?", host) for host in hosts.split(",")]
    if None in each:
        return found[0]
    parts = [[part or "" for part in one.groups()] for one in each if one]
    names = ",".join(quoted or plain for quoted, _, plain, _ in parts)
    ports = ",".join(first or second for _, first, _, second in parts)
    return f"{user}{path}?host={names}&port={ports}{'&' * bool(query)}{query}"


def driver_url(url: str) -> str:
    """The address with our driver, whatever ``postgres://`` or ``postgresql://`` form was given.

    Of several servers, the one is used that can be written to, unless the address asks for another.
    ``ValueError`` if it is no address of a Postgres.
    """
    try:
        parsed = make_url(_SEVERAL_HOSTS.sub(_as_query, url))
        several = "," in str(parsed.query.get("host", ""))
        if several and "target_session_attrs" not in parsed.query:
            parsed = parsed.update_query_dict({"target_session_attrs": "read-write"})
    except Exception:
        raise ValueError("the database URL cannot be read") from None
    if parsed.drivername.split("+")[0] not in ("postgres", "postgresql"):
        raise ValueError("the database URL must begin with postgresql://")
    # Otherwise Postgres would be asked for, and tell of, a host that is the rest of a password.
    if not _HOST.fullmatch(parsed.host or ""):
        raise ValueError(
            "the database URL cannot be read: in its password, write %40 for @, %2F for /, %3A for :"
        )
    return parsed.set(drivername=DRIVER).render_as_string(hide_password=False)
