"""A study from its files, by their names: counted in cases and controls, or person by person.

A piece of a file after another is counted, here or on other machines, by a pure function of itself,
so that the integers are the same wherever that happens. The pieces of all files are one sequence of
tasks of `computing.parallel`.
"""

import filecmp
import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from functools import cached_property, partial
from pathlib import Path
from typing import Any, TypeAlias

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.computing.parallel import StoredArrays, blocks
from deniable.errors import DataError, InvalidArgument
from deniable.gwas.files.bgen import SUFFIX as BGEN_SUFFIX
from deniable.gwas.files.bgen import BgenFile
from deniable.gwas.files.counts_file import read_counts
from deniable.gwas.files.filters import Filters, Lists, check_allele_order, read_lists
from deniable.gwas.files.how_read import HowRead, Multiallelic, NoVariants, check_some
from deniable.gwas.files.individuals import (
    Individuals,
    NobodyNamed,
    assign_strata,
    check_families,
    count_strata,
)
from deniable.gwas.files.lines import check_file, plain_or_packed, rows
from deniable.gwas.files.packed import HEADER, Progress, bytes_of
from deniable.gwas.files.panels import Copies, OtherPeople
from deniable.gwas.files.pgen import PgenFile, count_stored
from deniable.gwas.files.plink import PLINK_2, PlinkStudy, file_of, plink_study
from deniable.gwas.files.several import (
    GENOTYPES,
    PeopleOrder,
    StudyFiles,
    StudyPath,
    is_store,
    join_counts,
    join_variants,
    match_people,
    other_people,
    skip_empty,
)
from deniable.gwas.files.vcf import SUFFIXES as VCF_SUFFIXES
from deniable.gwas.files.vcf import VcfFile
from deniable.gwas.files.vcz import SUFFIXES as ZARR_SUFFIXES
from deniable.gwas.files.vcz import VczFile
from deniable.gwas.genotypes import (
    AUTOSOMES,
    MISSING,
    CountedStudy,
    GenotypeCounts,
    MissingRule,
    Variants,
    autosomal,
)
from deniable.gwas.public_filters import Families
from deniable.numerics.effort import Effort, notebook_bar, silent

PIECE = 2**27
"""Bytes of packed genotypes in a piece, at most: a worker that dies loses so much work, a tenth of
a second or so."""
_AT_ONCE = 8
"""The part of the memory, one of eight, that packed genotypes of a piece may take."""
_AT_A_TIME = 1024
"""Variants whose genotypes are read at once."""
_MB = 10**6
"""Bytes of a megabyte."""
_STARTED, _VARIANT, _PERSON = 300 * _MB, 1_000, 1_500
"""Bytes of the program that writes a release with its report, of a variant with its names, counts
and statistics, and of a person with names and phenotype: measured peaks, rounded up."""

_READ = {
    ".bed": ("bed", "bim", "bim.gz", "fam", "fam.gz"),
    ".pgen": ("pgen", "pvar", "pvar.zst", "pvar.gz", "bim", "psam", "fam"),
    BGEN_SUFFIX: ("sample",),
}
"""What is read of each format beside the file itself, where it is there."""
_PACKED = (".gz", ".bgz")
GenotypeFile = VcfFile | VczFile | PgenFile | BgenFile
"""A file that is not PLINK 1's."""


