"""What is counted in a study: its variants, and genotypes by variant in cases and controls.

Everywhere the digit of a count is the number of copies of allele 1, the first allele of a bim
file. A fourth column counts missing calls.
"""

import re
from collections.abc import Iterable, Sequence
from typing import Any, Self, cast

import attrs
import numpy as np
from numpy.typing import ArrayLike, NDArray

from deniable.errors import DataError, InvalidArgument, validate
from deniable.gwas.public_filters import StudyFilters

MOST_STRATA = 2**13
"""Strata: sums over so many are wrong by less than a part in 2^40."""

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


AS_ARRAYS: Any = attrs.cmp_using(eq=np.array_equal)
"""Compares fields that are arrays, entry by entry."""


class Rows:
    """A frozen value whose arrays have a row a variant, as have the values in it that are rows."""

    __slots__ = ()

    def take(self, which: NDArray[Any]) -> Self:
        """The rows that an index or mask picks, in its order."""
        own: Any = self
        names = [field.name for field in attrs.fields(type(own))]
        columns = {name: _rows(getattr(own, name), which) for name in names}
        return cast("Self", attrs.evolve(own, **columns))


def _rows(value: Any, which: NDArray[Any]) -> Any:
    match value:
        case Rows():
            return value.take(which)
        case np.ndarray():
            return value[which]
        case dict():
            return {name: _rows(each, which) for name, each in value.items()}
    return value


@attrs.frozen
class Strata:
    r"""What is summed over strata, by variant.

    .. math:: D = \sum_k \frac{x_k S_k - y_k R_k}{N_k}, \qquad
              V = \sum_k \frac{R_k S_k t_k (2N_k - t_k)}{N_k^2 (2N_k - 1)}

    with x and y of t copies of allele 1 in a stratum's R cases and S controls: how many more copies
    the cases have than they would if nothing but the stratum mattered, and the variance of that, in
    copies and squared copies, shape (n_variants,); not public. Strata without cases, or without
    controls, add nothing. Their sizes are public numbers of cases and controls of each stratum that
    has both, the largest first.
    """

    sizes: tuple[tuple[int, int], ...]
    difference: Floats = attrs.field(eq=AS_ARRAYS, repr=False)
    variance: Floats = attrs.field(eq=AS_ARRAYS, repr=False)

    def __len__(self) -> int:
        return len(self.difference)


def strata_sizes(cases: Sequence[int], controls: Sequence[int]) -> tuple[tuple[int, int], ...]:
    """Return the sizes of the strata that have cases and controls, the largest first.

    Examples
    --------
    >>> strata_sizes([3, 0, 10], [4, 7, 2])
    ((10, 2), (3, 4))
    """
    both = [(r, s) for r, s in zip(cases, controls, strict=True) if r and s]
    if not both:
        raise InvalidArgument(
            "Expected a stratum with cases and controls or more, got none. Divide into fewer "
            "strata: only people of one stratum are compared."
        )
    if len(both) > MOST_STRATA:
        raise InvalidArgument(
            f"Expected at most {MOST_STRATA} strata with cases and controls, got {len(both)}. "
            "Divide into fewer."
        )
    return tuple(sorted(both, key=lambda size: (-sum(size), -size[0])))


def sum_over_strata(copies: Integers, called: Integers) -> tuple[Floats, Floats]:
    """D and V, summed over strata; shape (n_variants,) each.

    Copies of allele 1, and people with a call, are of shape (n_variants, n_strata, 2), in cases and
    in controls.

    Examples
    --------
    >>> difference, variance = sum_over_strata(np.array([[[11, 5]]]), np.array([[[10, 10]]]))
    >>> difference.tolist(), variance.round(4).tolist()
    ([3.0], [2.4615])
    """
    (x, y), (r, s) = np.moveaxis(copies, 2, 0), np.moveaxis(called, 2, 0).astype(np.float64)
    n, t = r + s, x + y
    # (xS − yR)/N and R S t (2N − t)/(N² (2N − 1)), where a stratum has both; integers are exact.
    both = (r > 0) & (s > 0)
    n = np.where(both, n, 1.0)
    difference = np.where(both, (x * s - y * r) / n, 0.0)
    variance = np.where(both, r * s / (n * n) * (t * (2 * n - t)) / (2 * n - 1), 0.0)
    return difference.sum(axis=1), variance.sum(axis=1)


