import itertools
import math
from fractions import Fraction

import numpy as np
import pytest

from deniable.priors import size_conditioned
from deniable.priors.size_conditioned import ConditionalBernoulli


def elementary(weights, size):
    return sum((math.prod(chosen) for chosen in itertools.combinations(weights, size)), Fraction(0))


WEIGHTS = [Fraction(k) for k in (1, 3, 3, 10)] + [Fraction(1, 7), Fraction(1, 1000)]
LOGS = np.log([float(w) for w in WEIGHTS])


@pytest.mark.parametrize("size", range(7))
def test_elementary_symmetric_polynomials(size):
    law = ConditionalBernoulli(LOGS, size)
    exact = elementary(WEIGHTS, size)
    assert law.log_normaliser == pytest.approx(math.log(exact), abs=1e-13)
    for i, weight in enumerate(WEIGHTS):
        rest = WEIGHTS[:i] + WEIGHTS[i + 1 :]
        inside = weight * elementary(rest, size - 1) / exact if size else 0
        assert law.marginals[i] == pytest.approx(float(inside), rel=1e-13)


@pytest.mark.parametrize("size", range(1, 6))
def test_the_tilt_reaches_the_size(size):
    law = ConditionalBernoulli(LOGS, size)
    assert (1 / (1 + np.exp(-law.logits))).sum() == pytest.approx(size, abs=1e-5)


def test_the_sampler_does_not_depend_on_the_table_s_blocks(monkeypatch):
    law = ConditionalBernoulli(LOGS, 3)
    whole = law.draws(np.random.default_rng(1), 50)
    for table in (1, 11):
        monkeypatch.setattr(size_conditioned, "TABLE", table)
        assert np.array_equal(law.draws(np.random.default_rng(1), 50), whole)


def test_no_events():
    law = ConditionalBernoulli(np.zeros(0), 0)
    assert law.draws(np.random.default_rng(1), 3).shape == (3, 0)
    assert law.log_prob(np.zeros((3, 0), dtype=bool)).tolist() == [0, 0, 0]
    assert law.log_normaliser == 0.0
