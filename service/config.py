"""What can be set from outside: the one place that reads the environment for the application.

A setting that is empty counts as not set. A secret can also lie in a file, whose path is ``NAME_FILE``.
"""

import difflib
import os
import re
from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, field, fields
from pathlib import Path
from typing import Any

from sqlalchemy import make_url

from service.logs import LEVELS
from service.postgres_address import driver_url

MASK = "***"


class ConfigError(ValueError):
    """Settings are wrong; ``problems`` says of each what, for a person, and never a secret."""

    def __init__(self, problems: Mapping[str, str]) -> None:
        self.problems = dict(problems)
        lines = [f"  {name}: {text}" for name, text in self.problems.items()]
        count = "a setting is" if len(lines) == 1 else f"{len(lines)} settings are"
        super().__init__("\n".join([f"{count} wrong:", *lines]))


@dataclass(frozen=True, slots=True)
class Config:
    """What the application needs to know; see ``SETTINGS``. A rate of None is no limit."""

    database_url: str = field(repr=False)
    pool_size: int = 4
    key_rate: float | None = 2000
    key_burst: int = 10_000
    address_rate: float | None = 4000
    address_burst: int = 20_000
    trusted_proxies: int = 0
    cors_origins: tuple[str, ...] = ()
    hsts_seconds: int = 0


@dataclass(frozen=True, slots=True)
class Server:
    """What `susun run` and gunicorn need to know; see ``SETTINGS``. ``workers`` None: one a core."""

    home: Path = Path(".local")
    host: str = "127.0.0.1"
    port: int = 8000
    workers: int | None = None
    worker_class: str = "service.slow_clients.Worker"
    log_level: str = "info"


# --- what a setting can be ---------------------------------------------------------------------------

Parse = Callable[[str], Any]


def _whole(least: int, most: int) -> Parse:
    def parse(text: str) -> int:
        if not re.fullmatch(r"\d{1,12}", text, re.ASCII) or not least <= int(text) <= most:
            raise ValueError(f"must be a whole number from {least} to {most}, not {text!r}")
        return int(text)

    return parse


def _or_off(parse: Parse, off: int | None) -> Parse:
    def parse_or_off(text: str) -> Any:
        if text.lower() == "off":
            return off
        try:
            return parse(text)
        except ValueError as error:
            raise ValueError(str(error).replace("must be", "must be off or")) from None

    return parse_or_off


def _one_of(*choices: str) -> Parse:
    def parse(text: str) -> str:
        if text not in choices:
            raise ValueError(f"must be one of {', '.join(choices)}, not {text!r}")
        return text

    return parse


def _origins(text: str) -> tuple[str, ...]:
    found = tuple(text.replace(",", " ").split())
    wrong = [origin for origin in found if origin != "*" and not _ORIGIN.fullmatch(origin)]
    if wrong:
        named = ", ".join(map(repr, wrong))
        none = "is none" if len(wrong) == 1 else "are none"
        raise ValueError(f"must be origins such as https://app.example.org, or *; {named} {none}")
    if "*" in found and len(found) > 1:
        raise ValueError("is either * or a list of origins")
    return found


def _database(text: str) -> str:
    driver_url(text)
    return text


def _host(text: str) -> str:
    if not re.fullmatch(r"[A-Za-z0-9._:%-]+", text):
        raise ValueError(f"must be an address or a name, not {text!r}")
    return text


# Scheme, host and perhaps a port, in lower case as browsers send them, and nothing after that.
_ORIGIN = re.compile(r"https?://(?:[a-z0-9-]+(?:\.[a-z0-9-]+)*|\[[0-9a-f:]+\])(?::\d{1,5})?")
_RATE = _or_off(_whole(1, 1_000_000), None)
# No call may cost more than the whole burst.
_BURST = _whole(100, 100_000_000)


@dataclass(frozen=True, slots=True)
class Setting:
    """A variable of the environment: the field that it sets, how it is read, whether it is secret."""

    name: str
    field: str | None
    parse: Parse
    secret: bool = False


SETTINGS = (
    Setting("DATABASE_URL", "database_url", _database, secret=True),
    # Put into the address where that has none; libpq reads it by itself as well.
    Setting("PGPASSWORD", None, str, secret=True),
    Setting("SUSUN_POOL_SIZE", "pool_size", _whole(1, 100)),
    Setting("SUSUN_KEY_RATE", "key_rate", _RATE),
    Setting("SUSUN_KEY_BURST", "key_burst", _BURST),
    Setting("SUSUN_ADDRESS_RATE", "address_rate", _RATE),
    Setting("SUSUN_ADDRESS_BURST", "address_burst", _BURST),
    Setting("SUSUN_TRUSTED_PROXIES", "trusted_proxies", _whole(0, 10)),
    Setting("SUSUN_CORS_ORIGINS", "cors_origins", _origins),
    Setting("SUSUN_HSTS_SECONDS", "hsts_seconds", _or_off(_whole(1, 100_000_000), 0)),
    Setting("SUSUN_HOME", "home", Path),
    Setting("HOST", "host", _host),
    Setting("PORT", "port", _whole(1, 65535)),
    Setting("WEB_CONCURRENCY", "workers", _whole(1, 1000)),
    Setting("WORKER_CLASS", "worker_class", _one_of("service.slow_clients.Worker", "gthread", "sync")),
    Setting("SUSUN_LOG_LEVEL", "log_level", _one_of(*LEVELS)),
)

