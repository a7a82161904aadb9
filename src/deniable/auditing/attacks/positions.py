"""Which value each position of a list has: additive logistic regression on all together."""

from collections.abc import Sequence

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.auditing.attacks.classifier import PENALTY, Floats, fit_logistic
from deniable.auditing.exact import Codes, Exact
from deniable.auditing.runs import Runs, Scorer, Scores, Signals

_COMMON = 32
"""A value is a cell of its own if at least one in so many runs has it at this position."""
_MOST_COMMON, _QUANTILES = 8, 8
"""Values with a cell of their own at most, and cells of the others: more teach little else."""
_PENALTIES = (PENALTY, 10 * PENALTY, 100 * PENALTY, 1_000 * PENALTY)
"""Weights of the squared coefficients, in runs: the larger, the more positions are left alone."""
_NUMBERS = 2**23
"""Numbers at once, runs times features: 64 MB."""


@attrs.frozen
class Positions:
    """Additive logistic regression on the cell in which each position's value lies.

    Answers of a sparse vector technique, say, are truths, a mark that it has stopped, and numbers.
    Common values, such as the mark, are cells of their own, and other values are cut at quantiles.
    Neighbouring cells differ by a coefficient of the position and by cosines along the list, all of
    which a penalty pulls towards 0; the one that does best on the other half of the runs is used.
    """

    name: str = "positions"

    def fit(self, pilot: Runs) -> Scorer:
        """What it learns from runs whose members are known."""
        rows, members = pilot.signals.reshape(-1, pilot.signals.shape[2]), pilot.members.ravel()
        learnt = max(_NUMBERS // rows.shape[1], 1)
        rows, members = rows[:learnt], members[:learnt]
        common = _edges(rows.ravel()[: 2 * learnt])
        edges = [np.union1d(_edges(column), common[common < column.max()]) for column in rows.T]
        edges = [each[each >= column.min()] for each, column in zip(edges, rows.T, strict=True)]
        codes = _codes(rows, edges)
        used = _used(codes, members, edges)
        edges, codes = [edges[j] for j in used], codes[:, used]
        if not edges:
            return lambda signals, exact=None, /: np.zeros(signals.shape[:2])  # noqa: ARG005
        half = len(rows) // 2
        # What a step between two cells of a position counts for in each coefficient. Cosines along
        # the list, from a constant on, learn from all positions what is alike or changes slowly.
        waves = np.arange(4)
        alike = [
            np.kron(np.cos(np.pi * waves * (j + 0.5) / len(edges)), each[:, None] == common)
            for j, each in enumerate(edges)
        ]
        design = np.hstack([np.eye(sum(map(len, edges))), np.concatenate(alike)])
        halves = _fit(codes[:half], members[:half], design, edges, _PENALTIES)
        signs = np.where(members[half:], -1.0, 1.0)
        losses = [np.logaddexp(0.0, signs * _score(each, codes[half:])).sum() for each in halves]
        (tables,) = _fit(codes, members, design, edges, [_PENALTIES[int(np.argmin(losses))]])

        def score(signals: Signals, exact: Exact | None = None, /) -> Scores:  # noqa: ARG001
            flat = signals.reshape(-1, signals.shape[2])[:, used]
            return _score(tables, _codes(flat, edges)).reshape(signals.shape[:2])

        return score


def _edges(column: Floats) -> Floats:
    """Largest values of all cells but the last one."""
    values, runs = np.unique(column, return_counts=True)
    common = values[np.argsort(-runs, kind="stable")[:_MOST_COMMON]]
    common = common[np.isin(common, values[runs * _COMMON >= len(column)])]
    parts = [common, np.nextafter(common, -np.inf)]
    others = column[~np.isin(column, common)]
    if len(others) >= _COMMON:
        shares = np.linspace(0, 1, _QUANTILES + 1)[1:-1]
        parts.append(np.quantile(others, shares, method="closest_observation"))
    edges = np.unique(np.concatenate(parts))
    return np.asarray(edges[edges < values[-1]])


def _codes(rows: Floats, edges: list[Floats]) -> Codes:
    places = [np.searchsorted(each, column) for each, column in zip(edges, rows.T, strict=True)]
    return np.stack(places, axis=1) if places else np.zeros((len(rows), 0), np.int64)


def _used(codes: Codes, members: NDArray[np.bool_], edges: list[Floats]) -> Codes:
    """Positions whose cells differ most between runs with the record and without."""
    apart = np.full(len(edges), -1.0)
    for j, each in enumerate(edges):
        if len(each):
            runs = np.bincount(codes[:, j])
            inside = np.bincount(codes[:, j], weights=members, minlength=len(runs))
            expected = runs * members.mean()
            terms = (inside - expected) ** 2 / np.maximum(expected, 1.0)
            apart[j] = terms.sum() / len(each)
    # Positions: with more, a step of Newton's method takes seconds.
    most = np.argsort(-apart, kind="stable")[:32]
    return np.sort(most[apart[most] >= 0])


def _fit(
    codes: Codes,
    members: NDArray[np.bool_],
    design: Floats,
    edges: list[Floats],
    penalties: Sequence[float],
) -> list[list[Floats]]:
    """The log-odds of each cell of each position, for each penalty."""
    sizes = np.array([len(each) + 1 for each in edges])
    most = max(_NUMBERS // design.shape[1], 1)
    runs, inside = np.ones(min(len(codes), most)), members[:most].astype(np.float64)
    if np.log2(sizes).sum() < 63:  # runs with the same cells are one row
        keys = codes @ np.cumprod(np.append(1, sizes))[:-1]
        _, first, place = np.unique(keys, return_index=True, return_inverse=True)
        early = np.argsort(first)[:most]
        codes, runs = codes[first[early]], np.bincount(place)[early].astype(np.float64)
        inside = np.asarray(np.bincount(place, weights=members)[early], dtype=np.float64)
    codes = codes[:most]
    steps = [codes[:, [j]] > np.arange(len(each)) for j, each in enumerate(edges)]
    features = np.concatenate(steps, axis=1) @ design
    features = np.concatenate([np.ones((len(codes), 1)), features], axis=1)
    result = []
    for penalty in penalties:
        weights = np.full(features.shape[1], penalty)
        weights[0] = PENALTY
        beta, _ = fit_logistic(features, inside, runs, weights)
        parts = np.split(design @ beta[1:], np.cumsum(sizes - 1)[:-1])
        result.append([beta[:1], *(np.append(0.0, np.cumsum(part)) for part in parts)])
    return result


def _score(tables: list[Floats], codes: Codes) -> Scores:
    total = np.full(len(codes), tables[0][0])
    for table, column in zip(tables[1:], codes.T, strict=True):
        total += table[column]
    return total
