import inspect
import json
import math

import pytest

import deniable
from deniable.errors import InvalidArgument, NoDerivation
from deniable.notions import (
    ZCDP,
    Adjacency,
    BayesianDP,
    BayesianSemantic,
    MaxPosterior,
    PositiveMembership,
    PureDP,
    Setting,
)
from deniable.numerics.bound import Evidence
from deniable.priors import BoundedPriors, CorrelatedPriors
from deniable.theorems.catalogue import CATALOGUE
from deniable.theorems.derive import WEAKENING, Derivation, derive
from deniable.theorems.renyi import zcdp_to_approx_dp_by_orders
from tests.cases.refusals import refuses, says

OUT = Adjacency.ADD_REMOVE


def names(found: Derivation) -> list[str]:
    return [link.theorem.split(" ")[0] for link in found.chain]


def test_it_is_public():
    assert inspect.unwrap(deniable.derive) is inspect.unwrap(derive)


@pytest.mark.parametrize(
    ("given", "target", "prior", "numbers", "chain"),
    [
        ("pure-dp:1@add-remove", "pure-dp", None, [2.0], ["add_remove_dp_to_replace_one_dp"]),
        (
            f"pure-dp:{math.log(3)!r}",
            "positive-membership",
            (0.5, 0.5),
            [2.0],
            ["pure_dp_to_positive_membership"],
        ),
        ("positive-membership:2", "pure-dp", None, [math.log(2)],
         ["positive_membership_to_replace_one_dp"]),
        ("identifiability:0.9,2", "positive-membership", None, [5.0],
         ["identifiability_to_positive_membership"]),
        ("identifiability:0.3,8", "positive-membership@one-of-8", None, [2.4],
         ["identifiability_to_positive_membership"]),
        ("positive-membership:2.4@one-of-8", "identifiability", None, [0.3, 8],
         ["positive_membership_to_identifiability"]),
        ("positive-membership:2,1e-6@add-remove", "max-posterior:?,1e-6", (0.0, 0.3), [0.6, 1e-6],
         ["positive_membership_to_max_posterior"]),
        ("positive-membership:2@0-1", "max-posterior@0-0.3", (0.2, 0.4), [0.4615384615],
         ["positive_membership_to_replace_one_dp", "pure_dp_to_max_posterior"]),
        (PositiveMembership(2.0), "max-posterior", (0.0, 0.3), [0.4615384615],
         ["positive_membership_to_replace_one_dp", "pure_dp_to_max_posterior"]),
        ("semantic:0.2", "pure-dp", None, [4 * math.atanh(0.2)], ["semantic_to_pure_dp"]),
        ("pure-dp:1", "semantic", None, [math.tanh(0.5)], ["pure_dp_to_semantic"]),
        ("pure-dp:1", "semantic:?,1", None, [math.tanh(0.25), 1],
         ["pure_dp_to_semantic_of_one_record"]),
        ("bayesian-semantic:0.2", "bayesian-dp", None, [4 * math.atanh(0.2)],
         ["bayesian_semantic_to_bayesian_dp"]),
        ("population:0.1,0", "attack-success", None, [0.52497918747894],
         ["population_to_attack_success"]),
        ("membership-inference:0.1", "attack-success", None, [0.6],
         ["membership_inference_to_advantage", "advantage_to_attack_success"]),
        ("k-anonymity:5", "sampling-dp:0.1,1.0,?", None, [0.1, 1.0, 1.765e-4],
         ["k_anonymity_to_sampling_dp"]),
        ("pure-dp:1@add-remove", "posterior-ratio", None, [math.exp(2)],
         ["pure_dp_to_posterior_ratio"]),
    ],
    ids=str,
)  # fmt: skip
def test_the_strongest_parameter_and_its_chain(given, target, prior, numbers, chain):
    found = derive(given, target, prior=prior)
    parameters = found.as_json()["to"]["parameters"]
    assert list(parameters.values()) == pytest.approx(numbers, rel=1e-3)
    assert names(found) == chain
    assert found.chain[-1].target == found.target


