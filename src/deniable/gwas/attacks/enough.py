"""What would bring an attack below a limit: fewer variants, more people, coarser digits, noise."""

import math
from typing import Any

import attrs
from scipy.special import logit, ndtri

from deniable.numerics.rounding import directed, lower

_LEAST_SHARE = 1e-3
"""Shares of an exact frequency below: rounding to nothing, which is better left out."""
_COARSEST = 0.25
"""Steps of frequencies beyond it tell rare from common alleles and no more."""


@attrs.frozen
class Enough:
    """What would keep the power within a limit, each by itself.

    Parameters
    ----------
    limit : float
        The share of members that may be recognised, at the false-positive rate.
    variants : int
        Unlinked common variants, as precise as they are published now.
    people : int
        People whose frequencies are published together, with as many variants.
    step : float or None
        Steps that frequencies of the same people and variants are rounded to; None where none up to
        .25 is enough, or nothing needs rounding.
    epsilon, gamma : float
        A release with this ε for whole genotypes, and the largest factor on a belief by it: then no
        attack passes the limit, whatever it is and knows.
    """

    limit: float
    variants: int
    people: int
    step: float | None
    epsilon: float
    gamma: float

    def as_json(self) -> dict[str, Any]:
        """Its entries."""
        return attrs.asdict(self)


def enough(
    *, power: float, limit: float, fpr: float, people: int, variants: int, share: float
) -> Enough:
    r"""Turn Φ(√(w/n) − z) round, for an attacker who knows the population's frequencies.

    A power stands for w = n (Φ⁻¹(power) + z)² unlinked exact frequencies; the limit for
    W = n (Φ⁻¹(limit) + z)². So m variants become m W/w, and n people n w/W. Rounding in steps of 2h
    leaves V/(V + h²/3) of what a frequency of variance V tells, V = 1/(8n) at most. And an attack
    against ε has a power of at most min(e^ε α, 1 − e^−ε (1 − α)).

    Parameters
    ----------
    power : float
        What is reached now, the larger of measured and theory.
    limit, fpr : float
        What may be reached, and at which false-positive rate α; limit > fpr.
    people : int
        Members n.
    variants : int
        Unlinked common variants m that are published.
    share : float
        What they are worth now, as a share of exact ones.

    Examples
    --------
    >>> found = enough(power=0.5, limit=0.1, fpr=0.05, people=1000, variants=2705, share=1.0)
    >>> found.variants, found.people, found.step, round(found.gamma, 3)
    (131, 20499, 0.18, 2.0)
    """
    z = -float(ndtri(fpr))
    # Everybody recognised of n is at least 1 − 1/(2n).
    reached = min(max(power, fpr), 1 - 0.5 / people)
    worth = people * (float(ndtri(reached)) + z) ** 2
    allowed = people * (float(ndtri(limit)) + z) ** 2
    ratio = min(allowed / worth, 1.0) if worth > 0 else 1.0
    with directed() as r:
        most = max(lower(r(limit) / fpr), lower((1 - r(fpr)) / (1 - r(limit))))
        epsilon = lower(r.log(r(most)))
    return Enough(
        limit,
        math.floor(variants * ratio),
        math.ceil(people / ratio),
        _step(ratio * share, share, people),
        epsilon,
        most,
    )


def _step(wanted: float, share: float, people: int) -> float | None:
    """The finest step of two digits that leaves this share of an exact frequency."""
    if wanted >= share or wanted < _LEAST_SHARE:
        return None
    half = math.sqrt(3 / (8 * people) * (1 / wanted - 1))
    digit = 10.0 ** (math.floor(math.log10(2 * half)) - 1)
    step = round(math.ceil(2 * half / digit) * digit, 12)
    return step if step <= _COARSEST else None


def beliefs(power: float, fpr: float, prior: float) -> float:
    """Belief in the membership of somebody whom the attack points at; power π / (power π + …).

    Examples
    --------
    >>> round(beliefs(0.5, 0.05, 0.5), 4)
    0.9091
    """
    pointed = power * prior + fpr * (1 - prior)
    return power * prior / pointed if pointed else prior


def typical_beliefs(worth: float, people: int, prior: float) -> tuple[float, float]:
    """What an attacker believes of a member in the middle, and of one in 44, by the normal law.

    The log likelihood ratio of a member has mean s²/2 and deviation s, s² = worth/people.
    """
    s = math.sqrt(worth / people)
    odds = [float(logit(prior)) + s * s / 2 + out * s for out in (0.0, 2.0)]
    middle, far = (1 / (1 + math.exp(-min(each, 700.0))) for each in odds)
    return middle, far
