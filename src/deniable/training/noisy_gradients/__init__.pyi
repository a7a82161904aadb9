"""The public names, and where each stands: read by type checkers and by `lazy_exports`."""

from deniable.notions.training import Phase as Phase
from deniable.training.noisy_gradients.calibration import LeastNoise as LeastNoise
from deniable.training.noisy_gradients.calibration import (
    least_noise_multiplier as least_noise_multiplier,
)
from deniable.training.noisy_gradients.calibration import privacy_curve as privacy_curve
from deniable.training.noisy_gradients.curve import EnclosedCurve as EnclosedCurve
