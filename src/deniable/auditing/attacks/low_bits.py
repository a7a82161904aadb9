"""The last bits of floating-point outputs: which of them one neighbour alone can have."""

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.auditing.audit import Finding
from deniable.auditing.exact import Exact
from deniable.auditing.runs import Bits, Runs, Scorer, Scores, Signals

NAME = "low-bits"

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

Places = NDArray[np.int64]


@attrs.frozen
class LowBits:
    """How many last bits are 0, given the size of the number, with the record against without.

    A sum f + x of floats is rounded to the grid of its size: where f = 0 the noise keeps all its
    bits, where f = 1 those below 2^-53 are lost ([mironov-2012]_). The attack looks at nothing
    else, so that what it proves beyond the claim is told by the last bits.
    """

    name: str = NAME

    def fit(self, pilot: Runs) -> Scorer:
        """What it learns from runs whose members are known."""
        deep = _deep(pilot.signals)
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
    if attack != NAME or proven <= (claimed or 0.0):
        return None
    return Finding(
        NAME,
        "The last bits of the published numbers tell which data were used: noise of floating-point "
        "numbers was added to a floating-point answer. Draw noise on a grid of whole numbers, and "
        "round the answer to that grid before.",
        breaks=claimed is not None,
    )


def _deep(signals: Signals) -> NDArray[np.bool_]:
    """Columns in which most numbers use nearly all bits of a float64."""
    deep = (_bits(signals)[1] < 53 - _DEEP) & (signals != np.rint(signals))
    columns = signals.reshape(-1, signals.shape[2]).T
    different = [len(np.unique(column)) > _MANY * len(column) for column in columns]
    return np.asarray((deep.mean(axis=(0, 1)) > _MANY) & different)


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


def _bits(values: NDArray[np.float64]) -> tuple[Places, Places]:
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
