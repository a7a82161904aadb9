"""Which exact values come up with the record and which without: for outputs that repeat."""

from typing import Any, TypeAlias

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.auditing.attack import Scorer, Scores
from deniable.auditing.exact import Codes, Exact
from deniable.auditing.runs import Runs, Signals

_HALF = 0.5
"""Runs, added to each count: what was never seen on one side is rare there, not impossible."""

_DIFFERENT = 0.5
"""Share of pilot runs: if so many rows differ, columns are counted one by one."""

Rows: TypeAlias = NDArray[Any]


@attrs.frozen
class ExactValues:
    """ln of how often a row was seen with the record against without.

    It finds outputs that only one of two neighbours can have, and is nearly the likelihood ratio
    where outputs are few. Outputs are told apart by all that can be seen of them; -0.0 is not 0.0,
    and neither 1 nor "1" is 1.0.
    """

    name: str = "exact-values"

    def fit(self, pilot: Runs) -> Scorer:
        """What it learns from runs whose members are known."""
        codes = pilot.outputs.codes
        tables = [_Table.of(codes[:, i], pilot.members[:, i]) for i in range(codes.shape[1])]

        def score(signals: Signals, exact: Exact | None = None, /) -> Scores:
            fresh = (Exact.of(signals) if exact is None else exact).codes
            columns = [table.score(fresh[:, i]) for i, table in enumerate(tables)]
            return np.stack(columns, axis=1)

        return score


@attrs.frozen(eq=False)
class _Table:
    """Values of whole rows, or of each column where most rows differ."""

    parts: list[NDArray[np.int64]]
    known: list[tuple[Rows, NDArray[np.float64]]]

    @classmethod
    def of(cls, rows: Codes, members: NDArray[np.bool_]) -> "_Table":
        # columns that never change, as the shape of most answers, need not be compared
        used = np.flatnonzero((rows != rows[:1]).any(axis=0))
        if not len(used):
            used = np.arange(rows.shape[1])
        repeats = len(np.unique(_together(rows[:, used]))) <= max(_DIFFERENT * len(rows), 2)
        parts = [used] if repeats else [used[[j]] for j in range(len(used))]
        return cls(parts, [cls._counted(rows[:, part], members) for part in parts])

    @staticmethod
    def _counted(rows: Codes, members: NDArray[np.bool_]) -> tuple[Rows, NDArray[np.float64]]:
        values, place = np.unique(_together(rows), return_inverse=True)
        seen = np.bincount(place, weights=members, minlength=len(values)), np.bincount(place)
        inside, outside = seen[0] + _HALF, seen[1] - seen[0] + _HALF
        return values, np.log(inside) - np.log(outside)

    def score(self, rows: Codes) -> Scores:
        total = np.zeros(len(rows))
        for part, (values, ratios) in zip(self.parts, self.known, strict=True):
            wanted = _together(rows[:, part])
            place = np.minimum(np.searchsorted(values, wanted), len(values) - 1)
            total += np.where(values[place] == wanted, ratios[place], 0.0)
        return total


def _together(rows: Codes) -> Rows:
    """All codes of a row as one thing that can be compared and ordered."""
    flat = np.ascontiguousarray(rows)
    if flat.shape[1] == 1:
        return flat.ravel()  # much faster to order
    return flat.view(np.dtype((np.void, flat.dtype.itemsize * flat.shape[1]))).ravel()
