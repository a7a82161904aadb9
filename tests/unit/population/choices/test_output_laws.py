import math

import attrs
import numpy as np
import pytest

from deniable.bounds import Evidence
from deniable.errors import InvalidArgument
from deniable.population.choices.output_laws import OutputLaws

IN = np.log([[0.7, 0.2, 0.1], [0.25, 0.25, 0.5]])
OUT = np.log([[0.4, 0.4, 0.2], [0.25, 0.25, 0.5]])


def test_pure_epsilon_is_the_largest_ratio():
    found = OutputLaws(IN, OUT, 0.0).population_epsilon()
    assert found.evidence is Evidence.ENCLOSURE
    assert found.worst() == 0
    assert found.maximum().lower == pytest.approx(math.log(2))
    assert found.lower[1] == 0


@pytest.mark.parametrize(
    ("delta", "expected"), [(0.1, math.log(0.5 / 0.3)), (0.29, math.log(0.31 / 0.3))]
)
def test_delta_is_taken_off_the_best_set(delta, expected):
    found = OutputLaws(IN, OUT, 0.0).population_epsilon(delta).maximum()
    assert found.lower == pytest.approx(expected, abs=1e-12)
    assert found.upper == pytest.approx(expected, abs=1e-12)


def test_at_the_total_variation_nothing_is_left():
    assert OutputLaws(IN, OUT, 0.0).population_epsilon(0.31).maximum().upper == 0


@pytest.mark.parametrize("delta", [0.0, 0.1])
def test_the_error_widens_both_ends(delta):
    sharp = OutputLaws(IN, OUT, 0.0).population_epsilon(delta).maximum()
    wide = OutputLaws(IN, OUT, 1e-3).population_epsilon(delta).maximum()
    assert wide.lower <= sharp.lower - 0.0019
    assert wide.upper >= sharp.upper + 0.0019


def test_probabilities_too_small_for_floats():
    laws = OutputLaws([[0.0, -2000.0]], [[0.0, -2400.0]], 0.0)
    assert laws.population_epsilon().maximum().upper == pytest.approx(400)
    assert laws.population_epsilon(1e-9).maximum().upper == 0


def test_bad_input():
    with pytest.raises(InvalidArgument, match="records by outputs"):
        OutputLaws([0.0], [0.0], 0.0)
    with pytest.raises(InvalidArgument, match="of one shape"):
        OutputLaws(IN, OUT[:1], 0.0)
    with pytest.raises(InvalidArgument, match="error >= 0"):
        OutputLaws(IN, OUT, -1.0)
    with pytest.raises(InvalidArgument, match="delta < 1"):
        OutputLaws(IN, OUT, 0.0).population_epsilon(1.0)


def test_frozen():
    laws = OutputLaws(IN, OUT, 0.0)
    with pytest.raises(attrs.exceptions.FrozenInstanceError):
        laws.error = 1.0
    with pytest.raises(ValueError, match="read-only"):
        laws.log_in[0, 0] = 0.0


def test_impossible_outputs():
    never = OutputLaws([[0.0, -np.inf]], [[0.0, -np.inf]], 0.0).population_epsilon().maximum()
    assert (never.lower, never.upper < 1e-14) == (0.0, True)
    tells = OutputLaws([[0.0, -np.inf]], np.log([[0.5, 0.5]]), 1e-3).population_epsilon().maximum()
    assert (tells.lower, tells.upper) == (math.inf, math.inf)
