"""The law of the evidence of many unlinked variants together: a convolution on a lattice."""

import math
from collections.abc import Sequence

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.gwas.attacks.evidence import Evidence
from deniable.gwas.genotypes import Floats
from deniable.numerics.transforms import inverse_transform, transform

_POINTS = 2**12
"""Of a lattice: with 32 to a standard deviation it reaches 64 deviations to either side."""
_PER_DEVIATION = 32
"""Points of the lattice to a standard deviation of the sum."""
_MOST = 1 / 3
"""Share of the lattice's reach that one variant's evidence goes at most: three such leave it."""
_NOTHING = 1e-300
"""A factor of 0, whose logarithm is finite."""

Spectrum = NDArray[np.complex128]


@attrs.frozen
class Lattice:
    """Equidistant points about 0.

    Parameters
    ----------
    step : float
        Distance of neighbours, in units of log odds.
    """

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
        found = np.zeros(laws * _POINTS)
        for shift, share in ((-1, u * (u - 1) / 2), (0, 1 - u * u), (1, u * (u + 1) / 2)):
            places = rows + (nearest.astype(np.int64) + shift) % _POINTS
            found += np.bincount(places.ravel(), (masses * share).ravel(), len(found))
        return transform(found.reshape(laws, _POINTS))

    def law(self, spectrum: Spectrum) -> Floats:
        """The masses of `points`."""
        return np.roll(inverse_transform(spectrum, _POINTS), _POINTS // 2)


@attrs.frozen
class Kind:
    """A variant's evidence about one question on a lattice.

    Parameters
    ----------
    yes, no : ndarray of complex, shape (n_frequencies,)
        Its finite part, if the answer is yes, and if it is no.
    """

    yes: Spectrum
    no: Spectrum


def one_group(evidence: Evidence, lattice: Lattice) -> Kind:
    """Of one group's numbers."""
    return Kind(*(g @ spectra for g, spectra in _sides(evidence, lattice)))


def two_groups(cases: Evidence, controls: Evidence, lattice: Lattice) -> Kind:
    """Of being a case and no control: given the person's copies the groups are independent."""
    (genotype, case_in), (_, case_out) = _sides(cases, lattice)
    (_, control_in), (_, control_out) = _sides(controls, lattice)
    # The spectrum of −L is the conjugate of that of L.
    return Kind(
        genotype @ (case_in * control_out.conj()), genotype @ (case_out * control_in.conj())
    )


def _sides(evidence: Evidence, lattice: Lattice) -> list[tuple[Floats, Spectrum]]:
    finite = np.isfinite(evidence.ratio)
    value = np.where(finite, evidence.ratio, 0.0)
    return [
        (genotype, lattice.spectra(value, np.where(finite, law, 0.0)))
        for genotype, law in ((evidence.genotype, evidence.yes), (evidence.others, evidence.no))
    ]


@attrs.frozen
class Sum:
    """The law of a sum of evidence, if the answer is yes.

    Parameters
    ----------
    points, masses : ndarray of float, shape (n_points,)
        Log likelihood ratios, and how likely each is; what is missing to 1 is certain of yes.
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
        return math.inf if 1 - share >= below[-1] else _at(self.points, below, 1 - share)


def _at(points: Floats, below: Floats, wanted: float) -> float:
    """Where a cumulated law reaches a share."""
    half = (points[1] - points[0]) / 2
    return float(np.interp(wanted, np.maximum.accumulate(below), points + half))


class Laws:
    """Sums of evidence for any numbers of variants of several kinds.

    Parameters
    ----------
    kinds : sequence of Kind
        On `lattice`.
    lattice : Lattice
        Where they are.
    """

    def __init__(self, kinds: Sequence[Kind], lattice: Lattice) -> None:
        self._lattice = lattice
        self._yes, self._no = (
            np.log(np.where(np.abs(side) > _NOTHING, side, _NOTHING))
            for side in (np.stack([k.yes for k in kinds]), np.stack([k.no for k in kinds]))
        )

    def total(self, numbers: NDArray[np.int64]) -> Sum:
        """Over so many variants of each kind, which are independent; (n_kinds,)."""
        return Sum(self._lattice.points, self._lattice.law(np.exp(numbers @ self._yes)))

    def power(self, numbers: NDArray[np.int64], fpr: float) -> float:
        """Share of yes above a threshold that `fpr` of no pass."""
        no = self._lattice.law(np.exp(numbers @ self._no))
        possible = float(no.sum())  # of the others the answer is known to be no
        if possible <= fpr:
            return 1.0
        threshold = _at(self._lattice.points, np.cumsum(no), possible - fpr)
        return self.total(numbers).beyond(threshold)
