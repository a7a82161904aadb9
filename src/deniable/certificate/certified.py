"""What every kind of certificate has: all that a reader of beliefs needs."""

from typing import Protocol

from deniable.analysis.target import Step, Target
from deniable.certificate.model import Guarantee, Unit
from deniable.certificate.study import StudyUnit
from deniable.priors import BoundedPriors


class Certified(Protocol):
    """A certificate of a table's release or of a study's."""

    @property
    def created(self) -> str:
        """ISO date of the release."""

    @property
    def unit(self) -> Unit | StudyUnit:
        """What is protected."""

    @property
    def adversary(self) -> BoundedPriors:
        """What the adversary may believe before."""

    @property
    def target(self) -> Target:
        """What was asked for."""

    @property
    def guarantee(self) -> Guarantee:
        """What everything released together satisfies."""

    @property
    def derivation(self) -> tuple[Step, ...]:
        """Theorems from the guarantee of the noise to the target."""

    @property
    def assumptions(self) -> tuple[str, ...]:
        """What the guarantee rests on, in sentences."""

    @property
    def not_covered(self) -> tuple[str, ...]:
        """What it does not speak about, in sentences."""
