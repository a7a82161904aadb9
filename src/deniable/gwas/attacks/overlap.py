"""Who stands in pool and reference both, and whether the two are of one population."""

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.errors import DataError
from deniable.gwas.attacks.attack_scores import MISSING
from deniable.gwas.attacks.levels import LEAST_FREQUENCY
from deniable.gwas.attacks.panels import Panel, Shared, copies_of_both
from deniable.gwas.attacks.same_people import CANDIDATES, SamePeople, same_people

# --- Whether two groups of people come from one population, judged by their allele frequencies.


FALSE_POSITIVE_RATE = 0.001
"""Chance of calling two groups of one population different."""
_SHUFFLES = 999
"""The least number that reaches `FALSE_POSITIVE_RATE`."""
_TOGETHER = 111
"""Shuffles in one product."""
CELLS = 2**23
"""Genotypes that are looked at, at most: a second or two."""
_SEED = 0
"""Of the shuffles: the same files give the same answer."""

AlleleCounts = NDArray[np.int64]


@attrs.frozen
class Ancestry:
    """How far two groups' frequencies differ, and whether chance explains it.

    Parameters
    ----------
    f_st : float
        Share of the variance of alleles that lies between the groups; near 0, and as often below
        as above, for two groups of one population.
    p_value : float
        How often people who are dealt to the groups by lot differ as much; at least 1/1000.
    """

    f_st: float
    p_value: float

    @property
    def differs(self) -> bool:
        """Whether the groups come from different populations, with `FALSE_POSITIVE_RATE`."""
        return self.p_value <= FALSE_POSITIVE_RATE


def ancestry(ones: NDArray[np.int8], others: NDArray[np.int8]) -> Ancestry:
    r"""Compare two groups by Hudson's estimator, a ratio of sums over variants.

    .. math:: F_{ST} = \frac{\sum_j (p_j - q_j)^2 - \frac{p_j (1 - p_j)}{n_j - 1}
              - \frac{q_j (1 - q_j)}{m_j - 1}}{\sum_j p_j (1 - q_j) + q_j (1 - p_j)}

    with n, m chromosomes. Where all people are drawn from one population, every way of dealing
    them to the groups is as likely, however variants are linked. So the largest of the F_ST of
    this division and of 999 by lot is this one's with a probability of at most 1/1000.

    Parameters
    ----------
    ones, others : ndarray of int8, shape (n_variants, n_ones) and (n_variants, n_others)
        Copies of an allele; −1 where missing.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> here, there = (rng.binomial(2, p, (200, 50)).astype(np.int8) for p in (0.3, 0.4))
    >>> ancestry(here, there).differs, ancestry(here[:, :25], here[:, 25:]).differs
    (True, False)
    """
    everyone = np.concatenate([ones, others], axis=1)
    step = max(1, -(-everyone.size // CELLS))
    everyone = everyone[::step]
    known = (everyone != MISSING).astype(np.float32)
    copies = np.where(everyone == MISSING, 0, everyone).astype(np.float32)
    first = np.arange(everyone.shape[1]) < ones.shape[1]
    seen = float(_f_st(copies, known, first[:, None])[0])
    rng = np.random.default_rng(_SEED)  # noqa: TID251 - for the owner, nothing is released
    as_much = 0
    for _ in range(0, _SHUFFLES, _TOGETHER):
        lots = rng.permuted(np.repeat(first[:, None], _TOGETHER, axis=1), axis=0)
        as_much += int(np.count_nonzero(_f_st(copies, known, lots) >= seen))
    return Ancestry(seen, (1 + as_much) / (1 + _SHUFFLES))


def _f_st(
    copies: NDArray[np.float32], known: NDArray[np.float32], divisions: NDArray[np.bool_]
) -> NDArray[np.float64]:
    """Of each division, a column of who is in the first group; (n_people, n) -> (n,)."""
    lots = divisions.astype(np.float32)
    # float32 holds counts up to 2^24 exactly.
    x, n = (copies @ lots).astype(np.float64), 2.0 * (known @ lots)
    y, m = copies.sum(axis=1)[:, None] - x, 2.0 * known.sum(axis=1)[:, None] - n
    p, q = x / np.maximum(n, 1), y / np.maximum(m, 1)
    enough = (n > 1) & (m > 1)
    within = p * (1 - p) / np.maximum(n - 1, 1) + q * (1 - q) / np.maximum(m - 1, 1)
    between = np.where(enough, (p - q) ** 2 - within, 0.0).sum(axis=0)
    total = np.where(enough, p * (1 - q) + q * (1 - p), 0.0).sum(axis=0)
    return np.asarray(np.divide(between, total, out=np.zeros_like(between), where=total > 0))


# --- Who stands in pool and reference both, and whether the two are of one population.


Counts = tuple[NDArray[np.int64], NDArray[np.int64]]


def leave_out_shared(
    same: SamePeople, pool: Panel, reference: Panel, rule: str, where: str
) -> Panel:
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


def find_shared_people(pool: Panel, reference: Panel, both: Shared, counts: Counts) -> SamePeople:
    """Who stands in both, by evenly chosen common variants."""
    common = _find_common(counts)
    if not len(common):
        return SamePeople(frozenset(), 0, by_genotypes=False)
    which = common[:: -(-len(common) // CANDIDATES)]
    copies = copies_of_both(pool, reference, both, which)
    places = reference.variants.chromosome[both.theirs[which]].tolist()
    return same_people(*copies, (pool.present, reference.present), places)


def origin(pool: Panel, reference: Panel, both: Shared, counts: Counts) -> Ancestry:
    """How far pool and reference differ, by evenly chosen common variants."""
    common = _find_common(counts)
    among = common if len(common) else np.arange(len(both))
    most = max(CELLS // (pool.people + reference.people), 1)
    which = among[:: max(1, -(-len(among) // most))]
    return ancestry(*copies_of_both(pool, reference, both, which))


def _find_common(counts: Counts) -> NDArray[np.intp]:
    """Places of variants whose rarer allele is common in pool and reference together."""
    both = counts[0] + counts[1]
    frequency = (both[:, 1] + 2 * both[:, 2]) / (2 * both[:, :3].sum(axis=1))
    return np.flatnonzero(np.minimum(frequency, 1 - frequency) >= LEAST_FREQUENCY)
