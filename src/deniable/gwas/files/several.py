"""Studies in several files, such as one a chromosome: the same people, one answer."""

import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeVar

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.errors import DataError, InvalidArgument
from deniable.gwas.files.how_read import NoVariants
from deniable.gwas.files.individuals import NO_FAMILY, Individuals
from deniable.gwas.files.lines import check_file, rows
from deniable.gwas.files.packed import PackedGenotypes, Progress
from deniable.gwas.genotypes import (
    AUTOSOMES,
    MOST_AUTOSOMES,
    CountedStudy,
    GenotypeCounts,
    Variants,
)
from deniable.gwas.genotypes import chromosome_name as spell

GENOTYPES = (
    ".bed", ".pgen", ".bgen", ".bcf", ".vcf", ".vcf.gz", ".vcf.bgz", ".vcz", ".zarr",
)  # fmt: skip
"""Ends of names of genotypes, as they lie in a folder."""
_ROOTS = ("zarr.json", ".zgroup")
"""Files that mark a folder as a store of Zarr 3 or 2, which is one file of a study."""
_NAMED = 5
"""Names in a note: a line or two."""
PLACE = "{chr}"
"""What stands in a prefix for the names of chromosomes."""
_OTHERS = ("X", "Y", "XY", "PAR1", "PAR2", "MT", "M")
"""Chromosomes behind the autosomes, in PLINK's order."""

StudyPath = str | os.PathLike[str] | Sequence[str | os.PathLike[str]]
"""A prefix or a file's name, or several of them."""


@attrs.frozen
class StudyFiles:
    """The place of a study: one prefix, or one for each part of its variants.

    The notes say what lies there and is left out.
    """

    paths: tuple[Path, ...]
    notes: tuple[str, ...] = attrs.field(default=(), eq=False)

    @classmethod
    def of(cls, prefix: "StudyPath | StudyFiles") -> "StudyFiles":
        """The prefixes, with those of all chromosomes where one holds {chr}."""
        if isinstance(prefix, StudyFiles):
            return prefix
        given: Any = [prefix] if isinstance(prefix, str | os.PathLike) else prefix
        # A study is read several times, and an iterator gives its names once.
        is_list = isinstance(given, Iterable) and not isinstance(given, bytes | Iterator)
        names = list(given) if is_list else [given]
        if wrong := [each for each in names if not isinstance(each, str | os.PathLike)]:
            raise InvalidArgument(
                "Expected a PREFIX as text or a path, or a list of them, got "
                f"{type(wrong[0]).__name__}. Name the study's files in a list."
            )
        places = [_each_chromosome(Path(each)) for each in names]
        paths = [path for of, _ in places for path in of]
        if not paths or "" in map(os.fspath, names):
            raise InvalidArgument("Expected a PREFIX or more, got none. Name the study's files.")
        files = [Path(os.path.realpath(path)) for path in paths]  # a loop of links raises nothing
        for place, path in enumerate(paths):
            if files[place] in files[:place]:
                raise InvalidArgument(
                    f"Expected each part of a study once, got {path} twice. Leave one out."
                )
        return cls(tuple(paths), tuple(note for _, notes in places for note in notes))

    @classmethod
    def listed(cls, path: Path) -> "StudyFiles":
        """The prefixes that a text file names, one a line, as PLINK's --pmerge-list."""
        check_file(path, "a list of studies")
        lines = [line for line in rows(path) if not line[0].startswith("#")]
        if not lines or any(len(line) != 1 for line in lines):
            got = "others" if lines else "none"
            raise DataError(
                f"Expected a prefix in every line, got {got} at {path}. Name the study's files."
            )
        return cls.of([line[0] for line in lines])

    def __str__(self) -> str:
        return _list_names([*map(str, self.paths)], 1)

    @property
    def first(self) -> Path:
        """The first part, whose people are those of all."""
        return self.paths[0]


def is_store(path: Path) -> bool:
    """Whether a folder is a Zarr group."""
    return any((path / name).is_file() for name in _ROOTS)


