"""What an attacker gains from a pool's published allele frequencies: measured, not assumed."""

import os
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from deniable import _validate
from deniable._notebook import notebook_bar
from deniable.errors import DataError, InvalidArgument
from deniable.gwas.attacks.ancestry import CELLS, Ancestry, ancestry
from deniable.gwas.attacks.attack_power import AttackPower, Level, Reference
from deniable.gwas.attacks.attack_scores import power, theoretical_power
from deniable.gwas.attacks.cross_fit import cross_fitted
from deniable.gwas.attacks.levels import LEAST_FREQUENCY, LEVELS, LevelScores, level_scores
from deniable.gwas.attacks.panels import Panel, Shared, copies_of_both, counts_of_both, shared
from deniable.gwas.attacks.same_people import CANDIDATES, SamePeople, same_people
from deniable.gwas.chromosomes import AUTOSOMES, autosomal
from deniable.gwas.files.packed import Progress

REFERENCES = (1_000, 5_000, 20_000)
"""People of references that are public, or that a consortium has: of 1000 Genomes to biobanks."""
_COUNTING = 0.1
"""Share of the work that counting has, for the progress bar."""

Counts = tuple[NDArray[np.int64], NDArray[np.int64]]


def attack(
    prefix: str | os.PathLike[str],
    reference: str | os.PathLike[str],
    *,
    prune: float | None = None,
    fpr: float = 0.05,
    overlap: str = "refuse",
    autosomes: int = AUTOSOMES,
    progress: Progress | None = None,
) -> AttackPower:
    """Attack the allele frequencies of everybody in one PLINK file, knowing those of another.

    The attacker has a target's genotype, the pool's published frequencies and the reference's
    genotypes, and asks whether the target is in the pool. Every member of the pool is tried, and
    every person of the reference, who leaves the reference before being compared with it. Variants
    of all frequencies are used.

    Five levels of pruning are tried (all variants, r² below .8, .5, .2, .1), and the best is
    chosen on other people than those on whom it is measured. A better attack may exist: the
    measured power is a lower bound, up to chance, for an attacker with this reference; one with
    more people in it does better, as `references` says.

    Parameters
    ----------
    prefix : path
        PLINK files of the pool whose frequencies are published.
    reference : path
        PLINK files of people from the same population, none of whom is in the pool.
    prune : float, optional
        Try this level only: pairwise r² below this, in (0, 1], in the reference or, if it has more
        people, in the pool; 1 keeps everything.
    fpr : float
        Share of strangers that may be taken for members, in (0, 1).
    overlap : {"refuse", "leave-out"}
        What becomes of people of the reference who are in the pool.
    autosomes : int
        Pairs of autosomes of the species, as PLINK's --chr-set. Variants on X, Y and mitochondria
        are left out.
    progress : callable, optional
        Called with the fraction done, 0 to 1.

    Returns
    -------
    AttackPower
        For the owner; it is computed from genotypes without protection.

    Raises
    ------
    InvalidArgument
        If a file is missing or a number out of range.
    DataError
        If a file is not what PLINK writes, no variant is in both, or somebody of the pool is in the
        reference.

    References
    ----------
    homer-2008; sankararaman-2009.
    """
    allowed = _validate.open_probability(fpr, "fpr")
    levels = LEVELS if prune is None else (_validate.probability(prune, "prune"),)
    rule = _validate.one_of(overlap, ["refuse", "leave-out"], "overlap")
    tell = notebook_bar(progress) or (lambda _: None)
    pool, strangers = Panel.opened(Path(prefix)), Panel.opened(Path(reference))
    if pool.genotypes.path.samefile(strangers.genotypes.path):
        raise InvalidArgument(
            f"Expected a reference without the pool's people, got {reference} for both. Give "
            "genotypes of others from the same population."
        )
    where = f"at {prefix} and {reference}"
    both = shared(pool.variants, strangers.variants)
    places = strangers.variants.chromosome[both.theirs], pool.variants.chromosome[both.ours]
    diploid = [autosomal(each, autosomes) for each in places]
    both = both.where(diploid[0] & diploid[1], "not_autosomal")
    both, counts = _usable(pool, strangers, both, where, lambda share: tell(_COUNTING * share))
    same = _same(pool, strangers, both, counts)
    if same.shared:
        strangers = _without(same, pool, strangers, rule, where)
        both, counts = _usable(pool, strangers, both, where, lambda _: None)
    scores = level_scores(
        pool,
        strangers,
        both,
        counts,
        levels,
        lambda share: tell(_COUNTING + (1 - _COUNTING) * share),
    )
    origin = _origin(pool, strangers, both, counts)
    people = pool.people, strangers.people
    return _answer(scores, origin, same, allowed, both.left_out, people)


