"""The worst of many records: ranked on pilot runs, tested on others, with a correction."""

import math

import numpy as np

from deniable.auditing.audit import RecordFound
from deniable.auditing.runs import Bits
from deniable.auditing.statistics import counts
from deniable.auditing.statistics.cut import Cut, Scores, counted, likely_shares
from deniable.auditing.statistics.exact import lower_limit
from deniable.errors import InvalidArgument, validate

LISTED = 8
"""Records: so many are tested at once. Of 500 the worst is hardly ever missed, and the correction
costs .09 in ε at 500 runs and ε = 1."""


def worst_records(
    pilot: tuple[Scores, Bits],
    test: tuple[Scores, Bits],
    *,
    delta: float = 0.0,
    confidence: float = 0.95,
    listed: int = LISTED,
) -> tuple[RecordFound, ...]:
    """Lower limits for the records that the pilot found worst; all hold at once.

    Each record has its own cut. Pilot runs rank the records; the `listed` first are tested on
    runs that the pilot did not see, each at the level (1 − confidence)/listed. Within a run
    records may depend on each other as they like: each test uses one record's runs, and the
    limits hold together by the union bound.

    Parameters
    ----------
    pilot, test : (ndarray of float, ndarray of bool), both of shape (n_runs, n_records)
        Scores and members; the runs of both are independent of each other.
    delta : float
        δ of the claim, in [0, 1).
    confidence : float
        Probability with which all limits hold.
    listed : int
        How many records are tested, at least 1.

    Returns
    -------
    tuple of RecordFound
        Largest limit first.

    Raises
    ------
    InvalidArgument
        If shapes do not belong together or there are no runs.
    """
    (before, truth), (scores, members) = pilot, test
    if before.ndim != 2 or before.shape != truth.shape or scores.shape != members.shape:
        raise InvalidArgument(
            f"Expected scores and members of shape (n_runs, n_records), got {before.shape} and "
            f"{truth.shape}, {scores.shape} and {members.shape}."
        )
    if before.shape[1:] != scores.shape[1:] or not len(scores):
        raise InvalidArgument(
            f"Expected test runs of {before.shape[1]} records, got shape {scores.shape}."
        )
    d, level = counts.delta(delta), counts.confidence(confidence)
    cuts = [Cut.chosen(s, m, delta=d) for s, m in zip(before.T, truth.T, strict=True)]
    on_pilot = np.array(
        [counted(c, s, m, delta=d) for c, s, m in zip(cuts, before.T, truth.T, strict=True)]
    )
    likely = likely_shares(on_pilot[:, 0], on_pilot[:, 1], len(before) * d)
    rank = np.argsort(-likely, kind="stable")
    chosen = rank[: validate.integer(listed, "listed", least=1)]
    each = math.nextafter(1 - (1 - level) / len(chosen), 1.0)
    found = []
    for record in map(int, chosen):
        guesses, right = counted(cuts[record], scores[:, record], members[:, record], delta=d)
        limit = lower_limit(len(scores), guesses, right, delta=d, confidence=each)
        found.append(RecordFound(record, right, guesses, limit))
    return tuple(sorted(found, key=lambda one: -one.found))
