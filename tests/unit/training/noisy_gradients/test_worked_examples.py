"""Numbers of functions that curves of training share."""

from deniable.notions import Advantage
from deniable.notions.training import Phase
from deniable.training.noisy_gradients.calibration import least_noise_multiplier, privacy_curve


def test_calibration():
    advantage = privacy_curve([Phase(1.0251, 0.002, 10000)]).advantage()
    assert (round(advantage.lower, 3), round(advantage.upper, 3)) == (0.1, 0.1)
    asked = Advantage(0.1, "add-remove")
    answer = least_noise_multiplier(asked, sample_rate=0.002, steps=10000)
    assert (round(answer.noise_multiplier, 3), answer.necessary < answer.noise_multiplier) == (
        1.025,
        True,
    )
