"""Genotypes of two files, whose people are compared, at the variants that both have."""

import itertools
import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray
from scipy.special import bdtrc

from deniable.errors import DataError
from deniable.gwas.association import Genotypes, Pruning
from deniable.gwas.files.individuals import NO_FAMILY, Individuals, Name
from deniable.gwas.files.lines import plain_or_packed, rows
from deniable.gwas.files.packed import PackedGenotypes, Progress
from deniable.gwas.files.plink import bed_file, bim_variants, file_of
from deniable.gwas.files.several import (
    JoinedGenotypes,
    StudyFiles,
    StudyPath,
    join_variants,
    match_people,
)
from deniable.gwas.genotypes import AS_ARRAYS, NO_CALL, Integers, Variants, places_of

AGREEMENT = 0.95
"""Share of equal genotypes from which two samples are one person's, or a twin's. Genotyping errors
are below 1 %; brothers and sisters agree at about 6 in 10, strangers at 4."""
_FALSE_POSITIVE_RATE = 1e-6
"""Chance of taking any two strangers for one person."""
CANDIDATES, _MARKERS = 2048, 256
"""Variants that are looked at, and those of them, hardly linked, that people are compared by."""
LEAST_FREQUENCY = 0.05
"""The least frequency of a minor allele that is common; at rarer ones most people are alike."""
_FLOORS = (0.4, 0.3, 0.2, 0.1, LEAST_FREQUENCY)
"""Least frequencies of the variants that are looked at: the first at which there are enough."""
_LINKAGE = 0.2
"""r² of variants that are hardly linked."""
_KNOWN = 0.8
"""Share of the markers that namesakes have calls at, where markers do not distinguish strangers."""
_SCREEN = 64
"""Markers at which most pairs already differ too often."""
_BLOCK = 256
"""People compared at once with everybody of the other sample."""
_TOGETHER = 256
"""Variants pruned at once: 40 megabytes for 40,000 people."""

