"""Noisy gradient descent: privacy curves enclosed from both sides."""

from typing import TYPE_CHECKING

from deniable.errors.public_names import lazy_exports

__all__ = ["EnclosedCurve", "LeastNoise", "Phase", "least_noise_multiplier", "privacy_curve"]
if TYPE_CHECKING:
    from deniable.notions.training import Phase
    from deniable.training.curves.calibration import LeastNoise, least_noise_multiplier
    from deniable.training.curves.curve import EnclosedCurve
    from deniable.training.curves.resolution import privacy_curve
else:
    __getattr__, __dir__ = lazy_exports(
        __name__,
        __all__,
        {
            "EnclosedCurve": "deniable.training.curves.curve",
            "LeastNoise": "deniable.training.curves.calibration",
            "Phase": "deniable.notions.training",
            "least_noise_multiplier": "deniable.training.curves.calibration",
            "privacy_curve": "deniable.training.curves.resolution",
        },
    )
