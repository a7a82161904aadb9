r"""A law of the samples under which one candidate's probability hardly varies.

A candidate that is nearly never chosen has a mean probability that a few samples dominate. For
weights λ over the candidates, adding up to 1,

    P(w|D) = Π_{i∈D} t_i · V(D),   t_i = e^(Σ_v λ_v L(v,i) − L(w,i)),   V(D) = Π_v P(v|D)^λ_v,

and V lies in [0, Π_v λ_v^λ_v] whatever λ is. So D is drawn with probability ∝ Π_{i∈D} t_i and
the bounded V is averaged; the factor that the two laws differ by is common to the in- and the
out-mean. Any λ is right. A good one is the law of the output at the centre of the tilted
samples: with the inclusion probabilities p_i ∝ odds κ t_i, Σ p_i = n, λ_v ∝ e^(−Σ_i p_i L(v,i)),
the stationary point of the concave problem: entropy(p) − Σ p_i L(w,i) − ln Z(p).
"""

import numpy as np
from scipy.special import expit, softmax

from deniable.numerics.array_api import Floats

STEPS = 400
"""Damped steps towards the stationary point; stopping early costs draws, not truth."""


def tilts(table: Floats, size: int) -> Floats:
    """λ for every candidate w, as rows; (n_candidates, n_records) -> (n_candidates,)²."""
    candidates = len(table)
    weights = np.full((candidates, candidates), 1 / candidates)
    step, before = 0.5, np.full(candidates, -np.inf)
    steps = np.full(candidates, step)
    # λ ← λ + s (softmax(−Σ_i p_i L(·,i)) − λ), p the inclusion probabilities at the tilts of this
    # λ; s shrinks where a step overshoots.
    for _ in range(STEPS):
        inclusions = inclusion(weights @ table - table, size)
        logits = -(inclusions @ table.T)
        aim = softmax(logits, axis=1)
        away = np.abs(aim - weights).max(axis=1)
        if away.max() < 1e-3:
            break
        steps = np.where((away > before) & np.isfinite(before), steps * 0.7, steps)
        before = away
        weights = weights + np.maximum(steps, 0.01)[:, None] * (aim - weights)
    return np.asarray(weights / weights.sum(axis=1, keepdims=True))


def inclusion(log_weights: Floats, size: int) -> Floats:
    """Probabilities with odds κ e^weight, κ such that each row adds up to `size`."""
    low = -log_weights.max(axis=1, keepdims=True) - 50.0
    high = -log_weights.min(axis=1, keepdims=True) + 50.0
    # Σ_i κt_i/(1 + κt_i) = n, by halving ln κ.
    for _ in range(60):
        middle = (low + high) / 2
        many = expit(log_weights + middle).sum(axis=1, keepdims=True) > size
        low, high = np.where(many, low, middle), np.where(many, middle, high)
    return np.asarray(expit(log_weights + (low + high) / 2))
