import numpy as np
import pytest

from deniable.errors import InvalidArgument
from deniable.priors import MixturePrior, OneOutOfPrior, ProductPrior, UniformSizedPrior
from deniable.priors.universe import subsets
from tests.cases.refusals import refuses

PARTS = [ProductPrior([0.2, 0.5, 1.0]), UniformSizedPrior(3, 1)]
PRIOR = MixturePrior([0.25, 0.75], PARTS)


def test_the_definition():
    rows = subsets(3)
    laws = [np.exp(part.log_prob(rows)) for part in PARTS]
    assert np.exp(PRIOR.log_prob(rows)) == pytest.approx(0.25 * laws[0] + 0.75 * laws[1])
    assert PRIOR.marginals == pytest.approx([0.3, 0.375, 0.5])


def test_components_are_reweighted_by_what_they_expected():
    after = PRIOR.given(0, member=True)
    assert after.weights == pytest.approx([0.05 / 0.3, 0.25 / 0.3])
    assert after.components == (PARTS[0].given(0, member=True), PARTS[1].given(0, member=True))


def test_a_component_that_the_evidence_rules_out_is_left_out():
    after = PRIOR.given(2, member=False)
    assert after.weights.tolist() == [1.0]
    assert after.components == (PARTS[1].given(2, member=False),)


def test_a_component_of_weight_0_is_harmless():
    never = MixturePrior([0.0, 1.0], [OneOutOfPrior(3, (), (0,)), PARTS[0]])
    assert never.given(0, member=True) == MixturePrior([1.0], [PARTS[0].given(0, member=True)])


def test_scaling_certainty():
    sure = MixturePrior([0.1] * 10, [ProductPrior([1.0, p / 10]) for p in range(10)])
    assert sure.marginals[0] == 1.0
    assert sure.scaled(0, 1.0) is sure
    for change in (lambda: sure.scaled(0, 0.5), lambda: sure.given(0, member=False)):
        with refuses(InvalidArgument, "entity-0-out-never"):
            change()


def test_mixtures_of_mixtures():
    nested = MixturePrior([0.5, 0.5], [PRIOR, PARTS[1]])
    flat = MixturePrior([0.125, 0.875], PARTS)
    assert nested.log_prob(subsets(3)) == pytest.approx(flat.log_prob(subsets(3)))


@pytest.mark.parametrize(
    ("weights", "components", "message"),
    [
        ([1.0], PARTS, "one-weight-component: 1 | 2"),
        ([0.5, 0.4], PARTS, "weights-to-sum-to-1"),
        ([0.5, 0.5], [ProductPrior([0.5]), PARTS[0]], "same-entities: [1, 3]"),
    ],
)
def test_wrong_mixtures(weights, components, message):
    with refuses(InvalidArgument, message):
        MixturePrior(weights, components)
