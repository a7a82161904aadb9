"""How a file of genotypes is read: what is asked for beside its name."""

import abc
import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Self, TypeAlias

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.errors import DataError, InvalidArgument, validate
from deniable.gwas.files.individuals import Individuals, check_distinct, from_names
from deniable.gwas.genotypes import AUTOSOMES, MISSING, GenotypeCounts, Variants, autosomal


class Multiallelic(validate.Choice, argument="multiallelic"):
    """The rule for lines with several alternatives. The value is the word of the interface.

    Which lines have several is read off the file's list of variants, which is public.
    """

    REFUSE = "refuse"
    """A file with such a line is refused."""
    LEAVE_OUT = "leave-out"
    """Such lines are left out, and counted."""
    SPLIT = "split"
    """Each alternative is a variant of its own against all other alleles together, as in plink2
    --make-pgen multiallelics=-; all keep the line's identifier."""

    def select(self, alternatives: int, where: str) -> range:
        """The alternatives, from 1, that are variants: one, all, or none of a line left out."""
        if alternatives <= 1 or self is Multiallelic.SPLIT:
            return range(1, max(alternatives, 1) + 1)
        if self is Multiallelic.LEAVE_OUT:
            return range(0)
        raise DataError(
            f"Expected one alternative allele a line, got {alternatives} at {where}. Make each a "
            "variant with --multiallelic split, or leave such lines out with --multiallelic "
            "leave-out."
        )


class AlleleOrder(validate.Choice, argument="allele_order"):
    """The place of the reference in the lines of a BGEN file; the words are PLINK 2's."""

    REF_FIRST = "ref-first"
    """The first allele is the reference, as in UK Biobank's files."""
    REF_LAST = "ref-last"
    """The last one is, as plink2 --export bgen-1.2 writes by default."""


Record: TypeAlias = tuple[str, str, int, str, str]
"""Chromosome, identifier, position, the allele whose copies are counted, and the other one."""

NO_ALLELE = "0"
"""The alternative of a line that names none."""
_COLUMNS = 5
"""Columns of a record."""
_TOGETHER = 64
"""Lines that are counted at once."""


class NoVariants(DataError):
    """A file of a study, or a part of it, has no variants that are looked at.

    Beside its message it holds the numbers of lines that were left out: those on X, Y and
    mitochondria, and those with several alternatives.
    """

    def __init__(self, message: str, left_out: tuple[int, int] = (0, 0)) -> None:
        super().__init__(message)
        self.left_out = left_out


def check_some(variants: int, path: Path, left_out: tuple[int, int]) -> None:
    """Refuse a file without a variant, and say which kinds of line were left out of it."""
    if variants:
        return
    not_autosomal, several = left_out
    message = f"Expected a variant or more, got none at {path}."
    if several:
        message = (
            "Expected a variant or more on an autosome with one alternative allele, got none at "
            f"{path}. Make each alternative a variant with --multiallelic split."
        )
    elif not_autosomal:
        message = (
            "Expected a variant on an autosome or more, got X, Y and mitochondrial ones only at "
            f"{path}. Not everybody has two copies there, and such variants are left out."
        )
    raise NoVariants(message, left_out)


@attrs.frozen
class HowRead:
    """What every reader of genotypes is told.

    Without a phenotype file, phenotypes are those of the study's own files. Lines of X, Y and
    mitochondria, behind so many pairs of autosomes, are left out. The order is a BGEN file's.
    """

    phenotype: Path | None = None
    phenotype_name: str | None = None
    autosomes: int = AUTOSOMES
    multiallelic: Multiallelic = Multiallelic.REFUSE
    order: AlleleOrder | None = None


