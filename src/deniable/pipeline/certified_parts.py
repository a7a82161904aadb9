"""What every certificate says of its noise: the guarantee in all, and what protects a part."""

from deniable.certificate.model import CertifiedPart, Guarantee, Sensitivity
from deniable.mechanisms import DiscreteGaussian, Mechanism
from deniable.pipeline.noise.parts import Part, PublicPart, SelectionPart
from deniable.pipeline.noise.shares import Share
from deniable.theorems.analysis.calibrate import Calibration


def guarantee(calibration: Calibration) -> Guarantee:
    """What everything released together satisfies."""
    composition = calibration.composition
    return Guarantee(
        epsilon=calibration.epsilon,
        delta=calibration.delta,
        exceedance=calibration.exceedance,
        rho=None if composition is None else composition.rho,
        gamma=calibration.gamma,
        gamma_outside=calibration.gamma_outside,
        attack_success=calibration.attack_success,
        advantage=calibration.advantage,
    )


def certify_part(
    part: Part, share: Share | None, mechanism: Mechanism | None, width: float | None
) -> CertifiedPart:
    """What protects a part; `width` is its 95 % half-width, where that is known before."""
    if isinstance(part, PublicPart) or share is None or mechanism is None:
        return CertifiedPart(part.label)
    return CertifiedPart(
        label=part.label,
        mechanism=mechanism.name,
        step=part.step,
        scale=mechanism.scale * part.step,
        sensitivity=_sensitivity(part, mechanism),
        epsilon=share.epsilon,
        rho=share.rho,
        half_width_95=width,
    )


def _sensitivity(part: Part, mechanism: Mechanism) -> Sensitivity:
    match part:
        case SelectionPart():
            return Sensitivity("linf-sum", part.sensitivity, part.monotone)
        case PublicPart():
            raise AssertionError("a public part has no sensitivity")
        case _ if isinstance(mechanism, DiscreteGaussian):
            return Sensitivity("l2", part.l2)
        case _:
            return Sensitivity("l1", part.l1)
