"""Who is a case and who a control: fam files and phenotype files."""

from collections.abc import Sequence
from pathlib import Path

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.errors import DataError, InvalidArgument
from deniable.gwas.files.lines import rows
from deniable.gwas.files.phenotype_file import (
    NO_FAMILY,
    Name,
    PeopleTable,
    check_distinct,
    has_header,
    phenotype_file,
    psam_file,
)

_CONTROL, _CASE, _UNKNOWN = 1, 2, 0
"""Phenotypes of PLINK: control, case, unknown."""
_STATUS = {1.0: _CONTROL, 2.0: _CASE, 0.0: _UNKNOWN, -9.0: _UNKNOWN}
_FAM_COLUMNS = 6
"""Columns of a line of a fam file."""


@attrs.frozen
class Individuals:
    """Everybody in a file, in its order, and their phenotype.

    Parameters
    ----------
    cases, controls : array of bool, shape (n_individuals,)
        Nobody is both; who is neither has no known phenotype.
    founders : array of bool, shape (n_individuals,)
        Who has neither father nor mother in the pedigree; all where a file has none.
    names : tuple of (str, str)
        Family and individual; the family is "0" where the file names none.
    families : bool
        Whether the file names families; otherwise people are found by the individual alone.
    kept : array of bool, shape (n_individuals,)
        Whom lists of people leave; the others are neither cases nor controls.
    """

    cases: NDArray[np.bool_] = attrs.field(eq=attrs.cmp_using(eq=np.array_equal), repr=False)
    controls: NDArray[np.bool_] = attrs.field(eq=attrs.cmp_using(eq=np.array_equal), repr=False)
    founders: NDArray[np.bool_] = attrs.field(
        default=attrs.Factory(lambda self: np.ones(len(self.cases), bool), takes_self=True),
        eq=attrs.cmp_using(eq=np.array_equal),
        repr=False,
    )
    names: tuple[Name, ...] = attrs.field(default=(), repr=False)
    families: bool = False

    kept: NDArray[np.bool_] = attrs.field(
        default=attrs.Factory(lambda self: np.ones(len(self.cases), bool), takes_self=True),
        eq=attrs.cmp_using(eq=np.array_equal),
        repr=False,
    )

    def __len__(self) -> int:
        return len(self.cases)

    def only(self, kept: NDArray[np.bool_]) -> "Individuals":
        """These people; the others stay in the file and have no phenotype any more."""
        return attrs.evolve(
            self, cases=self.cases & kept, controls=self.controls & kept, kept=self.kept & kept
        )


def from_fam(
    fam: Path, phenotype: Path | None = None, phenotype_name: str | None = None
) -> Individuals:
    """Individuals of a fam file; their phenotype from its last column or from another file.

    Parameters
    ----------
    fam : path
        Family, individual, father, mother, sex, phenotype: 1 control, 2 case, 0 or −9 unknown.
    phenotype : path, optional
        A phenotype file (`phenotype_file`). Who is not in it is unknown; who is only in it is
        nobody.
    phenotype_name : str, optional
        Which of its phenotypes, where it has several.

    Raises
    ------
    InvalidArgument
        If the phenotype file is missing, or a name is given without one.
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
    check_distinct(names, fam)
    founders = np.array([line[2] == line[3] == "0" for line in lines])
    if phenotype is None:
        if phenotype_name is not None:
            raise InvalidArgument(
                f"Expected a phenotype file for the name {phenotype_name}, got none. Give one with "
                "--pheno."
            )
        individuals = _divide([line[5] for line in lines], fam)
    else:
        individuals = _divide(phenotype_file(phenotype).of(names, phenotype_name), phenotype)
    return attrs.evolve(individuals, founders=founders, names=tuple(names), families=True)


def from_psam(
    psam: Path, phenotype: Path | None = None, phenotype_name: str | None = None
) -> Individuals:
    """Individuals of PLINK 2; without a header the file is read as a fam file.

    Parameters
    ----------
    psam : path
        Below a header that begins with #FID or #IID, a line a person.
    phenotype, phenotype_name : path and str, optional
        As `from_fam`; the name also chooses among the columns of the .psam file itself.

    Raises
    ------
    InvalidArgument, DataError
        As `from_fam`.
    """
    if not has_header(psam):
        return from_fam(psam, phenotype, phenotype_name)
    return from_table(psam_file(psam), phenotype, phenotype_name)


def from_table(
    people: PeopleTable, phenotype: Path | None = None, phenotype_name: str | None = None
) -> Individuals:
    """Individuals of a table that has phenotypes of its own.

    Raises
    ------
    InvalidArgument, DataError
        As `from_psam`.
    """
    if phenotype is None:
        individuals = _divide(people.select(phenotype_name), people.path)
    else:
        values = phenotype_file(phenotype).of(people.names, phenotype_name)
        individuals = _divide(values, phenotype)
    individuals = attrs.evolve(individuals, names=tuple(people.names), families=people.families)
    if people.parents is None:
        return individuals
    return attrs.evolve(
        individuals, founders=np.array([pair == ("0", "0") for pair in people.parents])
    )


def from_names(
    names: Sequence[str], phenotype: Path, phenotype_name: str | None = None
) -> Individuals:
    """Individuals of a file without families, found by their own column of a phenotype file.

    Raises
    ------
    DataError
        As `from_fam`; also if that column names somebody twice.
    """
    given = phenotype_file(phenotype).by_individual(phenotype_name)
    individuals = _divide([given.get(name, "0") for name in names], phenotype)
    return attrs.evolve(individuals, names=tuple((NO_FAMILY, name) for name in names))


def _divide(values: Sequence[str], path: Path) -> Individuals:
    words = {word: _status(word, path) for word in set(values)}
    if {float(word) for word in words if word.upper() not in ("NA", "NAN")} == {0.0, 1.0}:
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
