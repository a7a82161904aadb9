"""Frequencies that the population may have, by what was counted of all candidates together.

The variant whose count comes out furthest is seldom the furthest in the population. Whoever
chooses among many by their counts has to take that back, and what many counts say of the spread
of frequencies says by how much [robbins-1956].
"""

import attrs
import numpy as np
from scipy.special import betaincinv, xlog1py, xlogy

from deniable.gwas.genotypes import Floats

_ROUNDS = 100
"""Of expectation and maximisation. They begin with a smooth law, and few of them keep it so."""
_UNKNOWN = 1.0
"""Variants that the law before any count is worth."""
_MOST = 2048
"""Different counts that the law is fitted to; of more, so many evenly among them."""
_EVENLY, _NEAR_ZERO = 300, 40
"""Cells of the law of frequencies, even in arcsin √p, and finer ones where an allele is rare."""
_RARE, _RAREST = 0.05, 2e-4
"""Between which arcsin √p the finer ones lie."""
_TAIL = 1e-7
"""Share of a posterior by the count alone that is not looked at on either side."""
_FINE = 129
"""Frequencies about a count that are weighed."""



@attrs.frozen
class Counted:
    """Copies of an allele among people, of many variants.

    Parameters
    ----------
    copies : ndarray of float, shape (n_variants,)
        x, between 0 and all.
    all_copies : ndarray of float, shape (n_variants,)
        2n of n people who were counted.
    """

    copies: Floats
    all_copies: Floats


class Frequencies:
    r"""The law of the population's frequencies among all candidates, and of one given its count.

    The frequencies p of the candidates are taken for draws from a law G that is the same for both
    alleles. G is the mixture that makes the counts most likely, from a smooth law on by
    expectation and maximisation. Only variants that vary are candidates, so that a count x has

    .. math:: \Pr[x \mid p] \propto \frac{p^x (1 - p)^{2n - x}}{1 - p^{2n} - (1 - p)^{2n}}

    Given x, p has the law :math:`\Pr[x \mid p] \, dG(p)`. It does not change by a choice among the
    candidates that rests on their counts. What a variant itself added to G is taken out before: a
    variant far from all others would else confirm its own count.

    Parameters
    ----------
    counted : Counted
        All candidates.

    References
    ----------
    robbins-1956 (empirical Bayes); laird-1978 (the maximum by expectation and maximisation).
    """

    def __init__(self, counted: Counted) -> None:
        near = np.geomspace(_RAREST, _RARE, _NEAR_ZERO, endpoint=False)
        half = np.concatenate([[0.0], near, np.linspace(_RARE, np.pi / 4, _EVENLY // 2)])
        self._edges = np.concatenate([half, np.pi / 2 - half[-2::-1]])
        width = np.diff(self._edges)
        self._middle = np.sin((self._edges[:-1] + self._edges[1:]) / 2) ** 2
        self._width = width / width.sum()
        self._weight = self._width * _UNKNOWN
        pairs = np.stack([np.rint(counted.copies), np.rint(counted.all_copies)], axis=1)
        different, number = np.unique(pairs, axis=0, return_counts=True)
        if len(different) > _MOST:
            different = pairs[np.argsort(pairs[:, 0] / pairs[:, 1], kind="stable")]
            different = different[np.linspace(0, len(pairs) - 1, _MOST).astype(int)]
            number = np.full(_MOST, len(pairs) / _MOST)
        chance = _chance(different[:, :1], different[:, 1:], self._middle)
        for _ in range(_ROUNDS):
            self._weight = number @ self._shares(chance) + self._width * _UNKNOWN

    def nodes(self, copies: float, all_copies: float, number: int) -> tuple[list[float], Floats]:
        """So many frequencies at most that a variant with this count may have, and their weights.

        Each stands for as many others, by their mean.
        """
        shares = self._shares(_chance(np.array([[copies]]), all_copies, self._middle))[0]
        others = np.maximum(self._weight - shares, self._width * _UNKNOWN) / self._width
        low = betaincinv(copies + 0.5, all_copies - copies + 0.5, _TAIL)
        high = 1 - betaincinv(all_copies - copies + 0.5, copies + 0.5, _TAIL)
        angle = np.linspace(np.arcsin(np.sqrt(low)), np.arcsin(np.sqrt(high)), _FINE)
        p = np.sin(angle) ** 2
        cell = np.clip(np.searchsorted(self._edges, angle) - 1, 0, len(others) - 1)
        weight = _chance(np.array([[copies]]), all_copies, p)[0] * others[cell]
        weight /= weight.sum()
        place = np.minimum((number * (np.cumsum(weight) - weight / 2)).astype(int), number - 1)
        of_all = np.asarray(np.bincount(place, weight, number), np.float64)
        means = np.bincount(place, weight * p, number)[of_all > 0] / of_all[of_all > 0]
        return means.tolist(), of_all[of_all > 0]

    def _shares(self, chance: Floats) -> Floats:
        """How likely each cell is given a count, of either allele, which G does not tell apart."""
        shares = chance * self._weight
        shares /= shares.sum(axis=1, keepdims=True)
        return np.asarray((shares + shares[:, ::-1]) / 2)


def _chance(copies: Floats, all_copies: Floats | float, p: Floats) -> Floats:
    """How likely a count is of a variant that varies, up to a factor of each row."""
    logs = xlogy(copies, p) + xlog1py(all_copies - copies, -p)
    logs -= np.log(-np.expm1(np.logaddexp(xlogy(all_copies, p), xlog1py(all_copies, -p))))
    return np.asarray(np.exp(logs - logs.max(axis=1, keepdims=True)))
