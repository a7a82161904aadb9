"""What each record adds to each candidate's score, and how far rounding may have moved it."""

import attrs
import numpy as np
from scipy.spatial.distance import cdist

from deniable.errors import InvalidArgument, validate
from deniable.numerics.array_api import Floats
from deniable.numerics.rounding import UNIT
from deniable.population.choices.adjacent_subsets import restricted_epsilon

_LEAST = 1e-100
"""A change below it would leave the range of floats once a score is squared."""


@attrs.frozen(eq=False)
class Scores:
    """The exponential mechanism's scores at ε = 1: candidate w has −Σ_{i in D} table[w, i].

    Parameters
    ----------
    table : array of float, shape (n_candidates, n_records)
        Each record's part of a candidate's loss, over 2Δ; for a mean the sample size is in Δ.
    off : float
        No entry is farther from the truth, but for a constant of each record, which cancels.
    restricted : float
        ε(X) at ε = 1 by restricted sensitivity, which sees these constants.
    """

    table: Floats
    off: float
    restricted: float

    @property
    def population(self) -> int:
        """N."""
        return int(self.table.shape[1])

    def widening(self, size: int, epsilon: float) -> float:
        """How far ln P_in/P_out may be off: n entries each in a score and in a normaliser, twice.

        A law is a mean of laws that are off by a factor of at most e^(±2 n·off).
        """
        return 4 * size * self.off * epsilon


def of_distances(values: Floats, candidates: Floats, clip: float) -> Scores:
    """ℓ(w, D) the mean distance; the sample size cancels against Δ = (max‖w‖ + C)/n."""
    if candidates.shape[1] != values.shape[1]:
        raise InvalidArgument(
            f"Expected candidates with {values.shape[1]} columns, as the records have, got "
            f"{candidates.shape[1]}."
        )
    reach = float(np.linalg.norm(candidates, axis=1).max()) + clip
    table = np.asarray(cdist(candidates, values) / (2 * reach))
    off = UNIT * (values.shape[1] + 8) * float(table.max())
    return Scores(table, off, restricted_epsilon(table))


def of_table(
    losses: Floats,
    size: int,
    *,
    sensitivity: float | None,
    bounds: tuple[float, float] | None,
) -> Scores:
    r"""ℓ(w, D) the mean over D of the records' losses of w, given as a table.

    Parameters
    ----------
    losses : array of float, shape (n_records, n_candidates)
        The loss of each candidate on each record.
    size : int
        n.
    sensitivity : float, optional
        Δ: no exchange of one record for any other, in the table or not, moves any candidate's
        mean loss by more.
    bounds : (float, float), optional
        Losses are cut to these; then Δ = (high − low)/n.

    Raises
    ------
    InvalidArgument
        Unless exactly one of the two is given and fits: a sensitivity below what exchanges
        inside the table show is refused.
    """
    if (sensitivity is None) == (bounds is None):
        raise InvalidArgument(
            "Expected one of sensitivity and loss bounds for given losses, got "
            f"{'neither' if bounds is None else 'both'}. Public bounds of a loss are the simplest."
        )
    if bounds is not None:
        low, high = (validate.finite(end, "a loss bound") for end in bounds)
        if not low < high:
            raise InvalidArgument(
                f"Expected loss bounds with low < high, got {low}, {high}. Put the lower end first."
            )
        losses, change = np.clip(losses, low, high), high - low
    else:
        change = validate.positive(sensitivity, "sensitivity") * size
        if float(np.ptp(losses, axis=0).max()) > change * (1 + 8 * UNIT):
            raise InvalidArgument(
                "Expected a sensitivity that exchanging two records of the table keeps to, got "
                f"sensitivity={sensitivity}. Give a larger one, or loss bounds."
            )
    largest_range = float(np.ptp(losses, axis=1).max())
    if change < largest_range * _LEAST or change < _LEAST:
        raise InvalidArgument(
            "Expected losses that change by 1e-100 of their range and by 1e-100 at least where a "
            "record is exchanged, got a smaller sensitivity or bounds. Choose another unit."
        )
    # Each record's least loss is taken off before anything is rounded.
    table = np.asarray((losses - losses.min(axis=1, keepdims=True)).T / (2 * change))
    restricted = restricted_epsilon(losses.T / (2 * change))
    return Scores(np.ascontiguousarray(table), 4 * UNIT * float(table.max()), restricted)
