"""The published variants of a study, and the table of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import attrs

from deniable.errors.late import late
from deniable.gwas.certificates.arrow_arrays import arrow_array

if TYPE_CHECKING:
    import pyarrow as pa  # type: ignore[import-untyped]
else:
    pa = late("pyarrow", extra="publish")

_ALWAYS = {
    "rank": "int64",
    "variant": "string",
    "chromosome": "string",
    "position": "int64",
    "allele_1": "string",
    "allele_2": "string",
}
_WITH_STATISTICS = {
    "cases_allele_1": "int64",
    "controls_allele_1": "int64",
    "half_width_95": "float64",
    "cases_frequency": "float64",
    "controls_frequency": "float64",
    "chi_squared": "float64",
    "cases_allele_1_low": "int64",
    "cases_allele_1_high": "int64",
    "controls_allele_1_low": "int64",
    "controls_allele_1_high": "int64",
    "cases_frequency_low": "float64",
    "cases_frequency_high": "float64",
    "controls_frequency_low": "float64",
    "controls_frequency_high": "float64",
    "chi_squared_low": "float64",
    "chi_squared_high": "float64",
    "above_noise": "bool",
}


@attrs.frozen
class NoisyAlleles:
    """Noisy statistics of a variant; everything but the two counts follows from them.

    Each pair of ends holds what the study itself has, without noise, with a probability of at
    least 95 % over the noise; each pair on its own, not all at once. How the participants stand
    for others is another question, which they say nothing about.

    Parameters
    ----------
    cases_allele_1, controls_allele_1 : int
        Noisy copies of allele 1; may be negative.
    half_width_95 : float
        Of each of the two, in copies.
    cases_frequency, controls_frequency : float
        Of allele 1, clamped to [0, 1].
    chi_squared : float or None
        The allelic χ² of these frequencies; None where both are 0 or both are 1.
    cases_allele_1_low, cases_allele_1_high, controls_allele_1_low, controls_allele_1_high : int
        Ends of the exact counts, within what is possible.
    cases_frequency_low, … : float
        Ends of the exact frequencies.
    chi_squared_low, chi_squared_high : float
        Ends of the exact χ², which counts as 0 where everybody has the same two alleles.
    above_noise : bool
        Whether the lower end of χ² is above 0, so that noise alone does not explain the difference.
    """

    cases_allele_1: int
    controls_allele_1: int
    half_width_95: float
    cases_frequency: float
    controls_frequency: float
    chi_squared: float | None
    cases_allele_1_low: int
    cases_allele_1_high: int
    controls_allele_1_low: int
    controls_allele_1_high: int
    cases_frequency_low: float
    cases_frequency_high: float
    controls_frequency_low: float
    controls_frequency_high: float
    chi_squared_low: float
    chi_squared_high: float
    above_noise: bool


@attrs.frozen
class ReleasedVariant:
    """A variant that was chosen, the first of rank 1; its name and place are public."""

    rank: int
    variant: str
    chromosome: str
    position: int
    allele_1: str
    allele_2: str
    noisy: NoisyAlleles | None = None


def study_table(released: Sequence[ReleasedVariant]) -> pa.Table:
    """A row a variant, by rank; with columns of noisy statistics where there are some.

    Examples
    --------
    >>> study_table([ReleasedVariant(1, "rs1", "9", 100, "A", "G")]).column_names[:3]
    ['rank', 'variant', 'chromosome']
    """
    columns = {
        name: arrow_array([getattr(each, name) for each in released], kind)
        for name, kind in _ALWAYS.items()
    }
    noisy = [each.noisy for each in released if each.noisy is not None]
    if noisy:
        columns |= {
            name: arrow_array([getattr(each, name) for each in noisy], kind)
            for name, kind in _WITH_STATISTICS.items()
        }
    return pa.table(columns)
