"""A noisy average of gradients, against a population whose gradients look normal."""

from deniable._rounding import directed, upper
from deniable.notions import GaussianMembershipInference, NoisyGradient


def noisy_gradient_to_gaussian_membership_inference(
    guarantee: NoisyGradient,
) -> GaussianMembershipInference:
    r"""One step gives μ = (d + (2m − 1)K)/(m√(2d + 4mK)), m = n + τ²n²/C²: an estimate.

    The gradients are taken as normal, and the likelihood ratio, a noncentral χ² in d
    dimensions, as normal too: right for large d, never a guarantee, so no derivation passes
    through it. The published program's formula differs for τ > 0 and understates the risk.

    References
    ----------
    leemann-2023.

    Examples
    --------
    >>> step = NoisyGradient(dimension=100, batch=50, clip=1.0, noise=0.0, susceptibility=100.0)
    >>> round(noisy_gradient_to_gaussian_membership_inference(step).mu, 4)
    1.4072
    """
    with directed() as r:
        d, n, k = r(guarantee.dimension), r(guarantee.batch), r(guarantee.susceptibility)
        m = n + (r(guarantee.noise) * n / r(guarantee.clip)) ** 2
        mu = (d + (2 * m - 1) * k) / (m * r.sqrt(2 * d + 4 * m * k))
        return GaussianMembershipInference(upper(mu))
