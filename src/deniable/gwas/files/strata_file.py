"""Files that say which stratum each person is of, as PLINK's --within, and sums over strata."""

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from deniable.errors import DataError, InvalidArgument
from deniable.gwas.files.individuals import (
    NO_FAMILY,
    Individuals,
    Name,
    check_distinct,
    count_name_columns,
)
from deniable.gwas.files.lines import rows
from deniable.gwas.genotypes import MissingRule, Strata, strata_sizes, sum_over_strata

_UNKNOWN = "NA"
"""What PLINK takes for no stratum."""
BLOCK_CELLS = 2**24
"""Genotypes in a block: 16 MiB unpacked."""

Blocks = Callable[[int], Iterator[NDArray[np.int8]]]
"""Given a number of variants, arrays of so many rows with everybody's copies, −1 for missing."""


def assign_strata(individuals: Individuals, path: Path) -> NDArray[np.int64]:
    """The number of everybody's stratum, from 0, in an order that says nothing.

    Parameters
    ----------
    individuals : Individuals
        Of the study.
    path : path
        Family, individual, stratum, a line a person; or individual, stratum below a header that
        begins with #IID. Who is only in it is nobody.

    Returns
    -------
    array of int, shape (n_individuals,)
        −1 for individuals who are neither cases nor controls.

    Raises
    ------
    InvalidArgument
        If the file is missing.
    DataError
        If a line has other columns, a person stands there twice, or a case or a control has no
        stratum.
    """
    known, by_family = _words(path)
    names: list[Name] = list(individuals.names)
    if not by_family or not individuals.families:
        check_distinct([name for _, name in known], path)
        known = {(NO_FAMILY, name): word for (_, name), word in known.items()}
        names = [(NO_FAMILY, name) for _, name in names]
    taking_part = individuals.cases | individuals.controls
    check_distinct([name for name, part in zip(names, taking_part, strict=True) if part], path)
    words = [known.get(name, _UNKNOWN) for name in names]
    if any(word == _UNKNOWN for word, part in zip(words, taking_part, strict=True) if part):
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
    """Sums over the strata that have cases and controls.

    Parameters
    ----------
    individuals : Individuals
        Of the study.
    blocks : callable
        Reads it.
    codes : array of int, shape (n_individuals,)
        Everybody's stratum (`assign_strata`).
    rule : MissingRule
        Whether a missing call is left out of its variant or read as no copy.

    Raises
    ------
    InvalidArgument
        If no stratum has both, or too many have.
    DataError
        If the genotypes cannot be read.
    """
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


def _words(path: Path) -> tuple[dict[Name, str], bool]:
    """Strata by person, and whether people are named by family and individual."""
    if not path.is_file():
        raise InvalidArgument(f"Expected a file of strata {path}, got none. Check the name.")
    lines = rows(path)
    header = count_name_columns(lines[0]) if lines else 0
    start = header or 2
    people = lines[1:] if header else lines
    if not people or any(len(line) != start + 1 for line in lines):
        raise DataError(
            f"Expected {start + 1} columns (family, individual, stratum, or below a header that "
            f"begins with #IID individual and stratum) in every line, got others at {path}. Leave "
            "one stratum in the file, and write it without spaces."
        )
    names = [(line[0] if start == 2 else NO_FAMILY, line[start - 1]) for line in people]
    check_distinct(names, path)
    return dict(zip(names, (line[start] for line in people), strict=True)), start == 2
