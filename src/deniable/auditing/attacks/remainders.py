"""Remainders of whole numbers: which of them come up with the record and which without."""

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.auditing.attack import Scorer, Scores
from deniable.auditing.exact import NOT_WHOLE, Exact, Words, remainders
from deniable.auditing.runs import Bits, Runs, Signals

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
