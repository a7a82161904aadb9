"""The certificate of a training with noisy gradients, as frozen values that mirror its JSON.

It is made from what was done. There is no field for data, weights, losses or accuracies.
"""

from collections.abc import Mapping
from typing import Any, ClassVar, Self

import attrs

from deniable.certificate import model
from deniable.errors import NotApplicable
from deniable.notions import Adjacency, ApproxDP, Notion
from deniable.notions.adversaries import BoundedPriors
from deniable.numerics.bound import Bound, Evidence
from deniable.theorems.analysis import EpsilonTarget
from deniable.training.batches.batched import BatchedTraining
from deniable.training.history import notion_of_training
from deniable.training.noisy_gradients import Phase

FORMAT = "deniable-training-certificate/2.1"
"""What the JSON calls itself."""
SENTENCES = model.read_sentences(__file__)
"""What certificates of trainings say."""


@attrs.frozen
class NamedRecord(model.NamedUnit):
    """What is protected, where that is a record, no matter whose."""

    one: ClassVar[str] = "record"


@attrs.frozen
class TrainingGuarantee(model.Guarantee):
    """What the model satisfies; beliefs are read at a tail of the curve, which is sharper than ε.

    `privacy_loss` is passed with a probability of at most `exceedance`, whatever the prior.
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

    Steps of the same noise and sampling rate stand together in `history`. `advantage` is that of
    the best attack, `rates` are at the false-positive rate that was asked about, `trade_off` goes
    from few false positives to many. The `engine` is the trainer's word; old certificates lack it.
    """

    history: tuple[Phase, ...]
    advantage: Bound
    rates: ErrorRates
    trade_off: tuple[ErrorRates, ...]
    engine: str | None = None
    batches: BatchedTraining | None = None

    @property
    def steps(self) -> int:
        """How many there were in all."""
        return sum(each.steps for each in self.history)

    def as_json(self) -> dict[str, Any]:
        """The object of the certificate's `training`."""
        engine = {} if self.engine is None else {"engine": self.engine}
        drawn = {} if self.batches is None else {"batches": self.batches.as_json()}
        return {
            **engine,
            "sampling": "poisson" if self.batches is None else str(self.batches.batches),
            **drawn,
            "mechanism": "gaussian",
            "history": [attrs.asdict(each) for each in self.history],
            "steps": self.steps,
            "advantage": self.advantage.as_json(),
            **attrs.asdict(self.rates),
            "trade_off": [attrs.asdict(each) for each in self.trade_off],
        }


@attrs.frozen(kw_only=True)
class TrainingCertificate(model.Certificate):
    """Everything that the certificate.json of a training holds.

    The beliefs of the adversary lie in [a, b] before. Where no target was asked for, it is the ε
    that came out.
    """

    SCHEMA: ClassVar[str] = "training_schema.json"
    EARLIER: ClassVar[tuple[str, ...]] = ("deniable-training-certificate/2",)
    KEYS: ClassVar[tuple[str, ...]] = (
        "format", "created", "unit", "adversary", "target", "guarantee", "derivation",
        "assumptions", "not_covered", "versions",
    )  # fmt: skip
    FILES: ClassVar[tuple[str, ...]] = ("report.html",)
    LIBRARIES: ClassVar[Mapping[str, str]] = {"numpy": "numpy", "scipy": "scipy"}

    guarantee: TrainingGuarantee
    unit: NamedRecord
    adversary: BoundedPriors
    has_target: bool
    training: Training
    format: str = FORMAT

    @property
    def title(self) -> str:
        """What was trained, in one line."""
        return "A model trained with noisy gradients"

    @property
    def limits(self) -> dict[str, Any]:
        """How many steps there were."""
        return {"steps": self.training.steps}

    @property
    def parts(self) -> list[model.CertifiedPart]:
        """None: the noise was drawn by the trainer."""
        return []

    @property
    def notions(self) -> tuple[Notion, ...]:
        """The curve of all steps, which says more than (ε, δ) and ρ, where it is a notion."""
        if self.training.batches is not None:
            if self.unit.adjacency not in set(Adjacency):
                raise NotApplicable(
                    "Expected a guarantee for records that are there, gone or replaced, got one "
                    f"for {self.unit.adjacency}: the record is silent, and batches stay."
                )
            promise = self.guarantee
            return (ApproxDP(promise.epsilon, promise.delta, Adjacency(self.unit.adjacency)),)
        return (notion_of_training(self.training.history),)

    def own(self) -> dict[str, Any]:
        """The training; and no target where nothing was asked for."""
        target = self.target.as_json() if self.has_target else None
        return {"target": target, "training": self.training.as_json()}

    @classmethod
    def from_json(cls, document: Any) -> Self:
        """The certificate that a JSON object holds; refused where it does not fit the schema."""
        parts = model.read(document, cls.SCHEMA)
        target, training = parts["target"], parts["training"]
        outcome = {"kind": EpsilonTarget.kind, "value": parts["guarantee"]["epsilon"]}
        best, batches = training["advantage"], None
        if (stated := training.get("batches")) is not None:
            noise = training["history"][0]["noise_multiplier"]
            rest = {"extra_steps": 0, "drop_last": False} | stated
            batches = BatchedTraining(noise_multiplier=noise, **rest)
        return cls(
            **model.common(parts | {"target": target or outcome}, TrainingGuarantee),
            unit=NamedRecord(**parts["unit"]),
            adversary=BoundedPriors(*parts["adversary"]["prior"]),
            has_target=target is not None,
            training=Training(
                history=model.structure(tuple[Phase, ...], training["history"]),
                advantage=Bound(best["lower"], best["upper"], Evidence[best["evidence"].upper()]),
                rates=ErrorRates(training["fpr"], training["fnr"]),
                trade_off=model.structure(tuple[ErrorRates, ...], training["trade_off"]),
                engine=training.get("engine"),
                batches=batches,
            ),
            format=parts["format"],
        )
