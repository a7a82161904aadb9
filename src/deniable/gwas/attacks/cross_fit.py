"""The best of several attacks, measured on people by whom it was not chosen."""

import numpy as np
from numpy.typing import NDArray

from deniable.gwas.attacks.attack_scores import auc, power
from deniable.numerics.effort import Generator

DIVISIONS = 50
"""Divisions by lot that are averaged: then the lot adds a tenth or so of the error that the number
of people makes anyway."""
_LEAST = 4
"""Members, and strangers, from which there are two halves to divide them into."""
_SEED = 0
"""Of the lots: the same files give the same answer."""


def cross_fitted(
    members: NDArray[np.float64], strangers: NDArray[np.float64], fpr: float
) -> tuple[float, float]:
    r"""Power and area under the curve of the best statistic, without the gain of choosing.

    The largest of several measured powers is too large on average, as the choice follows chance. So
    members and strangers are divided by lot into two halves; the statistic with the largest power
    in one half, and with the larger area among equals, is measured in the other, with the
    threshold of the strangers there; and the reverse. The mean over `DIVISIONS` divisions is the
    power of an attacker who chooses like this on half as many people: at most that of one who
    knows the best statistic.

    Parameters
    ----------
    members, strangers : ndarray of float, shape (n_statistics, n_people)
        Scores; larger speaks for membership.
    fpr : float
        Share of strangers that may be taken for members, in (0, 1).

    Returns
    -------
    power, auc : float
        Of a single statistic, and where one of the groups has fewer than four people, they are
        those of everybody, of the first statistic.

    Examples
    --------
    >>> scores = np.arange(8.0)[None, :]
    >>> cross_fitted(scores + 4, scores, 0.25)
    (0.75, 0.875)
    """
    if len(members) == 1 or min(members.shape[1], strangers.shape[1]) < _LEAST:
        return power(members[0], strangers[0], fpr), auc(members[0], strangers[0])
    rng = np.random.default_rng(_SEED)  # noqa: TID251 - for the owner, nothing is released
    measured = []
    for _ in range(DIVISIONS):
        ours, theirs = (_halves(rng, group.shape[1]) for group in (members, strangers))
        for choose, measure in ((0, 1), (1, 0)):
            best = _best(members[:, ours[choose]], strangers[:, theirs[choose]], fpr)
            scores = members[best, ours[measure]], strangers[best, theirs[measure]]
            measured.append((power(*scores, fpr), auc(*scores)))
    mean_power, mean_auc = np.mean(measured, axis=0).tolist()
    return mean_power, mean_auc


def _best(members: NDArray[np.float64], strangers: NDArray[np.float64], fpr: float) -> int:
    """The row with the largest power, and with the largest area among equals."""
    powers = [power(*pair, fpr) for pair in zip(members, strangers, strict=True)]
    first = np.flatnonzero(np.array(powers) == max(powers)).tolist()
    if len(first) == 1:
        return int(first[0])
    return max(first, key=lambda row: auc(members[row], strangers[row]))


def _halves(rng: Generator, people: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    lot = rng.permutation(people)
    return lot[: people // 2], lot[people // 2 :]
