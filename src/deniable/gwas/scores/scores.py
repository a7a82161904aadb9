"""Scores of variants as whole steps of a public grid, with how far a neighbour moves them."""

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import assert_never

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.errors import InvalidArgument, validate
from deniable.gwas import association
from deniable.gwas.genotypes import AS_ARRAYS, Floats, GenotypeCounts, Strata
from deniable.gwas.scores.adjacency import StudyAdjacency, sizes
from deniable.gwas.scores.distance import complete, signed_distance, signed_swap_distance
from deniable.pipeline.noise import SelectionPart

# R cases, S controls, N = R + S. Nothing is assumed of the genotype tables: columns may be empty.


def genotypic_sensitivity(adjacency: StudyAdjacency, cases: int, controls: int) -> Fraction:
    r"""The largest change of the genotypic χ² between neighbours, in units of χ², exact; attained.

    .. math:: \Delta = \frac{N^2}{\min(R, S)(\max(R, S) + 1)} \quad\text{(genotype)}, \qquad
              \Delta = \frac{N^2}{RS}\left(2 - \frac1R - \frac1S\right) \quad\text{(swap)}

    with R cases and S controls, public numbers, each >= 1.

    References
    ----------
    uhler-2013, Theorem 1 and yu-2014 have the first formula for tables without an empty column.
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
    """
    return 2 * genotypic_sensitivity(adjacency, cases, controls)


def trend_sensitivity(_: StudyAdjacency, cases: int, controls: int) -> Fraction:
    r"""A bound on the change of the trend χ² between neighbours.

    .. math:: \Delta \le \min\Bigl(N, \frac{4 N^2}{RS}\Bigr)

    It is twice the allelic one at large R and S. At large R and S cases with one copy each and
    controls with none come as close to it as one likes: one of the controls has two copies in the
    neighbour. With D = x − tR/N, where x of the t copies are the cases', and T the sum of squares
    of copies about their mean, χ² = N²/(RS) · D²/T.

    That is at most N. It is convex in (D, T), so with u = D/T on the larger side, and a neighbour
    that is d and τ away in D and T, it falls by at most N²/(RS) · (u² τ − 2u d). By symmetry let u
    > 0. Under replaced genotypes let one of the controls gain copies: a case that loses some is the
    same with cases and controls, and both alleles, exchanged, and all other changes have d >= 0 and
    τ < 4. Counting people gives u <= S/(N − t) for t <= R and u <= max(½, R/t) for R <= t <= N, so
    u <= 1 always. With two copies gained d = −2R/N and τ = 4 − 4(t + 1)/N: for t <= R the bracket
    is below 4S/(N − t) <= 4, with u <= R/t it is at most 4R²/t² <= 4, with u <= ½ at most 3, and
    for t > N at most 4. With one copy gained it is at most 3 each time. Under swaps T stays and d
    is −2 or −1: the fall is at most N²/(RS) · 4(D − 1)/T or N²/(RS) · (2D − 1)/T, and D <= T.

    Examples
    --------
    >>> trend_sensitivity(StudyAdjacency.GENOTYPE, 1000, 1000)
    Fraction(16, 1)
    """
    r, s = sizes(cases, controls)  # the same of both adjacencies
    return min(Fraction(r + s), Fraction(4 * (r + s) ** 2, r * s))


