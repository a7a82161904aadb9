r"""Which records Proposition 12 alone keeps below an ε that another record reaches.

.. math:: D_{e^\epsilon}(P_{in,x} \| P_{out,x}) \le \frac{1}{N-1} \sum_{x' \ne x}
          \delta(\epsilon; |x - x'|)

with δ(ε; d) the noise's own divergence at a distance of d. Where a few records lie far out and ε is
large, nearly every pair of the others counts as nothing.
"""

import numpy as np
from numpy.typing import NDArray

from deniable.mechanisms.gaussian import Gaussian
from deniable.population.bounds import delta_upper
from deniable.population.real_sums.problem import Problem

_CLASSES = 512
"""Classes of equal width of the values; distances are rounded up by one or two widths."""
_OUTWARDS = 1 + 1e-12
"""Room for rounding of sums of some hundred terms, and of distances."""


def harmless(problem: Problem, targets: NDArray[np.int64], epsilon: float) -> NDArray[np.bool_]:
    """Whether the ε̃ of each target is known to be at most this ε, without looking at the sums."""
    values = problem.values - problem.values[0]
    width = float(values[-1]) / _CLASSES * _OUTWARDS
    place = np.minimum((values / width).astype(np.int64), _CLASSES - 1)
    class_counts = np.bincount(place, problem.counts, minlength=_CLASSES)
    # |x − x'| <= (|k − l| + 2) widths for classes k and l: one for each place within its class,
    # of which a quotient's rounding may be a sliver more than a half.
    furthest = (np.arange(_CLASSES) + 2) * width * _OUTWARDS / problem.noise.scale
    if isinstance(problem.noise, Gaussian):
        each = delta_upper(epsilon, furthest)
    else:  # 1 − e^((ε − d)/2)
        each = np.maximum(-np.expm1((epsilon - furthest) / 2) * _OUTWARDS, 0.0)
    class_distances = np.abs(np.subtract.outer(np.arange(_CLASSES), np.arange(_CLASSES)))
    # Σ_x' over N − 1; the pair of a record with itself is left in.
    mean = each[class_distances] @ class_counts / (problem.counts.sum() - 1) * _OUTWARDS
    return np.asarray((mean <= problem.delta)[place[targets]])
