import math

import numpy as np
import pytest

from deniable.errors import InvalidArgument
from deniable.judge.bayesian_dp import bayesian_dp, leakage
from deniable.mechanisms.stochastic_matrix import StochasticMatrix
from deniable.priors import GroupedPrior, ProductPrior, UniformPrior
from deniable.universe import Universe


def test_one_record(flip):
    found = bayesian_dp(flip, ProductPrior([0.3]))
    assert found.epsilon == pytest.approx(math.log(2))
    assert (found.record, found.output, dict(found.known)) == (0, 1, {})


def test_records_that_agree_leak_together():
    """Each moves the odds by 2; to whoever knows nothing, both move them by 4."""
    rows = np.array([[0.2, 0.8], [0.4, 0.6], [0.4, 0.6], [0.8, 0.2]])
    matrix = StochasticMatrix(Universe(("a", "b")), ("x", "y"), rows)
    together = bayesian_dp(matrix, GroupedPrior(((0, 1),), (0.5,)))
    assert together.epsilon == pytest.approx(math.log(4))
    assert dict(together.known) == {}
    apart = bayesian_dp(matrix, UniformPrior(2))
    assert apart.epsilon == pytest.approx(math.log(3))
    assert len(apart.known) == 1


def test_values_other_than_in_and_out():
    law = np.array([0.2, 0.3, 0.5])
    likelihood = np.array([[0.5, 0.5], [0.25, 0.75], [0.1, 0.9]])
    found = leakage(law, likelihood)
    assert found.epsilon == pytest.approx(math.log(5))
    assert found.output == 0


def test_what_the_law_excludes_does_not_count():
    law = np.array([0.0, 1.0])
    assert leakage(law, np.array([[1.0, 0.0], [0.0, 1.0]])).epsilon == 0.0


def test_certainty_is_infinite(parity):
    assert bayesian_dp(parity, UniformPrior(2)).epsilon == math.inf


def test_parity_says_nothing_to_those_who_know_nothing(parity):
    found = bayesian_dp(parity, UniformPrior(2))
    assert len(found.known) == 1


def test_shapes_that_do_not_match():
    with pytest.raises(InvalidArgument, match=r"likelihood for each of \(2,\) data sets"):
        leakage([0.5, 0.5], [[1.0], [1.0], [1.0]])
    with pytest.raises(InvalidArgument, match="likelihood for each"):
        leakage(1.0, [1.0])


def test_too_many_records():
    matrix = StochasticMatrix(Universe(tuple("abcdefghijklm")), ("x",), [[1.0]] * 8192)
    with pytest.raises(InvalidArgument, match="at most 12 entities, got 13"):
        bayesian_dp(matrix, UniformPrior(13))
    with pytest.raises(InvalidArgument, match="at most 12 records, got 13"):
        leakage(np.full((1,) * 13, 1.0), np.full((1,) * 14, 1.0))
