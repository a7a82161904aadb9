"""Noisy gradient descent: privacy curves enclosed from both sides."""

from typing import TYPE_CHECKING

from deniable.errors.public_names import lazy_exports

__all__ = ["EnclosedCurve", "LeastNoise", "Phase", "least_noise_multiplier", "privacy_curve"]
if TYPE_CHECKING:
    from deniable.mechanisms.noisy_gradients.calibration import LeastNoise, least_noise_multiplier
    from deniable.mechanisms.noisy_gradients.curve import EnclosedCurve
    from deniable.mechanisms.noisy_gradients.resolution import privacy_curve
    from deniable.notions.training import Phase
else:
    __getattr__, __dir__ = lazy_exports(
        __name__,
        __all__,
        {
            "EnclosedCurve": "deniable.mechanisms.noisy_gradients.curve",
            "LeastNoise": "deniable.mechanisms.noisy_gradients.calibration",
            "Phase": "deniable.notions.training",
            "least_noise_multiplier": "deniable.mechanisms.noisy_gradients.calibration",
            "privacy_curve": "deniable.mechanisms.noisy_gradients.resolution",
        },
    )
