"""What is said of any guarantee, held against one mechanism that keeps all of them: a Gaussian.

Its output is N(0, 1) without the person and N(μ, 1) with them, so that the log odds move by
N(μ²/2, μ²) for who is in, and by N(−μ²/2, μ²) for who is not.
"""

import itertools
import math

import pytest
from scipy.stats import norm

from deniable import explain_guarantee
from deniable.errors import InvalidArgument
from deniable.theorems.analysis import posterior_upper
from tests.cases.effort import one_in

SLACK = 1 + 1e-9
"""For the floats of this test."""


def specs(mu):
    """The guarantees that a shift of μ keeps, none of them with room to spare."""
    epsilon = 1.5 * mu
    delta = norm.sf(epsilon / mu - mu / 2) - math.exp(epsilon) * norm.sf(epsilon / mu + mu / 2)
    return {
        "gaussian": f"gaussian-dp:{mu!r}",
        "concentrated": f"zcdp:{mu**2 / 2 * SLACK!r}",
        "one order": f"rdp:8,{8 * mu**2 / 2 * SLACK!r}",
        "ε and δ": f"approx-dp:{epsilon!r},{delta * SLACK!r}",
    }


@pytest.mark.parametrize(
    ("mu", "prior", "exceedance"),
    one_in(3, [*itertools.product([0.1, 0.447213595, 1.5], [0.01, 0.2, 0.5, 0.9], [1e-2, 1e-4])]),
)
def test_no_gaussian_moves_a_belief_further_or_more_often_than_is_said(mu, prior, exceedance):
    answered = 0
    for spec in specs(mu).values():
        try:
            said = explain_guarantee(spec, prior=(prior, prior), exceedance=exceedance)
        except InvalidArgument:  # a δ above the exceedance
            continue
        (belief,) = said.posterior
        answered += 1
        for bound, centre in ((belief.upper, mu**2 / 2), (belief.lower, -(mu**2) / 2)):
            loss = abs(math.log(bound / (1 - bound)) - math.log(prior / (1 - prior)))
            assert norm.sf((loss - abs(centre)) / mu) <= said.exceedance * SLACK
        assert said.gamma * SLACK >= posterior_upper(said.loss, prior) / prior
        if said.attack_success is not None:
            assert said.attack_success * SLACK >= norm.cdf(mu / 2)
        if said.advantage is not None:
            assert said.advantage * SLACK >= 2 * norm.cdf(mu / 2) - 1
    assert answered >= 3
