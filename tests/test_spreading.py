"""Tests are spread so that those that share something stay together, and that none is left out."""

import os
import re
import subprocess
import sys
from pathlib import Path

from tests.spreading import FIRST, place, shares

TESTS = Path(__file__).resolve().parent
FIXTURE = re.compile(r"@pytest\.fixture\(.*scope=.(\w+).", re.MULTILINE)


def test_whatever_is_shared_within_a_file_is_found() -> None:
    found = {path: set(FIXTURE.findall(path.read_text())) for path in TESTS.rglob("*.py")}
    of_a_file = {path for path, scopes in found.items() if scopes & {"module", "class", "package"}}
    # A conftest, or a class, would not be looked at.
    assert all(path.name.startswith("test_") for path in of_a_file)
    assert {scope for scopes in found.values() for scope in scopes} <= {"module", "session"}
    assert of_a_file and all(shares(str(path)) for path in of_a_file)


def test_what_comes_first_is_there() -> None:
    for start in FIRST:
        assert (TESTS.parent / start).exists(), start
    assert (
        place(f"{FIRST[0]}::test")
        < place("tests/system/test_a.py::test")
        < place("tests/test_a.py::test")
    )


A_TEST = """
import os, pytest
@pytest.fixture(scope="{scope}")
def shared(): pass
@pytest.mark.parametrize("n", range(30))
def test(shared, n):
    with open("{log}", "a") as log:
        print("{scope}", os.environ["PYTEST_XDIST_WORKER"], n, file=log)
"""


def test_tests_that_share_run_in_one_process_in_their_order_and_others_in_any(tmp_path: Path) -> None:
    log = tmp_path / "log"
    for scope in ("module", "function"):
        (tmp_path / f"test_{scope}.py").write_text(A_TEST.format(scope=scope, log=log))
    options = ["--numprocesses=2", "--dist=loadscope", "--no-loadscope-reorder", f"--rootdir={tmp_path}"]
    plugins = ["-p", "xdist", "-p", "tests.spreading"]
    subprocess.run(
        [sys.executable, "-m", "pytest", *plugins, *options, str(tmp_path)],
        cwd=TESTS.parent,
        env={**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        check=True,
        stdout=subprocess.DEVNULL,
    )
    ran = [line.split() for line in log.read_text().splitlines()]
    processes, numbers = (
        {scope: [line[at] for line in ran if line[0] == scope] for scope in ("module", "function")}
        for at in (1, 2)
    )
    assert (len(set(processes["module"])), len(set(processes["function"]))) == (1, 2)
    assert numbers["module"] == [str(n) for n in range(30)]
    assert sorted(map(int, numbers["function"])) == list(range(30))