# Read by docker-compose.yml alone, and by the tests.
_OF_OTHERS = re.compile(r"SUSUN_(?:DB_PASSWORD|ADDRESS|PORT|TEST.*)")
# What it means to set nothing, where the default does not say it.
_NOTHING = {
    "DATABASE_URL": "not set",
    "PGPASSWORD": "not set",
    "SUSUN_CORS_ORIGINS": "none",
    "SUSUN_HSTS_SECONDS": "off",
    "WEB_CONCURRENCY": "one a core",
}
_DEFAULTS = {
    part.name: part.default
    for kind in (Config, Server)
    for part in fields(kind)
    if part.default is not MISSING
}


@dataclass(frozen=True, slots=True)
class Found:
    """What the environment says: values by field, where each comes from, and all that is wrong."""

    values: Mapping[str, Any] = field(repr=False)
    sources: Mapping[str, str]
    shown: Mapping[str, str]
    problems: Mapping[str, str]


def look(environment: Mapping[str, str] | None = None) -> Found:
    """Read all settings; of the process's own environment if no other is given."""
    environment = os.environ if environment is None else environment
    values: dict[str, Any] = dict(_DEFAULTS)
    sources: dict[str, str] = {}
    shown: dict[str, str] = {}
    problems: dict[str, str] = {}
    texts: dict[str, str] = {}
    for setting in SETTINGS:
        name = setting.name
        default = _DEFAULTS.get(setting.field or "")
        sources[name], shown[name] = "default", _show_default(setting, default)
        try:
            found = _text_of(setting, environment)
            if found is None:
                continue
            texts[name], sources[name] = found
            value = setting.parse(texts[name])
        except ValueError as error:
            problems[name] = str(error)
            shown[name] = "wrong"
            continue
        shown[name] = _show(setting, texts[name])
        if setting.field is not None:
            values[setting.field] = value
    if "database_url" in values and "PGPASSWORD" in texts:
        values["database_url"] = _with_password(values["database_url"], texts["PGPASSWORD"])
    problems.update(_unknown(environment))
    return Found(values, sources, shown, problems)


def read_config(given: Mapping[str, Any] | None = None) -> Config:
    """The application's configuration, from the environment or from what is given.

    Raises :class:`ConfigError` with all that is wrong.
    """
    if given is not None:
        return Config(**given)
    found = look()
    check(found, with_database=True)
    return Config(**{part.name: found.values[part.name] for part in fields(Config)})


def read_server() -> Server:
    """What `susun run` and gunicorn need to know. Raises :class:`ConfigError` with all that is wrong."""
    found = look()
    check(found)
    return Server(**{part.name: found.values[part.name] for part in fields(Server)})


def read_database_url() -> str | None:
    """The address of the database, if one is set; raises :class:`ConfigError` if that is wrong."""
    found = look()
    wrong = {
        name: text for name, text in found.problems.items() if name in ("DATABASE_URL", "PGPASSWORD")
    }
    if wrong:
        raise ConfigError(wrong)
    url: str | None = found.values.get("database_url")
    return url


def check(found: Found, *, with_database: bool = False) -> None:
    """Raise :class:`ConfigError` if anything is wrong, or if a database is wanted and there is none."""
    problems = dict(found.problems)
    if with_database and "database_url" not in found.values:
        problems.setdefault("DATABASE_URL", "must be set: postgresql://user@host:5432/database")
    if problems:
        raise ConfigError(problems)


def _text_of(setting: Setting, environment: Mapping[str, str]) -> tuple[str, str] | None:
    """What is set, and where it comes from."""
    text = environment.get(setting.name, "")
    path = environment.get(f"{setting.name}_FILE", "") if setting.secret else ""
    if text and path:
        raise ValueError(f"is set twice: take away either it or {setting.name}_FILE")
    if not path:
        return (text, "environment") if text else None
    try:
        # Editors end files with a line break, which no password has.
        text = Path(path).read_text("utf-8").rstrip("\r\n")
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise ValueError(f"the file {path} cannot be read: {why}") from None
    if not text:
        raise ValueError(f"the file {path} is empty")
    return text, f"file {path}"


def _with_password(url: str, password: str) -> str:
    parsed = make_url(url)
    if parsed.password is not None or "password" in parsed.query:
        return url
    return parsed.set(password=password).render_as_string(hide_password=False)


def _unknown(environment: Mapping[str, str]) -> dict[str, str]:
    names = [setting.name for setting in SETTINGS]
    known = {*names, *(f"{setting.name}_FILE" for setting in SETTINGS if setting.secret)}
    problems = {}
    for name in sorted(environment):
        if name.startswith("SUSUN_") and name not in known and not _OF_OTHERS.fullmatch(name):
            close = difflib.get_close_matches(name, names, 1)
            problems[name] = "is no setting" + (f"; is {close[0]} meant?" if close else "")
    return problems


def _show(setting: Setting, text: str) -> str:
    if not setting.secret:
        return text
    if setting.name != "DATABASE_URL":
        return MASK
    url = make_url(text)
    shown = url.difference_update_query([name for name in url.query if "password" in name])
    return shown.render_as_string(hide_password=True)


def _show_default(setting: Setting, default: Any) -> str:
    if setting.name in _NOTHING:
        return _NOTHING[setting.name]
    return str(default)
