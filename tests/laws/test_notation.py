"""Every notion with every label is printed so that reading it back gives the same value."""

import math

import attrs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deniable.notions import (
    ZCDP,
    Adjacency,
    Advantage,
    ApproxDP,
    ApproxZCDP,
    AttackSuccess,
    BaselineRisk,
    BayesianDP,
    BayesianSemantic,
    FalseNegativeRate,
    GaussianDP,
    GaussianMembershipInference,
    Identifiability,
    KAnonymity,
    MaxPosterior,
    MembershipInference,
    NegativeMembership,
    NoisyGradient,
    OneSidedDP,
    Phase,
    PopulationPosterior,
    PopulationPrivacy,
    PositiveMembership,
    PosteriorGain,
    PosteriorRatio,
    PredictiveValue,
    PrivacyCurve,
    PrivacyLossTail,
    PureDP,
    RenyiDP,
    SamplingDP,
    Semantic,
    Setting,
    Side,
    TradeOffCurve,
)
from deniable.notions.notation import FORMS, exactly, parse, wish
from deniable.priors import BoundedPriors, CorrelatedPriors, OneOutOfPriors, SampledPriors
from deniable.theorems.derive import derive
from tests.cases.effort import usual

unit = st.floats(0.0, 1.0)
inside = st.floats(0.0, 1.0, exclude_min=True, exclude_max=True)
losses = st.floats(0.0, allow_nan=False)  # infinity stands for "no bound"
spreads = st.floats(0.0, allow_nan=False, allow_infinity=False)
factors = st.floats(1.0, allow_nan=False)
orders = st.floats(1.0, exclude_min=True, allow_infinity=False)
counts = st.integers(1, 10**9)
sizes = st.none() | counts
adjacencies = st.sampled_from(Adjacency)
readings = st.sampled_from(Setting)

intervals = st.tuples(unit, unit).map(lambda ends: BoundedPriors(*sorted(ends)))
families = intervals | st.just(BoundedPriors(0.0, 1.0)) | st.builds(BoundedPriors)
membership = (
    st.tuples(families, adjacencies)
    | st.tuples(st.builds(CorrelatedPriors, st.booleans()), adjacencies)
    | st.tuples(st.builds(OneOutOfPriors, st.integers(2, 10**9)), st.just(Adjacency.REPLACE_ONE))
    | st.tuples(st.builds(SampledPriors, inside), st.just(Adjacency.ADD_REMOVE))
)


@st.composite
def positive(draw):
    adversary, adjacency = draw(membership)
    return PositiveMembership(draw(factors), adversary, draw(unit), adjacency)


@st.composite
def negative(draw):
    return NegativeMembership(draw(factors), *draw(membership))


@st.composite
def curves(draw):
    """Steps to the right and down, the steepest first."""
    steps = draw(
        st.lists(st.tuples(st.floats(0.01, 1), st.floats(0.01, 1)), min_size=1, max_size=5)
    )
    steps.sort(key=lambda step: -step[1] / step[0])
    wide, high = draw(st.floats(0.1, 1)), draw(st.floats(0.1, 1))
    across, down = (math.fsum(column) for column in zip(*steps, strict=True))
    points = [(0.0, high)]
    for right, below in steps[:-1]:
        fpr, fnr = points[-1]
        points.append((fpr + right / across * wide, fnr - below / down * high))
    return TradeOffCurve([*points, (wide, 0.0)], draw(adjacencies))


