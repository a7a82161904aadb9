"""What an attacker gains from a pool's published allele frequencies: measured, not assumed."""

import itertools
import os
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.errors import DataError, InvalidArgument, validate
from deniable.errors.late import late
from deniable.gwas import files, products
from deniable.gwas.attacks.attack_power import AttackPower, Level, Reference
from deniable.gwas.attacks.attack_scores import auc, power, theoretical_power
from deniable.gwas.attacks.levels import LEVELS, Knowledge, LevelScores, Readable, level_scores
from deniable.gwas.files.panels import Copies, Panel, SamePeople, Shared, Sides, find_shared
from deniable.gwas.genotypes import (
    AUTOSOMES,
    NO_CALL,
    Floats,
    GenotypeCounts,
    Integers,
    MissingRule,
    autosomal,
)
from deniable.gwas.published import GROUPS
from deniable.numerics.effort import Effort, notebook_bar, part, silent
from deniable.publish.sources import spill_folder
from deniable.report.html import PAGE_BEGINNING

if TYPE_CHECKING:
    from deniable.gwas.attacks import pages
else:
    pages = late("deniable.gwas.attacks.pages")


FALSE_POSITIVE_RATE = 0.001
"""Chance of calling two groups of one population different."""
_SHUFFLES = 999
"""The least number that reaches `FALSE_POSITIVE_RATE`."""
_TOGETHER = 111
"""Shuffles in one product."""
_BLOCK = 256
"""Variants whose numbers lie in a processor's cache together, for so many shuffles."""
CELLS = 2**23
"""Genotypes that are looked at, at most: a second or two."""
_SEED = 0
"""The seed of shuffles and lots: the same files give the same answer."""


