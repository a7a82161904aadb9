import numpy as np
import pytest

from deniable.population.real_sums import subset_sums
from deniable.population.real_sums.kernel import Kernel
from deniable.population.real_sums.nodes import nodes
from deniable.population.real_sums.subset_sums import chunks, transforms


@pytest.mark.parametrize("rows", [1, 2, 256])
@pytest.mark.parametrize("targets", [[0, 1, 2, 3, 4], [4], [1, 3]])
def test_transforms_against_listed_subsets(small, subset_transform, monkeypatch, rows, targets):
    monkeypatch.setattr(subset_sums, "ROWS", rows)
    where = nodes(small, Kernel(1.0), 40.0, min(small.chances()))
    noise = np.exp(-(where.theta**2) / 2)  # what it makes tiny is left out on purpose
    parts = chunks(small, where, np.array(targets))
    assert [list(part.targets) for part in parts] == [
        targets[i : i + rows] for i in range(0, len(targets), rows)
    ]
    for part in parts:
        inside, outside = transforms(small, where, part, small.chances())
        for row, place in enumerate(part.targets):
            for column in (0, 3, len(where.index) - 1):
                theta = where.theta[column]
                out = subset_transform(theta, place, 3)
                turned = np.exp(1j * theta * small.values[place])
                assert abs(outside[row, column] - out) * noise[column] < 1e-13
                within = subset_transform(theta, place, 2) * turned
                assert abs(inside[row, column] - within) * noise[column] < 1e-13


def test_a_factor_of_zero_does_no_harm():
    factors = np.array([[0.0], [2.0], [3.0]], np.complex128)
    found = subset_sums._all_but_one(factors, np.array([5.0 + 0j]))
    assert found.ravel().tolist() == [30.0, 0.0, 0.0]
