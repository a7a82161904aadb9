"""What one variant's published numbers say of one person: the exact law of a log likelihood ratio.

A person has g copies of an allele with population frequency p, 0 to 2 (Hardy–Weinberg). A group of
n people, in which the person may be, has x copies among its 2n chromosomes. If the person is in
it, the others have x − g of 2n − 2; otherwise x tells nothing of g.
"""

import math
from collections.abc import Sequence

import attrs
import numpy as np
from numpy.typing import NDArray
from scipy.special import erfc

from deniable.computing.transforms import inverse_transform, transform
from deniable.errors import NotApplicable
from deniable.gwas.genotypes import Floats, Integers

_COPIES = np.arange(3)
FAR = 9.0
"""Standard deviations of x beyond which nothing is counted: 2e-19 of all cases."""
AROUND = 25
"""Copies about the mean that are always counted: rare alleles have longer tails than normal ones,
and 2e-20 of Poisson counts with mean 1 are larger."""
_FAR_OF_TWO = 6.0
"""The same for pairs of counts, which are many more: 2e-9 of all cases."""
_PAIRS = 2**22
"""Pairs of counts that are looked at for a variant at most: a quarter of a second."""
_RATIOS, _PER_OWN_DEVIATION = 2**11, 16
"""Ratios that a law has at most, and how many to a deviation."""
_SMALLEST = 5e-324
"""The least float above 0; a smaller p-value counts as it."""

Pairs = tuple[Integers, Integers]


