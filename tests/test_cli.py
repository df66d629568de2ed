"""The commands, as a user types them."""

import json
import re
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import uuid4

import click
import pytest
from click.testing import CliRunner, Result
from sqlalchemy import NullPool, create_engine, make_url, text

from service.cli import main
from service.database import Database
from service.postgres_address import driver_url
from service.record import keys

NOWHERE = "postgresql://susun:secret@127.0.0.1:1/susun"
OPENAPI = Path(__file__).parents[1] / "openapi.json"


class Run:
    """Runs commands on the tests' database, or on another."""

    def __init__(self, url: str | None) -> None:
        self.url = url

    def __call__(self, *arguments: str, url: str | None = None, home: str = "/nonexistent") -> Result:
        env = {"DATABASE_URL": url or self.url, "SUSUN_HOME": home}
        return CliRunner().invoke(main, arguments, env=env, catch_exceptions=False)


@pytest.fixture
def run(database: Database, database_url: str) -> Run:
    return Run(database_url)


def find(database: Database, token: str) -> keys.Key | None:
    with database.transaction() as connection:
        return keys.find(connection, token)


def test_a_key_is_made_and_printed_alone(run: Run, database: Database) -> None:
    result = run("keys", "create", "Meja 7", "--scope", "write", "--scope", "read", "--scope", "read")
    assert result.exit_code == 0
    found = find(database, result.output.removesuffix("\n"))
    assert found is not None
    # In the order of SCOPES, each once.
    assert (found.name, found.scopes) == ("Meja 7", ("read", "write"))


WRONG_KEYS = {
    "no scope": ["meja"],
    "an unknown scope": ["meja", "--scope", "root"],
    "no name": ["--scope", "read"],
    "a blank name": [" ", "--scope", "read"],
    "a long name": ["x" * 65, "--scope", "read"],
    "a name with a line break": ["a\nb", "--scope", "read"],
}


@pytest.mark.parametrize("arguments", WRONG_KEYS.values(), ids=WRONG_KEYS)
def test_a_wrong_key_is_not_made(run: Run, stored: Any, arguments: list[str]) -> None:
    result = run("keys", "create", *arguments)
    assert result.exit_code in (1, 2)
    assert "Error:" in result.output
    assert stored("api_keys") == 0


def test_keys_are_listed_without_secrets(run: Run) -> None:
    tokens = [
        run("keys", "create", name, "--scope", "score").output.strip() for name in ("meja", "kasir")
    ]
    run("keys", "revoke", "meja")
    lines = run("keys", "list").output.splitlines()
    assert [re.split(r"\s{2,}", line)[0] for line in lines] == [token.split("_")[1] for token in tokens]
    assert re.fullmatch(r"\w+  revoked \d{4}-\d\d-\d\d +never used +score +meja", lines[0])
    assert re.fullmatch(r"\w+  live +never used +score +kasir", lines[1])
    for token in tokens:
        assert token.split("_", 2)[2] not in "".join(lines)


def test_no_keys_are_an_empty_list(run: Run) -> None:
    result = run("keys", "list")
    assert (result.exit_code, result.output) == (0, "")


def test_keys_are_revoked_by_name_or_prefix(run: Run, database: Database) -> None:
    one, two, three = (
        run("keys", "create", name, "--scope", "read").output.strip()
        for name in ("meja", "meja", "kasir")
    )
    result = run("keys", "revoke", "meja")
    assert (result.exit_code, result.output) == (0, "revoked 2\n")
    result = run("keys", "revoke", three.split("_")[1])
    assert (result.exit_code, result.output) == (0, "revoked 1\n")
    assert [find(database, token) for token in (one, two, three)] == [None] * 3


def test_revoking_nothing_is_an_error(run: Run) -> None:
    result = run("keys", "revoke", "nobody")
    assert result.exit_code == 1
    assert "no live key of this name or prefix" in result.output


def test_a_key_is_replaced_by_one_that_may_do_the_same(run: Run, database: Database) -> None:
    scopes = ("--scope", "read", "--scope", "write")
    old = run("keys", "create", "meja", *scopes).output.strip()
    result = run("keys", "rotate", "meja", "--keep", "30m")
    assert result.exit_code == 0
    new = result.stdout.removesuffix("\n")
    found = find(database, new)
    assert found is not None and (found.name, found.scopes) == ("meja", ("read", "write"))
    kept = find(database, old)
    assert kept is not None and kept.expires_at is not None
    assert timedelta(minutes=29) < kept.expires_at - datetime.now(UTC) <= timedelta(minutes=30)
    lines = run("keys", "list").output.splitlines()
    assert re.fullmatch(r"\w+  expires \d{4}-\d\d-\d\d \d\d:\d\d +never used .*meja", lines[0])
    assert re.fullmatch(r"\w+  live +never used .*meja", lines[1])


