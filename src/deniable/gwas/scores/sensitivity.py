"""How far one neighbour can move a score: exact fractions of the public numbers of individuals.

R cases, S controls, N = R + S. Nothing is assumed of the genotype tables: columns may be empty.
"""

from fractions import Fraction
from typing import assert_never

from deniable.errors import InvalidArgument
from deniable.gwas.scores.adjacency import StudyAdjacency, sizes


def genotypic_sensitivity(adjacency: StudyAdjacency, cases: int, controls: int) -> Fraction:
    r"""The largest change of the genotypic χ² between neighbours; attained.

    .. math:: \Delta = \frac{N^2}{\min(R, S)(\max(R, S) + 1)} \quad\text{(genotype)}, \qquad
              \Delta = \frac{N^2}{RS}\left(2 - \frac1R - \frac1S\right) \quad\text{(swap)}

    Parameters
    ----------
    adjacency : StudyAdjacency
        What neighbours are.
    cases, controls : int
        Public numbers R and S, each >= 1.

    Returns
    -------
    Fraction
        In units of χ², exact.

    References
    ----------
    uhler-2013, Theorem 1 and yu-2014 have the first formula for tables without an empty column.

    Examples
    --------
    >>> genotypic_sensitivity(StudyAdjacency.GENOTYPE, 3, 3)
    Fraction(3, 1)
    """
    r, s = sizes(cases, controls)
    squared = (r + s) ** 2
    match adjacency:
        case StudyAdjacency.GENOTYPE:
            return Fraction(squared, min(r, s) * (max(r, s) + 1))
        case StudyAdjacency.SWAP:
            return Fraction(squared, r * s) * (2 - Fraction(1, r) - Fraction(1, s))
    assert_never(adjacency)


def allelic_sensitivity(adjacency: StudyAdjacency, cases: int, controls: int) -> Fraction:
    """The largest change of the allelic χ² between neighbours: twice the genotypic one; attained.

    A variant with one allele only counts as χ² = 0.

    Examples
    --------
    >>> allelic_sensitivity(StudyAdjacency.GENOTYPE, 3, 3)
    Fraction(6, 1)
    """
    return 2 * genotypic_sensitivity(adjacency, cases, controls)


def genotype_distance_sensitivity(adjacency: StudyAdjacency) -> Fraction:
    """The largest change of `distance.signed_distance`; a swap changes two genotypes.

    Examples
    --------
    >>> genotype_distance_sensitivity(StudyAdjacency.SWAP)
    Fraction(2, 1)
    """
    match adjacency:
        case StudyAdjacency.GENOTYPE:
            return Fraction(1)
        case StudyAdjacency.SWAP:
            return Fraction(2)
    assert_never(adjacency)


def swap_distance_sensitivity(adjacency: StudyAdjacency) -> Fraction:
    """The largest change of `swap_distance.signed_swap_distance`: 1 under swaps.

    Raises
    ------
    InvalidArgument
        Under replaced genotypes, which may open or close the way across the threshold at once.
    """
    if adjacency is not StudyAdjacency.SWAP:
        raise InvalidArgument(
            f"Expected adjacency=swap for the swap distance, got adjacency={adjacency}."
        )
    return Fraction(1)
