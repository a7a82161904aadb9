"""Who stands in pool and reference both, and whether the two are of one population."""

import numpy as np
from numpy.typing import NDArray

from deniable.errors import DataError
from deniable.gwas.attacks.ancestry import CELLS, Ancestry, ancestry
from deniable.gwas.attacks.levels import LEAST_FREQUENCY
from deniable.gwas.attacks.panels import Panel, Shared, copies_of_both
from deniable.gwas.attacks.same_people import CANDIDATES, SamePeople, same_people

Counts = tuple[NDArray[np.int64], NDArray[np.int64]]


def without_shared(same: SamePeople, pool: Panel, reference: Panel, rule: str, where: str) -> Panel:
    """The reference without the pool's people, where that is asked for.

    Raises
    ------
    DataError
        If it is not, or nobody is left.
    """
    if rule == "refuse":
        raise DataError(
            f"Expected a reference without the pool's people, got {len(same.shared):,} of "
            f"{pool.people:,} in both, by identifier or by genotypes, {where}. Take them "
            "out of the reference (plink --remove), or have them left out (--overlap leave-out)."
        )
    left = reference.without(same.others)
    if not left.people:
        raise DataError(
            f"Expected somebody in the reference who is not in the pool, got nobody {where}. Give "
            "genotypes of others from the same population."
        )
    return left


def shared_people(pool: Panel, reference: Panel, both: Shared, counts: Counts) -> SamePeople:
    """Who stands in both, by evenly chosen common variants."""
    common = _common(counts)
    if not len(common):
        return SamePeople(frozenset(), 0, by_genotypes=False)
    which = common[:: -(-len(common) // CANDIDATES)]
    copies = copies_of_both(pool, reference, both, which)
    places = reference.variants.chromosome[both.theirs[which]].tolist()
    return same_people(*copies, (pool.present, reference.present), places)


def origin(pool: Panel, reference: Panel, both: Shared, counts: Counts) -> Ancestry:
    """How far pool and reference differ, by evenly chosen common variants."""
    common = _common(counts)
    among = common if len(common) else np.arange(len(both))
    most = max(CELLS // (pool.people + reference.people), 1)
    which = among[:: max(1, -(-len(among) // most))]
    return ancestry(*copies_of_both(pool, reference, both, which))


def _common(counts: Counts) -> NDArray[np.intp]:
    """Places of variants whose rarer allele is common in pool and reference together."""
    both = counts[0] + counts[1]
    frequency = (both[:, 1] + 2 * both[:, 2]) / (2 * both[:, :3].sum(axis=1))
    return np.flatnonzero(np.minimum(frequency, 1 - frequency) >= LEAST_FREQUENCY)
