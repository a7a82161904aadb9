"""The steps of a release that an attack goes through."""

from collections.abc import Callable
from typing import Any, TypeAlias

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.pipeline.release import SimulatedNumbers, rehearse_noise
from deniable.publish.plan.plan import Plan
from deniable.publish.prepare import Prepared, calibrate_plan
from deniable.publish.release import release
from deniable.publish.totals.aggregate import exact_totals

Totals: TypeAlias = Callable[..., list[NDArray[np.int64]]]
"""As `exact_totals`."""
Noise: TypeAlias = Callable[[SimulatedNumbers, int], NDArray[np.int64]]
"""As `rehearse_noise`."""


@attrs.frozen
class Steps:
    """What is attacked: the steps that a release takes, or others in their place.

    Parameters
    ----------
    prepared : callable
        From a plan to its noise and to how it publishes.
    totals : callable
        From a table to exact numbers.
    noise : callable
        From exact numbers to as many noisy ones as are asked for.
    released : callable
        From a plan and a table to a folder.
    """

    prepared: Callable[[Plan], Prepared[Plan]] = calibrate_plan
    totals: Totals = exact_totals
    noise: Noise = rehearse_noise
    released: Callable[..., Any] = release


PRODUCTION = Steps()
