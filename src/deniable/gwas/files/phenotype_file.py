"""Tables of people with a phenotype or several: phenotype files, and PLINK 2's .psam files."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import attrs

from deniable.errors import DataError, InvalidArgument
from deniable.gwas.files.lines import rows

Name = tuple[str, str]
"""Family and individual."""

NO_FAMILY = "0"
_COLUMNS = 3
"""Family, individual, phenotype: the columns of a phenotype file without a header."""
_FAMILY, _INDIVIDUAL = "FID", "IID"
_NO_PHENOTYPES = ("SID", "PAT", "MAT", "SEX")
"""Columns of a .psam file that hold no phenotype."""
_NAMED = 10
"""Names of phenotypes that an error lists: a line."""
_UNKNOWN = ("NA", "NAN")


@attrs.frozen
class PeopleTable:
    """People in file order, with their columns.

    Parameters
    ----------
    path : Path
        The file, for messages.
    names : list of (str, str)
        Family and individual; the family is "0" where the file names none.
    families : bool
        Whether the file names families; otherwise people are found by the individual alone.
    phenotypes : dict of str to list of str
        Columns by name, in file order.
    parents : list of (str, str) or None
        Father and mother, where the file has them.
    """

    path: Path
    names: list[Name]
    families: bool
    phenotypes: dict[str, list[str]]
    parents: list[Name] | None = None

    def select(self, phenotype: str | None) -> list[str]:
        """The values of the one phenotype, or of the named one, in file order.

        Raises
        ------
        DataError
            If there is none of that name, or no name is given and there is not exactly one.
        """
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

    def by_name(self, phenotype: str | None) -> dict[Name, str]:
        """Phenotypes by family and individual."""
        return dict(zip(self.names, self.select(phenotype), strict=True))

    def by_individual(self, phenotype: str | None) -> dict[str, str]:
        """Phenotypes by individual alone.

        Raises
        ------
        DataError
            Also if somebody of that name is in two families.
        """
        individuals = [name for _, name in self.names]
        check_distinct(individuals, self.path)
        return dict(zip(individuals, self.select(phenotype), strict=True))

    def of(self, names: Sequence[Name], phenotype: str | None) -> list[str]:
        """The phenotypes of these people; unknown for who is not in the table."""
        if self.families:
            known = self.by_name(phenotype)
            return [known.get(name, "0") for name in names]
        alone = self.by_individual(phenotype)
        check_distinct([name for _, name in names if name in alone], self.path)
        return [alone.get(name, "0") for _, name in names]


def phenotype_file(path: Path) -> PeopleTable:
    """A phenotype file: family, individual, phenotype; or any phenotypes below a header.

    A header begins with FID IID, #FID IID or #IID, as PLINK's.

    Raises
    ------
    InvalidArgument
        If the file is missing.
    DataError
        If lines differ in their columns, somebody stands there twice, or a header has other words
        or one twice.
    """
    if not path.is_file():
        raise InvalidArgument(f"Expected a phenotype file {path}, got none. Check the name.")
    lines = rows(path)
    if lines and (start := count_name_columns(lines[0])):
        return _read_headed(lines, start, path)
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
    return PeopleTable(path, names, True, {"phenotype": [line[2] for line in lines]})


def has_header(path: Path) -> bool:
    """Whether the first line names columns, as a .psam file's of PLINK 2 does."""
    lines = [line for line in rows(path) if not line[0].startswith("##")]
    return bool(lines) and count_name_columns(lines[0]) > 0


def psam_file(path: Path) -> PeopleTable:
    """People of PLINK 2, below a header that begins with #FID or #IID.

    Raises
    ------
    DataError
        As `phenotype_file`.
    """
    lines = [line for line in rows(path) if not line[0].startswith("##")]
    return _read_headed(lines, count_name_columns(lines[0]), path)


def check_distinct(names: Sequence[Any], path: Path) -> None:
    """Refuse a list that names somebody twice."""
    if len(set(names)) < len(names):
        raise DataError(
            f"Expected every individual once, got somebody twice at {path}. Remove duplicates."
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
            f"{path}. Write NA where a phenotype is unknown."
        )
    columns = header[start:]
    if len(set(columns)) < len(columns):
        raise DataError(f"Expected every column once, got one twice at {path}. Rename it.")
    values = {name: [line[i] for line in others] for i, name in enumerate(columns, start)}
    family = (line[0] if start == 2 else NO_FAMILY for line in others)
    names = list(zip(family, (line[start - 1] for line in others), strict=True))
    check_distinct(names, path)
    parents = None
    if "PAT" in values and "MAT" in values:
        parents = list(zip(values["PAT"], values["MAT"], strict=True))
    phenotypes = {name: of for name, of in values.items() if name.upper() not in _NO_PHENOTYPES}
    return PeopleTable(path, names, start == 2, phenotypes, parents)


def _is_header(word: str) -> bool:
    """Whether it is no number, as neither phenotypes nor the codes of unknown ones are."""
    try:
        float(word)
    except ValueError:
        return word.upper() not in _UNKNOWN
    return False
