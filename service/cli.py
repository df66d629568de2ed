"""The commands: ``susun run``, ``susun config``, ``susun keys ...``, ``susun migrate`` and more."""

import json
import re
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import click
from sqlalchemy import Connection

from service.config import SETTINGS, check, look, read_database_url, read_server
from service.database import Database, DatabaseAway
from service.faults import NotMigrated
from service.postgres_address import driver_url
from service.record import idempotency, keys, readers
from service.record.errors import Missing
from service.setup import WAIT_SECONDS, prepare_database

INTERRUPTED = 128 + signal.SIGINT
"""The status of a command that was ended by Ctrl-C, as shells have it."""
_NO_KEY = "no live key of this name or prefix"


class _Commands(click.Group):
    """Commands that end with 130 where somebody has had enough of them: 1 says something else."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run one."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            click.echo("\nInterrupted.", err=True)
            ctx.exit(INTERRUPTED)


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="susun")
def main() -> None:
    """Scores Capsa Susun, keeps the record."""


@main.command()
@click.option("--home", type=click.Path(path_type=Path), help="Default: SUSUN_HOME, or .local.")
@click.option("--host", help="Default: HOST, or 127.0.0.1.")
@click.option("--port", type=int, help="Default: PORT, or 8000.")
@click.option("--workers", type=int, help="Default: WEB_CONCURRENCY, or one a core.")
def run(home: Path | None, host: str | None, port: int | None, workers: int | None) -> None:
    """Serve; Ctrl-C stops everything.

    With a Postgres of our own, unless DATABASE_URL names one.
    """
    from service import supervisor  # noqa: PLC0415 (needs more than the other commands)

    with _friendly_errors():
        server = read_server()
    sys.exit(
        supervisor.run(
            home or server.home,
            host or server.host,
            server.port if port is None else port,
            workers or server.workers,
        )
    )


@main.command()
def config() -> None:
    """Print every setting, and where it comes from.

    Also what is wrong, with exit status 1 if anything is. Passwords are masked.
    """
    found = look()
    for setting in SETTINGS:
        name = setting.name
        click.echo(f"{name:22}  {found.shown[name]:40}  {found.sources[name]}")
    with _friendly_errors():
        check(found)


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
    with _friendly_errors():
        url = read_database_url()
        if not url:
            raise click.ClickException("set DATABASE_URL")
        prepare_database(url, wait)
    click.echo("The database has the newest schema.")


@main.command()
def openapi() -> None:
    """Print the OpenAPI document."""
    from service.api.openapi import document  # noqa: PLC0415 (builds all schemas)

    click.echo(json.dumps(document(), indent=2, ensure_ascii=False))


@main.group("keys")
def keys_group() -> None:
    """API keys: make, list, rotate, revoke.

    The database is that of DATABASE_URL, or the one that `susun run` runs under SUSUN_HOME.
    """


@keys_group.command("create")
@click.argument("name")
@click.option("--scope", "scopes", multiple=True, required=True, type=click.Choice(keys.SCOPES))
def create_key(name: str, scopes: tuple[str, ...]) -> None:
    """Make a key and print it; it is shown only now."""
    if not name.strip() or not name.isprintable() or len(name) > 64:
        raise click.ClickException("a name has 1 to 64 characters, none of them control characters")
    if keys.is_prefix(name):
        raise click.ClickException("this could be the prefix of a key, and would be taken for it")
    with _connection() as connection:
        token = keys.create(connection, name, sorted(set(scopes), key=keys.SCOPES.index))
    click.echo(token)


@keys_group.command("list")
def list_keys() -> None:
    """List all keys, without their secrets."""
    with _connection() as connection:
        found = keys.list_all(connection)
    for key in found:
        used = f"used {key.last_used_at:%Y-%m-%d %H:%M}" if key.last_used_at else "never used"
        scopes = ",".join(key.scopes)
        click.echo(f"{key.prefix}  {_state(key):24}  {used:21}  {scopes:24}  {key.name}")


def _state(key: keys.Key) -> str:
    if key.revoked_at:
        return f"revoked {key.revoked_at:%Y-%m-%d}"
    if key.expires_at:
        return f"{'expires' if key.live else 'expired'} {key.expires_at:%Y-%m-%d %H:%M}"
    return "live"


class _Duration(click.ParamType[timedelta]):
    """A whole number of minutes, hours or days: ``30m``, ``24h``, ``7d``, ``0``."""

    name = "duration"

    def convert(self, value: Any, param: Any, ctx: Any) -> timedelta:
        found = re.fullmatch(r"0|(\d{1,4})([mhd])", str(value))
        if found is None:
            self.fail("give it as 30m, 24h or 7d; 0 keeps nothing", param, ctx)
        unit = {"m": "minutes", "h": "hours", "d": "days", None: "days"}[found[2]]
        return timedelta(**{unit: int(found[1] or 0)})


@keys_group.command("rotate")
@click.argument("name_or_prefix")
@click.option(
    "--keep",
    type=_Duration(),
    default="24h",
    show_default=True,
    help="How long the old ones work.",
)
def rotate_key(name_or_prefix: str, keep: timedelta) -> None:
    """Replace keys by a new one, and print that.

    Those of a name, or the one with a prefix. The new one has the same name and scopes; the old ones
    work on for a while, then expire by themselves.
    """
    with _connection() as connection:
        try:
            token, count = keys.rotate(connection, name_or_prefix, keep)
        except LookupError:
            raise click.ClickException(_NO_KEY) from None
    click.echo(token)
    ones = "1 old one expires" if count == 1 else f"{count} old ones expire"
    click.echo(f"{ones} {f'in {keep}' if keep else 'now'}", err=True)


@keys_group.command("revoke")
@click.argument("name_or_prefix")
def revoke_key(name_or_prefix: str) -> None:
    """Revoke the keys of a name, or the one with a prefix."""
    with _connection() as connection:
        count = keys.revoke(connection, name_or_prefix)
    if not count:
        raise click.ClickException(_NO_KEY)
    click.echo(f"revoked {count}")


@main.group("reader")
def reader_group() -> None:
    """Logins for programs that read Postgres itself: make, drop.

    They read the schema `history`, and nothing else. The database is that of DATABASE_URL, or the one
    that `susun run` runs under SUSUN_HOME.
    """


@reader_group.command("create")
@click.argument("name")
def create_reader(name: str) -> None:
    """Make a login and print its address, password included.

    It is shown only now.
    """
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
    """Delete answers kept for idempotency keys that have expired."""
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
    """Score again all that is stored, and compare.

    Digests are followed, too. Exit status 1 on findings.

    The database is that of DATABASE_URL, or the one that `susun run` runs under SUSUN_HOME.
    """
    from service import auditing  # noqa: PLC0415 (needs more than the other commands)

    if since is not None and since.tzinfo is None:
        since = since.replace(tzinfo=UTC)
    with _friendly_errors():
        try:
            status = auditing.run(_database_url(), match, since, as_json=as_json, workers=workers)
        except Missing:
            raise click.ClickException(f"there is no match {match}") from None
    sys.exit(status)


@main.command("import")
@click.argument(
    "files", nargs=-1, required=True, type=click.Path(exists=True, dir_okay=False, allow_dash=True)
)
@click.option(
    "--source",
    default="default",
    show_default=True,
    help="Where the matches come from; their keys are unique within it.",
)
@click.option("--by", default="import", show_default=True, help="Who is named to have submitted them.")
@click.option("--json", "as_json", is_flag=True, help="What became of each line as JSON, one a line.")
@click.option("--workers", type=click.IntRange(1), help="Processes. Default: one a core.")
def import_(files: tuple[str, ...], source: str, by: str, as_json: bool, workers: int | None) -> None:
    """Bring in matches with all their rounds from NDJSON.

    From files, or - for standard input: a match a line, as POST /v1/imports takes them. Each is kept
    whole or not at all, and once: the same files again change nothing, and complete what was broken
    off. Exit status 1 if any was rejected.

    The database is that of DATABASE_URL, or the one that `susun run` runs under SUSUN_HOME.
    """
    from service import bringing_in  # noqa: PLC0415 (needs more than the other commands)

    for what, longest in ((source, 64), (by, 64)):
        if not what.strip() or not what.isprintable() or len(what) > longest:
            raise click.ClickException("names have 1 to 64 characters, none of them control characters")
    with _friendly_errors():
        status = bringing_in.run(
            _database_url(), files, source=source, by=by, as_json=as_json, workers=workers
        )
    sys.exit(status)


@main.group("tournament")
def tournament_group() -> None:
    """Tournaments: play one to see, to measure and to check."""


@tournament_group.command("simulate")
@click.option("--players", type=click.IntRange(2, 20_000), required=True, help="How many enter.")
@click.option("--stages", type=click.IntRange(1, 100), required=True, help="How many are played.")
@click.option("--rounds", type=click.IntRange(1, 100), default=5, show_default=True, help="Of a match.")
@click.option("--table-size", type=click.IntRange(2, 4), default=4, show_default=True)
@click.option(
    "--seating",
    type=click.Choice(("random", "standings", "spread")),
    default="random",
    show_default=True,
)
@click.option(
    "--rank-by",
    type=click.Choice(("points", "points_per_opponent", "placings")),
    default="points",
    show_default=True,
)
@click.option("--ruleset", default="bsfyi", show_default=True)
@click.option("--stake", type=click.IntRange(1), help="What a point is worth. Default: no money.")
@click.option(
    "--seed",
    type=click.IntRange(0),
    default=1,
    show_default=True,
    help="Decides cards, people and, by chance, seats.",
)
@click.option(
    "--clients", type=click.IntRange(1, 200), default=8, show_default=True, help="Threads that post."
)
@click.option("--url", help="Of the service. Default: http://127.0.0.1:8000, or where PORT says.")
@click.option("--key", help="With the scopes read and write. Default: what SUSUN_HOME/api-key holds.")
def simulate_tournament(url: str | None, key: str | None, **plan: Any) -> None:
    """Play a whole event on a running service, and check it.

    All through HTTP calls. Cards are dealt and arranged; rounds are posted from several threads, some
    corrected or voided; players come late, leave and are adjusted. Standings, seats, sums and audits
    are compared with a count of the simulation's own: exit status 1 on any difference. The tournament
    stays in the record.
    """
    from service import simulation  # noqa: PLC0415 (needs more than the other commands)

    values = look().values
    try:
        token = key or (Path(values["home"]) / "api-key").read_text().strip()
    except OSError as error:
        raise click.ClickException(
            f"give a --key, start `susun run` first, or set SUSUN_HOME: {error}"
        ) from None
    sys.exit(simulation.run(url or f"http://127.0.0.1:{values['port']}", token, **plan))


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
    given = read_database_url()
    if given:
        return given
    from service.embedded_postgres import running_url  # noqa: PLC0415

    home = Path(look().values["home"])
    url = running_url(home / "postgres")
    if url is None:
        raise click.ClickException(
            f"set DATABASE_URL, or start `susun run` first: none runs in {home.absolute()};"
            " set SUSUN_HOME where it runs in another directory"
        )
    return url


@contextmanager
def _friendly_errors() -> Iterator[None]:
    try:
        yield
    except NotMigrated as error:
        text = "the database does not have the newest schema: run `susun migrate` first"
        raise click.ClickException(text) from error
    except (DatabaseAway, ValueError) as error:
        raise click.ClickException(str(error)) from error


if __name__ == "__main__":
    main()
