from fractions import Fraction

import pytest

from deniable.errors import InvalidArgument
from deniable.priors.sampled_entities import SampledEntities


def test_the_only_uncertain_belief():
    assert SampledEntities(0.1).belief == Fraction(0.1)
    assert SampledEntities(1e-5).suffix == "@sampled-1e-05"


@pytest.mark.parametrize("rate", [0.0, 1.0, -0.1, "0.5"])
def test_strictly_between_0_and_1(rate):
    with pytest.raises(InvalidArgument, match="rate"):
        SampledEntities(rate)
