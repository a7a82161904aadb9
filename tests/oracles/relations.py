"""Slow, obvious references for notions beyond beliefs: everything is listed.

Data sets are as in `beliefs`; record laws are arrays with an axis a record, likelihoods
of one output likewise. Nothing here comes from the package.
"""

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from tests.oracles.beliefs import DataSet, Law, Mechanism

Floats = NDArray[np.float64]


def half_ratios(mechanism: Mechanism) -> tuple[Fraction, Fraction]:
    """e^ε of the positive and of the negative half of add-remove DP."""
    joins = [
        (mechanism[t], mechanism[s])
        for s in mechanism
        for t in mechanism
        if len(t - s) == len(t) - len(s) == 1
    ]
    present = [x / y for t, s in joins for x, y in zip(t, s, strict=True)]
    return max(present), 1 / min(present)


def sampled(mechanism: Mechanism, beta: Fraction) -> Mechanism:
    """The mechanism after keeping each entity independently with probability β."""
    outputs = len(next(iter(mechanism.values())))
    result = {}
    for members in mechanism:
        row = [Fraction(0)] * outputs
        for kept in _subsets(members):
            chance = beta ** len(kept) * (1 - beta) ** (len(members) - len(kept))
            row = [x + chance * y for x, y in zip(row, mechanism[kept], strict=True)]
        result[members] = row
    return result


def _subsets(members: DataSet) -> Iterator[DataSet]:
    for size in range(len(members) + 1):
        yield from map(frozenset, itertools.combinations(sorted(members), size))


def in_and_out(mechanism: Mapping[DataSet, Sequence[float]], entity: int) -> tuple[Floats, Floats]:
    """Output laws given presence and absence, averaged over equally likely data sets."""
    inside = np.array([row for members, row in mechanism.items() if entity in members], float)
    outside = np.array([row for members, row in mechanism.items() if entity not in members], float)
    return inside.mean(axis=0), outside.mean(axis=0)


def hockey_stick(p: Floats, q: Floats, epsilon: float) -> float:
    """The least δ with p(S) <= e^ε q(S) + δ for every S."""
    return float(np.clip(p - math.exp(epsilon) * q, 0, None).sum())


def both_hockey_sticks(p: Floats, q: Floats, epsilon: float) -> float:
    return max(hockey_stick(p, q, epsilon), hockey_stick(q, p, epsilon))


def total_variation(p: Floats, q: Floats) -> float:
    return float(abs(p - q).sum()) / 2


def largest_move(factors: Floats) -> float:
    """How far reweighting by these factors moves a law, over all laws: by trying every pair.

    A law on two points with likelihood ratio r moves by w(1 − w)(r − 1)/(wr + 1 − w); over w that
    is largest at w = 1/(1 + √r).
    """
    flat = factors.ravel()
    best = 0.0
    for one, other in itertools.permutations(flat, 2):
        ratio = one / other
        weight = 1 / (1 + math.sqrt(ratio))
        best = max(best, weight * ratio / (weight * ratio + 1 - weight) - weight)
    return best


def semantic(likelihood: Floats, default: int = 0) -> float:
    """The distance of semantic privacy for one output; likelihood has an axis a record."""
    worst = 0.0
    for record in range(likelihood.ndim):
        replaced = np.take(likelihood, [default], axis=record)
        worst = max(worst, largest_move(likelihood / replaced))
    return worst


def replace_one_loss(likelihood: Floats) -> float:
    """ε of replace-one DP of record vectors, for one output."""
    return max(
        float(np.log(likelihood.max(axis=record) / likelihood.min(axis=record)).max())
        for record in range(likelihood.ndim)
    )


def adversaries(records: int) -> Iterator[tuple[int, tuple[int, ...], tuple[int, ...]]]:
    """Each record with each set of known others, and the unknown rest."""
    for record in range(records):
        others = [other for other in range(records) if other != record]
        for size in range(records):
            for known in itertools.combinations(others, size):
                yield record, known, tuple(other for other in others if other not in known)


def bayesian_loss(law: Floats, likelihood: Floats) -> float:
    """Bayesian-DP leakage for one output: the largest over all adversaries."""
    worst = 0.0
    for record, known, unknown in adversaries(law.ndim):
        told = (law * likelihood).sum(axis=unknown) / law.sum(axis=unknown)
        axis = sorted((record, *known)).index(record)
        worst = max(worst, float(np.log(told.max(axis=axis) / told.min(axis=axis)).max()))
    return worst


def bayesian_semantic(law: Floats, likelihood: Floats, default: int = 0) -> float:
    """Bayesian semantic distance for one output (zhao-2019, Definition 2): where the record takes
    its default value, the unknown records follow their law given it and the known ones."""
    worst = 0.0
    for record, known, unknown in adversaries(law.ndim):
        told = (law * likelihood).sum(axis=unknown) / law.sum(axis=unknown)
        axis = sorted((record, *known)).index(record)
        worst = max(worst, largest_move(told / np.take(told, [default], axis=axis)))
    return worst


def bayesian_semantic_of_others_kept(law: Floats, likelihood: Floats, default: int = 0) -> float:
    """The same with another convention: where the record takes its default value, the unknown
    records keep their law given the known ones alone."""
    worst = 0.0
    for record, _, unknown in adversaries(law.ndim):
        told = (law * likelihood).sum(axis=unknown) / law.sum(axis=unknown)
        rest = law.sum(axis=record, keepdims=True)
        replaced = np.take(likelihood, [default], axis=record)
        instead = (rest * replaced).sum(axis=unknown) / rest.sum(axis=unknown)
        worst = max(worst, largest_move(told / instead))
    return worst


def membership_law(law: Floats) -> Law:
    """A joint law of records with values 0 (out) and 1 (in) as one over data sets."""
    return {
        frozenset(np.flatnonzero(values).tolist()): Fraction(float(law[values]))
        for values in itertools.product(*(range(n) for n in law.shape))
    }


def randomised_response(epsilon: float, delta: float) -> tuple[Floats, Floats]:
    """RR_{ε,δ}: the truth with probability δ, else a bit that is right e^ε times as often."""
    e = math.exp(epsilon)
    p = np.array([delta, (1 - delta) * e / (1 + e), (1 - delta) / (1 + e), 0.0])
    return p, p[::-1]


def trade_off(p: Floats, q: Floats, fpr: float) -> float:
    """The largest true-positive rate at a false-positive rate: Neyman and Pearson."""
    order = sorted(range(len(p)), key=lambda i: -(p[i] / q[i] if q[i] else math.inf))
    budget, power = fpr, 0.0
    for index in order:
        share = 1.0 if q[index] <= max(budget, 0.0) else max(budget, 0.0) / q[index]
        power += share * p[index]
        budget -= share * q[index]
    return float(min(power, 1.0))
