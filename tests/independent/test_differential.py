"""Against a second scorer, written from the rules alone and sharing no code with the first."""

import pytest

from schemas.rounds import read_round
from tests.independent.deals import deals
from tests.independent.scorer import score as score_independently
from tests.rules.rounds import scored, without_texts
from tests.rules.test_vectors import find

#: Of the others fewer: most of what there is to get wrong, they have in common with the first.
DEALS = {"bsfyi": 20_000, "panduan": 10_000, "gratis": 10_000}


@pytest.mark.parametrize("ruleset", DEALS)
def test_two_scorers_agree_on_random_and_stacked_deals(ruleset: str) -> None:
    for request in deals(ruleset, DEALS[ruleset], seed=2_026):
        asked = read_round(request, find)
        result = without_texts(scored(asked.ruleset, asked.seats, asked.stake))
        assert result == score_independently(request), request
