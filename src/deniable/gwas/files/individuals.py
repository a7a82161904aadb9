"""Cases, controls, their strata and families: fam files, phenotype files, strata, families."""

import os
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.errors import DataError, InvalidArgument
from deniable.gwas.files.lines import check_file, decimal, rows
from deniable.gwas.genotypes import AS_ARRAYS, MissingRule, Strata, strata_sizes, sum_over_strata
from deniable.gwas.public_filters import FAM, Families

Name = tuple[str, str]
"""Family and individual."""

NO_FAMILY = "0"
_COLUMNS = 3
"""Family, individual, phenotype or stratum: the columns of a file without a header."""
_FAMILY, _INDIVIDUAL = "FID", "IID"
_NO_PHENOTYPES = ("SID", "PAT", "MAT", "SEX")
"""Columns of a .psam file that hold no phenotype."""
_NAMED = 10
"""Names of phenotypes that an error lists: a line."""
_NO_PHENOTYPE = ("NA", "NAN", ".", "")
"""Words for an unknown phenotype, beside the numbers."""


class NobodyNamed(DataError):
    """A phenotype file is about nobody of a file of genotypes: one of both is of another study."""


@attrs.frozen
class PeopleTable:
    """People in file order, with their columns of phenotypes by name.

    The family of a name is "0" where the file names none; then `families` is false, and people are
    found by the individual alone. Founders have no parents, where the file has that.
    """

    path: Path
    names: list[Name]
    families: bool
    phenotypes: dict[str, list[str]]
    founders: NDArray[np.bool_] | None = attrs.field(default=None, eq=AS_ARRAYS, repr=False)

    def select(self, phenotype: str | None) -> list[str]:
        """The values of the one phenotype, or of the named one, in file order."""
        known = list(self.phenotypes)
        listed = ", ".join(known[:_NAMED]) + ", …" * (len(known) > _NAMED)
        if phenotype is None:
            if len(known) == 1:
                return self.phenotypes[known[0]]
            if not known:
                raise DataError(
                    f"Expected a phenotype, got a file without one at {self.path}. Give a "
                    "phenotype file with --pheno."
                )
            raise DataError(
                f"Expected one phenotype, got {len(known)} ({listed}) at {self.path}. Choose one "
                "with --pheno-name."
            )
        if phenotype not in self.phenotypes:
            raise DataError(
                f"Expected a phenotype {phenotype}, got {listed or 'none'} at {self.path}. Give "
                "the name of one of its columns with --pheno-name."
            )
        return self.phenotypes[phenotype]

    def of(
        self, names: Sequence[Name], phenotype: str | None, *, families: bool = True
    ) -> list[str]:
        """The phenotypes of these people; unknown for who is not in the table."""
        own: list[Any] = self.names
        wanted: list[Any] = list(names)
        if not (self.families and families):
            own, wanted = [name for _, name in own], [name for _, name in wanted]
            check_distinct(own, self.path)
        known = dict(zip(own, self.select(phenotype), strict=True))
        if not (self.families and families):
            check_distinct([name for name in wanted if name in known], self.path)
        values = [known.get(name) for name in wanted]
        if not all(value is None for value in values):
            return ["0" if value is None else value for value in values]
        # How names differ, where that is plain.
        individuals = {name for _, name in names}
        how = "Write family and individual as the study has them."
        if individuals & {f"{family}_{name}" for family, name in self.names}:
            how = (
                "The study joins family and individual by _, as plink2 does when it writes VCF or "
                "BGEN. Write the individual so in the file."
            )
        elif individuals & {name for _, name in self.names}:
            how = "Individuals match and families do not. Write the study's families in the file."
        raise NobodyNamed(
            f"Expected somebody of the study in the phenotype file, got {len(self.names):,} people "
            f"none of whom is among the {len(names):,} of the study at {self.path}. {how}"
        )


