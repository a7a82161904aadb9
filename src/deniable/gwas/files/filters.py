"""Public filters: lists and rules, not genotypes, say which variants and people are looked at.

What is chosen by looking at the genotypes that are to be protected (a minimum frequency in the
study itself, missing calls, Hardy and Weinberg's test) is a release of its own, without noise. So
there is no such filter: frequencies are a panel's, of other people.
"""

import hashlib
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.errors import DataError, InvalidArgument, validate
from deniable.errors.validate import to_path
from deniable.gwas.files.bgen import SUFFIX as BGEN_SUFFIX
from deniable.gwas.files.how_read import AlleleOrder, NoVariants
from deniable.gwas.files.individuals import NO_FAMILY, Individuals, Name, count_name_columns
from deniable.gwas.files.lines import (
    between_tabs,
    check_file,
    columns,
    decimal,
    digest,
    is_even,
    numbered,
    rows,
)
from deniable.gwas.files.panels import OtherPeople, Panel
from deniable.gwas.files.several import StudyFiles, StudyPath
from deniable.gwas.genotypes import (
    MOST_AUTOSOMES,
    Integers,
    MissingRule,
    Variants,
    chromosome_name,
)
from deniable.gwas.public_filters import NamedList, StudyFilters

_COLUMNS = {".frq": ("SNP", "A1", "A2", "MAF"), ".afreq": ("ID", "ALT", "REF", "ALT_FREQS")}
"""Columns of PLINK's --freq files: identifier, allele, the other one, the allele's frequency."""
_UNKNOWN = ("NA", "NAN")
_FAMILY = "FID"
_PLACELESS = "\t:0"
"""A variant without a name in a table of frequencies, which has no places."""
_PEOPLE = "family and individual, or the individual, in every line"
"""What a list of people holds."""

Key = tuple[str, frozenset[str]]
"""Identifier and alleles."""


@attrs.frozen
class FrequencyPanel:
    """Frequencies of alleles among other people, and their most frequent genotype.

    By identifier and alleles: an allele, its frequency, and copies of it that most people have. The
    people are known where the panel is of genotypes.
    """

    frequency: dict[Key, tuple[str, float]] = attrs.field(repr=False)
    genotype: dict[Key, int] = attrs.field(repr=False)
    sha256: str
    others: OtherPeople | None = attrs.field(default=None, repr=False)

    def __len__(self) -> int:
        return len(self.frequency)

    def rarer(self, variants: Variants) -> NDArray[np.float64]:
        """The frequency of the rarer allele; NaN where the panel does not know the variant."""
        known = [self.frequency.get(key, ("", np.nan))[1] for key in _keys(variants)]
        frequency = np.array(known, dtype=np.float64)
        return np.minimum(frequency, 1 - frequency)

    def fill(self, variants: Variants) -> NDArray[np.int64]:
        """The most frequent genotype, as copies of allele 1; of variants that the panel knows."""
        firsts = variants.allele_1.tolist()
        return np.array(
            [
                self.genotype[key] if self.frequency[key][0] == first else 2 - self.genotype[key]
                for key, first in zip(_keys(variants), firsts, strict=True)
            ],
            dtype=np.int64,
        )


_PanelPart = tuple[Variants, NDArray[np.float64], NDArray[np.intp], str]
"""Variants of a file, frequencies of allele 1, copies that most people have, and the digest."""


