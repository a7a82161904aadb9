"""Which exact values come up with the record and which without: for outputs that repeat."""

from typing import Any, TypeAlias

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.auditing.attack import Scorer, Scores
from deniable.auditing.runs import Runs, Signals

_HALF = 0.5
"""Runs, added to each count: what was never seen on one side is rare there, not impossible."""

_DIFFERENT = 0.5
"""Share of pilot runs: if so many rows differ, columns are counted one by one."""

_MODULUS = 8.0
"""Divisor, no unit: the last three bits of a whole number, parity among them."""

Codes: TypeAlias = NDArray[Any]


@attrs.frozen
class ExactValues:
    """ln of how often a row was seen with the record against without.

    It finds outputs that only one of two neighbours can have, and is nearly the likelihood ratio
    where outputs are few. Values are told apart by all their bits; -0.0 is not 0.0.
    """

    name: str = "exact-values"

    def fit(self, pilot: Runs) -> Scorer:
        """What it learns from runs whose members are known."""
        n_records = pilot.members.shape[1]
        tables = [_Table.of(pilot.signals[:, i], pilot.members[:, i]) for i in range(n_records)]

        def score(signals: Signals) -> Scores:
            columns = [table.score(signals[:, i]) for i, table in enumerate(tables)]
            return np.stack(columns, axis=1)

        return score


@attrs.frozen
class Remainders:
    """Which remainders of whole numbers come up with the record and which without.

    Sums of even numbers are even, and counts of things that come in pairs are: a noise of even
    numbers hides how many there are, and not whether somebody is there.
    """

    name: str = "remainders"

    def fit(self, pilot: Runs) -> Scorer:
        """What it learns from runs whose members are known."""
        signals = pilot.signals
        whole = np.flatnonzero(
            (np.isfinite(signals) & (signals == np.rint(signals))).all(axis=(0, 1))
        )
        if not len(whole):
            return lambda fresh: np.zeros(fresh.shape[:2])
        rest = _remainders(signals[..., whole])
        score = ExactValues().fit(Runs(pilot.members, rest))
        return lambda fresh: score(_remainders(fresh[..., whole]))


def _remainders(signals: Signals) -> Signals:
    finite = np.isfinite(signals)
    return np.where(finite, np.mod(np.where(finite, signals, 0.0), _MODULUS), -1.0)


@attrs.frozen(eq=False)
class _Table:
    """Values of whole rows, or of each column where most rows differ."""

    whole: bool
    known: list[tuple[Codes, NDArray[np.float64]]]

    @classmethod
    def of(cls, rows: NDArray[np.float64], members: NDArray[np.bool_]) -> "_Table":
        whole = len(np.unique(_codes(rows))) <= max(_DIFFERENT * len(rows), 2)
        parts = [rows] if whole else [rows[:, [j]] for j in range(rows.shape[1])]
        return cls(whole, [cls._counted(part, members) for part in parts])

    @staticmethod
    def _counted(
        rows: NDArray[np.float64], members: NDArray[np.bool_]
    ) -> tuple[Codes, NDArray[np.float64]]:
        codes, place = np.unique(_codes(rows), return_inverse=True)
        seen = np.bincount(place, weights=members, minlength=len(codes)), np.bincount(place)
        inside, outside = seen[0] + _HALF, seen[1] - seen[0] + _HALF
        return codes, np.log(inside) - np.log(outside)

    def score(self, rows: NDArray[np.float64]) -> Scores:
        parts = [rows] if self.whole else [rows[:, [j]] for j in range(rows.shape[1])]
        total = np.zeros(len(rows))
        for part, (codes, ratios) in zip(parts, self.known, strict=True):
            wanted = _codes(part)
            place = np.minimum(np.searchsorted(codes, wanted), len(codes) - 1)
            total += np.where(codes[place] == wanted, ratios[place], 0.0)
        return total


def _codes(rows: NDArray[np.float64]) -> Codes:
    """All bits of a row as one thing that can be compared and ordered."""
    flat = np.ascontiguousarray(rows)
    if flat.shape[1] == 1:
        return flat.view(np.int64).ravel()  # much faster to order
    return flat.view(np.dtype((np.void, flat.dtype.itemsize * flat.shape[1]))).ravel()