def test_old_keys_are_kept_for_a_day_if_nothing_else_is_said(run: Run, database: Database) -> None:
    old = run("keys", "create", "meja", "--scope", "read").output.strip()
    run("keys", "rotate", old.split("_")[1])
    kept = find(database, old)
    assert kept is not None and kept.expires_at is not None
    assert abs(kept.expires_at - datetime.now(UTC) - timedelta(hours=24)) < timedelta(minutes=1)


def test_replacing_again_lets_no_key_live_longer(run: Run, database: Database) -> None:
    old = run("keys", "create", "meja", "--scope", "read").output.strip()
    run("keys", "rotate", "meja", "--keep", "1h")
    run("keys", "rotate", "meja", "--keep", "7d")
    kept = find(database, old)
    assert kept is not None and kept.expires_at is not None
    assert kept.expires_at - datetime.now(UTC) < timedelta(hours=1)


def test_a_key_that_is_not_kept_expires_at_once(run: Run, database: Database) -> None:
    old = run("keys", "create", "meja", "--scope", "read").output.strip()
    new = run("keys", "rotate", "meja", "--keep", "0").stdout.strip()
    assert find(database, old) is None
    assert find(database, new) is not None
    assert " expired " in run("keys", "list").output


def test_revoking_a_name_takes_those_that_would_expire_too(run: Run, database: Database) -> None:
    old = run("keys", "create", "meja", "--scope", "read").output.strip()
    new = run("keys", "rotate", "meja").stdout.strip()
    assert run("keys", "revoke", "meja").output == "revoked 2\n"
    assert [find(database, token) for token in (old, new)] == [None, None]


def test_keys_that_may_do_different_things_are_not_replaced_by_one(run: Run, stored: Any) -> None:
    for scope in ("read", "write"):
        run("keys", "create", "meja", "--scope", scope)
    result = run("keys", "rotate", "meja")
    assert result.exit_code == 1
    assert "different scopes" in result.output
    assert stored("api_keys") == 2


@pytest.mark.parametrize("keep", ["", "24", "h", "-1h", "1.5h", "1w", "99999d"])
def test_a_while_that_is_none_is_refused(run: Run, stored: Any, keep: str) -> None:
    run("keys", "create", "meja", "--scope", "read")
    assert run("keys", "rotate", "meja", "--keep", keep).exit_code == 2
    assert stored("api_keys") == 1


def test_nothing_is_replaced_where_no_key_lives(run: Run) -> None:
    run("keys", "create", "meja", "--scope", "read")
    run("keys", "revoke", "meja")
    for name in ("meja", "nobody"):
        result = run("keys", "rotate", name)
        assert result.exit_code == 1
        assert "no live key of this name or prefix" in result.output


KEY_COMMANDS = {
    "create": ["create", "x", "--scope", "read"],
    "list": ["list"],
    "rotate": ["rotate", "x"],
    "revoke": ["revoke", "x"],
}


WANTING = [(wanting, name) for wanting in ("tables", "database") for name in KEY_COMMANDS]


# Making and revoking need no column that an older schema has not.
@pytest.mark.parametrize(("wanting", "name"), [*WANTING, ("columns", "list"), ("columns", "rotate")])
def test_a_database_without_what_keys_need_is_said_in_one_line(
    run: Run, database_url: str, wanting: str, name: str
) -> None:
    address = make_url(database_url).set(drivername="postgresql")
    own = f"wanting_{uuid4().hex}"
    if wanting != "database":
        execute(database_url, f"CREATE DATABASE {own}")
    url = address.set(database=own).render_as_string(hide_password=False)
    try:
        if wanting == "columns":
            columns = "id uuid, name text, prefix text, secret_sha256 bytea, scopes text[]"
            times = "created_at timestamptz, revoked_at timestamptz"
            execute(url, f"CREATE TABLE api_keys ({columns}, {times})")
        result = run("keys", *KEY_COMMANDS[name], url=url)
    finally:
        execute(database_url, f"DROP DATABASE IF EXISTS {own}")
    (line,) = result.output.splitlines()
    assert result.exit_code == 1
    if wanting == "database":
        assert line.startswith("Error:") and "does not exist" in line
    else:
        assert line == "Error: the database does not have the newest schema: run `susun migrate` first"


