"""What an attacker gains from a pool's published allele frequencies: measured, not assumed."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable import _validate
from deniable._answer import Answer
from deniable._notebook import notebook_bar
from deniable.errors import DataError, InvalidArgument
from deniable.gwas.association.linkage import Pruning
from deniable.gwas.attacks.ancestry import ancestry
from deniable.gwas.attacks.attack_scores import (
    MISSING,
    Sums,
    auc,
    homer_distances,
    log_likelihood_ratios,
    power,
    theoretical_power,
    without_target,
)
from deniable.gwas.attacks.same_people import Name, same_people
from deniable.gwas.files.lines import plain_or_packed, rows
from deniable.gwas.files.packed import PackedGenotypes, Progress
from deniable.gwas.files.plink import bed_file, bim_variants, file_of
from deniable.gwas.genotypes import Variants

LEAST_FREQUENCY = 0.05
"""Rarer variants are left out: the theory does not speak of them."""
_BLOCK = 512
"""Variants read at once: some megabytes for ten thousand people."""
_NAMED = 2
"""Columns of a fam file that name a person."""


@attrs.frozen(repr=False)
class AttackPower(Answer):
    """How well two attacks tell members of the pool from people of the reference.

    Parameters
    ----------
    power_lr, power_homer : float
        Share of members that are recognised while at most `fpr` of the strangers are taken for
        members.
    auc_lr, auc_homer : float
        Probability that a member scores above a stranger; ½ is guessing.
    power_formula : float
        Power of the likelihood ratio in theory, for as many unlinked variants.
    variants_used : int
        Variants that both files have, that are common and that pruning kept.
    fpr : float
        Share of strangers taken for members, in (0, 1).
    members, strangers : int
        People in the pool and in the reference.
    f_st : float
        How far the frequencies of pool and reference differ, beyond chance; 0 in one population.
    ancestry_p_value : float
        How often people dealt to pool and reference by lot differ as much.
    ancestry_differs : bool
        Whether it is at most 1/1000: then members are recognised by their ancestry, and the
        powers above say nothing about membership.
    only_named : int
        Members with the identifier of somebody in the reference who has other genotypes.
    """

    OWNER_ONLY = True

    power_lr: float
    power_homer: float
    auc_lr: float
    auc_homer: float
    power_formula: float
    variants_used: int
    fpr: float
    members: int
    strangers: int
    f_st: float
    ancestry_p_value: float
    ancestry_differs: bool
    only_named: int

    def as_json(self) -> dict[str, Any]:
        """The object that `deniable gwas attack` prints."""
        return attrs.asdict(self)


@attrs.frozen
class _Panel:
    """Genotypes of people whose phenotype does not matter."""

    variants: Variants
    genotypes: PackedGenotypes
    names: list[Name]


def attack(
    prefix: str | os.PathLike[str],
    reference: str | os.PathLike[str],
    *,
    prune: float | None = None,
    fpr: float = 0.05,
    progress: Progress | None = None,
) -> AttackPower:
    """Attack the allele frequencies of everybody in one PLINK file, knowing those of another.

    The attacker has a target's genotype, the pool's published frequencies and the reference's
    genotypes, and asks whether the target is in the pool. Every member of the pool is tried, and
    every person of the reference, who leaves the reference before being compared with it.

    Parameters
    ----------
    prefix : path
        PLINK files of the pool whose frequencies are published.
    reference : path
        PLINK files of people from the same population, none of whom is in the pool.
    prune : float, optional
        Keep variants with pairwise r² below this in the reference, in (0, 1]; all by default.
    fpr : float
        Share of strangers that may be taken for members, in (0, 1).
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
        If a file is not what PLINK writes, no common variant is in both, or somebody of the pool
        is in the reference.

    References
    ----------
    homer-2008; sankararaman-2009.
    """
    allowed = _validate.open_probability(fpr, "fpr")
    bound = None if prune is None else _validate.probability(prune, "prune")
    tell = notebook_bar(progress) or (lambda _: None)
    pool, strangers = _panel(Path(prefix)), _panel(Path(reference))
    if pool.genotypes.path.samefile(strangers.genotypes.path):
        raise InvalidArgument(
            f"Expected a reference without the pool's people, got {reference} for both. Give "
            "genotypes of others from the same population."
        )
    ours, theirs, swapped = _shared(pool.variants, strangers.variants)
    kept = _kept(strangers, theirs, bound, lambda share: tell(0.5 * share))
    if not kept.any():
        raise DataError(
            f"Expected variants with the same name and alleles in both files that are common in "
            f"the reference, got none at {prefix} and {reference}."
        )
    inside = _rows(pool, ours[kept], lambda share: tell(0.5 + 0.25 * share))
    inside[swapped[kept]] = _other_allele(inside[swapped[kept]])
    outside = _rows(strangers, theirs[kept], lambda share: tell(0.75 + 0.25 * share))
    where = strangers.variants.chromosome[theirs[kept]].tolist()
    same = same_people(inside, outside, (pool.names, strangers.names), where)
    if same.shared:
        raise DataError(
            f"Expected a reference without the pool's people, got {len(same.shared):,} of "
            f"{len(pool.names):,} in both, by identifier or by genotypes, at {prefix} and "
            f"{reference}. Take them out of the reference (plink --remove)."
        )
    return _measured(inside, outside, allowed, same.only_named)


def _measured(
    inside: NDArray[np.int8], outside: NDArray[np.int8], fpr: float, only_named: int
) -> AttackPower:
    """Both attacks on (n_variants, n_members) and (n_variants, n_strangers) copies."""
    members, strangers = inside.shape[1], outside.shape[1]
    scores = [[Sums(count), Sums(count)] for count in (members, strangers)]
    for start in range(0, len(inside), _BLOCK):
        block = inside[start : start + _BLOCK], outside[start : start + _BLOCK]
        pool, everyone = (_frequencies(copies) for copies in block)
        others = without_target(*_tallies(block[1]))
        for table, index in ((log_likelihood_ratios, 0), (homer_distances, 1)):
            scores[0][index].add(table(pool, everyone), block[0])
            scores[1][index].add(table(pool, others), block[1])
    (lr_in, homer_in), (lr_out, homer_out) = scores
    ratios = lr_in.total, lr_out.total
    distances = homer_in.studentised(), homer_out.studentised()
    origin = ancestry(inside, outside)
    return AttackPower(
        power_lr=power(*ratios, fpr),
        power_homer=power(*distances, fpr),
        auc_lr=auc(*ratios),
        auc_homer=auc(*distances),
        power_formula=theoretical_power(len(inside), members, fpr),
        variants_used=len(inside),
        fpr=fpr,
        members=members,
        strangers=strangers,
        f_st=origin.f_st,
        ancestry_p_value=origin.p_value,
        ancestry_differs=origin.differs,
        only_named=only_named,
    )


def _panel(prefix: Path) -> _Panel:
    bed = bed_file(prefix)
    variants = bim_variants(plain_or_packed(file_of(prefix, "bim")))
    fam = plain_or_packed(file_of(prefix, "fam"))
    lines = rows(fam)
    if any(len(line) < _NAMED for line in lines):
        raise DataError(f"Expected family and individual in every line, got fewer at {fam}.")
    names = [(line[0], line[1]) for line in lines]
    return _Panel(variants, PackedGenotypes(bed, len(names), len(variants)), names)


def _shared(
    ours: Variants, theirs: Variants
) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.bool_]]:
    """Positions of the variants that both have once, and where the alleles are named in reverse.

    In the order of `theirs`.
    """
    places = _places(ours)
    pairs = []
    for name, there in _places(theirs).items():
        here = places.get(name, -1)
        if here >= 0 and there >= 0:
            own = ours.allele_1[here], ours.allele_2[here]
            other = theirs.allele_1[there], theirs.allele_2[there]
            if own in (other, other[::-1]):
                pairs.append((here, there, own != other))
    array = np.array(pairs, dtype=np.int64).reshape(-1, 3)
    return array[:, 0], array[:, 1], array[:, 2].astype(bool)


def _places(variants: Variants) -> dict[str, int]:
    """Where each name stands; −1 if it stands more than once."""
    found: dict[str, int] = {}
    for index, name in enumerate(variants.identifier):
        found[name] = -1 if name in found else index
    return found


def _kept(
    panel: _Panel, among: NDArray[np.intp], bound: float | None, tell: Progress
) -> NDArray[np.bool_]:
    """Which of the given variants are common and, with a bound, not explained by a kept one."""
    kept = np.zeros(len(among), bool)
    pruning = None if bound is None else Pruning(bound)
    for which, copies in _blocks(panel, among, tell):
        frequency = _frequencies(copies)
        common = np.minimum(frequency, 1 - frequency) >= LEAST_FREQUENCY
        if pruning is not None and common.any():
            rows_of = np.where(copies[common] == MISSING, np.nan, copies[common].astype(float))
            places = panel.variants.chromosome[among[which[common]]].tolist()
            common[common] = pruning.kept(places, rows_of)
        kept[which] = common
    return kept


def _rows(panel: _Panel, among: NDArray[np.intp], tell: Progress) -> NDArray[np.int8]:
    found = np.empty((len(among), panel.genotypes.individuals), np.int8)
    for which, copies in _blocks(panel, among, tell):
        found[which] = copies
    return found


def _blocks(
    panel: _Panel, among: NDArray[np.intp], tell: Progress
) -> Iterator[tuple[NDArray[np.intp], NDArray[np.int8]]]:
    """The given variants in file order: their places in `among`, and copies of allele 1."""
    order = np.argsort(among, kind="stable")
    sorted_places = among[order]
    start = 0
    for copies in panel.genotypes.dosages(_BLOCK):
        stop = start + len(copies)
        first, last = np.searchsorted(sorted_places, (start, stop))
        if last > first:
            yield order[first:last], copies[sorted_places[first:last] - start]
        tell(stop / panel.genotypes.variants)
        start = stop


def _tallies(copies: NDArray[np.int8]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Copies of the allele, and people with a known genotype."""
    known = copies != MISSING
    return np.where(known, copies, 0).sum(axis=1, dtype=np.int64), known.sum(axis=1)


def _frequencies(copies: NDArray[np.int8]) -> NDArray[np.float64]:
    total, known = _tallies(copies)
    return np.asarray(total / np.maximum(2 * known, 1))


def _other_allele(copies: NDArray[np.int8]) -> NDArray[np.int8]:
    return np.where(copies == MISSING, MISSING, 2 - copies).astype(np.int8)