def test_a_chain_is_linked_and_begins_with_what_is_given():
    found = derive("sampling-dp:1,1.0", "membership-inference")
    assert found.given == found.chain[0].sources
    for one, other in zip(found.chain, found.chain[1:], strict=False):
        assert other.sources == (one.target,)
    assert names(found)[-1] == "advantage_to_membership_inference"


def test_nothing_to_derive():
    assert derive("pure-dp:1", "pure-dp").chain == ()
    assert derive(PureDP(1.0), PureDP(1.0)).chain == ()


def test_weaker_numbers_may_be_asked_for():
    found = derive("pure-dp:1", "identifiability:0.1,100")
    assert found.target.rho == 0.1
    assert names(found)[0] == "replace_one_dp_to_identifiability"
    assert found.chain[-1].theorem == WEAKENING
    assert derive("pure-dp:1", PureDP(2.0)).target == PureDP(2.0)


def test_one_number_given_and_the_other_found():
    found = derive("zcdp:0.05", "approx-dp:1.0,?").target
    assert (found.epsilon, found.delta) == (1.0, zcdp_to_approx_dp_by_orders(ZCDP(0.05), 1.0).delta)
    back = derive("zcdp:0.05", f"approx-dp:?,{found.delta!r}").target
    assert back.epsilon == pytest.approx(1.0, rel=1e-9)
    assert back.delta == found.delta


@pytest.mark.parametrize(
    ("target", "spellings"),
    [
        ("approx-dp:1e-6", ["approx-dp:?,1e-6", "approx-dp:1e-6,?"]),
        ("approx-dp:3", ["approx-dp:3,?"]),
        ("approx-dp:0.5@replace-one", ["approx-dp:?,0.5@replace-one", "approx-dp:0.5,?@replace"]),
        ("privacy-loss-tail:1e-6", ["privacy-loss-tail:?,1e-6"]),
        ("false-negative-rate:0.01", ["false-negative-rate:?,0.01"]),
        ("identifiability:0.1", ["identifiability:?,100"]),
        ("predictive-value:0.5", ["predictive-value:?,0.01,10"]),
    ],
)
def test_one_number_where_several_are_needed_is_never_guessed(target, spellings):
    with pytest.raises(InvalidArgument) as refused:
        derive("zcdp:0.1", target)
    for each in spellings:
        assert each in str(refused.value)
    wrong, right = refused.value.instead
    assert wrong == target
    assert right in str(refused.value)


def test_numbers_may_have_their_names():
    assert derive("zcdp:rho=0.1", "approx-dp:delta=1e-6") == derive("zcdp:0.1", "approx-dp:?,1e-6")
    assert derive("approx-dp:δ=1e-6,ε=1", "advantage") == derive("dp:1,1e-6", "advantage")


@pytest.mark.parametrize(
    ("given", "target", "answerable"),
    [
        ("zcdp:0.1", "approx-dp", "approx-dp:?,1e-6"),
        ("zcdp:0.1", "max-posterior", "max-posterior:?,1e-6@0-0.1"),
        ("approx-dp:1,1e-6", "max-posterior@0-.1", "max-posterior:?,0.0001@0-.1"),
        ("zcdp:0.1", "false-negative-rate", "false-negative-rate:?,0.01"),
        ("pure-dp:1", "identifiability", "identifiability:?,100"),
        ("advantage:0.1", "zcdp", "attack-success"),
    ],
)
def test_a_refusal_says_what_would_be_answered(given, target, answerable):
    with refuses(NoDerivation, "none-chain-of-theorems") as refused:
        derive(given, target)
    assert refused.value.instead == (target, answerable)
    assert derive(given, answerable).chain


