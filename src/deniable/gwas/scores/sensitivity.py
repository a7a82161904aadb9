"""How far one neighbour can move a score: exact fractions of the public numbers of individuals.

R cases, S controls, N = R + S. Nothing is assumed of the genotype tables: columns may be empty.
"""

from collections.abc import Sequence
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


def trend_sensitivity(adjacency: StudyAdjacency, cases: int, controls: int) -> Fraction:
    r"""A bound on the change of the trend χ² between neighbours.

    .. math:: \Delta \le \min\Bigl(N, \frac{4 N^2}{RS}\Bigr)

    At large R and S cases with one copy each and controls with none come as close to it as one
    likes: one of the controls has two copies in the neighbour. With D = x − tR/N, where x of the t
    copies are the cases', and T the sum of squares of copies about their mean, χ² = N²/(RS) · D²/T.

    That is at most N. It is convex in (D, T), so with u = D/T on the larger side, and a neighbour
    that is d and τ away in D and T, it falls by at most N²/(RS) · (u² τ − 2u d). By symmetry let
    u > 0. Under replaced genotypes let one of the controls gain copies: a case that loses some is
    the same with cases and controls, and both alleles, exchanged, and all other changes have
    d >= 0 and τ < 4. Counting people gives u <= S/(N − t) for t <= R and u <= max(½, R/t) for
    R <= t <= N, so u <= 1 always. With two copies gained d = −2R/N and τ = 4 − 4(t + 1)/N: for
    t <= R the bracket is below 4S/(N − t) <= 4, with u <= R/t it is at most 4R²/t² <= 4, with
    u <= ½ at most 3, and for t > N at most 4. With one copy gained it is at most 3 each time.
    Under swaps T stays and d is −2 or −1: the fall is at most N²/(RS) · 4(D − 1)/T or
    N²/(RS) · (2D − 1)/T, and D <= T.

    Parameters
    ----------
    adjacency : StudyAdjacency
        What neighbours are.
    cases, controls : int
        Public numbers R and S, each >= 1.

    Returns
    -------
    Fraction
        In units of χ², exact: twice the allelic one at large R and S.

    Examples
    --------
    >>> trend_sensitivity(StudyAdjacency.GENOTYPE, 1000, 1000)
    Fraction(16, 1)
    """
    r, s = sizes(cases, controls)
    match adjacency:
        case StudyAdjacency.GENOTYPE | StudyAdjacency.SWAP:
            return min(Fraction(r + s), Fraction(4 * (r + s) ** 2, r * s))
    assert_never(adjacency)


def stratified_sensitivity(
    adjacency: StudyAdjacency, strata: Sequence[tuple[int, int]]
) -> Fraction:
    r"""A bound on the change of the stratified score between neighbours of the same strata.

    .. math:: \Delta = \max_k \Bigl(\frac{2 \max(R_k, S_k)}{N_k}
              + \frac{R_k S_k (N_k - 1)}{N_k^2 (2 N_k - 1)}\Bigr) \quad\text{(genotype)},
              \qquad \Delta = 2 \quad\text{(swap)}

    A neighbour differs in one stratum, whose R and S stay. Copies of one person change by 2 or
    less, so D moves by at most 2 max(R, S)/N. V is concave in t and moves most from t = 0 to 2: by
    4RS(N − 1)/(N² (2N − 1)); the square root of cV + 4c² has a slope of at most ¼ in V. A swap
    leaves t and V as they are and moves x, and D with it, by at most 2; attained.

    Parameters
    ----------
    adjacency : StudyAdjacency
        What neighbours are; a swap is one of a case and a control of the same stratum.
    strata : sequence of (int, int)
        Public numbers R and S of each stratum that has both, one or more.

    Returns
    -------
    Fraction
        In copies of an allele, exact; below 2 + 1/4 whatever the strata.

    Raises
    ------
    InvalidArgument
        If there is no stratum.

    Examples
    --------
    >>> stratified_sensitivity(StudyAdjacency.GENOTYPE, [(3, 3), (1, 1)])
    Fraction(49, 44)
    """
    every = [sizes(*each) for each in strata]
    if not every:
        raise InvalidArgument("Expected a stratum with cases and controls or more, got none.")
    match adjacency:
        case StudyAdjacency.GENOTYPE:
            return max(_stratum_moves(r, s) for r, s in every)
        case StudyAdjacency.SWAP:
            return Fraction(2)
    assert_never(adjacency)


def _stratum_moves(r: int, s: int) -> Fraction:
    n = r + s
    return Fraction(2 * max(r, s), n) + Fraction(r * s * (n - 1), n * n * (2 * n - 1))


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
    """The largest change of `distance.signed_swap_distance`: 1 under swaps.

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
