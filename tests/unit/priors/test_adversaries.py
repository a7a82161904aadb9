import math
from fractions import Fraction

import attrs
import pytest

from deniable.errors import InvalidArgument
from deniable.priors import BoundedPriors, CorrelatedPriors, OneOutOfPriors, SampledPriors
from tests.cases.refusals import refuses


@pytest.mark.parametrize("ends", [(0, 1), (0.3, 0.7), (0.5, 0.5), (0, 0), (1, 1)])
def test_ends_are_kept_as_floats(ends):
    family = BoundedPriors(*ends)
    assert (family.low, family.high) == ends
    assert type(family.low) is type(family.high) is float
    assert family == BoundedPriors(*map(float, ends))
    assert hash(family) == hash(BoundedPriors(*ends))


def test_without_ends_any_belief_is_meant():
    assert BoundedPriors() == BoundedPriors(0, 1)
    assert math.copysign(1, BoundedPriors(-0.0, 1.0).low) == 1.0


@pytest.mark.parametrize(
    ("family", "belief", "suffix"),
    [
        (OneOutOfPriors(3), Fraction(1, 3), "@one-of-3"),
        (OneOutOfPriors(3.0), Fraction(1, 3), "@one-of-3"),
        (SampledPriors(0.1), Fraction(0.1), "@sampled-0.1"),
        (SampledPriors(1e-5), Fraction(1e-5), "@sampled-1e-05"),
    ],
)
def test_the_only_uncertain_belief(family, belief, suffix):
    assert (family.belief, family.suffix) == (belief, suffix)


@pytest.mark.parametrize(
    ("family", "words"),
    [
        (BoundedPriors(0.3, 0.7), "beliefs in [0.3, 0.7]"),
        (OneOutOfPriors(8), "1-out-of-8"),
        (SampledPriors(0.5), "entities sampled at rate 0.5"),
        (CorrelatedPriors(), "correlated laws"),
        (CorrelatedPriors(downward_scalable=True), "downward scalable correlated laws"),
    ],
)
def test_messages_say_families_in_words(family, words):
    assert str(family) == words


def test_correlated_priors_say_whether_they_scale():
    assert CorrelatedPriors().suffix == "@correlated"
    assert CorrelatedPriors(downward_scalable=True).suffix == "@correlated-scalable"
    with refuses(InvalidArgument, "field-as: downward_scalable | bool | str"):
        CorrelatedPriors("yes")


@pytest.mark.parametrize(
    ("family", "given", "message"),
    [
        (BoundedPriors, (0.7, 0.3), "ends-swapped: prior | 0.7 | 0.3"),
        (BoundedPriors, (-0.1, 0.5), "not-from-0-to-1: prior low"),
        (BoundedPriors, (0.5, 1.1), "not-from-0-to-1: prior high"),
        (BoundedPriors, (math.nan, 0.5), "not-a-number: prior low"),
        (BoundedPriors, (0.5, math.nan), "not-a-number: prior high"),
        (BoundedPriors, (False, True), "not-a-number: prior low"),
        (BoundedPriors, ("0", "1"), "not-a-number: prior low"),
        (OneOutOfPriors, (1,), "below-least: worlds"),
        (OneOutOfPriors, (2.5,), "not-whole: worlds"),
        (OneOutOfPriors, ("3",), "not-a-number: worlds"),
        (SampledPriors, (-0.1,), "not-from-0-to-1: rate"),
        (SampledPriors, (2,), "not-from-0-to-1: rate"),
        (SampledPriors, ("0.5",), "not-a-number: rate"),
    ],
)
def test_refusals(family, given, message):
    with refuses(InvalidArgument, message):
        family(*given)


@pytest.mark.parametrize(
    ("family", "field"),
    [(BoundedPriors(0.1, 0.2), "low"), (OneOutOfPriors(2), "worlds"), (SampledPriors(0.1), "rate")],
)
def test_they_are_frozen(family, field):
    with pytest.raises(attrs.exceptions.FrozenInstanceError):
        setattr(family, field, 0.0)
