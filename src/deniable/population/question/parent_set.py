"""Parent sets: numbers from an array or a CSV file, and what may be asked about them."""

import csv
import re
from collections.abc import Iterable, Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any, TypeAlias

import attrs
import numpy as np
from numpy.typing import ArrayLike, NDArray

from deniable.errors import DataError, InvalidArgument, validate

Source: TypeAlias = ArrayLike | str | Path
"""Numbers, a record a row, or a CSV file of them without a header."""

Floats: TypeAlias = NDArray[np.float64]
_LARGEST = 1e100
"""Sums and squares of so large numbers stay in the range of floats."""
_LARGEST_SUMMAND = 2.0**51
"""Sums and differences of two such numbers are whole in float64."""
_LARGEST_INTEGER = 2**53
"""Up to here a float is next to no other whole number."""
_LONG = re.compile(rb"[0-9.]{16}|[eE]-[0-9]{3}")
"""Numbers that floats may not tell apart: of 16 digits and more, or below 1e-99."""


def numbers(source: Source, what: str = "records") -> Floats:
    """Records as an array of shape (n_records, n_columns), all finite.

    Raises
    ------
    InvalidArgument
        If an array is not of finite numbers in at most two dimensions, or a file is missing.
    DataError
        If a file is not a table of finite numbers.
    """
    if isinstance(source, str | Path):
        return _from_file(Path(source), what)
    values = floats(source, what)
    if values.ndim == 1:
        values = values[:, None]
    if values.ndim != 2 or 0 in values.shape:
        raise InvalidArgument(
            f"Expected {what} in one or two dimensions and at least one, got shape {values.shape}."
        )
    if (place := _first_unusable(values)) is not None:
        row, column = place
        raise InvalidArgument(
            f"Expected {what} to be finite and at most 1e100 in size, got something else at "
            f"row {row}, column {column}, counted from 0."
        )
    return np.ascontiguousarray(values)


def floats(source: Any, what: str = "records", rows: str = ", a record a row") -> Floats:
    """An array as 64-bit floats, in any number of dimensions, of which nothing was lost.

    Raises
    ------
    InvalidArgument
        If something is no real number or is masked, or numbers that differ would become one.
    """
    try:
        given = np.asarray(source)
        if given.dtype.kind in "cmM":
            raise TypeError
        values = np.asarray(source, np.float64)
    except OverflowError:
        raise InvalidArgument(
            f"Expected {what} to be at most 1e100 in size, got a larger whole number."
        ) from None
    except (TypeError, ValueError):
        raise InvalidArgument(f"Expected {what} to be numbers{rows}.") from None
    if np.ma.is_masked(source):
        raise InvalidArgument(
            f"Expected {what} without masked entries, got some. Leave these records out first."
        )
    if _has_rounded_integers(source, values):
        raise InvalidArgument(
            f"Expected whole numbers up to 2^53 in {what}, got larger ones, which floats cannot "
            "tell apart. Subtract the same number from all of them first."
        )
    if np.isfinite(values).all() and _has_merged_values(given, values):
        raise InvalidArgument(_became_one(what))
    return values


def shift_columns(values: Floats) -> Floats:
    """The values less a constant in each column, where that is exact and makes them smaller.

    A sum over n records moves by n times the constant, in every sample alike. Where the numbers
    of a column are of one sign and within a factor of 2, the least is subtracted: then every
    difference is a float (Sterbenz). Otherwise the largest number is at most twice
    the range already.

    Examples
    --------
    >>> shift_columns(np.array([[1e15 + 0.5], [1e15 + 2.0]])).tolist()
    [[0.0], [1.5]]
    >>> shift_columns(np.eye(2)).tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """
    low, high = values.min(axis=0), values.max(axis=0)
    close = ((low > 0) & (low >= high / 2)) | ((high < 0) & (high <= low / 2))
    return np.asarray(values - np.where(close, low, 0.0), np.float64)


def clip_records(values: Floats, clip: Any) -> Floats:
    """Every record scaled to Euclidean norm <= `clip`; one column keeps whole numbers whole.

    Raises
    ------
    InvalidArgument
        If the clip is not positive, or leaves no difference between records that differed.
    """
    most = validate.positive(clip, "clip")
    if values.shape[1] == 1:
        within = np.clip(values, -most, most)
    else:
        norms = np.linalg.norm(values, axis=1, keepdims=True)
        # The shrinkage keeps the rounded norm below the clip.
        shrunk = most / np.maximum(norms, most) * (1 - 4e-16 * (values.shape[1] + 4))
        within = values * np.where(norms > most, shrunk, 1.0)
    if np.ptp(values, axis=0).any() and not np.ptp(within, axis=0).any():
        raise InvalidArgument(
            f"Expected a clip that leaves something of the records, got clip={most}, after which "
            "all of them are the same. Choose a larger clip, or centre the records first."
        )
    return within


