"""The (ε, δ) curve of Gaussian noise."""

from deniable._rounding import directed, upper
from deniable.notions import ApproxDP, GaussianDP


def gaussian_dp_to_approx_dp(guarantee: GaussianDP, epsilon: float) -> ApproxDP:
    r"""μ-Gaussian DP gives δ = Φ(μ/2 − ε/μ + τ) − e^ε Φ(−μ/2 − ε/μ − τ), τ the slack.

    .. math:: \delta = \Phi\left(\tfrac{\mu}{2} - \tfrac{\epsilon}{\mu} + \tau\right)
              - e^\epsilon \Phi\left(-\tfrac{\mu}{2} - \tfrac{\epsilon}{\mu} - \tau\right)

    with the slack τ of discrete noise, 0 for continuous noise. The formula grows with μ for
    every τ >= 0, so it holds for neighbours that differ by less. With μ = 0 no threshold on the
    loss stands at ε/μ; the notion is then 2τ-Gaussian DP without slack, and so is its curve.

    References
    ----------
    balle-wang-2018, Theorem 8 (τ = 0).

    Examples
    --------
    >>> round(gaussian_dp_to_approx_dp(GaussianDP(1.0), 1.0).delta, 6)
    0.126937
    """
    if guarantee.mu == guarantee.slack == 0:
        return ApproxDP(epsilon, 0.0, guarantee.adjacency)
    with directed() as r:
        mu, e, slack = r(guarantee.mu), r(epsilon), r(guarantee.slack)
        if guarantee.mu == 0:
            mu, slack = 2 * slack, r(0)
        rise = r.normal_cdf(mu / 2 - e / mu + slack)
        fall = r.exp(e) * r.normal_cdf(-mu / 2 - e / mu - slack)
        return ApproxDP(epsilon, min(max(upper(rise - fall), 0.0), 1.0), guarantee.adjacency)
