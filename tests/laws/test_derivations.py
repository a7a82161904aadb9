"""Whatever `derive` concludes from what the judge measures, the judge finds to be so.

Theorems are tried one by one elsewhere; here chains of them, on random mechanisms, so that a
guarantee that loses on its way what it is about does not go unnoticed.
"""

import attrs
import numpy as np
import pytest

from deniable import verify
from deniable.errors import NoDerivation
from deniable.judge import negative_gamma_here, positive_gamma_here
from deniable.judge.semantic import bayesian_dp
from deniable.mechanisms import StochasticMatrix
from deniable.notions import (
    Adjacency,
    Advantage,
    AttackSuccess,
    BayesianDP,
    Identifiability,
    NegativeMembership,
    OneSidedDP,
    PopulationPrivacy,
    PositiveMembership,
    PureDP,
    SamplingDP,
    Semantic,
    Setting,
    Side,
)
from deniable.notions.notation import form_of
from deniable.priors import CorrelatedPriors, TablePrior
from deniable.priors.families import SinglePriors
from deniable.priors.universe import Universe, subsets
from deniable.theorems.derive import derive
from tests.cases.effort import one_in, usual

N = 3
OUT, SWAP = Adjacency.ADD_REMOVE, Adjacency.REPLACE_ONE
RATE = 0.3
GIVEN = (PureDP, OneSidedDP, NegativeMembership, Semantic, SamplingDP, BayesianDP)


def drawn(seed):
    """A mechanism on three entities whose output leans with their number, and a prior.

    Under the prior they mostly come together, so that it learns more than ε about each.
    """
    rng = np.random.default_rng(seed)
    lean = np.exp(np.outer(subsets(N).sum(axis=1), rng.normal(0, 0.5, size=3)))
    rows = lean * rng.uniform(0.8, 1.2, size=lean.shape)
    law = rng.uniform(0.5, 1.5, size=2**N) / 1000
    law[0], law[-1] = 0.9, 0.1
    mechanism = StochasticMatrix(
        Universe(("a", "b", "c")), ("0", "1", "2"), rows / rows.sum(axis=1, keepdims=True)
    )
    return mechanism, TablePrior(subsets(N), law / law.sum())


def population(matrix, size):
    """ε of population privacy, from its definition."""
    kept = subsets(N).sum(axis=1) == size
    members, rows = subsets(N)[kept], matrix.rows[kept]
    losses = [
        np.abs(np.log(rows[members[:, x]].mean(axis=0) / rows[~members[:, x]].mean(axis=0))).max()
        for x in range(N)
    ]
    return float(max(losses))


def measured(matrix, correlated):
    """Guarantees that hold with equality on this universe, or for one prior of their family."""
    free, fixed = verify(matrix, "independent", rate=RATE), verify(matrix, "bounded")
    prior = SinglePriors(correlated)
    star = max(
        positive_gamma_here(matrix, prior).bound.upper,
        negative_gamma_here(matrix, prior).bound.upper,
    )
    return [
        PureDP(free.epsilon_add_remove, OUT),
        PureDP(fixed.epsilon_replace_one),
        OneSidedDP(free.epsilon_positive),
        OneSidedDP(free.epsilon_negative, Side.NEGATIVE),
        PositiveMembership(free.positive_gamma, adjacency=OUT),
        NegativeMembership(free.negative_gamma, adjacency=OUT),
        PositiveMembership(fixed.positive_gamma),
        NegativeMembership(fixed.negative_gamma),
        Semantic(free.semantic, adjacency=OUT),
        SamplingDP(RATE, free.sampling_epsilon),
        *(Identifiability(rho, worlds) for worlds, rho in free.identifiability.items()),
        Advantage(free.advantage, Setting.ADD_REMOVE),
        Advantage(fixed.advantage),
        AttackSuccess((1 + fixed.advantage) / 2),
        PopulationPrivacy(population(matrix, 1)),
        PopulationPrivacy(population(matrix, 2)),
        BayesianDP(bayesian_dp(matrix, correlated), OUT),
        PositiveMembership(star, CorrelatedPriors(), adjacency=OUT),
    ]


def stronger(guarantee):
    """The same claim with every number a millionth better than what was measured: false."""
    changes = {}
    for name in form_of(type(guarantee)).claims:
        least = 1.0 if name == "gamma" else 0.0
        value = getattr(guarantee, name)
        changes[name] = least + (value - least) * (1 - 1e-6)
    return attrs.evolve(guarantee, **changes)


@pytest.mark.parametrize("seed", range(usual(1, 2)))
def test_nothing_better_than_what_is_measured_is_ever_derived(seed):
    found = measured(*drawn(seed))
    proper = [each for each in map(stronger, found) if each not in found]
    assert len(proper) >= 17
    for place, given in enumerate(found):
        if isinstance(given, GIVEN):
            for target in one_in(3, proper, place):  # another third after each
                with pytest.raises(NoDerivation):
                    derive(given, target)
