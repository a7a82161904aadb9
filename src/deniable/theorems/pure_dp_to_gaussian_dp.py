"""Pure DP is no easier to attack than a Gaussian shift."""

import math

from deniable._rounding import directed, upper
from deniable.errors import NotApplicable
from deniable.notions import GaussianDP, PureDP
from deniable.theorems._records import check_every_size


def pure_dp_to_gaussian_dp(guarantee: PureDP) -> GaussianDP:
    r"""ε-DP gives μ = 2Φ⁻¹(e^ε/(1 + e^ε)), rounded up; no smaller μ does.

    The trade-off function of ε-DP runs straight from (0, 1) to its corner (c, c),
    :math:`c = 1/(1 + e^\epsilon)`, and straight on to (1, 0); the convex G_μ that passes through
    the corner lies below.

    Raises
    ------
    NotApplicable
        If ε is infinite.
        Also if the guarantee is of data of one size.

    References
    ----------
    dong-roth-su-2022.

    Examples
    --------
    >>> round(pure_dp_to_gaussian_dp(PureDP(1.0)).mu, 6)
    1.232035
    """
    check_every_size(guarantee)
    if math.isinf(guarantee.epsilon):
        raise NotApplicable("Expected a finite epsilon, got inf.")
    with directed() as r:
        corner = 1 / (1 + r.exp(guarantee.epsilon))
        mu = upper(-2 * r.normal_quantile(corner))
    if math.isinf(mu):
        raise NotApplicable(f"Expected an epsilon within reach, got {guarantee.epsilon}.")
    return GaussianDP(max(mu, 0.0), guarantee.adjacency)
