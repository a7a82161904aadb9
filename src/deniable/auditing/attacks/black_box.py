"""What is tried on outputs of unknown law: remainders and exact values among them."""

from collections.abc import Sequence
from typing import Any, TypeAlias

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.auditing.attacks.classifier import Classifier, Floats
from deniable.auditing.attacks.positions import Positions
from deniable.auditing.audit import Finding
from deniable.auditing.exact import NOT_WHOLE, WORD, Codes, Exact, Words, remainders, words_of
from deniable.auditing.runs import Bits, Runs, Scorer, Scores, Signals

LOW_BITS = "low-bits"

_HALF = 0.5
"""Runs, added to each count: what was never seen is rare, not impossible."""

_MANY = 0.5
"""Share of numbers that must use nearly all bits, and of those that must differ."""

_DEEP = 40
"""Bits of a float64's 53 that an output must use: noise that was drawn on a grid of its own, such
as whole numbers, has fewer, and its last bits are the answer itself."""

_LEVELS = 128
"""More kinds of last bits than there are: 53 places within a number, and none."""

_EXPONENTS = 2200
"""More than the 2,098 exponents that a float64 has, its subnormal ones included."""


@attrs.frozen
class LowBits:
    """How many last bits are 0, given the size of the number, with the record against without.

    A sum f + x of floats is rounded to the grid of its size: where f = 0 the noise keeps all its
    bits, where f = 1 those below 2^-53 are lost ([mironov-2012]_). The attack looks at nothing
    else, so that what it proves beyond the claim is told by the last bits.
    """

    name: str = LOW_BITS

    def fit(self, pilot: Runs) -> Scorer:
        """What it learns from runs whose members are known."""
        # Columns in which most numbers use nearly all bits of a float64.
        deep = (_bits(pilot.signals)[1] < 53 - _DEEP) & (pilot.signals != np.rint(pilot.signals))
        columns = pilot.signals.reshape(-1, pilot.signals.shape[2]).T
        different = [len(np.unique(column)) > _MANY * len(column) for column in columns]
        deep = (deep.mean(axis=(0, 1)) > _MANY) & different
        tables = [_ratios(pilot.signals[..., j], pilot.members) for j in np.flatnonzero(deep)]

        def score(signals: Signals, exact: Exact | None = None, /) -> Scores:  # noqa: ARG001
            total = np.zeros(signals.shape[:2])
            for j, ratios in zip(np.flatnonzero(deep), tables, strict=True):
                sizes, zeros = _bits(signals[..., j])
                total += ratios[sizes, zeros]
            return total

        return score


def low_bits_finding(attack: str, proven: float, claimed: float | None) -> Finding | None:
    """What to say where this attack, and no other, found the most."""
    if attack != LOW_BITS or proven <= (claimed or 0.0):
        return None
    return Finding(
        LOW_BITS,
        "The last bits of the published numbers tell which data were used: noise of floating-point "
        "numbers was added to a floating-point answer. Draw noise on a grid of whole numbers, and "
        "round the answer to that grid before.",
        breaks=claimed is not None,
    )


def _ratios(column: NDArray[np.float64], members: Bits) -> NDArray[np.float64]:
    """ln Pr[zeros | size, in] − ln Pr[zeros | size, out]; (sizes, zeros)."""
    sizes, zeros = _bits(column)
    logs = []
    for part in (members, ~members):
        seen = np.bincount(sizes[part], minlength=_EXPONENTS)
        codes, counts = np.unique(sizes[part] * _LEVELS + zeros[part], return_counts=True)
        ratios = np.repeat(np.log(_HALF) - np.log(seen + _HALF), _LEVELS)
        ratios[codes] += np.log(counts + _HALF) - np.log(_HALF)
        logs.append(ratios.reshape(_EXPONENTS, _LEVELS))
    return np.asarray(logs[0] - logs[1])


