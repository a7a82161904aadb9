"""Certificates of trainings: the kind that `training certify` makes, without noise or rows."""

from typing import TYPE_CHECKING

from deniable._late import late
from deniable.certificate.training import TrainingCertificate
from deniable.pipeline.kind import ReleaseKind
from deniable.training.certified import Trained, certified, settled
from deniable.training.history import joined

if TYPE_CHECKING:
    from deniable.report import training as report
else:  # needed for the page only
    report = late("deniable.report.training")


def again(certificate: TrainingCertificate) -> Trained:
    """The training that a certificate speaks of, settled from its history."""
    return settled(
        joined(certificate.training.history),
        certificate.guarantee.delta,
        certificate.adversary,
        certificate.training.rates.fpr,
        certificate.target if certificate.asked else None,
    )


KIND = ReleaseKind[TrainingCertificate, Trained, None](
    certificate=TrainingCertificate,
    again=again,
    certified=certified,
    report=lambda certificate, *_: report.training_document(certificate),
)
