from typing import get_args

import attrs
import numpy as np
import pytest

from deniable.errors import InvalidArgument
from deniable.notions.adversaries import SampledPriors
from deniable.notions.households import Households
from deniable.priors import (
    OneOutOfPrior,
    ProductPrior,
    SampledPrior,
    SizeConditionedPrior,
    UniformSizedPrior,
)
from deniable.priors.families import (
    AllPriors,
    BoundedProductPriors,
    BoundedSizeConditionedPriors,
    Family,
    OneOutOfAnyPriors,
    PairPriors,
    PopulationPriors,
    ProductPriors,
    SinglePriors,
    SizeConditionedPriors,
    UniformPriors,
)
from tests.cases.refusals import refuses

EXAMPLES = [
    (AllPriors(), "universal", True, True),
    (ProductPriors(), "independent", True, True),
    (SizeConditionedPriors(), "bounded", True, True),
    (PairPriors(), "bounded-pair", True, True),
    (UniformPriors(), "uninformed", False, False),
    (OneOutOfAnyPriors(), "identifiability", False, False),
    (SampledPriors(0.1), "sampling", False, False),
    (SampledPriors(1.0), "sampling", True, True),
    (BoundedProductPriors(0.3, 0.7), "independent-prior", False, False),
    (BoundedProductPriors(0.0, 0.7), "independent-prior", True, False),
    (BoundedProductPriors(0.3, 1.0), "independent-prior", False, True),
    (BoundedProductPriors(0, 1), "independent-prior", True, True),
    (BoundedProductPriors(1.0, 1.0), "independent-prior", True, True),
    (BoundedSizeConditionedPriors(0.3, 0.7), "bounded-prior", False, False),
    (BoundedSizeConditionedPriors(0.0, 0.7), "bounded-prior", False, False),
    (BoundedSizeConditionedPriors(0.3, 1.0), "bounded-prior", False, False),
    (BoundedSizeConditionedPriors(0, 1), "bounded-prior", True, True),
    (BoundedSizeConditionedPriors(0.5, 0.5), "bounded-prior", False, False),
    (BoundedSizeConditionedPriors(0.0, 0.0), "bounded-prior", True, True),
    (BoundedSizeConditionedPriors(1.0, 1.0), "bounded-prior", True, True),
    (SinglePriors(ProductPrior([0.5])), "table", False, False),
    (SinglePriors(ProductPrior([0.0, 1.0])), "table", True, True),
    (PopulationPriors(UniformSizedPrior(4, 2)), "population", False, False),
    (PopulationPriors(UniformSizedPrior(4, 4)), "population", True, True),
    (Households(3, odds_ratio=2), "households", True, True),
    (Households(3, icc=0.2), "households", False, False),
    (Households(3, icc=0), "households", True, True),
]


@pytest.mark.parametrize(("family", "word", "down", "up"), EXAMPLES)
def test_words_and_scalability(family, word, down, up):
    assert (family.word, family.downward_scalable, family.upward_scalable) == (word, down, up)


def test_every_family_is_tried_and_frozen():
    assert {type(family) for family, *_ in EXAMPLES} == set(get_args(Family))
    with pytest.raises(attrs.exceptions.FrozenInstanceError):
        SampledPriors(0.1).rate = 0.2
    assert hash(BoundedSizeConditionedPriors(0, 1)) == hash(BoundedSizeConditionedPriors(0.0, 1.0))


def test_scaling_stays_in_the_scalable_families():
    assert type(ProductPrior([0.3, 0.4]).scaled(0, 1e-9)) is ProductPrior
    assert type(SizeConditionedPrior([1, 2, 3], 2).scaled(0, 1e-9)) is SizeConditionedPrior
    pair = SizeConditionedPrior([np.inf, 1, 1, 0], 2).scaled(1, 1e-9)
    assert pair.marginals == pytest.approx([1, 1e-9, 1, 0])


def test_scaling_leaves_the_others():
    """One example each of what the definition asks for and the family does not hold."""
    assert SampledPrior([True], 0.1).scaled(0, 0.01).marginals[0] not in (0.0, 0.1)
    scaled = OneOutOfPrior(3, (), (0, 1, 2)).scaled(0, 0.01).marginals
    assert len({0.0, 1.0, *scaled.round(9)}) > 3
    # In D_B^[0, b] the others make up for the one that is scaled down: here from 1/3 to 0.495.
    scaled = SizeConditionedPrior([1.0, 1.0, 1.0], 1).scaled(0, 0.01).marginals
    assert scaled == pytest.approx([0.01, 0.495, 0.495])


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: BoundedSizeConditionedPriors(0.7, 0.3), "ends-swapped"),
        (lambda: BoundedProductPriors(0.5, 1.5), "not-from-0-to-1: prior high"),
    ],
)
def test_wrong_arguments(make, message):
    with refuses(InvalidArgument, message):
        make()
