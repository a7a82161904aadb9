"""What an attack is to an audit: trained on pilot runs, it gives one score a run and record."""

from collections.abc import Callable
from typing import Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from deniable.auditing.runs import Runs, Signals

Scores: TypeAlias = NDArray[np.float64]
Scorer: TypeAlias = Callable[[Signals], Scores]
"""Signals (n_runs, n_records, n_signals) to scores (n_runs, n_records); higher says "in".

The score of a run depends on the signals of that run and on the pilot runs only.
"""


class Attack(Protocol):
    """A way to tell with the record from without."""

    @property
    def name(self) -> str:
        """The same in every audit, with hyphens."""

    def fit(self, pilot: Runs) -> Scorer:
        """What it learns from runs whose members are known."""