def test_exceptions_are_asked_for():
    with refuses(NoDerivation, "needs-one"):
        derive("zcdp:0.01", "positive-membership")
    found = derive("zcdp:0.01", "positive-membership:?,1e-6", prior=(0.1, 0.5))
    assert found.target.exceedance == 1e-6
    assert found.target.adversary == BoundedPriors(0.1, 0.5)
    assert found.target.gamma == pytest.approx(1.9095, abs=1e-3)


def test_the_reading_is_the_strongest_or_the_one_asked_for():
    add_remove = PureDP(1.0, Adjacency.ADD_REMOVE)
    assert derive(add_remove, "positive-membership").target.adjacency is Adjacency.ADD_REMOVE
    far = derive(add_remove, "positive-membership@replace-one").target
    assert far.gamma == pytest.approx(math.exp(2))
    assert derive(add_remove, "advantage").target.setting is Setting.ADD_REMOVE
    assert derive(add_remove, "advantage@population").target.value == pytest.approx(math.tanh(1.0))
    assert derive("pure-dp:1", "advantage").target.setting is Setting.REPLACE_ONE


def test_a_whole_statement_means_what_it_means_when_it_is_given():
    with refuses(NoDerivation, "chain-stronger-what-follows"):
        derive("pure-dp:1@add-remove", "positive-membership:3")  # e² for replace-one
    found = derive("pure-dp:1@add-remove", "positive-membership:3@add-remove").target
    assert found.adjacency is Adjacency.ADD_REMOVE
    with refuses(NoDerivation, "chain-stronger-what-follows"):
        derive("privacy-loss-tail:0.5,1e-6", "positive-membership:2")
    assert derive("privacy-loss-tail:0.5,1e-6", "positive-membership:2,1e-6").chain
    with refuses(NoDerivation, "chain-of-theorems"):
        derive("semantic:0.0,1", "semantic:0.5")


def test_the_family_asked_for_is_kept():
    with refuses(NoDerivation, "guarantee-with-adversary"):
        derive("identifiability:0.9,2", "positive-membership", prior=(0.3, 0.7))
    found = derive("identifiability:0.9,2", "positive-membership").target
    assert found.spec.endswith("@one-of-2")
    wide = derive(PositiveMembership(2.0), "positive-membership", prior=(0.5, 0.5))
    assert wide.target.gamma == pytest.approx(1.5)


def test_the_whole_interval_is_every_belief():
    assert derive("positive-membership:2", "pure-dp", prior=(0.0, 1.0)).chain
    assert derive("pure-dp:1", "max-posterior", prior=(0, 0.3)).target == MaxPosterior(
        derive("pure-dp:1", "max-posterior", prior=(0, 0.3)).target.posterior, 0.3
    )


def test_both_halves_together():
    halves = ["one-sided-dp:1@positive", "one-sided-dp:2@negative"]
    found = derive(halves, "pure-dp@add-remove")
    assert found.target == PureDP(2.0, Adjacency.ADD_REMOVE)
    assert " and " in found.as_json()["chain"][0]["from"]
    memberships = ["positive-membership:2@add-remove", "negative-membership:3@add-remove"]
    assert derive(memberships, "pure-dp@add-remove").target.epsilon == pytest.approx(math.log(3))
    with refuses(NoDerivation, "prove-other-half-too"):
        derive(memberships[0], "pure-dp@add-remove")


@pytest.mark.parametrize(
    ("given", "target", "prior", "message"),
    [
        ("positive-membership:2", "pure-dp", (0.3, 0.4), "family-with-beliefs-of-half"),
        ("attack-success:0.6", "pure-dp", None, "no-theorem-leads-to: pure-dp"),
        ("population:0.5,0", "pure-dp", None, "data-of-one-record"),
        ("advantage:0.5@add-remove", "membership-inference", None, "fixed-size-add-remove"),
        ("noisy-gradient:9,9,1,0,1", "advantage", None, "estimate-proves-nothing"),
        ("pure-dp:1", "identifiability:0.01,100", None, "nearest-notion: identifiability:0.0267"),
        (
            "bayesian-dp:1",
            "positive-membership@correlated",
            None,
            "guarantee-with-neighbours: _ | replace-one",
        ),
        ("pure-dp:1", "bayesian-dp:?", None, None),
        ("pure-dp:inf", "positive-membership", None, "gives-no-bound-there"),
    ],
    ids=str,
)
def test_what_does_not_follow(given, target, prior, message):
    if message is None:
        assert derive(given, target, prior=prior).target.independent
        return
    with refuses(NoDerivation, "chain-of-theorems") as found:
        derive(given, target, prior=prior)
    assert says(found.value, message)
    assert len(str(found.value).splitlines()) == 1


