import pytest

from deniable.errors import InvalidArgument
from deniable.notions import (
    Advantage,
    AttackSuccess,
    BaselineRisk,
    GaussianMembershipInference,
    MembershipInference,
    NoisyGradient,
    PopulationPrivacy,
    PredictiveValue,
    Setting,
)
from tests.cases.refusals import refuses


@pytest.mark.parametrize(
    ("notion", "spec"),
    [
        (AttackSuccess(0.6, Setting.POPULATION), "attack-success:0.6@population"),
        (Advantage(0.1, "add-remove"), "advantage:0.1@add-remove"),
        (BaselineRisk(0.6, 0.25), "baseline-risk:0.6,0.25"),
        (
            BaselineRisk(0.6, 0.5, "add-remove", 2),
            "baseline-risk:0.6,0.5@add-remove@candidates-2",
        ),
        (PredictiveValue(0.5, 0.01, 10), "predictive-value:0.5,0.01,10.0"),
        (PredictiveValue(0.5, 0.01, 10, "add-remove"), "predictive-value:0.5,0.01,10.0@add-remove"),
        (PopulationPrivacy(0.5, every_parent_set=True), "population:0.5,0.0@every-parent-set"),
        (PopulationPrivacy(0.5), "population:0.5,0.0"),
        (PopulationPrivacy(0.5, 1e-6, 1), "population:0.5,1e-06,1"),
        (MembershipInference(0.1), "membership-inference:0.1"),
        (GaussianMembershipInference(1), "gaussian-membership-inference:1.0"),
        (NoisyGradient(100, 50, 1, 0, 3), "noisy-gradient:100,50,1.0,0.0,3.0"),
    ],
    ids=str,
)
def test_specs(notion, spec):
    assert notion.spec == spec


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: BaselineRisk(0.5, 1.1), "not-from-0-to-1: baseline"),
        (lambda: BaselineRisk(1.1, 0.5), "not-from-0-to-1"),
        (lambda: BaselineRisk(0.5, 0.5, candidates=1), "below-least: candidates | 2"),
        (lambda: BaselineRisk(0.5, 0.3333, candidates=3), "baseline-at-least-1-candidates"),
        (lambda: BaselineRisk(0.5, 0.3).named, "candidates-none"),
        (lambda: PredictiveValue(0.5, 0, 10), "not-between-0-and-1: fpr"),
        (lambda: PredictiveValue(0.5, 0.1, 0), "not-above-0: nonmembers"),
        (lambda: PopulationPrivacy(-1), "epsilon-at-least-0-epsilon"),
        (lambda: PopulationPrivacy(1, 0, 0), "below-least: size | 1"),
        (lambda: MembershipInference(0.51), "bound-at-most-0-5"),
        (lambda: GaussianMembershipInference(-1), "below-least: _ | 0"),
        (lambda: NoisyGradient(0, 1, 1, 1, 1), "below-least: dimension | 1"),
        (lambda: NoisyGradient(1, 0, 1, 1, 1), "below-least: batch | 1"),
        (lambda: NoisyGradient(1, 1, 0, 1, 1), "not-above-0: clip"),
        (lambda: NoisyGradient(1, 1, 1, -1, 1), "below-least: noise | 0"),
        (lambda: NoisyGradient(1, 1, 1, 1, -1), "below-least: susceptibility | 0"),
    ],
)
def test_wrong_parameters(make, message):
    with refuses(InvalidArgument, message):
        make()


@pytest.mark.parametrize(
    ("baseline", "candidates", "named"),
    [(1 / 3, 3, 1), (0.1, 10, 1), (0.29, 100, 29), (0.99, 3, 2), (1.0, 7, 7), (0.5, 3, 1)],
)
def test_how_many_candidates_are_named(baseline, candidates, named):
    assert BaselineRisk(1.0, baseline, candidates=candidates).named == named