def phenotype_file(path: Path) -> PeopleTable:
    """A phenotype file: family, individual, phenotype; or any phenotypes below a header.

    A header begins with FID IID, #FID IID or #IID, as PLINK's. In a line without a header a word
    that is no number is an unknown phenotype, as in a fam file.
    """
    check_file(path, "a phenotype file")
    lines = rows(path)
    if lines and (start := count_name_columns(lines[0])):
        return _read_headed(lines, start, path)
    lines = rows(path, _COLUMNS)
    if not lines or any(len(line) != _COLUMNS for line in lines):
        raise DataError(
            f"Expected {_COLUMNS} columns (family, individual, phenotype) in every line, got "
            f"others at {path}. Leave one phenotype in the file, or name the columns in a first "
            "line that begins with FID IID."
        )
    if _is_header(lines[0][2]) and not any(_is_header(line[2]) for line in lines[1:]):
        raise DataError(
            "Expected a header that begins with FID IID, or none, got another first line at "
            f"{path}. Name the first two columns FID and IID."
        )
    names = [(line[0], line[1]) for line in lines]
    check_distinct(names, path)
    values = _without_words([line[2] for line in lines])
    return PeopleTable(path, names, True, {"phenotype": values})


def check_distinct(names: Sequence[Any], path: Path) -> None:
    """Refuse a list that names somebody twice."""
    if len(set(names)) < len(names):
        raise DataError(
            f"Expected every individual once, got one person twice at {path}. Remove duplicates."
        )


def count_name_columns(line: Sequence[str]) -> int:
    """How many columns of a header name a person: family and individual, the latter, or none."""
    words = [word.upper() for word in line[:2]]
    first = words[0].lstrip("#")
    if first == _FAMILY and words[1:] == [_INDIVIDUAL]:
        return 2
    return 1 if first == _INDIVIDUAL else 0


def _read_headed(lines: list[list[str]], start: int, path: Path) -> PeopleTable:
    header, *others = lines
    if not others or any(len(line) != len(header) for line in others):
        raise DataError(
            f"Expected {len(header)} columns in every line, as the header names, got others at "
            f"{path}. Write NA where a phenotype is unknown, and tabs between columns where a name "
            "has a space."
        )
    columns = header[start:]
    if len(set(columns)) < len(columns):
        raise DataError(f"Expected every column once, got one twice at {path}. Rename it.")
    values = {name: [line[i] for line in others] for i, name in enumerate(columns, start)}
    family = (line[0] if start == 2 else NO_FAMILY for line in others)
    names = list(zip(family, (line[start - 1] for line in others), strict=True))
    check_distinct(names, path)
    founders = None
    if "PAT" in values and "MAT" in values:
        pairs = zip(values["PAT"], values["MAT"], strict=True)
        founders = np.array([father == mother == "0" for father, mother in pairs])
    phenotypes = {name: of for name, of in values.items() if name.upper() not in _NO_PHENOTYPES}
    return PeopleTable(path, names, start == 2, phenotypes, founders)


def _without_words(phenotypes: Sequence[str]) -> list[str]:
    """PLINK 1's phenotypes: what is no number is unknown."""
    words = {word: "NA" if _is_header(word) else word for word in set(phenotypes)}
    return [words[word] for word in phenotypes]


def _is_header(word: str) -> bool:
    """Whether it is no number, not even one that Python alone reads, nor unknown."""
    try:
        float(word)
    except ValueError:
        return word.upper() not in _NO_PHENOTYPE
    return False


_CONTROL, _CASE, _UNKNOWN = 1, 2, 0
"""Phenotypes of PLINK: control, case, unknown."""
_STATUS = {1.0: _CONTROL, 2.0: _CASE, 0.0: _UNKNOWN, -9.0: _UNKNOWN}
_FAM_COLUMNS = 6
"""Columns of a line of a fam file."""


_EVERYBODY = attrs.Factory(lambda self: np.ones(len(self.cases), bool), takes_self=True)


