"""A worker starts with what it will need, out of the garbage collector's way."""

import gc
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from service import gunicorn_conf
from service.rules.ruleset import BUILT_IN


def test_a_worker_is_warm_before_its_first_request() -> None:
    before, switching = gc.get_threshold(), sys.getswitchinterval()
    try:
        gunicorn_conf.post_worker_init(None)
        assert gc.get_freeze_count() > 10_000
        assert sys.getswitchinterval() < 0.001
        assert all("tables" in vars(ruleset) for ruleset in BUILT_IN.values())
    finally:
        gc.unfreeze()
        gc.set_threshold(*before)
        sys.setswitchinterval(switching)


def test_rule_sets_are_compiled_once_for_all_workers(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("DATABASE_URL", "postgresql://elsewhere.example/susun")
    monkeypatch.setenv("PROMETHEUS_MULTIPROC_DIR", str(tmp_path))
    monkeypatch.setattr(gunicorn_conf, "make_shared", lambda: None)
    for ruleset in BUILT_IN.values():
        vars(ruleset).pop("tables", None)
    gunicorn_conf.on_starting(SimpleNamespace(master_pid=0))
    assert all("tables" in vars(ruleset) for ruleset in BUILT_IN.values())