def stratified_sensitivity(
    adjacency: StudyAdjacency, strata: Sequence[tuple[int, int]]
) -> Fraction:
    r"""A bound on the change of the stratified score between neighbours of the same strata.

    .. math:: \Delta = \max_k \Bigl(\frac{2 \max(R_k, S_k)}{N_k}
              + \frac{R_k S_k (N_k - 1)}{N_k^2 (2 N_k - 1)}\Bigr) \quad\text{(genotype)},
              \qquad \Delta = 2 \quad\text{(swap)}

    A neighbour differs in one stratum, whose R and S stay; a swap is one of a case and a control of
    the same stratum. Copies of one person change by 2 or less, so D moves by at most 2 max(R, S)/N.
    V is concave in t and moves most from t = 0 to 2: by 4RS(N − 1)/(N² (2N − 1)); the square root
    of cV + 4c² has a slope of at most ¼ in V. A swap leaves t and V as they are and moves x, and D
    with it, by at most 2; attained. In copies of an allele, exact; below 2 + 1/4 whatever the
    strata that have cases and controls.
    """
    every = [sizes(*each) for each in strata]
    if not every:
        raise InvalidArgument("Expected a stratum with cases and controls or more, got none.")
    match adjacency:
        case StudyAdjacency.GENOTYPE:
            return max(
                Fraction(2 * max(r, s), n) + Fraction(r * s * (n - 1), n * n * (2 * n - 1))
                for r, s, n in ((r, s, r + s) for r, s in every)
            )
        case StudyAdjacency.SWAP:
            return Fraction(2)
    assert_never(adjacency)


def stratified_score(strata: Strata, threshold: float) -> Floats:
    r"""q of each variant, in copies of an allele; −2c where all of each stratum have one genotype.

    Cochran, Mantel and Haenszel's χ² = D²/V compares within strata, so that two groups of people of
    whom different shares are cases do not look like a disease. But one person can move it far:
    where V is small, by hundreds in an uneven stratum. A variant is significant if :math:`|D| \ge
    \sqrt{cV}`, c the threshold in units of χ² with 1 degree of freedom. The score is by how many
    copies it is,

    .. math:: q = |D| - \sqrt{cV + 4c^2},

    with an addend that keeps the root's slope in V at ¼ or less. It is what V is of a variant with
    about 16c copies in even groups, so it matters for rare variants only.

    Examples
    --------
    >>> score = stratified_score(Strata(((10, 10),), np.array([3.0]), np.array([2.0])), 2.0)
    >>> round(float(score[0]), 4)
    -1.4721
    """
    c = threshold
    return np.asarray(np.abs(strata.difference) - np.sqrt(c * strata.variance + 4 * c * c))


_GRID_BITS = 20
"""Steps in the sensitivity, as a power of 2: rounding to the grid costs a millionth of it."""
_FLOAT_BITS = 40
"""Relative error of a score in float64, as a negative power of 2: 2^13 units for a dozen
operations."""

_LARGEST_ROOT = 4096
"""Copies: 2c and more, the part of a stratified score that does not grow with the study."""


class Score(validate.Choice, argument="score"):
    """The score by which variants are ranked."""

    DISTANCE = "distance"
    """How far from the other side of significance: genotypes, or swaps under that adjacency."""
    ALLELIC = "allelic"
    """The allelic χ², 1 degree of freedom."""
    GENOTYPIC = "genotypic"
    """The genotypic χ², 2 degrees of freedom."""
    TREND = "trend"
    """Cochran and Armitage's χ² of a trend in copies, 1 degree of freedom."""
    STRATIFIED = "stratified"
    """The copies by which cases differ beyond significance from controls of their stratum."""

    @property
    def has_threshold(self) -> bool:
        """Whether it looks at where significance begins."""
        return self in (Score.DISTANCE, Score.STRATIFIED)


_CHI_SQUARED = {
    Score.ALLELIC: (association.allelic_chi_squared, allelic_sensitivity),
    Score.GENOTYPIC: (association.genotypic_chi_squared, genotypic_sensitivity),
    Score.TREND: (association.trend_chi_squared, trend_sensitivity),
}
"""The statistic of each score that is one, and how far a neighbour moves it."""


@attrs.frozen
class Scores:
    """Every variant's score, and what is public about it.

    The public χ² is the one that significance begins at, where the score looks at it. Scores stand
    in whole steps, rounded down, (n_variants,); not public. A step stands for a genotype, a swap,
    or a power of two of χ² or of a copy. Between neighbours any score moves by so many steps at
    most, the rounding included.
    """

    score: Score
    adjacency: StudyAdjacency
    threshold: float | None
    steps: NDArray[np.int64] = attrs.field(eq=AS_ARRAYS, repr=False)
    step: float
    sensitivity_steps: int

    @property
    def sensitivity(self) -> float:
        """Return the sensitivity in units of the score, the rounding included."""
        return self.sensitivity_steps * self.step

    def selection(self, top: int) -> SelectionPart:
        """What the noisy selection of that many variants, 1 to n_variants, has to know."""
        return Grid(self.step, self.sensitivity_steps).selection(top, len(self.steps))


