"""What is asked about one release: a parent set, the size of a sample, δ, and the records meant.

Validated once, trusted by every engine.
"""

import csv
import re
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any, Generic, Literal, Protocol, TypeAlias, TypeVar

import attrs
import numpy as np
from numpy.typing import ArrayLike, NDArray

from deniable.errors import DataError, InvalidArgument, validate
from deniable.mechanisms import NoisyTopK, SelectionNoise

Source: TypeAlias = ArrayLike | str | Path
"""Numbers, a record a row, or a CSV file of them without a header."""

Bools: TypeAlias = NDArray[np.bool_]
Complexes: TypeAlias = NDArray[np.complex128]
Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.int64]
_LARGEST = 1e100  # Sums and squares of so large numbers stay in the range of floats
_LARGEST_SUMMAND = 2.0**51  # Sums and differences of two such numbers are whole in float64
_LARGEST_INTEGER = 2**53  # The whole number up to which no other is next to a float
_INTEGERS = (int, np.integer)
_LONG = re.compile(rb"[0-9.]{16}|[eE]-[0-9]{3}")  # Not told apart by floats: 16 digits, below 1e-99


def numbers(source: Source, what: str = "records") -> Floats:
    """Records as an array of shape (n_records, n_columns), all finite.

    Raises `InvalidArgument` if an array is not of finite numbers in at most two dimensions, or a
    file is missing; `DataError` if a file is not a table of finite numbers.
    """
    if isinstance(source, str | Path):
        path = Path(source)
        if not path.is_file():
            raise InvalidArgument(f"Expected a CSV file of {what}, got {str(path)!r}, not a file.")
        return _read_file(path, what)
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

    Raises `InvalidArgument` if something is no real number or is masked, or numbers that differ
    would become one.
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
    is_float = isinstance(source, np.ndarray) and source.dtype.kind == "f"
    if not is_float and (np.abs(values) >= _LARGEST_INTEGER).any():
        # As Python's own number: NumPy rounds its whole numbers before it compares with floats.
        objects = np.asarray(source, object).flat
        integers = (int(each) for each in objects if isinstance(each, _INTEGERS))
        if any(float(each) != each for each in integers):
            raise InvalidArgument(
                f"Expected whole numbers up to 2^53 in {what}, got larger ones, which floats "
                "cannot tell apart. Subtract the same number from all of them first."
            )
    if np.isfinite(values).all():
        # Numbers of more digits than a float has may differ where their floats do not.
        if given.dtype.kind == "f" and given.dtype.itemsize > values.dtype.itemsize:
            merged = len(np.unique(given)) > len(np.unique(values))
        else:
            merged = given.dtype.kind in "OUS" and _are_more(given.flat, values)
        if merged:
            raise InvalidArgument(_became_one(what))
    return values


def shift_columns(values: Floats) -> Floats:
    """The values less a constant in each column, where that is exact and makes them smaller.

    A sum over n records moves alike in every sample. Where the numbers of a column are of one sign
    and within a factor of 2, the least is subtracted: every difference is a float (Sterbenz).
    Otherwise the largest number is at most twice the range already.

    >>> shift_columns(np.array([[1e15 + 0.5], [1e15 + 2.0]])).tolist()
    [[0.0], [1.5]]
    """
    low, high = values.min(axis=0), values.max(axis=0)
    close = ((low > 0) & (low >= high / 2)) | ((high < 0) & (high <= low / 2))
    return np.asarray(values - np.where(close, low, 0.0), np.float64)