def _bits(values: NDArray[np.float64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Exponent, from 0, and zeros at the end of the 53 bits; 100 for 0 and what is not finite."""
    finite = np.isfinite(values) & (values != 0)
    fraction, exponent = np.frexp(np.where(finite, values, 1.0))
    digits = np.abs(np.ldexp(fraction, 53)).astype(np.int64)  # 2^52 <= digits < 2^53
    last = digits & -digits
    zeros = np.frexp(last.astype(np.float64))[1] - 1
    return (
        np.where(finite, exponent + 1080, 0).astype(np.int64),
        np.where(finite, zeros, 100).astype(np.int64),
    )


MODULI = (*range(2, 33), 50, 60, 64, 100, 128, 256, 1000)
"""Divisors, no unit: up to 32 all, so that every prime below 37 is among them, and round numbers
to which people round: minutes, bytes, decimals."""

_CELL = 8
"""Runs of a cell in the mean: if fewer, columns are counted one by one instead of all together."""

_CELLS = 2**21
"""Numbers that are learnt from: 16 MB, and for one column all pilot runs of a million."""

# Decimals of a float: more it does not have.
_GRIDS = tuple(sorted({2.0**k for k in range(WORD)} | {10.0**k for k in range(16)}))
"""Steps to 1: those of decimals, and of all floats that are not tiny."""
_FIRST = 64
"""Numbers by which most grids are ruled out."""
_LARGEST = 2.0**WORD
"""Steps from 0: floats hold so many exactly."""

Cells = NDArray[np.int64]


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
        grids = [_grid(column) for column in pilot.signals.transpose(2, 0, 1)]
        words = _on_grids(pilot.outputs.words, pilot.signals, grids)
        rules = [_rule(words[:, i], pilot.members[:, i]) for i in range(words.shape[1])]

        def score(signals: Signals, exact: Exact | None = None, /) -> Scores:
            fresh = (Exact.of(signals) if exact is None else exact).words
            fresh = _on_grids(fresh, signals, grids)
            return _scores(rules, fresh)

        return score


def _grid(column: Floats) -> float:
    """Steps to 1 of the coarsest grid that has all numbers; 1 where they are whole or on none."""
    finite = column[np.isfinite(column)]
    for steps in _GRIDS:
        for part in (finite[:_FIRST], finite):
            with np.errstate(over="ignore"):
                places = np.rint(part * steps)
            if not ((np.abs(places) < _LARGEST).all() and (places / steps == part).all()):
                break
        else:
            return steps
    return 1.0


def _on_grids(words: Words, signals: Signals, grids: Sequence[float]) -> Words:
    """Whole numbers of steps in place of numbers that are on a grid and not whole."""
    used = [i for i, steps in enumerate(grids) if steps != 1]
    if not used:
        return words
    words = words.copy()
    for i in used:
        with np.errstate(invalid="ignore", over="ignore"):
            places = words_of(np.rint(signals[..., i] * grids[i]))
        words[..., i, :] = 0
        words[..., i, 0] = places[..., 0]
    return words


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


def _scores(rules: Sequence[_Rule | None], words: Words) -> Scores:
    """The sum of each record by its own rule; (n_runs, n_records, …) -> (n_runs, n_records)."""
    zero = np.zeros(len(words))
    return np.stack(
        [rule.score(words[:, i]) if rule else zero for i, rule in enumerate(rules)], axis=1
    )


def _rule(words: Words, members: Bits, moduli: Sequence[int] = MODULI) -> _Rule | None:
    """What tells most; None where nothing is whole or there is one kind of run."""
    used = np.flatnonzero((words[..., 0] != NOT_WHOLE).any(axis=0))
    if not len(used) or members.all() or not members.any():
        return None
    learnt = max(_CELLS // len(used), 1)
    words, members = words[:learnt, used], members[:learnt]
    best, most = None, -np.inf
    for modulus in moduli:
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
                # Standard deviations: columns whose remainders differ less are left out where one
                # differs more than all together; of 300 columns they would drown it.
                ratios[each < 2.0] = 0.0
            best = _Rule(modulus, used, together, ratios)
    return best


_PRINTED, _PRINTED_BYTES = 16, 24
"""Columns of numbers that are printed, and bytes of the longest float."""


@attrs.frozen
class Characters:
    """Which characters come up at a place, from either end of texts and of printed numbers."""

    name: str = "characters"

    def fit(self, pilot: Runs) -> Scorer:
        """What it learns from runs whose members are known."""
        learnt = max(_CELLS // max(pilot.signals.shape[2], 1), 1)
        part = pilot[:learnt]
        characters = _characters(part.signals, part.exact)
        width = characters.shape[2]
        rules = [
            _rule(characters[:, i], part.members[:, i], (256,))  # Kinds of bytes.
            for i in range(characters.shape[1])
        ]

        def score(signals: Signals, exact: Exact | None = None, /) -> Scores:
            fresh = _characters(signals, exact)
            # Texts come last, and where no run has one there are no columns of them.
            missing = max(width - fresh.shape[2], 0)
            return _scores(rules, np.pad(fresh, ((0, 0), (0, 0), (0, missing), (0, 0))))

        return score


def _characters(signals: Signals, exact: Exact | None) -> Words:
    """Bytes of texts and of printed numbers, from both aligned; (n_runs, n_records, n, 1)."""
    numbers = signals[..., :_PRINTED]
    printed = numbers.astype(f"S{_PRINTED_BYTES}")
    aligned = [printed, np.char.rjust(printed, _PRINTED_BYTES) if printed.size else printed]
    shape = (*signals.shape[:2], numbers.shape[2] * _PRINTED_BYTES)
    flat = [each.view(np.uint8).reshape(shape) for each in aligned]
    if exact is not None and exact.texts is not None:
        flat.append(exact.texts)
    return np.concatenate(flat, axis=2).astype(np.int64)[..., None]


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
    """Pearson's statistic of each row of counts, and its mean where remainders say nothing."""
    # The mean holds where counts are small, too: the number of cells that were seen, less 1.
    one, other = inside.sum(axis=1, keepdims=True), outside.sum(axis=1, keepdims=True)
    seen = inside + outside
    expected = seen * one / (one + other)
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = (inside - expected) ** 2 / (expected * other / (one + other))
    statistic = np.where(seen > 0, terms, 0.0).sum(axis=1)
    return statistic, np.maximum((seen > 0).sum(axis=1) - 1.0, 1.0)


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
        tables = [_SeenValues.of(codes[:, i], pilot.members[:, i]) for i in range(codes.shape[1])]

        def score(signals: Signals, exact: Exact | None = None, /) -> Scores:
            fresh = (Exact.of(signals) if exact is None else exact).codes
            return np.stack([table.score(fresh[:, i]) for i, table in enumerate(tables)], axis=1)

        return score


@attrs.frozen(eq=False)
class _SeenValues:
    """Values of whole rows, or of each column where most rows differ."""

    parts: list[NDArray[np.int64]]
    known: list[tuple[Rows, NDArray[np.float64]]]

    @classmethod
    def of(cls, rows: Codes, members: NDArray[np.bool_]) -> "_SeenValues":
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


BLACK_BOX = (Classifier(), Positions(), ExactValues(), Remainders(), Characters(), LowBits())
"""All attacks that need no law; the best on pilot runs is measured on the others."""
