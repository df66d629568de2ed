"""Some thousands of mutated requests; ``make fuzz`` sends many more."""

import random

from tests.fuzz.__main__ import fuzz


def test_mutated_requests_are_never_our_fault_and_leave_nothing_wrong() -> None:
    seed = random.randrange(10**6)
    assert fuzz(3_000, seed), f"python -m tests.fuzz --requests 3000 --seed {seed}"
