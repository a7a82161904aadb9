"""The pool and the reference of an attack: their people, and the variants that both have."""

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray
from scipy.special import bdtrc

from deniable.errors import DataError
from deniable.gwas import files
from deniable.gwas.association import Genotypes, Pruning
from deniable.gwas.attacks.attack_scores import MISSING
from deniable.gwas.genotypes import (
    AS_ARRAYS,
    GenotypeCounts,
    MissingRule,
    Variants,
    places_of,
)

AGREEMENT = 0.95
"""Share of equal genotypes from which two samples are one person's, or a twin's. Genotyping errors
are below 1 %; brothers and sisters agree at about 7 in 10, strangers at 4 or 5."""
_FALSE_POSITIVE_RATE = 1e-6
"""Chance of taking any two strangers for one person."""
CANDIDATES, _MARKERS = 2048, 256
"""Variants that are looked at, and those of them, hardly linked, that people are compared by."""
_LINKAGE = 0.2
"""r² of variants that are hardly linked."""
_KNOWN = 0.8
"""Share of the markers that both samples of a compared pair have calls at."""
_BLOCK = 512
"""People compared at once with everybody of the other sample."""
_TOGETHER = 256
"""Variants pruned at once: 40 megabytes for 40,000 people."""

Copies = NDArray[np.int8]
Name = tuple[str, str]


@attrs.frozen
class SamePeople:
    """The people who stand in both files, as positions in the first.

    `shared` is one person, by genotypes or by identifier and genotypes, and `others` the same
    people's positions in the second. So many of the first have an identifier of the second but
    other genotypes: other people. Where the variants do not distinguish strangers, only people with
    one identifier were compared.
    """

    shared: frozenset[int]
    only_named: int
    others: frozenset[int] = frozenset()
    by_genotypes: bool = True


