from fractions import Fraction

import pytest

from deniable.errors import InvalidArgument
from deniable.priors.one_of_worlds import OneOfWorlds


def test_the_only_uncertain_belief():
    assert OneOfWorlds(3).belief == Fraction(1, 3)
    assert OneOfWorlds(3.0) == OneOfWorlds(3)
    assert OneOfWorlds(3).suffix == "@one-of-3"


@pytest.mark.parametrize("worlds", [1, 2.5, "3"])
def test_at_least_two(worlds):
    with pytest.raises(InvalidArgument, match="worlds"):
        OneOfWorlds(worlds)
