"""What follows from noisy allele counts and public numbers alone, at no further cost."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from deniable.certificate.study_results import NoisyAlleles
from deniable.gwas.published_statistics import allele_frequencies


def noisy_alleles(
    counts: NDArray[np.int64], cases: int, controls: int, half_width: float
) -> Iterator[NoisyAlleles]:
    r"""Frequencies and the allelic χ² of each variant, from noisy counts clamped to what can be.

    .. math:: \chi^2_A = \frac{2N (xS - yR)^2}{R S (x + y)(2N - x - y)}

    Parameters
    ----------
    counts : array of int64, shape (2 · n_variants,)
        Noisy copies of allele 1 in cases, then in controls.
    cases, controls : int
        Public numbers R and S.
    half_width : float
        Of each count, 95 %, in copies.

    Examples
    --------
    >>> (one,) = noisy_alleles(np.array([12, -2]), 10, 10, 5.0)
    >>> one.cases_frequency, one.controls_frequency, round(one.chi_squared, 3)
    (0.6, 0.0, 17.143)
    """
    exact = [int(count) for count in counts]
    in_cases, in_controls = allele_frequencies(counts, cases, controls)
    half = len(exact) // 2
    for index in range(half):
        x, y = exact[index], exact[half + index]
        yield NoisyAlleles(
            cases_allele_1=x,
            controls_allele_1=y,
            half_width_95=half_width,
            cases_frequency=float(in_cases[index]),
            controls_frequency=float(in_controls[index]),
            chi_squared=_chi_squared(x, y, cases, controls),
        )


def _chi_squared(x: int, y: int, cases: int, controls: int) -> float | None:
    individuals = cases + controls
    x, y = min(max(x, 0), 2 * cases), min(max(y, 0), 2 * controls)
    alleles = (x + y) * (2 * individuals - x - y)
    if not alleles:
        return None
    return 2 * individuals * (x * controls - y * cases) ** 2 / (cases * controls * alleles)
