"""What is tried on outputs of unknown law: remainders and exact values among them."""

from typing import Any, TypeAlias

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.auditing.attacks.classifier import Classifier
from deniable.auditing.attacks.low_bits import LowBits
from deniable.auditing.exact import NOT_WHOLE, Codes, Exact, Words, remainders
from deniable.auditing.runs import Bits, Runs, Scorer, Scores, Signals

# --- Remainders of whole numbers: which of them come up with the record and which without.


MODULI = (*range(2, 33), 50, 60, 64, 100, 128, 256, 1000)
"""Divisors, no unit: up to 32 all, so that every prime below 37 is among them, and round numbers
to which people round: minutes, bytes, decimals."""

_HALF = 0.5
"""Runs, added to each count: what was never seen on one side is rare there, not impossible."""

_CELL = 8
"""Runs of a cell in the mean: if fewer, columns are counted one by one instead of all together."""

_APART = 2.0
"""Standard deviations: columns whose remainders differ less are left out where one differs more
than all together; of 300 columns they would drown it."""

_CELLS = 2**21
"""Numbers that are learnt from: 16 MB, and for one column all pilot runs of a million."""

Cells = NDArray[np.int64]
Floats = NDArray[np.float64]


@attrs.frozen
class Remainders:
    """Which remainders of whole numbers come up with the record and which without.

    Sums of even numbers are even, and counts of things that come in pairs are: a noise of even
    numbers hides how many there are, and not whether somebody is there. Of the divisors in `MODULI`
    that one is used by whose remainders pilot runs with and without differ most.
    """

    name: str = "remainders"

    def fit(self, pilot: Runs) -> Scorer:
        """What it learns from runs whose members are known."""
        words = pilot.outputs.words
        rules = [_rule(words[:, i], pilot.members[:, i]) for i in range(words.shape[1])]

        def score(signals: Signals, exact: Exact | None = None, /) -> Scores:
            fresh = (Exact.of(signals) if exact is None else exact).words
            columns = [
                np.zeros(len(fresh)) if rule is None else rule.score(fresh[:, i])
                for i, rule in enumerate(rules)
            ]
            return np.stack(columns, axis=1)

        return score


@attrs.frozen(eq=False)
class _Rule:
    """ln of how often a remainder was seen with the record against without, column by column."""

    modulus: int
    used: NDArray[np.int64]
    together: bool
    ratios: Floats

    def score(self, words: Words) -> Scores:
        cells = _cells(words[:, self.used], self.modulus, together=self.together)
        return np.asarray(np.take_along_axis(self.ratios.T, cells, axis=0).sum(axis=1))


def _rule(words: Words, members: Bits) -> _Rule | None:
    """What tells most; None where nothing is whole or there is one kind of run."""
    used = np.flatnonzero((words[..., 0] != NOT_WHOLE).any(axis=0))
    if not len(used) or members.all() or not members.any():
        return None
    learnt = max(_CELLS // len(used), 1)
    words, members = words[:learnt, used], members[:learnt]
    best, most = None, -np.inf
    for modulus in MODULI:
        together = (modulus + 1) ** len(used) * _CELL <= len(words)
        cells = _cells(words, modulus, together=together)
        count = (modulus + 1) ** (len(used) if together else 1)
        inside, outside = _counts(cells[members], count), _counts(cells[~members], count)
        statistic, freedom = _apart(inside, outside)
        each = (statistic - freedom) / np.sqrt(2 * freedom)
        every = (statistic.sum() - freedom.sum()) / np.sqrt(2 * freedom.sum())
        if (apart := max(each.max(), every)) > most:
            most = apart
            ratios = np.log(inside + _HALF) - np.log(outside + _HALF)
            if each.max() > every:
                ratios[each < _APART] = 0.0
            best = _Rule(modulus, used, together, ratios)
    return best


def _cells(words: Words, modulus: int, *, together: bool) -> Cells:
    """Remainders, or one number for the remainders of all columns; (n, columns, n_words)."""
    rest = remainders(words, modulus)
    if not together:
        return rest
    places = (modulus + 1) ** np.arange(rest.shape[1])
    return np.asarray((rest * places).sum(axis=1, keepdims=True))


def _counts(cells: Cells, count: int) -> Floats:
    """How often each cell of each column was seen; (n, columns) -> (columns, count)."""
    columns = cells.shape[1]
    flat = (cells + count * np.arange(columns)).ravel()
    return np.bincount(flat, minlength=columns * count).reshape(columns, count).astype(np.float64)


def _apart(inside: Floats, outside: Floats) -> tuple[Floats, Floats]:
    """Pearson's statistic of each row of counts, and its mean where remainders say nothing.

    The mean holds where counts are small, too: the number of cells that were seen, less 1.
    """
    one, other = inside.sum(axis=1, keepdims=True), outside.sum(axis=1, keepdims=True)
    seen = inside + outside
    expected = seen * one / (one + other)
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = (inside - expected) ** 2 / (expected * other / (one + other))
    statistic = np.where(seen > 0, terms, 0.0).sum(axis=1)
    return statistic, np.maximum((seen > 0).sum(axis=1) - 1.0, 1.0)


# --- Which exact values come up with the record and which without: for outputs that repeat.


_HALF_OF_RUNS = 0.5
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
        inside, outside = seen[0] + _HALF_OF_RUNS, seen[1] - seen[0] + _HALF_OF_RUNS
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


# --- What is tried on outputs of unknown law.


BLACK_BOX = (Classifier(), ExactValues(), Remainders(), LowBits())
"""All attacks that need no law; the best on pilot runs is measured on the others."""
