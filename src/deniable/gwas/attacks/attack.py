"""What an attacker gains from a pool's published allele frequencies: measured, not assumed."""

import os
from pathlib import Path

import attrs
import numpy as np

from deniable.errors import InvalidArgument, validate
from deniable.gwas.attacks.ancestry import Ancestry
from deniable.gwas.attacks.attack_page import write_page
from deniable.gwas.attacks.attack_power import AttackPower, Level, Reference
from deniable.gwas.attacks.attack_scores import power, theoretical_power
from deniable.gwas.attacks.cross_fit import cross_fitted
from deniable.gwas.attacks.knowledge import Knowledge, Readable
from deniable.gwas.attacks.levels import LEVELS, LevelScores, level_scores
from deniable.gwas.attacks.other_formats import is_other, only_counted
from deniable.gwas.attacks.overlap import origin, shared_people, without_shared
from deniable.gwas.attacks.same_people import SamePeople
from deniable.gwas.attacks.sides import Asked, diploid, filtered, opened, published_of, usable
from deniable.gwas.chromosomes import AUTOSOMES
from deniable.gwas.files.counts_file import check_place
from deniable.gwas.files.filters import Filters
from deniable.gwas.files.packed import Progress
from deniable.gwas.published.statistics import GROUPS
from deniable.numerics.notebook import notebook_bar

REFERENCES = (1_000, 5_000, 20_000)
"""People of references that are public, or that a consortium has: of 1000 Genomes to biobanks."""
_COUNTING = 0.1
"""Share of the work that counting has, for the progress bar."""