@attrs.frozen
class Individuals:
    """Everybody in a file, in its order, and their phenotype; arrays of shape (n_individuals,).

    Nobody is both a case and a control; who is neither has no known phenotype. Founders have
    neither father nor mother in the pedigree; all are where a file has none. The family of a name
    is "0" where the file names none; then `families` is false, and people are found by the
    individual alone. Whom lists of people leave are `kept`; the others are neither cases nor
    controls.
    """

    cases: NDArray[np.bool_] = attrs.field(eq=AS_ARRAYS, repr=False)
    controls: NDArray[np.bool_] = attrs.field(eq=AS_ARRAYS, repr=False)
    founders: NDArray[np.bool_] = attrs.field(default=_EVERYBODY, eq=AS_ARRAYS, repr=False)
    names: tuple[Name, ...] = attrs.field(default=(), repr=False)
    families: bool = False
    kept: NDArray[np.bool_] = attrs.field(default=_EVERYBODY, eq=AS_ARRAYS, repr=False)

    def __len__(self) -> int:
        return len(self.cases)

    @property
    def groups(self) -> tuple[NDArray[np.bool_], ...]:
        """Cases, controls, and those of them who are founders where some are not."""
        founders = self.controls & self.founders
        everybody = founders.sum() == self.controls.sum()
        return (self.cases, self.controls, *(() if everybody else (founders,)))

    def only(self, kept: NDArray[np.bool_]) -> "Individuals":
        """These people; the others stay in the file and have no phenotype any more."""
        return attrs.evolve(
            self, cases=self.cases & kept, controls=self.controls & kept, kept=self.kept & kept
        )


def from_fam(
    fam: Path, phenotype: Path | None = None, phenotype_name: str | None = None
) -> Individuals:
    """Individuals of a fam file; their phenotype from its last column or from another file.

    A line holds family, individual, father, mother, sex, phenotype: 1 control, 2 case; 0, −9 or a
    word that is no number: unknown. Who is not in a phenotype file is unknown; who is only in it is
    nobody.
    """
    lines = rows(fam, _FAM_COLUMNS)
    if not lines or any(len(line) != _FAM_COLUMNS for line in lines):
        raise DataError(
            f"Expected {_FAM_COLUMNS} columns (family, individual, father, mother, sex, phenotype) "
            f"in every line, got others at {fam}. Write it with plink --make-bed."
        )
    names = [(line[0], line[1]) for line in lines]
    check_distinct(names, fam)
    if phenotype is None and phenotype_name is not None:
        raise InvalidArgument(
            f"Expected a phenotype file for the name {phenotype_name}, got none. Give one with "
            "--pheno."
        )
    own = {"phenotype": _without_words([line[5] for line in lines])}
    founders = np.array([line[2] == line[3] == "0" for line in lines])
    return from_table(PeopleTable(fam, names, True, own, founders), phenotype, phenotype_name)


def from_psam(
    psam: Path, phenotype: Path | None = None, phenotype_name: str | None = None
) -> Individuals:
    """Individuals of PLINK 2; without a header the file is read as a fam file.

    The phenotype's name also chooses among the columns of the .psam file itself.
    """
    lines = rows(psam, headed=True)
    if not lines or not (start := count_name_columns(lines[0])):
        return from_fam(psam, phenotype, phenotype_name)
    return from_table(_read_headed(lines, start, psam), phenotype, phenotype_name)


def from_table(
    people: PeopleTable, phenotype: Path | None = None, phenotype_name: str | None = None
) -> Individuals:
    """Individuals of a table that has phenotypes of its own."""
    if phenotype is None:
        individuals = _divide(people.select(phenotype_name), people.path)
    else:
        table = phenotype_file(phenotype)
        values = table.of(people.names, phenotype_name, families=people.families)
        individuals = _divide(values, phenotype)
    founders = individuals.founders if people.founders is None else people.founders
    names = tuple(people.names)
    return attrs.evolve(individuals, founders=founders, names=names, families=people.families)