def same_people(
    ones: Copies, others: Copies, names: tuple[list[Name], list[Name]], chromosomes: list[str]
) -> SamePeople:
    """Compare everybody with everybody.

    Two samples with one identifier are one person's if their genotypes agree at 19 in 20 variants:
    files of different sources count people from 1, so the identifier alone says little. Two samples
    with different identifiers are one person's where they agree at 19 in 20 of up to 256 hardly
    linked variants, if strangers would agree so far with a probability of at most 1e-6 in all pairs
    together. So a few variants, at which strangers are often alike, make nobody one person with a
    stranger; then people with one identifier are the same if more of them agree than chance
    explains (1e-6). Monozygotic twins are taken for one person: no frequency distinguishes them
    either.

    Copies of an allele are of shape (n_variants, n_people), −1 where missing, of common variants:
    at rare ones all people agree. Variants of one chromosome follow each other.
    """
    places = {name: place for place, name in enumerate(names[1])}
    named = [(i, places[name]) for i, name in enumerate(names[0]) if name in places]
    # Variants that are hardly linked, evenly chosen among them.
    among = np.arange(0, len(ones), max(1, -(-len(ones) // CANDIDATES)))
    pruning, unlinked = Pruning(_LINKAGE), [among[:0]]
    for start in range(0, len(among), _TOGETHER):
        part = among[start : start + _TOGETHER]
        both = Genotypes.of(np.concatenate([ones[part], others[part]], axis=1))
        kept = pruning.keep([chromosomes[i] for i in part], both)
        unlinked.append(part[kept])
    markers = np.concatenate(unlinked)
    markers = markers[:: max(1, -(-len(markers) // _MARKERS))]
    here, there = ones[markers], others[markers]
    # Logarithm of the probability, at most, that two strangers agree at 95 % of the markers. They
    # agree at a marker with the probability μ = Σ π_g², π_g the share of people with g copies,
    # and at a share a of m independent ones with at most :math:`e^{-θam} Π (1 - μ + μ e^θ)` for
    # every θ >= 0 (Chernoff). A pair may lack calls; the markers that tell least are counted
    # then.
    everyone = np.concatenate([here, there], axis=1)
    known = np.maximum((everyone != MISSING).sum(axis=1), 1)
    shares = np.stack([(everyone == copies).sum(axis=1) / known for copies in range(3)])
    agree = np.sort((shares**2).sum(axis=0))[::-1][: math.floor(_KNOWN * len(everyone))]
    theta = np.linspace(0.0, 10.0, 101)[:, None]
    log_bound = np.log1p(agree * np.expm1(theta)).sum(axis=1) - theta[:, 0] * (
        AGREEMENT * len(agree)
    )
    chance = float(log_bound.min())
    distinguishes = chance + math.log(ones.shape[1] * others.shape[1]) <= math.log(
        _FALSE_POSITIVE_RATE
    )
    pairs = [
        (i, j)
        for i, j in named
        if _agree(here[:, i], there[:, j]) and _agree(ones[:, i], others[:, j])  # fewer first
    ]
    if distinguishes:
        pairs += [
            pair for pair in _alike(here, there) if _agree(ones[:, pair[0]], others[:, pair[1]])
        ]
    # Of k namesakes who are strangers, as many agree by chance with a probability of at most …
    elif pairs and bdtrc(len(pairs) - 1, len(named), math.exp(chance)) > _FALSE_POSITIVE_RATE:
        pairs = []
    same = frozenset(i for i, _ in pairs)
    return SamePeople(
        same, len({i for i, _ in named} - same), frozenset(j for _, j in pairs), distinguishes
    )


def _agree(one: Copies, other: Copies) -> bool:
    known = (one != MISSING) & (other != MISSING)
    calls = np.count_nonzero(known)
    enough = calls > 0 and calls >= _KNOWN * len(known)
    return bool(enough and np.count_nonzero((one == other) & known) >= AGREEMENT * calls)


def _alike(here: Copies, there: Copies) -> list[tuple[int, int]]:
    """Pairs that agree at enough markers."""
    theirs = [(there == copies).astype(np.float32) for copies in range(3)]
    pairs = []
    for start in range(0, here.shape[1], _BLOCK):
        block = here[:, start : start + _BLOCK]
        known = (block != MISSING).astype(np.float32).T @ (there != MISSING).astype(np.float32)
        equal = sum(
            (block == copies).astype(np.float32).T @ carried
            for copies, carried in enumerate(theirs)
        )
        enough = (equal >= AGREEMENT * known) & (known >= _KNOWN * len(here))
        pairs += [(start + int(i), int(j)) for i, j in np.argwhere(enough)]
    return pairs


_COPIES = np.array([0, 1, 2, -1], np.int8)
"""The copies that each column of counts stands for."""
_SEED = 0
"""The seed of the lots: the same file gives the same answer."""


_NAMED = 2
"""Columns of a fam file that name a person."""
_CELLS = 2**22
"""Genotypes that are unpacked at once: 32 megabytes as float64."""


@attrs.frozen
class Panel:
    """Genotypes of people whose phenotype does not matter, in file order.

    They are the bed file, several, or another format written as one. Names are family and
    individual; the `kept` take part in the attack, (n_individuals,).
    """

    variants: Variants
    genotypes: files.PackedGenotypes | files.JoinedGenotypes
    names: list[Name]
    kept: NDArray[np.bool_] = attrs.field(eq=AS_ARRAYS, repr=False)

    @classmethod
    def from_plink(cls, prefix: files.StudyPath | files.StudyFiles) -> "Panel":
        """The PLINK files of that prefix, or of several with the same people."""
        paths = files.StudyFiles.of(prefix).paths
        panels = [cls._of_one(path) for path in paths]
        first = panels[0]
        if len(panels) == 1:
            return first
        people = [files.Individuals(~p.kept, ~p.kept, names=tuple(p.names)) for p in panels]
        orders = (files.match_people(people[0], *each) for each in zip(people, paths, strict=True))
        packed: Any = tuple(each.genotypes for each in panels)
        variants = files.join_variants([each.variants for each in panels], paths)
        return attrs.evolve(
            first, variants=variants, genotypes=files.JoinedGenotypes(packed, tuple(orders))
        )

    @classmethod
    def _of_one(cls, prefix: Path) -> "Panel":
        bed = files.bed_file(prefix)
        variants = files.bim_variants(files.plain_or_packed(files.file_of(prefix, "bim")))
        fam = files.plain_or_packed(files.file_of(prefix, "fam"))
        lines = files.rows(fam)
        if any(len(line) < _NAMED for line in lines):
            raise DataError(f"Expected family and individual in every line, got fewer at {fam}.")
        names = [(line[0], line[1]) for line in lines]
        packed = files.PackedGenotypes(bed, len(names), len(variants))
        return cls(variants, packed, names, np.ones(len(names), bool))

    @classmethod
    def from_other_format(
        cls, prefix: files.StudyFiles, how: files.HowRead, folder: Path
    ) -> "tuple[Panel, files.Individuals]":
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
            blocks = source.blocks(max(_CELLS // len(people), 1))
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
        return cls(variants, genotypes, names, people.cases | people.controls), people

    @property
    def people(self) -> int:
        """How many take part."""
        return int(self.kept.sum())

    @property
    def present(self) -> list[Name]:
        """Names of those who take part, in the order of `copies`."""
        return [self.names[place] for place in np.flatnonzero(self.kept).tolist()]

    def without(self, people: frozenset[int]) -> "Panel":
        """The panel without the people at these positions."""
        kept = self.kept.copy()
        kept[sorted(people)] = False
        return attrs.evolve(self, kept=kept)

    def only(self, people: NDArray[np.bool_], where: object) -> "Panel":
        """The panel of those people alone."""
        kept = self.kept & people
        if not kept.any():
            raise DataError(
                "Expected somebody of the pool whom the lists of people leave, got nobody at "
                f"{where}. Compare its names with those of the lists."
            )
        return attrs.evolve(self, kept=kept)

    def counts(self, tell: files.Progress) -> NDArray[np.int64]:
        """Individuals with 0, 1, 2 copies of allele 1 and missing; shape (n_variants, 4)."""
        counts: NDArray[np.int64] = self.genotypes.counts((self.kept,), tell)[0]
        return counts

    def copies(self, which: NDArray[np.intp]) -> NDArray[np.int8]:
        """Copies of allele 1 of these variants; (n_variants, people), −1 where missing."""
        copies = self.genotypes.rows(which)
        return copies if self.kept.all() else copies[:, self.kept]


def _deal(counts: GenotypeCounts) -> Iterator[Copies]:
    """Genotypes as counted, dealt by lot to cases and controls; a variant at a time."""
    lots, others = (np.random.default_rng(_SEED) for _ in range(2))  # noqa: TID251 - for the owner
    for row in counts.cases:  # the controls' lots are those behind all of the cases
        others.permutation(np.repeat(_COPIES, row))
    for group in zip(counts.cases, counts.controls, strict=True):
        dealt = zip((lots, others), group, strict=True)
        yield np.concatenate([own.permutation(np.repeat(_COPIES, row)) for own, row in dealt])[None]


@attrs.frozen
class Shared:
    """The variants that both panels have, in the order of the reference; (n_variants,) each.

    Where each stands in the pool and in the reference, whether the two name its alleles in reverse,
    and how many others were left out, by reason.
    """

    ours: NDArray[np.intp]
    theirs: NDArray[np.intp]
    swapped: NDArray[np.bool_]
    left_out: dict[str, int]

    def __len__(self) -> int:
        return len(self.ours)

    def where(self, kept: NDArray[np.bool_], reason: str) -> "Shared":
        """Keep these alone; the others are counted under the reason."""
        left_out = self.left_out | {reason: int(np.count_nonzero(~kept))}
        return Shared(self.ours[kept], self.theirs[kept], self.swapped[kept], left_out)


def find_shared(ours: Variants, theirs: Variants) -> Shared:
    """Variants of one name and the same two alleles, that stand once in each file."""
    own, others = ours.names_or_places(), theirs.names_or_places()
    here, there = places_of(own), places_of(others)
    names = [name for name in there if name in here]
    first = np.array([here[name] for name in names], dtype=np.int64)
    second = np.array([there[name] for name in names], dtype=np.int64)
    once = (first >= 0) & (second >= 0)
    first, second = first[once], second[once]
    (one, two), (other_one, other_two) = (
        (each.allele_1[places], each.allele_2[places])
        for each, places in ((ours, first), (theirs, second))
    )
    same = np.equal(one, other_one, dtype=bool) & np.equal(two, other_two, dtype=bool)
    swapped = np.equal(one, other_two, dtype=bool) & np.equal(two, other_one, dtype=bool) & ~same
    alike = np.flatnonzero(same | swapped)
    known = sum(name in there for name in own)
    left_out = {
        "only_in_pool": len(own) - known,
        "only_in_reference": sum(name not in here for name in others),
        "name_repeats": known - len(first),
        "other_alleles": len(first) - len(alike),
    }
    order = alike[np.argsort(second[alike], kind="stable")]
    return Shared(first[order], second[order], swapped[order], left_out)


Counts = tuple[NDArray[np.int64], NDArray[np.int64]]


@attrs.frozen
class Sides:
    """Pool and reference, the variants that both have, and everybody's genotypes there, counted.

    Counts are of one allele, in the pool and in the reference; (n_variants, 4) each.
    """

    pool: Panel
    reference: Panel
    both: Shared
    counts: Counts

    @classmethod
    def of(cls, pool: Panel, reference: Panel, both: Shared, tell: files.Progress) -> "Sides":
        """Count the genotypes of both."""
        inside = pool.counts(lambda share: tell(share / 2))[both.ours]
        outside = reference.counts(lambda share: tell((1 + share) / 2))[both.theirs]
        inside[both.swapped, :3] = inside[both.swapped, 2::-1]
        return cls(pool, reference, both, (inside, outside))

    def where(self, kept: NDArray[np.bool_], reason: str) -> "Sides":
        """Keep these variants alone; the others are counted under the reason."""
        counts = self.counts[0][kept], self.counts[1][kept]
        return attrs.evolve(self, both=self.both.where(kept, reason), counts=counts)

    def copies(self, which: NDArray[np.intp]) -> tuple[Copies, Copies]:
        """Genotypes at these of the variants, of one allele; (n_variants, n_people)."""
        inside = self.pool.copies(self.both.ours[which])
        turned = self.both.swapped[which]
        inside[turned] = other_allele(inside[turned])
        return inside, self.reference.copies(self.both.theirs[which])

    def chromosomes(self, which: NDArray[np.intp]) -> list[str]:
        """Return the chromosomes of these variants."""
        names: list[str] = self.reference.variants.chromosome[self.both.theirs[which]].tolist()
        return names

    def blocks(self) -> Iterator[NDArray[np.intp]]:
        """Places among the variants, so many at a time as fit the memory that is meant."""
        step = max(16, _CELLS // max(self.pool.people + self.reference.people, 1))
        for start in range(0, len(self.both), step):
            yield np.arange(start, min(start + step, len(self.both)))


def other_allele(copies: NDArray[np.int8]) -> NDArray[np.int8]:
    """Copies of the other allele; missing stays missing."""
    return np.where(copies == MISSING, MISSING, 2 - copies).astype(np.int8)