def read_panel(files: StudyPath | StudyFiles) -> FrequencyPanel:
    """A panel from PLINK's frequencies (.frq, .afreq) or from genotypes (PREFIX of bed, bim, fam).

    The most frequent genotype is counted where there are genotypes; from frequencies alone it is
    the one that is most frequent in Hardy and Weinberg's ratios. Among equals it is one copy, or
    else two copies of the allele whose name comes first. Several files are parts of one panel, of
    the same people; its digest is that of theirs.
    """
    parts: list[_PanelPart] = []
    genotyped: list[tuple[Panel, Integers, Path]] = []
    known: set[Key] = set()
    for path in StudyFiles.of(files).paths:
        if path.suffix.lower() in _COLUMNS:
            parts.append(_read_frequencies(path))
        else:
            panel = Panel.of_file(path)
            counts = panel.counts(lambda _: None)
            genotyped.append((panel, counts, path))
            called = counts[:, :3].sum(axis=1)
            copies = counts[:, 1] + 2 * counts[:, 2]
            frequency = np.where(called > 0, copies / np.maximum(2 * called, 1), np.nan)
            # Of equally frequent ones one copy, else two of the allele whose name comes first: so
            # the order of the alleles in the file decides nothing.
            first = np.less(panel.variants.allele_1, panel.variants.allele_2, dtype=bool)
            ranked = np.where(first[:, None], [0, 2, 1], [1, 2, 0]) + 3 * counts[:, :3]
            sha256 = digest(panel.genotypes.path)
            parts.append((panel.variants, frequency, ranked.argmax(axis=1), sha256))
        keys = {key for key in _keys(parts[-1][0]) if key[0] != _PLACELESS}
        if known & keys:
            raise DataError(
                "Expected every variant in one file of a panel, got some of an earlier one at "
                f"{path}. Leave one of both files out."
            )
        known |= keys
    others = None
    if genotyped:
        panels, counted, paths = zip(*genotyped, strict=True)
        panel = Panel.join(panels, paths)
        others = OtherPeople(panel, np.concatenate(counted), f"panel, {StudyFiles.of(files)}")
    every, frequencies, most, digests = zip(*parts, strict=True)
    variants, p, copies = Variants.join(every), np.concatenate(frequencies), np.concatenate(most)
    # Variants that stand once and whose frequency is known.
    of_all, firsts = _keys(variants), variants.allele_1.tolist()
    times, is_known = Counter(of_all), ~np.isnan(p)
    rows_of = [i for i, key in enumerate(of_all) if times[key] == 1 and is_known[i]]
    sha256 = hashlib.sha256("".join(digests).encode()).hexdigest()
    return FrequencyPanel(
        {of_all[i]: (firsts[i], float(p[i])) for i in rows_of},
        {of_all[i]: int(copies[i]) for i in rows_of},
        digests[0] if len(digests) == 1 else sha256,
        others,
    )


def _read_frequencies(path: Path) -> _PanelPart:
    check_file(path, "a panel")
    header, *lines = rows(path) or [[]]
    words = [word.lstrip("#") for word in header]
    named = _COLUMNS[path.suffix.lower()]
    wrong = DataError(
        f"Expected frequencies with the columns {', '.join(named)}, as PLINK's --freq writes "
        f"them, got others at {path}."
    )
    if any(words.count(name) != 1 for name in named) or not lines:
        raise wrong
    if any(len(line) != len(words) for line in lines):
        raise wrong
    which = [words.index(name) for name in named]
    # A line of several alternatives has several frequencies; it is no variant of two alleles.
    pairs = [cells for line in lines if "," not in (cells := [line[i] for i in which])[1]]
    try:
        values = [np.nan if p.upper() in _UNKNOWN else decimal(p) for *_, p in pairs]
    except ValueError:
        raise wrong from None
    frequency = np.array(values, dtype=np.float64)
    if bool(((frequency < 0) | (frequency > 1)).any()):
        raise wrong
    p = np.nan_to_num(frequency)
    # 2p(1 − p) is the most between 1/3 and 2/3.
    most = np.where(np.minimum(p, 1 - p) >= 1 / 3, 1, np.where(p < 0.5, 0, 2))
    nothing = [""] * len(pairs)
    names, first, second = ([cells[i] for cells in pairs] for i in range(3))
    return Variants(nothing, names, [0] * len(pairs), first, second), frequency, most, digest(path)


def _keys(variants: Variants) -> list[Key]:
    columns = variants.names_or_places(), variants.allele_1.tolist(), variants.allele_2.tolist()
    return [(name, frozenset(alleles)) for name, *alleles in zip(*columns, strict=True)]


def _files(value: Any) -> StudyFiles:
    return StudyFiles.of(value)


