"""Lint, types, contracts, known vulnerabilities, and the tests beside: ``side_by_side.py [for pytest]``.

One tool after another, while pytest shows its progress. What a tool has to say is shown as soon as it
has ended; what failed is named at the end, and the exit status is 1.
"""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BIN = Path(sys.executable).parent
TOOLS = {
    "ruff check": [str(BIN / "ruff"), "check", "--quiet", "."],
    "ruff format": [str(BIN / "ruff"), "format", "--quiet", "--check", "."],
    "lint-imports": [str(BIN / "lint-imports"), "--no-logo"],
    "mypy": [str(BIN / "mypy"), "--no-error-summary"],
    "audit_packages": [sys.executable, str(Path(__file__).with_name("audit_packages.py"))],
}
TESTS = [sys.executable, "-m", "pytest"]
#: They tell of what is well, too, which nobody needs to read.
WORDY = ("lint-imports",)


class Tools(threading.Thread):
    """Runs tools; ``failed`` names those that did not end well."""

    def __init__(self, tools: Mapping[str, Sequence[str]]) -> None:
        super().__init__()
        self.tools, self.failed = tools, list[str]()
        self.stopped = threading.Event()
        self._running: subprocess.Popen[str] | None = None

    def run(self) -> None:
        """One after another, all of them, unless told to stop."""
        for name, command in self.tools.items():
            if self.stopped.is_set():
                return
            try:
                said, status = self._said(command)
            except OSError as problem:
                said, status = str(problem), 1
            if status != 0 and not self.stopped.is_set():
                self.failed.append(name)
                print(f"\n--- {name} failed\n{said.rstrip()}\n---", flush=True)
            elif said and name not in WORDY:
                print(f"\n{said.rstrip()}", flush=True)

    def stop(self) -> None:
        """End the one that is running, and begin no other."""
        self.stopped.set()
        if self._running is not None and self._running.poll() is None:
            self._running.terminate()

    def _said(self, command: Sequence[str]) -> tuple[str, int]:
        out = subprocess.PIPE
        with subprocess.Popen(
            command, cwd=ROOT, stdout=out, stderr=subprocess.STDOUT, text=True
        ) as done:
            self._running = done
            said, _ = done.communicate()
        return said, done.returncode


def main(
    arguments: Sequence[str],
    tools: Mapping[str, Sequence[str]] | None = None,
    tests: Sequence[str] | None = None,
) -> int:
    """The exit status: 0 if all is well. ``tools`` and ``tests`` replace the commands."""
    beside = Tools(TOOLS if tools is None else tools)
    beside.start()
    failed = []
    tested = subprocess.Popen([*(TESTS if tests is None else tests), *arguments], cwd=ROOT)
    try:
        if tested.wait() != 0:
            failed.append("tests")
        beside.join()
    except KeyboardInterrupt as asked:
        beside.stop()
        # A terminal has told pytest as well, which ends what it has started.
        if asked.args:
            tested.send_signal(signal.SIGINT)
        tested.wait()
        return 128 + (asked.args[0] if asked.args else signal.SIGINT)
    failed = [*beside.failed, *failed]
    if failed:
        print(f"failed: {', '.join(failed)}", file=sys.stderr, flush=True)
    return 1 if failed else 0


def _asked_to_end(number: int, frame: object) -> None:
    raise KeyboardInterrupt(number)


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, _asked_to_end)
    # In the background the interrupt may be ignored, and the tests of Ctrl-C would inherit that.
    if os.name == "posix" and signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    sys.exit(main(sys.argv[1:]))
