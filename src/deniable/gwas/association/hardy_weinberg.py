"""The exact test of Hardy–Weinberg equilibrium, for many variants at once.

Given the copies of the rarer allele, the number of heterozygotes h has a known law on every other
integer, rising to its mode and falling after it. So the outcomes that are at most as likely as the
observed one are two tails: one begins there, the start of the other is found by bisection. Each is
summed outwards until nothing is added.
"""

from collections.abc import Callable

import attrs
import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from deniable.gwas.genotypes import Floats

Integers = NDArray[np.int64]

_STEPS = 16
"""Terms that are added before finished tails are laid aside."""


def hardy_weinberg_p_value(counts: Integers) -> Floats:
    r"""Probability of a number of heterozygotes that is at most as likely as the observed one.

    .. math:: \Pr[h] = \frac{2^h N!}{r!\, h!\, c!} \cdot \frac{a!\, (2N - a)!}{(2N)!}

    with a copies of the rarer allele, r and c homozygotes of the rarer and of the other.

    Parameters
    ----------
    counts : array of int, shape (n_variants, 3 or 4)
        Individuals with 0, 1, 2 copies of an allele; a column of missing calls is not looked at.

    Returns
    -------
    array of float, shape (n_variants,)
        1 where everybody has the same allele; NaN where nobody has a call. The relative error is
        about N log N · 1e-15.

    References
    ----------
    wigginton-2005 (the exact test without halving the observed outcome, as PLINK).

    Examples
    --------
    >>> hardy_weinberg_p_value(np.array([[57, 78, 65], [10, 0, 0]])).round(6).tolist()
    [0.001897, 1.0]
    """
    table = np.asarray(counts, dtype=np.int64)
    if not len(table):
        return np.zeros(0)
    rare, common = np.sort(table[:, [0, 2]], axis=1).T
    called = table[:, :3].sum(axis=1)
    size = int(called.max()) + 1
    keys = (called * size + table[:, 1]) * size + rare
    if size**3 > 2**63:  # the keys would overflow
        keys = np.arange(len(table))
    _, first, back = np.unique(keys, return_index=True, return_inverse=True)
    distinct = _Outcomes(table[first, 1], rare[first], common[first])
    return np.where(called > 0, _two_tails(distinct)[back], np.nan)


@attrs.frozen
class _Outcomes:
    """Heterozygotes, rarer homozygotes, other homozygotes; shape (n,) each."""

    both: Integers
    rare: Integers
    common: Integers

    def at(self, where: NDArray[np.bool_]) -> "_Outcomes":
        return _Outcomes(self.both[where], self.rare[where], self.common[where])

    def moved(self, pairs: Integers) -> "_Outcomes":
        """Two more heterozygotes for each pair, from one homozygote of either kind."""
        return _Outcomes(self.both + 2 * pairs, self.rare - pairs, self.common - pairs)

    def rise(self) -> Floats:
        """Probability of two more heterozygotes over that of these."""
        return 4.0 * self.rare * self.common / ((self.both + 2.0) * (self.both + 1.0))

    def fall(self) -> Floats:
        """Probability of two fewer heterozygotes over that of these."""
        return self.both * (self.both - 1.0) / (4.0 * (self.rare + 1.0) * (self.common + 1.0))


def _two_tails(observed: _Outcomes) -> Floats:
    total = np.ones(len(observed.both))  # the mode: nothing is likelier
    law = _Law(observed)
    for likelier, lighter, sign in (
        (_Outcomes.rise, _Outcomes.fall, 1),
        (_Outcomes.fall, _Outcomes.rise, -1),
    ):
        side = likelier(observed) > 1
        own = observed.at(side)
        here = law.log_probability(own)
        across, exists = law.across(own, here, sign)
        found = np.exp(here) * _tail(own, lighter, -sign)
        there = across.at(exists)
        found[exists] += np.exp(law.log_probability(there)) * _tail(there, likelier, sign)
        total[side] = np.minimum(found, 1.0)
    return total


class _Law:
    """The law of the heterozygotes, from a table of logarithms of factorials."""

    def __init__(self, observed: _Outcomes) -> None:
        individuals = observed.both + observed.rare + observed.common
        self._log_factorial = gammaln(np.arange(2 * int(individuals.max()) + 1) + 1.0)

    def log_probability(self, outcomes: _Outcomes) -> Floats:
        log = self._log_factorial
        both, rare, common = outcomes.both, outcomes.rare, outcomes.common
        people, copies = both + rare + common, both + 2 * rare
        ways = both * np.log(2) + log[people] - log[both] - log[rare] - log[common]
        return np.asarray(ways + log[copies] + log[2 * people - copies] - log[2 * people])

    def across(
        self, own: _Outcomes, here: Floats, sign: int
    ) -> tuple[_Outcomes, NDArray[np.bool_]]:
        """The nearest outcome beyond the mode that is at most as likely, where there is one."""
        people = own.both + own.rare + own.common
        # Equal probabilities come out apart by the rounding of the logarithms.
        most = here + 16 * np.finfo(np.float64).eps * self._log_factorial[2 * people]
        last = own.rare if sign > 0 else own.both // 2
        near, far = np.zeros_like(last), last + 1
        while bool((far - near > 1).any()):
            middle = np.where(far - near > 1, (near + far) // 2, near)
            rarer = self.log_probability(own.moved(sign * middle)) <= most
            open_ = far - near > 1
            far = np.where(open_ & rarer, middle, far)
            near = np.where(open_ & ~rarer, middle, near)
        return own.moved(sign * far), far <= last


def _tail(start: _Outcomes, ratio: Callable[[_Outcomes], Floats], sign: int) -> Floats:
    """Sum of the probabilities from `start` outwards, in units of the first."""
    total = np.ones(len(start.both))
    open_ = np.arange(len(total))
    now, term, sums = start, np.ones(len(total)), np.ones(len(total))
    one = np.int64(sign)
    while len(open_):
        for _ in range(_STEPS):
            term = term * ratio(now)
            sums = sums + term
            now = now.moved(np.where(term > 0, one, 0))
        unfinished = term > sums * 2.0**-60
        total[open_[~unfinished]] = sums[~unfinished]
        open_, now = open_[unfinished], now.at(unfinished)
        term, sums = term[unfinished], sums[unfinished]
    return total
