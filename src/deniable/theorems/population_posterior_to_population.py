"""What a release may do to the belief in a record bounds what it may do to likelihoods."""

import math

from deniable._rounding import directed, lower, upper
from deniable.errors import NotApplicable
from deniable.notions import PopulationPosterior, PopulationPrivacy


def population_posterior_to_population(guarantee: PopulationPosterior) -> PopulationPrivacy:
    r"""Beliefs within (ε, δ) at prior ½ give (ε, δ)-population privacy; at others a larger δ.

    Write p and q for the probabilities of an event given the record in, and out, t for the
    belief after it. At prior ½ the hypothesis reads p − e^ε q <= δ(p + q), the same with p and
    q exchanged. Where p + q <= 1 that is the claim. Otherwise look at the complement, where
    p' + q' = 2 − p − q < 1, from the other side:

        (q' − e^ε p') − (p − e^ε q) = (e^ε − 1)(p + q − 1) >= 0,

    so p − e^ε q <= δ(p' + q') <= δ. ∎

    At any prior π the hypothesis says that the odds t/(1 − t) stay within [1/K, K],
    K = (e^ε + δ)/(1 − δ), so p <= a q and q <= b p with a = K(1 − π)/π, b = Kπ/(1 − π), and

    .. math:: p - e^\epsilon q \le \frac{(b - 1)(a - e^\epsilon)}{ab - 1},

    and the same with a and b exchanged: between two points with these ratios, which attain it.
    At π = ½ that is δ again, so the bound is attained for every ε and δ.

    Raises
    ------
    NotApplicable
        If the prior itself is outside the range, so that no release keeps to it.

    References
    ----------
    lowy-2024, Lemma 3 (prior ½, with 2δ where δ suffices).

    Examples
    --------
    >>> population_posterior_to_population(PopulationPosterior(1.0, 0.1, 0.5)).spec
    'population:1.0,0.1'
    >>> found = population_posterior_to_population(PopulationPosterior(1.0, 0.1, 0.4))
    >>> found.epsilon, round(found.delta, 4)
    (1.0, 0.2444)
    """
    epsilon, delta = guarantee.epsilon, guarantee.delta
    if guarantee.share == 0.5:
        # A size says that the parent set holds twice as many; without one every share is meant.
        every = guarantee.every_parent_set and guarantee.size is not None
        return PopulationPrivacy(epsilon, delta, guarantee.size, every)
    if delta == 1 or math.isinf(epsilon):
        return PopulationPrivacy(epsilon, delta)
    with directed() as r:
        weight, odds = r.exp(epsilon), r(guarantee.share) / (1 - r(guarantee.share))
        most = (weight + r(delta)) / (1 - r(delta))
        a, b = most / odds, most * odds
        if upper(a) < 1 or upper(b) < 1:
            raise NotApplicable(
                "Expected beliefs that the prior itself keeps to, got a prior outside their "
                f"range: {guarantee.spec}."
            )
        if lower(a * b) <= 1:
            return PopulationPrivacy(epsilon, 1.0)
        first, second = (b - 1) * (a - weight), (a - 1) * (b - weight)
        found = upper(r.max(first, second, r(0)) / (a * b - 1))
    return PopulationPrivacy(epsilon, min(found, 1.0))
