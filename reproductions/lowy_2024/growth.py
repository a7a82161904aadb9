"""Beyond the paper, with settings of ours: exact ε̃ against n, far beyond n = 6."""

from collections.abc import Iterator

from deniable import population
from deniable.numerics.effort import Effort
from reproductions.lowy_2024 import median, noisy_mean
from reproductions.lowy_2024.marks import OURS, Curve, Mark
from reproductions.lowy_2024.settings import DELTA, SEED, Settings

RESTRICTED = 10.0
"""ε(X) by sensitivity, held fixed: the noise stays in proportion to what one record moves."""
_LONG = 300.0
"""Seconds; the exact analysis never needs them."""


def figure_7(settings: Settings) -> Iterator[Mark]:
    """The exponential mechanism enumerated (d = 5, m = 32, C = 10), Gaussian noise by Fourier."""
    for size in settings.enumerated_sizes:
        law = median.Drawing(5, 32, clip=10.0, size=size)
        sets = [law.draw(number) for number in range(settings.growing)]
        found = [each.population(each.by_sensitivity(RESTRICTED)) for each in sets]
        yield Curve(7, "ε̃", "exponential mechanism, d = 5, enumerated", OURS).mean(size, found)
    for size in settings.fourier_sizes:
        records = noisy_mean.Drawing(1, clip=50.0).draw(0, size)
        case = noisy_mean.NoisyMean.restricted(records, RESTRICTED)
        answer = population.gaussian(
            records,
            size,
            sigma=case.sigma / size,
            delta=DELTA,
            query="mean",
            effort=Effort(time_limit=_LONG, seed=SEED),
        )
        bound = answer.population_epsilon
        curve = Curve(7, "ε̃", "Gaussian noise, d = 1, δ = 0.01, exact", OURS)
        yield curve.bracket(size, (bound.lower, bound.upper), "enclosure")
