"""What an attacker reads, and by it the scores of everybody at every level of pruning."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.errors import DataError, InvalidArgument
from deniable.errors.late import late
from deniable.gwas import files
from deniable.gwas.association import Genotypes, PruningLevels, count_called
from deniable.gwas.association import copies as carried
from deniable.gwas.attacks.attack_scores import (
    Sums,
    add_tables,
    expected_log_likelihood_ratios,
    homer_distances,
    log_likelihood_ratios,
    reference_frequencies,
    without_target,
)
from deniable.gwas.files.panels import LEAST_FREQUENCY, Copies, Counts, Panel, Sides
from deniable.gwas.genotypes import Floats

if TYPE_CHECKING:
    from deniable.certificate.model import Guarantee
    from deniable.gwas.published import Known, PublishedTable, Sizes, columns
    from deniable.gwas.published import effects as reading_effects
    from deniable.gwas.published import known as knowing
    from deniable.numerics import rounding
else:  # only where something is published
    columns = late("deniable.gwas.published.columns")
    knowing = late("deniable.gwas.published.known")
    reading_effects = late("deniable.gwas.published.effects")
    rounding = late("deniable.numerics.rounding")


@attrs.frozen
class Knowledge:
    """What is published, by variant of the reference.

    A row of `known` a variant that was found, and the row of each variant of the reference, −1
    where it has none; published rows that were not used, by reason; and of a release of ours what
    its certificate claims for whole genotypes.
    """

    known: Known
    rows: NDArray[np.intp] = attrs.field(eq=False, repr=False)
    left_out: dict[str, int]
    guarantee: Guarantee | None

    def power_limit(self, fpr: float) -> float | None:
        r"""What no attack passes, rounded up: min(e^ε α + δ, 1 − e^−ε (1 − α − δ)); or None."""
        if self.guarantee is None:
            return None
        with rounding.directed() as r:
            e, delta = r.exp(r(self.guarantee.epsilon)), r(self.guarantee.delta)
            limits = e * fpr + delta, 1 - (1 - r(fpr) - delta) / e
            return min(*map(rounding.upper, limits), 1.0)


@attrs.frozen
class Readable:
    """A published file or folder, read."""

    table: PublishedTable
    guarantee: Guarantee | None = None

    @classmethod
    def of(cls, path: Path) -> Readable:
        """A table of statistics, or the folder of a release of ours."""
        if path.is_dir():
            return cls(*knowing.read_release(path))
        return cls(columns.read_published_table(path))

    @property
    def by_status(self) -> bool:
        """Whether it tells cases from controls."""
        return self.table.effects is not None or set(self.table.frequencies) != {"pool"}

    def pool_of(
        self, panel: Panel, on: str, where: files.StudyFiles, status: files.Individuals | None
    ) -> tuple[Panel, Sizes]:
        """Return whose membership is in question ("pool", "cases", "controls"), and the sizes.

        Who is a case is read beside the prefix where it is asked for and not given.
        """
        if not self.by_status and on == "pool" and status is None:
            return panel, knowing.Sizes(panel.people, 0)
        if not self.by_status and on != "pool":
            raise InvalidArgument(
                f'Expected on "pool" for a table of everybody\'s frequencies, got "{on}". Where '
                "it is of cases or of controls only, give a study of those alone, or name its "
                "column cases_frequency or controls_frequency."
            )
        status = status or files.from_fam(files.plain_or_packed(files.file_of(where.first, "fam")))
        groups = {"cases": status.cases, "controls": status.controls}
        groups = {name: who & panel.kept for name, who in groups.items()}
        sizes = knowing.Sizes(*(int(who.sum()) for who in groups.values()))
        if not (sizes.cases and sizes.controls):
            raise DataError(
                f"Expected cases and controls, got {sizes.cases} and {sizes.controls} at {where}. "
                "Give a phenotype file, or keep other people."
            )
        kept = groups["cases"] | groups["controls"] if on == "pool" else groups[on]
        return attrs.evolve(panel, kept=kept), sizes

    def beside(self, reference: Panel, sizes: Sizes, on: str) -> Knowledge:
        """Said of the reference's variants and their first alleles."""
        counts = reference.counts(lambda _: None)
        frequency = reference_frequencies(carried(counts), count_called(counts))
        matched = columns.align(knowing.add_sizes(self.table, sizes), reference.variants, frequency)
        rows = np.full(len(reference.variants), -1, dtype=np.int64)
        rows[matched.places] = np.arange(len(matched.places))
        table = matched.table
        if table.effects is not None:
            groups = sizes.cases, sizes.controls
            effects = reading_effects.on_log_odds(table.effects, groups, frequency[matched.places])
            table = attrs.evolve(table, effects=effects)
        return Knowledge(knowing.Known.of(table, sizes, on), rows, matched.left_out, self.guarantee)


LEVELS = (1.0, 0.8, 0.5, 0.2, 0.1)
"""Bounds on r² that are tried: all variants, and four levels down to hardly linked ones. Linked
variants repeat each other's chance, yet each tells a little more; which wins depends on the
study."""
UNLINKED = 0.1
"""r² below which the formula takes variants for independent."""
_CHANCE = 16.0
"""n r² of independent variants is chi-squared with one degree of freedom among n people: above 16
in 6 of 100,000 pairs. With few people chance alone passes `UNLINKED`."""
_MOST = 0.95
"""r² from which variants are the same for every purpose, however few the people are."""

_NEAR = 1e-10
"""Relative difference of two frequencies that is rounding of float64."""
_DIGITS = 9
"""Decimals of a score from which sums of the same numbers in another order differ."""


