"""Noisy allele counts of the chosen variants, for an owner who wants to publish more than names.

The variants must have been chosen by a release of its own; both are paid for. Frequencies and
χ² follow from the noisy counts and public numbers at no further cost.
"""

from collections.abc import Sequence
from typing import assert_never

import numpy as np
from numpy.typing import NDArray

from deniable.errors import InvalidArgument, validate
from deniable.gwas.genotypes import GenotypeCounts
from deniable.gwas.scores.adjacency import StudyAdjacency
from deniable.gwas.scores.distance import complete
from deniable.numerics.rounding import directed, upper
from deniable.pipeline.noise.parts import VectorPart


def allele_count_part(adjacency: StudyAdjacency, variants: int) -> VectorPart:
    """What gets noise, with its sensitivity.

    A replaced genotype moves, at each variant, the copies in its own group by at most 2; a swap
    moves those of both groups by at most 2.

    Parameters
    ----------
    adjacency : StudyAdjacency
        What neighbours are.
    variants : int
        How many variants were chosen, >= 1.

    Examples
    --------
    >>> part = allele_count_part(StudyAdjacency.SWAP, 3)
    >>> part.coordinates, part.l1, round(part.l2, 3)
    (6, 12, 4.899)
    """
    number = validate.integer(variants, "variants", least=1)
    match adjacency:
        case StudyAdjacency.GENOTYPE:
            moved = number
        case StudyAdjacency.SWAP:
            moved = 2 * number
        case _:
            assert_never(adjacency)
    with directed() as r:
        length = upper(2 * r.sqrt(r(moved)))
    return VectorPart("allele count", 1.0, 2 * number, l1=2 * moved, l2=length, moved=moved)


def allele_counts(counts: GenotypeCounts, chosen: Sequence[int]) -> NDArray[np.int64]:
    """Exact copies of allele 1 in cases, then in controls; shape (2 · variants,). Not public."""
    positions = np.asarray(chosen, dtype=np.int64)
    if len(set(positions.tolist())) < len(positions):
        raise InvalidArgument("Expected each chosen variant once, got one twice.")
    groups = [complete(group[positions])[0] for group in (counts.cases, counts.controls)]
    return np.concatenate([group[:, 1] + 2 * group[:, 2] for group in groups])


def allele_frequencies(
    noisy: NDArray[np.int64], cases: int, controls: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Frequencies in cases and controls from noisy counts; each clamped to [0, 1].

    Examples
    --------
    >>> [f.tolist() for f in allele_frequencies(np.array([5, -1]), 10, 10)]
    [[0.25], [0.0]]
    """
    in_cases, in_controls = np.split(noisy, 2)
    return (
        np.clip(in_cases / (2 * cases), 0.0, 1.0),
        np.clip(in_controls / (2 * controls), 0.0, 1.0),
    )