@attrs.frozen
class Rounding:
    """What becomes of a number before it is published.

    Allele frequencies have so many decimals, halves rounded up; None leaves them exact. p-values
    have so many significant digits; None where none are published. Frequencies may not be published
    at all.
    """

    decimals: int | None = None
    digits: int | None = None
    frequencies: bool = True

    @property
    def paired(self) -> bool:
        """Whether p-values tell something that the frequencies do not."""
        return self.digits is not None and (self.decimals is not None or not self.frequencies)

    def cells(self, copies: Integers, people: int) -> Integers:
        """The number that is published of so many copies in a group; equal ones are told alike.

        Examples
        --------
        >>> Rounding(decimals=1).cells(np.arange(7), people=3).tolist()
        [0, 2, 3, 5, 7, 8, 10]
        """
        if not self.frequencies:
            return np.zeros_like(copies)
        if self.decimals is None or 10**self.decimals > 4 * people:
            return copies  # neighbours differ by more than the last decimal
        return np.asarray((2 * copies * 10**self.decimals + 2 * people) // (4 * people))


@attrs.frozen
class GroupLaw:
    """Copies of an allele in a group of the population, and what its members have.

    Copies x near its mean, (n,); Pr[x] in a group that the person is not in, (n,); and the ratio
    Pr[x | g, in the group] / Pr[x], by copies g of the person, (3, n).
    """

    copies: Integers
    chance: Floats
    ratio: Floats


def group(
    frequency: float, people: int, far: float = FAR, besides: Integers | None = None
) -> GroupLaw:
    r"""The law of copies in a group of n people, with and without the person.

    Given x copies, two of the 2n chromosomes are drawn without putting back, so that

    .. math:: \frac{\Pr[x \mid g]}{\Pr[x]} = \frac{\Pr[g \mid x]}{\Pr[g]} =
              \frac{x^{\underline{g}} (2n - x)^{\underline{2 - g}}}{2n (2n - 1) p^g (1 - p)^{2 - g}}

    Looked at are copies up to `far` deviations about the mean, and those of `besides` wherever they
    lie.

    Examples
    --------
    >>> answer = group(0.5, people=1)
    >>> answer.chance.round(3).tolist(), answer.ratio.round(3).tolist()
    ([0.25, 0.5, 0.25], [[4.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 4.0]])
    """
    all_copies, p = 2 * people, frequency
    mean = all_copies * p
    reach = far * math.sqrt(mean * (1 - p)) + AROUND
    least, most = math.floor(mean - reach), math.ceil(mean + reach)
    if besides is not None:
        least, most = min(least, int(besides.min())), max(most, int(besides.max()))
    x = np.arange(max(0, least), min(all_copies, most) + 1)
    # Pr[x + 1] / Pr[x] = (2n − x)/(x + 1) · p/(1 − p), added up from the first.
    steps = np.log((all_copies - x[:-1]) / x[1:]) + math.log(p) - math.log1p(-p)
    logs = np.concatenate([[0.0], np.cumsum(steps)])
    weights = np.exp(logs - logs.max())
    others = all_copies - x
    pairs = np.stack([others * (others - 1), x * others, x * (x - 1)]).astype(np.float64)
    expected = np.array([(1 - p) ** 2, p * (1 - p), p * p])[:, None]
    return GroupLaw(x, weights / weights.sum(), pairs / (all_copies * (all_copies - 1) * expected))


@attrs.frozen
class EvidenceLaw:
    """The law of one variant's evidence about one question, by copies g of the person.

    The log likelihood ratio of yes against no is infinite where one of them is impossible. `yes`
    and `no` say how likely each is if that is the answer; (3, n), rows add up to 1. `genotype` says
    how many people have 0, 1, 2 copies if it is yes, `others` if it is no; (3,).
    """

    ratio: Floats
    yes: Floats
    no: Floats
    genotype: Floats
    others: Floats

    def moments(self) -> tuple[float, float]:
        """Mean and variance if the answer is yes, but for what then makes it certain."""
        share = self.genotype[:, None] * self.yes
        value = np.where(np.isfinite(self.ratio), self.ratio, 0.0)
        mean = float((share * value).sum())
        return mean, float((share * (value - mean) ** 2).sum())

    def growth(self, tilt: float, most: float) -> Floats:
        """E exp(t min(L, most)) if the answer is yes, by copies; (3,)."""
        value = np.where(self.yes > 0, np.clip(self.ratio, -most, most), 0.0)
        return np.asarray((self.yes * np.exp(tilt * value)).sum(axis=1))

    def merge(self) -> "EvidenceLaw":
        """The law with nearly equal ratios put together, by their mean, where there are many.

        A sixteenth of a deviation apart are few of them, and 1e-4 of the variance is lost.
        """
        if self.ratio.shape[1] <= _RATIOS:
            return self
        finite = np.isfinite(self.ratio)
        value = np.where(finite, self.ratio, 0.0)
        unit = max(math.sqrt(self.moments()[1]) / _PER_OWN_DEVIATION, _SMALLEST)
        half = _RATIOS // 2 - 2
        cell = (np.rint(np.clip(value / unit, -half, half)) + half + 1).astype(np.int64)
        # What is certain has the outer cells.
        cell = np.where(finite, cell, np.where(self.ratio > 0, 2 * half + 2, 0))
        rows = np.arange(3)[:, None] * _RATIOS + cell

        def add(masses: Floats) -> Floats:
            sums = np.bincount(rows.ravel(), masses.ravel(), 3 * _RATIOS)
            return np.asarray(sums.reshape(3, _RATIOS), np.float64)

        both = self.yes + self.no
        total = add(both)
        mean = np.divide(add(both * value), total, out=np.zeros(total.shape), where=total > 0)
        mean[:, 0], mean[:, 2 * half + 2] = -np.inf, np.inf
        return attrs.evolve(self, ratio=mean, yes=add(self.yes), no=add(self.no))

    def against(self, tilt: float, most: float) -> Floats:
        """E exp(t min(−L, most)) if the answer is no, by copies; (3,)."""
        value = np.where(self.no > 0, np.clip(-self.ratio, -most, most), 0.0)
        return np.asarray((self.no * np.exp(tilt * value)).sum(axis=1))


def in_group(frequency: float, people: int, rounding: Rounding) -> EvidenceLaw:
    """Return the evidence of being in a group with known frequency, against no participation.

    References
    ----------
    sankararaman-2009 has its limit for large groups and exact frequencies.
    """
    chance, inside, _ = _law_of_published(group(frequency, people), people, rounding)
    return _evidence(inside, np.broadcast_to(chance, inside.shape), frequency)


def ratios(frequency: float, people: int, rounding: Rounding, copies: Integers) -> Floats:
    """Log likelihood ratios of being in a group with so many copies; (n,) -> (3, n)."""
    exact = group(frequency, people, besides=copies)
    chance, inside, place = _law_of_published(exact, people, rounding)
    return _log_ratio(inside, chance)[:, place[copies - exact.copies[0]]]


def _law_of_published(
    exact: GroupLaw, people: int, rounding: Rounding
) -> tuple[Floats, Floats, NDArray[np.intp]]:
    """How likely each published number is, without and with the person; which one x becomes."""
    cells = rounding.cells(exact.copies, people)
    new = np.concatenate([[True], cells[1:] != cells[:-1]])
    starts = np.flatnonzero(new)
    # Copies that are told alike count as one.
    chance = np.add.reduceat(exact.chance, starts)
    inside = np.add.reduceat(exact.ratio * exact.chance, starts, axis=1)
    return chance, inside, np.cumsum(new) - 1


def of_p_values(
    frequency: float, people: tuple[int, int], rounding: Rounding
) -> tuple[EvidenceLaw, EvidenceLaw, EvidenceLaw]:
    """Return the evidence from p-values of being a case, a control, and a case and no control.

    Published are the allelic test's p-values, whose sign is not, and frequencies if `rounding` says
    so.
    """
    (out, case, control), _ = _pairs(frequency, people, rounding)
    return (
        _evidence(case, out, frequency),
        _evidence(control, out, frequency),
        _evidence(case, control, frequency),
    )


def ratios_of_p_values(
    frequency: float, people: tuple[int, int], rounding: Rounding, copies: Pairs
) -> tuple[Floats, Floats]:
    """Log likelihood ratios of being in the cases, and in the controls, with such copies; (3, n).

    Where pairs of counts would be too many, those furthest from the frequency count as certain of
    yes: the share that passes a limit is then too large by what they have.
    """
    (out, *inside), place = _pairs(frequency, people, rounding, copies)
    case, control = (
        np.where(place < 0, np.inf, _log_ratio(each[:, place], out[:, place])) for each in inside
    )
    return case, control


def _log_ratio(yes: Floats, no: Floats) -> Floats:
    """The logarithm of yes / no; 0 where both are impossible."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where((yes == 0) & (no == 0), 0.0, np.log(yes) - np.log(no))


def _pairs(
    frequency: float, people: tuple[int, int], rounding: Rounding, besides: Pairs | None = None
) -> tuple[list[Floats], NDArray[np.intp]]:
    """Laws of what is published, without the person, with a case, with a control; and of pairs.

    The place of a pair that was not looked at is −1.
    """
    seen = (None, None) if besides is None else besides
    cases, controls = (
        group(frequency, size, _FAR_OF_TWO, copies)
        for size, copies in zip(people, seen, strict=True)
    )
    if len(cases.copies) * len(controls.copies) > _PAIRS:
        cases, controls = (group(frequency, size, _FAR_OF_TWO) for size in people)
    if len(cases.copies) * len(controls.copies) > _PAIRS:
        raise NotApplicable(
            f"Expected groups of about 20,000 or fewer for p-values, got {people[0]:,} and "
            f"{people[1]:,}. Ask about frequencies, which tell more."
        )
    x, y = cases.copies[:, None], controls.copies[None, :]
    p_values = _p_values(x, y, people, rounding.digits)
    _, places = np.unique(p_values, return_inverse=True)
    places = places.reshape(-1)
    if rounding.frequencies:
        cell = places.reshape(p_values.shape)
        for copies, size in ((x, people[0]), (y, people[1])):
            rounded = rounding.cells(copies, size)
            cell = cell * (int(rounded.max()) + 1) + rounded
        _, places = np.unique(cell.reshape(-1), return_inverse=True)
    both = np.outer(cases.chance, controls.chance)
    shape = (3, *both.shape)
    laws = cases.ratio[:, :, None] * both, controls.ratio[:, None, :] * both
    # Sums of what is published alike; (3, n_x, n_y) -> (3, n).
    sums = [
        [np.bincount(places, each.ravel()) for each in np.broadcast_to(law, shape)] for law in laws
    ]
    published_laws = [np.array(each, dtype=np.float64) for each in sums]
    out = np.bincount(places, both.ravel())
    published_laws.insert(0, np.broadcast_to(out, (3, len(out))))
    if besides is None:
        return published_laws, places
    row, column = besides[0] - x[0, 0], besides[1] - y[0, 0]
    inside = (row >= 0) & (row < len(x)) & (column >= 0) & (column < y.shape[1])
    at = np.where(inside, row * y.shape[1] + column, 0)
    return published_laws, np.where(inside, places.reshape(-1)[at], -1)


def _evidence(yes: Floats, no: Floats, frequency: float) -> EvidenceLaw:
    """Return the evidence of what is published, given a person's copies; (3, n) each."""
    p = frequency
    genotype = np.array([(1 - p) ** 2, 2 * p * (1 - p), p * p])
    return EvidenceLaw(_log_ratio(yes, no), yes, no, genotype, genotype)


def _p_values(x: Integers, y: Integers, people: tuple[int, int], digits: int | None) -> Floats:
    """Return p of the allelic χ², 2N(xS − yR)² / (R S (x + y)(2N − x − y)); 1 if nobody varies."""
    cases, controls = map(float, people)
    everybody, copies = cases + controls, x + y
    scale = cases * controls * copies * (2 * everybody - copies)
    distance = 2 * everybody * (x * controls - y * cases) ** 2
    chi_squared = np.divide(distance, scale, out=np.zeros(scale.shape), where=scale > 0)
    exact = np.asarray(erfc(np.sqrt(chi_squared / 2)))
    if digits is None:
        return exact
    values = np.maximum(exact, _SMALLEST)
    exponent = np.floor(np.log10(values)) - (digits - 1)
    # What is below 1e-300 keeps its order of magnitude only.
    unit = 10.0 ** np.maximum(exponent, -300.0)
    return np.asarray(np.round(values / unit) * unit)


_POINTS = 2**12
"""The points of a lattice: with 32 to a deviation it reaches 64 deviations to either side."""
_PER_DEVIATION = 32
"""Points of the lattice to a standard deviation of the sum."""
_MOST = 1 / 3
"""Share of the lattice's reach that one variant's evidence goes at most: three such leave it."""
_NOTHING = 1e-300
"""A factor of 0, whose logarithm is finite."""

Spectrum = NDArray[np.complex128]


@attrs.frozen
class Lattice:
    """Equidistant points about 0, a step of log odds apart."""

    step: float

    @classmethod
    def of_deviation(cls, deviation: float) -> "Lattice":
        """Fine enough for a sum with this standard deviation."""
        return cls(deviation / _PER_DEVIATION)

    @property
    def points(self) -> Floats:
        """All points in rising order."""
        return np.asarray(np.arange(-_POINTS // 2, _POINTS // 2) * self.step, np.float64)

    @property
    def reach(self) -> float:
        """The largest point."""
        return self.step * (_POINTS // 2)

    def spectra(self, values: Floats, masses: Floats) -> Spectrum:
        """Fourier transforms of laws; (n_laws, n) -> (n_laws, n_frequencies).

        Each mass is shared by three points so that mean and variance stay what they are; shares
        may be negative.
        """
        laws = len(values)
        at = np.clip(values, -_MOST * self.reach, _MOST * self.reach) / self.step
        nearest = np.rint(at)
        u = at - nearest
        rows = np.arange(laws)[:, None] * _POINTS
        histogram = np.zeros(laws * _POINTS)
        for shift, share in ((-1, u * (u - 1) / 2), (0, 1 - u * u), (1, u * (u + 1) / 2)):
            places = rows + (nearest.astype(np.int64) + shift) % _POINTS
            histogram += np.bincount(places.ravel(), (masses * share).ravel(), len(histogram))
        return transform(histogram.reshape(laws, _POINTS))

    def law(self, spectrum: Spectrum) -> Floats:
        """The masses of `points`."""
        return np.roll(inverse_transform(spectrum, _POINTS), _POINTS // 2)


@attrs.frozen
class Kind:
    """Spectra of the finite part of a variant's evidence, if the answer is yes, and if it is no."""

    yes: Spectrum
    no: Spectrum


def one_group(evidence: EvidenceLaw, lattice: Lattice) -> Kind:
    """Return the law of one group's numbers."""
    return Kind(*(_mean(genotype, spectra) for genotype, spectra in _sides(evidence, lattice)))


def mix_kinds(laws: Sequence[Kind], shares: Floats) -> list[Kind]:
    """Kinds whose variants have these laws with these shares; (n_kinds, n_laws)."""
    yes, no = (shares @ np.stack(each) for each in ([k.yes for k in laws], [k.no for k in laws]))
    return [Kind(*sides) for sides in zip(yes, no, strict=True)]


def two_groups(cases: EvidenceLaw, controls: EvidenceLaw, lattice: Lattice) -> Kind:
    """Return the law of being a case and no control: given the copies, groups are independent."""
    (genotype, case_in), (_, case_out) = _sides(cases, lattice)
    (_, control_in), (_, control_out) = _sides(controls, lattice)
    # The spectrum of −L is the conjugate of that of L.
    sides = case_in * control_out.conj(), case_out * control_in.conj()
    return Kind(*(_mean(genotype, spectra) for spectra in sides))


def _mean(genotype: Floats, spectra: Spectrum) -> Spectrum:
    """Mean of the spectra by copies; (3,), (3, n_frequencies) -> (n_frequencies,)."""
    # In halves, for which BLAS takes no second thread: on a busy machine the threads of a product
    # so small wait for each other a thousand times as long as it takes.
    return np.concatenate([genotype @ s for s in np.split(spectra, [_POINTS // 4], axis=1)])


def _sides(evidence: EvidenceLaw, lattice: Lattice) -> list[tuple[Floats, Spectrum]]:
    finite = np.isfinite(evidence.ratio)
    value = np.where(finite, evidence.ratio, 0.0)
    return [
        (genotype, lattice.spectra(value, np.where(finite, law, 0.0)))
        for genotype, law in ((evidence.genotype, evidence.yes), (evidence.others, evidence.no))
    ]


@attrs.frozen
class Sum:
    """The law of a sum of evidence, if the answer is yes; (n_points,) each.

    Points are log likelihood ratios, masses how likely each is; what is missing to 1 is certain of
    yes.
    """

    points: Floats
    masses: Floats

    def beyond(self, value: float) -> float:
        """Share of those of whom the answer is yes with more evidence than this."""
        certain = 1 - float(self.masses.sum())
        step = self.points[1] - self.points[0]
        # A mass lies evenly about its point.
        above = self.masses @ np.clip((self.points - value) / step + 0.5, 0.0, 1.0)
        return min(max(certain + float(above), 0.0), 1.0)

    def quantile(self, share: float) -> float:
        """What this share of those of whom the answer is yes have more than."""
        below = np.cumsum(self.masses)
        return math.inf if 1 - share >= below[-1] else _quantile(self.points, below, 1 - share)


def _quantile(points: Floats, below: Floats, wanted: float) -> float:
    """Return where a cumulated law reaches a share."""
    half = (points[1] - points[0]) / 2
    return float(np.interp(wanted, np.maximum.accumulate(below), points + half))


class Laws:
    """Sums of evidence for any numbers of variants of several kinds on a lattice."""

    def __init__(self, kinds: Sequence[Kind], lattice: Lattice) -> None:
        self._lattice = lattice
        self._yes, self._no = (
            np.log(np.where(np.abs(side) > _NOTHING, side, _NOTHING))
            for side in (np.stack([k.yes for k in kinds]), np.stack([k.no for k in kinds]))
        )

    def total(self, numbers: Integers) -> Sum:
        """Add so many independent variants of each kind; (n_kinds,)."""
        return Sum(self._lattice.points, self._lattice.law(np.exp(numbers @ self._yes)))

    def power(self, numbers: Integers, fpr: float) -> float:
        """Share of yes above a threshold that `fpr` of no pass."""
        no = self._lattice.law(np.exp(numbers @ self._no))
        possible = float(no.sum())  # of the others the answer is known to be no
        if possible <= fpr:
            return 1.0
        threshold = _quantile(self._lattice.points, np.cumsum(no), possible - fpr)
        return self.total(numbers).beyond(threshold)
