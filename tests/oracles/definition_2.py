"""zhao-2019, Definition 2, read literally: records in or out, and a search over beliefs."""

import itertools
from collections.abc import Iterator
from fractions import Fraction

import numpy as np

ODDS = np.exp(np.linspace(-30, 30, 241))
"""Odds of beliefs on two points."""


def adversaries(n: int) -> Iterator[tuple[int, tuple[int, ...]]]:
    for i in range(n):
        others = [j for j in range(n) if j != i]
        for size in range(n):
            for known in itertools.combinations(others, size):
                yield i, known


def transcript(law, mechanism, fixed: dict[int, int], output: int) -> Fraction | None:
    """P[Y = y | these records], None where the law excludes them; data sets are tuples of 0, 1."""
    agreeing = [x for x in law if all(x[i] == value for i, value in fixed.items())]
    total = sum(law[x] for x in agreeing)
    if not total:
        return None
    return sum(law[x] * mechanism[x][output] for x in agreeing) / total


def games(law, mechanism, output: int, n: int) -> Iterator[list[tuple[Fraction, Fraction]]]:
    """For each (i, S) what the transcript has in Game 0 and in Game i, a pair for each (x_i, x_S).

    Values for which either is not defined are left out: in or out, with out the default, there is
    then one value of x_i only.
    """
    for i, known in adversaries(n):
        rows = []
        for x_i, *x_known in itertools.product((0, 1), repeat=1 + len(known)):
            fixed = dict(zip(known, x_known, strict=True))
            here = transcript(law, mechanism, {**fixed, i: x_i}, output)
            there = transcript(law, mechanism, {**fixed, i: 0}, output)
            if here is not None and there is not None:
                rows.append((here, there))
        yield rows


def moved(beliefs: np.ndarray, here: np.ndarray, there: np.ndarray) -> np.ndarray:
    """SD(b_0, b_i) for each row of beliefs; 0 where there is no b_0, 1 where only b_i lacks."""
    zero, default = beliefs * here, beliefs * there
    totals = zero.sum(axis=1), default.sum(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        distance = np.abs(zero / totals[0][:, None] - default / totals[1][:, None]).sum(axis=1) / 2
    return np.where(totals[0] == 0, 0.0, np.where(totals[1] == 0, 1.0, distance))


def searched(law, mechanism, n: int, outputs: int, rng) -> float:
    """The largest distance over beliefs on two points, refined, and over random beliefs."""
    worst = 0.0
    for output in range(outputs):
        for rows in games(law, mechanism, output, n):
            here, there = (np.array([float(row[side]) for row in rows]) for side in (0, 1))
            count = len(rows)
            random = rng.dirichlet(np.full(count, 0.3), size=20) if count else np.empty((0, 0))
            worst = max(worst, float(moved(random, here, there).max(initial=0.0)))
            for one, other in itertools.combinations(range(count), 2):
                odds = ODDS
                for width in (0.25, 0.003, 0.00004):
                    beliefs = np.zeros((len(odds), count))
                    beliefs[:, one], beliefs[:, other] = odds / (1 + odds), 1 / (1 + odds)
                    found = moved(beliefs, here, there)
                    worst = max(worst, float(found.max()))
                    odds = odds[np.argmax(found)] * np.exp(np.linspace(-width, width, 161))
    return worst


def spread(law, mechanism, n: int, outputs: int) -> Fraction | None:
    """The largest ratio of two factors, exactly; None where it is infinite."""
    worst = Fraction(1)
    for output in range(outputs):
        for rows in games(law, mechanism, output, n):
            seen = [(here, there) for here, there in rows if here or there]
            if any(not here or not there for here, there in seen):
                return None
            factors = [here / there for here, there in seen]
            worst = max(
                worst, max(factors, default=Fraction(1)) / min(factors, default=Fraction(1))
            )
    return worst