def clip_records(values: Floats, clip: Any) -> Floats:
    """Every record scaled to Euclidean norm <= `clip`; one column keeps whole numbers whole.

    Raises `InvalidArgument` if the clip is not positive, or leaves no difference between records
    that differed.
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


def as_integers(values: Floats, noise: str) -> Ints:
    """Whole numbers for noise that is whole."""
    fractions = np.any(values != np.rint(values))
    if fractions or np.any(np.abs(values) > _LARGEST_SUMMAND):
        raise InvalidArgument(
            f"Expected whole numbers up to 2^51 for {noise} noise, got "
            f"{'fractions' if fractions else 'larger ones'}. "
            f"Use {noise.removeprefix('discrete-')} noise, or count in steps of a grid."
        )
    return values.astype(np.int64)


def _are_more(given: Iterable[Any], values: Floats) -> bool:
    """Whether there are more different numbers than floats; words are read as decimals."""
    different = len(np.unique(values))
    if different == values.size:
        return False
    words = (each.decode() if isinstance(each, bytes) else each for each in given)
    exact = {Decimal(each.strip()) if isinstance(each, str) else each for each in words}
    return len(exact) > different


def _became_one(what: str) -> str:
    return (
        f"Expected {what} that 64-bit floats can tell apart, got numbers that differ and become "
        "the same float. Subtract the same number from all of them first."
    )


def _first_unusable(values: Floats) -> tuple[int, int] | None:
    bad = np.argwhere(~(np.abs(values) <= _LARGEST))
    return (int(bad[0, 0]), int(bad[0, 1])) if len(bad) else None


def _read_file(path: Path, what: str) -> Floats:
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
    if _LONG.search(path.read_bytes()):
        with path.open(encoding="utf-8-sig", newline="") as file:
            if _are_more(
                (cell for row in csv.reader(file) for cell in row if cell.strip()), values
            ):
                raise DataError(_became_one(what))
    return np.ascontiguousarray(values)


def _diagnosis(path: Path) -> DataError:
    """What is wrong with a file, and at which line; never what stands there."""
    width = None
    with path.open(encoding="utf-8-sig", newline="") as file:
        for number, row in enumerate(csv.reader(file), 1):
            if not "".join(row).strip():
                continue
            where, first = f"line {number} of {str(path)!r}", width is None
            width = width or len(row)
            wrong = next((i for i, cell in enumerate(row, 1) if not _is_number(cell)), None)
            if wrong is not None:
                remedy = " Remove the header, if this is one." if first else ""
                if any(mark in "".join(row) for mark in ";\t"):
                    remedy = " Separate numbers by commas, and write points in them."
                return DataError(
                    "Expected finite numbers of size at most 1e100, got something else at "
                    f"{where}, column {wrong}.{remedy}"
                )
            if len(row) != width:
                return DataError(f"Expected {width} numbers a line, got {len(row)} at {where}.")
    return DataError(f"Expected a table of numbers, got something else in {str(path)!r}.")


def _is_number(cell: str) -> bool:
    try:
        return abs(float(cell)) <= _LARGEST
    except ValueError:
        return False


_MOST = 10**9 - 1  # Records: the largest population of NumPy's hypergeometric draws


def _as_counts(value: Any) -> Ints:
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


class _Rows:
    """What each record, or type of records, adds to a sum."""

    values: Floats

    @property
    def columns(self) -> int:
        return int(self.values.shape[1])

    @property
    def present(self) -> Floats:
        """The rows that some record has."""
        return self.values

    @property
    def constant(self) -> bool:
        """Whether all records are the same, and nothing can be learnt."""
        return not np.ptp(self.present, axis=0).any()


@attrs.frozen(eq=False)
class Types(_Rows):
    """Distinct records, and how many there are of each: what each adds to a sum.

    Raises `InvalidArgument` if there are not as many counts as rows, or a count is no whole number.

    >>> cells = Types([[1, 0], [0, 1], [1, 0]], [5_000_000, 2_000_000, 3_000_000])
    >>> cells.population, cells.distinct().counts.tolist()
    (10000000, [2000000, 8000000])
    """

    # (n_types,) or (n_types, n_columns): finite, at most 1e100 in size; kept as (n_types,
    # n_columns). Equal rows are allowed.
    values: Floats = attrs.field(converter=numbers)
    # (n_types,): how many records have each row, >= 0, at least two in all, fewer than 10^9.
    counts: Ints = attrs.field(converter=_as_counts)

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
    def present(self) -> Floats:
        """The rows that some record has."""
        return np.asarray(self.values[self.counts > 0])

    def distinct(self) -> "Types":
        """The same with every row once, in ascending order, and none that nobody has."""
        rows, at = self._places()
        counts = np.bincount(at, self.counts, len(rows)).astype(np.int64)
        return Types(rows[counts > 0], counts[counts > 0])

    def places(self) -> Ints:
        """Return where in `distinct` each row stands; −1 for a row that nobody has."""
        rows, at = self._places()
        there = np.bincount(at, self.counts, len(rows)) > 0
        return np.where(there, np.cumsum(there) - 1, -1)[at]

    def _places(self) -> tuple[Floats, Ints]:
        rows, at = np.unique(self.values, axis=0, return_inverse=True)
        return rows, at.ravel()


# --- A noisy choice among candidates whose scores are sums over the sample.
#
# What an exchange of two records does to it. Let a score of candidate i move by u_i. Whatever the
# scores, a round that chooses i among the candidates R that are left changes its probability by a
# factor between
#
# .. math:: e^{(u_i - \max_R u)/s} \quad\text{and}\quad e^{(u_i - \min_R u)/s} ,
#
# under either noise (docs/decisions/0046-choices-beside-sums-are-one-release.md); over k rounds to
# at most
#
# .. math:: \tfrac1s \Bigl(\sum_{i \in \text{the } k \text{ largest}} u_i - k \min u\Bigr)
#           \quad\text{and}\quad
#           \tfrac1s \Bigl(k \max u - \sum_{i \in \text{the } k \text{ smallest}} u_i\Bigr)
#
# upwards and downwards. Where nobody has more than one row that is (k + 1)/s; Δ = 1 alone gives
# 2k/s.

_CELLS = 2**22  # Differences of scores that are held at once: 32 MB


@attrs.frozen(eq=False)
class Selection:
    r"""The candidates with the largest noisy scores in every cell, best first.

    Raises `InvalidArgument` if `moves` has another shape, or there are fewer candidates than are
    chosen.
    """

    # (n_types, cells, candidates): what a record of each type adds.
    moves: Ints
    absolute: bool  # Whether a score is −|sum|, as for a quantile, and not the sum
    mechanism: NoisyTopK  # How many are chosen, and by which noise

    def __attrs_post_init__(self) -> None:
        object.__setattr__(self, "moves", np.asarray(self.moves, np.int64))
        if self.moves.ndim != 3 or not self.moves.size:
            raise InvalidArgument(
                f"Expected what records add to scores, of shape (types, cells, candidates), got "
                f"shape {self.moves.shape}."
            )
        if self.mechanism.number > self.moves.shape[2]:
            raise InvalidArgument(
                f"Expected at least number={self.mechanism.number} candidates, got "
                f"{self.moves.shape[2]}."
            )

    @property
    def constant(self) -> bool:
        """Whether all records add the same, so that the choice tells nothing of any."""
        return bool((self.moves == self.moves[:1]).all())

    @property
    def rounds(self) -> int:
        """Rounds that choose among two or more."""
        return min(self.mechanism.number, int(self.moves.shape[2]) - 1)

    def of_types(self, first: Ints) -> "Selection":
        """The same of these types alone."""
        return attrs.evolve(self, moves=self.moves[first])

    def scores(self, counts: Ints) -> Floats:
        """Score samples with these counts; (..., n_types) -> (..., cells, candidates)."""
        many, *shape = self.moves.shape
        flat = self.moves.reshape(many, -1).astype(np.float64)
        sums = (counts @ flat).reshape(*counts.shape[:-1], *shape)
        return np.asarray(-np.abs(sums) if self.absolute else sums)

    def losses(self) -> Floats:
        """Most that ln Pr of what is chosen moves when two types are exchanged; (types, types)."""
        losses = np.zeros((len(self.moves),) * 2)
        for rows, moved in self._exchanges():
            if self.absolute:
                up = down = self.rounds * _range(moved, absolute=True)
            else:
                up = _largest(moved, self.rounds) - self.rounds * moved.min(axis=-1)
                down = self.rounds * moved.max(axis=-1) + _largest(-moved, self.rounds)
            losses[rows] = np.maximum(up.sum(axis=-1), down.sum(axis=-1))
        return losses / self.mechanism.scale

    def rho(self) -> Floats:
        """Return ρ of zCDP between samples with two types exchanged; (types, types).

        For Gumbel noise, whose rounds have ranges r and cost r²/8 each.
        """
        if self.mechanism.noise is not SelectionNoise.GUMBEL:
            return np.asarray(np.square(self.losses()) / 2)
        rho = np.zeros((len(self.moves),) * 2)
        for rows, moved in self._exchanges():
            spread = _range(moved, absolute=self.absolute) / self.mechanism.scale
            rho[rows] = self.rounds * np.square(spread).sum(axis=-1) / 8
        return rho

    def _exchanges(self) -> Iterator[tuple[slice, Floats]]:
        """Differences of all types from some; (rows, types, cells, candidates)."""
        # A candidate that no type moves differently from another is the same candidate here.
        many, cells, _ = self.moves.shape
        kinds = self.moves
        if self.mechanism.number == 1:
            kinds = np.unique(self.moves.reshape(many * cells, -1), axis=1).reshape(many, cells, -1)
        block = max(_CELLS // kinds.size, 1)
        for start in range(0, many, block):
            rows = slice(start, start + block)
            yield rows, (kinds[rows, None] - kinds[None]).astype(np.float64)


def _range(moved: Floats, *, absolute: bool) -> Floats:
    """How far apart two scores move at most; where only |sums| count, each goes either way."""
    if not absolute:
        return np.asarray(moved.max(axis=-1) - moved.min(axis=-1))
    return _largest(np.abs(moved), 2) if moved.shape[-1] > 1 else np.zeros(moved.shape[:-1])


def _largest(moved: Floats, number: int) -> Floats:
    """Sum of the largest on the last axis."""
    if number == 1:
        return np.asarray(moved.max(axis=-1))
    first = max(moved.shape[-1] - number, 0)
    return np.asarray(np.sort(moved, axis=-1)[..., first:].sum(axis=-1))


Records: TypeAlias = str | Sequence[int]  # "worst" of all, "all", or those at some positions
_RecordSelection: TypeAlias = Literal["worst", "all"] | tuple[int, ...]
_WORDS = ("worst", "all")


class ParentSet(Protocol):
    """What a mechanism makes of each record of a parent set."""

    @property
    def population(self) -> int:
        """N, how many records there are."""
        ...


Data = TypeVar("Data", bound=ParentSet, covariant=True)


@attrs.frozen(eq=False)
class Summands(_Rows):
    """What each record adds to a sum."""

    # (n_records,) or (n_records, n_columns): finite, at most 1e100 in size; kept as (n_records,
    # n_columns).
    values: Floats = attrs.field(converter=numbers)

    @property
    def population(self) -> int:
        """N."""
        return len(self.values)


@attrs.frozen
class Ones:
    """Zeros and ones, known by how many there are."""

    # ones, population: K of the N records count, 0 <= K <= N, N >= 2.
    ones: int
    population: int

    def __attrs_post_init__(self) -> None:
        everyone = validate.integer(self.population, "population", least=2)
        counted = validate.integer(self.ones, "ones", least=0)
        if counted > everyone:
            raise InvalidArgument(
                f"Expected 0 <= ones <= {everyone}, the population, got ones={counted}."
            )
        object.__setattr__(self, "ones", counted)
        object.__setattr__(self, "population", everyone)

    @property
    def constant(self) -> bool:
        """Whether all records are the same, and nothing can be learnt."""
        return self.ones in (0, self.population)


def rows_of(value: Source) -> Floats:
    """Finite records, one a row, for a function of one's own; shape (n_records, …)."""
    rows = numbers(value) if isinstance(value, str | Path) else floats(value)
    if rows.ndim == 0:
        raise InvalidArgument("Expected records, a row each, got a single number.")
    if not rows.size or not np.all(np.isfinite(rows)):
        raise InvalidArgument("Expected finite records, one a row.")
    return rows


