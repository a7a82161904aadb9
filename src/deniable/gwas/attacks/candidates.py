"""The variants of a study that might be published: unlinked, with frequencies of their alleles."""

from pathlib import Path
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.errors import DataError, InvalidArgument, validate
from deniable.gwas import files
from deniable.gwas.association import Genotypes, Pruning, allelic_chi_squared, copies, count_called
from deniable.gwas.attacks.attack_scores import reference_frequencies
from deniable.gwas.genotypes import MISSING, NAMELESS, CountedStudy, MissingRule, Variants
from deniable.numerics.effort import Effort

_BLOCK = 1024
"""Variants that are unpacked at once: 10 megabytes for 10,000 people."""
_UNPACKED = 32
"""Bytes of memory for a genotype that is unpacked: itself, its number for products, copies of both,
and those that the pruning keeps; four times what was measured."""
_COUNTING = 0.3
"""Share of the work that counting has, for the progress bar."""


@attrs.frozen
class Source:
    """The source of variants and frequencies: a study as `genotypes` reads it, and others.

    Missing calls are refused, filled or left out of their variant. The reference is PLINK files of
    others of the same population. Variants are linked from the r² of `prune` on.
    """

    study: files.StudyFiles
    reading: dict[str, Any]
    missing: MissingRule = attrs.field(converter=MissingRule)
    reference: files.StudyFiles | None
    prune: float
    effort: Effort | None

    def __attrs_post_init__(self) -> None:
        if not validate.probability(self.prune, "prune"):
            raise InvalidArgument("Expected 0 < prune <= 1, got prune=0. 1 keeps linked variants.")

    def together(self, people: int) -> int:
        """How many variants are unpacked at once, of so many people."""
        if self.effort is None or self.effort.memory is None:
            return _BLOCK
        return max(min(_BLOCK, self.effort.memory // (_UNPACKED * people)), 1)


@attrs.frozen
class Candidates:
    """Unlinked variants in file order, and what is known of each; arrays of shape (n_variants,).

    The frequency of allele 1 in the population is the reference's, or else the study's, by so many
    `known` people with a call. Cases and controls are people with a call in each group, and `sizes`
    all of them; copies are of allele 1 among them, (n_variants, 2). χ² is the study's allelic
    statistic. Linked variants are `pruned` but where a table of counts does not show linkage. Other
    variants are counted by reason.
    """

    variants: Variants
    frequency: NDArray[np.float64]
    cases: NDArray[np.int64]
    controls: NDArray[np.int64]
    chi_squared: NDArray[np.float64]
    sizes: tuple[int, int]
    reference: int | None
    pruned: bool
    left_out: dict[str, int]
    known: NDArray[np.int64]
    copies: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.variants)


def candidates(source: Source, wanted: list[str] | None, tell: files.Progress) -> Candidates:
    """The variants of a study that may be chosen from, among those wanted or all."""
    reference = None
    if source.reference is not None:
        panel = files.Panel.from_plink(source.reference)
        counted = panel.counts(lambda _: None)
        reference = files.OtherPeople(panel, counted, f"reference, {source.reference}")
    study = files.count_study(
        source.study,
        missing=source.missing,
        owner=True,
        reference=reference,
        progress=lambda share: tell(_COUNTING * share),
        effort=source.effort,
        **source.reading,
    )
    # Which variants a list can name, and those that it asks for.
    names = study.variants.identifier
    _, place, number = np.unique(names.astype(str), return_inverse=True, return_counts=True)
    kept = (number[place] == 1) & [name.upper() not in NAMELESS for name in names.tolist()]
    left_out = {"not_autosomal": study.not_autosomal, "name_repeats": int(np.count_nonzero(~kept))}
    if wanted is not None:
        listed = np.isin(names.astype(str), np.array(wanted))
        left_out["not_asked_for"] = int(np.count_nonzero(kept & ~listed))
        kept = kept & listed
    if reference is not None:
        return _of_reference(reference, source, study, kept, left_out, tell)
    # By the study's own frequencies and linkage: the choice is made by looking.
    together = study.counts.cases + study.counts.controls
    varies = (together[:, :MISSING] > 0).sum(axis=1) > 1
    left_out["constant"] = int(np.count_nonzero(kept & ~varies))
    kept = kept & varies & _has_calls(study)
    pruned = not files.holds_counts(source.study)
    if pruned:  # among cases and controls
        read_as = files.genotypes(source.study, **source.reading)
        people = read_as.individuals.cases | read_as.individuals.controls
        pruning, unlinked, start = Pruning(source.prune), np.zeros_like(kept), 0
        for read in read_as.blocks(source.together(len(people))):
            which = start + np.flatnonzero(kept[start : start + len(read)])
            block = Genotypes.of(read[which - start][:, people])
            unlinked[which] = pruning.keep(read_as.variants.chromosome[which].tolist(), block)
            start += len(read)
            tell(_COUNTING + (1 - _COUNTING) * start / len(kept))
        left_out["linked"] = int(np.count_nonzero(kept & ~unlinked))
        kept = unlinked
    called = count_called(together)
    frequency = reference_frequencies(copies(together), called)
    return _gather_candidates(study, kept, (frequency, called), None, pruned, left_out)


def read_names(path: Path) -> list[str]:
    """Names of variants in the first column of a text file; lines that begin with # say nothing."""
    if not path.is_file():
        raise InvalidArgument(
            f'Expected "least", "file", "significance" or a file of names of variants, got {path}. '
            "Check the name."
        )
    names = [columns[0] for columns in files.rows(path) if not columns[0].startswith("#")]
    if not names:
        raise DataError(f"Expected a name of a variant in each line, got none at {path}.")
    return list(dict.fromkeys(names))


def _of_reference(
    others: files.OtherPeople,
    source: Source,
    study: CountedStudy,
    kept: NDArray[np.bool_],
    left_out: dict[str, int],
    tell: files.Progress,
) -> Candidates:
    """Choose by a reference's frequencies and linkage: no genotype of the study is looked at."""
    panel, where = others.panel, np.flatnonzero(kept)
    both = files.find_shared(study.variants.take(where), panel.variants)
    left_out = left_out | {"not_in_reference": len(where) - len(both)}
    counts = others.counts[both.theirs]
    varies = (counts[:, :MISSING] > 0).sum(axis=1) > 1
    both, counts = both.where(varies, "constant"), counts[varies]
    left_out["constant"] = int(np.count_nonzero(~varies))
    pruning, stays = Pruning(source.prune), np.zeros(len(both), bool)
    step = source.together(panel.people)
    for start in range(0, len(both), step):
        which = both.theirs[start : start + step]
        block = Genotypes.of(panel.copies(which))
        places = panel.variants.chromosome[which].tolist()
        stays[start : start + len(which)] = pruning.keep(places, block)
        tell(_COUNTING + (1 - _COUNTING) * (start + len(which)) / len(both))
    left_out["linked"] = int(np.count_nonzero(~stays))
    people = count_called(counts)
    known = reference_frequencies(copies(counts), people)
    frequency = np.full(len(study.variants), np.nan)
    frequency[where[both.ours]] = np.where(both.swapped, 1 - known, known)
    called = np.zeros(len(study.variants), np.int64)
    called[where[both.ours]] = people
    selected = np.zeros(len(study.variants), bool)
    selected[where[both.ours[stays]]] = True
    selected &= _has_calls(study)
    return _gather_candidates(study, selected, (frequency, called), panel.people, True, left_out)


def _gather_candidates(
    study: CountedStudy,
    kept: NDArray[np.bool_],
    known: tuple[NDArray[np.float64], NDArray[np.int64]],
    reference: int | None,
    pruned: bool,
    left_out: dict[str, int],
) -> Candidates:
    if not kept.any():
        numbers = ((name.replace("_", " "), number) for name, number in left_out.items() if number)
        reasons = ", ".join(f"{name} {number:,}" for name, number in numbers) or "none"
        raise DataError(
            "Expected a variant that varies, by a name of its own, to choose from, got none of "
            f"{len(study.variants):,} (left out: {reasons})."
        )
    groups = study.counts.cases, study.counts.controls
    return Candidates(
        study.variants.take(kept),
        known[0][kept],
        count_called(study.counts.cases[kept]),
        count_called(study.counts.controls[kept]),
        allelic_chi_squared(study.counts)[kept],
        (study.cases, study.controls),
        reference,
        pruned,
        left_out,
        known[1][kept],
        np.stack([copies(each[kept]) for each in groups], axis=1),
    )


def _has_calls(study: CountedStudy) -> NDArray[np.bool_]:
    groups = study.counts.cases, study.counts.controls
    cases, controls = (count_called(group) > 0 for group in groups)
    return np.asarray(cases & controls)