def _usable(
    pool: Panel, reference: Panel, both: Shared, where: str, tell: Progress
) -> tuple[Shared, Counts]:
    """The shared variants at which both have calls and somebody differs, with their counts."""
    counts = counts_of_both(pool, reference, both, tell)
    called = (counts[0][:, :3].sum(axis=1) > 0) & (counts[1][:, :3].sum(axis=1) > 0)
    together = counts[0] + counts[1]
    varies = (together[:, :3] > 0).sum(axis=1) > 1
    used = both.where(called, "no_calls").where(varies[called], "constant")
    if not len(used):
        raise DataError(
            "Expected variants with the same name and alleles in both files that vary, got none "
            f"{where}."
        )
    kept = called & varies
    return used, (counts[0][kept], counts[1][kept])


def _without(same: SamePeople, pool: Panel, reference: Panel, rule: str, where: str) -> Panel:
    """The reference without the pool's people, where that is asked for."""
    if rule == "refuse":
        raise DataError(
            f"Expected a reference without the pool's people, got {len(same.shared):,} of "
            f"{len(pool.names):,} in both, by identifier or by genotypes, {where}. Take them "
            "out of the reference (plink --remove), or have them left out (--overlap leave-out)."
        )
    left = reference.without(same.others)
    if not left.people:
        raise DataError(
            f"Expected somebody in the reference who is not in the pool, got nobody {where}. Give "
            "genotypes of others from the same population."
        )
    return left


def _same(pool: Panel, reference: Panel, both: Shared, counts: Counts) -> SamePeople:
    """Who stands in both, by evenly chosen common variants."""
    common = _common(counts)
    if not len(common):
        return SamePeople(frozenset(), 0, by_genotypes=False)
    which = common[:: -(-len(common) // CANDIDATES)]
    copies = copies_of_both(pool, reference, both, which)
    places = reference.variants.chromosome[both.theirs[which]].tolist()
    return same_people(*copies, (pool.names, reference.names), places)


def _origin(pool: Panel, reference: Panel, both: Shared, counts: Counts) -> Ancestry:
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


def _answer(
    scores: LevelScores,
    origin: Ancestry,
    same: SamePeople,
    fpr: float,
    left_out: dict[str, int],
    people: tuple[int, int],
) -> AttackPower:
    members, strangers = people
    lr, homer = cross_fitted(*scores.ratios, fpr), cross_fitted(*scores.distances, fpr)
    ours, others = zip(scores.ratios, scores.distances, strict=True)
    measured, _ = cross_fitted(np.concatenate(ours), np.concatenate(others), fpr)

    def formula(variants: int, reference: float = np.inf) -> float:
        return theoretical_power(variants, members, fpr, reference)

    return AttackPower(
        power_lr=lr[0],
        power_homer=homer[0],
        auc_lr=lr[1],
        auc_homer=homer[1],
        power_formula=formula(scores.unlinked),
        variants_used=scores.variants[0],
        fpr=fpr,
        members=members,
        strangers=strangers,
        f_st=origin.f_st,
        ancestry_p_value=origin.p_value,
        ancestry_differs=origin.differs,
        only_named=same.only_named,
        power_measured=measured,
        power_formula_independent=formula(scores.variants[0]),
        variants_unlinked=scores.unlinked,
        variants_left_out=left_out,
        levels=_levels(scores, fpr),
        references=tuple(
            Reference(size, formula(scores.unlinked, size))
            for size in sorted({strangers, *REFERENCES})
        ),
        overlap_left_out=len(same.others),
        overlap_checked=same.by_genotypes,
    )


def _levels(scores: LevelScores, fpr: float) -> tuple[Level, ...]:
    powers: list[list[float]] = [
        [power(*pair, fpr) for pair in zip(*each, strict=True)]
        for each in (scores.ratios, scores.distances)
    ]
    columns = zip(scores.r_squared, scores.variants, *powers, strict=True)
    return tuple(Level(*column) for column in columns)