def only_column(values: Floats, noise: str) -> Floats:
    """The only column; shape (n_records,)."""
    if values.shape[1] != 1:
        raise InvalidArgument(
            f"Expected one column for {noise} noise, got {values.shape[1]}. "
            "Analyse several columns with Gaussian noise."
        )
    return values[:, 0]


def as_integers(values: Floats, noise: str) -> NDArray[np.int64]:
    """Whole numbers for noise that is whole."""
    fractions = np.any(values != np.rint(values))
    if fractions or np.any(np.abs(values) > _LARGEST_SUMMAND):
        raise InvalidArgument(
            f"Expected whole numbers up to 2^51 for {noise} noise, got "
            f"{'fractions' if fractions else 'larger ones'}. "
            f"Use {noise.removeprefix('discrete-')} noise, or count in steps of a grid."
        )
    return values.astype(np.int64)


def _has_rounded_integers(source: ArrayLike, values: Floats) -> bool:
    """Whether whole numbers were given that no float is equal to."""
    floats = isinstance(source, np.ndarray) and source.dtype.kind == "f"
    if floats or not (np.abs(values) >= _LARGEST_INTEGER).any():
        return False
    given = np.asarray(source, object)
    # As Python's own number: NumPy rounds its whole numbers before it compares them with floats.
    integers = (int(each) for each in given.flat if isinstance(each, int | np.integer))
    return any(float(each) != each for each in integers)


def _has_merged_values(given: NDArray[Any], values: Floats) -> bool:
    """Whether numbers of more digits than a float has differ, and their floats do not."""
    if given.dtype.kind == "f" and given.dtype.itemsize > values.dtype.itemsize:
        return bool(len(np.unique(given)) > len(np.unique(values)))
    if given.dtype.kind not in "OUS":
        return False
    return _are_more(given.flat, values)


def _are_more(given: Iterable[Any], values: Floats) -> bool:
    """Whether there are more different numbers than floats; words are read as decimals."""
    different = len(np.unique(values))
    return different < values.size and len({_exact(each) for each in given}) > different


def _exact(each: Any) -> Any:
    """A number that is equal to others of the same size only."""
    if isinstance(each, bytes):
        each = each.decode()
    return Decimal(each.strip()) if isinstance(each, str) else each


def _became_one(what: str) -> str:
    return (
        f"Expected {what} that 64-bit floats can tell apart, got numbers that differ and become "
        "the same float. Subtract the same number from all of them first."
    )


def _first_unusable(values: Floats) -> tuple[int, int] | None:
    bad = np.argwhere(~(np.abs(values) <= _LARGEST))
    return (int(bad[0, 0]), int(bad[0, 1])) if len(bad) else None


def _from_file(path: Path, what: str) -> Floats:
    if not path.is_file():
        raise InvalidArgument(f"Expected a CSV file of {what}, got {str(path)!r}, not a file.")
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            if not any(line.strip() for line in file):
                raise DataError(f"Expected at least one record, got none in {str(path)!r}.")
            file.seek(0)
            values = np.loadtxt(file, delimiter=",", ndmin=2, comments=None)
    except UnicodeDecodeError:
        raise DataError(f"Expected UTF-8 text, got other bytes in {str(path)!r}.") from None
    except ValueError:
        raise _diagnosis(path) from None
    if _first_unusable(values) is not None:
        raise _diagnosis(path)
    if _long(path) and _are_more(_cells(path), values):
        raise DataError(_became_one(what))
    return np.ascontiguousarray(values)


def _long(path: Path) -> bool:
    """Whether a number has so many digits, or so small an exponent, that floats may lose some."""
    return _LONG.search(path.read_bytes()) is not None


def _cells(path: Path) -> Iterator[str]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        for row in csv.reader(file):
            yield from (cell for cell in row if cell.strip())


