"""Discrete Gaussian noise is within one grid step of continuous Gaussian noise."""

from collections.abc import Sequence

from deniable._rounding import directed, upper
from deniable.errors import InvalidArgument
from deniable.notions import Adjacency, GaussianDP


def discrete_gaussian_to_gaussian_dp(
    noise: Sequence[tuple[float, float, int]], adjacency: Adjacency = Adjacency.REPLACE_ONE
) -> GaussianDP:
    r"""Composed discrete Gaussian noise is √(ΣΔ²/σ²)-Gaussian DP with slack √(Σd/σ²).

    Vector q gets independent discrete Gaussian noise of scale σ_q on whole numbers; between
    neighbours it moves by a whole-number vector of L2 norm at most Δ_q with at most d_q nonzero
    coordinates. Then

    .. math:: \mu = \sqrt{\sum_q \Delta_q^2 / \sigma_q^2}, \qquad
              \tau = \sqrt{\sum_q d_q / \sigma_q^2}.

    Proof. Let X be discrete Gaussian and Y ~ N(0, σ²). The weights of \|X\| on 0, 1, 2, …
    divided by those of ⌊\|Y\|⌋ are proportional to
    :math:`1/\int_0^1 e^{-(2kx + x^2)/2\sigma^2} dx` for k >= 1, which grows with k, and to half of
    that at k = 0: the likelihood ratio increases, so \|X\| is stochastically at least ⌊\|Y\|⌋.
    Divided by those of ⌈\|Y\|⌉ they are proportional to
    :math:`1/\int_0^1 e^{(2kx - x^2)/2\sigma^2} dx`, which falls, and infinite at k = 0: \|X\| is
    at most ⌈\|Y\|⌉. Coupled by quantiles and given equal signs, \|X − Y\| <= 1.

    The privacy loss of the whole release at neighbours that differ by the vectors v_q is
    :math:`\mu_v^2/2 + \sum_q \langle v_q, X_q\rangle / \sigma_q^2`. Exchanging every X for its Y
    changes it by at most :math:`\sum_q \|v_q\|_1/\sigma_q^2 \le \mu_v \tau` (Cauchy–Schwarz), so
    its probability to pass ε is at most :math:`\Phi(\mu_v/2 - \epsilon/\mu_v + \tau)`, and under
    the other law at least :math:`\Phi(-\mu_v/2 - \epsilon/\mu_v - \tau)`. The resulting δ(ε)
    grows with μ_v.

    Parameters
    ----------
    noise : sequence of (scale, l2, moved)
        σ_q > 0 and Δ_q in whole numbers, d_q a count; one entry a released vector.

    Returns
    -------
    GaussianDP
        μ and the slack τ, both rounded up.

    Examples
    --------
    >>> discrete_gaussian_to_gaussian_dp([(1000.0, 500.0, 1)]).mu
    0.5
    """
    with directed() as r:
        mu, slack = r(0), r(0)
        for scale, l2, moved in noise:
            if not scale > 0:
                raise InvalidArgument(f"Expected a noise scale > 0, got scale={scale}.")
            mu += (r(l2) / r(scale)) ** 2
            slack += r(moved) / r(scale) ** 2
        return GaussianDP(upper(r.sqrt(mu)), adjacency, upper(r.sqrt(slack)))
