"""Statistics of association, by variant; tests, inflation and thresholds."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import attrs
import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from deniable.errors import InvalidArgument, validate
from deniable.errors.late import late
from deniable.gwas.genotypes import Floats, GenotypeCounts, Integers, Rows, Strata

if TYPE_CHECKING:
    from scipy import special
else:
    special = late("scipy.special")  # slow to import; a check of a table does not need it


# Given the copies of the rarer allele, the number of heterozygotes h has a known law on every
# other integer, rising to its mode and falling after it. So the outcomes that are at most as
# likely as the observed one are two tails: one begins there, the start of the other is found by
# bisection. Each is summed outwards until nothing is added.


_STEPS = 16
"""Terms that are added before finished tails are laid aside."""


def hardy_weinberg_p_value(counts: Integers) -> Floats:
    r"""Probability of a number of heterozygotes that is at most as likely as the observed one.

    .. math:: \Pr[h] = \frac{2^h N!}{r!\, h!\, c!} \cdot \frac{a!\, (2N - a)!}{(2N)!}

    with a copies of the rarer allele, r and c homozygotes of the rarer and of the other;
    (n_variants, 3 or 4) -> (n_variants,), a column of missing calls is not looked at. 1 where
    everybody has the same allele; NaN where nobody has a call. The relative error is about N log N
    · 1e-15.

    References
    ----------
    wigginton-2005 (the exact test without halving the observed outcome, as PLINK).
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
    total = np.ones(len(distinct.both))  # the mode: nothing is likelier
    law = _Law(distinct)
    for likelier, lighter, sign in (
        (_Outcomes.rise, _Outcomes.fall, 1),
        (_Outcomes.fall, _Outcomes.rise, -1),
    ):
        side = likelier(distinct) > 1
        own = distinct.take(side)
        here = law.log_probability(own)
        across, exists = law.across(own, here, sign)
        p_value = np.exp(here) * _tail(own, lighter, -sign)
        there = across.take(exists)
        p_value[exists] += np.exp(law.log_probability(there)) * _tail(there, likelier, sign)
        total[side] = np.minimum(p_value, 1.0)
    return np.where(called > 0, total[back], np.nan)


@attrs.frozen
class _Outcomes(Rows):
    """Heterozygotes, rarer homozygotes, other homozygotes; shape (n,) each."""

    both: NDArray[Any]
    rare: NDArray[Any]
    common: NDArray[Any]

    def shift(self, pairs: Integers | int) -> _Outcomes:
        """Two more heterozygotes for each pair, from one homozygote of either kind."""
        return _Outcomes(self.both + 2 * pairs, self.rare - pairs, self.common - pairs)

    def rise(self) -> Floats:
        """Probability of two more heterozygotes over that of these."""
        return np.asarray(4.0 * self.rare * self.common / ((self.both + 2.0) * (self.both + 1.0)))

    def fall(self) -> Floats:
        """Probability of two fewer heterozygotes over that of these."""
        return self.both * (self.both - 1.0) / (4.0 * (self.rare + 1.0) * (self.common + 1.0))


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
            rarer = self.log_probability(own.shift(sign * middle)) <= most
            open_ = far - near > 1
            far = np.where(open_ & rarer, middle, far)
            near = np.where(open_ & ~rarer, middle, near)
        return own.shift(sign * far), far <= last


def _tail(start: _Outcomes, ratio: Callable[[_Outcomes], Floats], sign: int) -> Floats:
    """Sum of the probabilities from `start` outwards, in units of the first."""
    total = np.ones(len(start.both))
    open_ = np.arange(len(total))
    now = _Outcomes(*(each.astype(np.float64) for each in attrs.astuple(start)))
    term, sums = np.ones(len(total)), np.ones(len(total))
    while len(open_):
        for _ in range(_STEPS):
            term = term * ratio(now)
            sums = sums + term
            now = now.shift(sign)  # beyond the last outcome each term is 0
        unfinished = term > sums * 2.0**-60
        total[open_[~unfinished]] = sums[~unfinished]
        open_, now = open_[unfinished], now.take(unfinished)
        term, sums = term[unfinished], sums[unfinished]
    return total


