"""What an attack is to an audit: trained on pilot runs, it gives one score a run and record."""

from typing import Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from deniable.auditing.exact import Exact
from deniable.auditing.runs import Runs, Signals

Scores: TypeAlias = NDArray[np.float64]


class Scorer(Protocol):
    """Gives a score to each run and record; higher says "in".

    The score of a run depends on the outputs of that run and on the pilot runs only.
    """

    def __call__(self, signals: Signals, exact: Exact | None = None, /) -> Scores:
        """Scores of outputs; (n_runs, n_records, n_signals) -> (n_runs, n_records).

        Outputs that are no floats come exactly, too.
        """


class Attack(Protocol):
    """A way to tell with the record from without."""

    @property
    def name(self) -> str:
        """The same in every audit, with hyphens."""

    def fit(self, pilot: Runs) -> Scorer:
        """What it learns from runs whose members are known."""
