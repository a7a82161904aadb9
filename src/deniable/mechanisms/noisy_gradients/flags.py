"""What is reached where a training publishes one bit: a flag for outputs of large loss, by a coin.

A flag with probability P where the record is, and Q where it is not, has the loss ln(P/Q) whenever
it is set. Publishing less than all steps is a training too, so no promise holds that fails here.
"""

from itertools import pairwise

from deniable.mechanisms.noisy_gradients.sums import TiltedSum
from deniable.numerics.rounding import directed, lower, upper

_ABOUT = 2
"""Places on either side of the one expected, which floats name without counting errors."""
_STRICT = 1e-9
"""Share by which a coin keeps off its limit, so that "more than" holds after rounding."""


def passes_at_least(law: TiltedSum, loss: float) -> float:
    """The largest P of a flag with P > e^ℓ Q: so often is the loss ℓ passed."""
    greatest = 0.0
    near = law.place_of_ratio(loss)
    tests = [law.tails(place) for place in _around(law, near)]
    with directed() as r:
        ratio = r.exp(loss)
        for (wide, wide_other), (narrow, narrow_other) in pairwise(tests):
            spare, cost = narrow - ratio * narrow_other, ratio * wide_other - wide
            if not spare > 0:
                continue
            share = 1.0
            if not cost < 0:
                share = max(lower(spare / (spare + cost) * (1 - r(_STRICT))), 0.0)
            flagged = r(narrow) + r(share) * (r(wide) - r(narrow))
            other = r(narrow_other) + r(share) * (r(wide_other) - r(narrow_other))
            if flagged > ratio * other:
                greatest = max(greatest, lower(flagged))
    return min(greatest, 1.0)


def loss_at_least(law: TiltedSum, exceedance: float) -> float:
    """The largest ln(P/Q) of a flag with P > X: smaller losses are passed more often."""
    greatest = 0.0
    if exceedance >= 1:
        return greatest
    near = law.place_of_tail(exceedance, other=False)
    tests = [law.tails(place) for place in _around(law, near)]
    with directed() as r:
        wanted = r(exceedance) * (1 + r(_STRICT))
        for (wide, wide_other), (narrow, narrow_other) in pairwise(tests):
            if not wide > wanted or not wide > narrow:
                continue
            share = min(max(upper((wanted - narrow) / (r(wide) - r(narrow))), 0.0), 1.0)
            flagged = r(narrow) + r(share) * (r(wide) - r(narrow))
            other = r(narrow_other) + r(share) * (r(wide_other) - r(narrow_other))
            if flagged > r(exceedance) and other > 0:
                greatest = max(greatest, lower(r.log(flagged / other)))
    return greatest


def _around(law: TiltedSum, near: int) -> range:
    return range(max(near - _ABOUT, 0), min(near + _ABOUT + 1, len(law.law)))
