"""Made-up case-control studies with real structure, written as PLINK files.

Nobody's genotype is in what comes out.
"""

import os
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.errors import InvalidArgument, validate
from deniable.gwas.files.packed import Progress
from deniable.gwas.files.write_plink import PlinkWriter
from deniable.gwas.simulation.coalescent import Place, Stretch, check_installed, stretch
from deniable.gwas.simulation.disease import effects, recruited
from deniable.numerics.answer import Answer
from deniable.numerics.effort import Generator
from deniable.numerics.notebook import notebook_bar

_CHROMOSOMES = 22
"""The autosomes."""
_LONGEST = 5_000
"""Variants of one simulated piece, so that its coalescent stays small."""
_CAUSAL_FREQUENCY = 0.2
"""Least frequency of a variant that is made causal: rarer ones would not be found."""


@attrs.frozen
class Causal:
    """A variant that raises the risk of disease by `odds_ratio` a copy of allele_1.

    `frequency` is allele_1's in the population that the study recruits from; `position` counts
    bases from 1.
    """

    variant: str
    chromosome: str
    position: int
    frequency: float
    odds_ratio: float


@attrs.frozen(repr=False)
class Simulated(Answer):
    """A made-up study on disk: PREFIX.bed, .bim, .fam, and .causal.tsv with the truth.

    `reference` is the prefix of people of the same population who are not in it, or None.
    """

    prefix: Path
    individuals: int
    cases: int
    variants: int
    causal: tuple[Causal, ...]
    reference: Path | None = None

    def as_json(self) -> dict[str, Any]:
        """The object that `deniable gwas simulate` prints."""
        reference = None if self.reference is None else str(self.reference)
        return attrs.asdict(self) | {"prefix": str(self.prefix), "reference": reference}


def simulate(
    out: str | os.PathLike[str],
    *,
    individuals: int,
    cases: int,
    variants: int,
    causal: int,
    seed: int,
    odds_ratio: float = 1.5,
    minor_allele_frequency: float = 0.05,
    spacing: float = 5_000.0,
    reference: int = 0,
    progress: Progress | None = None,
) -> Simulated:
    """Simulate a case-control study and write it as PLINK files.

    A population of twice the study's size, and the reference's, descends from a constant
    population of 10,000 by the coalescent with recombination; variants are chosen evenly among
    those that are common enough. Disease follows a logistic model in the causal variants, which
    are equally strong and lie on different chromosomes as far as there are so many.

    Parameters
    ----------
    out : path
        Prefix of the files to write.
    individuals, cases : int
        Size of the study and how many of it are ill; 1 <= cases < individuals.
    variants, causal : int
        How many are written, and how many of them raise the risk; causal <= variants.
    seed : int
        Non-negative; the same seed gives the same files with the same version of msprime.
    odds_ratio : float
        Factor on the odds of disease a copy, for a causal variant of frequency ½; rarer ones get
        more, so that all are equally strong.
    minor_allele_frequency : float
        The least in the population, in (0, ½). Causal variants have at least 0.2.
    spacing : float
        Mean distance of neighbouring variants in bases, > 0; 5,000 is that of a genotyping array.
        Closer variants are in stronger linkage; where so many common ones do not exist, they lie
        farther apart.
    reference : int
        How many others of the same population are written to PREFIX.reference.bed, .bim, .fam,
        >= 0; as `deniable.gwas.attack` wants them. They are numbered on from the study's and have
        no phenotype.
    progress : callable, optional
        Called with the fraction done, 0 to 1.

    Returns
    -------
    Simulated
        What was written, and the truth behind it.

    Raises
    ------
    InvalidArgument
        If numbers are out of range.
    NotApplicable
        If msprime is not installed.

    References
    ----------
    kelleher-2016 (msprime).
    """
    check_installed()
    individuals, cases = _fewer(individuals, cases, "individuals", "cases", least=1, gap=1)
    variants, causal = _fewer(variants, causal, "variants", "causal", least=0, gap=0)
    rng = _generator(validate.integer(seed, "seed", least=0))
    ratio = validate.positive(odds_ratio, "odds_ratio")
    floor = validate.open_probability(minor_allele_frequency, "minor_allele_frequency")
    if floor >= 0.5:
        raise InvalidArgument(
            f"Expected 0 < minor_allele_frequency < 0.5, got minor_allele_frequency={floor}."
        )
    apart = validate.positive(spacing, "spacing")
    beside = validate.integer(reference, "reference", least=0)
    people = 2 * individuals + beside
    population = _Population(people, max(floor, _least_frequency(people)), apart, rng)
    places = list(_places(variants, causal))
    tell = notebook_bar(progress) or (lambda _: None)
    first = [population.stretch(place) for place in places[:causal]]
    truth, risks = population.disease(first, causal, ratio)
    ill, well = recruited(risks, cases, individuals - cases, rng)
    order = rng.permutation(individuals)
    who = np.concatenate([ill, well])[order]
    status = np.repeat([True, False], [len(ill), len(well)])[order]
    others = np.setdiff1d(np.arange(people), who)
    others = np.sort(rng.choice(others, beside, replace=False)) if beside else others[:0]
    with ExitStack() as open_files:
        writer = open_files.enter_context(PlinkWriter(Path(out), status))
        groups = [(writer, who)]
        if beside:
            nobody = np.zeros(beside, bool)
            panel = PlinkWriter(_reference(Path(out)), nobody, nobody, first=individuals + 1)
            groups.append((open_files.enter_context(panel), others))
        for index, place in enumerate(places):
            piece = first.pop(0) if first else population.stretch(place)
            for file, members in groups:
                for block, copies in piece.genotypes(members):
                    file.write(block, copies)
            tell((index + 1) / len(places))
        writer.attach("causal.tsv", _table(truth))
    panel_prefix = _reference(Path(out)) if beside else None
    return Simulated(Path(out), individuals, cases, variants, truth, panel_prefix)


