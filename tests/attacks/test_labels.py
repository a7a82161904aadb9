"""No chain of theorems widens what a guarantee is about.

Small mechanisms satisfy a statement with a narrow label and break the one with a wider label.
From each narrow statement everything that the catalogue reaches is listed, for every label that a
question may bring in, and each conclusion is held against the mechanism by brute force: what
follows from a true statement is true of the mechanism that it is true of.
"""

import contextlib
import functools
import itertools
import math

import pytest

from deniable.errors import InvalidArgument, NoDerivation, NotApplicable
from deniable.notions import (
    ZCDP,
    Advantage,
    ApproxDP,
    AttackSuccess,
    BaselineRisk,
    BayesianDP,
    BayesianSemantic,
    GaussianDP,
    Identifiability,
    MaxPosterior,
    MembershipInference,
    NegativeMembership,
    OneSidedDP,
    PopulationPrivacy,
    PositiveMembership,
    PosteriorRatio,
    PredictiveValue,
    PrivacyLossTail,
    PureDP,
    RenyiDP,
    SamplingDP,
    Semantic,
    Side,
)
from deniable.notions.notation import form_of
from deniable.priors import (
    BoundedPriors,
    CorrelatedPriors,
    Households,
    OneOutOfPriors,
    SampledPriors,
)
from deniable.theorems.catalogue import CATALOGUE
from deniable.theorems.derive import Search, arguments, derive, premises
from tests.cases.effort import one_in, usual
from tests.cases.label_worlds import ANY, FLIP, MECHANISMS, POPULATION, SWAP, World, broken, starts

QUESTIONS = {
    "adversary": [
        ANY,
        BoundedPriors(0.3, 0.7),
        BoundedPriors(0.0, 0.3),
        BoundedPriors(0.5, 0.5),
        OneOutOfPriors(2),
        OneOutOfPriors(3),
        SampledPriors(0.3),
    ],
    "prior": [0.2, 0.3],
    "worlds": [2, 3],
    "rate": [0.3, 0.1],
    "side": list(Side),
    "epsilon": [0.5],
    "exceedance": [],
    "delta": [],
    "fpr": [0.1],
    "order": [1.5, 3.0],
    "nonmembers": [1.0],
    "households": [Households(1), Households(2)],
    "baseline": [0.7],
    "candidates": [None, 3],
    "tangents": [],
}
"""Every label that a question can bring in; a search applies theorems with all of them."""


def reached(given):
    """Everything that the catalogue concludes, and by which theorem at last."""
    search = Search(CATALOGUE, QUESTIONS)
    search.run([given])
    for notion in {theorem.conclusion for theorem in CATALOGUE} | {type(given)}:
        for node in search.nodes(notion):
            yield node.notion, node.theorem


@pytest.mark.parametrize("name", MECHANISMS)
def test_whatever_follows_from_a_true_statement_is_true(name):
    world = World(MECHANISMS[name])
    tried = 0
    for given in one_in(20, [*starts(world)], first=[*MECHANISMS].index(name)):
        assert not broken(world, given), given.spec
        for notion, _ in reached(given):
            assert not broken(world, notion), f"{given.spec} gives {notion.spec}"
            tried += 1
    assert tried >= usual(2, 7)


UNTRIED = {
    "gaussian_membership_inference_to_membership_inference",  # of data drawn from a law
    "k_anonymity_to_sampling_dp",  # an algorithm
    "noisy_gradient_to_gaussian_membership_inference",  # an algorithm
    "discrete_gaussian_to_gaussian_dp",  # noise scales
    "discrete_gaussian_to_gaussian_dp_by_rounding",
    "privacy_curve_to_advantage",  # of noise on real numbers, as all that follow
    "privacy_curve_to_approx_dp",
    "privacy_curve_to_baseline_risk",
    "privacy_curve_to_false_negative_rate",
    "privacy_curve_to_privacy_loss_tail",
    "privacy_curve_to_trade_off",
    "privacy_curve_to_zcdp",
}
"""Theorems whose hypothesis is no statement about a finite mechanism."""


