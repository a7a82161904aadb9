"""Certificates of trainings, made without any training."""

import attrs

from deniable.pipeline.charging import recompute_charge
from deniable.pipeline.kind import Origin
from deniable.priors import BoundedPriors
from deniable.theorems.analysis.target import target_of
from deniable.training.certificate import TrainingCertificate
from deniable.training.certify import KIND, derive_guarantees
from deniable.training.noisy_gradients import Phase

PHASES = (Phase(3.0, 0.1, 12), Phase(4.0, 0.05, 7))
VERSIONS = {"deniable": "0.1.0", "numpy": "2.0", "scipy": "1.14", "python": "3.12"}
ORIGIN = Origin("2026-11-01", VERSIONS)


def training_certificate(
    history: tuple[Phase, ...] = (Phase(2.0, 0.125, 8),),
    prior: tuple[float, float] = (0.0, 1.0),
    fpr: float = 0.01,
    **asked: float,
) -> TrainingCertificate:
    """What is certified of a history and at most one target, with made-up digests."""
    target = None
    if asked:
        [(kind, value)] = asked.items()
        target = target_of(kind, value, fpr=fpr if kind == "fnr" else None)
    trained = derive_guarantees(history, 1e-5, BoundedPriors(*prior), fpr, target, engine="opacus")
    made = KIND.certified(trained, ORIGIN)
    return attrs.evolve(made, files=dict.fromkeys(TrainingCertificate.FILES, "0" * 64))


def charged_training() -> TrainingCertificate:
    """A training as if it had been charged to a dataset with room for it."""
    made = training_certificate()
    block = recompute_charge(None, "records", KIND.spent(made))
    return attrs.evolve(made, ledger=attrs.evolve(block, entry="ab" * 32))
