"""Against a second scorer, written from the rules alone and sharing no code with the first."""

import pytest

from schemas.rounds import read_round
from tests.independent.deals import deals
from tests.independent.scorer import score as score_independently
from tests.rules.rounds import scored, without_texts
from tests.rules.test_vectors import find

DEALS = 20_000


@pytest.mark.parametrize("ruleset", ["bsfyi", "panduan", "gratis"])
def test_two_scorers_agree_on_random_and_stacked_deals(ruleset: str) -> None:
    for request in deals(ruleset, DEALS, seed=2_026):
        asked = read_round(request, find)
        result = without_texts(scored(asked.ruleset, asked.seats, asked.stake))
        assert result == score_independently(request), request
