"""True against false positives, with a region that holds for all points of a curve at once."""

import numpy as np
from numpy.typing import NDArray
from scipy import special

from deniable.auditing.audit import RatePoint
from deniable.auditing.runs import Bits
from deniable.auditing.statistics import counts
from deniable.auditing.statistics.cut import Scores
from deniable.errors import InvalidArgument
from deniable.numerics.binomial import binomial_limits

POINTS = 24
"""Points of a curve: enough for a smooth line, and the region widens with their logarithm."""

Rates = NDArray[np.float64]


def thresholds(scores: Scores) -> Scores:
    """Where a curve is cut: quantiles of the scores of pilot runs; (n_runs,) -> (n <= 24,)."""
    finite = scores[np.isfinite(scores)]
    if not len(finite):
        return np.zeros(1)
    # as many near the ends as in the middle: that is where an attack is surest
    shares = special.expit(np.linspace(-5, 5, POINTS))
    return np.unique(np.quantile(finite, shares, method="closest_observation"))


def rate_region(
    cuts: Scores, scores: Scores, members: Bits, *, confidence: float = 0.95
) -> tuple[RatePoint, ...]:
    """Shares of runs in which the attack says "in", and rectangles that all hold at once.

    Each end is Clopper and Pearson's at the level α/(4 m) for m cuts: two rates with two ends
    each, and the union bound. Nothing is asked of the target but independent runs; the region
    describes the attack and is no lower limit of ε.

    Parameters
    ----------
    cuts : ndarray of float, shape (m,)
        The attack says "in" from this score on; chosen without these runs.
    scores : ndarray of float, shape (n_runs,)
        Scores of the runs kept for the test.
    members : ndarray of bool, shape (n_runs,)
        The truth.
    confidence : float
        1 − α.

    Returns
    -------
    tuple of RatePoint
        By rising false positives.

    Raises
    ------
    InvalidArgument
        If scores and members differ in shape.
    """
    if scores.ndim != 1 or scores.shape != members.shape:
        raise InvalidArgument(f"Expected one score a run, got {scores.shape} for {members.shape}.")
    level = (1 - counts.confidence(confidence)) / (4 * max(len(cuts), 1))
    columns = []
    for part in (scores[~members], scores[members]):
        ordered = np.sort(part)
        above = len(ordered) - np.searchsorted(ordered, cuts, side="left")
        columns += [above / max(len(ordered), 1), *binomial_limits(above, len(ordered), level)]
    fpr, fpr_lower, fpr_upper, tpr, tpr_lower, tpr_upper = columns
    rows = zip(fpr, tpr, fpr_lower, fpr_upper, tpr_lower, tpr_upper, strict=True)
    points = [RatePoint(*map(float, row)) for row in rows]
    return tuple(sorted(points, key=lambda point: (point.fpr, point.tpr)))
