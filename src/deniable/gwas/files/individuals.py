"""Who is a case and who a control: fam files and phenotype files."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.errors import DataError, InvalidArgument
from deniable.gwas.files.lines import rows

_CONTROL, _CASE, _UNKNOWN = 1, 2, 0
"""Phenotypes of PLINK: control, case, unknown."""
_STATUS = {1.0: _CONTROL, 2.0: _CASE, 0.0: _UNKNOWN, -9.0: _UNKNOWN}
_FAM_COLUMNS, _PHENOTYPE_COLUMNS = 6, 3
"""Columns of a line of the two kinds of file."""

Name = tuple[str, str]


@attrs.frozen
class Individuals:
    """Everybody in a file, in its order, and their phenotype.

    Parameters
    ----------
    cases, controls : array of bool, shape (n_individuals,)
        Nobody is both; who is neither has no known phenotype.
    founders : array of bool, shape (n_individuals,)
        Who has neither father nor mother in the pedigree; all where a file has none.
    """

    cases: NDArray[np.bool_] = attrs.field(eq=attrs.cmp_using(eq=np.array_equal), repr=False)
    controls: NDArray[np.bool_] = attrs.field(eq=attrs.cmp_using(eq=np.array_equal), repr=False)
    founders: NDArray[np.bool_] = attrs.field(
        default=attrs.Factory(lambda self: np.ones(len(self.cases), bool), takes_self=True),
        eq=attrs.cmp_using(eq=np.array_equal),
        repr=False,
    )

    def __len__(self) -> int:
        return len(self.cases)


def from_fam(fam: Path, phenotype: Path | None = None) -> Individuals:
    """Individuals of a fam file; their phenotype from its last column or from another file.

    Parameters
    ----------
    fam : path
        Family, individual, father, mother, sex, phenotype: 1 control, 2 case, 0 or −9 unknown.
    phenotype : path, optional
        Family, individual, phenotype, with or without a header. Who is not in it is unknown;
        who is only in it is nobody.

    Raises
    ------
    InvalidArgument
        If the phenotype file is missing.
    DataError
        If a line has other columns, a person stands there twice, the phenotype is not one of
        cases and controls, or there are no cases or no controls.
    """
    lines = rows(fam)
    if not lines or any(len(line) != _FAM_COLUMNS for line in lines):
        raise DataError(
            f"Expected {_FAM_COLUMNS} columns (family, individual, father, mother, sex, phenotype) "
            f"in every line, got others at {fam}. Write it with plink --make-bed."
        )
    names = [(line[0], line[1]) for line in lines]
    _distinct(names, fam)
    founders = np.array([line[2] == line[3] == "0" for line in lines])
    if phenotype is None:
        found = _divided([line[5] for line in lines], fam)
    else:
        given = _phenotypes(phenotype)
        found = _divided([given.get(name, "0") for name in names], phenotype)
    return attrs.evolve(found, founders=founders)


def from_names(names: Sequence[str], phenotype: Path) -> Individuals:
    """Individuals of a file without families, found by the second column of a phenotype file.

    Raises
    ------
    DataError
        As `from_fam`; also if that column names somebody twice.
    """
    given = _phenotypes(phenotype)
    _distinct([name for _, name in given], phenotype)
    by_name = {name: value for (_, name), value in given.items()}
    return _divided([by_name.get(name, "0") for name in names], phenotype)


def _phenotypes(path: Path) -> dict[Name, str]:
    if not path.is_file():
        raise InvalidArgument(f"Expected a phenotype file {path}, got none. Check the name.")
    lines = rows(path)
    if lines and [word.lstrip("#").upper() for word in lines[0][:2]] == ["FID", "IID"]:
        del lines[0]
    if lines and lines[0][0].lstrip("#").upper() == "IID":
        raise DataError(
            f"Expected columns family, individual, phenotype, got a header without FID at {path}. "
            "Put the family first (0 where there is none)."
        )
    if not lines or any(len(line) != _PHENOTYPE_COLUMNS for line in lines):
        raise DataError(
            f"Expected {_PHENOTYPE_COLUMNS} columns (family, individual, phenotype) in every line, "
            f"got others at {path}. Leave one phenotype in the file."
        )
    if _is_header(lines[0][2]) and not any(_is_header(line[2]) for line in lines[1:]):
        raise DataError(
            "Expected a header that begins with FID IID, or none, got another first line at "
            f"{path}. Name the first two columns FID and IID."
        )
    _distinct([(line[0], line[1]) for line in lines], path)
    return {(family, name): value for family, name, value in lines}


def _distinct(names: Sequence[Any], path: Path) -> None:
    if len(set(names)) < len(names):
        raise DataError(
            f"Expected every individual once, got somebody twice at {path}. Remove duplicates."
        )


def _divided(values: Sequence[str], path: Path) -> Individuals:
    words = {word: _status(word, path) for word in set(values)}
    if {float(word) for word in words if word.upper() not in ("NA", "NAN")} == {0.0, 1.0}:
        raise DataError(
            f"Expected phenotypes 1 (control) and 2 (case), got 0 and 1 only at {path}. Code "
            "cases 2 and controls 1; with 0 for controls, plink --1 --make-bed does it."
        )
    status = np.array([words[value] for value in values])
    found = Individuals(status == _CASE, status == _CONTROL)
    for group, what, code in ((found.cases, "case", _CASE), (found.controls, "control", _CONTROL)):
        if not group.any():
            raise DataError(
                f"Expected a {what} or more (phenotype {code}), got none among the "
                f"{len(values)} individuals at {path}. Give a phenotype file with --pheno."
            )
    return found


def _is_header(word: str) -> bool:
    """Whether it is no number, as neither phenotypes nor the codes of unknown ones are."""
    try:
        float(word)
    except ValueError:
        return word.upper() not in ("NA", "NAN")
    return False


def _status(word: str, path: Path) -> int:
    try:
        return _STATUS[float(word)]
    except (ValueError, KeyError):
        if word.upper() in ("NA", "NAN"):
            return _UNKNOWN
        raise DataError(
            "Expected phenotypes 1 (control), 2 (case), 0 or -9 (unknown), got another value at "
            f"{path}. Divide a quantitative phenotype into cases and controls first."
        ) from None