@attrs.frozen
class StudySource:
    """The place of a study, and how it is to be read."""

    path: Path
    how: HowRead
    lists: Lists

    @classmethod
    def of(
        cls,
        prefix: StudyPath | StudyFiles,
        phenotype: str | Path | None,
        phenotype_name: str | None,
        multiallelic: str | Multiallelic,
        autosomes: int,
        lists: Lists,
    ) -> "tuple[StudySource, ...]":
        """The source of each file of raw arguments, checked."""
        autosomal([], autosomes)
        status = None if phenotype is None else Path(phenotype)
        rule = Multiallelic(multiallelic)
        order = lists.filters.allele_order
        how = HowRead(status, phenotype_name, autosomes, rule, order)
        sources = tuple(cls(path, how, lists) for path in StudyFiles.of(prefix).paths)
        if order is not None and all(each.suffix != BGEN_SUFFIX for each in sources):
            raise InvalidArgument(
                "Expected a BGEN file with allele_order (--allele-order), got "
                f"{sources[0].path}. Leave it out: a VCF and a .pvar file say which allele is the "
                "reference, and in a .bim file it is the second one."
            )
        return sources

    @property
    def suffix(self) -> str:
        """What the name ends in, .pgen where only PLINK 2's files have this prefix."""
        return kind_of(self.path)

    def open_file(self) -> GenotypeFile | None:
        """The file with the people whom lists leave, or None for PLINK 1 or counts."""
        file: GenotypeFile
        match self.suffix:
            case ".pgen":
                file = PgenFile(self.prefix, self.how)
            case ".bgen":
                file = BgenFile(self.path, self.how)
            case suffix if suffix in VCF_SUFFIXES:
                file = VcfFile(self.path, self.how)
            case suffix if suffix in ZARR_SUFFIXES:
                file = VczFile(self.path, self.how)
            case _:
                return None
        file.individuals = self.lists.people(file.individuals, self.path)
        return file

    def files(self) -> list[Path]:
        """All files that may be read, of the genotypes and beside them."""
        beside = [file_of(self.prefix, suffix) for suffix in _READ.get(self.suffix, ())]
        phenotype = self.how.phenotype
        return [*_files(self.path), *beside, *([] if phenotype is None else [phenotype])]

    @property
    def fam(self) -> Path:
        """The file of people of PLINK 1."""
        return plain_or_packed(file_of(self.prefix, "fam"))

    @property
    def prefix(self) -> Path:
        """The name that the files of PLINK, or a BGEN file and its people, begin with."""
        named = self.path.suffix in (".bed", BGEN_SUFFIX, *PLINK_2)
        return self.path.with_suffix("") if named else self.path


def holds_counts(study: StudyFiles) -> bool:
    """Whether a name is that of a table of counts, which nobody's genotype can be read from."""
    return any(kind_of(path) == ".tsv" for path in study.paths)


def is_plink(study: StudyFiles) -> bool:
    """Whether all names are prefixes of bed, bim and fam files."""
    return all(kind_of(path) == ".bed" for path in study.paths)


def kind_of(path: Path) -> str:
    """The end of the name that says the format."""
    name = path.name.lower()
    for packed in _PACKED:
        name = name.removesuffix(packed)
    suffix = Path(name).suffix
    if suffix in PLINK_2:
        return ".pgen"
    if suffix in (*VCF_SUFFIXES, *ZARR_SUFFIXES, BGEN_SUFFIX, ".tsv", ".bed"):
        return suffix
    if file_of(path, "bed").exists():
        return ".bed"
    if file_of(path, "pgen").is_file():
        return ".pgen"
    others = (Path(f"{path}{end}") for end in GENOTYPES)
    near = next((f"{each} is there: name" for each in others if each.exists()), None)
    raise InvalidArgument(
        f"Expected a file {path}.bed or {path.name}.pgen, got none. "
        f"{near or 'Check the prefix; name'} a file of another format (.vcf[.gz], .bcf, .bgen, "
        ".vcz, .zarr, .tsv) with its end."
    )


