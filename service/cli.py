"""The commands: ``susun run``, ``susun keys ...``, ``susun migrate``, ``susun openapi``."""

import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from uuid import UUID

import click
from sqlalchemy import Connection

from service.database import Database, DatabaseAway, driver_url
from service.record import idempotency, keys, readers
from service.setup import WAIT_SECONDS, prepare_database


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="susun")
def main() -> None:
    """Scores Capsa Susun, keeps the record."""


@main.command()
@click.option("--home", type=click.Path(path_type=Path), envvar="SUSUN_HOME", default=".local")
@click.option("--host", envvar="HOST", default="127.0.0.1", show_default=True)
@click.option("--port", type=int, envvar="PORT", default=8000, show_default=True)
@click.option("--workers", type=int, envvar="WEB_CONCURRENCY", help="Default: one a core.")
def run(home: Path, host: str, port: int, workers: int | None) -> None:
    """Serve, with a Postgres of our own unless DATABASE_URL names one; Ctrl-C stops everything."""
    from service import supervisor  # noqa: PLC0415 (needs more than the other commands)

    sys.exit(supervisor.run(home, host, port, workers))


@main.command()
@click.option(
    "--wait",
    type=click.FloatRange(min=0),
    default=WAIT_SECONDS,
    show_default=True,
    help="Seconds to wait for a database that is still coming up.",
)
def migrate(wait: float) -> None:
    """Bring the database of DATABASE_URL to the newest schema."""
    url = os.environ.get("DATABASE_URL")
    if not url:
        raise click.ClickException("set DATABASE_URL")
    with _friendly_errors():
        prepare_database(url, wait)
    click.echo("The database has the newest schema.")


@main.command()
def openapi() -> None:
    """Print the OpenAPI document."""
    from service.api.openapi import document  # noqa: PLC0415 (builds all schemas)

    click.echo(json.dumps(document(), indent=2, ensure_ascii=False))


@main.group("keys")
def keys_group() -> None:
    """API keys: make, list, revoke.

    The database is that of DATABASE_URL, or the one that `susun run` runs under SUSUN_HOME.
    """


@keys_group.command("create")
@click.argument("name")
@click.option("--scope", "scopes", multiple=True, required=True, type=click.Choice(keys.SCOPES))
def create_key(name: str, scopes: tuple[str, ...]) -> None:
    """Make a key and print it; it is shown only now."""
    if not name.strip() or not name.isprintable() or len(name) > 64:
        raise click.ClickException("a name has 1 to 64 characters, none of them control characters")
    with _connection() as connection:
        token = keys.create(connection, name, sorted(set(scopes), key=keys.SCOPES.index))
    click.echo(token)


@keys_group.command("list")
def list_keys() -> None:
    """List all keys, without their secrets."""
    with _connection() as connection:
        found = keys.list_all(connection)
    for key in found:
        state = f"revoked {key.revoked_at:%Y-%m-%d}" if key.revoked_at else "live"
        click.echo(f"{key.prefix}  {state:18}  {','.join(key.scopes):24}  {key.name}")


@keys_group.command("revoke")
@click.argument("name_or_prefix")
def revoke_key(name_or_prefix: str) -> None:
    """Revoke the keys of a name, or the one with a prefix."""
    with _connection() as connection:
        count = keys.revoke(connection, name_or_prefix)
    if not count:
        raise click.ClickException("no live key of this name or prefix")
    click.echo(f"revoked {count}")


@main.group("reader")
def reader_group() -> None:
    """Logins for programs that read the schema `history` in Postgres itself: make, drop.

    The database is that of DATABASE_URL, or the one that `susun run` runs under SUSUN_HOME.
    """


@reader_group.command("create")
@click.argument("name")
def create_reader(name: str) -> None:
    """Make a login and print its address, password included; it is shown only now."""
    with _connection() as connection:
        url = readers.create(connection, name, driver_url(_database_url()))
    click.echo(url)


@reader_group.command("drop")
@click.argument("name")
def drop_reader(name: str) -> None:
    """Drop a login that `susun reader create` made."""
    with _connection() as connection:
        readers.drop(connection, name)
    click.echo(f"dropped {name}")


@main.command()
def tidy() -> None:
    """Delete what is no longer needed: answers kept for idempotency keys that have expired."""
    with _connection() as connection:
        count = idempotency.tidy(connection)
    click.echo(f"deleted {count} expired idempotency keys")


@main.command()
@click.option("--match", type=click.UUID, help="Only this match.")
@click.option(
    "--since",
    type=click.DateTime(("%Y-%m-%d", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%dT%H:%M:%S%z")),
    help="Only matches and rounds that were posted or changed since, in UTC or with an offset.",
)
@click.option("--json", "as_json", is_flag=True, help="Findings as JSON, one a line.")
@click.option("--workers", type=click.IntRange(1), help="Processes. Default: one a core.")
def audit(match: UUID | None, since: datetime | None, as_json: bool, workers: int | None) -> None:
    """Score again all that is stored, compare, and follow the digests; exit status 1 on findings.

    The database is that of DATABASE_URL, or the one that `susun run` runs under SUSUN_HOME.
    """
    from service import auditing  # noqa: PLC0415 (needs more than the other commands)

    if since is not None and since.tzinfo is None:
        since = since.replace(tzinfo=UTC)
    with _friendly_errors():
        status = auditing.run(_database_url(), match, since, as_json=as_json, workers=workers)
    sys.exit(status)


@contextmanager
def _connection() -> Iterator[Connection]:
    with _friendly_errors():
        database = Database(_database_url())
        try:
            with database.transaction() as connection:
                yield connection
        finally:
            database.close()


def _database_url() -> str:
    given = os.environ.get("DATABASE_URL")
    if given:
        return given
    from service.embedded_postgres import running_url  # noqa: PLC0415

    url = running_url(Path(os.environ.get("SUSUN_HOME", ".local")) / "postgres")
    if url is None:
        raise click.ClickException("set DATABASE_URL, or start `susun run` first")
    return url


@contextmanager
def _friendly_errors() -> Iterator[None]:
    try:
        yield
    except (DatabaseAway, ValueError) as error:
        raise click.ClickException(str(error)) from error
