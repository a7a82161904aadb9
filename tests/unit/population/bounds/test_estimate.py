import math

import numpy as np
import pytest

from deniable.population.bounds.estimate import direction, estimates, gaussian_shifts
from tests.oracles import population as brute


@pytest.mark.parametrize(("n_records", "size", "columns"), [(8, 4, 2), (7, 2, 1), (7, 6, 3)])
def test_shifts_by_listing_all_samples(n_records, size, columns):
    rows = np.random.default_rng(n_records).normal(size=(n_records, columns)) + 5
    sigma = 0.7
    found = gaussian_shifts(rows, size, sigma)
    for record in range(n_records):
        inside, outside = brute.sums(rows, size, record)
        spread = sum(
            np.cov(each.T, bias=True).reshape(columns, columns) for each in (inside, outside)
        )
        moved = inside.mean(axis=0) - outside.mean(axis=0)
        matrix = spread / 2 + sigma**2 * np.eye(columns)
        assert found[record] == pytest.approx(math.sqrt(moved @ np.linalg.solve(matrix, moved)))
        along = direction(rows, size, sigma, record)
        best = np.linalg.solve(matrix, moved)
        assert along == pytest.approx(best / np.linalg.norm(best))


def test_two_records():
    assert gaussian_shifts(np.array([[0.0], [3.0]]), 1, 2.0) == pytest.approx([1.5, 1.5])


def test_records_that_are_all_the_same():
    same = np.full((5, 2), 3.0)
    assert gaussian_shifts(same, 2, 1.0).tolist() == [0.0] * 5
    assert direction(same, 2, 1.0, 0).tolist() == [1.0, 0.0]
    assert estimates(same, 2, 1.0, 0.01).tolist() == [0.0] * 5


def test_near_the_truth_for_a_large_sample_of_normal_records():
    rows = np.random.default_rng(5).normal(size=16)
    worst = int(np.abs(rows - rows.mean()).argmax())
    exact = brute.gaussian_epsilon(rows, 8, 2.0, 0.01, worst)
    found = estimates(rows[:, None], 8, 2.0, 0.01)
    assert found.argmax() == worst
    assert found.max() == pytest.approx(exact, rel=0.2)
