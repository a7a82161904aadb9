"""The laws of finitely many outputs given a record in, or out of, the sample."""

import math
from typing import Any

import attrs
import numpy as np

from deniable.errors import InvalidArgument, validate
from deniable.numerics.array_api import Floats
from deniable.numerics.bound import Evidence
from deniable.population.answer import RecordBounds


def _logs(value: Any) -> Floats:
    result = np.asarray(value, np.float64)
    if result.ndim != 2 or not result.size or np.isnan(result).any():
        raise InvalidArgument(
            f"Expected logarithms of probabilities, records by outputs, got shape {result.shape}."
        )
    result.setflags(write=False)
    return result


def _error(value: Any) -> float:
    return validate.non_negative(value, "error")


@attrs.frozen(eq=False)
class OutputLaws:
    """ln P_in and ln P_out of every record and output, and how far they may be off.

    Raises `InvalidArgument` if shapes differ.

    >>> import numpy as np
    >>> laws = OutputLaws(np.log([[0.75, 0.25]]), np.log([[0.5, 0.5]]), 0.0)
    >>> round(laws.population_epsilon(0.2).maximum().upper, 4)  # ln 1.2; ln 2 at δ = 0
    0.1823
    """

    # log_in, log_out (n_records, n_outputs): natural logarithms of the probability of each output
    # given the record in, and out.
    log_in: Floats = attrs.field(converter=_logs)
    log_out: Floats = attrs.field(converter=_logs)
    error: float = attrs.field(converter=_error)  # No logarithm differs from the truth by more, ≥ 0
    subsets: int | None = None  # How many samples were enumerated

    def __attrs_post_init__(self) -> None:
        if self.log_in.shape != self.log_out.shape:
            raise InvalidArgument(
                f"Expected laws of one shape, got {self.log_in.shape} and {self.log_out.shape}."
            )

    def population_epsilon(self, delta: float = 0.0) -> RecordBounds:
        """The smallest ε̃ of each record with both hockey sticks at most δ.

        It is the largest ln (P(S) − δ)/P'(S), either way; the best set S holds the outputs with the
        largest ratios, as many as serve best.
        """
        allowed = validate.probability(delta, "delta")
        if allowed == 1:
            raise InvalidArgument("Expected delta < 1, got delta=1.0.")
        if allowed == 0:
            # An output that neither law gives tells nothing.
            never = np.isneginf(self.log_in) & np.isneginf(self.log_out)
            ratios = np.subtract(
                self.log_in, self.log_out, out=np.zeros(self.log_in.shape), where=~never
            )
            value = np.abs(ratios).max(axis=1)
            slack = 2 * self.error + 1e-15 * (1 + value)
            lower = np.subtract(value, slack, out=value.copy(), where=np.isfinite(value))
            upper = value + slack
        else:
            lower, upper = (
                np.maximum(
                    _smallest(self.log_in, self.log_out, allowed, off),
                    _smallest(self.log_out, self.log_in, allowed, off),
                )
                for off in (-self.error, self.error)
            )
        return RecordBounds(
            np.arange(len(lower)),
            np.maximum(lower, 0.0),
            np.maximum(upper, 0.0),
            Evidence.ENCLOSURE,
        )


def _smallest(above: Floats, below: Floats, delta: float, off: float) -> Floats:
    """max over S of ln (P(S) − δ)/Q(S), with ln P raised and ln Q lowered by `off`.

    Logarithms are measured from the row's largest: sums reach over all sizes. A sum of m terms
    may be off by m units and a few more for exp; the end moves outwards by that much too.
    """
    # Outputs by falling P/Q; after each of them ln((Σ P − δ)/Σ Q), and the largest of these.
    order = np.argsort(below - above, axis=1)
    p, q = (np.take_along_axis(law, order, axis=1) for law in (above, below))
    rounding = math.copysign((p.shape[1] + 32) * 2.0**-52, off)
    total = np.exp(np.logaddexp.accumulate(p, axis=1) + off + rounding) - delta
    against = np.logaddexp.accumulate(q, axis=1) - off - rounding
    positive = total > 0
    value = np.log(np.where(positive, total, 1.0)) - against
    best = np.where(positive, value, -np.inf).max(axis=1)
    return np.asarray(best + math.copysign(1e-15, off) * (1 + np.abs(best)))