def test_every_theorem_keeps_every_label():
    """One step at a time, so that those that a search prefers to others hide nothing."""
    questions = QUESTIONS | {"exceedance": [0.5], "tangents": [3]}
    tried = set()
    for first, rows in enumerate(MECHANISMS.values()):
        world = World(rows)
        true = list(starts(world))
        for number, theorem in enumerate(CATALOGUE):
            every = usual(16, 1)  # a theorem that was tried is tried on every 16th mechanism
            skip = theorem.name in tried and (first + number) % every
            if theorem.name in UNTRIED or skip:
                continue
            of_kind = [each for each in true if type(each) is theorem.premise]
            combined = [*itertools.product(of_kind, repeat=premises(theorem))]
            start, left = first % max(len(combined), 1), usual(2, len(combined))
            for given in [*combined[start:], *combined[:start]]:
                if not left:
                    break
                follow = [*conclusions(theorem, given, questions)]
                for notion in follow:
                    assert not broken(world, notion), f"{theorem.name}: {given} gives {notion}"
                    tried.add(theorem.name)
                left -= bool(follow)
    assert tried == {theorem.name for theorem in CATALOGUE} - UNTRIED


def conclusions(theorem, given, questions):
    for row in arguments(theorem, given, questions):
        with contextlib.suppress(NotApplicable):
            notion = theorem.implication(*given, **row)
            claims = form_of(type(notion)).claims
            if all(math.isfinite(getattr(notion, claim)) for claim in claims[:1]):
                yield notion


# --- each label: a mechanism for which the narrow statement is true and the wide one false