MISSING = 3
"""The column of missing calls, after those of 0, 1 and 2 copies."""
NO_CALL = -1
"""What stands for a missing call among copies."""


class MissingRule(validate.Choice, argument="missing"):
    """What becomes of a missing call. The value is the word of the interface."""

    REFUSE = "refuse"
    """A study with a missing call is refused."""
    MAJOR = "major"
    """It is read as two copies of allele 2, in a VCF the reference; a BGEN needs its order. The
    rule looks neither at the phenotype nor at anybody else, unless the file's writer counted
    alleles to order them, as PLINK does without --keep-allele-order."""
    PANEL = "panel"
    """It is read as the genotype that most people of a reference panel have, a public rule that
    looks at nobody in the study."""
    LEAVE = "leave"
    """It is left out of its variant, as PLINK does; the numbers of cases and controls then
    differ from variant to variant, and no sensitivity of a release holds."""


def release_rule(word: str | MissingRule) -> MissingRule:
    """The rule of that word, where a call may not be left out of its variant."""
    words = [rule for rule in MissingRule if rule is not MissingRule.LEAVE]
    given = word.value if isinstance(word, MissingRule) else word
    return MissingRule(validate.one_of(given, words, "missing"))


def _names(values: Iterable[str]) -> NDArray[np.object_]:
    names = np.array(values, dtype=np.object_)
    names.setflags(write=False)
    return names


def _positions(values: ArrayLike) -> NDArray[np.int64]:
    positions = np.array(values, dtype=np.int64)
    positions.setflags(write=False)
    return positions


@attrs.frozen
class Variants(Rows):
    """The variants of a study, in file order; columns of shape (n_variants,).

    Chromosomes and identifiers are as the file spells them; identifiers may repeat. Positions are
    base pairs. Copies of allele 1 are counted; by PLINK's convention it is the minor allele.
    """

    chromosome: NDArray[np.object_] = attrs.field(converter=_names, eq=AS_ARRAYS, repr=False)
    identifier: NDArray[np.object_] = attrs.field(converter=_names, eq=AS_ARRAYS)
    position: NDArray[np.int64] = attrs.field(converter=_positions, eq=AS_ARRAYS, repr=False)
    allele_1: NDArray[np.object_] = attrs.field(converter=_names, eq=AS_ARRAYS, repr=False)
    allele_2: NDArray[np.object_] = attrs.field(converter=_names, eq=AS_ARRAYS, repr=False)

    def __attrs_post_init__(self) -> None:
        shapes = {column.shape for column in attrs.astuple(self, recurse=False)}
        if len(shapes) > 1 or self.identifier.ndim != 1:
            raise InvalidArgument(
                f"Expected five columns of one length, got shapes {sorted(shapes)}."
            )

    def __len__(self) -> int:
        return len(self.identifier)

    @classmethod
    def join(cls, parts: "Sequence[Variants]") -> "Variants":
        """The variants of all parts, one after the other."""
        columns = zip(*(attrs.astuple(each, recurse=False) for each in parts), strict=True)
        return cls(*map(np.concatenate, columns))

    def names_or_places(self) -> list[str]:
        """What tells the variants apart, as `name_or_place` has it."""
        columns = self.identifier, self.chromosome, self.position
        return name_or_place(*(each.tolist() for each in columns))


def _counts(values: ArrayLike) -> NDArray[np.int64]:
    try:
        counts = np.array(values, dtype=np.int64)
    except (TypeError, ValueError, OverflowError):
        raise InvalidArgument("Expected counts to be whole numbers, got others.") from None
    if counts.ndim != 2 or counts.shape[1] != 4:
        raise InvalidArgument(f"Expected counts of shape (n_variants, 4), got {counts.shape}.")
    if counts.size and int(counts.min()) < 0:
        raise InvalidArgument("Expected counts >= 0, got a negative one.")
    counts.setflags(write=False)
    return counts


