"""Settings: read in one place, wrong ones told all at once, secrets shown nowhere."""

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from app import MOST_BODY_BYTES
from schemas.queries import MOST_ITEMS
from schemas.rounds import MOST_ROUNDS
from schemas.tournaments import MOST_BYTES, MOST_PRIZES, MOST_STAGES
from service import gunicorn_conf
from service.api import json_input, problems
from service.api.problems import PROBLEMS
from service.api.streams import MOST_STREAMS
from service.cli import main
from service.config import SETTINGS, Config, ConfigError, Server, look, read_config, read_database_url
from service.tournaments.store import MOST_PLAYERS

ROOT = Path(__file__).parents[1]
URL = "postgresql://susun:s3cret@db.example/susun"
NAMES = [setting.name for setting in SETTINGS]


@pytest.fixture
def settings(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Leave only these in the environment."""
    for name in list(os.environ):
        if name.startswith("SUSUN_") or name.removesuffix("_FILE") in NAMES:
            monkeypatch.delenv(name)

    def leave(**given: str) -> None:
        for name, value in given.items():
            monkeypatch.setenv(name, value)

    return leave


Settings = Callable[..., None]


def test_without_settings_all_is_as_the_code_says(settings: Settings) -> None:
    settings(DATABASE_URL=URL)
    assert read_config() == Config(URL)
    found = look()
    assert found.problems == {}
    assert {name: found.values[name] for name in Server.__slots__} == {
        name: getattr(Server(), name) for name in Server.__slots__
    }


SET = {
    "SUSUN_POOL_SIZE": ("7", "pool_size", 7),
    "SUSUN_KEY_RATE": ("10", "key_rate", 10),
    "SUSUN_KEY_BURST": ("100", "key_burst", 100),
    "SUSUN_ADDRESS_RATE": ("OFF", "address_rate", None),
    "SUSUN_ADDRESS_BURST": ("2000", "address_burst", 2000),
    "SUSUN_TRUSTED_PROXIES": ("2", "trusted_proxies", 2),
    "SUSUN_CORS_ORIGINS": (
        "https://a.example, http://localhost:5173",
        "cors_origins",
        ("https://a.example", "http://localhost:5173"),
    ),
    "SUSUN_HSTS_SECONDS": ("31536000", "hsts_seconds", 31536000),
    "SUSUN_HOME": ("/var/susun", "home", Path("/var/susun")),
    "HOST": ("::1", "host", "::1"),
    "PORT": ("80", "port", 80),
    "WEB_CONCURRENCY": ("3", "workers", 3),
    "WORKER_CLASS": ("sync", "worker_class", "sync"),
    "SUSUN_LOG_LEVEL": ("debug", "log_level", "debug"),
    "DATABASE_URL": (URL, "database_url", URL),
}


def test_every_setting_is_tried_below() -> None:
    assert {*SET, "PGPASSWORD"} == set(NAMES)


@pytest.mark.parametrize("name", SET)
def test_a_setting_is_read(settings: Settings, name: str) -> None:
    text, field, value = SET[name]
    settings(**{name: text})
    found = look()
    assert found.problems == {}
    assert found.values[field] == value
    assert found.sources[name] == "environment"
    settings(**{name: ""})
    assert look().sources[name] == "default"


WRONG = {
    "SUSUN_POOL_SIZE": ["0", "-1", "x", "1.5", "101", "١", " 4"],
    "SUSUN_KEY_RATE": ["0", "no", "-5"],
    "SUSUN_KEY_BURST": ["off", "99"],
    "SUSUN_TRUSTED_PROXIES": ["11", "yes"],
    "SUSUN_CORS_ORIGINS": [
        "a.example",
        "https://a.example/",
        "https://*.example",
        "* https://a.example",
        "null",
        "https://a.example/x",
        "https://A.example",
        "ftp://a.example",
    ],
    "SUSUN_HSTS_SECONDS": ["-1", "never"],
    "HOST": ["a b", "http://x"],
    "PORT": ["0", "65536", "http"],
    "WEB_CONCURRENCY": ["0", "many"],
    "WORKER_CLASS": ["nothing"],
    "SUSUN_LOG_LEVEL": ["loud"],
    "DATABASE_URL": [
        "mysql://susun:s3cret@db/susun",
        "s3cret",
        "postgresql://susun:s3cret@rest@db/susun",
        "postgresql://susun:x@db:s3cret/susun",
    ],
}


@pytest.mark.parametrize(("name", "text"), [(name, text) for name in WRONG for text in WRONG[name]])
def test_a_wrong_setting_is_a_problem_of_one_line(settings: Settings, name: str, text: str) -> None:
    settings(**{name: text})
    (problem,) = look().problems.items()
    assert problem[0] == name
    assert "\n" not in problem[1] and "s3cret" not in problem[1]


def test_all_problems_are_told_at_once(settings: Settings) -> None:
    settings(PORT="x", SUSUN_KEY_RATE="x", SUSUN_POOLSIZE="4")
    with pytest.raises(ConfigError) as wrong:
        read_config()
    assert set(wrong.value.problems) == {"PORT", "SUSUN_KEY_RATE", "SUSUN_POOLSIZE", "DATABASE_URL"}
    heading, *lines = str(wrong.value).splitlines()
    assert heading == "4 settings are wrong:"
    assert [line.split(":")[0].strip() for line in lines] == list(wrong.value.problems)


def test_a_name_that_is_no_setting_is_a_problem(settings: Settings) -> None:
    settings(SUSUN_POOLSIZE="4", SUSUN_DB_PASSWORD="x", SUSUN_KEY_RATE_FILE="/x", OTHER="1")
    assert look().problems == {
        "SUSUN_KEY_RATE_FILE": "is no setting; is SUSUN_KEY_RATE meant?",
        "SUSUN_POOLSIZE": "is no setting; is SUSUN_POOL_SIZE meant?",
    }


def test_a_secret_can_lie_in_a_file(settings: Settings, tmp_path: Path) -> None:
    file = tmp_path / "url"
    file.write_text(URL + "\n")
    settings(DATABASE_URL_FILE=str(file))
    assert read_database_url() == URL
    assert look().sources["DATABASE_URL"] == f"file {file}"


def test_a_password_of_its_own_is_put_into_an_address_without_one(
    settings: Settings, tmp_path: Path
) -> None:
    file = tmp_path / "password"
    file.write_text("p@ss/w:rd\n")
    settings(DATABASE_URL="postgresql://susun@db/susun", PGPASSWORD_FILE=str(file))
    assert read_database_url() == "postgresql://susun:p%40ss%2Fw%3Ard@db/susun"
    settings(DATABASE_URL=URL)
    assert read_database_url() == URL


UNREADABLE = {
    "no file": lambda path: None,
    "a directory": lambda path: path.mkdir(),
    "an empty file": lambda path: path.write_text("\n"),
    "no text": lambda path: path.write_bytes(b"\xff\xfe"),
}


@pytest.mark.parametrize("make", UNREADABLE.values(), ids=UNREADABLE)
def test_a_file_that_holds_no_secret_is_a_problem(
    settings: Settings, tmp_path: Path, make: Callable[[Path], object]
) -> None:
    make(tmp_path / "url")
    settings(DATABASE_URL_FILE=str(tmp_path / "url"))
    with pytest.raises(ConfigError, match=re.escape(f"DATABASE_URL: the file {tmp_path / 'url'} ")):
        read_database_url()


def test_a_secret_that_is_set_twice_is_a_problem(settings: Settings, tmp_path: Path) -> None:
    settings(DATABASE_URL=URL, DATABASE_URL_FILE=str(tmp_path / "url"))
    with pytest.raises(ConfigError, match="set twice"):
        read_database_url()


def show(**environment: str) -> Result:
    return CliRunner().invoke(main, ["config"], env=dict(environment), catch_exceptions=False)


def test_the_configuration_is_printed_with_where_it_comes_from(
    settings: Settings, tmp_path: Path
) -> None:
    (tmp_path / "password").write_text("s3cret")
    settings(
        DATABASE_URL=f"{URL}?password=s3cret&sslmode=require",
        PGPASSWORD_FILE=str(tmp_path / "password"),
        SUSUN_KEY_RATE="off",
    )
    result = show()
    assert result.exit_code == 0
    lines = {line.split()[0]: re.split(r"\s{2,}", line)[1:] for line in result.output.splitlines()}
    assert list(lines) == NAMES
    assert lines["DATABASE_URL"] == [
        "postgresql://susun:***@db.example/susun?sslmode=require",
        "environment",
    ]
    assert lines["PGPASSWORD"] == ["***", f"file {tmp_path / 'password'}"]
    assert lines["SUSUN_KEY_RATE"] == ["off", "environment"]
    assert lines["SUSUN_POOL_SIZE"] == ["4", "default"]
    assert "s3cret" not in result.output


def test_printing_tells_what_is_wrong(settings: Settings) -> None:
    settings(DATABASE_URL="s3cret", PORT="s3cret")
    result = show()
    assert result.exit_code == 1
    assert "2 settings are wrong" in result.output
    assert result.output.count("s3cret") == 1  # the port, which is no secret


def test_no_password_is_in_what_a_debugger_or_a_traceback_shows(settings: Settings) -> None:
    settings(DATABASE_URL=URL, PGPASSWORD="s3cret")
    assert "s3cret" not in repr(read_config()) + repr(look())


STARTS = {
    "susun run": ["service.cli", "run"],
    "gunicorn": ["gunicorn", "-c", "python:service.gunicorn_conf", "app:create_app()"],
    "gunicorn with the file": ["gunicorn", "-c", "service/gunicorn_conf.py", "app:create_app()"],
}


@pytest.mark.parametrize("start", STARTS.values(), ids=STARTS)
@pytest.mark.parametrize("of_server", [True, False])
def test_a_wrong_setting_stops_the_start(
    settings: Settings, start: list[str], of_server: bool, tmp_path: Path
) -> None:
    settings(
        DATABASE_URL="mysql://susun:s3cret@db/susun",
        SUSUN_POOL_SIZE="0",
        SUSUN_KEYRATE="5",
        SUSUN_HOME=str(tmp_path),
        **({"PORT": "x"} if of_server else {"PORT": "9"}),
    )
    module, *arguments = start
    code = f"import sys; from {module} import main; main()" if module == "service.cli" else None
    command = ["-c", code] if code else ["-m", module]
    done = subprocess.run(
        [sys.executable, *command, *arguments],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    said = done.stdout + done.stderr
    assert done.returncode == 1, said
    for name in ("DATABASE_URL", "SUSUN_POOL_SIZE", "SUSUN_KEYRATE", *["PORT"] * of_server):
        assert f"  {name}: " in said
    assert "Traceback" not in said and "s3cret" not in said
    assert "Booting worker" not in said


def test_gunicorn_does_not_start_without_a_database(settings: Settings) -> None:
    settings(PORT="9")
    command = [
        sys.executable,
        "-m",
        "gunicorn",
        "-c",
        "python:service.gunicorn_conf",
        "app:create_app()",
    ]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 1
    assert "DATABASE_URL: must be set" in done.stderr and "Traceback" not in done.stderr


def test_nothing_else_of_the_application_reads_the_environment() -> None:
    """Its programs pass it on, or look for others' programs and settings; only these may."""
    may = {"config.py", "supervisor.py", "healthcheck.py", "gunicorn_conf.py", "tracing.py"}
    reading = re.compile(r"os\.environ(?:\.get|\[)|os\.getenv|envvar=")
    found = {
        path.name
        for part in ("service", "schemas", "app.py")
        for path in ([ROOT / part] if part.endswith(".py") else (ROOT / part).rglob("*.py"))
        if reading.search(path.read_text("utf-8"))
    }
    assert found <= may


def test_the_documentation_has_a_line_for_every_setting() -> None:
    page = (ROOT / "docs" / "deployment.md").read_text("utf-8")
    shown = look({}).shown
    for setting in SETTINGS:
        (line,) = re.findall(rf"^\| `{setting.name}` \|(.*)\|$", page, re.MULTILINE)
        assert f"`{shown[setting.name]}`" in line or shown[setting.name] in line
        if setting.secret:
            assert f"`{setting.name}_FILE`" in line


def test_the_documentation_lists_what_a_request_may_be_at_most() -> None:
    page = (ROOT / "docs" / "deployment.md").read_text("utf-8")
    rows = [
        line.split(" | ") for line in page.splitlines() if re.search(r"\| (?:4\d\d|503)? ?\|$", line)
    ]
    listed = " ".join(" ".join(row[1:]) for row in rows)
    bounds = {
        gunicorn_conf.limit_request_line,
        gunicorn_conf.limit_request_fields,
        gunicorn_conf.limit_request_field_size,
        MOST_BODY_BYTES,
        MOST_BYTES,
        MOST_PLAYERS,
        MOST_STAGES,
        MOST_PRIZES,
        json_input._DEEPEST,
        json_input._MOST_DIGITS,
        MOST_ROUNDS,
        MOST_ITEMS,
        problems._MOST_ERRORS,
        MOST_STREAMS,
    }
    assert {bound for bound in bounds if not re.search(rf"\b{bound}\b", listed)} == set()
    # What gunicorn refuses is told in words of the application.
    assert str(gunicorn_conf.limit_request_line) in PROBLEMS["uri-too-long"][2]
    about = PROBLEMS["header-fields-too-large"][2]
    assert str(gunicorn_conf.limit_request_fields) in about
    assert str(gunicorn_conf.limit_request_field_size) in about
