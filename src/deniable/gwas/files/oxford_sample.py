"""The people of a BGEN file: a .sample file as Oxford's tools and PLINK 2 write it."""

from pathlib import Path

from deniable.errors import DataError
from deniable.gwas.files.lines import rows
from deniable.gwas.files.phenotype_file import PeopleTable, distinct

_BINARY = "B"
_STATUS = {"0": "1", "1": "2", "NA": "0", "-9": "0"}
"""A binary phenotype of this format is 0 or 1; here are PLINK's words for it."""
_NAMED = 2
"""Columns that name a person: family and individual."""


def oxford_sample(path: Path) -> PeopleTable:
    """People and their binary phenotypes; other columns are not looked at.

    Parameters
    ----------
    path : path
        Two lines of names and types (0, D, C, P or B), then a line a person. A column of type B is
        a phenotype: 0 control, 1 case, NA unknown.

    Raises
    ------
    DataError
        If it is none, a person stands there twice, or a phenotype has another value.
    """
    lines = rows(path)
    good = len(lines) > 2 and lines[0][0].upper().startswith("ID") and lines[1][0] == "0"
    if not good or any(len(line) != len(lines[0]) for line in lines):
        raise DataError(
            f"Expected two lines of names and types, then a line a person, got others at {path}. "
            "Write it with plink2 --export bgen-1.2."
        )
    header, types, *people = lines
    second = int(len(header) > 1 and types[1] == "0")
    names = [(line[0], line[second]) for line in people]
    distinct(names, path)
    columns = {
        name: [_status(line[i], path) for line in people]
        for i, (name, kind) in enumerate(zip(header, types, strict=True))
        if i >= _NAMED and kind == _BINARY
    }
    families = bool(second) and all(family != "0" for family, _ in names)
    return PeopleTable(path, names, families, columns)


def _status(word: str, path: Path) -> str:
    if (status := _STATUS.get(word.upper())) is None:
        raise DataError(
            "Expected binary phenotypes 0 (control), 1 (case) or NA, got another value at "
            f"{path}. Give a phenotype file with --pheno."
        )
    return status