def attack(
    prefix: str | os.PathLike[str],
    reference: str | os.PathLike[str],
    *,
    prune: float | None = None,
    fpr: float = 0.05,
    overlap: str = "refuse",
    published: str | os.PathLike[str] | None = None,
    on: str = "pool",
    phenotype: str | os.PathLike[str] | None = None,
    filters: Filters | None = None,
    limit: float | None = None,
    out: str | os.PathLike[str] | None = None,
    autosomes: int = AUTOSOMES,
    progress: Progress | None = None,
) -> AttackPower:
    """Attack what is published of a study's people, knowing genotypes of others.

    By default that is exact allele frequencies of everybody in the file; otherwise what a table or
    a release of ours says, and nothing else. The attacker has a target's genotype, what is
    published and the reference's genotypes, and asks whether the target is in the pool. Every
    member of the pool is tried, and every person of the reference, who leaves the reference before
    being compared with it. Variants of all frequencies are used.

    Five levels of pruning are tried (all variants, r² below .8, .5, .2, .1), and the best is
    chosen on other people than those on whom it is measured. A better attack may exist: the
    measured power is a lower bound, up to chance, for an attacker with this reference; one with
    more people in it does better, as `references` says, and one who knows how variants are linked,
    as `power_linked` says.

    Parameters
    ----------
    prefix : path
        PLINK files of the pool; or a .vcf[.gz], .bcf, .pgen or .bgen (cases and controls); or a
        .tsv of counts, whose people are dealt its genotypes by lot, so that nothing is linked.
    reference : path
        PLINK files of people from the same population, none of whom is in the pool.
    prune : float, optional
        Try this level only: pairwise r² below this, in (0, 1], in the reference or, if it has more
        people, in the pool; 1 keeps everything.
    fpr : float
        Share of strangers that may be taken for members, in (0, 1).
    overlap : {"refuse", "leave-out"}
        What becomes of people of the reference who are in the pool.
    published : path, optional
        What is or will be published: a table (frequencies or counts, odds ratios or β with standard
        errors or p-values, by PLINK 1.9, PLINK 2, GWAS-SSF or `scan`), or the folder of a
        `release`.
    on : {"pool", "cases", "controls"}
        Whose membership is asked about; the pool is everybody in a table of everybody's
        frequencies, otherwise cases and controls.
    phenotype : path, optional
        Family, individual, phenotype: 1 control, 2 case, 0 or −9 unknown.
    filters : Filters, optional
        Lists of people say whom the pool is made of; by default everybody. Filters of variants
        hold for both sides, once who stands in both has been looked for at all variants.
    limit : float, optional
        The power that is accepted, above `fpr` and below 1; by default twice `fpr`.
    out : path, optional
        Write a page for the owner here that ends in a decision.
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
    allowed = validate.open_probability(fpr, "fpr")
    levels = LEVELS if prune is None else (validate.probability(prune, "prune"),)
    group = validate.one_of(on, [*GROUPS], "on")
    rule = validate.one_of(overlap, ["refuse", "leave-out"], "overlap")
    most, page = _limit(limit, allowed), None if out is None else Path(out)
    if page is not None:
        check_place(page)
    pool, status = Path(prefix), None if phenotype is None else Path(phenotype)
    answer = _attacked(
        Asked(
            pool,
            Path(reference),
            levels if prune is not None or not only_counted(pool) else LEVELS[-1:],
            allowed,
            rule,
            _read(published, group, None if is_other(pool) else status),
            group,
            status,
            (filters or Filters()).opened(),
            autosomes,
            notebook_bar(progress) or (lambda _: None),
        )
    )
    answer = attrs.evolve(answer, limit=most)
    if page is not None:
        write_page(page, answer, Path(published or prefix).name)
    return answer


def _attacked(asked: Asked) -> AttackPower:
    prefix, tell = asked.prefix, asked.tell
    pool, strangers, knowledge = opened(asked)
    where = f"at {prefix} and {asked.reference}"
    both = diploid(pool, strangers, asked.autosomes)
    both, counts = usable(pool, strangers, both, where, lambda share: tell(_COUNTING * share))
    same = shared_people(pool, strangers, both, counts)
    if same.shared:
        strangers = without_shared(same, pool, strangers, asked.overlap, where)
        both, counts = usable(pool, strangers, both, where, lambda _: None)
    found = origin(pool, strangers, both, counts)
    both, counts = filtered(asked, pool, strangers, both, counts)
    if knowledge is not None:
        both, counts = published_of(knowledge, both, counts, f"beside {asked.reference}")
    scores = level_scores(
        pool,
        strangers,
        both,
        counts,
        asked.levels,
        lambda share: tell(_COUNTING + (1 - _COUNTING) * share),
        knowledge,
    )
    people = pool.people, strangers.people
    answer = _answer(scores, found, same, asked.fpr, both.left_out, people)
    if only_counted(prefix):
        answer = attrs.evolve(answer, overlap_checked=False)
    return _told(answer, knowledge)


def _read(
    published: str | os.PathLike[str] | None, group: str, phenotype: Path | None
) -> Readable | None:
    if published is not None:
        return Readable.of(Path(published))
    if group != "pool" or phenotype is not None:
        raise InvalidArgument(
            "Expected something published to attack cases or controls, got nothing. Name the file "
            "or folder with published (--published)."
        )
    return None


def _limit(limit: float | None, fpr: float) -> float:
    if limit is None:
        return min(2 * fpr, (1 + fpr) / 2)
    most = validate.open_probability(limit, "limit")
    if most <= fpr:
        raise InvalidArgument(
            f"Expected limit > fpr={fpr}, got limit={most}. Guessing reaches the false-positive "
            "rate."
        )
    return most


def _told(answer: AttackPower, knowledge: Knowledge | None) -> AttackPower:
    if knowledge is None:
        return attrs.evolve(answer, variants_worth=float(answer.variants_unlinked))
    return attrs.evolve(
        answer,
        on=knowledge.known.group,
        published=knowledge.known.table.what,
        power_limit=knowledge.power_limit(answer.fpr),
        guarantee=None if knowledge.guarantee is None else knowledge.guarantee.epsilon,
    )


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

    def formula(variants: float, reference: float = np.inf) -> float:
        return theoretical_power(variants, members, fpr, reference)

    return AttackPower(
        power_lr=lr[0],
        power_homer=homer[0],
        auc_lr=lr[1],
        auc_homer=homer[1],
        power_formula=formula(scores.informative),
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
        variants_worth=scores.informative,
        variants_left_out=left_out,
        levels=_levels(scores, fpr),
        references=tuple(
            Reference(size, formula(scores.informative, size))
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
