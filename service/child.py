"""Starts a command that ends when the process that started it does.

Postgres and gunicorn must not outlive `susun run`, not even when it is killed with SIGKILL and can
do nothing about it. Linux can send a process a signal when its parent dies, but forgets the request
whenever the process changes its user. So this file is also a small program: it becomes the wanted
user first, asks for the signal then, and is replaced by the command at last. That also keeps Python
code from running between fork and exec in a parent that may have threads.

It may import nothing but the standard library: it runs without the project's packages.
"""

from __future__ import annotations

import ctypes
import os
import pwd
import signal
import sys
from dataclasses import dataclass
from pathlib import Path

PR_SET_PDEATHSIG = 1
CLONE_NEWUSER = 0x10000000


@dataclass(frozen=True)
class User:
    """Who a command runs as: this process's user, another one, or root seen as somebody else.

    With `namespace` the command runs in a user namespace in which root's files belong to `uid`;
    outside of it nothing changes its owner.
    """

    uid: int
    gid: int
    namespace: bool = False

    def __str__(self) -> str:
        return f"user {self.uid}" + (" in a namespace" if self.namespace else "")

    @property
    def owner(self) -> int:
        """The id, as seen from outside, of the files that the command makes."""
        return os.geteuid() if self.namespace else self.uid


def myself() -> User:
    """The user of this process."""
    return User(os.geteuid(), os.getegid())


def wrapped(command: list[str], last_signal: signal.Signals, user: User, directory: Path) -> list[str]:
    """`command` in its wrapper: run as `user`, in `directory`, sent `last_signal` when we die.

    The signal also comes when the thread that starts it ends, so start it from a lasting one. On
    systems other than Linux no such signal exists and none is sent.
    """
    who = f"{user.uid}:{user.gid}:{'namespace' if user.namespace else ''}"
    wrapper = [sys.executable, "-I", "-S", str(Path(__file__).resolve())]
    return [*wrapper, str(int(last_signal)), str(os.getpid()), who, str(directory), *command]


def main(arguments: list[str]) -> None:
    """Turns this process into the command, as `wrapped` has written it down; does not return."""
    last_signal, parent, who, directory, *command = arguments
    uid, gid, namespace = who.split(":")
    signal.pthread_sigmask(signal.SIG_SETMASK, [])
    for number in (signal.SIGINT, signal.SIGTERM):
        # Started in the background by a shell, we have inherited that these are ignored.
        signal.signal(number, signal.SIG_DFL)
    # Loaded now, because the new user may not be able to read Python's own files.
    libc = ctypes.CDLL(None, use_errno=True)
    if namespace:
        _enter_namespace(libc, int(uid), int(gid))
    elif int(uid) != os.geteuid():
        os.setgroups([])
        os.setgid(int(gid))
        os.setuid(int(uid))
    if sys.platform == "linux":
        libc.prctl(PR_SET_PDEATHSIG, int(last_signal), 0, 0, 0)
    if os.getppid() != int(parent):
        raise SystemExit("The process that started this one is gone.")
    os.chdir(directory)
    os.execv(command[0], command)


def _enter_namespace(libc: ctypes.CDLL, uid: int, gid: int) -> None:
    """Moves this process into a new user namespace where our user and group are `uid` and `gid`."""
    outside = (os.geteuid(), os.getegid())
    if libc.unshare(CLONE_NEWUSER) != 0:
        raise OSError(ctypes.get_errno(), "user namespaces are not allowed here")
    Path("/proc/self/setgroups").write_text("deny")
    Path("/proc/self/uid_map").write_text(f"{uid} {outside[0]} 1")
    Path("/proc/self/gid_map").write_text(f"{gid} {outside[1]} 1")


def unprivileged() -> list[User]:
    """The users to try for a command that refuses to run as root, best first."""
    named = []
    for name in ("postgres", "nobody"):
        try:
            entry = pwd.getpwnam(name)
        except KeyError:
            continue
        named.append(User(entry.pw_uid, entry.pw_gid))
    if sys.platform != "linux":
        return named
    # Programs look up the name of their user, so the namespace needs one that has an entry.
    inside = named or [User(e.pw_uid, e.pw_gid) for e in pwd.getpwall() if e.pw_uid != 0]
    return named + [User(user.uid, user.gid, namespace=True) for user in inside[:1]]


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except OSError as problem:
        sys.exit(f"{sys.argv[5]}: {problem.strerror or problem}")
