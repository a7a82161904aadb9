"""How many variants' frequencies keep beliefs within a limit, without any data: the formula."""

import math
from typing import Any

import attrs
from scipy.special import logit

from deniable import _validate
from deniable._answer import Answer
from deniable.errors import InfeasibleTarget
from deniable.gwas.attacks.attack_scores import theoretical_power

DEVIATIONS = 2.0
"""Standard deviations of a member's evidence allowed for: 2 members in 100 give more away."""


@attrs.frozen(repr=False)
class SafeVariants(Answer):
    """How many variants may be published, and what an attack reaches with as many.

    Parameters
    ----------
    variants : int
        Unlinked common variants.
    power : float
        Share of members that are recognised with so many in theory, at `fpr`.
    pool : int
        People whose frequencies are published.
    posterior, prior : float
        The limit on a belief in membership, and the belief before.
    deviations : float
        How unlucky a member is allowed for.
    fpr : float
        Share of strangers taken for members.
    """

    variants: int
    power: float
    pool: int
    posterior: float
    prior: float
    deviations: float
    fpr: float

    def as_json(self) -> dict[str, Any]:
        """The object that `deniable gwas safe` prints."""
        return attrs.asdict(self)


def safe(
    *,
    pool: int,
    posterior: float,
    prior: float,
    deviations: float = DEVIATIONS,
    fpr: float = 0.05,
) -> SafeVariants:
    r"""Count the unlinked variants whose exact frequencies keep a posterior within a limit.

    With m unlinked common variants of n people, a member's log likelihood ratio is about normal
    with mean s²/2 and standard deviation s, s² = m/n, for an attacker who knows the population's
    frequencies. It stays within the limit up to z standard deviations where

    .. math:: \frac{s^2}{2} + z s = \operatorname{logit} x - \operatorname{logit} p_0

    and m = n s². This is a measurement's theory and no guarantee: it says nothing about linked or
    rare variants, relatives, or those who are further out.

    Parameters
    ----------
    pool : int
        People n, >= 1; the theory wants 100 or more.
    posterior, prior : float
        The limit x and the belief before p₀, in (0, 1).
    deviations : float
        z, >= 0.
    fpr : float
        Share of strangers that may be taken for members, in (0, 1), for `power`.

    Returns
    -------
    SafeVariants
        m rounded down.

    Raises
    ------
    InvalidArgument
        If an argument is out of range.
    InfeasibleTarget
        If the limit is not above the prior.

    References
    ----------
    sankararaman-2009 (the law of the ratio); tramer-2015 (limits on beliefs).

    Examples
    --------
    >>> from deniable import gwas
    >>> found = gwas.safe(pool=5000, posterior=0.75, prior=0.5)
    >>> found.variants, round(found.power, 3)
    (1197, 0.124)
    """
    people = _validate.integer(pool, "pool", least=1)
    before = _validate.open_probability(prior, "prior")
    limit = _validate.open_probability(posterior, "posterior")
    false_alarms = _validate.open_probability(fpr, "fpr")
    z = _validate.non_negative(deviations, "deviations")
    if limit <= before:
        raise InfeasibleTarget(
            f"Expected posterior > prior={before}, got posterior={limit}. Even nothing published "
            "leaves the belief where it was; allow more."
        )
    gain = float(logit(limit) - logit(before))
    # The positive root of s²/2 + z s = gain, in the form that does not cancel.
    s = 2 * gain / (z + math.sqrt(z * z + 2 * gain))
    variants = math.floor(people * s * s)
    power = theoretical_power(variants, people, false_alarms)
    return SafeVariants(variants, power, people, limit, before, z, false_alarms)