def from_names(
    names: Sequence[str], phenotype: Path, phenotype_name: str | None = None
) -> Individuals:
    """Individuals of a file without families, found by their own column of a phenotype file."""
    people = tuple((NO_FAMILY, name) for name in names)
    values = phenotype_file(phenotype).of(people, phenotype_name, families=False)
    return attrs.evolve(_divide(values, phenotype), names=people)


def _divide(values: Sequence[str], path: Path) -> Individuals:
    words = dict[str, int]()
    for word in set(values):
        try:
            words[word] = _UNKNOWN if word.upper() in _NO_PHENOTYPE else _STATUS[decimal(word)]
        except (ValueError, KeyError):
            raise DataError(
                "Expected phenotypes 1 (control), 2 (case), 0 or -9 (unknown), got another value "
                f"at {path}. Divide a quantitative phenotype into cases and controls first, and "
                "write numbers in ASCII's digits without underscores."
            ) from None
    if {decimal(word) for word in words if word.upper() not in _NO_PHENOTYPE} == {0.0, 1.0}:
        raise DataError(
            f"Expected phenotypes 1 (control) and 2 (case), got 0 and 1 only at {path}. Code "
            "cases 2 and controls 1; with 0 for controls, plink --1 --make-bed does it."
        )
    status = np.array([words[value] for value in values])
    individuals = Individuals(status == _CASE, status == _CONTROL)
    for group, what, code in (
        (individuals.cases, "case", _CASE),
        (individuals.controls, "control", _CONTROL),
    ):
        if not group.any():
            raise DataError(
                f"Expected a {what} or more (phenotype {code}), got none among the "
                f"{len(values)} individuals at {path}. Give a phenotype file with --pheno."
            )
    return individuals


_NO_STRATUM = "NA"
"""What PLINK takes for no stratum."""
BLOCK_CELLS = 2**24
"""Genotypes in a block: 16 MiB unpacked."""

Blocks = Callable[[int], Iterator[NDArray[np.int8]]]
"""Given a number of variants, arrays of so many rows with everybody's copies, −1 for missing."""


def assign_strata(individuals: Individuals, path: Path) -> NDArray[np.int64]:
    """The number of everybody's stratum, from 0, in an order that says nothing; (n_individuals,).

    It is −1 for who is neither a case nor a control. The file holds family, individual, stratum, a
    line a person; or individual, stratum below a header that begins with #IID. Who is only in it is
    nobody.
    """
    taking_part = individuals.cases | individuals.controls
    words = [
        _NO_STRATUM if word is None else word
        for word in _read_words(individuals, path, "a file of strata", "stratum")
    ]
    if any(word == _NO_STRATUM for word, part in zip(words, taking_part, strict=True) if part):
        raise DataError(
            f"Expected a stratum for every case and control, got none for somebody at {path}. Put "
            "everybody into the file, those of unknown origin into a stratum of their own."
        )
    # As objects: NumPy's own texts end before a last NUL, and two strata would be one.
    _, codes = np.unique(np.array(words, dtype=np.object_), return_inverse=True)
    return np.where(taking_part, codes, -1)


