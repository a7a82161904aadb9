r"""The least ε at which both hockey sticks of two enclosed laws are at most δ.

For an event S, Pr_p[S] − e^ε Pr_q[S] <= δ holds exactly when e^ε >= (Pr_p[S] − δ)/Pr_q[S]; over
all S, the worst are those of the largest likelihood ratios. Every S gives a lower bound, and the
worst S of high p and low q the upper one.
"""

import numpy as np

from deniable.numerics.rounding import UNIT
from deniable.numerics.time_limit import check
from deniable.population.integer_sums.laws import Floats

_STEP = 1e-14
"""The least share by which odds grow on the way up."""


def least_epsilons(
    low: Floats, high: Floats, missing: Floats, delta: float
) -> tuple[Floats, Floats]:
    """Enclosure of the least ε >= 0 for each target; shape (n_targets,) each.

    Parameters
    ----------
    low, high : float arrays, shape (2, n_targets, n_points)
        Enclosed probabilities with the record in and out.
    missing : float array, shape (2, n_targets)
        At most what each law has outside the points.
    delta : float
        In (0, 1).
    """
    bounds: list[list[Floats]] = [[], []]
    for p, q in ((0, 1), (1, 0)):
        odds = _largest_odds(high[p], low[q], missing[p], delta, outwards=1)
        bounds[1].append(np.log(odds) * (1 + 4 * UNIT))
        odds = _largest_odds(low[p], high[q], missing[q], delta, outwards=-1)
        bounds[0].append(np.log(odds) * (1 - 4 * UNIT))
    lower, upper = (np.maximum(np.maximum(*pair), 0.0) for pair in bounds)
    return lower, upper


def _largest_odds(p: Floats, q: Floats, missing: Floats, delta: float, *, outwards: int) -> Floats:
    """The largest (Pr_p[S] − δ)/Pr_q[S], at least 1, over all events (Dinkelbach).

    From odds λ to those of the event p > λq, which exceed λ until no event's do. Sums of k terms
    are right to k units. Where rounding swaps two points, an event loses at most four units of
    its probability. What is missing belongs to p on the way up, to nothing else.
    """
    odds, active = np.ones(len(p)), np.arange(len(p))
    unit = outwards * UNIT * (p.shape[1] + 8)
    lacking = np.full(len(p), delta)
    if outwards > 0:
        lacking -= missing * (1 + 8 * UNIT) + 8 * UNIT * p.sum(axis=1)
    while len(active):
        check()
        p_now, q_now = (p, q) if len(active) == len(p) else (p[active], q[active])
        # w' = (P(S) − δ)/Q(S) for S = {p > wq}: at least w, and no event has more once w' = w.
        event = p_now > odds[active, None] * q_now
        above = np.where(event, p_now, 0.0).sum(axis=1) * (1 + unit)
        below = np.where(event, q_now, 0.0).sum(axis=1) * (1 - unit)
        over = above - lacking[active]
        over += outwards * 4 * UNIT * (above + delta)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            improved = np.where(over > 0, over / below, 1.0)
        better = improved > odds[active]
        # A step below rounding would not end.
        active, improved = active[better], improved[better]
        odds[active] = (
            np.maximum(improved, odds[active] * (1 + _STEP)) if outwards > 0 else improved
        )
        active = active[np.isfinite(improved)]
    return odds
