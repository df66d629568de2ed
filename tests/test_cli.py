"""The commands, as a user types them."""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from service.cli import main
from service.database import Database
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
    assert re.fullmatch(r"\w+  revoked \d{4}-\d\d-\d\d +score +meja", lines[0])
    assert re.fullmatch(r"\w+  live +score +kasir", lines[1])
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


@pytest.mark.parametrize("arguments", [["--help"], ["-h"], ["keys", "-h"], ["--version"]], ids=" ".join)
def test_help_is_there(arguments: list[str]) -> None:
    result = CliRunner().invoke(main, arguments, prog_name="susun")
    assert result.exit_code == 0
    assert "susun" in result.output


def test_the_module_is_the_command_too() -> None:
    command = [sys.executable, "-m", "service.cli", "run", "--help"]
    done = subprocess.run(command, cwd=OPENAPI.parent, capture_output=True, text=True, check=False)
    assert done.returncode == 0 and "Serve, with a Postgres of our own" in done.stdout
