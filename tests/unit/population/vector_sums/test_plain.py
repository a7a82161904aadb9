import numpy as np
import pytest

from deniable.population.vector_sums.plain import plain_log_ratios
from deniable.population.vector_sums.release import Release

ROWS = np.random.default_rng(0).normal(size=(7, 2))
TARGET = Release.of(ROWS, 3, 1.0).target(1)


def test_one_candidate_tells_two_neighbours_apart():
    """ln ratio is normal with mean ±s²/2 for some shift s = |x − x'|."""
    far = Release.of(np.array([0.0, 0.0, 0.0, 3.0]), 2, 1.0).target(3)
    for world, mean in ((0, 4.5), (1, -4.5)):
        found = plain_log_ratios(np.random.default_rng(0), far, world, 1, 20_000)
        assert abs(found.mean() - mean) < 6.2 * 3 / np.sqrt(20_000)  # false alarm 1e-9
        assert found.std() == pytest.approx(3, rel=0.05)


def test_batches_cover_all_draws(monkeypatch):
    monkeypatch.setattr("deniable.population.vector_sums.plain._CELLS", 100)
    assert plain_log_ratios(np.random.default_rng(0), TARGET, 0, 4, 17).shape == (17,)
