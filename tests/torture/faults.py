"""What is done to a running service: its processes are killed, as a machine in trouble would."""

import contextlib
import os
import random
import signal
import threading
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

#: What may be killed, and how often each is chosen.
KINDS = {"worker": 4, "master": 2, "postmaster": 2, "backend": 3}
#: Seconds between two faults.
PAUSE = (0.5, 4.0)


class Process:
    """A process below `susun run`."""

    def __init__(self, pid: int, parent: int, command: str) -> None:
        self.pid, self.parent, self.command = pid, parent, command


def below(root: int) -> dict[str, list[int]]:
    """The processes below one, by kind, as they are just now."""
    processes = {process.pid: process for process in _all()}
    found: dict[str, list[int]] = {kind: [] for kind in KINDS}
    for process in processes.values():
        parent = processes.get(process.parent)
        if parent is None or not _is_below(process, root, processes):
            continue
        if "gunicorn" in process.command:
            found["worker" if "gunicorn" in parent.command else "master"].append(process.pid)
        elif process.command.startswith("postgres: susun "):
            found["backend"].append(process.pid)
        elif "postgres" in process.command and not process.command.startswith("postgres: "):
            found["postmaster"].append(process.pid)
    return found


def _all() -> list[Process]:
    found = []
    for directory in Path("/proc").iterdir():
        if directory.name.isdigit():
            with contextlib.suppress(OSError, IndexError):
                command = (
                    (directory / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
                )
                parent = int((directory / "stat").read_text().rpartition(")")[2].split()[1])
                found.append(Process(int(directory.name), parent, command))
    return found


def _is_below(process: Process, root: int, processes: dict[int, Process]) -> bool:
    while process.parent in processes:
        if process.parent == root:
            return True
        process = processes[process.parent]
    return False


class Killer(threading.Thread):
    """Kills something after every pause, of that many seconds; ``done`` counts what."""

    def __init__(self, root: int, seed: int, pause: tuple[float, float] = PAUSE) -> None:
        super().__init__(name="killer", daemon=True)
        self.root, self.chance, self.pause = root, random.Random(seed), pause
        self.done: Counter[str] = Counter()
        self.over = threading.Event()

    def run(self) -> None:
        """Go on until it is over."""
        while not self.over.wait(self.chance.uniform(*self.pause)):
            kind = self.chance.choices(list(KINDS), list(KINDS.values()))[0]
            victims = below(self.root)[kind]
            if victims:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(self.chance.choice(victims), signal.SIGKILL)
                    self.done[kind] += 1


def wait_for(condition: Callable[[], bool], seconds: float) -> bool:
    """Wait until a condition holds, for so many seconds at most; whether it does."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.2)
    return True
