import numpy as np
import pytest

from deniable.population.real_sums.atoms import subset_atoms
from tests.oracles import real_sums as brute


@pytest.mark.parametrize("unit", [1.0, 0.25])
@pytest.mark.parametrize("values", [[0.1, 0.2, 0.3, 0.7], [0.137, 1.2345678, 2.0, 3.5]])
def test_laws_against_listed_subsets(values, unit):
    counts = np.array([2, 1, 3, 1])
    laws = subset_atoms(np.array(values), counts, 3, 2, unit)
    listed = brute.subset_sums(np.repeat(values, counts).tolist(), 3, 3)
    for law, sums in zip(laws, listed, strict=True):
        assert np.exp(law.log_weights).sum() == pytest.approx(1)
        for end in np.unique(sums.round(9)):
            mine = np.exp(law.log_weights)[np.abs(law.sums * unit - end) < 1e-8].sum()
            assert mine == pytest.approx(np.mean(np.abs(sums - end) < 1e-8))


def test_decimal_values_meet_again():
    inside, _ = subset_atoms(np.arange(10) / 10, np.full(10, 4), 12, 0, 1.0)
    assert len(inside.sums) <= 110


def test_too_many_sums_are_not_listed():
    values = np.random.default_rng(0).normal(size=40)
    assert subset_atoms(values, np.ones(40, np.int64), 20, 0, 1.0) is None
    assert subset_atoms(np.array([0.0, 1.0]), np.array([900, 900]), 20, 0, 1.0) is None
