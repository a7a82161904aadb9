# ruff: noqa: ARG002
"""The privacy curve of a schedule, enclosed from both sides."""

from collections.abc import Iterable

import attrs

from deniable.bounds import Bound, Evidence
from deniable.notions.training import Phase


@attrs.frozen
class EnclosedCurve:
    """All that follows from a schedule for one record, each number enclosed from both sides."""

    schedule: tuple[Phase, ...]
    gap: float

    def delta(self, epsilon: float) -> Bound:
        """The least δ of (ε, δ)-DP, in the worse of the two directions."""
        return Bound(0.0, 1.0, Evidence.ENCLOSURE)

    def epsilon(self, delta: float) -> Bound:
        """The least ε of (ε, δ)-DP; infinite above where nothing is known."""
        return Bound(0.0, float("inf"), Evidence.ENCLOSURE)

    def advantage(self) -> Bound:
        """The largest true-positive rate minus false-positive rate of an attack."""
        return Bound(0.0, 1.0, Evidence.ENCLOSURE)

    def attack_success(self) -> Bound:
        """The largest probability of a right guess with prior ½."""
        return Bound(0.5, 1.0, Evidence.ENCLOSURE)

    def fnr(self, fpr: float) -> Bound:
        """The least false-negative rate of an attack with this false-positive rate.

        The promise is the lower end.
        """
        return Bound(0.0, 1.0 - fpr, Evidence.ENCLOSURE)

    def predictive_value(self, fpr: float, nonmembers: float) -> Bound:
        """The largest share of members among those flagged at this false-positive rate."""
        return Bound(0.0, 1.0, Evidence.ENCLOSURE)

    def exceedance(self, loss: float) -> Bound:
        """How probable it is at most, over all priors, that the privacy loss passes `loss`."""
        return Bound(0.0, 1.0, Evidence.ENCLOSURE)

    def loss(self, exceedance: float) -> Bound:
        """The least loss that is passed with at most this probability, whatever the prior."""
        return Bound(0.0, float("inf"), Evidence.ENCLOSURE)


def privacy_curve(schedule: Iterable[Phase], *, gap: float = 1e-3) -> EnclosedCurve:
    """The curve of a schedule of Poisson-subsampled Gaussians, add-or-remove adjacency.

    `gap` is the width wanted of the advantage, as a share of it.
    """
    return EnclosedCurve(tuple(schedule), gap)
