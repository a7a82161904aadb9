"""Large ε̃: tilted laws and Proposition 12, against every subset listed."""

import numpy as np
import pytest

from deniable.mechanisms import Gaussian, Laplace
from deniable.numerics.effort import Effort
from deniable.population.question import Question, Summands
from deniable.population.real_sums.engine import harmless
from deniable.population.real_sums.problem import Problem, TiltedGaussian, standardise_population
from deniable.population.real_sums.relative import relative_epsilons
from deniable.population.real_sums.tilt import piece
from tests.cases.effort import some_pairs
from tests.oracles import real_sums as brute

NOISES = {"gaussian": Gaussian, "laplace": Laplace}
LAWS = {
    "cauchy": lambda draw: draw.standard_cauchy(6),
    "lognormal": lambda draw: draw.lognormal(0, 2, 6),
    "pareto": lambda draw: -draw.pareto(1, 6),
    "ties": lambda draw: draw.integers(0, 3, 6) * 1.0 + (np.arange(6) == 5) * 40,
    "one huge": lambda draw: np.append(draw.normal(size=5), 1e6),
}


def problem(values, size, noise, delta):
    return Problem.of(Question(Summands(values), size, delta), noise, Effort())


@pytest.mark.parametrize(
    ("case", "kind"),
    some_pairs(
        [
            ("cauchy", 3, 20, 1e-5),
            ("lognormal", 5, 3, 0.01),
            ("pareto", 1, 10, 1e-4),
            ("ties", 3, 20, 1e-5),
            ("one huge", 5, 3, 0.01),
            ("one huge", 1, 10, 1e-4),
        ],
        list(NOISES),
    ),
)
def test_the_farthest_record_against_all_subsets(case, kind):
    law, size, spans, delta = case
    values = LAWS[law](np.random.default_rng(size))
    values = values / np.ptp(values) * spans  # what follows is in units of the noise
    asked = problem(values, size, NOISES[kind](1.0), delta)
    record = int(np.argmax(np.abs(values - np.median(values))))
    low, high = relative_epsilons(asked, asked.index[[record]], smoothing=1 / 16)
    truth = brute.population_epsilon(values.tolist(), size, 1.0, kind, delta, record, 40)
    assert low[0] - 1e-9 <= truth <= high[0] + 1e-9
    assert high[0] <= 1.1 * truth + 0.05
    if kind == "gaussian":
        finer = relative_epsilons(
            asked, asked.index[[record]], smoothing=1 / 16, spacing=1 / 4096
        )  # fmt: skip
        assert finer[0][0] - 1e-9 <= truth <= finer[1][0] + 1e-9
        assert finer[1][0] - finer[0][0] <= (high[0] - low[0]) / 8 + 1e-6


@pytest.mark.parametrize("tilt", [-3.0, 0.0, 1.5])
def test_a_piece_encloses_the_densities_under_gaussian_noise(small, tilt):
    numbers = np.repeat(small.values, small.counts).tolist()
    found = piece(small, np.array([0, 4]), TiltedGaussian(tilt), 0.25)
    for row, record in enumerate((0, 6)):
        inside, outside = brute.subset_sums(numbers, 3, record)
        columns = np.linspace(0, found.inside[0].shape[1] - 1, 9).astype(int)
        constants = []
        for column in columns:
            t = 0.25 * (found.first + column)
            for ends, sums in ((found.inside, inside), (found.outside, outside)):
                exactly = brute.log_density(sums, t, 1.0, "gaussian")
                constants.append((ends[0][row, column] - exactly, ends[1][row, column] - exactly))
        low, high = np.array(constants).T
        assert low.max() <= high.min()  # one constant fits them all
        assert np.median(high - low) < 1e-4


def test_a_record_that_is_nearly_always_chosen_has_digits_without_it():
    # Under a tilt that has the outlier in for sure, the others' law without it is no rare event.
    values, counts = np.array([-0.1, 0.0, 0.1, 30.0]), np.array([3, 3, 3, 1])
    far = standardise_population(values, counts, 5, 1.0)
    found = piece(far, np.array([3]), TiltedGaussian(2.0), 0.25)
    low, high = (ends[0] for ends in found.outside)
    assert (high - low).min() < 1e-6


@pytest.mark.parametrize(("kind", "seed"), [("gaussian", 0), ("laplace", 1)])
def test_no_record_is_dismissed_below_its_own(kind, seed):
    draw = np.random.default_rng(seed)
    values = draw.standard_cauchy(5) if seed % 2 else draw.lognormal(0, 2, 5)
    values = np.append(values, 60 * np.abs(values).max()).tolist()
    noise = NOISES[kind](max(values) / 12)
    asked = problem(values, 3, noise, 0.05)
    every = [
        brute.population_epsilon(values, 3, noise.scale, kind, 0.05, record, 30)
        for record in range(6)
    ]
    for epsilon in (0.01, 0.5, 3.0, 10.0):
        said = harmless(asked, asked.index, epsilon)
        assert not np.any(said & (np.array(every) > epsilon + 1e-9))
    assert not said[5] or every[5] <= 10.0


def test_the_others_of_one_outlier_are_dismissed():
    values = np.append(np.random.default_rng(0).normal(size=2000), 1000.0)
    asked = problem(values, 1000, Laplace(100.0), 1e-3)
    said = harmless(asked, asked.index, 5.0)
    assert said[:-1].all()
    assert not said[-1]
