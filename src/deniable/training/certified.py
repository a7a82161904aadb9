"""A training settled: all that its certificate states, from the history and what was asked for."""

import attrs

from deniable.errors import InfeasibleTarget
from deniable.mechanisms.noisy_gradients import EnclosedCurve, Phase, privacy_curve
from deniable.notions import PureDP
from deniable.numerics.bound import Bound
from deniable.numerics.rounding import directed, upper
from deniable.pipeline.kind import Origin
from deniable.priors import BoundedPriors
from deniable.theorems.analysis.target import EpsilonTarget, Step, Target
from deniable.theorems.membership import pure_dp_to_positive_membership
from deniable.training._numbers import stated_down, stated_up
from deniable.training.certificate import (
    ErrorRates,
    Training,
    TrainingCertificate,
    TrainingGuarantee,
)
from deniable.training.explain import ADJACENCY, GAP, TrainingExplanation, explain_curve
from deniable.training.statements import ASSUMPTIONS, NOT_COVERED, UNIT
from deniable.training.steps import steps_to, steps_to_beliefs
from deniable.training.target import find_met_requirement

_LEAST = 1e-6
"""No smaller ε or privacy loss is stated: nobody's belief shows it, and 0 is no budget."""
_FEW = (0.001, 0.01)
"""False-positive rates that attacks are judged at, besides the steps of the picture."""
_STEPS = 50
"""Steps of the picture of errors: smooth at the size it is drawn, and each is searched for."""


@attrs.frozen
class Trained:
    """What was trained and asked for, with everything that the certificate says of it.

    Parameters
    ----------
    explanation : TrainingExplanation
        Every digit of what the curve gives.
    target : Target
        What was asked for and is met; where nothing was, the ε that came out.
    is_target_requested : bool
        Whether it was asked for.
    guarantee, training : TrainingGuarantee, Training
        As they are stated, in few digits.
    derivation : tuple of Step
        Theorems from the steps to the target, or to beliefs.
    dataset : str or None
        Of a ledger, that the training is charged to.
    """

    explanation: TrainingExplanation
    target: Target
    is_target_requested: bool
    guarantee: TrainingGuarantee
    training: Training
    derivation: tuple[Step, ...]
    dataset: str | None = None


def derive_guarantees(
    history: tuple[Phase, ...],
    delta: float,
    adversary: BoundedPriors,
    fpr: float,
    target: Target | None,
    dataset: str | None = None,
) -> Trained:
    """Everything that follows from a history, δ, the adversary and what was asked for.

    Raises
    ------
    InfeasibleTarget
        If the training does not certainly meet the target, or bounds no belief at all.
    """
    curve = privacy_curve(history, gap=GAP)
    read = explain_curve(curve, delta, adversary, fpr)
    guarantee = _guarantee(read)
    if guarantee.epsilon == float("inf") or guarantee.loss == float("inf"):
        raise InfeasibleTarget(
            f"Expected training that limits what is learned at delta={delta}, got one whose "
            "privacy loss has no bound. Train with more noise, or in fewer steps."
        )
    if target is None:
        stated = guarantee.loss, guarantee.gamma
        steps = steps_to_beliefs(history, *stated, adversary, delta)
    else:
        requirement = find_met_requirement(curve, target, adversary, delta)
        if requirement is None:
            raise InfeasibleTarget(
                f"Expected training that keeps to {target.kind}={target.value}, got one that is "
                "not known to. Train with more noise: deniable training calibrate says how much."
            )
        steps = steps_to(target, requirement, history, adversary, delta)
    return Trained(
        explanation=read,
        target=EpsilonTarget(guarantee.epsilon) if target is None else target,
        is_target_requested=target is not None,
        guarantee=guarantee,
        training=_training(curve, read),
        derivation=steps,
        dataset=dataset,
    )


def _guarantee(read: TrainingExplanation) -> TrainingGuarantee:
    """Digits that every machine gives: an enclosure's last ones depend on the processor."""
    loss = max(stated_up(read.loss.upper), _LEAST)
    at_loss = PureDP(loss, ADJACENCY)
    advantage = stated_up(read.advantage.upper)
    with directed() as r:
        success = upper((1 + r(advantage)) / 2)
    return TrainingGuarantee(
        epsilon=max(stated_up(read.epsilon.upper), _LEAST),
        delta=read.delta,
        exceedance=read.delta,
        rho=read.rho,
        gamma=pure_dp_to_positive_membership(at_loss, read.adversary).gamma,
        gamma_outside=pure_dp_to_positive_membership(at_loss, BoundedPriors()).gamma,
        attack_success=min(success, 1.0),
        advantage=advantage,
        privacy_loss=loss,
    )


def _training(curve: EnclosedCurve, read: TrainingExplanation) -> Training:
    advantage = read.advantage
    places = sorted({*_FEW, *(step / _STEPS for step in range(1, _STEPS))})
    return Training(
        history=read.history,
        advantage=Bound(
            stated_down(advantage.lower), stated_up(advantage.upper), advantage.evidence
        ),
        rates=ErrorRates(read.fpr, stated_down(read.fnr.lower)),
        trade_off=tuple(ErrorRates(x, stated_down(curve.fnr(x).lower)) for x in places),
    )


def make_certificate(trained: Trained, origin: Origin) -> TrainingCertificate:
    """What the training guarantees, why, and against whom; without digests of files."""
    return TrainingCertificate(
        created=origin.created,
        unit=UNIT,
        band=trained.explanation.adversary,
        target=trained.target,
        is_target_requested=trained.is_target_requested,
        guarantee=trained.guarantee,
        derivation=trained.derivation,
        assumptions=ASSUMPTIONS,
        not_covered=NOT_COVERED,
        versions=origin.versions,
        training=trained.training,
    )
