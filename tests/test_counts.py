"""Where workers count: in memory, and nothing that a killed server leaves stays there."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from service import gunicorn_conf


def test_what_killed_servers_have_left_is_removed_and_no_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with subprocess.Popen([sys.executable, "-c", ""]) as ended:
        ended.wait()
    left = tmp_path / f"susun-counts-{ended.pid}-x"
    mine = tmp_path / f"susun-counts-{os.getpid()}-y"
    other = tmp_path / "susun-run"
    for directory in (left, mine, other):
        directory.mkdir()
        (directory / "counter_1.db").touch()
    monkeypatch.setattr(gunicorn_conf, "_in_memory", str(tmp_path))
    gunicorn_conf.clear_counts()
    assert {found.name for found in tmp_path.iterdir()} == {mine.name, other.name}
