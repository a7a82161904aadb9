r"""Bounded priors under which exactly one uncertain entity is in, or exactly one is out.

With one of F in, p_i = Pr[i in] sum to 1 and every likelihood is linear in them. Fix the entity t
and q = p_t; m_i is the likelihood with i in. With X = Σ_{i≠t} p_i m_i

.. math:: \frac{\Pr[t|S]}{\Pr[t]} = \frac{m_t}{q m_t + X}, \qquad
          \frac{\Pr[¬t]}{\Pr[¬t|S]} = \frac{(q m_t + X)(1 - q)}{X},

both best at the least X that the interval allows: everyone else gets the low end, then those with
the least m the rest. X is convex and piecewise linear in q, so the optimum is at an end of a
piece, or where the derivative on a piece vanishes. With one of F out it is the same with
q = 1 − p_t, the complements' likelihoods, the greatest X and both fractions inverted.
"""

from collections.abc import Iterator

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.judge.neighbours import Table, rows_of_size

Floats = NDArray[np.float64]

SLACK = 1e-12
"""By how much probabilities may miss 1 in sum, so that thirds add up in floats."""
NEARLY = 1e-10
"""1 − q in place of the limit q → 1; factors change by at most this share of themselves."""


@attrs.frozen
class Instances:
    """Entities t, known subsets and outputs, an instance a row.

    Parameters
    ----------
    base : ndarray of int, shape (n,)
        Row number of the known subset.
    entity, output : ndarray of int, shape (n,)
        t and the output.
    own : ndarray of float, shape (n,)
        The likelihood with t in.
    others : ndarray of float, shape (n, n_others)
        The likelihoods with each other candidate in, the best for the adversary first.
    names : ndarray of int, shape (n, n_others)
        Which entities these are.
    """

    base: NDArray[np.int64]
    entity: NDArray[np.int64]
    output: NDArray[np.int64]
    own: Floats
    others: Floats
    names: NDArray[np.int64]

    def where(self, kept: NDArray[np.bool_]) -> "Instances":
        """Some of them."""
        return Instances(**{k: v[kept] for k, v in attrs.asdict(self, recurse=False).items()})


@attrs.frozen
class Best:
    """The largest factor found, with q, the others' probabilities, and whose they are."""

    gamma: float
    base: int
    entity: int
    output: int
    chances: dict[int, float]


def instances(table: Table, size: int, *, absent: bool) -> Iterator[Instances]:
    """All instances with so many entities in, one entity t at a time."""
    n_rows, n_outputs = table.shape
    n = n_rows.bit_length() - 1
    source = table[::-1] if absent else table
    n_known = (n - size if absent else size) - 1
    known = rows_of_size(n, n_known)
    for entity in range(n):
        base = known[known >> entity & 1 == 0]
        left = np.array([i for i in range(n) if i != entity])
        free = (base[:, None] >> left & 1) == 0
        names = left[np.nonzero(free)[1]].reshape(len(base), -1)
        others = source[base[:, None] | 1 << names]  # (n_bases, n_others, n_outputs)
        order = np.argsort(-others if absent else others, axis=1, kind="stable")
        sorted_names = np.take_along_axis(names[:, :, None], order, axis=1)
        sorted_others = np.take_along_axis(others, order, axis=1)
        outputs = np.arange(n_outputs)
        yield Instances(
            np.repeat(base, n_outputs),
            np.full(len(base) * n_outputs, entity),
            np.tile(outputs, len(base)),
            source[base | 1 << entity].reshape(-1),
            np.moveaxis(sorted_others, 2, 1).reshape(len(base) * n_outputs, -1),
            np.moveaxis(sorted_names, 2, 1).reshape(len(base) * n_outputs, -1),
        )


