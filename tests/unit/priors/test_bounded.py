import math

import attrs
import pytest

from deniable.errors import InvalidArgument
from deniable.priors import BoundedPrior


@pytest.mark.parametrize("ends", [(0, 1), (0.3, 0.7), (0.5, 0.5), (0, 0), (1, 1)])
def test_ends_are_kept_as_floats(ends):
    prior = BoundedPrior(*ends)
    assert (prior.low, prior.high) == ends
    assert type(prior.low) is type(prior.high) is float
    assert prior == BoundedPrior(*map(float, ends))
    assert hash(prior) == hash(BoundedPrior(*ends))


def test_negative_zero_is_zero():
    assert math.copysign(1, BoundedPrior(-0.0, 1.0).low) == 1.0


@pytest.mark.parametrize(
    ("ends", "message"),
    [
        ((0.7, 0.3), r"Expected 0 <= a <= b <= 1, got prior=\[0.7, 0.3\]. Put the lower end"),
        ((-0.1, 0.5), "0 <= prior low <= 1"),
        ((0.5, 1.1), "0 <= prior high <= 1"),
        ((math.nan, 0.5), "prior low to be a number"),
        ((0.5, math.nan), "prior high to be a number"),
        ((False, True), "prior low to be a number"),
        (("0", "1"), "prior low to be a number"),
    ],
)
def test_wrong_ends(ends, message):
    with pytest.raises(InvalidArgument, match=message):
        BoundedPrior(*ends)


def test_it_is_frozen():
    with pytest.raises(attrs.exceptions.FrozenInstanceError):
        BoundedPrior(0.1, 0.2).low = 0.0
