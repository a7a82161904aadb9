r"""What somebody learns who sees the counts of all types without noise: the most a release tells.

The counts of the other types say nothing more of a record of type t than C_t does, as
Pr[in | C] = C_t/N_t. So ε̃ of C_t alone bounds that of every release of sums, whatever the noise;
in a large population noise adds little, and the bound is close.
"""

import math

import numpy as np

from deniable.population import integer_sums
from deniable.population.question import Floats, Ones
from deniable.population.type_sums.counts import Ints


def of_each_type(counts: Ints, size: int, delta: float) -> Floats:
    """Upper bounds of ε̃ for a record of each type, δ in (0, 1); shape (n_types,)."""
    everyone = int(counts.sum())
    bounds = [float(integer_sums.without_noise(Ones(int(k), everyone), size, delta)[1][0]) for k in counts]
    return np.array([end if end < math.inf else np.inf for end in bounds])