def _chromosomes(value: str | Iterable[str]) -> tuple[str, ...]:
    words = value.split(",") if isinstance(value, str) else validate.several(value, "chromosomes")
    names = [str(word).strip() for word in words]
    if value and not all(names):
        raise InvalidArgument("Expected names of chromosomes between commas, got an empty one.")
    for name in names:
        first, dash, last = name.removeprefix("chr").partition("-")
        if dash and first.isdecimal() and last.isdecimal():
            every = ",".join(map(str, range(int(first), min(int(last), MOST_AUTOSOMES) + 1)))
            every = every or "them one by one"
            raise InvalidArgument(
                f"Expected names of chromosomes between commas, got {name}. Write {every}."
            )
    return tuple(dict.fromkeys(chromosome_name(name) for name in names if name))


def _frequency(value: float) -> float:
    least = validate.probability(value, "min_frequency")
    if least > 0.5:
        raise InvalidArgument(
            f"Expected min_frequency <= 0.5, got min_frequency={least}. It is the rarer allele's."
        )
    return least


@attrs.frozen
class Filters:
    """The variants and people of a study that a command uses.

    All lists must be public, or decided before anybody looked at the genotypes.

    Parameters
    ----------
    extract, exclude : path, optional
        Identifiers of variants, one a line: only these; all but these.
    keep, remove : path, optional
        People, family and individual a line, or the individual alone: only these; all but these.
        Columns behind these two do not count, so that a fam or phenotype file is such a list.
        The guarantee is then about the people who are left.
    chromosomes : str or iterable of str
        Only these, between commas, with or without "chr"; empty for all.
    min_frequency : float, optional
        The least frequency of the rarer allele in `panel`, in [0, 0.5].
    panel : path, optional
        Other people: PREFIX of PLINK files, or frequencies as PLINK writes them (.frq, .afreq); or
        several, as of `scan`. Variants that it lacks are left out.
    allele_order : {"ref-first", "ref-last"}, optional
        Where the reference stands in the lines of a BGEN file, which does not say so itself.

    Raises
    ------
    InvalidArgument
        If a minimum frequency has no panel, or is out of range.

    Examples
    --------
    >>> Filters(chromosomes="chr1,2").chromosomes
    ('1', '2')
    """

    extract: Path | None = attrs.field(default=None, converter=attrs.converters.optional(to_path))
    exclude: Path | None = attrs.field(default=None, converter=attrs.converters.optional(to_path))
    keep: Path | None = attrs.field(default=None, converter=attrs.converters.optional(to_path))
    remove: Path | None = attrs.field(default=None, converter=attrs.converters.optional(to_path))
    chromosomes: tuple[str, ...] = attrs.field(default=(), converter=_chromosomes)
    min_frequency: float | None = attrs.field(
        default=None, converter=attrs.converters.optional(_frequency)
    )
    panel: StudyFiles | None = attrs.field(
        default=None, converter=attrs.converters.optional(_files)
    )
    allele_order: AlleleOrder | None = attrs.field(
        default=None, converter=attrs.converters.optional(AlleleOrder)
    )

    def __attrs_post_init__(self) -> None:
        if self.min_frequency is not None and self.panel is None:
            raise InvalidArgument(
                "Expected a panel of other people for a minimum frequency, got none. Give one with "
                "--panel; leaving out what is rare among the participants themselves would tell, "
                "without noise, what they carry."
            )

    def opened(self) -> "Lists":
        """The lists, read."""
        return Lists(
            self,
            extract=None if self.extract is None else _read_list(self.extract),
            exclude=None if self.exclude is None else _read_list(self.exclude),
            keep=None if self.keep is None else _people(self.keep),
            remove=None if self.remove is None else _people(self.remove),
            panel=None if self.panel is None else read_panel(self.panel),
        )


@attrs.frozen
class _Listed:
    names: frozenset[str]
    named: NamedList


@attrs.frozen
class _PeopleList:
    """The people whom each line of a list may mean, by the line's number.

    Without a header a line is read by white space, by tabs and as a whole, since a name may hold a
    space. Of uneven lines only the whole is left, which takes a study with such names.
    """

    path: Path
    lines: dict[int, set[tuple[str | None, str]]]
    even: bool


