"""Twenty seconds of torture; ``make torture`` takes three minutes."""

import random

from tests.torture.__main__ import torture


def test_what_was_answered_is_kept_once_whatever_is_killed() -> None:
    seed = random.randrange(10**6)
    shown, right = torture(20, seed)
    assert right, f"python -m tests.torture --seconds 20 --seed {seed}: {shown}"