@attrs.frozen(eq=False)
class SampleFunction:
    """Any function of the sampled records."""

    # The sampled rows, in the order of the parent set, to d finite numbers.
    function: Callable[[NDArray[Any]], ArrayLike]
    rows: Floats = attrs.field(converter=rows_of)  # (n_records, …): the parent set, a record a row

    @property
    def population(self) -> int:
        """N."""
        return len(self.rows)


def sample_size(size: Any, population: int) -> int:
    """n, a whole number with 1 <= n < N."""
    n = validate.integer(size, "size", least=1)
    if n >= population:
        raise InvalidArgument(
            f"Expected 1 <= size < {population}, the number of records, got size={n}. "
            "A sample leaves at least one record out."
        )
    return n


def _delta(value: Any) -> float:
    delta = validate.normal(validate.probability(value, "delta"), "delta")
    if delta == 1:
        raise InvalidArgument("Expected 0 <= delta < 1, got delta=1.0.")
    return delta


def _records(value: Any) -> _RecordSelection:
    if isinstance(value, str):
        return "all" if validate.one_of(value, _WORDS, "records") == "all" else "worst"
    if not isinstance(value, Iterable):
        raise InvalidArgument(
            f"Expected records to be worst, all or positions, got {validate.format_value(value)}."
        )
    return tuple(validate.integer(each, "records", least=0) for each in value)