@attrs.frozen
class Lists:
    """Filters with their lists, ready to be applied."""

    filters: Filters
    extract: _Listed | None
    exclude: _Listed | None
    keep: _PeopleList | None
    remove: _PeopleList | None
    panel: FrequencyPanel | None

    @property
    def of_people(self) -> bool:
        """Whether people are chosen."""
        return self.keep is not None or self.remove is not None

    @property
    def others(self) -> OtherPeople | None:
        """The people of the panel, where it is of genotypes."""
        return None if self.panel is None else self.panel.others

    @property
    def of_variants(self) -> bool:
        """Whether variants are chosen."""
        lists = self.extract, self.exclude, self.panel
        return any(each is not None for each in lists) or bool(self.filters.chromosomes)

    def variants(self, variants: Variants, where: object) -> NDArray[np.bool_]:
        """Which variants take part: a rule of names, alleles and the panel alone."""
        names = variants.identifier.tolist()
        kept = np.ones(len(variants), dtype=bool)
        if self.extract is not None:
            kept &= [name in self.extract.names for name in names]
        if self.exclude is not None:
            kept &= [name not in self.exclude.names for name in names]
        if chromosomes := self.filters.chromosomes:
            spelled = {
                name: chromosome_name(name) in chromosomes for name in set(variants.chromosome)
            }
            kept &= [spelled[name] for name in variants.chromosome.tolist()]
        if self.panel is not None:
            rarer = self.panel.rarer(variants)  # NaN where the panel lacks the variant
            kept &= rarer >= (self.filters.min_frequency or 0.0)
        if not kept.any():
            raise NoVariants(
                f"Expected a variant or more that passes all filters, got none at {where}. Compare "
                "its identifiers with those of the lists; X, Y and mitochondria never count."
            )
        return kept

    def check_excluded(self, variants: Variants) -> None:
        """Refuse a list to exclude that names no variant of the whole study."""
        if self.exclude is not None and self.exclude.names.isdisjoint(variants.identifier.tolist()):
            raise DataError(
                "Expected a variant of the study in a list to exclude, got none at "
                f"{self.filters.exclude}. Write identifiers as the study has them."
            )

    def people(self, individuals: Individuals, where: Path) -> Individuals:
        """Everybody whom the lists leave; the others have no phenotype any more."""
        remaining = individuals
        if self.of_people:
            remaining = individuals.only(self.left_of(individuals.names))
        if self.others is not None:
            self.others.refuse_names(remaining)
        if self.of_people and not (remaining.cases.any() and remaining.controls.any()):
            raise DataError(
                "Expected a case and a control or more among the people whom the lists leave, got "
                f"none at {where}. Compare the names of its {len(individuals):,} people with those "
                "of the lists."
            )
        return remaining

    def left_of(self, names: Sequence[Name]) -> NDArray[np.bool_]:
        """Say which of these people the lists leave, shape (n_individuals,)."""
        kept = np.ones(len(names), dtype=bool)
        if self.keep is not None:
            kept &= _among(names, self.keep)
        if self.remove is not None:
            listed = _among(names, self.remove)
            if not listed.any():
                raise DataError(
                    "Expected somebody of the study in a list of people to remove, got nobody at "
                    f"{self.remove.path}. Write family and individual as the study has them."
                )
            kept &= ~listed
        return kept

    def describe(self, multiallelic: str) -> StudyFilters:
        """What a certificate says of them."""
        people = {
            (True, False): "kept", (False, True): "removed", (True, True): "kept-and-removed",
        }.get((self.keep is not None, self.remove is not None))  # fmt: skip
        return StudyFilters(
            extract=None if self.extract is None else self.extract.named,
            exclude=None if self.exclude is None else self.exclude.named,
            chromosomes=self.filters.chromosomes,
            minimum_frequency=self.filters.min_frequency,
            panel=None if self.panel is None else NamedList(self.panel.sha256, len(self.panel)),
            people=people,
            multiallelic=multiallelic,
        )


def read_lists(filters: Filters | None, rule: MissingRule) -> Lists:
    """The filters' lists, and a panel where missing calls are filled from one."""
    given = filters or Filters()
    if rule is MissingRule.PANEL and given.panel is None:
        raise InvalidArgument(
            "Expected a panel of other people to fill missing calls from, got none. Give one with "
            "--panel."
        )
    return given.opened()