@attrs.frozen
class GenotypeCounts(Rows):
    """Individuals with 0, 1, 2 copies of allele 1, and with a missing call; (n_variants, 4)."""

    cases: NDArray[np.int64] = attrs.field(converter=_counts, eq=AS_ARRAYS)
    controls: NDArray[np.int64] = attrs.field(converter=_counts, eq=AS_ARRAYS)

    def __attrs_post_init__(self) -> None:
        if self.cases.shape != self.controls.shape:
            raise InvalidArgument(
                "Expected as many variants in cases as in controls, got shapes "
                f"{self.cases.shape} and {self.controls.shape}."
            )

    def __len__(self) -> int:
        return len(self.cases)

    @property
    def missing_calls(self) -> int:
        """Missing calls among cases and controls, over all variants."""
        return int(self.cases[:, MISSING].sum() + self.controls[:, MISSING].sum())

    def fill_missing(self, copies: NDArray[np.int64] | None = None) -> "GenotypeCounts":
        """Missing calls read as so many copies of allele 1 at each variant; none by default."""
        fill = np.zeros(len(self), dtype=np.int64) if copies is None else copies
        filled = []
        for group in (self.cases, self.controls):
            counts = group.copy()
            counts[np.arange(len(group)), fill] += counts[:, MISSING]
            counts[:, MISSING] = 0
            filled.append(counts)
        return GenotypeCounts(*filled)


@attrs.frozen
class CountedStudy(Rows):
    """A case-control study as counts, a row a variant in file order, with `rule` applied.

    Individuals are everybody in the file, those of unknown phenotype too; cases and controls are
    the public numbers R and S. Missing calls are those among them in the file, before `rule`.
    Variants that not everybody has two copies of are left out, as lines may be that name several
    alternative alleles. Founders are controls without parents in the pedigree, for tests of
    equilibrium, (n_variants, 4); by default all controls.
    """

    variants: Variants
    counts: GenotypeCounts
    individuals: int
    cases: int
    controls: int
    missing_calls: int
    rule: MissingRule
    not_autosomal: int = 0
    multiallelic_left_out: int = 0
    filters: StudyFilters = attrs.field(factory=StudyFilters)
    founder_controls: NDArray[np.int64] | None = attrs.field(default=None, eq=AS_ARRAYS, repr=False)
    strata: Strata | None = None

    def __attrs_post_init__(self) -> None:
        if len(self.variants) != len(self.counts):
            raise InvalidArgument(
                f"Expected a row of counts for each variant, got {len(self.counts)} rows for "
                f"{len(self.variants)} variants."
            )
        for group, number in (self.counts.cases, self.cases), (self.counts.controls, self.controls):
            if not bool((np.einsum("ij->i", group) == number).all()):  # five times as fast as `sum`
                raise InvalidArgument(f"Expected every row to add up to {number}, got another sum.")

    def take(self, which: NDArray[Any]) -> "CountedStudy":
        """The variants that an index or mask picks, with counts, missing calls and founders."""
        study = super().take(which)
        return attrs.evolve(study, missing_calls=study.counts.missing_calls)


def places_of(names: Sequence[str]) -> dict[str, int]:
    """Return where each name stands, −1 for one that stands more than once."""
    places: dict[str, int] = {}
    for place, name in enumerate(names):
        places[name] = -1 if name in places else place
    return places


NAMELESS = ("", ".", "NA", "#NA", "NAN")
"""What stands in files for the name of a variant without one, in capitals."""


def name_or_place(
    names: Sequence[str], chromosomes: Sequence[str], positions: Sequence[str | int]
) -> list[str]:
    r"""Names; of variants without one, chromosome:position behind a tab, which begins no name.

    >>> name_or_place(["rs1", "."], ["1", "chr01"], [5, 7])
    ['rs1', '\t1:7']
    """
    spelled = {name: chromosome_name(name) for name in set(chromosomes)}
    return [
        f"\t{spelled[where]}:{position}" if name.upper() in NAMELESS else name
        for name, where, position in zip(names, chromosomes, positions, strict=True)
    ]


_LONGEST = 60
"""Characters of a name in a message: a line."""