def _each_chromosome(pattern: Path) -> tuple[list[Path], list[str]]:
    """The prefixes of which files lie there, or studies of a folder, in chromosomes' order.

    Beside them, what to note.
    """
    text = str(pattern)
    if PLACE not in text:
        same = (pattern.parent / f"{pattern.name}{end}" for end in (".bed", ".pgen"))
        if not pattern.is_dir() or is_store(pattern) or any(map(Path.exists, same)):
            return [pattern], []
        every = sorted(pattern.iterdir())
        files = [each for each in every if each.name.lower().endswith(GENOTYPES)]
        if not files:
            raise InvalidArgument(
                f"Expected genotypes ({', '.join(GENOTYPES)}) in the folder {pattern}, got none. "
                "Check the name."
            )
        parts = [(re.split(r"([0-9]+)", each.name), each) for each in files]  # 10 behind 9
        parts.sort(key=lambda part: [int(w) if w.isdecimal() else w for w in part[0]])
        beside = (".", *(f"{each.stem}." for each in files))
        others = [each.name for each in every if not each.name.startswith(beside)]
        note = f"{pattern} also holds {_list_names(others)}: the study goes on without."
        paths = [each.with_suffix("") if each.suffix == ".bed" else each for _, each in parts]
        return paths, [note] if others else []
    if PLACE in str(pattern.parent) or text.count(PLACE) > 1:
        raise InvalidArgument(
            f"Expected {PLACE} once in the name of files, got it elsewhere in {pattern}. Name "
            "the prefixes one by one."
        )
    before, after = pattern.name.split(PLACE)
    names = set()
    for file in pattern.parent.iterdir() if pattern.parent.is_dir() else ():
        rest = file.name[len(before) :]
        name = rest.partition(".")[0]
        if not (file.name.startswith(before) and name):
            continue
        # What stands for {chr}, unless the name goes on otherwise.
        name = rest[: rest.find(after)] if after and after in rest else name
        behind = rest[len(name) + len(after) :]
        if rest[len(name) :].startswith(after) and behind[:1] in ("", "."):
            names.add(name)
    # Of one chromosome several spellings.
    numbers = [word for n in range(MOST_AUTOSOMES + 5) for word in (str(n), f"{n:02d}")]
    letters = [word for name in _OTHERS for word in (name, name.lower())]
    order = {name: place for place, name in enumerate(dict.fromkeys([*numbers, *letters]))}
    known = sorted((name for name in names if name in order), key=order.__getitem__)
    if not known:
        raise InvalidArgument(
            f"Expected files of chromosomes where {PLACE} stands, such as {before}1{after}, got "
            f"none in {pattern.parent}. Check the prefix."
        )
    unknown = [pattern.with_name(f"{before}{name}{after}") for name in sorted(names - order.keys())]
    suffixes = ("", *GENOTYPES)
    left = [each for each in unknown if any(Path(f"{each}{end}").exists() for end in suffixes)]
    paths = [pattern.with_name(f"{before}{name}{after}") for name in known]
    return paths, _without(pattern, known, [each.name for each in left])


def _without(pattern: Path, known: list[str], others: list[str]) -> list[str]:
    """What a study goes on without: autosomes between others, and what is no chromosome's name."""
    numbers = {int(name) for name in known if name.isdecimal()} - {0}
    if max(numbers, default=0) <= AUTOSOMES + 4:  # people's, whose X, Y and so on are 23 to 26
        numbers &= {*range(1, AUTOSOMES + 1)}
    gaps = sorted({*range(min(numbers, default=1), max(numbers, default=1))} - numbers)
    which = f"chromosome{'s' * (len(gaps) > 1)} {', '.join(map(str, gaps))}"
    notes = [f"{pattern} has no files of {which}: the study goes on without."] if gaps else []
    if others:
        listed = f"{_list_names(others)} in {pattern.parent}"
        notes.append(f"{listed}: left out, as {PLACE} stands for names of chromosomes.")
    return notes


def _list_names(names: list[str], most: int = _NAMED) -> str:
    more = len(names) - most
    return ", ".join(names[:most]) + (f" and {more} other{'s' * (more > 1)}" if more > 0 else "")


Part = TypeVar("Part")


def skip_empty(parts: Sequence[Callable[[], Part]]) -> tuple[list[Part], list[int]]:
    """What is read of the parts that have variants, and which these are."""
    some, which, empty = [], [], []
    for place, read in enumerate(parts):
        try:
            some.append(read())
            which.append(place)
        except NoVariants as error:
            empty.append(error)
    if not some:
        raise empty[0]
    return some, which


PeopleOrder = NDArray[np.intp] | None
"""The column in another part of each person of the first; None where they are the same."""


def other_people(first: int, got: str, path: Path) -> DataError:
    """The error about a part of a study that is about other people than the first one."""
    return DataError(
        f"Expected the same people in all files of a study, {first:,} as in the first one, got "
        f"{got} at {path}. Use the files that were written together, or keep the same people in "
        "each."
    )


