"""The certificate of a training with noisy gradients, as frozen values that mirror its JSON.

It is made from what was done. There is no field for data, weights, losses or accuracies.
"""

from collections.abc import Mapping
from typing import Any, ClassVar, Self

import attrs

from deniable.certificate.model import (
    Certificate,
    CertifiedPart,
    Guarantee,
    NamedUnit,
    common,
    read,
)
from deniable.mechanisms.noisy_gradients import Phase
from deniable.notions import Notion, PrivacyCurve
from deniable.numerics.bound import Bound, Evidence
from deniable.priors import BoundedPriors
from deniable.theorems.analysis import EpsilonTarget

FORMAT = "deniable-training-certificate/2"
"""What the JSON calls itself."""

SCHEMA = "training_schema.json"
"""Its schema in the package."""


@attrs.frozen
class NamedRecord(NamedUnit):
    """What is protected, where that is a record, whoever owns it."""

    one: ClassVar[str] = "record"


@attrs.frozen
class TrainingGuarantee(Guarantee):
    """What the model satisfies; beliefs are read at a tail of the curve, which is sharper than ε.

    Parameters
    ----------
    privacy_loss : float
        Passed with a probability of at most `exceedance`, whatever the prior; natural logarithm.
    """

    privacy_loss: float

    @property
    def loss(self) -> float:
        """The privacy loss ℓ that beliefs are read at."""
        return self.privacy_loss


@attrs.frozen
class ErrorRates:
    """An attack that flags a share `fpr` of non-members misses at least `fnr` of the members."""

    fpr: float
    fnr: float


@attrs.frozen
class Training:
    """What was trained, and what no attack on it does better than.

    Parameters
    ----------
    history : tuple of Phase
        What was done; steps of the same noise and sampling rate stand together.
    advantage : Bound
        Both ends of the best attack's advantage.
    rates : ErrorRates
        At the false-positive rate that was asked about.
    trade_off : tuple of ErrorRates
        From few false positives to many.
    engine : str or None
        Which engine trained, by the trainer's word; None in certificates that do not say it.
    """

    history: tuple[Phase, ...]
    advantage: Bound
    rates: ErrorRates
    trade_off: tuple[ErrorRates, ...]
    engine: str | None = None

    @property
    def steps(self) -> int:
        """How many there were in all."""
        return sum(each.steps for each in self.history)

    def as_json(self) -> dict[str, Any]:
        """The object of the certificate's `training`."""
        engine = {} if self.engine is None else {"engine": self.engine}
        return {
            **engine,
            "sampling": "poisson",
            "mechanism": "gaussian",
            "history": [attrs.asdict(each) for each in self.history],
            "steps": self.steps,
            "advantage": self.advantage.as_json(),
            **attrs.asdict(self.rates),
            "trade_off": [attrs.asdict(each) for each in self.trade_off],
        }


@attrs.frozen(kw_only=True)
class TrainingCertificate(Certificate):
    """Everything that the certificate.json of a training holds.

    Parameters
    ----------
    unit : NamedRecord
        What is protected.
    band : BoundedPriors
        What the adversary may believe before.
    is_target_requested : bool
        Whether the target was asked for; else it is the ε that came out.
    training : Training
        What was trained.
    format : str
        What the JSON calls itself.
    """

    SCHEMA: ClassVar[str] = SCHEMA
    KEYS: ClassVar[tuple[str, ...]] = (
        "format", "created", "unit", "adversary", "target", "guarantee", "derivation",
        "assumptions", "not_covered", "versions",
    )  # fmt: skip
    FILES: ClassVar[tuple[str, ...]] = ("report.html",)
    LIBRARIES: ClassVar[Mapping[str, str]] = {"numpy": "numpy", "scipy": "scipy"}

    guarantee: TrainingGuarantee
    unit: NamedRecord
    band: BoundedPriors
    is_target_requested: bool
    training: Training
    format: str = FORMAT

    @property
    def has_target(self) -> bool:
        """Whether the target was asked for; else it is the ε that came out."""
        return self.is_target_requested

    @property
    def adversary(self) -> BoundedPriors:
        """What the adversary may believe before, [a, b]."""
        return self.band

    @property
    def title(self) -> str:
        """What was trained, in one line."""
        return "A model trained with noisy gradients"

    @property
    def limits(self) -> dict[str, Any]:
        """How many steps there were."""
        return {"steps": self.training.steps}

    @property
    def parts(self) -> list[CertifiedPart]:
        """None: the noise was drawn by the trainer."""
        return []

    @property
    def notions(self) -> tuple[Notion, ...]:
        """The curve of all steps, which says more than (ε, δ) and ρ."""
        first, *rest = self.training.history
        return (PrivacyCurve(first.sample_rate, first.noise_multiplier, first.steps, tuple(rest)),)

    def own(self) -> dict[str, Any]:
        """The training; and no target where nothing was asked for."""
        target = self.target.as_json() if self.is_target_requested else None
        return {"target": target, "training": self.training.as_json()}

    @classmethod
    def from_json(cls, document: Any) -> Self:
        """The certificate that a JSON object holds.

        Raises
        ------
        InvalidArgument
            If it does not fit the schema, naming the place as a JSON pointer.
        """
        parts = read(document, SCHEMA)
        target, training = parts["target"], parts["training"]
        outcome = {"kind": EpsilonTarget.kind, "value": parts["guarantee"]["epsilon"]}
        advantage = training["advantage"]
        return cls(
            **common(parts | {"target": target or outcome}, TrainingGuarantee),
            unit=NamedRecord(**parts["unit"]),
            band=BoundedPriors(*parts["adversary"]["prior"]),
            is_target_requested=target is not None,
            training=Training(
                history=tuple(Phase(**each) for each in training["history"]),
                advantage=Bound(
                    advantage["lower"], advantage["upper"], Evidence[advantage["evidence"].upper()]
                ),
                rates=ErrorRates(training["fpr"], training["fnr"]),
                trade_off=tuple(ErrorRates(**each) for each in training["trade_off"]),
                engine=training.get("engine"),
            ),
            format=parts["format"],
        )
