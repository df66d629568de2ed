"""``make check`` and ``make test``: whatever fails is shown and named, and nothing hides it."""

import importlib.util
import os
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[1]
FINE, BAD = "pass", "print('line 7 is wrong'); raise SystemExit(1)"


def python(code: str) -> list[str]:
    return [sys.executable, "-c", code]


@pytest.fixture(scope="session")
def script() -> Any:
    path = ROOT / ".ci" / "side_by_side.py"
    specification = importlib.util.spec_from_file_location("side_by_side", path)
    assert specification is not None and specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


@pytest.mark.parametrize("tests", [FINE, BAD], ids=["tests fine", "tests bad"])
@pytest.mark.parametrize("second", [FINE, BAD], ids=["second fine", "second bad"])
@pytest.mark.parametrize("first", [FINE, BAD], ids=["first fine", "first bad"])
def test_what_fails_is_named_and_shown_and_the_others_run_all_the_same(
    script: Any, capfd: pytest.CaptureFixture[str], first: str, second: str, tests: str
) -> None:
    commands = {"first": first, "second": second, "tests": tests}
    tools = {name: python(commands[name]) for name in ("first", "second")}
    status = script.main([], tools, python(tests))
    failed = [name for name, code in commands.items() if code == BAD]
    assert status == (1 if failed else 0)
    out, err = capfd.readouterr()
    assert err == (f"failed: {', '.join(failed)}\n" if failed else "")
    assert out.count("line 7 is wrong") == len(failed)
    for name in ("first", "second"):
        assert (f"--- {name} failed\nline 7 is wrong" in out) == (name in failed)


def test_what_a_tool_says_though_all_is_well_is_shown(
    script: Any, capfd: pytest.CaptureFixture[str]
) -> None:
    assert script.main([], {"audit": python("print('not audited')")}, python(FINE)) == 0
    assert "not audited" in capfd.readouterr().out


def test_a_tool_that_is_not_there_has_failed(script: Any, capfd: pytest.CaptureFixture[str]) -> None:
    assert script.main([], {"lint": ["/nowhere/lint"]}, python(FINE)) == 1
    assert capfd.readouterr().err == "failed: lint\n"


def test_arguments_are_for_the_tests(script: Any, capfd: pytest.CaptureFixture[str]) -> None:
    assert script.main(["-k", "x"], {}, python("import sys; print(sys.argv[1:])")) == 0
    assert capfd.readouterr().out == "['-k', 'x']\n"


def test_tools_that_are_stopped_end_at_once_and_are_no_failures(
    script: Any, capfd: pytest.CaptureFixture[str]
) -> None:
    begun = threading.Event()
    tools = script.Tools({"slow": python("import time; time.sleep(60)"), "never": python(BAD)})
    tools.start()
    while not begun.is_set():
        if tools._running is not None:
            begun.set()
    tools.stop()
    tools.join(20)
    assert not tools.is_alive() and tools.failed == []
    assert capfd.readouterr().out == ""


WAITS = """
import pathlib, sys, time
try:
    pathlib.Path(sys.argv[1]).touch()
    time.sleep(60)
except KeyboardInterrupt:
    print("tests ended in order")
"""
MAIN = """
import runpy, sys
script = runpy.run_path(sys.argv[1])
script["signal"].signal(script["signal"].SIGTERM, script["_asked_to_end"])
sys.exit(script["main"]([sys.argv[2]], {}, [sys.executable, "-c", sys.argv[3]]))
"""


def test_when_it_is_told_to_end_the_tests_end_in_order(tmp_path: Path) -> None:
    begun = tmp_path / "begun"
    command = [*python(MAIN), str(ROOT / ".ci" / "side_by_side.py"), str(begun), WAITS]
    told = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    until = time.monotonic() + 30
    while not begun.exists():
        assert time.monotonic() < until and told.poll() is None
        time.sleep(0.01)
    told.terminate()
    said, _ = told.communicate(timeout=30)
    assert (told.returncode, said) == (143, "tests ended in order\n")


def test_every_tool_is_there(script: Any) -> None:
    for name, command in script.TOOLS.items():
        assert Path(command[0]).exists(), name


def test_ci_and_make_run_the_same_tests() -> None:
    """Nothing that `make check` runs is left out of `make test`."""
    shown = {
        goal: subprocess.run(
            ["make", "--dry-run", "--always-make", goal],
            cwd=ROOT,
            env={name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for goal in ("check", "test")
    }
    for text in shown.values():
        assert ".ci/side_by_side.py" in text and "--ignore" not in text
    assert shown["test"].split()[-1] == "tests"
    assert (ROOT / ".ci" / "run").read_text().splitlines()[-1] == "exec make test"
