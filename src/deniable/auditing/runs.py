"""What an attack sees of many independent runs, and what produces it."""

from typing import Protocol, TypeAlias

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.auditing.exact import Exact
from deniable.errors import InvalidArgument
from deniable.numerics.effort import Generator

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
    exact : Exact, optional
        What float64 loses of it; left out where the outputs are floats.

    Raises
    ------
    InvalidArgument
        If the shapes do not belong together.
    """

    members: Bits
    signals: Signals
    exact: Exact | None = None

    def __attrs_post_init__(self) -> None:
        """Refuse arrays of different runs or records."""
        if self.members.ndim != 2 or self.signals.shape[:-1] != self.members.shape:
            raise InvalidArgument(
                f"Expected signals of shape (n_runs, n_records, n_signals) for members of shape "
                f"{self.members.shape}, got signals of shape {self.signals.shape}."
            )
        if self.exact is not None and self.exact.words.shape[:3] != self.signals.shape:
            raise InvalidArgument(
                f"Expected words of shape {self.signals.shape} and more, as the signals, got "
                f"{self.exact.words.shape}."
            )

    def __getitem__(self, runs: slice) -> "Runs":
        """Some of the runs."""
        exact = None if self.exact is None else self.exact[runs]
        return Runs(self.members[runs], self.signals[runs], exact)

    @property
    def width(self) -> int:
        """Numbers of 8 bytes that a run holds for each record."""
        parts = self.signals.shape[2]
        if self.exact is None:
            return int(parts)
        return int(parts + self.exact.codes.shape[2] + parts * self.exact.words.shape[3])

    @property
    def outputs(self) -> Exact:
        """The outputs by themselves, whatever they are."""
        return Exact.of(self.signals) if self.exact is None else self.exact


@attrs.frozen(eq=False)
class Answers:
    """Outputs of a target that are not, or not all, floats.

    Parameters
    ----------
    signals : ndarray of float, shape (n_runs, n_records, n_signals)
        A number for each part of an output, rounded where it is longer.
    exact : Exact
        The same without rounding.
    """

    signals: Signals
    exact: Exact


class Target(Protocol):
    """Something that can be run as often as one likes."""

    @property
    def records(self) -> int:
        """How many records have a bit in every run."""

    @property
    def key(self) -> str:
        """A text that differs between targets: kept runs of another target are not taken."""

    def draw(self, members: Bits, generator: Generator) -> Signals | Answers:
        """Signals of one run a row of members; (n_runs, n_records) -> (n_runs, n_records, n).

        Whose outputs are no floats gives `Answers`, so that nothing is rounded before an attack
        may look at it.

        The answer of a row may depend on the row and on randomness of the target only.
        """