def check_allele_order(files: StudyFiles, order: AlleleOrder | None, rule: MissingRule) -> None:
    """Refuse to read missing calls as the reference of a BGEN file, which does not name it."""
    if rule is not MissingRule.MAJOR or order is not None:
        return
    for path in files.paths:
        if path.name.lower().endswith(BGEN_SUFFIX):
            raise InvalidArgument(
                f'Expected the order of the alleles of {path} with missing "major", got none. A '
                "BGEN file does not say which allele is the reference. Give --allele-order "
                "ref-first for UK Biobank's files and those of plink2 --export bgen-1.2 ref-first, "
                "or ref-last for those of plink2 --export bgen-1.2 alone; or fill from a panel "
                "(--missing panel)."
            )


def _read_list(path: Path) -> _Listed:
    what = "identifiers of variants, one a line"
    lines = columns(list(_lines(path).values()))
    if not lines or not is_even(lines):
        raise _no_list(what, path)
    if len(lines[0]) != 1:
        raise DataError(
            f"Expected {what}, got {len(lines[0])} columns at {path}. Leave only the names."
        )
    names = frozenset(line[0] for line in lines)
    return _Listed(names, NamedList(digest(path), len(names)))


def _people(path: Path) -> _PeopleList:
    # Columns behind the names do not count: PLINK, too, takes a fam or a psam file for a list.
    lines = _lines(path)
    texts = list(lines.values())
    table = columns(texts)
    header = count_name_columns(table[0]) if table else 0
    headed = header > 0 or table[:1] == [[_FAMILY]]
    if headed and len(table) == 1:
        raise DataError(f"Expected somebody in a list of people, got nobody at {path}.")
    even = is_even(table)
    if not table or (headed and not even):
        raise _no_list(_PEOPLE, path)
    if headed:
        pairs: list[set[tuple[str | None, str]]] = [
            {(line[0], line[1]) if header == 2 else (None, line[0])} for line in table[1:]
        ]
        return _PeopleList(path, dict(zip([*lines][1:], pairs, strict=True)), even)
    words = [[word.decode() for word in text.split()] for text in texts]
    cells = between_tabs(texts)
    wholes = [[] if b"\t" in text else [text.strip().decode()] for text in texts]
    tables = [wholes, *(each for each in (words, cells) if each and is_even(each))]
    readings = (
        {(line[0], line[1]) if len(line) > 1 else (None, line[0]) for line in each if line}
        for each in zip(*tables, strict=True)
    )
    return _PeopleList(path, dict(zip(lines, readings, strict=True)), even)


def _lines(path: Path) -> dict[int, bytes]:
    check_file(path, "a list")
    return numbered(path, headed=True)


def _no_list(what: str, path: Path) -> DataError:
    return DataError(f"Expected {what}, got another file at {path}. Write the list anew.")


def _among(names: Sequence[Name], people: _PeopleList) -> NDArray[np.bool_]:
    """Say who is listed; a line of the individual alone means everybody of that name.

    A family of "0", as where a file has none, is no family: then the individual alone counts, where
    no person has that family and that name.
    """
    if not people.even and not any(" " in part for name in names for part in name):
        raise _no_list(_PEOPLE, people.path)
    places: dict[str, list[int]] = {}
    for place, (_, name) in enumerate(names):
        places.setdefault(name, []).append(place)

    def mean(family: str | None, name: str) -> tuple[int, ...]:
        own = places.get(name, [])
        exact = [place for place in own if names[place][0] == family]
        if exact or family in (None, NO_FAMILY):
            return tuple(exact or own)
        return tuple(place for place in own if names[place][0] == NO_FAMILY)

    listed: set[int] = set()
    for number, readings in people.lines.items():
        meant = {which for reading in readings if (which := mean(*reading))}
        if len(meant) > 1:
            raise DataError(
                "Expected a line that names one person, got one that may mean several people at "
                f"{people.path}, line {number}. Name the columns in a first line, FID and IID or "
                "#IID alone, and put tabs between them."
            )
        listed.update(*meant)
    return np.isin(np.arange(len(names)), list(listed))
