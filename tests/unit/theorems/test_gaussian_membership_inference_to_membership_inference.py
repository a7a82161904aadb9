import pytest

from deniable.notions import GaussianDP, GaussianMembershipInference, MembershipInference
from deniable.theorems.gaussian_dp_to_advantage import gaussian_dp_to_advantage
from deniable.theorems.gaussian_membership_inference_to_membership_inference import (
    gaussian_membership_inference_to_membership_inference,
)


def test_half_the_advantage():
    for mu in (0.0, 0.1, 1.0, 50.0):
        found = gaussian_membership_inference_to_membership_inference(
            GaussianMembershipInference(mu)
        )
        advantage = gaussian_dp_to_advantage(GaussianDP(mu)).value
        assert found.eta == pytest.approx(advantage / 2, rel=1e-14)
        assert found == MembershipInference(found.eta)
