r"""Thresholds on noisy counts of keys that nobody knows beforehand.

Entities are counted by key, noise X is added to the counts of those keys that occur, and a key is
published where its noisy count is at least τ. A key that one entity alone has appears with
probability q = Pr[1 + X >= τ]; of an entity with r such keys some appear with 1 − (1 − q)^r.

*Why that is enough.* Two neighbours D and D' differ in one entity (or in two, one in each). Let E
say of the release of D that no key appears which D' lacks, and E' the same the other way round. A
key that D' lacks has one entity in D: it is that entity's, it has at most r, and their noises are
independent, so that Pr[E] and Pr[E'] are at least 1 − δ, δ = 1 − (1 − q)^r. Given E and E' what is
published are the noisy counts of the keys that both have, of which those below τ are dropped: the
noise's own guarantee at its own sensitivity, and dropping is post-processing. So the release is a
mixture, with probability 1 − δ or more of what the noise alone guarantees: δ-approximate ρ-zCDP,
or (ε, δ)-DP where the noise is ε-DP, under either adjacency. ∎

Which keys occur thus moves the law by δ at most; their number, their order and what was counted
below τ are not published, but what is published must be a function of the keys and noisy counts at
or above τ alone, such as a list in the order of the keys.
"""

import attrs

from deniable.errors import validate
from deniable.numerics.rounding import Ball, directed, upper
from deniable.numerics.search import bisect_integers
from deniable.pipeline.noise.gaussian import DiscreteGaussian, upper_tail
from deniable.pipeline.noise.laplace import DiscreteLaplace

KeyNoise = DiscreteLaplace | DiscreteGaussian
"""Noise that counts of keys may get."""


@attrs.frozen
class KeyThreshold:
    """The threshold that noisy counts must reach if nobody knows the keys beforehand.

    Parameters
    ----------
    value : int
        τ, in entities.
    keys : int
        The most keys that one entity counts in.
    exposure : float
        The probability that a key of one entity alone appears, of all that it has, rounded up.
    """

    value: int
    keys: int
    exposure: float

    @classmethod
    def of(cls, noise: KeyNoise, keys: int, delta: float) -> "KeyThreshold":
        """The least one at which keys of one entity appear with probability at most δ.

        Examples
        --------
        >>> KeyThreshold.of(DiscreteGaussian(5.0), 3, 1e-6).value
        27
        """
        value = least_threshold(noise, keys, delta)
        return cls(value, keys, exposure(noise, value, keys))


def exposure(noise: KeyNoise, threshold: int, keys: int) -> float:
    """The probability that some of an entity's own keys appear, 1 − (1 − q)^r, rounded up.

    Parameters
    ----------
    noise : DiscreteLaplace or DiscreteGaussian
        In entities.
    threshold : int
        τ, the least noisy count that is published.
    keys : int
        r, the most keys that one entity counts in, >= 1.

    References
    ----------
    korolova-2009, for real noise and one key; here by the exact laws of whole numbers.

    Examples
    --------
    >>> round(exposure(DiscreteLaplace(1.0), 15, 1) * 1e7, 4)
    6.079
    """
    most = validate.integer(keys, "keys", least=1)
    with directed() as r:
        tail = _tail(noise, validate.integer(threshold, "threshold", least=1) - 1)
        if not tail < 1:
            return 1.0
        return min(max(upper(-r.expm1(most * r.log1p(-tail))), 0.0), 1.0)


def least_threshold(noise: KeyNoise, keys: int, delta: float) -> int:
    """The least whole τ at which an entity's own keys appear with probability at most δ.

    Parameters
    ----------
    noise, keys
        As in `exposure`.
    delta : float
        In (0, 1).

    Returns
    -------
    int
        τ >= 2: what is surely published of one entity would be no secret.

    Examples
    --------
    >>> [least_threshold(noise(5.0), 3, 1e-6) for noise in (DiscreteLaplace, DiscreteGaussian)]
    [73, 27]
    """
    most = validate.open_probability(delta, "delta")
    low, high = 1, 2
    while exposure(noise, high, keys) > most:
        low, high = high, 2 * high
    return bisect_integers(lambda middle: exposure(noise, middle, keys) > most, low, high) + 1


def _tail(noise: KeyNoise, first: int) -> Ball:
    """A ball around Pr[X >= first]."""
    if isinstance(noise, DiscreteGaussian):
        return upper_tail(noise.scale, first)
    with directed() as r:
        rate = 1 / r(noise.scale)
        if first <= 0:
            return 1 - r.exp(-rate * (1 - first)) / (1 + r.exp(-rate))
        return r.exp(-rate * first) / (1 + r.exp(-rate))
