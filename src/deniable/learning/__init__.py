"""Noisy gradient descent: privacy curves enclosed from both sides."""

from typing import TYPE_CHECKING

from deniable._door import lazy_exports

__all__ = ["EnclosedCurve", "LeastNoise", "Phase", "least_noise_multiplier", "privacy_curve"]
if TYPE_CHECKING:
    from deniable.learning.calibration import LeastNoise, least_noise_multiplier
    from deniable.learning.curve import EnclosedCurve
    from deniable.learning.resolution import privacy_curve
    from deniable.notions.training import Phase
else:
    __getattr__, __dir__ = lazy_exports(
        __name__,
        __all__,
        {
            "EnclosedCurve": "deniable.learning.curve",
            "LeastNoise": "deniable.learning.calibration",
            "Phase": "deniable.notions.training",
            "least_noise_multiplier": "deniable.learning.calibration",
            "privacy_curve": "deniable.learning.resolution",
        },
    )
