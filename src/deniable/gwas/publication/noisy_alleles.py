"""What follows from noisy allele counts and public numbers alone, at no further cost."""

from collections.abc import Iterator

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.gwas.certificates.study_results import NoisyAlleles
from deniable.gwas.publication.chi_squared_range import chi_squared_range, joint_half_width
from deniable.gwas.publication.published_statistics import allele_frequencies
from deniable.mechanisms import DiscreteLaplace
from deniable.numerics.rounding import directed, lower, upper


@attrs.frozen
class CountNoise:
    """How far the noise of published counts reaches, in copies.

    Parameters
    ----------
    each : int
        What the error of a count stays within, with the confidence asked for.
    both : int
        What the errors of two counts stay within together, as a sum.
    """

    each: int
    both: int

    @classmethod
    def of(cls, mechanism: DiscreteLaplace, confidence: float) -> "CountNoise":
        """Of this noise.

        Examples
        --------
        >>> CountNoise.of(DiscreteLaplace(10.0), 0.95)
        CountNoise(each=30, both=47)
        """
        return cls(mechanism.half_width(confidence), joint_half_width(mechanism.scale, confidence))


def noisy_alleles(
    counts: NDArray[np.int64], cases: int, controls: int, noise: CountNoise
) -> Iterator[NoisyAlleles]:
    r"""Frequencies and the allelic χ² of each variant, from noisy counts clamped to what can be.

    .. math:: \chi^2_A = \frac{2N (xS - yR)^2}{R S (x + y)(2N - x - y)}

    Intervals lie about the clamped counts. The exact count is possible, so clamping brings the
    noisy one no farther from it, and the interval covers at least as often as one about the
    noisy count; it is never empty.

    Parameters
    ----------
    counts : array of int64, shape (2 · n_variants,)
        Noisy copies of allele 1 in cases, then in controls.
    cases, controls : int
        Public numbers R and S.
    noise : CountNoise
        How far the noise reaches at 95 %.

    Examples
    --------
    >>> (one,) = noisy_alleles(np.array([12, -2]), 10, 10, CountNoise(5, 8))
    >>> one.cases_frequency, one.controls_frequency, round(one.chi_squared, 3)
    (0.6, 0.0, 17.143)
    >>> one.cases_allele_1_low, one.controls_allele_1_high, one.above_noise
    (7, 5, True)
    """
    exact = [int(count) for count in counts]
    in_cases, in_controls = allele_frequencies(counts, cases, controls)
    half = len(exact) // 2
    for index in range(half):
        x, y = exact[index], exact[half + index]
        possible = min(max(x, 0), 2 * cases), min(max(y, 0), 2 * controls)
        least, most = chi_squared_range(possible, cases, controls, noise.both)
        ends = [
            (max(count - noise.each, 0), min(count + noise.each, 2 * people))
            for count, people in zip(possible, (cases, controls), strict=True)
        ]
        shares = [_shares(*ends[0], cases), _shares(*ends[1], controls)]
        yield NoisyAlleles(
            cases_allele_1=x,
            controls_allele_1=y,
            half_width_95=float(noise.each),
            cases_frequency=float(in_cases[index]),
            controls_frequency=float(in_controls[index]),
            chi_squared=_chi_squared(*possible, cases, controls),
            cases_allele_1_low=ends[0][0],
            cases_allele_1_high=ends[0][1],
            controls_allele_1_low=ends[1][0],
            controls_allele_1_high=ends[1][1],
            cases_frequency_low=shares[0][0],
            cases_frequency_high=shares[0][1],
            controls_frequency_low=shares[1][0],
            controls_frequency_high=shares[1][1],
            chi_squared_low=least,
            chi_squared_high=most,
            above_noise=least > 0,
        )


def _shares(low: int, high: int, people: int) -> tuple[float, float]:
    """Copies as frequencies, rounded outwards."""
    with directed() as r:
        return lower(r(low) / (2 * people)), upper(r(high) / (2 * people))


def _chi_squared(x: int, y: int, cases: int, controls: int) -> float | None:
    individuals = cases + controls
    alleles = (x + y) * (2 * individuals - x - y)
    if not alleles:
        return None
    return 2 * individuals * (x * controls - y * cases) ** 2 / (cases * controls * alleles)
