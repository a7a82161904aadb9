import math

import numpy as np
import pytest

from deniable.errors import InvalidArgument
from deniable.judge.sampling import (
    negative_gamma,
    positive_gamma,
    sampled,
    sampling_epsilon,
)


def test_the_law_on_a_sample(flip):
    assert sampled(flip, 0.5).tolist() == [[0.75, 0.25], [0.625, 0.375]]
    assert sampled(flip, 1.0).tolist() == flip.rows.tolist()
    assert (sampled(flip, 0.0) == flip.rows[0]).all()
    assert flip.rows[1].tolist() == [0.5, 0.5]  # not written into


def test_epsilon(flip, parity, pick):
    assert sampling_epsilon(flip, 0.5) == pytest.approx(math.log(1.5))
    assert sampling_epsilon(flip, 0.0) == 0.0
    assert sampling_epsilon(parity, 1.0) == math.inf
    assert sampling_epsilon(parity, 0.3) == math.inf  # the empty set samples to itself
    assert sampling_epsilon(pick, 0.5) is None


def test_gammas(flip):
    up, down = positive_gamma(flip, 0.5), negative_gamma(flip, 0.5)
    assert up.bound.upper == pytest.approx(1.5)
    assert down.bound.upper == pytest.approx(1.25)
    assert up.witness.as_json() == {"entity": "a", "output": "yes", "prior": {"": 0.5, "a": 0.5}}
    assert down.witness.output == "no"


@pytest.mark.parametrize("rate", [0.0, 1.0])
def test_certainty_is_no_family(flip, rate):
    assert positive_gamma(flip, rate) is None
    assert negative_gamma(flip, rate) is None


def test_sizes_that_lack(pick):
    assert positive_gamma(pick, 0.5) is None


def test_small_rates_keep_their_precision(flip):
    found = positive_gamma(flip, 1e-12).bound.upper
    assert found == pytest.approx(2.0, rel=1e-9)  # Pr[t|S]/Pr[t] at a prior near 0


@pytest.mark.parametrize("rate", [-0.1, 1.1, math.nan])
def test_rates_that_are_none(flip, rate):
    for figure in (sampled, sampling_epsilon, positive_gamma, negative_gamma):
        with pytest.raises(InvalidArgument, match="rate"):
            figure(flip, rate)


def test_a_useless_mechanism(constant):
    assert positive_gamma(constant, 0.5).bound.upper == 1.0
    assert np.allclose(sampled(constant, 0.4), constant.rows)