def check_published_names(variants: Variants) -> None:
    """Refuse names that a spreadsheet would run as a formula; signs of full width among them.

    It looks at names alone, of all variants that may be published, so that a refusal tells nothing
    of a genotype.
    """
    columns = variants.identifier, variants.chromosome, variants.allele_1, variants.allele_2
    texts = set(filter(validate.begins_formula, {text for each in columns for text in each}))
    if texts:
        raise InvalidArgument(
            f"Expected names and alleles that no spreadsheet runs, got {format_name(min(texts))}. "
            "Rename it in the study's files, or leave the variant out with --exclude."
        )


def format_name(name: str) -> str:
    """A name as messages have it, on a line."""
    return validate.format_value(name[:_LONGEST])


AUTOSOMES = 22
"""Pairs of autosomes of people; a number above in a file is a sex chromosome or mitochondrial."""
MOST_AUTOSOMES = 95
"""The largest that PLINK takes (--chr-set)."""
_DIGITS = 20
"""Digits of a number that is a chromosome's; a longer one is another word."""
_X, _Y, _PSEUDO, _MITOCHONDRIAL = 1, 2, 3, 4
"""How far above the autosomes PLINK numbers X, Y, the pseudo-autosomal regions and mitochondria."""
_HAPLOID = frozenset({"X", "Y", "M", "MT", "W", "Z"})
"""Names of chromosomes that not everybody has two of; W and Z are the sex chromosomes of birds."""
_PSEUDO_NAMES = frozenset({"XY", "PAR1", "PAR2"})
"""Regions of X and Y of which everybody has two copies, where a file sets them apart."""
_ACCESSIONS = {"NC_000023": "X", "NC_000024": "Y", "NC_012920": "MT"}
"""Names of the human reference sequence at RefSeq, without the version."""


def autosomal(names: Iterable[str], autosomes: int = AUTOSOMES) -> NDArray[np.bool_]:
    """Whether everybody has two copies of the chromosome of that name.

    Known are numbers, X, Y, XY, PAR1, PAR2, M and MT, with or without "chr", sequences that are
    named after them ("chrX_KI270880v1_alt"), and RefSeq's accessions. Any other name (a contig)
    counts as autosomal. Of a species with so many pairs of autosomes, 1 to 95, X is the next
    number, then Y, the pseudo-autosomal regions, which count as autosomal, and mitochondria.

    Examples
    --------
    >>> autosomal(["1", "chrX", "23", "XY", "MT", "NC_000024.10"]).tolist()
    [True, False, False, True, False, False]
    """
    last = validate.integer(autosomes, "autosomes", least=1)
    if last > MOST_AUTOSOMES:
        raise InvalidArgument(f"Expected autosomes <= {MOST_AUTOSOMES}, got autosomes={last}.")
    columns = list(names)
    known = {name: _autosomal(name, last) for name in set(columns)}
    return np.array([known[name] for name in columns], dtype=bool)


def chromosome_name(name: str) -> str:
    """One spelling of a chromosome's name: "chr1" and "01" are "1", "chrx" is "X".

    Examples
    --------
    >>> [chromosome_name(name) for name in ("chr01", "x", "NC_000023.11", "chrM", "contig_7")]
    ['1', 'X', 'X', 'MT', 'CONTIG_7']
    """
    word = _without_prefix(name)
    if word.isascii() and word.isdecimal():
        return str(int(word[:_DIGITS]))
    return "MT" if word == "M" else word


def _without_prefix(name: str) -> str:
    accession = _ACCESSIONS.get(name.split(".")[0].upper())
    return re.sub(r"^chr(om(osome)?)?[ _]?", "", accession or name, flags=re.IGNORECASE).upper()


def _autosomal(name: str, autosomes: int) -> bool:
    base = _without_prefix(name).split("_")[0]
    if not base.isascii() or not base.isdecimal():
        return base in _PSEUDO_NAMES or base not in _HAPLOID
    above = int(base) - autosomes
    if above > _MITOCHONDRIAL:
        raise DataError(
            f"Expected chromosomes 1 to {autosomes + _MITOCHONDRIAL} of a species with {autosomes} "
            f"pairs of autosomes, got {base[:20]}. Say how many it has with --autosomes."
        )
    return above not in (_X, _Y, _MITOCHONDRIAL)
