"""What an attack sees of many independent runs, and what produces it."""

from typing import Protocol, TypeAlias

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.errors import InvalidArgument
from deniable.priors.protocol import Generator

Bits: TypeAlias = NDArray[np.bool_]
Signals: TypeAlias = NDArray[np.float64]


@attrs.frozen(eq=False)
class Runs:
    """Independent runs of one target.

    A mechanism or a release has one record, whose bit says which of two neighbours was used; a
    model has as many records as it may have been trained on.

    Parameters
    ----------
    members : ndarray of bool, shape (n_runs, n_records)
        Fair coins, independent of each other in every run: was the record used?
    signals : ndarray of float, shape (n_runs, n_records, n_signals)
        What somebody from outside sees about the record in the run: published numbers, or losses.

    Raises
    ------
    InvalidArgument
        If the shapes do not belong together.
    """

    members: Bits
    signals: Signals

    def __attrs_post_init__(self) -> None:
        """Refuse arrays of different runs or records."""
        if self.members.ndim != 2 or self.signals.shape[:-1] != self.members.shape:
            raise InvalidArgument(
                f"Expected signals of shape (n_runs, n_records, n_signals) for members of shape "
                f"{self.members.shape}, got signals of shape {self.signals.shape}."
            )


class Target(Protocol):
    """Something that can be run as often as one likes."""

    @property
    def records(self) -> int:
        """How many records have a bit in every run."""

    @property
    def key(self) -> str:
        """A text that differs between targets: kept runs of another target are not taken."""

    def draw(self, members: Bits, generator: Generator) -> Signals:
        """Signals of one run a row of members; (n_runs, n_records) -> (n_runs, n_records, n).

        The answer of a row may depend on the row and on randomness of the target only.
        """
