"""Twelve seconds of torture, with the faults of twenty; ``make torture`` takes three minutes."""

import random

from tests.torture.__main__ import torture

SECONDS = 12


def test_what_was_answered_is_kept_once_whatever_is_killed() -> None:
    seed = random.randrange(10**6)
    shown, right = torture(SECONDS, seed, pause=(0.3, 2.4))
    assert right, f"python -m tests.torture --seconds {SECONDS} --seed {seed}: {shown}"