class LineFile(abc.ABC):
    """A file of genotypes that is read line by line, again for each question.

    What is left out is counted, in `not_autosomal` and `multiallelic_left_out`, by the code that
    reads to the end.
    """

    individuals: Individuals

    def __init__(self, path: Path, how: HowRead) -> None:
        self.path, self.how = path, how
        self.not_autosomal, self.multiallelic_left_out = 0, 0
        self._known: dict[str, bool] = {}

    @abc.abstractmethod
    def blocks(self) -> Iterator[tuple[list[Record], NDArray[np.uint8]]]:
        """Names, and copies of allele 1 or 3 where missing; (n_variants, n_individuals)."""

    @abc.abstractmethod
    def broken(self, error: Exception | None = None) -> DataError:
        """What is said of a file that its library cannot read, without the library's words."""

    def call(self, question: Callable[[], Any]) -> Any:
        """Ask a library, whose errors are of many kinds and whose texts may quote the data."""
        try:
            return question()
        except MemoryError:
            raise
        except Exception as error:
            raise self.broken(error) from None

    def find_people(self, names: Sequence[str]) -> Individuals:
        """Individuals of a file that has their names alone, by the phenotype file."""
        if self.how.phenotype is None:
            raise InvalidArgument(
                f"Expected a phenotype file, as {self.path} holds no phenotypes, got none. Give "
                "one with --pheno: family, individual, phenotype."
            )
        check_distinct(names, self.path)
        return from_names(names, self.how.phenotype, self.how.phenotype_name)

    @property
    def groups(self) -> tuple[NDArray[np.bool_], ...]:
        """The groups in which genotypes are counted: cases and controls."""
        return self.individuals.cases, self.individuals.controls

    @property
    def part(self) -> str:
        """What of the file is counted, and how it is read."""
        return str(self.how)

    @property
    def weight(self) -> float:
        """Bytes that are read, about."""
        return float(self.path.stat().st_size)

    def pieces(self, rows: int) -> Sequence[Self]:  # noqa: ARG002 - no line is found by its number
        """Parts of about so many variants, to be counted one by one."""
        return [self]

    def counted(self) -> dict[str, NDArray[Any]]:
        """`counts` in groups, (2, n_variants, 4), `names` of lines, and how many are `left_out`."""
        names: list[Record] = []
        tables = [np.empty((2, 0, 4), np.int64)]
        for known, calls in self._from_start():
            names += known
            tables.append(_counts(calls, self.groups))
        records = np.array(names, np.object_).reshape(-1, _COLUMNS)
        left_out = np.array([self.not_autosomal, self.multiallelic_left_out])
        return {"counts": np.concatenate(tables, axis=1), "names": records, "left_out": left_out}

    def join_names(self, parts: Iterable[list[Record]], left_out: tuple[int, int]) -> Variants:
        """The variants of all pieces, after so many lines were left out."""
        self.not_autosomal, self.multiallelic_left_out = left_out
        return self._variants([name for part in parts for name in part])

    def variants(self) -> Variants:
        """The variants that are counted, in file order."""
        return self._variants([name for names, _ in self._from_start() for name in names])

    def counts(self) -> tuple[Variants, GenotypeCounts]:
        """Genotypes by variant in cases and controls."""
        counted = self.counted()
        return self._variants(counted["names"].tolist()), GenotypeCounts(*counted["counts"])

    def dosages(self, block: int = 1024) -> Iterator[NDArray[np.int8]]:
        """Copies of allele 1, −1 where missing, in blocks of shape (block, n_individuals)."""
        waiting, rows = list[NDArray[np.int8]](), 0
        for _, calls in self._from_start():
            waiting.append(np.where(calls == MISSING, np.int8(-1), calls.view(np.int8)))
            rows += len(calls)
            while rows >= block:
                together = np.concatenate(waiting)
                yield together[:block]
                waiting, rows = [together[block:]], rows - block
        if rows:
            yield np.concatenate(waiting)

    def is_autosomal(self, place: str) -> bool:
        """Whether everybody has two copies of the chromosome of that name."""
        if place not in self._known:
            self._known[place] = bool(autosomal([place], self.how.autosomes)[0])
        return self._known[place]

    def select(self, alternatives: int, where: str) -> range:
        """The alternatives of a line that are variants; a line that is left out is counted."""
        counted = self.how.multiallelic.select(alternatives, where)
        self.multiallelic_left_out += not counted
        return counted

    def _from_start(self) -> Iterator[tuple[list[Record], NDArray[np.uint8]]]:
        self.not_autosomal, self.multiallelic_left_out = 0, 0
        yield from self.blocks()

    def _variants(self, names: Sequence[Record]) -> Variants:
        check_some(len(names), self.path, (self.not_autosomal, self.multiallelic_left_out))
        return Variants(*zip(*names, strict=True))


def _counts(calls: NDArray[np.uint8], groups: tuple[NDArray[np.bool_], ...]) -> NDArray[np.int64]:
    """People of each group with 0, 1, 2 copies and missing; (n_groups, n_variants, 4)."""
    # A bit a person and kind of call, eight people in a byte.
    bits = [np.packbits(calls == kind, axis=1) for kind in range(1, MISSING + 1)]
    counts = np.empty((len(groups), len(calls), MISSING + 1), np.int64)
    for group, table in zip(groups, counts, strict=True):
        mask = np.packbits(group)
        some = [np.bitwise_count(each & mask).sum(axis=1, dtype=np.int64) for each in bits]
        table[:] = np.stack([int(group.sum()) - sum(some), *some], axis=1)
    return counts


def in_blocks(
    records: Iterator[tuple[Record, NDArray[np.integer]]],
) -> Iterator[tuple[list[Record], NDArray[np.uint8]]]:
    """Lines one by one as `LineFile.blocks` has them."""
    while some := list(itertools.islice(records, _TOGETHER)):
        yield [name for name, _ in some], np.stack([calls for _, calls in some]).astype(np.uint8)