HALF, THIRD = BoundedPriors(0.5, 0.5), BoundedPriors(1 / 3, 1 / 3)
WIDENED = [
    ("adjacency", "the size is told", PureDP(0.0), PureDP(1.0, FLIP)),
    ("adjacency", "the size is told",
     PositiveMembership(1.0), PositiveMembership(2.0, adjacency=FLIP)),
    ("adjacency", "the size is told", PureDP(0.0), MaxPosterior(0.4, 0.3, 0.0, FLIP)),
    ("adjacency", "the size is told", ApproxDP(0.0, 0.0), PredictiveValue(0.6, 0.1, 1.0, FLIP)),
    ("adjacency", "the size is told", Advantage(0.0), Advantage(0.5, FLIP)),
    ("adjacency", "the size is told", AttackSuccess(0.5), AttackSuccess(0.7, FLIP)),
    ("adjacency", "the size is told", PureDP(0.0), BaselineRisk(0.7, 0.5, FLIP)),
    ("adjacency", "the size is told", BaselineRisk(0.5, 0.5), BaselineRisk(0.7, 0.5, FLIP)),
    ("candidates", "one of three, the third never shows",
     BaselineRisk(0.51, 0.7, SWAP, 2), BaselineRisk(0.6, 0.7)),
    ("candidates", "one of three, the third never shows",
     BaselineRisk(0.51, 0.7, SWAP, 2), BaselineRisk(0.6, 0.7, SWAP, 3)),
    ("adjacency", "the size is told", PrivacyLossTail(0.0, 0.0), PrivacyLossTail(0.0, 0.5, FLIP)),
    ("adjacency", "the size is told", ZCDP(0.0), ZCDP(1.0, FLIP)),
    ("adjacency", "the size is told", RenyiDP(2.0, 0.0), RenyiDP(2.0, 1.0, FLIP)),
    ("adjacency", "the size is told", GaussianDP(0.0), GaussianDP(1.0, FLIP)),
    ("adjacency", "the size is told", NegativeMembership(1.0), NegativeMembership(2.0, ANY, FLIP)),
    ("adjacency", "two of add-remove are one of replace-one",
     PureDP(math.log(2) + 1e-9, FLIP), PureDP(1.3)),
    ("adjacency", "two of add-remove are one of replace-one",
     PositiveMembership(2 + 1e-9, adjacency=FLIP), PositiveMembership(3.9)),
    ("adjacency", "two of add-remove are one of replace-one",
     PureDP(math.log(2) + 1e-9, FLIP), MaxPosterior(0.6, 0.3)),
    ("size", "data of one record say nothing, of two all", Semantic(0.0, 1), Semantic(0.5)),
    ("size", "data of one record say nothing, of two all", Semantic(0.0, 1), PureDP(2.0)),
    ("size", "data of one record say nothing, of two all",
     Semantic(0.0, 1), PositiveMembership(2.0)),
    ("size", "data of one record say nothing, of two all", Semantic(0.0, 1), PosteriorRatio(2.0)),
    ("size", "data of one record say nothing, of two all",
     PureDP(0.0, SWAP, 1), Advantage(0.5)),
    ("size", "data of one record say nothing, of two all",
     ApproxDP(0.0, 0.0, FLIP, 1), SamplingDP(0.9, 1.0)),
    ("size", "data of one record say nothing, of two all",
     PopulationPrivacy(0.0, 0.0, 1, True), PopulationPrivacy(0.5, every_parent_set=True)),
    ("size", "data of one record say nothing, of two all",
     PopulationPrivacy(0.0, 0.0, 1, True), PositiveMembership(2.0)),
    ("size", "the sum modulo 4 of two",
     PopulationPrivacy(0.0, 0.0, 1, True), AttackSuccess(0.55, POPULATION)),
    ("parent set", "only the third entity is told",
     PopulationPrivacy(0.0, 0.0, 1), PopulationPrivacy(1.0, 0.0, 1, True)),
    ("parent set", "only the third entity is told",
     PopulationPrivacy(0.0), PopulationPrivacy(1.0, every_parent_set=True)),
    ("parent set", "only the third entity is told",
     PopulationPrivacy(0.0, 0.0, 1), ApproxDP(1.0, 0.5, SWAP, 1)),
    ("parent set", "only the third entity is told", Advantage(0.0, POPULATION), Advantage(0.5)),
    ("parent set", "only the third entity is told", MembershipInference(0.0), AttackSuccess(0.7)),
    ("interval", "one of three, the third never shows",
     PositiveMembership(1.52, THIRD), PositiveMembership(1.6)),
    ("interval", "one of three, the third never shows",
     PositiveMembership(1.52, THIRD), PureDP(5.0)),
    ("interval", "one of three, the third never shows",
     PositiveMembership(1.52, THIRD), PositiveMembership(1.6, BoundedPriors(0.2, 0.4))),
    ("interval", "one of four, the fourth never shows",
     PositiveMembership(1.46, BoundedPriors(0, 0.3)), MaxPosterior(0.45, 0.3)),
    ("interval", "one of four, the fourth never shows",
     PositiveMembership(1.46, BoundedPriors(0, 0.3)), MaxPosterior(0.9, 0.2)),
    ("interval", "two of add-remove are one of replace-one",
     PositiveMembership(2.51, HALF), PositiveMembership(3.9)),
    ("family", "one of three, the third never shows",
     Identifiability(0.51, 3), PositiveMembership(1.6)),
    ("family", "one of three, the third never shows",
     Identifiability(0.51, 3), Identifiability(0.9, 2)),
    ("family", "one of three, the third never shows",
     PositiveMembership(1.52, OneOutOfPriors(3)), PositiveMembership(1.9, OneOutOfPriors(2))),
    ("family", "one of three, the third never shows",
     PositiveMembership(1.52, OneOutOfPriors(3)), PositiveMembership(1.6, BoundedPriors(0.2, 0.4))),
    ("family", "that both are there shows",
     PositiveMembership(9.9, SampledPriors(0.3), adjacency=FLIP),
     PositiveMembership(50.0, adjacency=FLIP)),
    ("family", "that both are there shows", SamplingDP(0.3, 2.3), PureDP(4.0, FLIP)),
    ("family", "that both are there shows", SamplingDP(0.3, 2.3), SamplingDP(1.0, 4.0)),
    ("family", "the number, leaning", PureDP(0.4, FLIP), PositiveMembership(
        1.3, CorrelatedPriors(), adjacency=FLIP)),
    ("independence", "the number, leaning", PureDP(0.4, FLIP), BayesianDP(0.5, FLIP)),
    ("independence", "the number, leaning",
     BayesianDP(0.4, FLIP, independent=True), BayesianDP(0.5, FLIP)),
    ("independence", "the number, leaning",
     BayesianSemantic(0.15, FLIP, independent=True), BayesianSemantic(0.15, FLIP)),
    ("side", "presence is never proved, absence is",
     OneSidedDP(0.7), OneSidedDP(5.0, Side.NEGATIVE)),
    ("side", "presence is never proved, absence is", OneSidedDP(0.7), PureDP(5.0, FLIP)),
    ("side", "presence is never proved, absence is",
     PositiveMembership(2.01, adjacency=FLIP), NegativeMembership(9.0, ANY, FLIP)),
    ("side", "absence is never proved, presence is",
     NegativeMembership(2.01, ANY, FLIP), PositiveMembership(9.0, adjacency=FLIP)),
    ("exceedance", "somebody's presence is told now and then",
     PositiveMembership(1.0, ANY, 0.1), PositiveMembership(9.0)),
    ("exceedance", "somebody's presence is told now and then",
     PrivacyLossTail(0.0, 0.1), PureDP(9.0)),
    ("exceedance", "somebody's presence is told now and then",
     PrivacyLossTail(0.0, 0.1), MaxPosterior(0.9, 0.3)),
    ("exceedance", "somebody's presence is told now and then",
     PrivacyLossTail(0.0, 0.1), Identifiability(0.9, 2)),
    ("exceedance", "somebody's presence is told now and then",
     Identifiability(1 / 3, 3, 0.1), PositiveMembership(2.9, OneOutOfPriors(3))),
    ("exceedance", "an average of δ is no exception",
     ApproxDP(0.0, 0.1), PrivacyLossTail(0.0, 0.1)),
    ("exceedance", "an average of δ is no exception",
     ApproxDP(0.0, 0.1), PositiveMembership(1.0, ANY, 0.1)),
    ("exceedance", "an average of δ is no exception",
     ApproxDP(0.0, 0.1), MaxPosterior(0.3, 0.3, 0.1)),
]  # fmt: skip


