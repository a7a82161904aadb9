"""Studies in strata, from their counts."""

import numpy as np

from deniable.gwas.genotypes import GenotypeCounts, Strata, strata_sizes, sum_over_strata
from deniable.gwas.scores.scores import Score


def one_stratum(counts: GenotypeCounts) -> Strata:
    """Everybody is of one stratum."""
    groups = np.stack([counts.cases, counts.controls], axis=1)[:, None, :, :3]
    called = groups.sum(axis=-1)
    sizes = strata_sizes(*called[0, 0, :, None].tolist())
    return Strata(sizes, *sum_over_strata(groups[..., 1] + 2 * groups[..., 2], called))


def strata_for(score: Score, counts: GenotypeCounts) -> Strata | None:
    """What that score needs besides the counts."""
    return one_stratum(counts) if score is Score.STRATIFIED else None
