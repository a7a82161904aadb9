import math

import pytest

from deniable.judge.membership import (
    negative_gamma,
    negative_gamma_here,
    positive_gamma,
    positive_gamma_here,
)
from deniable.mechanisms.stochastic_matrix import StochasticMatrix
from deniable.priors import ProductPrior, UniformSizedPrior
from deniable.priors.families import (
    AllPriors,
    BoundedProductPriors,
    BoundedSizeConditionedPriors,
    OneOutOfAnyPriors,
    PairPriors,
    ProductPriors,
    SampledPriors,
    SinglePriors,
    SizeConditionedPriors,
    UniformPriors,
)
from deniable.universe import Universe

ALL_SUBSETS = [
    AllPriors(),
    ProductPriors(),
    UniformPriors(),
    SampledPriors(0.5),
    BoundedProductPriors(0.3, 0.7),
]
WHOLE_SIZES = [
    SizeConditionedPriors(),
    PairPriors(),
    OneOutOfAnyPriors(),
    BoundedSizeConditionedPriors(0.3, 0.7),
]
FIGURES = [positive_gamma, negative_gamma, positive_gamma_here, negative_gamma_here]


@pytest.mark.parametrize("family", ALL_SUBSETS, ids=lambda family: family.word)
@pytest.mark.parametrize("figure", FIGURES, ids=lambda figure: figure.__name__)
def test_families_of_every_size_need_every_subset(pick, family, figure):
    assert figure(pick, family) is None


@pytest.mark.parametrize("family", WHOLE_SIZES, ids=lambda family: family.word)
def test_families_of_one_size_do_not(pick, family):
    assert positive_gamma(pick, family) > 1
    assert positive_gamma_here(pick, family) is not None


@pytest.mark.parametrize("family", [*ALL_SUBSETS, *WHOLE_SIZES], ids=lambda family: family.word)
def test_a_useless_mechanism_has_gamma_1(constant, family):
    assert positive_gamma(constant, family) == negative_gamma(constant, family) == 1.0
    for here in (positive_gamma_here, negative_gamma_here):
        found = here(constant, family)
        assert found.bound.upper == 1.0
        assert found.witness is not None


@pytest.mark.parametrize("family", [*ALL_SUBSETS, *WHOLE_SIZES], ids=lambda family: family.word)
def test_an_output_that_never_comes(family):
    rows = [[0.0, 1.0]] * 4
    silent = StochasticMatrix(Universe(("a", "b")), ("never", "always"), rows)
    for here in (positive_gamma_here, negative_gamma_here):
        found = here(silent, family)
        assert found.bound.upper == 1.0
        assert found.witness.output == "always" or not isinstance(
            family, ProductPriors | SampledPriors
        )


@pytest.mark.parametrize("family", [AllPriors(), ProductPriors()], ids=lambda family: family.word)
def test_a_deterministic_mechanism_has_none(parity, family):
    assert positive_gamma(parity, family) == negative_gamma(parity, family) == math.inf


def test_parity_hides_everybody_from_who_knows_nothing(parity):
    assert positive_gamma(parity, UniformPriors()) == negative_gamma(parity, UniformPriors()) == 1.0
    assert positive_gamma(parity, SizeConditionedPriors()) == 1.0
    assert positive_gamma(parity, BoundedProductPriors(0.4, 0.6)) == math.inf


def test_one_entity(flip):
    assert positive_gamma(flip, ProductPriors()) == positive_gamma(flip, AllPriors()) == 2.0
    assert negative_gamma(flip, ProductPriors()) == negative_gamma(flip, AllPriors()) == 1.5
    for family in (SizeConditionedPriors(), PairPriors()):
        assert positive_gamma(flip, family) == 1.0  # nobody to exchange
        assert positive_gamma_here(flip, family) is None  # nobody is uncertain
    assert positive_gamma(flip, BoundedSizeConditionedPriors(0.3, 0.7)) == 1.0
    assert positive_gamma_here(flip, BoundedSizeConditionedPriors(0.3, 0.7)) is None
    assert positive_gamma(flip, OneOutOfAnyPriors()) is None


@pytest.mark.parametrize("chance", [0.0, 1.0])
def test_a_prior_of_0_or_1(flip, chance):
    found = positive_gamma_here(flip, SinglePriors(ProductPrior([chance])))
    assert found.bound.upper == 1.0
    assert found.witness is None
    assert positive_gamma(flip, SinglePriors(ProductPrior([chance]))) == 1.0


def test_an_explicit_prior_of_one_size(pick):
    found = positive_gamma_here(pick, SinglePriors(UniformSizedPrior(3, 1)))
    assert found.bound.upper == pytest.approx(1.5)


def test_no_room_between_the_ends_and_certainty(flip):
    for ends in ((0.0, 0.0), (1.0, 1.0)):
        assert positive_gamma_here(flip, BoundedProductPriors(*ends)) is None


def test_the_interval_is_reflected_for_negative_membership(flip):
    family = BoundedProductPriors(0.1, 0.2)
    x = 1.5
    expected = max((x - 1) * 0.9 + 1, x / ((x - 1) * 0.8 + 1))
    assert negative_gamma(flip, family) == pytest.approx(expected)
    witness = negative_gamma_here(flip, family).witness
    assert witness.prior["a"] == pytest.approx(0.1)


def test_an_output_that_never_comes_with_t():
    matrix = StochasticMatrix(Universe(("a",)), ("x", "y"), [[0.5, 0.5], [1.0, 0.0]])
    assert positive_gamma(matrix, ProductPriors()) == 2.0
    assert negative_gamma(matrix, ProductPriors()) == math.inf
    assert negative_gamma_here(matrix, BoundedProductPriors(0.3, 0.7)).bound.upper == math.inf


def test_the_universal_witness_has_the_entity_in_one_subset_only(parity):
    for here in (positive_gamma_here, negative_gamma_here):
        witness = here(parity, AllPriors()).witness
        assert len(witness.prior) == 2
        assert sum(witness.entity in name.split(",") for name in witness.prior) == 1
