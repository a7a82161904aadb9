"""Certificates of trainings: the kind that `training certify` makes, without noise or rows."""

from fractions import Fraction
from typing import TYPE_CHECKING

from deniable.errors.late import late
from deniable.ledger.dataset import Measure
from deniable.ledger.people import People
from deniable.mechanisms.noisy_gradients.resolution import merge_phases
from deniable.pipeline.charging import Spent
from deniable.pipeline.kind import ReleaseKind
from deniable.training.certificate import TrainingCertificate
from deniable.training.certified import Trained, derive_guarantees, make_certificate
from deniable.training.explain import ADJACENCY

if TYPE_CHECKING:
    from deniable.training import page as report
else:  # needed for the page only
    report = late("deniable.training.page")


def rebuild_from_certificate(certificate: TrainingCertificate) -> Trained:
    """The training that a certificate speaks of, settled from its history."""
    return derive_guarantees(
        merge_phases(certificate.training.history),
        certificate.guarantee.delta,
        certificate.adversary,
        certificate.training.rates.fpr,
        certificate.target if certificate.is_target_requested else None,
        None if certificate.ledger is None else certificate.ledger.dataset,
    )


def _people(_certificate: TrainingCertificate) -> People:
    """Records, each by itself: whoever owns several is protected in each of them apart."""
    return People(None, None, ADJACENCY)


def _spent(certificate: TrainingCertificate) -> Spent:
    """ρ of every step, without the gain of sampling."""
    return Measure.RHO, Fraction(certificate.guarantee.rho or 0.0)


KIND = ReleaseKind[TrainingCertificate, Trained, None](
    certificate=TrainingCertificate,
    again=rebuild_from_certificate,
    certified=make_certificate,
    dataset=lambda trained: trained.dataset,
    people=_people,
    spent=_spent,
    report=lambda certificate, *_: report.training_document(certificate),
)
