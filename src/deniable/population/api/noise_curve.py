r"""`deniable.population.noise_curve`: what a little more noise is worth, by three measures.

Beside population ε and differential privacy stands the bound of PAC privacy [xiao-devadas-2023]_,
computed here for the same query on the same list. The release M(D) + N(0, σ²I) of a random sample
D shows at most

.. math:: I(D;\, M(D) + B) \le \tfrac12 \log\det(I + \Sigma_M / \sigma^2), \quad
          \Sigma_M = n \left(1 - \tfrac nN\right) S^2

of it, S² the covariance of the records with divisor N − 1. A guess by prior alone is right with
probability q = max(n/N, 1 − n/N); after the release no guess at one record's membership is right
more often than the largest p >= q with

.. math:: p \ln\frac pq + (1 - p) \ln\frac{1 - p}{1 - q} \le I .
"""

import math
from collections.abc import Iterable, Sequence
from typing import Any

import attrs
import numpy as np

from deniable.errors import InvalidArgument, validate
from deniable.numerics.answer import Answer, display, fields_of
from deniable.numerics.bound import Bound
from deniable.numerics.effort import Effort
from deniable.numerics.search import bisect
from deniable.population.api.additive import AdditiveQuery
from deniable.population.api.gaussian import gaussian
from deniable.population.question import Source, Types, numbers

_OUTWARDS = 1 + 1e-9  # Room for rounding of eigenvalues and logarithms of a few thousand columns
_HALVINGS = 60  # Halvings of the interval of a success probability: to the last bit of a float64
_POINTS = 32  # Scales of noise at most: each is an analysis of its own


@attrs.frozen
class NoisePoint:
    """One scale of the noise and what it is worth.

    Parameters
    ----------
    sigma : float
        Standard deviation of the noise on the query.
    population_epsilon : Bound
        ε̃ at the curve's δ.
    epsilon : float or None
        Differential privacy at the same δ against everybody; None without a clip.
    restricted_epsilon : float or None
        The same for samples of this list only.
    bayes_success : float
        How often a guess at prior n/N is right at most, by ε̃.
    mutual_information : float
        The PAC bound on what is shown of the whole sample, in natural units.
    pac_success : float
        How often a guess at one record is right at most, by that; an average.
    """

    sigma: float
    population_epsilon: Bound
    epsilon: float | None
    restricted_epsilon: float | None
    bayes_success: float
    mutual_information: float
    pac_success: float

    def as_json(self) -> dict[str, Any]:
        """One entry of `points`."""
        return attrs.asdict(self, recurse=False) | {
            "population_epsilon": self.population_epsilon.as_json()
        }


@attrs.frozen(repr=False)
class NoiseCurve(Answer):
    """Population ε against the noise, beside differential privacy and the PAC bound.

    Parameters
    ----------
    delta : float
        δ of every ε.
    size, population : int
        n and N.
    points : tuple of NoisePoint
        A point a scale, in rising order.
    sampling_deviation : float
        Standard deviation of the query over samples, before noise: the largest of its numbers.
    """

    delta: float
    size: int
    population: int
    points: tuple[NoisePoint, ...]
    sampling_deviation: float

    def as_json(self) -> dict[str, Any]:
        """Everything, a point a scale."""
        return fields_of(self, "delta", "size", "population", "sampling_deviation", "points")

    def plot(self) -> Any:
        """Three measures of privacy against the standard deviation of the noise.

        Returns
        -------
        altair.Chart
            ε on the left; how often a guess is right on the right; needs the extra publish.
        """
        return display(self, "plot")


def noise_curve(
    data: Source,
    size: int,
    sigmas: Sequence[float],
    *,
    delta: float,
    clip: float | None = None,
    query: str = "mean",
    counts: bool = False,
    effort: Effort | None = None,
) -> NoiseCurve:
    """Compute population ε of a mean or sum at several scales of Gaussian noise.

    Parameters
    ----------
    data, size, delta, clip, query, counts
        As in `gaussian`.
    sigmas : sequence of float
        Standard deviations of the noise on the query, each > 0; 1 to 32 of them.
    effort : Effort, optional
        For each scale of the noise.

    Raises
    ------
    InvalidArgument, DataError
        If an argument or the data cannot be used.

    References
    ----------
    lowy-2024, Definition 2; xiao-devadas-2023.

    Examples
    --------
    >>> from deniable import population
    >>> ages = [23, 25, 31, 34, 38, 41, 47, 52, 58, 63, 70, 85]
    >>> answer = population.noise_curve(ages, 6, [4.0, 8.0], delta=0.01)
    >>> [round(point.population_epsilon.upper, 2) for point in answer.points]
    [3.22, 1.62]
    >>> [round(point.pac_success, 2) for point in answer.points]
    [0.96, 0.8]
    """
    if not isinstance(sigmas, Iterable):
        raise InvalidArgument(f"Expected a list of sigmas, got {validate.format_value(sigmas)}.")
    used = sorted(validate.positive(sigma, "sigmas") for sigma in sigmas)
    if not 1 <= len(used) <= _POINTS:
        raise InvalidArgument(f"Expected 1 to {_POINTS} sigmas, got {len(used)}.")
    records = numbers(data)
    options: dict[str, Any] = {"delta": delta, "clip": clip, "query": query, "counts": counts}
    released = AdditiveQuery.of(records, size, records="worst", **options)
    question = released.question
    # Eigenvalues of the covariance of a sample's sum, and its largest standard deviation; exact but
    # for rounding, which is outwards. Var Σ = n (1 − n/N) S², S² with divisor N − 1.
    rows, many = question.data, question.population
    weights = rows.counts if isinstance(rows, Types) else np.ones(len(rows.values))
    middle = np.average(rows.values, axis=0, weights=weights)
    centred = (rows.values - middle) * np.sqrt(weights)[:, None]
    factor = question.size * (1 - question.size / many) / (many - 1)
    eigenvalues = factor * np.linalg.svd(centred, compute_uv=False) ** 2 * _OUTWARDS
    largest = math.sqrt(factor * float(np.square(centred).sum(axis=0).max()))
    prior = max(question.share, 1 - question.share)
    points = []
    for sigma in used:
        answer = gaussian(records, size, sigma=sigma, effort=effort, **options)
        total = released.on_the_sum(sigma)
        # ½ ln det(I + Σ/σ²)
        information = float(np.log1p(eigenvalues / total / total).sum() / 2) * _OUTWARDS
        finite = answer.epsilon is not None and math.isfinite(answer.epsilon)
        points.append(
            NoisePoint(
                sigma,
                answer.population_epsilon,
                answer.epsilon if finite else None,
                answer.epsilon_restricted_sensitivity,
                answer.bayes_success,
                information,
                success_of(information, prior),
            )
        )
    most = largest / released.unit
    return NoiseCurve(question.delta, question.size, question.population, tuple(points), most)


def success_of(information: float, prior: float) -> float:
    """The largest p >= q whose divergence from q is at most the information; rounded up.

    >>> round(success_of(0.02, 0.5), 4), success_of(5.0, 0.5)
    (0.5997, 1.0)
    """
    if -math.log(prior) <= information:
        return 1.0

    def keeps(p: float) -> bool:  # KL divergence of two coins; natural units
        rest = 0.0 if p == 1 else (1 - p) * math.log((1 - p) / (1 - prior))
        return p * math.log(p / prior) + rest <= information

    _, high = bisect(keeps, prior, 1.0, halvings=_HALVINGS)
    return min(high * _OUTWARDS, 1.0)