def _reference(prefix: Path) -> Path:
    return prefix.with_name(f"{prefix.name}.reference")


@attrs.frozen(eq=False)
class _Population:
    """Everybody the study recruits from."""

    people: int
    floor: float
    spacing: float
    rng: Generator

    def stretch(self, place: Place) -> Stretch:
        return stretch(self.people, place, self.floor, self.spacing, self.rng)

    def disease(
        self, stretches: list[Stretch], causal: int, odds_ratio: float
    ) -> tuple[tuple[Causal, ...], NDArray[np.float64]]:
        """The truth, and everybody's log odds; causal variants are dealt out to the stretches."""
        truth: list[Causal] = []
        risks = np.zeros(self.people)
        shares = _dealt(causal, [len(piece.sites) for piece in stretches])
        for piece, share in zip(stretches, shares, strict=True):
            chosen = self._chosen(piece, share)
            strengths = effects(piece.frequencies[chosen], odds_ratio)
            risks += strengths @ piece.copies(np.arange(self.people), chosen)
            truth += [
                Causal(
                    str(piece.variants.identifier[place]),
                    str(piece.variants.chromosome[place]),
                    int(piece.variants.position[place]),
                    float(piece.frequencies[place]),
                    float(np.exp(strength)),
                )
                for place, strength in zip(chosen, strengths, strict=True)
            ]
        return tuple(truth), risks

    def _chosen(self, piece: Stretch, number: int) -> NDArray[np.intp]:
        likely = np.flatnonzero(piece.frequencies >= _CAUSAL_FREQUENCY)
        if len(likely) < number:
            likely = np.argsort(-piece.frequencies)[:number]
        return np.sort(self.rng.choice(likely, number, replace=False))


def _dealt(number: int, most: list[int]) -> list[int]:
    """So many things in turn to each, none getting more than its most."""
    shares = [0] * len(most)
    while sum(shares) < number:
        for index in range(len(most)):
            if shares[index] < most[index] and sum(shares) < number:
                shares[index] += 1
    return shares


def _fewer(all_: int, some: int, whole: str, part: str, *, least: int, gap: int) -> tuple[int, int]:
    """Whole numbers, the second at least `least` and smaller than the first by `gap`."""
    every = validate.integer(all_, whole, least=1)
    among = validate.integer(some, part, least=least)
    if among > every - gap:
        sign = "<" if gap else "<="
        raise InvalidArgument(
            f"Expected {part} {sign} {whole}, got {part}={among}, {whole}={every}."
        )
    return every, among


def _generator(seed: int) -> Generator:
    return np.random.default_rng(seed)  # noqa: TID251 - made-up people


def _least_frequency(people: int) -> float:
    """Two copies among the population's 2 · people."""
    return 1 / people


def _places(variants: int, causal: int) -> Iterator[Place]:
    """Unlinked pieces in file order, of at most `_LONGEST` variants and one a causal variant."""
    pieces = max(min(causal, _CHROMOSOMES), -(-variants // _LONGEST), 1)
    chromosomes = min(pieces, _CHROMOSOMES)
    apart = 2**31 // -(-pieces // chromosomes)
    before, start, chromosome = 0, 0, 0
    for index in range(pieces):
        end = variants * (index + 1) // pieces
        following = index * chromosomes // pieces + 1
        start = 0 if following != chromosome else start + apart
        chromosome = following
        yield Place(str(chromosome), start, end - before, before)
        before = end


def _table(truth: tuple[Causal, ...]) -> str:
    """The truth as tab-separated text with a header."""
    names = [field.name for field in attrs.fields(Causal)]
    lines = ["\t".join(names)]
    lines += ["\t".join(str(getattr(each, name)) for name in names) for each in truth]
    return "\n".join(lines) + "\n"
