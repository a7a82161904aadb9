r"""Lower ends by projection: an attacker may look along one direction only.

u·A(D) = Σ_{i∈D} u·x_i + N(0, σ²) for a unit vector u is post-processing of the release, so its
exact ε̃ is a lower bound on that of the vector, without sampling.
"""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from deniable.bounds import Evidence
from deniable.mechanisms.gaussian import Gaussian
from deniable.population import real_sums
from deniable.population.bounds import direction
from deniable.population.question import Question, Summands
from deniable.population.work.effort import Effort

_MOST_LOST = 0.5
"""Share of 1 − δ beyond which rounding takes too much of δ, and the lower end is 0."""


def projected_lower_ends(
    values: NDArray[np.float64],
    size: int,
    sigma: float,
    delta: float,
    records: Sequence[int],
    effort: Effort,
) -> NDArray[np.float64]:
    """Lower bounds on ε̃ of some records, each along the direction where it shows most.

    A projected number is off by rounding, by η in a sum, which changes either law by at most
    0.4 η/σ in total variation. The first pass finds ε; the second asks for it at a δ that is
    larger by (1 + e^ε) times that, so that what it finds holds for the exact projection.

    Parameters
    ----------
    values : array of float, shape (n_records, n_columns)
        The parent set.
    size : int
        n.
    sigma : float
        Standard deviation of the noise on the sum, in every coordinate.
    delta : float
        In (0, 1).
    records : sequence of int
        Positions of the records asked for.
    effort : Effort
        Workers and checkpoint of the one-dimensional analysis.

    Returns
    -------
    array of float, shape (n_records asked for,)
        ≥ 0.
    """
    return np.array(
        [_lower_end(values, size, sigma, delta, int(record), effort) for record in records]
    )


def _lower_end(
    values: NDArray[np.float64],
    size: int,
    sigma: float,
    delta: float,
    record: int,
    effort: Effort,
) -> float:
    along = direction(values, size, sigma, record)
    centred = values - values.mean(axis=0)  # moves every sum alike
    projected = centred @ along
    largest = float(np.abs(centred).max()) * math.sqrt(values.shape[1])
    off = size * 2e-16 * (values.shape[1] + 4) * largest
    # The unit vector is one only up to rounding: too long is too much.
    noise = Gaussian(sigma * float(np.linalg.norm(along)) * (1 + 1e-14))
    found = 0.0
    allowed = delta
    for _ in range(2):
        question = Question(Summands(projected), size, allowed, [record])
        bounds = real_sums.bracket(question, noise, effort)
        if bounds.evidence > Evidence.ENCLOSURE:
            return 0.0
        found = float(bounds.lower[0])
        # Both laws move by 0.4 η/σ in total variation: the exact δ at ε is below δ' − (1 + e^ε)
        # 0.4 η/σ.
        lost = (1 + math.exp(min(found, 700.0))) * 0.4 * off / sigma
        if lost > _MOST_LOST * (1 - delta):
            return 0.0
        allowed = delta + lost * (1 + 1e-12)
    return found