def best(cases: Instances, low: float, high: float, n_others: int, *, absent: bool) -> Best | None:
    """The largest factor with so many others uncertain; None if no probabilities fit.

    `low` and `high` bound every p, or with `absent` every 1 − p.
    """
    # q + Σ p_i = 1 with every p_i in [low, high] leaves q this interval.
    least, most = max(low, 1 - n_others * high), min(high, 1 - n_others * low)
    if least > most + SLACK or not len(cases.own) or n_others > cases.others.shape[1]:
        return None
    least = min(least, most)
    most = max(least, min(most, 1 - NEARLY))
    others = cases.others[:, :n_others]
    top, at, q_at = -np.inf, 0, 0.0
    for q in _candidates(cases.own, others, (low, high), (least, most)):
        factors = _factors(cases.own, q, _rest(others, q, (low, high)), absent=absent)
        peak = int(np.argmax(factors))
        if factors[peak] > top:
            top, at, q_at = float(factors[peak]), peak, float(q[peak])
    chances = _fill_probabilities(n_others, q_at, (low, high))
    entity = int(cases.entity[at])
    named = dict(zip(map(int, cases.names[at, :n_others]), chances.tolist(), strict=True))
    return Best(top, int(cases.base[at]), entity, int(cases.output[at]), {entity: q_at, **named})


def _candidates(
    own: Floats, others: Floats, interval: tuple[float, float], q_interval: tuple[float, float]
) -> Iterator[Floats]:
    """Every q, an array over the instances, at which an optimum can lie."""
    (low, high), n_others = interval, others.shape[1]
    # Ends of the pieces: q at which so many others have the high end and the rest the low one.
    for full in range(n_others + 1):
        corner = 1 - n_others * low - full * (high - low)
        yield np.full(len(own), np.clip(corner, *q_interval))
    # The ends of q's own interval.
    for q in q_interval:
        yield np.full(len(own), q)
    # Points inside a piece, where X = α − βq and the derivative of a factor is 0.
    for full in range(n_others):  # the piece on which the next one is being filled
        marginal = others[:, full]
        spent = low * others.sum(axis=1) + (high - low) * others[:, :full].sum(axis=1)
        # X = constant − marginal q
        constant = spent + (1 - n_others * low - full * (high - low)) * marginal
        for root in _stationary(own, marginal, constant):
            yield np.clip(np.nan_to_num(root, nan=q_interval[0]), *q_interval)


def _stationary(own: Floats, marginal: Floats, constant: Floats) -> Iterator[Floats]:
    """Where (1 − q)(1 + q m/(α − βq)) has derivative 0: β(m−β)q² − 2α(m−β)q + α(m−α) = 0."""
    # aq² + bq + c = 0, from the root that does not cancel: q = h/a and q = c/h, h = −(b +
    # sign(b)√(b² − 4ac))/2.
    a = marginal * (own - marginal)
    b = -2 * constant * (own - marginal)
    c = constant * (own - constant)
    with np.errstate(divide="ignore", invalid="ignore"):
        root = np.sqrt(np.maximum(b * b - 4 * a * c, 0.0))
        half = -(b + np.copysign(root, b)) / 2
        yield half / a
        yield c / half


def _fill_probabilities(n_others: int, q: float, interval: tuple[float, float]) -> Floats:
    """The others' probabilities: the low end for all, the surplus to the first ones."""
    # p_i = low + min(surplus left, high − low), to the first ones first.
    low, high = interval
    surplus = max(1 - q - n_others * low, 0.0)
    return np.clip(low + surplus - (high - low) * np.arange(n_others), low, high)


def _rest(others: Floats, q: Floats, interval: tuple[float, float]) -> Floats:
    """X for each instance."""
    # X = Σ p_i m_i with the p_i of `_fill_probabilities`.
    (low, high), n_others = interval, others.shape[1]
    surplus = np.maximum(1 - q - n_others * low, 0.0)[:, None]
    chances = np.clip(low + surplus - (high - low) * np.arange(n_others), low, high)
    return np.asarray((chances * others).sum(axis=1))


def _factors(own: Floats, q: Floats, rest: Floats, *, absent: bool) -> Floats:
    """The larger of the two factors on the belief; 1 where the output cannot occur."""
    # Pr[S] = q m_t + X: m_t/Pr[S], and Pr[S](1 − q)/X; with one of F out, both inverted.
    total = q * own + rest
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        if absent:
            factors = np.fmax(rest / ((1 - q) * total), total / own)
        else:
            factors = np.fmax(own / total, total * (1 - q) / rest)
    return np.where(total > 0, factors, 1.0)