def _diagnosis(path: Path) -> DataError:
    """What is wrong with a file, and at which line; never what stands there."""
    width = None
    with path.open(encoding="utf-8-sig", newline="") as file:
        lines = [
            (number, row) for number, row in enumerate(csv.reader(file), 1) if "".join(row).strip()
        ]
    for number, row in lines:
        where = f"line {number} of {str(path)!r}"
        width = width or len(row)
        wrong = next((i for i, cell in enumerate(row, 1) if not _is_number(cell)), None)
        if wrong is not None:
            remedy = " Remove the header, if this is one." if number == lines[0][0] else ""
            if any(mark in "".join(row) for mark in ";\t"):
                remedy = " Separate numbers by commas, and write points in them."
            return DataError(
                f"Expected finite numbers of size at most 1e100, got something else at {where}, "
                f"column {wrong}.{remedy}"
            )
        if len(row) != width:
            return DataError(f"Expected {width} numbers a line, got {len(row)} at {where}.")
    return DataError(f"Expected a table of numbers, got something else in {str(path)!r}.")


def _is_number(cell: str) -> bool:
    try:
        return abs(float(cell)) <= _LARGEST
    except ValueError:
        return False


# --- A parent set of few distinct records, known by how many there are of each.


_MOST = 10**9 - 1
"""Records: the largest population of NumPy's hypergeometric draws."""


def _as_counts(value: Any) -> NDArray[np.int64]:
    wrong = InvalidArgument("Expected counts to be whole numbers >= 0, one a row.")
    try:
        given = np.asarray(value, np.float64)
    except (TypeError, ValueError):
        raise wrong from None
    integers = np.asarray(np.rint(given))
    if integers.ndim != 1 or np.any(integers != given) or np.any(integers < 0):
        raise wrong
    if integers.sum() > _MOST:
        raise InvalidArgument(f"Expected at most {_MOST} records in all, got more.")
    return integers.astype(np.int64)


@attrs.frozen(eq=False)
class Types:
    """Distinct records, and how many there are of each: what each adds to a sum.

    Parameters
    ----------
    values : array_like of float, shape (n_types,) or (n_types, n_columns)
        Finite, at most 1e100 in size; kept as (n_types, n_columns). Equal rows are allowed.
    counts : array_like of int, shape (n_types,)
        How many records have each row, >= 0, at least two in all, fewer than 10^9.

    Raises
    ------
    InvalidArgument
        If there are not as many counts as rows, or a count is no whole number.

    Examples
    --------
    >>> cells = Types([[1, 0], [0, 1], [1, 0]], [5_000_000, 2_000_000, 3_000_000])
    >>> cells.population, cells.distinct().counts.tolist()
    (10000000, [2000000, 8000000])
    """

    values: Floats = attrs.field(converter=numbers)
    counts: NDArray[np.int64] = attrs.field(converter=_as_counts)

    def __attrs_post_init__(self) -> None:
        if len(self.values) != len(self.counts):
            raise InvalidArgument(
                f"Expected as many counts as rows, got {len(self.counts)} and {len(self.values)}."
            )
        if self.population < 2:
            raise InvalidArgument(f"Expected at least two records, got {self.population}.")

    @classmethod
    def of_table(cls, table: Source) -> "Types":
        """Rows whose last number says how many records they stand for."""
        rows = numbers(table, "rows with a count")
        if rows.shape[1] < 2:
            raise InvalidArgument(
                "Expected at least two numbers a row, the last of them a count, got one."
            )
        return cls(rows[:, :-1], rows[:, -1])

    @property
    def population(self) -> int:
        """N."""
        return int(self.counts.sum())

    @property
    def columns(self) -> int:
        """How many numbers a record has."""
        return int(self.values.shape[1])

    @property
    def present(self) -> Floats:
        """The rows that some record has."""
        return np.asarray(self.values[self.counts > 0])

    @property
    def constant(self) -> bool:
        """Whether all records are the same, and nothing can be learnt."""
        return not np.ptp(self.present, axis=0).any()

    def distinct(self) -> "Types":
        """The same with every row once, in ascending order, and none that nobody has."""
        rows, at = self._places()
        counts = np.bincount(at, self.counts, len(rows)).astype(np.int64)
        return Types(rows[counts > 0], counts[counts > 0])

    def places(self) -> NDArray[np.int64]:
        """Where in `distinct` each row is found; −1 for a row that nobody has."""
        rows, at = self._places()
        there = np.bincount(at, self.counts, len(rows)) > 0
        return np.where(there, np.cumsum(there) - 1, -1)[at]

    def _places(self) -> tuple[Floats, NDArray[np.int64]]:
        rows, at = np.unique(self.values, axis=0, return_inverse=True)
        return rows, at.ravel()
