"""A worker starts with what it will need, out of the garbage collector's way."""

import gc
import sys

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
