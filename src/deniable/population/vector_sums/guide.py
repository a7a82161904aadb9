"""Which records a subset should take for its sum to end near a target, one after the other.

Going through the records one by one, the sum of those still to come is nearly normal. Its mean
and covariance turn the wish "the sum ends near this target" into a log-odds for each record,
linear in what is still missing. Any other log-odds would be as valid; these are nearly exact.
"""

import attrs
import numpy as np
from numpy.typing import NDArray


@attrs.frozen(eq=False)
class Guide:
    """Log-odds of taking each record, given what the sum still misses.

    The record at step j has log-odds ln(m/(r−m)) + b_j·u − m c_j − h_j, where r records from
    here on have m places left and u is the target minus the sum so far.

    Parameters
    ----------
    order : array of int, shape (M,)
        Which record is looked at when: farthest from the mean first.
    steps : array, shape (M, d)
        The records in that order.
    slopes : array, shape (M, d)
        b_j = C_j⁻¹(y_j − ȳ_j), for the mean ȳ_j of the records after j and the covariance C_j
        of the sum of a proportional part of them plus noise.
    drifts, halves : array, shape (M,)
        c_j = b_j·ȳ_j and h_j = b_j·(y_j − ȳ_j)/2.
    """

    order: NDArray[np.int64]
    steps: NDArray[np.float64]
    slopes: NDArray[np.float64]
    drifts: NDArray[np.float64]
    halves: NDArray[np.float64]

    @classmethod
    def towards(
        cls,
        points: NDArray[np.float64],
        share: float,
        noise: NDArray[np.float64],
        rows_at_once: int = 1024,
    ) -> "Guide":
        """The guide of subsets of `points`, of about `share` of them, under this noise covariance.

        The outer products of `rows_at_once` records are held at once.

        Examples
        --------
        >>> Guide.towards(np.array([[1.0], [0.0], [-3.0]]), 0.5, np.eye(1)).order.tolist()
        [2, 0, 1]
        """
        distances = np.linalg.norm(points - points.mean(axis=0), axis=1)
        order = np.argsort(-distances, kind="stable")
        steps = np.ascontiguousarray(points[order])
        means, slopes = np.empty_like(steps), np.empty_like(steps)
        total, squares = np.zeros(steps.shape[1]), np.zeros((steps.shape[1],) * 2)
        # From the last record back: mean ȳ of the r − 1 records after each, Σ(y − ȳ)(y − ȳ)ᵀ of
        # them, and C = share (1 − share) (r − 1)/(r − 2) times it, plus the noise. Then b = C⁻¹(y
        # − ȳ).
        for start in reversed(range(0, len(steps), rows_at_once)):
            rows = steps[start : start + rows_at_once]
            outer = rows[:, :, None] * rows[:, None, :]
            left = (len(steps) - start - 1) - np.arange(len(rows), dtype=np.float64)
            sums = _after(rows, total)
            mean = sums / np.maximum(left, 1)[:, None]
            spread = _after(outer, squares) - sums[:, :, None] * mean[:, None, :]
            scale = share * (1 - share) * left / np.maximum(left - 1, 1)
            covariance = scale[:, None, None] * spread + noise
            part = slice(start, start + len(rows))
            means[part] = mean
            slopes[part] = np.linalg.solve(covariance, (rows - mean)[:, :, None])[:, :, 0]
            total, squares = total + rows.sum(axis=0), squares + outer.sum(axis=0)
        # c = b·ȳ and h = b·(y − ȳ)/2
        drifts = (slopes * means).sum(axis=1)
        halves = (slopes * (steps - means)).sum(axis=1) / 2
        return cls(order, steps, slopes, drifts, halves)


def _after(rows: NDArray[np.float64], rest: NDArray[np.float64]) -> NDArray[np.float64]:
    """For each row the sum of the rows after it, and of the rest."""
    backwards = np.cumsum(rows[::-1], axis=0)[::-1]
    result: NDArray[np.float64] = backwards - rows + rest
    return result