def mantel_haenszel_chi_squared(strata: Strata) -> Floats:
    """Cochran, Mantel and Haenszel's χ² = D²/V, 1 degree of freedom, not corrected for continuity.

    NaN where nobody differs from others of the stratum; (n_variants,).

    References
    ----------
    cochran-1954; mantel-haenszel-1959.

    Examples
    --------
    >>> mantel_haenszel_chi_squared(Strata(((10, 10),), np.array([3.0]), np.array([2.0]))).tolist()
    [4.5]
    """
    undefined = np.full(len(strata), np.nan)
    squared = strata.difference**2
    return np.asarray(np.divide(squared, strata.variance, out=undefined, where=strata.variance > 0))


# A missing call is left out of its variant, as PLINK does. So R, S and N = R + S are here the
# cases, controls and individuals with a call.


_FAR = 20.0
"""Square root of χ²/2 from which the complementary error function is close to underflow."""


def allelic_chi_squared(counts: GenotypeCounts) -> Floats:
    r"""Pearson's χ² of the 2×2 table of alleles, 1 degree of freedom; (n_variants,).

    .. math:: \chi^2_A = \frac{2N (xS - yR)^2}{R S (x + y)(2N - x - y)}

    where x and y are the copies of allele 1 in cases and controls. NaN where everybody has the same
    allele, or no case or no control has a call.
    """
    both, together, contrast, groups = _contrast(counts)
    alleles = together.astype(np.float64) * (2 * both - together)
    return _ratio(2.0 * both * contrast, groups * alleles)


def genotypic_chi_squared(counts: GenotypeCounts) -> Floats:
    r"""Pearson's χ² of the 2×3 table of genotypes; (n_variants,).

    .. math:: \chi^2_G = \sum_i \frac{(r_i N - n_i R)^2}{n_i R S}

    over the genotypes that somebody has, with r_i cases and n_i individuals. NaN where everybody
    has the same genotype, or no case or no control has a call.
    """
    called_cases, called_controls = count_called(counts.cases), count_called(counts.controls)
    both = called_cases + called_controls
    column = counts.cases[:, :3] + counts.controls[:, :3]
    difference = counts.cases[:, :3] * both[:, None] - column * called_cases[:, None]
    terms = difference.astype(np.float64) ** 2 / np.maximum(column, 1)
    varied = np.where(column.max(axis=1, initial=0) < both, 1.0, 0.0)
    return _ratio(terms.sum(axis=1), varied * called_cases * called_controls)


def trend_chi_squared(counts: GenotypeCounts) -> Floats:
    r"""Cochran and Armitage's test for a trend in copies of allele 1, 1 degree of freedom.

    .. math:: \chi^2_T = \frac{N (xS - yR)^2}{R S (N q - (x + y)^2)}, \qquad q = n_1 + 4 n_2

    with x and y copies of allele 1 in cases and controls, and n_i individuals with i copies: N
    times the squared correlation of copies and status. NaN as of `genotypic_chi_squared`.

    References
    ----------
    armitage-1955.

    Examples
    --------
    >>> table = GenotypeCounts([[2, 5, 3, 0]], [[6, 3, 1, 0]])
    >>> trend_chi_squared(table).round(4).tolist()
    [3.2143]
    """
    both, together, contrast, groups = _contrast(counts)
    squares = together + 2 * (counts.cases[:, 2] + counts.controls[:, 2])
    spread = (both * squares - together**2).astype(np.float64)
    return _ratio(both * contrast, groups * spread)


def genotypic_degrees(counts: GenotypeCounts) -> Integers:
    """Degrees of freedom of the genotypic χ², one less than the genotypes that somebody has.

    As PLINK has it: with all three 2; an empty column is no row of the table.

    Examples
    --------
    >>> genotypic_degrees(GenotypeCounts([[2, 5, 3, 0]], [[6, 4, 0, 0]])).tolist()
    [2]
    """
    return np.asarray((counts.cases[:, :3] + counts.controls[:, :3] > 0).sum(axis=1) - 1)