VALUES = {
    TradeOffCurve: curves(),
    PureDP: st.builds(PureDP, losses, adjacencies, sizes),
    OneSidedDP: st.builds(OneSidedDP, losses, st.sampled_from(Side)),
    ApproxDP: st.builds(ApproxDP, losses, unit, adjacencies, sizes),
    ZCDP: st.builds(ZCDP, spreads, adjacencies),
    ApproxZCDP: st.builds(ApproxZCDP, spreads, unit, adjacencies),
    RenyiDP: st.builds(
        RenyiDP, orders, losses, adjacencies, st.lists(st.tuples(orders, losses), max_size=2)
    ),
    GaussianDP: st.builds(GaussianDP, spreads, adjacencies, spreads),
    PrivacyLossTail: st.builds(PrivacyLossTail, losses, unit, adjacencies),
    SamplingDP: st.builds(SamplingDP, st.floats(0, 1, exclude_min=True), losses, unit),
    KAnonymity: st.builds(KAnonymity, counts),
    BayesianDP: st.builds(BayesianDP, losses, adjacencies, st.booleans()),
    PositiveMembership: positive(),
    NegativeMembership: negative(),
    MaxPosterior: st.builds(MaxPosterior, unit, unit, unit, adjacencies),
    Identifiability: st.builds(Identifiability, unit, st.integers(2, 10**9), unit),
    Semantic: st.builds(Semantic, unit, sizes, adjacencies),
    BayesianSemantic: st.builds(BayesianSemantic, unit, adjacencies, st.booleans()),
    PosteriorRatio: st.builds(PosteriorRatio, factors),
    PosteriorGain: st.builds(PosteriorGain, unit),
    AttackSuccess: st.builds(AttackSuccess, unit, readings),
    Advantage: st.builds(Advantage, unit, readings),
    PredictiveValue: st.builds(
        PredictiveValue, unit, inside, st.floats(1e-300, 1e300), adjacencies
    ),
    FalseNegativeRate: st.builds(FalseNegativeRate, unit, inside, adjacencies),
    BaselineRisk: st.builds(
        BaselineRisk, unit, st.floats(0.5, 1.0), adjacencies, st.none() | st.integers(2, 10**9)
    ),
    PrivacyCurve: st.builds(
        PrivacyCurve,
        st.floats(0.01, 1.0),
        st.floats(0.5, 10.0),
        st.integers(1, 20),
        st.lists(
            st.builds(Phase, st.floats(0.5, 10.0), st.floats(1e-4, 1.0), st.integers(1, 20)),
            max_size=2,
        ).map(tuple),
    ),
    PopulationPrivacy: st.builds(PopulationPrivacy, losses, unit, sizes, st.booleans()),
    PopulationPosterior: st.one_of(
        st.builds(PopulationPosterior, losses, unit, inside, st.none(), st.booleans()),
        st.builds(PopulationPosterior, losses, unit, st.just(0.5), sizes, st.booleans()),
    ),
    MembershipInference: st.builds(MembershipInference, st.floats(0.0, 0.5)),
    GaussianMembershipInference: st.builds(GaussianMembershipInference, spreads),
    NoisyGradient: st.builds(
        NoisyGradient, counts, counts, st.floats(1e-300, 1e300), spreads, spreads
    ),
}


def test_every_notion_is_tried():
    assert set(VALUES) == {form.notion for form in FORMS}


@pytest.mark.parametrize("notion", VALUES, ids=lambda notion: notion.__name__)
@given(data=st.data(), beside=st.none() | families)
@settings(max_examples=usual(11, 100))
def test_what_is_printed_reads_back_as_the_same_value(notion, data, beside):
    """Labels that a spec leaves out mean one thing, whatever is given beside, or are given."""
    value = data.draw(VALUES[notion])
    assert parse(value.spec) == value
    says_its_own = not hasattr(value, "prior") and not hasattr(value, "adversary")
    if says_its_own or "-" in "".join(value.spec.split("@")[1:]).replace("add-remove", ""):
        assert parse(value.spec, beside) == value


@pytest.mark.parametrize("notion", VALUES, ids=lambda notion: notion.__name__)
@given(data=st.data())
@settings(max_examples=usual(11, 100))
def test_a_spec_as_a_wish_asks_for_every_label_that_it_prints(notion, data):
    value = data.draw(VALUES[notion])
    asked, exact = wish(value.spec).fixed, exactly(value).fixed
    assert all(exact[name] == held for name, held in asked.items())
    unwritten = {field.name: field.default for field in attrs.fields(notion)}
    implied = {"adjacency"} if isinstance(exact.get("adversary"), SampledPriors) else set()
    for name in exact.keys() - asked.keys() - implied:
        usual = BoundedPriors() if name == "adversary" else unwritten[name]
        assert exact[name] == (1.0 if name == "prior" else usual)


@pytest.mark.parametrize("notion", VALUES, ids=lambda notion: notion.__name__)
@given(data=st.data())
@settings(max_examples=usual(4, 10))
def test_what_holds_follows_from_itself_with_all_its_labels(notion, data):
    value = data.draw(VALUES[notion])
    if all(abs(getattr(value, x)) < 20 for x in ("epsilon", "rho", "mu") if hasattr(value, x)):
        found = derive(value, value)
        assert (found.target, found.chain) == (value, ())
