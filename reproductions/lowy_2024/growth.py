"""The figure that the paper could not draw: exact ε̃ against n, far beyond n = 6."""

from collections.abc import Iterator

from reproductions.lowy_2024.marks import Curve, Mark
from reproductions.lowy_2024.median import Median
from reproductions.lowy_2024.noisy_mean import NoisyMean, normal
from reproductions.lowy_2024.settings import RESTRICTED, Settings

_LONG = 300.0
"""Seconds; the exact analysis never needs them."""


def figure_7(settings: Settings) -> Iterator[Mark]:
    """ε(X) = 10 throughout: the exponential mechanism enumerated, Gaussian noise by Fourier."""
    for size in settings.enumerated_sizes:
        sets = [Median.drawn(draw, size=size) for draw in range(settings.growing)]
        found = [each.population(RESTRICTED) for each in sets]
        yield Curve(7, "exponential mechanism, all samples enumerated").mean(size, found)
    for size in settings.fourier_sizes:
        answer = NoisyMean(normal(size, 1), RESTRICTED).analysed(_LONG)
        bound = answer.population_epsilon
        curve = Curve(7, "Gaussian noise, d = 1, δ = 0.01")
        yield curve.bracket(size, bound.lower, bound.upper, "enclosure")