def execute(url: str, statement: str) -> None:
    """Run a statement that wants no transaction."""
    engine = create_engine(driver_url(url), isolation_level="AUTOCOMMIT", poolclass=NullPool)
    with engine.connect() as connection:
        connection.execute(text(statement))


def test_openapi_prints_the_committed_document() -> None:
    """It needs no database."""
    result = CliRunner().invoke(main, ["openapi"], env={"DATABASE_URL": None}, catch_exceptions=False)
    assert result.exit_code == 0
    assert result.output == OPENAPI.read_text("utf-8"), "run `make openapi`"
    assert json.loads(result.output)["openapi"].startswith("3.1")


def test_migrate_works_again_and_again(run: Run) -> None:
    for _ in range(2):
        assert run("migrate").exit_code == 0


def test_migrate_takes_any_postgres_address(run: Run, database_url: str) -> None:
    bare = "postgres://" + database_url.split("://", 1)[1]
    assert run("migrate", url=bare).exit_code == 0


def test_migrate_needs_a_database_url() -> None:
    result = CliRunner().invoke(main, ["migrate"], env={"DATABASE_URL": None})
    assert result.exit_code == 1
    assert "set DATABASE_URL" in result.output


@pytest.mark.parametrize(
    "arguments", [["migrate", "--wait", "0"], ["keys", "list"], ["keys", "revoke", "x"]], ids=" ".join
)
def test_a_database_that_is_away_is_said_plainly(run: Run, arguments: list[str]) -> None:
    result = run(*arguments, url=NOWHERE)
    assert result.exit_code == 1
    assert "Error:" in result.output and "Traceback" not in result.output
    assert "secret" not in result.output


@pytest.mark.parametrize("url", ["mysql://localhost/x", "nonsense", "sqlite://"])
@pytest.mark.parametrize("arguments", [["migrate", "--wait", "0"], ["keys", "list"]], ids=" ".join)
def test_an_address_of_no_postgres_is_said_plainly(run: Run, arguments: list[str], url: str) -> None:
    result = run(*arguments, url=url)
    assert result.exit_code == 1
    assert "the database URL" in result.output


def test_without_a_database_url_keys_need_a_running_service(tmp_path: Path) -> None:
    env = {"DATABASE_URL": None, "SUSUN_HOME": str(tmp_path)}
    result = CliRunner().invoke(main, ["keys", "list"], env=env)
    assert result.exit_code == 1
    assert "set DATABASE_URL, or start `susun run` first" in result.output
    assert f"none runs in {tmp_path};" in result.output and "SUSUN_HOME" in result.output


@pytest.mark.parametrize("arguments", [["--help"], ["-h"], ["keys", "-h"], ["--version"]], ids=" ".join)
def test_help_is_there(arguments: list[str]) -> None:
    result = CliRunner().invoke(main, arguments, prog_name="susun")
    assert result.exit_code == 0
    assert "susun" in result.output


GROUPS = [[], *([name] for name, command in main.commands.items() if isinstance(command, click.Group))]


@pytest.mark.parametrize("group", GROUPS, ids=lambda group: " ".join(["susun", *group]))
def test_help_cuts_no_line_on_a_usual_terminal(group: list[str]) -> None:
    result = CliRunner().invoke(main, [*group, "--help"], prog_name="susun", terminal_width=80)
    assert result.exit_code == 0 and "Commands:" in result.output
    assert "..." not in result.output.partition("Commands:")[2]


def test_the_module_is_the_command_too() -> None:
    command = [sys.executable, "-m", "service.cli", "run", "--help"]
    done = subprocess.run(command, cwd=OPENAPI.parent, capture_output=True, text=True, check=False)
    assert done.returncode == 0 and "Serve; Ctrl-C stops everything." in done.stdout


def test_a_key_is_not_named_as_if_it_were_the_prefix_of_one(run: Run) -> None:
    result = run("keys", "create", "0123456789ab", "--scope", "read")
    assert result.exit_code == 1 and "could be the prefix of a key" in result.output