@attrs.frozen
class LevelScores:
    """Scores of members and strangers, (n_levels, n_people) each, level by level.

    Each level keeps so many variants; so many common ones are left at `UNLINKED`. What is published
    of these is worth so many exact frequencies. Ratios are log likelihood ratios, distances Homer's
    statistic.
    """

    r_squared: tuple[float, ...]
    variants: tuple[int, ...]
    unlinked: int
    informative: float
    ratios: tuple[Floats, Floats]
    distances: tuple[Floats, Floats]


def level_scores(
    sides: Sides,
    levels: tuple[float, ...],
    tell: files.Progress,
    knowledge: Knowledge | None = None,
) -> LevelScores:
    """Score everybody at each level, a falling bound on r²; 1 keeps everything.

    r² is that of the file with more people, as linkage is the population's and chance passes for it
    in small files; of the reference where they have equally many.

    At a level with so few or rare variants that most members have somebody else's genotypes,
    leaving the reference would order equal genotypes: everybody of the reference below members with
    the same, or above. There strangers stay in it, which errs upwards, by √(mn)/k standard
    deviations.

    Without `knowledge` the pool's exact frequencies are published.
    """
    measured = _score_everybody(sides, levels, tell, knowledge, leave=True)
    # Levels at which most members' scores equal another one.
    shared = (np.unique(np.round(s, _DIGITS), return_counts=True)[1] for s in measured.ratios[0])
    tied = np.array([2 * number[number > 1].sum() > number.sum() for number in shared])
    if not tied.any():
        return measured
    again = _score_everybody(sides, levels, tell, knowledge, leave=False)
    pairs = (measured.ratios, again.ratios), (measured.distances, again.distances)
    ratios, distances = (
        (first[0], np.where(tied[:, None], second[1], first[1])) for first, second in pairs
    )
    return attrs.evolve(measured, ratios=ratios, distances=distances)


def _score_everybody(
    sides: Sides,
    levels: tuple[float, ...],
    tell: files.Progress,
    knowledge: Knowledge | None,
    *,
    leave: bool,
) -> LevelScores:
    """Score everybody in one pass; people of the reference leave it for theirs, or stay."""
    people, counts = (sides.pool.people, sides.reference.people), sides.counts
    larger = int(people[1] >= people[0])
    bound = min(max(UNLINKED, _CHANCE / max(people)), _MOST)
    bounds = levels if levels[-1] == bound else (*levels, bound)
    # What does not vary in this file may vary in the other: all variants are all.
    unpruned = sum(each == 1 for each in bounds)
    pruning = PruningLevels(bounds[unpruned:])  # each level prunes what the one above it keeps
    sums = [[Sums(count, len(levels), squared=of > 0) for of in range(2)] for count in people]
    frequency = carried(counts[1]) / np.maximum(2 * count_called(counts[1]), 1)
    # The formula does not speak of rarer ones.
    common = np.minimum(frequency, 1 - frequency) >= LEAST_FREQUENCY
    kept_by_level = np.zeros(len(levels), dtype=np.int64)
    unlinked = done = 0
    informative = 0.0
    for which in sides.blocks():
        copies = sides.copies(which)
        genotypes = Genotypes.of(copies[larger], counts[larger][which])
        every = np.ones((unpruned, len(which)), bool)
        kept = np.concatenate([every, pruning.keep(sides.chromosomes(which), genotypes)])
        kept, apart = kept[: len(levels)], kept[-1]
        kept_by_level += kept.sum(axis=1)
        counted = apart & common[which]
        unlinked += int(np.count_nonzero(counted))
        own = counts[0][which], counts[1][which]
        known = None
        if knowledge is not None:
            known = knowledge.known.take(knowledge.rows[sides.both.theirs[which]])
        shares = _add(sums, copies, own, kept, known, leave=leave)
        informative += float(shares[counted].sum())
        done += len(which)
        tell(done / len(sides.both))
    (lr_in, homer_in), (lr_out, homer_out) = sums
    return LevelScores(
        levels,
        tuple(kept_by_level.tolist()),
        unlinked,
        min(max(informative, 0.0), float(unlinked)),
        (lr_in.total, lr_out.total),
        (homer_in.studentise(), homer_out.studentise()),
    )


def _add(
    sums: list[list[Sums]],
    copies: tuple[Copies, Copies],
    counts: Counts,
    kept: NDArray[np.bool_],
    known: Known | None,
    *,
    leave: bool,
) -> Floats:
    """Count a block of variants in everybody's sums; say what each is worth."""
    (own, members), (other, strangers) = ((carried(each), count_called(each)) for each in counts)
    published = own / np.maximum(2 * members, 1)
    everybody = reference_frequencies(other, strangers)
    frequencies = everybody, without_target(other, strangers) if leave else everybody
    order = np.lexsort(kept)  # variants in the same sets follow each other
    for group, frequency, genotypes in zip(sums, frequencies, copies, strict=True):
        if known is None:
            tables = [
                each(published, frequency) for each in (log_likelihood_ratios, homer_distances)
            ]
        else:
            mean, variance = known.moments(frequency, strangers)
            # What is known of nothing but the reference is its frequency, not its last digits.
            mean = np.where(np.abs(mean - frequency) <= _NEAR * frequency, frequency, mean)
            tables = [
                expected_log_likelihood_ratios(mean, variance, frequency),
                homer_distances(mean, frequency),
            ]
        add_tables(group, [table[order] for table in tables], genotypes[order], kept[:, order])
    if known is None:
        return np.ones(len(own))
    return known.worth(frequencies[0], strangers)
