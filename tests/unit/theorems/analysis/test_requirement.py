import pytest

from deniable.errors import InfeasibleTarget
from deniable.notions import (
    Adjacency,
    Advantage,
    ApproxDP,
    MaxPosterior,
    PrivacyLossTail,
    PureDP,
)
from deniable.priors import BoundedPriors
from deniable.theorems.analysis import (
    AttackSuccessTarget,
    EpsilonTarget,
    GammaTarget,
    IdentifiabilityTarget,
    MaxPosteriorTarget,
    claimed,
    infeasible,
    pure_budget,
    requirement,
    target_of,
)
from tests.cases.refusals import refuses

ADVERSARY = BoundedPriors(0.1, 0.4)
SWAP, FLIP = Adjacency.REPLACE_ONE, Adjacency.ADD_REMOVE


def test_a_posterior_is_claimed_at_the_upper_end_of_the_prior():
    claim = claimed(MaxPosteriorTarget(0.8), ADVERSARY, FLIP, 1e-6)
    assert claim == MaxPosterior(0.8, 0.4, 1e-6, FLIP)


def test_a_budget_given_outright_claims_nothing_and_asks_for_itself():
    target = EpsilonTarget(0.7)
    assert claimed(target, ADVERSARY, FLIP) is None
    assert pure_budget(target, None, FLIP) == PureDP(0.7, FLIP)
    assert requirement(target, None, FLIP, 1e-6) == ApproxDP(0.7, 1e-6, FLIP)


def test_beliefs_ask_for_a_tail_and_attacks_for_an_advantage():
    gamma = GammaTarget(2.0)
    tail = requirement(gamma, claimed(gamma, ADVERSARY, FLIP), FLIP, 1e-6)
    assert isinstance(tail, PrivacyLossTail)
    assert (tail.exceedance, tail.adjacency) == (1e-6, FLIP)
    success = AttackSuccessTarget(0.75)
    assert requirement(success, claimed(success, ADVERSARY, SWAP), SWAP, 1e-6) == Advantage(0.5)


def test_identifiability_asks_for_replace_one_whatever_the_plan():
    target = IdentifiabilityTarget(0.3, 8)
    claim = claimed(target, ADVERSARY, FLIP)
    assert pure_budget(target, claim, FLIP).adjacency is SWAP
    assert requirement(target, claim, FLIP, 1e-6).adjacency is SWAP


def test_a_target_without_noise_is_refused():
    target = GammaTarget(1.0)
    with refuses(InfeasibleTarget, "that-some-noise-meets: gamma=1.0"):
        requirement(target, claimed(target, ADVERSARY, SWAP), SWAP, 1e-6)
    assert "Ask for more than 1" in str(infeasible(target))


@pytest.mark.parametrize("adjacency", Adjacency)
@pytest.mark.parametrize("kind", ["gamma", "max_posterior", "attack_success", "advantage"])
def test_what_is_claimed_is_of_the_adjacency_that_was_asked_for(kind, adjacency):
    value = 2.0 if kind == "gamma" else 0.8
    claim = claimed(target_of(kind, value), ADVERSARY, adjacency)
    labels = claim.spec.split("@")[1:]
    assert ("add-remove" in labels) == (adjacency is FLIP)
    assert pure_budget(target_of(kind, value), claim, adjacency).adjacency is adjacency
