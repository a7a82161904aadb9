"""A mechanism written out: for each subset of a small universe, the law of the output."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import attrs
import numpy as np
from numpy.typing import ArrayLike, NDArray

from deniable.errors import InvalidArgument, validate
from deniable.priors.universe import MOST_LISTED, Universe

ROUNDING = 2.0**-46
"""How far from 1 the sum of a row may lie for each of its entries: 64 units in the last place of 1,
what a logarithm and back may cost. A row that lacks more lacks an output, and says so."""


def _names(value: Iterable[Any]) -> tuple[str, ...]:
    if isinstance(value, str) or not isinstance(value, Iterable):
        raise InvalidArgument(f"Expected outputs to be a list of names, got {value!r}.")
    names = tuple(value)
    if not names or not all(isinstance(name, str) for name in names):
        raise InvalidArgument(f"Expected outputs to be one name or more, got {list(names)!r}.")
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise InvalidArgument(f"Expected outputs with distinct names, got {twice!r} twice.")
    return names


@attrs.frozen(init=False)
class StochasticMatrix:
    r"""The probabilities Pr[A(T) = o] for subsets T of a universe and outputs o.

    Row r is the law of the output on the subset that holds entity i if and only if bit i of r is
    set. A row may be left out: a mechanism for data sets of one size has only those.

    Parameters
    ----------
    universe : Universe
        The entities.
    outputs : sequence of str
        Distinct names, at least one.
    rows : array_like of float, shape (2**size, n_outputs)
        Probabilities. Rows of NaN are not known.
    known : array_like of bool, shape (2**size,), optional
        Which rows count; by default those that hold no NaN. The others become NaN.

    Raises
    ------
    InvalidArgument
        If a shape is wrong, no row is known, or a known row is no law: an entry outside [0, 1]
        or a sum that is not 1 but for rounding. The message names the subset.

    Examples
    --------
    >>> flip = StochasticMatrix(Universe(("a",)), ("no", "yes"), [[0.75, 0.25], [0.25, 0.75]])
    >>> flip.law(["a"]).tolist(), flip.known.tolist()
    ([0.25, 0.75], [True, True])
    """

    universe: Universe
    outputs: tuple[str, ...]
    rows: NDArray[np.float64] = attrs.field(
        eq=attrs.cmp_using(eq=lambda a, b: np.array_equal(a, b, equal_nan=True)), repr=False
    )
    known: NDArray[np.bool_] = attrs.field(eq=attrs.cmp_using(eq=np.array_equal), repr=False)

    def __init__(
        self,
        universe: Universe,
        outputs: Sequence[str],
        rows: ArrayLike,
        known: ArrayLike | None = None,
    ) -> None:
        names = _names(outputs)
        if not isinstance(universe, Universe):
            raise InvalidArgument(f"Expected a universe, got {type(universe).__name__}.")
        table = _table(rows, (2**universe.size, len(names)))
        complete = np.asarray(~np.isnan(table).any(axis=1))
        with_law = complete if known is None else np.array(known, dtype=np.bool_)
        if with_law.shape != table.shape[:1]:
            raise InvalidArgument(
                f"Expected known to have shape {table.shape[:1]}, got shape {with_law.shape}."
            )
        if not with_law.any():
            raise InvalidArgument("Expected the law of one subset or more, got none.")
        if known is not None:
            table[~with_law] = np.nan
        with np.errstate(invalid="ignore"):
            outside = with_law & ~((table >= 0) & (table <= 1)).all(axis=1)
            sums = table.sum(axis=1)
            off = with_law & ~(np.abs(sums - 1) <= ROUNDING * table.shape[1])
        for row in np.flatnonzero(outside)[:1]:
            entry = next(float(x) for x in table[row] if not 0 <= x <= 1)
            raise InvalidArgument(
                f"Expected the row of {_quote(universe.name(int(row)))} to hold probabilities, "
                f"got {entry}."
            )
        for row in np.flatnonzero(off)[:1]:
            raise InvalidArgument(
                f"Expected the row of {_quote(universe.name(int(row)))} to sum to 1, "
                f"got a sum of {validate.format_sum(float(sums[row]))}."
            )
        table.setflags(write=False)
        with_law.setflags(write=False)
        self.__attrs_init__(universe, names, table, with_law)

    @classmethod
    def from_spec(cls, spec: Mapping[str, Any]) -> "StochasticMatrix":
        """Read what `deniable verify` reads: universe, outputs, and rows by subset.

        Parameters
        ----------
        spec : mapping
            ``{"universe": ["a"], "outputs": ["0", "1"], "rows": {"": [..], "a": [..]}}``; a
            row's key holds names with commas between them, in any order.

        Raises
        ------
        InvalidArgument
            If a key is missing, a name is unknown or repeated, or a row is no law.
        """
        keys = ("universe", "outputs", "rows")
        if not isinstance(spec, Mapping):
            raise InvalidArgument(f"Expected an object with {', '.join(keys)}, got {spec!r}.")
        if missing := [key for key in keys if key not in spec]:
            raise InvalidArgument(
                f"Expected the keys {', '.join(keys)}, got none named {missing[0]}."
            )
        if not isinstance(spec["rows"], Mapping):
            raise InvalidArgument(f"Expected rows to be an object by subset, got {spec['rows']!r}.")
        value = spec["universe"]
        if isinstance(value, str) or not isinstance(value, Iterable):
            raise InvalidArgument(f"Expected universe to be a list of names, got {value!r}.")
        universe, names = _small(Universe(tuple(value))), _names(spec["outputs"])
        table = np.full((2**universe.size, len(names)), np.nan)
        known = np.zeros(2**universe.size, dtype=np.bool_)
        for key, law in spec["rows"].items():
            members = key.split(",") if key else []
            if len(set(members)) < len(members):
                raise InvalidArgument(
                    f"Expected a subset that names an entity once, got {_quote(key)}."
                )
            row = universe.row(members)
            if known[row]:
                raise InvalidArgument(f"Expected one row a subset, got two of {_quote(key)}.")
            n_outputs = len(names)
            try:
                probabilities = np.array(law, dtype=np.float64)
            except (OverflowError, TypeError, ValueError):
                probabilities = np.empty(0)
            if probabilities.shape != (n_outputs,):
                raise InvalidArgument(
                    f"Expected the row of {_quote(key)} to hold {n_outputs} numbers, got {law!r}."
                )
            known[row], table[row] = True, probabilities
        return cls(universe, names, table, known)

    @classmethod
    def tabulated(
        cls,
        universe: Universe,
        outputs: Sequence[str],
        law: Callable[[NDArray[np.bool_]], ArrayLike | None],
    ) -> "StochasticMatrix":
        """Ask `law` for every subset's probabilities; None where it has none.

        Examples
        --------
        >>> sight = lambda members: [1 - members[0], members[0]]
        >>> StochasticMatrix.tabulated(Universe(("a",)), ["0", "1"], sight).rows.tolist()
        [[1.0, 0.0], [0.0, 1.0]]
        """
        table = np.full((2 ** _small(universe).size, len(outputs)), np.nan)
        known = np.zeros(2**universe.size, dtype=np.bool_)
        for row, members in enumerate(universe.subsets()):
            if (probabilities := law(members)) is not None:
                known[row], table[row] = True, probabilities
        return cls(universe, outputs, table, known)

    def law(self, names: Iterable[str]) -> NDArray[np.float64]:
        """The output's probabilities on the subset of these entities; shape (n_outputs,).

        Raises
        ------
        InvalidArgument
            If the matrix has no row for the subset.
        """
        row = self.universe.row(names)
        if not self.known[row]:
            raise InvalidArgument(
                f"Expected a subset whose law is known, got {_quote(self.universe.name(row))}."
            )
        return np.asarray(self.rows[row])


def _small(universe: Universe) -> Universe:
    """The universe, if its subsets can be listed."""
    if universe.size > MOST_LISTED:
        raise InvalidArgument(
            f"Expected at most {MOST_LISTED} entities to write out every subset's law, got "
            f"{universe.size}."
        )
    return universe


def _quote(key: str) -> str:
    return f'"{key}"'


def _table(rows: ArrayLike, shape: tuple[int, int]) -> NDArray[np.float64]:
    try:
        table = np.array(rows, dtype=np.float64)
    except (OverflowError, TypeError, ValueError):
        raise InvalidArgument(
            f"Expected rows of numbers, {shape[1]} in each, got others."
        ) from None
    if table.shape != shape:
        raise InvalidArgument(f"Expected rows of shape {shape}, got shape {table.shape}.")
    return table
