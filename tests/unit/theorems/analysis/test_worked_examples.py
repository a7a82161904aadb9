"""Numbers of functions that answers share."""

import numpy as np

from deniable.notions import ZCDP, Adjacency, Advantage, ApproxDP, GaussianDP, PureDP
from deniable.population.choices.engine import optimal_success
from deniable.theorems.analysis.explain import (
    ErrorCurve,
    belief_cautions,
    either_end,
    posterior_ranges,
    posterior_upper,
    range_loss,
)
from deniable.theorems.analysis.privacy_loss import Composition, Route, largest_rho, least_approx_dp
from deniable.theorems.analysis.success import (
    attack_success,
    bayes_success,
    exceedance_of,
    loss_of,
)
from deniable.theorems.analysis.target import IdentifiabilityTarget, target_of
from deniable.theorems.analysis.together import beliefs_of_groups, group_loss


def test_explain():
    assert round(posterior_upper(1.0, 0.05), 4) == 0.1252
    assert [round(x.upper, 3) for x in posterior_ranges(0.5, [0.1, 0.5])] == [0.155, 0.622]
    assert belief_cautions(1.0, 0.732, 0.0) == ()
    assert belief_cautions(1000000.0, 1.0, 0.0)[0].split(":")[0] == "This protects nobody"
    assert round(either_end(1.0, 0.0001), 9) == 0.000136788
    assert range_loss(lambda _: 1.0, 0.0001) == 1.0
    assert (
        round(ErrorCurve((ApproxDP(1.0, 1e-06), GaussianDP(0.25))).false_negatives(0.01), 4)
        == 0.9811
    )


def test_privacy_loss():
    assert largest_rho(Advantage(0.1), 0.0).route is Route.GAUSSIAN
    spent = Composition(0.02, Route.GAUSSIAN, 0.0, Adjacency.REPLACE_ONE)
    assert round(least_approx_dp(spent, 1e-06).epsilon, 3) == 0.834


def test_success():
    assert (exceedance_of(0.0), exceedance_of(0.001), exceedance_of(0.5)) == (0.0, 0.1, 0.75)
    assert (loss_of(0.5, 0.0), 0.5 < loss_of(0.5, 0.001) < 0.52) == (0.5, True)
    assert (attack_success(0.0, 0.0), attack_success(float("inf"), 0.01)) == (0.5, 1.0)
    assert (bayes_success(0.0, 0.0, 0.25), round(bayes_success(1.0, 0.0, 0.5), 4)) == (0.75, 0.7311)
    laws = (np.log([[0.75, 0.25]]), np.log([[0.25, 0.75]]))
    assert round(optimal_success(*laws, 0.5, 0.0), 9) == 0.75


def test_target():
    assert target_of("identifiability", 0.5, 8) == IdentifiabilityTarget(value=0.5, worlds=8)


def test_together():
    assert (group_loss(PureDP(0.5), 3), round(group_loss(ZCDP(0.01), 3, 1e-06), 4)) == (1.5, 2.3202)
    assert [round(each.posterior, 3) for each in beliefs_of_groups(PureDP(0.5), 0.1)] == [
        0.155,
        0.232,
        0.332,
        0.575,
        0.943,
    ]