def chi_squared_p_value(statistic: Floats, degrees: int | Integers) -> Floats:
    r"""Upper tail of χ² with 1 or 2 degrees of freedom, to the smallest float64.

    .. math:: \operatorname{erfc}\sqrt{x/2} \quad\text{and}\quad e^{-x/2}

    0 only below 5e-324, NaN for NaN, whatever the degrees are there.
    """
    half = np.asarray(statistic, dtype=np.float64) / 2
    root = np.sqrt(half)
    far = np.exp(np.log(special.erfcx(np.maximum(root, _FAR))) - half)
    one = np.where(root > _FAR, far, special.erfc(root))
    return np.where(np.equal(degrees, 2), np.exp(-half), one)


def allele_frequency(counts: GenotypeCounts) -> Floats:
    """Frequency of allele 1 among the calls of cases and controls; shape (n_variants,)."""
    both = count_called(counts.cases) + count_called(counts.controls)
    return _ratio(copies(counts.cases) + copies(counts.controls), 2 * both)


def copies(group: Integers) -> Integers:
    """Copies of allele 1; (n_variants, 4) -> (n_variants,)."""
    return np.asarray(group[:, 1] + 2 * group[:, 2])


def count_called(group: Integers) -> Integers:
    """Individuals with a call; (n_variants, 4) -> (n_variants,)."""
    return np.asarray(group[:, 0] + group[:, 1] + group[:, 2])


def _contrast(counts: GenotypeCounts) -> tuple[Integers, Integers, Floats, Floats]:
    """N, x + y, (xS − yR)² and R S: what the tests of allele counts are made of."""
    x, y = copies(counts.cases), copies(counts.controls)
    called_cases, called_controls = count_called(counts.cases), count_called(counts.controls)
    difference = (x * called_controls - y * called_cases).astype(np.float64)
    groups = called_cases.astype(np.float64) * called_controls
    return called_cases + called_controls, x + y, difference**2, groups


def _ratio(above: NDArray[np.number], below: NDArray[np.number]) -> Floats:
    return np.asarray(np.divide(above, below, out=np.full(len(below), np.nan), where=below > 0))


MEDIAN = 0.45493642311957283
"""The median of χ² with 1 degree of freedom."""

NOTABLE = 1.1
"""The λ from which on people of different origin, or relatives, are commonly suspected."""


def genomic_inflation(statistic: Floats) -> float | None:
    r"""λ of genomic control; None where no statistic, χ² with 1 degree of freedom, is defined.

    .. math:: \lambda_{GC} = \frac{\operatorname{median} \chi^2}{0.4549}

    over the variants of which the statistic is defined. It is about 1 where nearly all variants
    differ between cases and controls by chance alone, and larger where they differ otherwise too:
    in ancestry, in relatives, in genotyping, or in many small effects. PLINK shows 1 where it is
    less.

    References
    ----------
    devlin-roeder-1999.

    Examples
    --------
    >>> genomic_inflation(np.array([0.1, 0.9098728462391457, 7.0, np.nan]))
    2.0
    """
    defined = statistic[~np.isnan(statistic)]
    return float(np.median(defined)) / MEDIAN if len(defined) else None


def as_one_degree(p_value: Floats) -> Floats:
    """χ² with 1 degree of freedom of these p-values, NaN for NaN.

    Examples
    --------
    >>> as_one_degree(np.array([0.05, 1.0])).round(4).tolist()
    [3.8415, 0.0]
    """
    # p = erfc(√(x/2)); where erfc has no more digits its inverse is infinite, and so is x.
    root = special.erfcinv(np.asarray(p_value, dtype=np.float64))
    return np.asarray(2 * np.minimum(root, math.sqrt(np.finfo(np.float64).max / 4)) ** 2)


FAMILY_LEVEL = 0.05
"""The level that Bonferroni's rule shares among the variants."""


def chi_squared_threshold(threshold: str | float, variants: int) -> float:
    """The χ² with 1 degree of freedom that a significant variant reaches.

    It is the upper quantile of a p-value in (0, 1), or of 0.05 shared among the public number of
    variants in the file. It may not depend on the data; a line drawn between the scores themselves
    leaks.
    """
    number = validate.integer(variants, "variants", least=1)
    if isinstance(threshold, str):
        if threshold != "bonferroni":
            raise InvalidArgument(
                "Expected threshold to be one of bonferroni or a p-value in (0, 1), got "
                f"{threshold!r}."
            )
        level = FAMILY_LEVEL / number
    else:
        level = validate.open_probability(threshold, "threshold")
    return float(special.chdtri(1.0, level))
