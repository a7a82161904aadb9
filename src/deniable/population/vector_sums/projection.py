r"""Lower bounds by projection: an attacker may look along one direction only.

u·A(D) = Σ_{i∈D} u·x_i + N(0, σ²) for a unit vector u is post-processing of the release, so its
exact ε̃ is a lower bound on that of the vector, without sampling.
"""

import math
from collections.abc import Callable, Iterable

import numpy as np

from deniable.mechanisms.gaussian import Gaussian
from deniable.numerics.bound import Evidence
from deniable.numerics.effort import Effort
from deniable.population import real_sums
from deniable.population.answer.record_bounds import RecordBounds
from deniable.population.bounds import direction
from deniable.population.question import Floats, Question, Summands

_MOST_LOST = 0.5
"""Share of 1 − δ beyond which rounding takes too much of δ, and the lower bound is 0."""


def projected_lower_bounds(
    question: Question[Summands], records: Iterable[int], sigma: float, effort: Effort
) -> Floats:
    """Lower bounds on ε̃ of some records, each along the direction where it shows most.

    Parameters
    ----------
    question : Question
        The parent set, n, and δ in (0, 1).
    records : iterable of int
        Positions of the records asked for.
    sigma : float
        Standard deviation of the noise on the sum, in every coordinate.
    effort : Effort
        Workers and checkpoint of the one-dimensional analysis.

    Returns
    -------
    array of float, shape (n_records asked for,)
        ≥ 0.
    """
    return np.array([_lower_bound(question, int(record), sigma, effort) for record in records])


def lower_bound_despite_rounding(
    analysis: Callable[[float], RecordBounds], delta: float, moved: float
) -> float:
    """The lower bound of an analysis of laws that each are moved in total variation by rounding.

    The first pass finds ε; the second asks for it at a δ that is larger by (1 + e^ε) times what
    the laws moved, so that what it finds holds for the exact laws.

    Parameters
    ----------
    analysis : callable
        δ to the bounds of one record.
    delta : float
        In (0, 1).
    moved : float
        Total variation between either law and what was analysed in its place, ≥ 0.
    """
    end, allowed = 0.0, delta
    for _ in range(2):
        bounds = analysis(allowed)
        if bounds.evidence > Evidence.ENCLOSURE:
            return 0.0
        end = float(bounds.lower[0])
        lost = (1 + math.exp(min(end, 700.0))) * moved
        if lost > _MOST_LOST * (1 - delta):
            return 0.0
        allowed = delta + lost * (1 + 1e-12)
    return end


def _lower_bound(question: Question[Summands], record: int, sigma: float, effort: Effort) -> float:
    values, size = question.data.values, question.size
    along = direction(values, size, sigma, record)
    centred = values - values.mean(axis=0)  # moves every sum alike
    projected = Summands(centred @ along)
    # A projected number is off by rounding, a sum by η, which moves either law by at most
    # 0.4 η/σ in total variation.
    largest = float(np.abs(centred).max()) * math.sqrt(values.shape[1])
    off = size * 2e-16 * (values.shape[1] + 4) * largest
    # The unit vector is one only up to rounding: too long is too much.
    noise = Gaussian(sigma * float(np.linalg.norm(along)) * (1 + 1e-14))

    def analysis(delta: float) -> RecordBounds:
        return real_sums.bracket(Question(projected, size, delta, [record]), noise, effort)

    return lower_bound_despite_rounding(analysis, question.delta, 0.4 * off / sigma)
