"""Choices beside a sum: drawn and weighed as their laws say."""

import math

import numpy as np
import pytest

from deniable.mechanisms import NoisyTopK
from deniable.population.question import Selection
from deniable.population.type_sums import Selected
from tests.oracles.selections import selection_law

MOVES = np.array([[[1, 0, 0], [0, 2, 0]], [[0, 1, 0], [0, 0, 1]]])


@pytest.mark.parametrize("noise", ["exponential", "gumbel"])
@pytest.mark.parametrize(("number", "absolute"), [(1, False), (2, False), (3, False), (1, True)])
def test_weights_are_the_laws(noise, number, absolute):
    selection = Selection(MOVES, absolute, NoisyTopK(1.3, number, noise))
    counts = np.array([[3, 2], [0, 5], [4, 1]])
    chosen = np.array([[0, 1, 2], [2, 0, 1]])[:, :number][None]  # two cells
    found = Selected([selection]).log_prob(counts[None], [chosen])
    for place, row in enumerate(counts):
        wanted = 0.0
        for cell in (0, 1):
            scores = row @ MOVES[:, cell]
            law = selection_law((-abs(scores) if absolute else scores).tolist(), number, 1.3, noise)
            wanted += math.log(law[tuple(chosen[0, cell].tolist())])
        assert found[0, place] == pytest.approx(wanted, abs=1e-12)


@pytest.mark.parametrize("noise", ["exponential", "gumbel"])
def test_draws_follow_the_law(noise):
    selection = Selection(MOVES[:, :1], False, NoisyTopK(2.0, 2, noise))
    counts = np.tile([[3, 1]], (40_000, 1))
    (drawn,) = Selected([selection]).draw(np.random.default_rng(1), counts)
    law = selection_law([3, 1, 0], 2, 2.0, noise)
    for chosen, chance in law.items():
        seen = (drawn[:, 0] == chosen).all(axis=1).mean()
        # Six standard deviations: a false alarm in a billion.
        assert abs(seen - chance) < 6 * math.sqrt(chance * (1 - chance) / len(drawn))


def test_counts_of_those_left_out_are_turned_into_those_of_the_sample():
    selection, everyone = Selection(MOVES, False, NoisyTopK(1.0, 1, "gumbel")), np.array([6, 7])
    chosen = [np.array([[[0], [2]]])]
    taken = np.array([[[2, 5], [6, 0]]])
    same = Selected([selection]).log_prob(taken, chosen)
    assert np.array_equal(Selected([selection], everyone).log_prob(everyone - taken, chosen), same)
