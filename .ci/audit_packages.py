"""Fails when a package in the locks has a known vulnerability that nobody has looked at.

pip-audit knows where to ask. Without a network, or where the data cannot be had, this says so in one
line and passes, after a few seconds at most. What has been looked at and does not concern us stands in
``ignored-advisories.toml``. A good result counts for a day.
"""

import argparse
import hashlib
import json
import re
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
#: How long one package may take, which is asked for first, and all of them.
PROBE_SECONDS, ALL_SECONDS = 8, 180
GOOD_FOR_SECONDS = 24 * 3600

_PIN = re.compile(r"^([A-Za-z0-9._-]+==[^ ;\\]+)", re.MULTILINE)


class Unreachable(Exception):
    """There is no answer, or none that says anything."""


def ask(auditor: Sequence[str], pins: Sequence[str], seconds: float) -> list[dict[str, Any]]:
    """What pip-audit says of pinned packages; :class:`Unreachable` if it can say nothing of any."""
    with tempfile.TemporaryDirectory() as directory:
        requirements = Path(directory) / "pins.txt"
        requirements.write_text("\n".join(pins) + "\n")
        options = ["--no-deps", "--disable-pip", "--format", "json", "--progress-spinner", "off"]
        command = [*auditor, *options, "--timeout", "4", "--requirement", str(requirements)]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=seconds, check=False)
            packages: list[dict[str, Any]] = json.loads(done.stdout)["dependencies"]
        except (subprocess.TimeoutExpired, ValueError, KeyError, TypeError):
            raise Unreachable from None
    # A mirror that has packages but no advisories leaves all of them out.
    if all("skip_reason" in package for package in packages):
        raise Unreachable
    return packages


def findings(
    packages: Sequence[dict[str, Any]], ignored: Sequence[dict[str, Any]], today: date
) -> list[str]:
    """What is known of these packages and not ignored (any more), a line each."""
    known = {entry["id"] for entry in ignored if entry["until"] >= today}
    return [
        f"{package['name']} {package['version']}: {advisory['id']}"
        f" (fixed in {', '.join(advisory['fix_versions']) or 'no version yet'})"
        for package in packages
        for advisory in package.get("vulns", ())
        if not known & {advisory["id"], *advisory["aliases"]}
    ]


def main(arguments: Sequence[str] | None = None) -> int:
    """The exit status: 1 on findings, else 0."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--auditor", default=str(Path(sys.executable).with_name("pip-audit")))
    parser.add_argument("--lock", type=Path, default=ROOT / "requirements-dev.lock")
    parser.add_argument(
        "--ignored", type=Path, default=Path(__file__).with_name("ignored-advisories.toml")
    )
    parser.add_argument("--stamp", type=Path, default=Path(sys.prefix) / ".audited")
    given = parser.parse_args(arguments)

    lock, ignored_text = given.lock.read_text(), given.ignored.read_text()
    ignored = tomllib.loads(ignored_text).get("ignored", [])
    state = hashlib.sha256((lock + ignored_text).encode()).hexdigest()
    if (
        given.stamp.exists()
        and time.time() - given.stamp.stat().st_mtime < GOOD_FOR_SECONDS
        and given.stamp.read_text() == state
    ):
        return 0
    pins = _PIN.findall(lock)
    try:
        # One alone first, so that all of them are not waited for in vain.
        ask([given.auditor], pins[:1], PROBE_SECONDS)
        packages = ask([given.auditor], pins, ALL_SECONDS)
    except Unreachable:
        print("packages not audited: no advisories can be had here just now")
        return 0
    unknown = [package["name"] for package in packages if "skip_reason" in package]
    if unknown:
        print(f"packages of which no advisories can be had: {', '.join(unknown)}")
    found = findings(packages, ignored, date.today())
    for line in found:
        print(f"vulnerable: {line}", file=sys.stderr)
    if not found:
        given.stamp.write_text(state)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
