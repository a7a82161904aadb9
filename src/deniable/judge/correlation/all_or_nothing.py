"""The counter-example to membership privacy from DP: entities that are all in or all out."""

import attrs

from deniable.errors import validate
from deniable.numerics.bound import Bound, Evidence
from deniable.numerics.rounding import directed, lower, upper


def _members(value: int) -> int:
    return validate.integer(value, "n_members", least=1)


def _probability(value: float) -> float:
    return validate.open_probability(value, "probability")


def _epsilon(value: float) -> float:
    return validate.positive(value, "epsilon")


@attrs.frozen
class AllOrNothing:
    r"""k entities that are together in or together out, and their number plus Laplace noise.

    The noise of scale 1/ε makes the number ε-DP under add-remove. The k memberships move
    it by k, so an output y >= k multiplies the odds of each of them by e^(kε):

    .. math:: \frac{\Pr[t|y]}{p} = \frac{1}{p + (1-p) e^{-k\epsilon}}, \qquad
              \frac{1-p}{\Pr[\neg t|y]} = 1 - p + p\, e^{k\epsilon}

    The larger of both is γ. It reaches e^(kε), not e^ε, as p goes to 0 or to 1, and more noise
    for k is the only remedy.

    Parameters
    ----------
    n_members : int
        The number k of entities, >= 1.
    probability : float
        The probability p that they are in, in (0, 1).
    epsilon : float
        The ε of the noise, > 0.

    References
    ----------
    li-2013, Section 4.1; kifer-machanavajjhala-2011.

    Examples
    --------
    >>> family = AllOrNothing(10, 0.001, 0.5)
    >>> round(family.posterior().upper, 4), round(family.gamma().upper, 2)
    (0.1293, 129.35)
    """

    n_members: int = attrs.field(converter=_members)
    probability: float = attrs.field(converter=_probability)
    epsilon: float = attrs.field(converter=_epsilon)

    def posterior(self) -> Bound:
        """The largest posterior of any of them."""
        with directed() as r:
            # p/(p + (1 − p) e^(−kε))
            p, odds = r(self.probability), r.exp(-self.n_members * r(self.epsilon))
            ball = p / (p + (1 - p) * odds)
            return Bound(lower(ball), upper(ball), Evidence.ENCLOSURE)

    def gamma(self) -> Bound:
        """The exact γ of positive membership privacy."""
        with directed() as r:
            # max(1/(p + (1 − p) e^(−kε)), 1 − p + p e^(kε))
            p, odds = r(self.probability), r.exp(self.n_members * r(self.epsilon))
            ball = r.max(1 / (p + (1 - p) / odds), 1 - p + p * odds)
            return Bound(lower(ball), upper(ball), Evidence.ENCLOSURE)

    def gamma_over_priors(self) -> Bound:
        """The least upper bound of γ over all p, e^(kε); no p attains it."""
        with directed() as r:
            # sup over p of both: e^(kε)
            ball = r.exp(self.n_members * r(self.epsilon))
            return Bound(lower(ball), upper(ball), Evidence.ENCLOSURE)