@attrs.frozen(eq=False)
class Question(Generic[Data]):
    """ε̃ of which records, for a sample of which size from which parent set, at which δ.

    Raises `InvalidArgument` if a number is out of its range or a record does not exist.

    >>> question = Question(Summands([0.0, 1.0, 5.0]), 2, 0.01, records=[2])
    >>> question.population, question.targets.tolist(), question.share
    (3, [2], 0.6666666666666666)
    """

    data: Data  # What the mechanism makes of each record
    size: int  # n of the uniform sample, 1 <= n < N
    delta: float = attrs.field(default=0.0, converter=_delta)  # In [0, 1)
    # "worst" asks for the maximum over all records; "all" and positions, each once, for an interval
    # of each.
    records: _RecordSelection = attrs.field(default="worst", converter=_records)
    # When the question was put, on the monotonic clock.
    began: float = attrs.field(factory=time.monotonic)

    def __attrs_post_init__(self) -> None:
        many = self.data.population
        object.__setattr__(self, "size", sample_size(self.size, many))
        if isinstance(self.records, str):
            return
        if not self.records or max(self.records) >= many:
            raise InvalidArgument(
                f"Expected records from 0 to {many - 1}, at least one, got {list(self.records)}."
            )
        if len(set(self.records)) < len(self.records):
            raise InvalidArgument(f"Expected every record once, got {list(self.records)}.")

    @property
    def population(self) -> int:
        """N."""
        return self.data.population

    @property
    def share(self) -> float:
        """n/N, an attacker's prior."""
        return self.size / self.population

    @property
    def targets(self) -> Ints:
        """Positions of the records to look at; all of them for "worst" and "all"."""
        if isinstance(self.records, str):
            return np.arange(self.population)
        return np.array(self.records, np.int64)
