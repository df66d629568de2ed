"""The data directory of the embedded Postgres: makes it, and tells whose and how it is."""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import signal
import subprocess
import sys
from pathlib import Path

from service import child
from service.postgres_programs import PostgresError

ROLE = "susun"
PASSWORD_FILE = "susun.password"
"""Lies within the data directory, so that a copy of the directory is complete."""


def version_of(data_dir: Path) -> str:
    """The major version that wrote a data directory, or "" when there is no data yet.

    Raises PostgresError when there is something else in its place.
    """
    with contextlib.suppress(FileNotFoundError):
        return (data_dir / "PG_VERSION").read_text().strip()
    if data_dir.is_dir() and any(data_dir.iterdir()):
        raise PostgresError(f"{data_dir} has files in it but no Postgres data.")
    return ""


def password_of(data_dir: Path) -> str:
    """The password of our role."""
    return (data_dir / PASSWORD_FILE).read_text().strip()


def users_for(data_dir: Path) -> list[child.User]:
    """The users to try to run the server as, the best first."""
    if os.geteuid() != 0:
        return [child.myself()]
    users = child.unprivileged()
    if not version_of(data_dir):
        return users
    # Files that already belong to somebody stay theirs.
    kept = data_dir.stat()
    users.sort(key=lambda user: user.owner != kept.st_uid)
    if kept.st_uid in (0, users[0].owner):
        return users
    return [child.User(kept.st_uid, kept.st_gid), *users]


def create(data_dir: Path, version: str, programs: Path, user: child.User, *, durable: bool) -> None:
    """Makes a data directory: whole, with its password in it, or not at all.

    Raises PostgresError with what initdb said when it fails.
    """
    staging = data_dir.with_name(data_dir.name + ".new")
    shutil.rmtree(staging, ignore_errors=True)
    staging.mkdir(mode=0o700)
    try:
        password = staging / "password"
        password.touch(mode=0o600)
        password.write_text(secrets.token_urlsafe(24) + "\n")
        give(staging, user)
        command = [str(programs / "initdb"), "-D", str(staging / "data"), "-U", ROLE]
        command += ["--auth=scram-sha-256", f"--pwfile={password}", *_locale(version)]
        command += ["--data-checksums", "--no-instructions", *([] if durable else ["--no-sync"])]
        said = run(command, user, staging)
        if said is not None:
            raise PostgresError(f"Postgres could not make its data directory:\n{said}")
        password.rename(staging / "data" / PASSWORD_FILE)
        (staging / "data").rename(data_dir)
    finally:
        shutil.rmtree(staging, ignore_errors=True)


def _locale(version: str) -> list[str]:
    if int(version) < 17:
        return ["--encoding=UTF8", "--locale=C.UTF-8"]
    # Postgres's own: the same order and upper case on every system.
    builtin = ["--locale-provider=builtin", "--builtin-locale=C.UTF-8"]
    return ["--encoding=UTF8", "--locale=C", *builtin]


def give(path: Path, user: child.User) -> None:
    """Makes a tree belong to the user that the server runs as; only root can and needs to."""
    if os.geteuid() != 0 or path.stat().st_uid == user.owner:
        return
    gid = os.getegid() if user.namespace else user.gid
    for parent, directories, files in os.walk(path):
        for name in directories + files:
            os.chown(Path(parent, name), user.owner, gid, follow_symlinks=False)
    # Last, because it tells whether all this has been done.
    os.chown(path, user.owner, gid)


def clear_remains(data_dir: Path, *, number: int = signal.SIGINT) -> None:
    """Deals with what a crash has left: a server without its launcher, or its pid file.

    The server is sent a signal.

    For the holder of the lock alone, who knows that no other launcher is at work. The pid file has
    to go because its number may belong to another program after a reboot, and Postgres would wait
    for that one for good.
    """
    pid_file = data_dir / "postmaster.pid"
    try:
        recorded = int(pid_file.read_text().split("\n", 1)[0])
    except (FileNotFoundError, ValueError):
        return
    remains = processes_on(data_dir)
    if not remains:
        pid_file.unlink(missing_ok=True)
    elif recorded in remains:
        with contextlib.suppress(ProcessLookupError):
            os.kill(recorded, number)


def processes_on(data_dir: Path) -> list[int]:
    """The ids of the processes of a server that runs on a data directory."""
    if sys.platform != "linux":
        command = ["ps", "-axo", "pid=,args="]
        listed = subprocess.run(command, capture_output=True, text=True, check=True)
        lines = listed.stdout.splitlines()
        return [int(line.split()[0]) for line in lines if str(data_dir) in line]
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        # Every process of a server stays in its data directory.
        with contextlib.suppress(OSError):
            if os.readlink(entry / "cwd") == str(data_dir):
                found.append(int(entry.name))
    return found


def run(command: list[str], user: child.User, directory: Path) -> str | None:
    """Runs a program to its end; returns None when it succeeds and else what it said."""
    process = subprocess.Popen(
        child.wrapped(command, signal.SIGTERM, user, directory),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env=environment(),
        start_new_session=True,
    )
    try:
        said, _ = process.communicate()
    except BaseException:
        # Interrupted: the program's own children go as well.
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        raise
    return None if process.returncode == 0 else said.decode(errors="replace").strip()


def environment() -> dict[str, str]:
    """Ours without what would change the server's settings, and with messages in English."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PG")}
    return {**kept, "LC_ALL": "C"}