@pytest.mark.parametrize(
    "target",
    [
        PositiveMembership(1e9, CorrelatedPriors(), adjacency=OUT),
        BayesianDP(30.0, OUT),
        BayesianSemantic(0.999, OUT),
    ],
    ids=lambda target: target.spec,
)
def test_dp_says_nothing_of_correlated_records(target):
    """Entities that come together: γ → e^kε for any k, though the mechanism is ε-DP."""
    with pytest.raises(NoDerivation):
        derive("pure-dp:1@add-remove", target)


def test_correlated_records_cost_no_more_than_independent_ones():
    found = derive("bayesian-dp:1", "bayesian-semantic").target
    assert found.epsilon == pytest.approx(math.tanh(0.5))
    assert not found.independent
    alone = derive("bayesian-dp:1", "bayesian-semantic@independent").target
    assert alone.epsilon == pytest.approx(math.tanh(0.5))


def test_wrong_questions():
    with refuses(InvalidArgument, "derive-from-none"):
        derive([], "pure-dp")
    with refuses(InvalidArgument, "ends-swapped"):
        derive("pure-dp:1", "pure-dp", prior=(0.7, 0.3))
    with refuses(InvalidArgument, "not-two-numbers"):
        derive("pure-dp:1", "pure-dp", prior=(0.7,))


def test_json_is_plain():
    found = derive("pure-dp:1@add-remove", "max-posterior", prior=(0.0, 0.3)).as_json()
    assert json.loads(json.dumps(found)) == found
    assert set(found) == {"from", "to", "chain", "about"}
    assert found["to"]["prior"] == [0.0, 0.3]
    assert list(found["to"]["parameters"]) == ["posterior"]
    assert set(found["chain"][0]) == {"from", "to", "theorem"}


def test_no_estimate_is_used_by_any_derivation():
    estimates = [each.title for each in CATALOGUE if each.evidence is Evidence.ESTIMATE]
    assert estimates
    for target in ("gaussian-membership-inference", "membership-inference", "advantage"):
        with pytest.raises(NoDerivation):
            derive("noisy-gradient:9,9,1,0,1", target)


def test_a_curve_is_a_wish_and_a_statement_that_follows():
    curve = derive("gaussian-dp:1", "trade-off").target
    assert derive("gaussian-dp:1", curve).target == curve
    lower = "trade-off:0,0.7/0.25,0.25/0.7,0"
    assert derive(curve, lower).target.spec == "trade-off:0.0,0.7/0.25,0.25/0.7,0.0"
    with refuses(NoDerivation, "chain-stronger-what-follows"):
        derive("gaussian-dp:1", "trade-off:0,1/0.31,0.31/1,0")


def test_of_one_pair_the_rest_of_its_curve_follows():
    """(2, 1e-6)-DP is (1, δ)-DP for some δ below 1."""
    found = derive("approx-dp:2,1e-6", "approx-dp:1,?").target
    e = math.exp(2)
    assert found.delta == pytest.approx((e - math.e + 1e-6 * (1 + math.e)) / (1 + e))


def test_an_add_remove_curve_gives_a_replace_one_curve():
    found = derive("trade-off:0,0.75/0.75,0@add-remove", "advantage@replace-one").target
    assert found.value == 0.5
