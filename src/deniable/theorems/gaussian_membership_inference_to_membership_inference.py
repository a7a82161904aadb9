"""Gaussian membership inference privacy bounds the success of every attack."""

from deniable._rounding import directed, upper
from deniable.notions import GaussianMembershipInference, MembershipInference


def gaussian_membership_inference_to_membership_inference(
    guarantee: GaussianMembershipInference,
) -> MembershipInference:
    """μ gives η = Φ(μ/2) − ½, rounded up.

    References
    ----------
    leemann-2023; dong-roth-su-2022, Corollary 1.

    Examples
    --------
    >>> one = GaussianMembershipInference(1.0)
    >>> round(gaussian_membership_inference_to_membership_inference(one).eta, 6)
    0.191462
    """
    with directed() as r:
        eta = upper(r.normal_cdf(r(guarantee.mu) / 2) - r(1) / 2)
        return MembershipInference(max(0.0, min(eta, 0.5)))
