"""Targets and attacks of audits whose truth is known."""

import time

import attrs
import numpy as np

SURE = 1 - 1e-6
"""For audits of plans, whose noise is fresh each time: with this confidence a sound plan is called
violated with probability 1e-9 at most (`deniable.auditing.statistics.accusing`)."""


@attrs.frozen(eq=False)
class Responses:
    """Randomised response of each record, right with probability e^ε/(1 + e^ε)."""

    epsilon: float
    records: int = 1
    key: str = "responses"

    def draw(self, members, generator):
        right = generator.random(members.shape) < 1 / (1 + np.exp(-self.epsilon))
        return np.where(members == right, 1.0, 0.0)[..., None]


@attrs.frozen(eq=False)
class Laplace:
    """The bit with Laplace noise of a scale; ε = 1/scale."""

    scale: float
    records: int = 1
    key: str = "laplace"
    seconds: float = 0.0

    def draw(self, members, generator):
        time.sleep(self.seconds)
        return (members + generator.laplace(scale=self.scale, size=members.shape))[..., None]


@attrs.frozen(eq=False)
class Told:
    """A function of members and generator."""

    answer: object
    records: int = 1
    key: str = "told"

    def draw(self, members, generator):
        return self.answer(members, generator)


@attrs.frozen
class ByValue:
    """The first number is the score."""

    name: str = "by-value"
    sign: float = 1.0

    def fit(self, pilot):  # noqa: ARG002 - nothing to learn
        return lambda signals, _: self.sign * signals[:, :, 0]


PEOPLE = ([[float(i)] for i in range(20)], [i % 2 for i in range(20)])
"""Features and labels of twenty."""


@attrs.frozen(eq=False)
class Recalled:
    """A model that knows whom it was trained on, with noise."""

    features: object
    noise: object

    def losses(self, X, y):  # noqa: N803, ARG002 - as models have it
        known = (np.asarray(X)[:, None, :] == np.asarray(self.features)[None]).all(-1).any(1)
        return self.noise.normal(size=len(known)) - known


def fit(X, y, seed):  # noqa: N803, ARG001 - as models have it
    return Recalled(X, np.random.default_rng(seed))
