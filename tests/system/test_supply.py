"""The audit of packages: it fails for what is known, and for nothing else."""

import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = ROOT / ".ci" / "audit_packages.py"
LOCK = r"""
alpha==1.0 \
    --hash=sha256:00
    # via beta
beta==2.0 ; sys_platform == 'win32' \
    --hash=sha256:11
"""

AUDITOR = """#!{python}
import json, sys, time
pins = open(sys.argv[-1]).read().split()
with open({asked!r}, "a") as asked:
    print(*pins, file=asked)
{body}
print(json.dumps({{"dependencies": packages, "fixes": []}}))
"""
FINE = "packages = [{'name': p.split('==')[0], 'version': '1', 'vulns': []} for p in pins]"
BAD = (
    FINE + "\nif len(pins) > 1:\n    packages[1]['vulns'] = [{'id': 'PYSEC-1', 'aliases': ['CVE-1'], "
    "'fix_versions': ['2.1'], 'description': ''}]\n"
)
BODIES = {
    "offline": "sys.exit('ConnectionError: name resolution failed')",
    "hanging": "time.sleep(60)",
    "a mirror without advisories": "packages = [{'name': p, 'skip_reason': 'not found'} for p in pins]",
    "a page in between": "print('<html>'); sys.exit(0)",
}


class Audit:
    def __init__(self, directory: Path) -> None:
        self.directory = directory
        (directory / "lock").write_text(LOCK)
        (directory / "ignored").write_text("")

    def asked(self) -> list[str]:
        return (self.directory / "asked").read_text().splitlines()

    def __call__(self, body: str, *, ignored: str = "") -> Any:
        auditor = self.directory / "pip-audit"
        asked = str(self.directory / "asked")
        auditor.write_text(AUDITOR.format(python=sys.executable, body=body, asked=asked))
        auditor.chmod(0o755)
        (self.directory / "ignored").write_text(ignored)
        options = [f"--{name}={self.directory / name}" for name in ("lock", "ignored", "stamp")]
        command = [sys.executable, str(SCRIPT), f"--auditor={auditor}", *options]
        return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.fixture
def audit(tmp_path: Path) -> Audit:
    return Audit(tmp_path)


def test_nothing_known_is_nothing_said_and_counts_for_a_day(audit: Audit) -> None:
    for _ in range(2):
        done = audit(FINE)
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    # One first, then all; and not again.
    assert audit.asked() == ["alpha==1.0", "alpha==1.0 beta==2.0"]
    os.utime(audit.directory / "stamp", (time.time() - 90_000,) * 2)
    assert audit(FINE).returncode == 0
    (audit.directory / "lock").write_text(LOCK.replace("1.0", "1.1"))
    assert audit(FINE).returncode == 0
    assert audit.asked()[2:] == [
        "alpha==1.0",
        "alpha==1.0 beta==2.0",
        "alpha==1.1",
        "alpha==1.1 beta==2.0",
    ]


def test_what_is_known_fails_every_time(audit: Audit) -> None:
    for _ in range(2):
        done = audit(BAD)
        assert (done.returncode, done.stdout) == (1, "")
        assert done.stderr == "vulnerable: beta 1: PYSEC-1 (fixed in 2.1)\n"


@pytest.mark.parametrize("name", ["PYSEC-1", "CVE-1"])
@pytest.mark.parametrize(("until", "status"), [("2999-01-01", 0), ("2020-01-01", 1)])
def test_what_has_been_looked_at_passes_until_its_day(
    audit: Audit, name: str, until: str, status: int
) -> None:
    ignored = f'[[ignored]]\nid = "{name}"\nwhy = "not used"\nuntil = {until}\n'
    assert audit(BAD, ignored=ignored).returncode == status


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
def test_without_advisories_it_says_so_and_passes_quickly(audit: Audit, body: str) -> None:
    start = time.monotonic()
    done = audit(body)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "packages not audited: no advisories can be had here just now\n"
    assert len(audit.asked()) == 1
    assert time.monotonic() - start < 20
    assert not (audit.directory / "stamp").exists()


def test_the_real_locks_are_read_whole() -> None:
    text = (ROOT / "requirements-dev.lock").read_text()
    sys.path.insert(0, str(SCRIPT.parent))
    try:
        import audit_packages  # noqa: PLC0415
    finally:
        sys.path.remove(str(SCRIPT.parent))
    assert len(audit_packages._PIN.findall(text)) == text.count("==") - text.count(" == ") > 50
