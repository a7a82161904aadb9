"""li-2012, *On sampling, anonymization and differential privacy*."""

import math
from fractions import Fraction

import pytest

from deniable.errors import NoDerivation, NotApplicable
from deniable.notions import KAnonymity, PositiveMembership, SamplingDP
from deniable.priors import BoundedPriors
from deniable.theorems.catalogue import named
from deniable.theorems.derive import derive
from tests.cases.refusals import refuses
from tests.oracles import beliefs as brute
from tests.oracles import relations as slow


def apply(name, *arguments):
    return named(name).implication(*arguments)


@pytest.mark.parametrize(
    ("k", "beta", "epsilon", "delta"), [(5, 0.1, 1.0, 1.765e-4), (20, 0.2, 1.0, 6.033e-9)]
)
def test_k_anonymity_after_sampling(k, beta, epsilon, delta):
    found = derive(f"k-anonymity:{k}", f"sampling-dp:{beta},{epsilon},?").target
    assert found.delta == pytest.approx(delta, rel=1e-3)
    share = (math.exp(epsilon) - 1 + beta) / math.exp(epsilon)
    least = math.ceil(k / share - 1)
    tails = [
        sum(
            math.comb(n, j) * beta**j * (1 - beta) ** (n - j)
            for j in range(math.floor(share * n) + 1, n + 1)
        )
        for n in range(least, least + 100)
    ]
    assert found.delta == pytest.approx(max(tails), rel=1e-9)


def test_a_larger_epsilon_a_larger_k_and_a_lower_rate_all_help():
    base = apply("k_anonymity_to_sampling_dp", KAnonymity(10), 0.2, 1.0).delta
    assert apply("k_anonymity_to_sampling_dp", KAnonymity(11), 0.2, 1.0).delta < base
    assert apply("k_anonymity_to_sampling_dp", KAnonymity(10), 0.19, 1.0).delta < base
    assert apply("k_anonymity_to_sampling_dp", KAnonymity(10), 0.2, 1.1).delta < base


def test_below_the_doubt_that_sampling_itself_removes_nothing_holds():
    with refuses(NotApplicable, "epsilon-at-least-ln-1-rate"):
        apply("k_anonymity_to_sampling_dp", KAnonymity(10), 0.5, 0.69)


def test_k_anonymity_alone_is_no_dp():
    """Group sizes are published as they are: one entity more is seen with certainty."""
    with pytest.raises(NoDerivation):
        derive("k-anonymity:20", "approx-dp@add-remove")
    with refuses(NoDerivation, "0-below: rate < 1"):
        derive("k-anonymity:20", "sampling-dp:1.0,5.0")


@pytest.mark.parametrize(("beta", "ratio"), [(0.5, 3.0), (0.1, 10.0), (0.25, 1.5)])
def test_amplification(beta, ratio):
    found = derive(f"pure-dp:{math.log(ratio)!r}@add-remove", f"sampling-dp:{beta}").target
    assert found.epsilon == pytest.approx(math.log(1 + beta * (ratio - 1)), rel=1e-12)
    half = apply("sampling_dp_to_lower_rate", SamplingDP(beta, math.log(ratio), 1e-6), beta / 2)
    assert half.epsilon == pytest.approx(math.log(1 + (ratio - 1) / 2), rel=1e-12)
    assert half.delta == pytest.approx(5e-7, rel=1e-12)


def test_a_mechanism_may_be_private_under_sampling_only():
    """Publishing the data is (β, −ln(1 − β), β)-DP at best, never ε-DP under sampling."""
    mechanism = {
        frozenset(): [Fraction(1), Fraction(0)],
        frozenset([0]): [Fraction(0), Fraction(1)],
    }
    at_half = slow.sampled(mechanism, Fraction(1, 2))
    assert at_half[frozenset([0])] == [Fraction(1, 2), Fraction(1, 2)]
    doubt = at_half[frozenset()][0] / at_half[frozenset([0])][0]
    assert doubt == 1 / (1 - Fraction(1, 2))
    assert at_half[frozenset()][1] == 0  # δ = β: a sampled entity is seen


@pytest.mark.parametrize("beta", [Fraction(1, 10), Fraction(1, 2), Fraction(9, 10)])
@pytest.mark.parametrize("ratio", [Fraction(3, 2), Fraction(4)])
def test_dp_under_sampling_is_a_belief_about_absence(beta, ratio):
    """One entity: e^ε of the sampled mechanism is the extreme of Pr[¬t|S]/Pr[¬t], and γ follows."""
    share = Fraction(1, 10)
    mechanism = {
        frozenset(): [share, 1 - share],
        frozenset([0]): [share * ratio, 1 - share * ratio],
    }
    law = brute.product_law([beta])
    exact = brute.add_remove_ratio(slow.sampled(mechanism, beta))
    doubts = [(1 - brute.posterior(law, mechanism, 0, s)) / (1 - beta) for s in range(2)]
    assert max(max(doubts), 1 / min(doubts)) == exact
    gamma = apply("sampling_dp_to_positive_membership", SamplingDP(float(beta), math.log(exact)))
    assert float(brute.positive_gamma(law, mechanism, 1)) <= gamma.gamma * (1 + 1e-12)
    if min(doubts) == 1 / exact:
        assert float(brute.positive_gamma(law, mechanism, 1)) == pytest.approx(gamma.gamma)


def test_the_membership_map_of_theory_at_a_few_points():
    """γ = max(e^ε, (e^ε − 1 + β)/(βe^ε))."""
    for beta, epsilon in ((0.1, 1.0), (0.9, 0.3), (0.5, 2.0)):
        e = math.exp(epsilon)
        found = apply("sampling_dp_to_positive_membership", SamplingDP(beta, epsilon)).gamma
        assert found == pytest.approx(max(e, (e - 1 + beta) / (beta * e)), rel=1e-12)


def test_sampling_in_the_adversary_s_head_is_a_bounded_prior():
    """D_β is inside D_I^[β,β], so add-remove DP bounds γ under it directly."""
    wide = derive("pure-dp:1.0@add-remove", "positive-membership@add-remove", prior=(0.3, 0.3))
    assert isinstance(wide.target, PositiveMembership)
    assert wide.target.adversary == BoundedPriors(0.3, 0.3)
    inside = derive("pure-dp:1.0@add-remove", "positive-membership@sampled-0.3")
    assert inside.target.gamma == pytest.approx(wide.target.gamma, rel=1e-12)