world_of = functools.cache(lambda name: World(MECHANISMS[name]))


def label_id(case):
    return case.spec if hasattr(case, "spec") else case


@pytest.mark.parametrize(("name", "narrow", "wide"), [case[1:] for case in WIDENED], ids=label_id)
def test_a_narrow_statement_never_gives_the_wide_one(name, narrow, wide):
    world = world_of(name)
    assert not broken(world, narrow)
    assert broken(world, wide)
    with pytest.raises(NoDerivation):
        derive(narrow, wide)
    with pytest.raises(NoDerivation):
        derive(narrow.spec, wide.spec)


@pytest.mark.parametrize(("name", "narrow", "wide"), [case[1:] for case in WIDENED], ids=label_id)
def test_asked_for_the_strongest_of_a_kind_the_answer_is_true(name, narrow, wide):
    """With a bare name, and with the narrow statement's own labels."""
    world = world_of(name)
    word = form_of(type(wide)).word
    labels = "@".join(["", *narrow.spec.split("@")[1:]])
    for asked in (word, word + labels, wide.spec.split(":")[0]):
        try:
            found = derive(narrow.spec, asked).target
        except (NoDerivation, InvalidArgument):  # a label of the one kind need not fit the other
            continue
        assert not broken(world, found)
        assert derive(found.spec, found.spec).target == found


def test_every_label_is_widened():
    labels = (
        "adjacency, size, parent set, interval, family, independence, side, exceedance, candidates"
    )
    assert {label for label, *_ in WIDENED} == set(labels.split(", "))