def match_people(first: Individuals, other: Individuals, path: Path) -> PeopleOrder:
    """Return the places of the first part's people in another part.

    People are found by the individual alone where one of both files names no families.
    """
    same = len(first) == len(other) and (not first.names or not other.names)
    names, others = first.names, other.names
    if not (first.families and other.families):
        names, others = (tuple((NO_FAMILY, name) for _, name in each) for each in (names, others))
    order: PeopleOrder = None
    if not same and names != others:
        places = {name: place for place, name in enumerate(others)}
        if len(first) != len(other) or set(names) != places.keys() or len(places) < len(names):
            strangers = len(places.keys() - set(names))
            got = f"{strangers:,} other{'s' * (strangers > 1)}" if strangers else "some of them"
            raise other_people(len(first), f"{got} among {len(other):,}", path)
        order = np.array([places[name] for name in names], dtype=np.intp)
    for mine, theirs in ((first.cases, other.cases), (first.controls, other.controls)):
        if not np.array_equal(mine, theirs if order is None else theirs[order]):
            raise DataError(
                "Expected the same phenotypes in all files of a study, got others than in the "
                f"first one at {path}. Give one phenotype file with --pheno."
            )
    return order


def join_variants(parts: Sequence[Variants], paths: Iterable[Path]) -> Variants:
    """The variants of all parts, one after the other."""
    known: list[tuple[str, int, int, Path]] = []
    for variants, path in zip(parts, paths, strict=True):
        stretches = []
        for name in set(variants.chromosome.tolist()):
            own = variants.position[variants.chromosome == name]
            stretches.append((spell(name), int(own.min()), int(own.max()), path))
        for name, low, high, _ in stretches:
            for other, start, end, earlier in known:
                if name == other and low <= end and start <= high:
                    raise DataError(
                        f"Expected every chromosome in one file of a study, got {name} in "
                        f"{earlier} and at {path}. Leave one out."
                    )
        known += stretches
    return Variants.join(parts)


def join_counts(parts: Sequence[CountedStudy], paths: Sequence[Path]) -> CountedStudy:
    """The counts of all parts as those of one file."""
    first = parts[0]
    for each, path in zip(parts, paths, strict=True):
        sizes = each.individuals, each.cases, each.controls
        if sizes != (first.individuals, first.cases, first.controls):
            raise DataError(
                "Expected as many cases and controls in all files of a study, got other numbers "
                f"than in the first one at {path}. Use the files that were written together."
            )
    controls = np.concatenate([each.counts.controls for each in parts])
    counts = GenotypeCounts(np.concatenate([each.counts.cases for each in parts]), controls)
    own = [(each.founder_controls, each.counts.controls) for each in parts]
    founders = np.concatenate([every if some is None else some for some, every in own])
    return attrs.evolve(
        first,
        variants=join_variants([each.variants for each in parts], paths),
        counts=counts,
        missing_calls=counts.missing_calls,
        not_autosomal=sum(each.not_autosomal for each in parts),
        multiallelic_left_out=sum(each.multiallelic_left_out for each in parts),
        founder_controls=founders if any(some is not None for some, _ in own) else None,
    )


@attrs.frozen
class JoinedGenotypes:
    """Packed genotypes of the same people in several files, as if they were one.

    `orders` says where the first part's people stand in each.
    """

    parts: tuple[PackedGenotypes, ...]
    orders: tuple[PeopleOrder, ...] = attrs.field(eq=False, repr=False)

    @property
    def paths(self) -> tuple[Path, ...]:
        """The files."""
        return tuple(part.path for part in self.parts)

    def counts(
        self, groups: tuple[NDArray[np.bool_], ...], tell: Progress = lambda _: None
    ) -> NDArray[np.int64]:
        """Return what `PackedGenotypes.counts` would."""
        tables = []
        for place, (part, order) in enumerate(zip(self.parts, self.orders, strict=True)):
            back = slice(None) if order is None else np.argsort(order)
            tables.append(part.counts(tuple(group[back] for group in groups)))
            tell((place + 1) / len(self.parts))
        return np.concatenate(tables, axis=1)

    def rows(self, which: NDArray[np.integer]) -> NDArray[np.int8]:
        """Return what `PackedGenotypes.rows` would."""
        stops = np.cumsum([part.variants for part in self.parts])
        part_of = np.searchsorted(stops, which, side="right")
        copies = np.empty((len(which), self.parts[0].individuals), np.int8)
        for place, (part, order) in enumerate(zip(self.parts, self.orders, strict=True)):
            own = np.flatnonzero(part_of == place)
            read = part.rows(which[own] - (stops[place] - part.variants))
            copies[own] = read if order is None else read[:, order]
        return copies
