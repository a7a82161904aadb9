"""The published frequencies of a study, kept as columns, and the table of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, TypeAlias, overload

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.errors.late import late

if TYPE_CHECKING:
    import pyarrow as pa  # type: ignore[import-untyped]
else:
    pa = late("pyarrow", extra="publish")

_TYPES = {
    "group": "string",
    "variant": "string",
    "chromosome": "string",
    "position": "int64",
    "allele": "string",
    "other_allele": "string",
    "noisy_count": "int64",
    "count": "int64",
    "frequency": "float64",
    "half_width_95": "float64",
    "frequency_low": "float64",
    "frequency_high": "float64",
}
_PRESENT = {"present": "bool"}


@attrs.frozen
class PublishedFrequency:
    """One published row: a variant in a group.

    Parameters
    ----------
    group : str
        "cases", "controls" or "everybody".
    variant, chromosome, position, allele, other_allele
        Public; `allele` is allele 1, whose copies are counted.
    noisy_count : int
        Copies with noise, as drawn: it may be negative, or above what is possible.
    count : int
        The same brought to the nearest number that is possible, 0 to twice the people.
    frequency : float
        `count` as a share of all copies.
    half_width_95 : float
        Of both counts, in copies, each variant on its own.
    frequency_low, frequency_high : float
        Ends between which the exact frequency lies with a probability of at least 95 %.
    present : bool or None
        Whether the noisy count reaches a Beacon's threshold; None where none was asked for.
    """

    group: str
    variant: str
    chromosome: str
    position: int
    allele: str
    other_allele: str
    noisy_count: int
    count: int
    frequency: float
    half_width_95: float
    frequency_low: float
    frequency_high: float
    present: bool | None = None


Columns: TypeAlias = dict[str, NDArray[np.generic]]
"""By the names of `PublishedFrequency`."""


def _same_columns(one: Columns, other: Columns) -> bool:
    return one.keys() == other.keys() and all(
        np.array_equal(column, other[name]) for name, column in one.items()
    )


@attrs.frozen
class Frequencies(Sequence[PublishedFrequency]):
    """All rows, kept as columns: of a million variants there is no object each.

    Parameters
    ----------
    columns : mapping of str to array, each of shape (n_rows,)
        By the names of `PublishedFrequency`; without `present` where no Beacon was asked for.
    """

    columns: Columns = attrs.field(eq=attrs.cmp_using(eq=_same_columns), hash=False, repr=False)

    def __len__(self) -> int:
        return len(self.columns["noisy_count"])

    @overload
    def __getitem__(self, index: int) -> PublishedFrequency: ...
    @overload
    def __getitem__(self, index: slice) -> Frequencies: ...
    def __getitem__(self, index: int | slice) -> PublishedFrequency | Frequencies:
        if isinstance(index, slice):
            return Frequencies({name: column[index] for name, column in self.columns.items()})
        if not -len(self) <= index < len(self):
            raise IndexError("Expected the number of a row, got one beyond the last.")
        # Objects are texts; numbers of NumPy become Python's.
        values = {name: column[index : index + 1 or None] for name, column in self.columns.items()}
        return PublishedFrequency(**{name: value.tolist()[0] for name, value in values.items()})

    def __iter__(self) -> Iterator[PublishedFrequency]:
        return (self[index] for index in range(len(self)))


def in_columns(rows: Sequence[PublishedFrequency]) -> Frequencies:
    """The rows of a release, which are kept so from the beginning."""
    if not isinstance(rows, Frequencies):
        raise AssertionError("frequencies are kept as columns")
    return rows


def frequencies_table(rows: Sequence[PublishedFrequency]) -> pa.Table:
    """A row a variant and group, in their order; with `present` where a Beacon was asked for."""
    columns = in_columns(rows).columns
    types = _TYPES | (_PRESENT if "present" in columns else {})
    return pa.table({name: pa.array(columns[name], kind) for name, kind in types.items()})
