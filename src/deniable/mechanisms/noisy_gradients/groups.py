"""Many phases as few: each group by one phase that is worse than all of it, or milder.

More noise is post-processing, and a record that is sampled less often gives a mixture of the worse
law with the law without it; so a phase with the least noise and the largest sample rate of a group
is worse than each of the group, and one with the most noise and the least rate milder.
"""

import math
from collections.abc import Sequence

from deniable.notions.training import Phase

_MOST = 32
"""Groups, at most: each costs some 20 ms of ball arithmetic, and a transform for each sum."""
_GRID = 2.0**-7
"""Width of a group in ln σ and in ln q to begin with, less than a percent; doubled until few."""


def group_phases(phases: Sequence[Phase], *, worse: bool) -> tuple[Phase, ...]:
    """At most some tens of phases that are together worse than those given, or milder.

    Examples
    --------
    >>> schedule = [Phase(1 + i / 10_000, 0.01, 1) for i in range(1000)]
    >>> few = group_phases(schedule, worse=True)
    >>> len(few) < 32, sum(phase.steps for phase in few)
    (True, 1000)
    """
    if len(phases) <= _MOST:
        return tuple(phases)
    grid = _GRID
    while len(cells := _cells(phases, grid)) > _MOST:
        grid *= 2
    sigma_of, rate_of = (min, max) if worse else (max, min)
    return tuple(
        Phase(
            sigma_of(phase.noise_multiplier for phase in cell),
            rate_of(phase.sample_rate for phase in cell),
            sum(phase.steps for phase in cell),
        )
        for cell in cells
    )


def _cells(phases: Sequence[Phase], grid: float) -> list[list[Phase]]:
    cells: dict[tuple[int, int], list[Phase]] = {}
    for phase in phases:
        logs = math.log(phase.noise_multiplier), math.log(phase.sample_rate)
        cells.setdefault((round(logs[0] / grid), round(logs[1] / grid)), []).append(phase)
    return list(cells.values())