def count_strata(
    individuals: Individuals, blocks: Blocks, codes: NDArray[np.int64], rule: MissingRule
) -> Strata:
    """Sums over the strata (`assign_strata`) that have cases and controls."""
    number = int(codes.max(initial=0)) + 1
    cases, controls = (
        np.bincount(codes[group], minlength=number)
        for group in (individuals.cases, individuals.controls)
    )
    sizes = strata_sizes(cases.tolist(), controls.tolist())
    # Columns in the order of strata that have both, their cases before their controls.
    cells = np.where(codes >= 0, 2 * codes + individuals.controls, 0)
    (kept,) = np.nonzero((codes >= 0) & ((cases > 0) & (controls > 0))[codes])
    order = kept[np.argsort(cells[kept], kind="stable")]
    _, starts, people = np.unique(cells[order], return_index=True, return_counts=True)
    parts = []
    for block in blocks(max(BLOCK_CELLS // len(codes), 1)):
        dosages = block[:, order]
        called = np.broadcast_to(people, (len(dosages), len(people)))
        if rule is MissingRule.LEAVE:
            called = np.add.reduceat(dosages >= 0, starts, axis=1, dtype=np.int64)
        copies = np.add.reduceat(np.maximum(dosages, 0), starts, axis=1, dtype=np.int64)
        shape = len(dosages), len(sizes), 2
        parts.append(sum_over_strata(copies.reshape(shape), called.reshape(shape)))
    return Strata(sizes, *(np.concatenate(column) for column in zip(*parts, strict=True)))


def _read_words(individuals: Individuals, path: Path, what: str, word: str) -> list[str | None]:
    """Return everybody's stratum or family; None for who is not in the file."""
    check_file(path, what)
    lines = rows(path)
    header = count_name_columns(lines[0]) if lines else 0
    lines = lines if header else rows(path, _COLUMNS)
    start = header or 2
    people = lines[1:] if header else lines
    if not people or any(len(line) != start + 1 for line in lines):
        raise DataError(
            f"Expected {start + 1} columns (family, individual, {word}, or below a header that "
            f"begins with #IID individual and {word}) in every line, got others at {path}. Leave "
            f"one {word} in the file, and write it without spaces."
        )
    listed = [(line[0] if start == 2 else NO_FAMILY, line[start - 1]) for line in people]
    check_distinct(listed, path)
    names: list[Name] = list(individuals.names)
    if not (start == 2 and individuals.families):
        check_distinct([name for _, name in listed], path)
        listed, names = ([(NO_FAMILY, name) for _, name in each] for each in (listed, names))
    taking_part = (individuals.cases | individuals.controls).tolist()
    check_distinct([name for name, part in zip(names, taking_part, strict=True) if part], path)
    known = dict(zip(listed, (line[start] for line in people), strict=True))
    return [known.get(name) for name in names]


FamilyPath = str | os.PathLike[str]
"""The word "fam", or a file: family, individual, group of relatives."""


def check_families(individuals: Individuals | None, stated: Families, path: Path) -> None:
    """Refuse a study in which more participants are of one family than was stated.

    Neither a family nor its size is named. A family "0" is none, as in PLINK: each person is alone.
    So is a person who is not on a list.
    """
    families = stated.path
    if families is None:
        return
    if individuals is None:
        raise InvalidArgument(
            f"Expected people one by one for families, got a table of counts {path}. Give the "
            "size alone (--family-size), or PLINK files."
        )
    if families == FAM:
        if not individuals.families:
            raise DataError(
                f"Expected a family for each person, got a file without families at {path}. Give "
                "a list of families (--families FILE)."
            )
        words: Sequence[str | None] = [family for family, _ in individuals.names]
    else:
        path = Path(families)
        words = _read_words(individuals, path, "a list of families", "family group")
    pairs = zip(words, (individuals.cases | individuals.controls).tolist(), strict=True)
    groups = [word for word, takes_part in pairs if takes_part and word is not None]
    if not groups:
        raise DataError(
            f"Expected somebody of the study in the list of families, got nobody at {path}. "
            "Write family and individual as the study has them."
        )
    sizes = Counter(group for group in groups if group != NO_FAMILY)
    if max(sizes.values(), default=1) <= stated.size:
        return
    remedy = "State a larger one with --family-size, or keep fewer of them by a public list."
    if len(sizes) == 1 and len(groups) > stated.size:
        remedy = "All participants have the same one: write 0 for people without a family."
    raise DataError(
        f"Expected at most {stated.size} participants of one family, got more at {path}. {remedy}"
    )