@attrs.frozen
class StudyPart:
    """A file of a study and its people, or a table of counts without people."""

    source: StudySource
    people: Individuals | None = None
    file: Any = None

    @classmethod
    def of(cls, source: StudySource, first: "StudyPart | None" = None) -> "StudyPart":
        """Open the file; its genotypes are not read yet.

        The people are those of the first file of the study, without another look at their names,
        if the files of people are the same byte by byte.
        """
        if source.suffix == ".tsv":
            return cls(source)
        people = None
        if first is not None and source.suffix == first.source.suffix == ".bed":
            same = filecmp.cmp(first.source.fam, source.fam, shallow=False)
            people = first.people if same else None
        file: Any = source.open_file()
        if file is None:
            how = source.how
            file = plink_study(source.prefix, how.phenotype, how.phenotype_name, people)
            if people is None:
                people = source.lists.people(file.individuals, source.path)
                file = attrs.evolve(file, individuals=people)
        return cls(source, file.individuals, file)

    def without_names(self) -> "StudyPart":
        """The same without names of people, which take more memory than all else of them."""
        if self.people is None:
            return self
        people, file = attrs.evolve(self.people, names=()), self.file
        if isinstance(file, PlinkStudy):
            file = attrs.evolve(file, individuals=people)
        else:
            file.individuals = people
        return attrs.evolve(self, people=people, file=file)

    def pieces(self, size: int) -> list[Any]:
        """Parts of at most so many bytes of packed genotypes, that can be counted."""
        if self.people is None:
            return []
        rows_of = max(size // bytes_of(len(self.people)), 1)
        if isinstance(self.file, PlinkStudy):
            return self.file.genotypes.pieces(rows_of, self.people.groups)
        return list(self.file.pieces(rows_of))

    def stretches(self, block: int) -> Iterator[tuple[NDArray[np.intp], Any]]:
        """Lines of variants that everybody has two copies of, and how some of them are read."""
        file: Any = self.file
        read: Callable[[NDArray[np.intp]], Copies]
        if isinstance(file, PlinkStudy):
            lines, read = self._autosomal_lines(file), file.genotypes.rows
        elif isinstance(file, PgenFile):
            lines, read = np.arange(len(file)), file.rows
        else:
            for copies in file.dosages(block):
                yield np.arange(len(copies)), copies.__getitem__
            return
        for start in range(0, len(lines), block):
            yield lines[start : start + block], read

    def blocks(self, block: int) -> Iterator[Copies]:
        """Genotypes of the variants that filters leave, so many at a time at most."""
        start, kept = 0, None
        if self.source.lists.of_variants:
            try:
                kept = self.source.lists.variants(self.every(), self.source.path)
            except NoVariants:
                return
        for lines, read in self.stretches(block):
            some = lines if kept is None else lines[kept[start : start + len(lines)]]
            if len(some):
                yield read(some)
            start += len(lines)

    def every(self) -> Variants:
        """The variants that everybody has two copies of."""
        file: Any = self.file
        if not isinstance(file, PlinkStudy):
            return file.variants()  # type: ignore[no-any-return]
        lines = self._autosomal_lines(file)
        check_some(len(lines), self.source.path, (len(file.variants), 0))
        return file.variants.take(lines)

    def variants(self) -> Variants:
        """Those of them that filters leave."""
        every = self.every()
        return every.take(self.source.lists.variants(every, self.source.path))

    def _autosomal_lines(self, file: PlinkStudy) -> NDArray[np.intp]:
        return np.flatnonzero(autosomal(file.variants.chromosome, self.source.how.autosomes))

    def gather(self, counted: Sequence[StoredArrays]) -> CountedStudy:
        """The counts of all pieces, of variants that everybody has two copies of."""
        path = self.source.path
        if self.people is not None:
            study = self._of_people(counted)
        elif (phenotype := self.source.how.phenotype) is not None:
            raise InvalidArgument(
                f"Expected no phenotype file with a table of counts, got {phenotype}. Leave it out."
            )
        elif self.source.lists.of_people:
            raise InvalidArgument(
                "Expected people one by one for a list of people, got a table of counts "
                f"{path}. Give PLINK, VCF or BGEN files."
            )
        else:
            check_file(path)
            study = read_counts(path)
        kept = autosomal(study.variants.chromosome, self.source.how.autosomes)
        if kept.all():
            return study
        check_some(int(kept.sum()), path, (len(kept), 0))
        return attrs.evolve(study.take(kept), not_autosomal=int(np.count_nonzero(~kept)))

    def _of_people(self, counted: Sequence[StoredArrays]) -> CountedStudy:
        left_out = (0, 0)
        if isinstance(self.file, PlinkStudy):
            variants = self.file.variants
        elif isinstance(self.file, PgenFile):
            variants = self.file.variants()
            left_out = self.file.not_autosomal, self.file.multiallelic_left_out
        else:
            left_out = tuple(np.sum([each["left_out"] for each in counted], axis=0).tolist())
            lines = [each["names"] for each in counted]
            names = [json.loads(e.tobytes()) if e.dtype == np.uint8 else e.tolist() for e in lines]
            variants = self.file.join_names(names, left_out)
        parts = [each["counts"] for each in counted]
        groups = parts[0] if len(parts) == 1 else np.concatenate(parts, axis=1)
        counts, people = GenotypeCounts(groups[0], groups[1]), self.file.individuals
        return CountedStudy(
            variants,
            counts,
            individuals=int(people.kept.sum()),
            cases=int(people.cases.sum()),
            controls=int(people.controls.sum()),
            missing_calls=counts.missing_calls,
            rule=MissingRule.LEAVE,
            not_autosomal=left_out[0],
            multiallelic_left_out=left_out[1],
            founder_controls=groups[2].astype(np.int64) if len(groups) > 2 else None,
        )


def open_parts(sources: Sequence[StudySource]) -> tuple[list[StudyPart], list[PeopleOrder]]:
    """The files of one study, of the same people, whose names stay with the first file alone.

    Beside them, where the first one's people stand in each.
    """
    parts: list[StudyPart] = []
    orders: list[PeopleOrder] = []
    for source in sources:
        first = parts[0].people if parts else None
        try:
            part = StudyPart.of(source, parts[0] if parts else None)
        except NobodyNamed:  # the phenotype file is about the first part's people, and not these
            if first is None:
                raise
            raise other_people(len(first), "others", source.path) from None
        orders.append(None)
        if first is not None and part.people is not None and first is not part.people:
            orders[-1] = match_people(first, part.people, source.path)
            part = part.without_names()
        parts.append(part)
    return parts, orders


def count_files(sources: Sequence[StudySource], effort: Effort) -> CountedStudy:
    """The counts of all files as those of one; a file of X alone counts what it leaves out."""
    size = PIECE
    if effort.memory is not None:
        check_memory([sources], effort.memory)
        size = min(PIECE, effort.memory // (_AT_ONCE * effort.workers))
    if effort.scheduler is not None:  # whose workers are in other folders
        sources = [attrs.evolve(each, path=each.path.absolute()) for each in sources]
    parts = [part.without_names() for part in open_parts(sources)[0]]
    pieces = [part.pieces(size) for part in parts]
    tasks = [each for of_part in pieces for each in of_part]
    where = effort.scheduler is not None, effort.checkpoint is not None
    counted = list(
        blocks(
            count_piece,
            [(each, *where) for each in tasks],
            effort,
            name="gwas-count",
            weights=[float(each.weight) for each in tasks],
            keys=[_key(each) for each in tasks] if effort.checkpoint is not None else None,
        )
    )
    stops = np.cumsum([len(of_part) for of_part in pieces]).tolist()
    left_out: list[tuple[int, int]] = []

    def gather(place: int) -> CountedStudy:
        try:
            return parts[place].gather(counted[stops[place] - len(pieces[place]) : stops[place]])
        except NoVariants as error:
            left_out.append(error.left_out)
            raise

    counts, which = skip_empty([partial(gather, place) for place in range(len(parts))])
    if len(parts) == 1:
        return counts[0]
    study = join_counts(counts, [sources[place].path for place in which])
    return attrs.evolve(
        study,
        not_autosomal=study.not_autosomal + sum(each[0] for each in left_out),
        multiallelic_left_out=study.multiallelic_left_out + sum(each[1] for each in left_out),
    )


def count_piece(task: tuple[Any, bool, bool]) -> StoredArrays:
    """Count a piece: `counts` by group, (n_groups, n_variants, 4), and of lines their `names`.

    It says whether it may be counted on another machine, and whether the result goes to a file.
    """
    piece, is_far, is_kept = task
    if is_far and not piece.path.exists():
        raise DataError(
            f"Expected {piece.path} on every worker of the cluster, got one without it. Put the "
            "study's files into a folder that all workers share, under the same name."
        )
    counted: StoredArrays = piece.counted()
    if is_kept and "names" in counted:
        counted["names"] = np.frombuffer(json.dumps(counted["names"].tolist()).encode(), np.uint8)
    return counted


def _key(piece: Any) -> str:
    """What a piece's counts follow from, if nobody changes a file and gives it its old date."""
    stamps = [stamp[:3] for stamp in _stamps(_files(piece.path.absolute()))]
    people = hashlib.sha256(b"".join(np.packbits(each).tobytes() for each in piece.groups))
    return f"{stamps} {piece.part} {people.hexdigest()}"


def _files(path: Path) -> list[Path]:
    return sorted(path.rglob("*")) if is_store(path) else [path]


_Stamp: TypeAlias = tuple[str, int, int, int]
"""Name, size, date and number of a file: of another file one of them is another."""


def _stamps(files: Iterable[Path]) -> list[_Stamp]:
    there = ((str(file), file.stat()) for file in files if file.is_file())
    return [(name, own.st_size, own.st_mtime_ns, own.st_ino) for name, own in there]


def _stamps_of(sources: Sequence[StudySource]) -> set[_Stamp]:
    return set(_stamps(file for source in sources for file in source.files()))


def _check_unchanged(sources: Sequence[StudySource], before: Set[_Stamp]) -> None:
    """Refuse files that somebody has changed or replaced since they were opened."""
    if changed := before ^ _stamps_of(sources):
        raise DataError(
            "Expected files that nobody changes while they are read, got another one at "
            f"{min(changed)[0]}. Run it again when the file is written."
        )


def check_memory(
    studies: Sequence[Sequence[StudySource]], memory: int, of_person: int = _PERSON
) -> None:
    """Refuse studies whose names and counts alone take more; how many there are is public.

    Known are the numbers of variants of PLINK's files, before anything of them is read.
    """
    variants = everybody = 0
    for study in studies:
        people = 0
        for source in study:
            if source.suffix == ".bed":
                bed = file_of(source.prefix, "bed")
                people = people or len(rows(source.fam))
                if bed.is_file():
                    variants += (bed.stat().st_size - HEADER) // max(bytes_of(people), 1)
            elif source.suffix == ".pgen":
                path = file_of(source.prefix, "pgen")
                variants += count_stored(path) if path.is_file() else 0
        everybody += people
    needed = _STARTED + _VARIANT * variants + of_person * everybody
    if needed > memory:
        raise InvalidArgument(
            f"Expected a memory of at least {-(-needed // _MB):,}MB for {variants:,} variants, got "
            f"{memory // _MB:,}MB. Allow more (--memory), or take fewer chromosomes at once."
        )


@attrs.frozen
class StudyGenotypes:
    """A study person by person, for simulations and attacks; nothing of it is ever released.

    Only variants that everybody has two copies of, in file order. Whom the lists leave out is
    neither a case nor a control, and has a column among the genotypes.
    """

    sources: Sequence[StudySource]
    individuals: Individuals
    parts: list[StudyPart] = attrs.field(repr=False)
    orders: list[PeopleOrder] = attrs.field(repr=False)
    before: Set[_Stamp] = attrs.field(repr=False)

    @classmethod
    def of(cls, sources: Sequence[StudySource]) -> "StudyGenotypes":
        """Open a study's files, none of them a table of counts."""
        for source in sources:
            if source.suffix == ".tsv":
                raise InvalidArgument(
                    f"Expected genotypes person by person, got a table of counts {source.path}. "
                    "Give PLINK, VCF or BGEN files."
                )
        before = _stamps_of(sources)
        parts, orders = open_parts(sources)
        people: Any = parts[0].people
        return cls(sources, people, parts, orders, before)

    @cached_property
    def variants(self) -> Variants:
        """The variants that filters leave."""
        some, which = skip_empty([part.variants for part in self.parts])
        return join_variants(some, [self.sources[place].path for place in which])

    def blocks(self, block: int) -> Iterator[Copies]:
        """Genotypes of these, so many at a time at most; it reads the files from their start.

        Arrays are of shape (n_variants, n_individuals), with copies of allele 1 and −1 for a
        missing call.
        """
        for part, order in zip(self.parts, self.orders, strict=True):
            for each in part.blocks(block):
                yield each if order is None else each[:, order]
        _check_unchanged(self.sources, self.before)

    def rows(self, which: NDArray[np.intp]) -> Copies:
        """Genotypes of these of the variants before filters, in any order."""
        copies, start = np.empty((len(which), len(self.individuals)), np.int8), 0
        for part, order in zip(self.parts, self.orders, strict=True):
            for lines, read in part.stretches(_AT_A_TIME):
                (own,) = np.nonzero((which >= start) & (which < start + len(lines)))
                if len(own):
                    rows = read(lines[which[own] - start])
                    copies[own] = rows if order is None else rows[:, order]
                start += len(lines)
        return copies


def genotypes(
    prefix: StudyPath | StudyFiles,
    *,
    phenotype: str | Path | None = None,
    phenotype_name: str | None = None,
    multiallelic: str | Multiallelic = Multiallelic.REFUSE,
    filters: Filters | None = None,
    autosomes: int = AUTOSOMES,
) -> StudyGenotypes:
    """Open a study, as `count_study` does, to read it person by person; not a table of counts."""
    lists = read_lists(filters, MissingRule.LEAVE)
    sources = StudySource.of(prefix, phenotype, phenotype_name, multiallelic, autosomes, lists)
    study = StudyGenotypes.of(sources)
    len(study.variants)  # a study without any is refused at once
    return study


def count_study(
    prefix: StudyPath | StudyFiles,
    *,
    phenotype: str | Path | None = None,
    phenotype_name: str | None = None,
    missing: str | MissingRule = MissingRule.REFUSE,
    multiallelic: str | Multiallelic = Multiallelic.REFUSE,
    filters: Filters | None = None,
    autosomes: int = AUTOSOMES,
    strata: str | Path | None = None,
    families: Families | None = None,
    owner: bool = False,
    reference: OtherPeople | None = None,
    progress: Progress | None = None,
    effort: Effort | None = None,
) -> CountedStudy:
    """Count a study's genotypes in cases and controls, in file order; arguments as of `gwas.scan`.

    Variants on chromosomes called X, Y or mitochondrial are left out, and so may missing calls be.
    With strata, their sums are counted in a second reading, and in one more reading cases and
    controls are compared with the people of a panel and of a reference. Where only the `owner` sees
    the answer, "major" is refused if the calls show that allele 2 is the rarer one.
    """
    rule = MissingRule(missing)
    lists = read_lists(filters, rule)
    sources = StudySource.of(prefix, phenotype, phenotype_name, multiallelic, autosomes, lists)
    check_allele_order(StudyFiles.of(prefix), lists.filters.allele_order, rule)
    if families is not None:
        check_families(StudyPart.of(sources[0]).people, families, sources[0].path)
    divided = None
    if strata is not None and rule is MissingRule.PANEL:
        raise InvalidArgument(
            'Expected missing "refuse" or "major" with strata, got "panel". Fill them with major.'
        )
    before = _stamps_of(sources)
    if strata is not None:
        own = StudyGenotypes.of(sources)
        codes = assign_strata(own.individuals, Path(strata))
        divided = count_strata(own.individuals, own.blocks, codes, rule)
    tell = notebook_bar(progress) or silent
    study = count_files(sources, attrs.evolve(effort or Effort(), progress=tell))
    others = [each for each in (lists.others, reference) if each is not None]
    if others and not holds_counts(StudyFiles.of(prefix)):  # in one more reading
        own = StudyGenotypes.of(sources)
        for each in others:
            each.refuse_participants(own.individuals, study.variants, own)
    _check_unchanged(sources, before)
    study = attrs.evolve(study, filters=lists.describe(sources[0].how.multiallelic.value))
    lists.check_excluded(study.variants)
    kept = lists.variants(study.variants, sources[0].path)
    study = study if kept.all() else study.take(kept)
    if rule is MissingRule.REFUSE and study.missing_calls:
        raise DataError(
            "Expected a call for every case and control at every variant, got missing ones at "
            f'{StudyFiles.of(prefix)}. Fill them with missing "major" (--missing major), or impute '
            "them from an outside panel; leaving some out would be a choice by looking."
        )
    if owner and rule is MissingRule.MAJOR:
        _refuse_rarer_filled(study.counts, StudyFiles.of(prefix))
    counts = study.counts
    if rule is MissingRule.MAJOR:
        counts = counts.fill_missing()
    elif rule is MissingRule.PANEL and lists.panel is not None:
        counts = counts.fill_missing(lists.panel.fill(study.variants))
    return attrs.evolve(study, counts=counts, rule=rule, strata=divided)


def _refuse_rarer_filled(counts: GenotypeCounts, files: StudyFiles) -> None:
    """Refuse missing calls that would be read as two copies of the rarer allele."""
    calls = counts.cases + counts.controls
    holes = calls[:, MISSING] > 0
    rarer = holes & (calls[:, 2] > calls[:, 0])
    if rarer.any():
        raise DataError(
            f"Expected allele 2 to be the commoner one wherever calls are missing, got the rarer "
            f"one at {int(rarer.sum()):,} of {int(holes.sum()):,} variants of {files}. Missing "
            "calls that are read as two copies of it make false hits, in a release too. Take a "
            'panel with missing "panel" (--missing panel), or write the file anew with allele 2 '
            "the commoner one."
        )