@attrs.frozen
class Ancestry:
    """How far two groups' frequencies differ, and whether chance explains it.

    F_ST is the share of the variance of alleles that lies between the groups; near 0, and as often
    below as above, for two groups of one population. The p-value says how often people who are
    dealt to the groups by lot differ as much; at least 1/1000.
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

    with n, m chromosomes. Where all people are drawn from one population, every way of dealing them
    to the groups is as likely, however variants are linked. So the largest of the F_ST of this
    division and of 999 by lot is this one's with a probability of at most 1/1000. Copies of an
    allele are of shape (n_variants, n_people), −1 where missing.
    """
    everyone = np.concatenate([ones, others], axis=1)
    step = max(1, -(-everyone.size // CELLS))
    everyone = np.ascontiguousarray(everyone[::step])
    calls = _Calls.of(everyone)
    first = np.arange(everyone.shape[1]) < ones.shape[1]
    own = first[:, None]
    rng = np.random.default_rng(_SEED)  # noqa: TID251 - for the owner, nothing is released
    as_much = 0
    for _ in range(0, _SHUFFLES, _TOGETHER):
        lots = rng.permuted(np.repeat(own, _TOGETHER, axis=1), axis=0)
        # Beside them once more: of few people some lots are the same, and one column is added up
        # in another order than many are.
        shares = calls.f_st(np.concatenate([own, lots], axis=1))
        as_much += int(np.count_nonzero(shares[1:] >= shares[0]))
    return Ancestry(float(calls.f_st(own)[0]), (1 + as_much) / (1 + _SHUFFLES))


@attrs.frozen(eq=False)
class _Calls:
    """Copies of an allele, (n_variants, n_people), 0 where missing, and who is called.

    Without missing calls `known` is None: every variant is known of as many.
    """

    copies: NDArray[np.int8]
    known: NDArray[np.int8] | None
    carried: Integers
    called: Integers

    @classmethod
    def of(cls, everyone: NDArray[np.int8]) -> "_Calls":
        """Return the calls of copies, −1 where missing."""
        missing = everyone == NO_CALL
        called = everyone.shape[1] - missing.sum(axis=1)
        if not missing.any():
            return cls(everyone, None, everyone.sum(axis=1), called)
        copies = np.where(missing, np.int8(0), everyone)
        return cls(copies, (~missing).view(np.int8), copies.sum(axis=1), called)

    def f_st(self, divisions: NDArray[np.bool_]) -> Floats:
        """Return F_ST of divisions, columns of who is in the first group; (n_people, n) -> (n,)."""
        lots = np.ascontiguousarray(divisions.T).view(np.int8)
        # What each variant adds, a few variants at a time: then all that lies between is cached.
        between, total = np.empty((2, len(self.copies), len(lots)))
        for start in range(0, len(self.copies), _BLOCK):
            block = slice(start, start + _BLOCK)
            x = _products(self.copies[block], lots)
            first = (
                lots.sum(axis=1)[None] if self.known is None else _products(self.known[block], lots)
            )
            y, n = self.carried[block, None] - x, 2.0 * first
            m = 2.0 * self.called[block, None] - n
            p, q = x / np.maximum(n, 1), y / np.maximum(m, 1)
            enough = (n > 1) & (m > 1)
            within = p * (1 - p) / np.maximum(n - 1, 1) + q * (1 - q) / np.maximum(m - 1, 1)
            between[block] = np.where(enough, (p - q) ** 2 - within, 0.0)
            total[block] = np.where(enough, p * (1 - q) + q * (1 - p), 0.0)
        upper, lower = between.sum(axis=0), total.sum(axis=0)
        return np.asarray(np.divide(upper, lower, out=np.zeros_like(upper), where=lower > 0))


def _products(ones: NDArray[np.int8], others: NDArray[np.int8]) -> Floats:
    """Σ x y of each pair of rows; whole numbers, which float32 holds up to 2^24."""
    if products.BYTES:
        return products.multiply_bytes(ones, others).astype(np.float64)
    return (ones.astype(np.float32) @ others.astype(np.float32).T).astype(np.float64)


def leave_out_shared(
    same: SamePeople, pool: Panel, reference: Panel, rule: str, where: str
) -> Panel:
    """The reference without the pool's people, where that is asked for."""
    if rule == "refuse":
        raise DataError(
            f"Expected a reference without the pool's people, got {len(same.shared):,} of "
            f"{pool.people:,} in both, by identifier or by genotypes, {where}. Take them "
            "out of the reference (plink --remove), or have them left out (--overlap leave-out)."
        )
    kept = reference.kept.copy()
    kept[sorted(same.others)] = False
    if not kept.any():
        raise DataError(
            f"Expected somebody in the reference who is not in the pool, got nobody {where}. Give "
            "genotypes of others from the same population."
        )
    return attrs.evolve(reference, kept=kept)


@attrs.frozen
class AttackRequest:
    """What is asked for, checked."""

    prefix: files.StudyFiles
    reference: files.StudyFiles
    levels: tuple[float, ...]
    fpr: float
    overlap: str
    read: Readable | None
    group: str
    how: files.HowRead
    lists: files.Lists
    memory: int | None
    tell: files.Progress


_COPIES = np.array([0, 1, 2, NO_CALL], np.int8)
"""The copies that each column of counts stands for."""
_WRITTEN = 2**22
"""Genotypes that are written at once: 4 megabytes."""


def panel_of_other_format(
    prefix: files.StudyFiles, how: files.HowRead, folder: Path
) -> tuple[Panel, files.Individuals]:
    """Cases and controls of a file of another format, and who is which; without names.

    Its genotypes are written into the folder, as a bed file that can be read in any order.

    A table of counts has no people. They are dealt its genotypes by lot, variant by variant:
    each variant is as counted, and none is linked to another.
    """
    given: dict[str, Any] = attrs.asdict(how, recurse=False)
    del given["order"]  # filters' panel says it
    if not files.holds_counts(prefix):
        source = files.genotypes(prefix, **given)
        variants, people = source.variants, source.individuals
        blocks = source.blocks(max(_WRITTEN // len(people), 1))
    else:
        study = files.count_study(prefix, **given, missing=MissingRule.LEAVE)
        cases = np.arange(study.cases + study.controls) < study.cases
        variants, people = study.variants, files.Individuals(cases, ~cases)
        blocks = _deal(study.counts)
    start, everybody = 0, np.ones(len(people), bool)
    with files.PlinkWriter(folder / "pool", everybody) as writer:
        for copies in blocks:
            writer.write(variants.take(np.arange(start, start + len(copies))), copies)
            start += len(copies)
    genotypes = files.PackedGenotypes(folder / "pool.bed", len(people), len(variants))
    names = [("", f"{prefix}#{place}") for place in range(len(people))]
    return Panel(variants, genotypes, names, people.cases | people.controls), people


def _deal(counts: GenotypeCounts) -> Iterator[Copies]:
    """Genotypes as counted, dealt by lot to cases and controls; a variant at a time."""
    lots, others = (np.random.default_rng(_SEED) for _ in range(2))  # noqa: TID251 - for the owner
    for row in counts.cases:  # the controls' lots are those behind all of the cases
        others.permutation(np.repeat(_COPIES, row))
    for group in zip(counts.cases, counts.controls, strict=True):
        dealt = zip((lots, others), group, strict=True)
        yield np.concatenate([own.permutation(np.repeat(_COPIES, row)) for own, row in dealt])[None]


def open_panels(request: AttackRequest, folder: Path) -> tuple[Panel, Panel, Knowledge | None]:
    """Pool, reference, and what is published, said of the reference's alleles."""
    prefix, read, lists, how = request.prefix, request.read, request.lists, request.how
    if files.holds_counts(prefix) and lists.of_people:
        raise InvalidArgument(
            f"Expected people one by one for a list of people, got a table of counts {prefix}. "
            "Give PLINK, VCF or BGEN files."
        )
    status: files.Individuals | None = None  # who is a case, where that is known without asking
    if not files.is_plink(prefix):
        pool, status = panel_of_other_format(prefix, how, folder)
    else:
        pool = Panel.from_plink(prefix)
        if how.phenotype is not None:
            fam = files.plain_or_packed(files.file_of(prefix.first, "fam"))
            status = files.from_fam(fam, how.phenotype, how.phenotype_name)
    if lists.of_people:
        names = pool.names if files.is_plink(prefix) or status is None else status.names
        pool = attrs.evolve(pool, kept=pool.kept & lists.left_of(names))
        if not pool.people:
            raise DataError(
                "Expected somebody of the pool whom the lists of people leave, got nobody at "
                f"{prefix}. Compare its names with those of the lists."
            )
    strangers = Panel.from_plink(request.reference)
    pairs = itertools.product(pool.genotypes.paths, strangers.genotypes.paths)
    if any(one.samefile(other) for one, other in pairs):
        raise InvalidArgument(
            f"Expected a reference without the pool's people, got {request.reference} for both. "
            "Give genotypes of others from the same population."
        )
    if read is None:
        return pool, strangers, None
    pool, sizes = read.pool_of(pool, request.group, prefix, status)
    return pool, strangers, read.beside(strangers, sizes, request.group)


def usable(pool: Panel, reference: Panel, both: Shared, where: str, tell: files.Progress) -> Sides:
    """Pool and reference at the shared variants at which both have calls and somebody differs."""
    inside = pool.counts(lambda share: tell(share / 2))[both.ours]
    outside = reference.counts(lambda share: tell((1 + share) / 2))[both.theirs]
    inside[both.swapped, :3] = inside[both.swapped, 2::-1]
    sides = Sides(pool, reference, both, (inside, outside))
    ours, theirs = inside[:, :3], outside[:, :3]
    called = (ours.sum(axis=1) > 0) & (theirs.sum(axis=1) > 0)
    varies = (ours + theirs > 0).sum(axis=1) > 1
    used = sides.where(called, "no_calls").where(varies[called], "constant")
    if not len(used.both):
        raise DataError(
            "Expected variants with the same name and alleles in both files that vary, got none "
            f"{where}."
        )
    return used


def apply_filters(request: AttackRequest, sides: Sides) -> Sides:
    """Pool and reference at those of the variants that filters leave by both files."""
    lists, both = request.lists, sides.both
    if not lists.of_variants:
        return sides
    ours = lists.variants(sides.pool.variants, request.prefix)[both.ours]
    kept = ours & lists.variants(sides.reference.variants, request.reference)[both.theirs]
    if not kept.any():
        raise DataError(
            "Expected variants of both files that pass all filters and vary, got none at "
            f"{request.prefix} and {request.reference}. Compare their identifiers with the lists'."
        )
    return sides.where(kept, "filtered")


DIVISIONS = 50
"""Divisions by lot that are averaged: then the lot adds a tenth or so of the error that the number
of people makes anyway."""
_LEAST = 4
"""Members, and strangers, from which there are two halves to divide them into."""


def cross_fit(members: Floats, strangers: Floats, fpr: float) -> tuple[float, float]:
    """Power and area under the curve of the best statistic, without the gain of choosing.

    The largest of several measured powers is too large on average, as the choice follows chance. So
    members and strangers are divided by lot into two halves; the statistic with the largest power
    in one half, and with the larger area among equals, is measured in the other, with the threshold
    of the strangers there; and the reverse. The mean over `DIVISIONS` divisions is the power of an
    attacker who chooses like this on half as many people: at most that of one who knows the best
    statistic.

    Scores are of shape (n_statistics, n_people); larger speaks for membership. The answer to a
    single statistic, and where one of the groups has fewer than four people, is of everybody by the
    first one.
    """
    if len(members) == 1 or min(members.shape[1], strangers.shape[1]) < _LEAST:
        return power(members[0], strangers[0], fpr), auc(members[0], strangers[0])
    rng = np.random.default_rng(_SEED)  # noqa: TID251 - for the owner, nothing is released
    measured = []
    for _ in range(DIVISIONS):
        lots = [rng.permutation(group.shape[1]) for group in (members, strangers)]
        halves = ((lot[: len(lot) // 2], lot[len(lot) // 2 :]) for lot in lots)
        first, second = zip(*halves, strict=True)
        for choose, measure in ((first, second), (second, first)):
            best = _best(members[:, choose[0]], strangers[:, choose[1]], fpr)
            scores = members[best, measure[0]], strangers[best, measure[1]]
            measured.append((power(*scores, fpr), auc(*scores)))
    mean_power, mean_auc = np.mean(measured, axis=0).tolist()
    return mean_power, mean_auc


def _best(members: Floats, strangers: Floats, fpr: float) -> int:
    powers = [power(*pair, fpr) for pair in zip(members, strangers, strict=True)]
    first = np.flatnonzero(np.array(powers) == max(powers)).tolist()
    if len(first) == 1:
        return int(first[0])
    return max(first, key=lambda row: auc(members[row], strangers[row]))


REFERENCES = (1_000, 5_000, 20_000)
"""People of references that are public, or that a consortium has: of 1000 Genomes to biobanks."""
_PERSON = 8_000
"""Bytes that comparing people takes for each of them; three in four are their calls."""
_COUNTING = 0.1
"""Share of the work that counting has, for the progress bar."""


def attack(
    prefix: files.StudyPath,
    reference: files.StudyPath,
    *,
    prune: float | None = None,
    fpr: float = 0.05,
    overlap: str = "refuse",
    published: str | os.PathLike[str] | None = None,
    on: str = "pool",
    phenotype: str | os.PathLike[str] | None = None,
    phenotype_name: str | None = None,
    multiallelic: str = "refuse",
    filters: files.Filters | None = None,
    limit: float | None = None,
    out: str | os.PathLike[str] | None = None,
    autosomes: int = AUTOSOMES,
    effort: Effort | None = None,
    progress: files.Progress | None = None,
) -> AttackPower:
    """Attack what is published about a study's people, with genotypes of others.

    By default that is exact allele frequencies of everybody in the file; otherwise what a table or
    a release of ours says, and nothing else. The attacker has a target's genotype, what is
    published and the reference's genotypes, and asks whether the target is in the pool. Every
    member of the pool is tried, and every person of the reference, who leaves the reference before
    being compared with it. Variants of all frequencies are used.

    Five levels of pruning are tried (all variants, r² below 0.8, 0.5, 0.2, 0.1), and the best is
    chosen on other people than those on whom it is measured. A better attack may exist: the
    measured power is a lower bound, up to chance, for an attacker with this reference; one with
    more people in it does better, as `references` says, and one who knows how variants are linked,
    as `power_linked` says.

    Parameters
    ----------
    prefix : path
        PLINK files of the pool; or a .vcf[.gz], .bcf, .pgen or .bgen (cases and controls); or
        several of these, as of `scan`; or a .tsv of counts, whose people are dealt its genotypes by
        lot, so that nothing is linked.
    reference : path
        PLINK files, or several, of people from the same population, none of whom is in the pool.
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
    phenotype, phenotype_name, multiallelic, autosomes
        As in `scan`, of the pool.
    filters : Filters, optional
        Lists of people say whom the pool is made of; by default everybody. Filters of variants
        hold for both sides, once who stands in both has been looked for at all variants.
    limit : float, optional
        The power that is accepted, above `fpr` and below 1; by default twice `fpr`.
    out : path, optional
        Write a page for the owner here that ends in a decision.
    effort : Effort, optional
        Its `memory` is the most that the process may take, as of `scan`; nothing else counts here.
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
    most, page = min(2 * allowed, (1 + allowed) / 2), None if out is None else Path(out)
    if limit is not None and (most := validate.open_probability(limit, "limit")) <= allowed:
        raise InvalidArgument(
            f"Expected limit > fpr={allowed}, got limit={most}. Guessing reaches the "
            "false-positive rate."
        )
    if page is not None:
        validate.new_file(page, PAGE_BEGINNING)
    pool, status = files.StudyFiles.of(prefix), None if phenotype is None else Path(phenotype)
    how = files.HowRead(status, phenotype_name, autosomes, files.Multiallelic(multiallelic))
    if published is None and (group != "pool" or (status is not None and files.is_plink(pool))):
        raise InvalidArgument(
            "Expected something published to attack cases or controls, got nothing. Name the file "
            "or folder with published (--published)."
        )
    request = AttackRequest(
        pool,
        files.StudyFiles.of(reference),
        levels if prune is not None or not files.holds_counts(pool) else LEVELS[-1:],
        allowed,
        rule,
        None if published is None else Readable.of(Path(published)),
        group,
        how,
        (filters or files.Filters()).opened(),
        None if effort is None else effort.memory,
        notebook_bar(progress) or silent,
    )
    # Other formats are written there as a bed file, which can be read in any order.
    other = nullcontext(Path()) if files.is_plink(pool) else spill_folder()
    with other as folder:
        answer = _attack(request, folder)
    answer = attrs.evolve(answer, limit=most)
    if page is not None:
        pages.write_page(pages.attack_page(answer, Path(published or pool.first).name), page)
    return answer


def _attack(request: AttackRequest, folder: Path) -> AttackPower:
    prefix, tell = request.prefix, request.tell
    if request.memory is not None:
        studies = [
            [files.StudySource(path, request.how, request.lists) for path in study.paths]
            for study in (prefix, request.reference)
        ]
        files.check_memory(studies, request.memory, _PERSON)
    pool, strangers, knowledge = open_panels(request, folder)
    where = f"at {prefix} and {request.reference}"
    both = find_shared(pool.variants, strangers.variants)
    places = strangers.variants.chromosome[both.theirs], pool.variants.chromosome[both.ours]
    ours, theirs = (autosomal(each, request.how.autosomes) for each in places)
    both = both.where(ours & theirs, "not_autosomal")
    sides = usable(pool, strangers, both, where, lambda share: tell(_COUNTING * share))
    same = sides.same_people()
    if same.shared:
        strangers = leave_out_shared(same, pool, strangers, request.overlap, where)
        sides = usable(pool, strangers, sides.both, where, lambda _: None)
    # How far pool and reference differ, by evenly chosen common variants too.
    common = sides.common()
    among = common if len(common) else np.arange(len(sides.both))
    most = max(CELLS // (sides.pool.people + sides.reference.people), 1)
    origin = ancestry(*sides.copies(among[:: max(1, -(-len(among) // most))]))
    sides = apply_filters(request, sides)
    if knowledge is not None:
        known = knowledge.rows[sides.both.theirs] >= 0
        if not known.any():
            raise DataError(
                "Expected variants of the pool and the reference by name and alleles, got none of "
                f"them beside {request.reference}. Use one naming of variants."
            )
        extended = attrs.evolve(sides.both, left_out=sides.both.left_out | knowledge.left_out)
        sides = attrs.evolve(sides, both=extended).where(known, "not_published")
    scores = level_scores(sides, request.levels, part(tell, _COUNTING, 1.0), knowledge)
    answer = _answer(scores, origin, same, request.fpr, sides)
    if files.holds_counts(prefix):
        answer = attrs.evolve(answer, overlap_checked=False)
    if knowledge is None:
        return attrs.evolve(answer, variants_worth=float(answer.variants_unlinked))
    return attrs.evolve(
        answer,
        on=knowledge.known.group,
        published=knowledge.known.table.what,
        published_unread=knowledge.known.table.unread,
        power_limit=knowledge.power_limit(answer.fpr),
        guarantee=None if knowledge.guarantee is None else knowledge.guarantee.epsilon,
    )


def _answer(
    scores: LevelScores, origin: Ancestry, same: SamePeople, fpr: float, sides: Sides
) -> AttackPower:
    members, strangers = sides.pool.people, sides.reference.people
    lr, homer = cross_fit(*scores.ratios, fpr), cross_fit(*scores.distances, fpr)
    ours, others = zip(scores.ratios, scores.distances, strict=True)
    measured, _ = cross_fit(np.concatenate(ours), np.concatenate(others), fpr)

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
        variants_left_out=sides.both.left_out,
        levels=tuple(
            Level(bound, number, *(power(*pair, fpr) for pair in pairs))
            for bound, number, *pairs in zip(
                scores.r_squared,
                scores.variants,
                zip(*scores.ratios, strict=True),
                zip(*scores.distances, strict=True),
                strict=True,
            )
        ),
        references=tuple(
            Reference(size, formula(scores.informative, size))
            for size in sorted({strangers, *REFERENCES})
        ),
        overlap_left_out=len(same.others),
        overlap_checked=same.by_genotypes,
    )
