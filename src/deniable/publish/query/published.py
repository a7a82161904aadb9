"""Published rows, from noisy whole numbers and public numbers only."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import attrs
import numpy as np
from numpy.typing import ArrayLike, NDArray

from deniable.certificate.results import ResultRow
from deniable.errors import InvalidArgument
from deniable.errors.late import late
from deniable.pipeline.noise import DiscreteLaplace
from deniable.publish.query.scope import Grouping, Scalar

if TYPE_CHECKING:
    from deniable.pipeline import noise as mechanisms
    from deniable.pipeline.noise import Mechanism
else:  # a release with Laplace noise loads no other
    mechanisms = late("deniable.pipeline.noise")

CONFIDENCE = 0.95
"""Coverage of each published number's half-width."""


def half_width(mechanism: Mechanism | None, step: float = 1.0) -> float:
    """Width around a noisy number that holds the exact one with 95 % probability."""
    return step * noise_width(mechanism, CONFIDENCE)


@functools.lru_cache(maxsize=256)  # a mean asks again for every group, at milliseconds each
def noise_width(mechanism: Mechanism | None, confidence: float) -> float:
    """The same in whole numbers, at any confidence."""
    match mechanism:
        case DiscreteLaplace() | mechanisms.DiscreteGaussian():
            return float(mechanism.half_width(confidence))
        case mechanisms.ZeroSumNoise():
            return float(mechanism.half_width(confidence=confidence))
    raise InvalidArgument(f"Expected a noise on numbers, got {mechanism!r}.")


def score_width(mechanism: Mechanism | None, candidates: int, step: float = 1.0) -> float:
    """Return by how much no score left out beats a selected one, with 95 % probability."""
    if not isinstance(mechanism, mechanisms.NoisyTopK):
        raise InvalidArgument(f"Expected a noisy selection, got {mechanism!r}.")
    return step * float(mechanism.score_gap(candidates, CONFIDENCE))


def number_row(
    name: str,
    kind: str,
    column: str | None,
    keys: Mapping[str, Scalar],
    number: tuple[float | None, float | None, str | None],
    **more: Any,
) -> ResultRow:
    """A row with a number: its value, its half-width, and the unit of both."""
    value, width, unit = number
    return ResultRow(
        name, kind, column, keys, value=value, half_width_95=width, half_width_unit=unit, **more
    )


@attrs.frozen
class NumberOfCells:
    """One kind of number that each cell publishes, in cell order.

    `kind` is the word in the results, `column` what it is of, and `unit` that of the half-widths.
    """

    kind: str
    column: str | None
    unit: str
    values: NDArray[np.float64]
    half_widths: NDArray[np.float64]


@attrs.frozen(eq=False)
class CellRows(Sequence[ResultRow]):
    """Rows that differ in keys and numbers alone: a row for each number of each cell.

    They are made when one is asked for: of thousands of runs an attack reads the numbers only.
    """

    name: str
    grouping: Grouping
    numbers: tuple[NumberOfCells, ...]

    def __len__(self) -> int:
        return sum(len(number.values) for number in self.numbers)

    def __getitem__(self, index: Any) -> Any:
        return self._rows[index]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and self._rows == list(other)

    __hash__ = None  # type: ignore[assignment] # as of a list

    def values_and_half_widths(self) -> NDArray[np.float64]:
        """Both of each row, shape (rows, 2)."""
        both = [[number.values, number.half_widths] for number in self.numbers]
        return np.array(both).transpose(2, 0, 1).reshape(-1, 2)

    @functools.cached_property
    def _rows(self) -> list[ResultRow]:
        cells = self.values_and_half_widths().reshape(-1, len(self.numbers), 2).tolist()
        return [
            number_row(self.name, number.kind, number.column, keys, (value, width, number.unit))
            for keys, cell in zip(self.grouping.groups(), cells, strict=True)
            for number, (value, width) in zip(self.numbers, cell, strict=True)
        ]


def build_rows(
    kind: str,
    column: str | None,
    unit: str,
    name: str,
    grouping: Grouping,
    values: ArrayLike,
    width: ArrayLike,
) -> CellRows:
    """One row a cell, with the same half-width or each with its own."""
    published = np.array(values, np.float64)
    widths = np.broadcast_to(np.asarray(width, np.float64), published.shape)
    return CellRows(name, grouping, (NumberOfCells(kind, column, unit, published, widths),))