Copies = NDArray[np.int8]


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
    r"""Compare everybody with everybody, by up to 256 hardly linked variants.

    Two samples are one person's where they agree at 19 in 20 of these, and of all variants given,
    and share so many calls that strangers would agree so far with a probability of at most 1e-6, in
    all pairs together. Monozygotic twins are taken for one person: no frequency distinguishes them
    either. At 256 variants of several chromosomes, one person's samples are missed once in a
    million where 1 % of their calls differ, and once in 400 where 2 % do. Brothers and sisters, who
    agree at 6 in 10, are two people; of a single short chromosome some inherit both copies alike,
    and are taken for twins.

    A few variants, at which strangers are often alike, make nobody one person with a stranger.
    Then people with one identifier are the same if they agree at 19 in 20, and more of them do than
    chance explains (1e-6): files of different sources count people from 1.

    Copies of an allele are of shape (n_variants, n_people), −1 where missing, of common variants:
    at rare ones all people agree. Variants of one chromosome follow each other.
    """
    places = {name: place for place, name in enumerate(names[1])}
    named = [(i, places[name]) for i, name in enumerate(names[0]) if name in places]
    # Variants that are hardly linked, evenly chosen among them.
    pruning, unlinked = Pruning(_LINKAGE), [np.arange(0)]
    for start in range(0, len(ones), _TOGETHER):
        part = np.arange(start, min(start + _TOGETHER, len(ones)))
        both = Genotypes.of(np.concatenate([ones[part], others[part]], axis=1))
        kept = pruning.keep([chromosomes[i] for i in part], both)
        unlinked.append(part[kept])
    markers = np.concatenate(unlinked)
    markers = markers[:: max(1, -(-len(markers) // _MARKERS))]
    here, there = ones[markers], others[markers]
    # Logarithm of the probability, at most, that two strangers agree at 95 % of m markers. They
    # agree at a marker with the probability μ = Σ π_g², π_g the share of people with g copies,
    # and at a share a of m independent ones with at most :math:`e^{-θam} Π (1 - μ + μ e^θ)` for
    # every θ >= 0 (Chernoff). Of a pair that lacks calls the markers that tell least are counted.
    everyone = np.concatenate([here, there], axis=1)
    known = np.maximum((everyone != NO_CALL).sum(axis=1), 1)
    shares = np.stack([(everyone == copies).sum(axis=1) / known for copies in range(3)])
    agree = np.sort((shares**2).sum(axis=0))[::-1]
    theta = np.linspace(0.0, 10.0, 101)[:, None]
    each = np.log1p(agree * np.expm1(theta)) - AGREEMENT * theta
    chance = np.concatenate([[0.0], np.cumsum(each, axis=1).min(axis=0)])
    rate = math.log(_FALSE_POSITIVE_RATE / max(ones.shape[1] * others.shape[1], 1))
    enough = np.flatnonzero(chance <= rate)
    if len(enough):
        pairs = _alike(here, there, int(enough[0]))
    else:
        least = math.floor(_KNOWN * len(markers))
        pairs = [pair for pair in named if _agree(here, there, pair, _KNOWN * len(markers))]
        # Of k namesakes who are strangers, as many agree by chance with a probability of at most …
        explained = bdtrc(len(pairs) - 1, len(named), math.exp(chance[least]))
        if pairs and explained > _FALSE_POSITIVE_RATE:
            pairs = []
    pairs = [pair for pair in pairs if _agree(ones, others, pair)]
    same = frozenset(i for i, _ in pairs)
    only_named = len({i for i, _ in named} - same)
    return SamePeople(same, only_named, frozenset(j for _, j in pairs), bool(len(enough)))


def _agree(ones: Copies, others: Copies, pair: tuple[int, int], least: float = 1) -> bool:
    one, other = ones[:, pair[0]], others[:, pair[1]]
    known = (one != NO_CALL) & (other != NO_CALL)
    calls = np.count_nonzero(known)
    return bool(
        calls >= max(least, 1) and np.count_nonzero((one == other) & known) >= AGREEMENT * calls
    )


def _alike(here: Copies, there: Copies, enough: int) -> list[tuple[int, int]]:
    """Pairs that have enough markers called and agree at these."""
    step = max(1, len(here) // _SCREEN)
    theirs, pairs = _indicate(there[::step], -1), list[tuple[int, int]]()
    for start in range(0, here.shape[1], _BLOCK):
        block = here[:, start : start + _BLOCK]
        # Who differs at more of some markers than may differ of all is another person.
        near = _indicate(block[::step], 1).T @ theirs <= (1 - AGREEMENT) * len(here)
        some, those = (np.flatnonzero(near.any(axis=axis)) for axis in (1, 0))
        mine, them = block[:, some], there[:, those]
        differ = _indicate(mine, 1).T @ _indicate(them, -1)
        known = (mine != NO_CALL).astype(np.float32).T @ (them != NO_CALL).astype(np.float32)
        alike = (differ <= (1 - AGREEMENT) * known) & (known >= enough)
        pairs += [(start + int(some[i]), int(those[j])) for i, j in np.argwhere(alike)]
    return pairs


def _indicate(copies: Copies, sign: int) -> NDArray[np.float32]:
    """Return rows whose products, of two signs, count the known calls that differ.

    They are where calls are known, and with the sign where each number of copies is; (n, n_people)
    -> (4 n, n_people).
    """
    of_copies = [(copies == each).astype(np.float32) * sign for each in range(3)]
    return np.concatenate([(copies != NO_CALL).astype(np.float32), *of_copies])


_CELLS = 2**22
"""Genotypes that are unpacked at once: 32 megabytes as float64."""


@attrs.frozen
class Panel:
    """Genotypes of people whose phenotype does not matter, in file order.

    They are the bed file, several, or another format written as one. Names are family and
    individual; the `kept` take part in the attack, (n_individuals,).
    """

    variants: Variants
    genotypes: Any
    names: list[Name]
    kept: NDArray[np.bool_] = attrs.field(eq=AS_ARRAYS, repr=False)

    @classmethod
    def from_plink(cls, prefix: StudyPath | StudyFiles) -> "Panel":
        """The PLINK files of that prefix, or of several with the same people."""
        paths = StudyFiles.of(prefix).paths
        panels = [cls.of_file(path) for path in paths]
        join_variants([each.variants for each in panels], paths)
        return cls.join(panels, paths)

    @classmethod
    def join(cls, panels: "Sequence[Panel]", paths: Sequence[Path]) -> "Panel":
        """The variants of several files of the same people, one file's after the other's."""
        if len(panels) == 1:
            return panels[0]
        people = [
            Individuals(
                ~each.kept,
                ~each.kept,
                names=tuple(each.names),
                families=any(family != NO_FAMILY for family, _ in each.names),
            )
            for each in panels
        ]
        orders = (match_people(people[0], *each) for each in zip(people, paths, strict=True))
        packed: Any = tuple(each.genotypes for each in panels)
        variants = Variants.join([each.variants for each in panels])
        genotypes = JoinedGenotypes(packed, tuple(orders))
        return attrs.evolve(panels[0], variants=variants, genotypes=genotypes)

    @classmethod
    def of_file(cls, path: Path) -> "Panel":
        """The PLINK files of one prefix, or beside that bed file."""
        prefix = path.with_suffix("") if path.suffix == ".bed" else path
        bed = bed_file(prefix)
        variants = bim_variants(plain_or_packed(file_of(prefix, "bim")))
        fam = plain_or_packed(file_of(prefix, "fam"))
        lines = rows(fam)
        if any(len(line) < 2 for line in lines):
            raise DataError(f"Expected family and individual in every line, got fewer at {fam}.")
        names = [(line[0], line[1]) for line in lines]
        packed = PackedGenotypes(bed, len(names), len(variants))
        return cls(variants, packed, names, np.ones(len(names), bool))

    @property
    def people(self) -> int:
        """How many take part."""
        return int(self.kept.sum())

    def counts(self, tell: Progress) -> NDArray[np.int64]:
        """Individuals with 0, 1, 2 copies of allele 1 and missing; shape (n_variants, 4)."""
        counts: NDArray[np.int64] = self.genotypes.counts((self.kept,), tell)[0]
        return counts

    def copies(self, which: NDArray[np.intp]) -> NDArray[np.int8]:
        """Copies of allele 1 of these variants; (n_variants, people), −1 where missing."""
        copies: Copies = self.genotypes.rows(which)
        return copies if self.kept.all() else copies[:, self.kept]


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

    def where(self, kept: NDArray[np.bool_], reason: str) -> "Sides":
        """Keep these variants alone; the others are counted under the reason."""
        counts = self.counts[0][kept], self.counts[1][kept]
        return attrs.evolve(self, both=self.both.where(kept, reason), counts=counts)

    def copies(self, which: NDArray[np.intp]) -> tuple[Copies, Copies]:
        """Genotypes at these of the variants, of one allele; (n_variants, n_people)."""
        inside = self.pool.copies(self.both.ours[which])
        turned = self.both.swapped[which]
        inside[turned] = np.where(inside[turned] == NO_CALL, NO_CALL, 2 - inside[turned])
        return inside, self.reference.copies(self.both.theirs[which])

    def common(self, least: float = LEAST_FREQUENCY) -> NDArray[np.intp]:
        """Places of variants whose rarer allele is so frequent in pool and reference together."""
        both = self.counts[0] + self.counts[1]
        frequency = (both[:, 1] + 2 * both[:, 2]) / np.maximum(2 * both[:, :3].sum(axis=1), 1)
        return np.flatnonzero(np.minimum(frequency, 1 - frequency) >= least)

    def same_people(self) -> SamePeople:
        """The people in both, by evenly chosen variants, the most common ones that are enough."""
        for least in _FLOORS:
            if len(common := self.common(least)) >= CANDIDATES:
                break
        if not len(common):
            return SamePeople(frozenset(), 0, by_genotypes=False)
        which = common[:: -(-len(common) // CANDIDATES)]
        names, other_names = (
            list(itertools.compress(each.names, each.kept)) for each in (self.pool, self.reference)
        )
        copies, chromosomes = self.copies(which), self.chromosomes(which)
        return same_people(*copies, (names, other_names), chromosomes)

    def chromosomes(self, which: NDArray[np.intp]) -> list[str]:
        """Return the chromosomes of these variants."""
        names: list[str] = self.reference.variants.chromosome[self.both.theirs[which]].tolist()
        return names

    def blocks(self) -> Iterator[NDArray[np.intp]]:
        """Places among the variants, so many at a time as fit the memory that is meant."""
        step = max(16, _CELLS // max(self.pool.people + self.reference.people, 1))
        for start in range(0, len(self.both), step):
            yield np.arange(start, min(start + step, len(self.both)))


@attrs.frozen
class OtherPeople:
    """A panel or a reference, counted, of which nobody may take part in the study.

    A choice of variants by the participants' own frequencies would be a release without protection.
    That nobody of the study is among the others is said in the certificate, and so is public: the
    refusal tells nothing else. Which variants people are compared at, these others alone decide.
    """

    panel: Panel
    counts: Integers = attrs.field(eq=AS_ARRAYS, repr=False)
    where: str

    def refuse_names(self, study: Individuals) -> None:
        """Refuse others among whom a case or a control stands by name."""
        known = {*self.panel.names}
        known |= {(NO_FAMILY, f"{family}_{name}") for family, name in known}  # as plink2 joins them
        if not study.families:
            known |= {(NO_FAMILY, name) for _, name in known}
        takes_part = (study.cases | study.controls).tolist()
        if any(name in known for name, takes in zip(study.names, takes_part, strict=True) if takes):
            raise DataError(
                "Expected other people than the study's, got names of its cases or controls in the "
                f"{self.where}. Take them out of it (plink2 --remove); if other people have the "
                "same names, write it with other ones."
            )

    def refuse_participants(self, study: Individuals, variants: Variants, genotypes: Any) -> None:
        """Refuse others who have a case's or a control's name or genotypes (`same_people`)."""
        self.refuse_names(study)
        both = find_shared(variants, self.panel.variants)
        own = Panel(variants, genotypes, [*study.names], study.cases | study.controls)
        theirs = self.counts[both.theirs]
        same = Sides(own, self.panel, both, (np.zeros_like(theirs), theirs)).same_people()
        if same.shared:
            raise DataError(
                f"Expected other people than the study's, got genotypes of {len(same.shared):,} of "
                f"its {own.people:,} cases and controls in the {self.where}, under other names. "
                "Take them out of it (plink2 --make-king-table finds them and twins, plink2 "
                "--remove takes them out)."
            )
