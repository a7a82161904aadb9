import attrs
import numpy as np
import pytest

from deniable._rounding import UNIT
from deniable.population.whole_sums.laws import TINY, SumLaws


def test_frozen():
    laws = SumLaws(*(np.zeros((2, 1, 3)),) * 2, *(np.zeros((2, 1)),) * 2)
    with pytest.raises(attrs.exceptions.FrozenInstanceError):
        laws.low = laws.high


def test_units():
    assert 1 + UNIT == 1
    assert 1 + 2 * UNIT > 1
    assert TINY * 1e-8 > 0