def scores(
    counts: GenotypeCounts,
    *,
    score: Score,
    adjacency: StudyAdjacency,
    threshold: str | float = "bonferroni",
    strata: Strata | None = None,
) -> Scores:
    r"""Scores on a public grid, of counts without missing calls.

    A χ², or a stratified score, is rounded down to a multiple of a power of two, g, about a
    millionth of its sensitivity Δ; with floating-point error η of it a neighbour moves it by at
    most :math:`\lceil (\Delta + 2\eta)/g \rceil` steps. The distance counts genotypes or swaps,
    whichever the adjacency is. Only it and the stratified score look at the p-value at which
    significance begins.
    """
    (_, cases), (_, controls) = complete(counts.cases), complete(counts.controls)
    sizes = strata.sizes if strata is not None else ()
    grid = public_grid(score, adjacency, cases, controls, sizes)
    line = None
    if score.has_threshold:
        line = association.chi_squared_threshold(threshold, len(counts))
    if score is Score.DISTANCE and line is not None:
        distance = signed_swap_distance if adjacency is StudyAdjacency.SWAP else signed_distance
        steps = distance(counts.cases, counts.controls, line)
    else:
        if strata is not None and line is not None:
            of_score = stratified_score(strata, line)
        else:
            of_score = _CHI_SQUARED[score][0](counts)
        # 0 where everybody has the same genotype, so that nothing is associated.
        steps = np.floor(np.nan_to_num(of_score, nan=0.0) / grid.step).astype(np.int64)
    return Scores(score, adjacency, line, steps, grid.step, grid.sensitivity_steps)


@attrs.frozen
class Grid:
    """What one step of a score stands for, and the most steps between neighbours."""

    step: float
    sensitivity_steps: int

    def selection(self, top: int, variants: int) -> SelectionPart:
        """What the noisy selection of so many variants has to know; public numbers only."""
        number = validate.integer(top, "top", least=1)
        if number > variants:
            raise InvalidArgument(
                f"Expected top <= {variants}, the number of variants, got top={number}."
            )
        return SelectionPart(
            "top",
            self.step,
            cells=1,
            candidates=variants,
            number=number,
            sensitivity=self.sensitivity_steps,
            monotone=False,
        )


def public_grid(
    score: Score,
    adjacency: StudyAdjacency,
    cases: int,
    controls: int,
    strata: Sequence[tuple[int, int]] = (),
) -> Grid:
    """The grid of a score, from public numbers only; strata are for the stratified score.

    Examples
    --------
    >>> public_grid(Score.DISTANCE, StudyAdjacency.SWAP, 1000, 1000)
    Grid(step=1.0, sensitivity_steps=1)
    """
    match score:
        case Score.DISTANCE:
            return Grid(1.0, 1)  # genotypes or swaps, whichever the adjacency is
        case Score.STRATIFIED:
            moved = stratified_sensitivity(adjacency, strata)
        case _:
            _, sensitivity = _CHI_SQUARED[score]
            moved = sensitivity(adjacency, cases, controls)
    exponent = math.frexp(float(moved))[1] - 1 if moved else 0
    step = math.ldexp(1.0, exponent - _GRID_BITS)
    # No χ² exceeds 2N, and a dozen float64 operations are wrong by less than 2^-40 of that. Nor
    # does what a stratified score adds up exceed 2N + 4096: |D| <= N/2, V <= N/4, and c < 1500 for
    # any p-value that is a float64.
    largest = 2 * (cases + controls) + (_LARGEST_ROOT if score is Score.STRATIFIED else 0)
    error = Fraction(largest, 2**_FLOAT_BITS)
    return Grid(step, math.ceil((moved + 2 * error) / Fraction(step)))
