"""Logistic regression by noisy gradient steps, sound or with one thing forgotten."""

from collections.abc import Callable

import numpy as np

RATE, STEPS, NOISE = 0.5, 20, 8.0
"""Poisson sampling rate, steps, and noise multiplier."""
CLIP, STEP_SIZE = 1.0, 0.4
"""Norm to which a gradient is scaled, and the size of a step on the sum of gradients."""


def noisy_training(*, noise: float = NOISE, clip: float = CLIP) -> Callable[..., np.ndarray]:
    """Noise of `noise` times CLIP is added, and gradients are clipped to `clip`."""

    def fit(features, labels, seed):
        rng = np.random.default_rng(seed)
        weights = np.zeros(features.shape[1])
        for _ in range(STEPS):
            sampled = rng.random(len(features)) < RATE
            x, y = features[sampled], labels[sampled]
            p = 1 / (1 + np.exp(-np.clip(x @ weights, -500, 500)))
            gradients = (p - y)[:, None] * x
            norms = np.linalg.norm(gradients, axis=1, keepdims=True)
            gradients *= np.minimum(1.0, clip / np.maximum(norms, 1e-12))
            drawn = rng.normal(scale=noise * CLIP, size=weights.shape)
            weights -= STEP_SIZE * (gradients.sum(axis=0) + drawn)
        return weights

    return fit


def logistic_losses(weights, features, labels):
    """−ln p of each label."""
    return np.logaddexp(0.0, -(2 * labels - 1) * (features @ weights))


def people(n: int = 40, columns: int = 30) -> tuple[np.ndarray, np.ndarray]:
    """Features and labels that have nothing to do with each other; the first is far away."""
    rng = np.random.default_rng(1)
    features = np.column_stack([rng.normal(size=(n, columns - 1)), np.ones(n)])
    features[0] *= 20
    return features, (rng.random(n) < 0.5).astype(float)
