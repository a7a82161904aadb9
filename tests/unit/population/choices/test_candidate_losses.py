import math

import numpy as np
import pytest

from deniable.errors import InvalidArgument
from deniable.population.choices.candidate_losses import loss_table


def test_distances_candidates_by_records():
    found = loss_table([[0.0, 1.0], [3.0, 4.0], [0.0, 0.0]], [[0.0, 0.0], [3.0, 0.0]])
    assert found == pytest.approx(np.array([[1.0, 5.0, 0.0], [math.sqrt(10), 4.0, 3.0]]))


@pytest.mark.parametrize(
    ("records", "candidates", "message"),
    [
        ([1.0], [[1.0]], "records as rows"),
        ([[1.0]], np.zeros((0, 1)), "candidates as rows"),
        ([[1.0]], [[1.0, 2.0]], "of one dimension, got 1 and 2"),
        ([[math.nan]], [[1.0]], "finite records"),
        ([[1.0]], [[math.inf]], "finite candidates"),
    ],
)
def test_bad_points(records, candidates, message):
    with pytest.raises(InvalidArgument, match=message):
        loss_table(records, candidates)
