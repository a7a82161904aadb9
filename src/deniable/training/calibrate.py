"""The noise of a trainer, from what an adversary may come to believe."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import attrs

from deniable import notions
from deniable.errors import InfeasibleTarget, InvalidArgument, validate
from deniable.errors.late import late
from deniable.notions.adversaries import BoundedPriors
from deniable.numerics.answer import Answer, PlotKind, fields_of
from deniable.numerics.rounding import directed, lower
from deniable.theorems._theorem import title_of
from deniable.theorems.adjacency import add_remove_approx_dp_to_replace_one_approx_dp
from deniable.theorems.analysis import (
    EpsilonTarget,
    FalseNegativesTarget,
    Step,
    Target,
    claimed,
    only_target,
)
from deniable.theorems.analysis import requirement as required
from deniable.theorems.attacks import advantage_to_attack_success
from deniable.theorems.beliefs import privacy_loss_tail_to_max_posterior
from deniable.theorems.identifiability import privacy_loss_tail_to_identifiability
from deniable.theorems.other_families import privacy_loss_tail_to_positive_membership
from deniable.theorems.pure_and_approximate import approx_dp_to_privacy_loss_tail
from deniable.training.explain import (
    ADJACENCY,
    DEFAULT_DELTA,
    DEFAULT_FPR,
    GAP,
    TrainingExplanation,
    adjacency_of,
    explain_curve,
)
from deniable.training.history import fnr_of_options, notion_of_training, schedule_of_options
from deniable.training.noisy_gradients import (
    EnclosedCurve,
    Phase,
    least_noise_multiplier,
    privacy_curve,
)
from deniable.training.noisy_gradients.calibration import NoiseRequirement, measure, merge_phases
from deniable.training.noisy_gradients.curve import falls_to
from deniable.training.theorems import (
    privacy_curve_to_advantage,
    privacy_curve_to_approx_dp,
    privacy_curve_to_false_negative_rate,
    privacy_curve_to_privacy_loss_tail,
)

if TYPE_CHECKING:
    from deniable.training.batches import batched
    from deniable.training.batches import curve as batch_curves
else:  # of no use to Poisson samples
    batch_curves = late("deniable.training.batches.curve")

_FROM_A_CURVE: dict[type[notions.Notion], Callable[..., Any]] = {
    notions.ApproxDP: privacy_curve_to_approx_dp,
    notions.PrivacyLossTail: privacy_curve_to_privacy_loss_tail,
    notions.Advantage: privacy_curve_to_advantage,
    notions.FalseNegativeRate: privacy_curve_to_false_negative_rate,
}
_TO_THE_CLAIM: dict[type[notions.Notion], Callable[..., Any]] = {
    notions.AttackSuccess: advantage_to_attack_success,
    notions.PositiveMembership: privacy_loss_tail_to_positive_membership,
    notions.MaxPosterior: privacy_loss_tail_to_max_posterior,
    notions.Identifiability: privacy_loss_tail_to_identifiability,
}


def steps_to(
    target: Target,
    requirement: NoiseRequirement,
    history: Sequence[Phase] | batched.BatchedTraining,
    adversary: BoundedPriors,
    delta: float,
) -> tuple[Step, ...]:
    """The chain to a target, through the requirement that its curve meets."""
    steps, adjacency, claim = [_first(history, requirement)], adjacency_of(history), None
    if not isinstance(target, EpsilonTarget | FalseNegativesTarget):
        claim = claimed(target, adversary, adjacency, delta)
    if claim is not None and claim != requirement:
        known: notions.Notion = requirement
        # One record exchanged is a removal and an addition.
        if isinstance(requirement, notions.ApproxDP):
            far = add_remove_approx_dp_to_replace_one_approx_dp(requirement)
            known = required(target, claim, adjacency, delta)
            steps += [
                _step(requirement, far, add_remove_approx_dp_to_replace_one_approx_dp),
                _step(far, known, approx_dp_to_privacy_loss_tail),
            ]
        steps.append(_step(known, claim, _TO_THE_CLAIM[type(claim)]))
    return _labelled(steps, history)


def steps_to_beliefs(
    history: Sequence[Phase] | batched.BatchedTraining,
    loss: float,
    gamma: float,
    adversary: BoundedPriors,
    delta: float,
) -> tuple[Step, ...]:
    """The chain to the beliefs that a certificate states where nothing was asked for."""
    adjacency = adjacency_of(history)
    tail = notions.PrivacyLossTail(loss, delta, adjacency)
    claim = notions.PositiveMembership(gamma, adversary, delta, adjacency)
    last = _step(tail, claim, privacy_loss_tail_to_positive_membership)
    return _labelled((_first(history, tail), last), history)


def _labelled(
    steps: Sequence[Step], history: Sequence[Phase] | batched.BatchedTraining
) -> tuple[Step, ...]:
    """The chain with the label of what may change, where that is no adjacency of the theorems.

    They speak of two data sets, whatever these differ in.
    """
    if isinstance(history, Sequence) or history.changed in set(notions.Adjacency):
        return tuple(steps)
    own, label = f"@{ADJACENCY}", f"@{history.changed}"
    return tuple(
        attrs.evolve(
            step, source=step.source.replace(own, label), target=step.target.replace(own, label)
        )
        for step in steps
    )


def _first(
    history: Sequence[Phase] | batched.BatchedTraining, requirement: NoiseRequirement
) -> Step:
    """Return what the curve of the training meets."""
    if isinstance(history, Sequence):
        return _step(notion_of_training(history), requirement, _FROM_A_CURVE[type(requirement)])
    return Step(history.spec, requirement.spec, _BATCHES)


def _step(source: notions.Notion, target: notions.Notion, implication: Callable[..., Any]) -> Step:
    return Step(source.spec, target.spec, title_of(implication))


_BATCHES = "Noisy steps on batches drawn in this way, enclosed from both sides"
"""What the first step of a chain rests on where batches are no Poisson samples."""

_SHARES = (0.5, 0.7, 0.85)
"""Shares of a loss at which its tail is read on the curve; the best asks for least noise."""


def select_target(
    given: Mapping[str, float | None], worlds: int | None, fpr: float | None
) -> Target | None:
    """The one target that is given by its name, or None."""
    if given["fnr"] is not None and fpr is None:
        raise InvalidArgument(
            "Expected `fpr` with `fnr`, got `fnr` alone. Give the false-positive rate too.",
            instead=("", "--fpr 0.01"),
        )
    if worlds is None and all(value is None for value in given.values()):
        return None
    return only_target(worlds, fpr, **given)


def requirements(
    target: Target,
    adversary: BoundedPriors,
    delta: float,
    adjacency: notions.Adjacency = ADJACENCY,
) -> tuple[NoiseRequirement, ...]:
    """What the curve of a training may satisfy, with neighbours that differ so; one is enough."""
    match target:
        case FalseNegativesTarget() if target.value + target.fpr >= 1:
            raise InfeasibleTarget(
                f"Expected `fnr` + `fpr` < 1, got fnr={target.value}, fpr={target.fpr}. Who flags "
                "everybody alike misses 1 - `fpr` of the members; ask for less."
            )
        case FalseNegativesTarget():
            return (notions.FalseNegativeRate(target.value, target.fpr, adjacency),)
        case EpsilonTarget():
            return (notions.ApproxDP(target.value, delta, adjacency),)
    requirement = required(target, claimed(target, adversary, adjacency, delta), adjacency, delta)
    if isinstance(requirement, notions.PrivacyLossTail) and requirement.adjacency is not adjacency:
        # (ε, δ)-DP of one record removed gives a tail of one record exchanged, of the loss ℓ and
        # exceedance X that are asked for, where (1 + e^ε) δ/(1 − e^(2ε − ℓ)) <= X: an exchange is a
        # removal and an addition (dwork-roth-2014, groups of two), and the tail follows from the
        # curve (decision 5).
        with directed() as r:
            loss, most = r(requirement.epsilon), r(requirement.exceedance)
            halves = [r(lower(loss * r(share) / 2)) for share in _SHARES]
            deltas = [most * -r.expm1(2 * half - loss) / (1 + r.exp(half)) for half in halves]
            return tuple(
                notions.ApproxDP(lower(half), lower(delta), ADJACENCY)
                for half, delta in zip(halves, deltas, strict=True)
            )
    return (requirement,)


def find_met_requirement(
    curve: EnclosedCurve | batch_curves.BatchCurve,
    target: Target,
    adversary: BoundedPriors,
    delta: float,
) -> NoiseRequirement | None:
    """Return how a training certainly meets a target; None where it is not known to."""
    batches = None if isinstance(curve, EnclosedCurve) else curve.training
    for each in requirements(target, adversary, delta, adjacency_of(batches)):
        match each:
            case notions.PrivacyLossTail():
                is_met = curve.exceedance(each.epsilon).upper <= each.exceedance
            case notions.ApproxDP():
                is_met = curve.delta(each.epsilon).upper <= each.delta
            case notions.Advantage():
                is_met = curve.advantage().upper <= each.value
            case notions.FalseNegativeRate():
                is_met = curve.fnr_at_least(each.fpr) >= each.fnr
            case _:
                raise AssertionError("no target asks for it")
        if is_met:
            return each
    return None


_LEAST_NOISE, _MOST_NOISE = 2.0**-4, 2.0**14
"""Noise multipliers that are tried: no trainer uses less noise, and more drowns every gradient."""
_ROUGH, _CLOSE = 1e-2, 1e-4
"""Relative tolerances of the searches for the noise of batches: on few atoms, then on all."""
End: TypeAlias = Literal["lower", "upper"]
_FEW_ATOMS = 160
"""The atoms of the first search's laws: some 20 ms a look."""
_MORE, _ALIKE = 5e-5, 3
"""Share by which noise is raised that meets a target on the lattice of its search and not on that
of an answer. After so many times it grows fourfold: a tiny δ is near what a lattice rounds away."""


@attrs.frozen(repr=False)
class TrainingCalibration(Answer):
    """The least noise of a trainer that meets a target, and what a model trained so gives away.

    Parameters
    ----------
    target : Target
        What was asked for.
    noise_multiplier : float
        Enough by proof: the standard deviation of the noise divided by the clipping norm.
    noise_multiplier_lower : float or None
        With anything below it some training of these steps certainly breaks the limit; for limits
        on beliefs one of which only a flag is published. None where nothing is known.
    explanation : TrainingExplanation
        Of exactly these steps with this noise.
    derivation : tuple of Step
        Theorems from the training to the target.

    Examples
    --------
    >>> from deniable import calibrate_training
    >>> answer = calibrate_training(sample_rate=0.01, steps=1000, advantage=0.2, delta=1e-5)
    >>> answer.noise_multiplier_lower <= float(answer)
    True
    """

    target: Target
    noise_multiplier: float
    noise_multiplier_lower: float | None
    explanation: TrainingExplanation
    derivation: tuple[Step, ...]

    def __float__(self) -> float:
        """The noise multiplier."""
        return self.noise_multiplier

    def as_json(self) -> dict[str, Any]:
        """The object that the command line prints."""
        own = fields_of(self, "noise_multiplier", "noise_multiplier_lower", "target", "derivation")
        return self.explanation.as_json() | own

    def plot(self, *others: Answer, kind: PlotKind = "posterior") -> Any:
        """The chart of `explanation`: beliefs, or what attacks miss."""
        return self.explanation.plot(*others, kind=kind)


def calibrate_training(
    *,
    sample_rate: float | None = None,
    steps: int | None = None,
    records: int | None = None,
    batch_size: int | None = None,
    epochs: int | None = None,
    delta: float = DEFAULT_DELTA,
    gamma: float | None = None,
    max_posterior: float | None = None,
    attack_success: float | None = None,
    advantage: float | None = None,
    identifiability: float | None = None,
    worlds: int | None = None,
    epsilon: float | None = None,
    fnr: float | None = None,
    tpr: float | None = None,
    fpr: float | None = None,
    prior: tuple[float, float] = (0.0, 1.0),
    batches: batched.BatchedTraining | None = None,
) -> TrainingCalibration:
    """Return the least noise multiplier with which training meets a target.

    Parameters
    ----------
    sample_rate : float
        q in (0, 1]: each record enters a step with this probability, independently of all else.
    steps : int
        How many steps, at least 1.
    records, batch_size, epochs : int
        Instead of the two: N records, batches of B on average, and epochs of N/B steps. The rate
        is B/N, rounded up, and so are the steps of an epoch.
    delta : float
        δ in (0, 1); a target in beliefs holds of each record except with this probability;
        1e-6 if left out.
    gamma, max_posterior, attack_success, advantage, identifiability, worlds, prior
        As in `calibrate`.
    epsilon : float
        ε of (ε, δ)-DP.
    fnr, fpr : float
        An attack that flags a share of at most `fpr` of non-members misses `fnr` of the members.
    tpr : float
        Instead of `fnr`: the largest share of members that such an attack flags, 1 − `fnr`.
    batches : BatchedTraining
        How batches are drawn, in place of `sample_rate` and `steps`; its noise is a first guess.

    Returns
    -------
    TrainingCalibration
        `noise_multiplier` is enough by proof, and what follows from it is rounded outwards.

    Raises
    ------
    InvalidArgument
        If a number is out of range or not exactly one target is given.
    InfeasibleTarget
        If no noise within reach meets the target.

    Examples
    --------
    >>> answer = calibrate_training(
    ...     sample_rate=0.002, steps=10_000, max_posterior=0.2, prior=(0.01, 0.1), delta=1e-6
    ... )
    >>> from deniable.theorems.analysis import posterior_ranges
    >>> posterior_ranges(answer.explanation.loss.upper, [0.1])[0].upper <= 0.2
    True
    """
    given = {
        "gamma": gamma,
        "max_posterior": max_posterior,
        "attack_success": attack_success,
        "advantage": advantage,
        "identifiability": identifiability,
        "epsilon": epsilon,
    }
    given["fnr"] = fnr_of_options(fnr, tpr, fpr, given)
    target = select_target(given, worlds, fpr)
    if target is None:
        raise InvalidArgument(f"Expected exactly one target of {', '.join(given)}, got none.")
    band = BoundedPriors(*validate.pair(prior, "prior"))
    most = validate.open_probability(delta, "delta")
    flagged = DEFAULT_FPR if fpr is None else validate.open_probability(fpr, "fpr")
    if batches is not None:
        wanted = requirements(target, band, most, adjacency_of(batches))
        return _settle(
            [(*_least_noise(batches, each), each) for each in wanted],
            lambda noise: batch_curves.BatchCurve(attrs.evolve(batches, noise_multiplier=noise)),
            (target, band, most, flagged),
        )
    drawn = schedule_of_options(sample_rate, steps, records, batch_size, epochs)
    if drawn.sample_rate is None or drawn.steps is None:
        raise InvalidArgument(
            "Expected `sample_rate` and `steps`, or `records`, `batch_size` and `epochs`, or "
            "`batches`, got fewer. Say how batches are drawn."
        )
    phase = Phase(1.0, drawn.sample_rate, drawn.steps)  # names what is wrong with its numbers
    merge_phases([phase])  # names what is out of reach
    answers = [
        (least_noise_multiplier(each, sample_rate=phase.sample_rate, steps=phase.steps), each)
        for each in requirements(target, band, most)
    ]
    return _settle(
        [(best.noise_multiplier, best.necessary, each) for best, each in answers],
        lambda noise: privacy_curve([attrs.evolve(phase, noise_multiplier=noise)], gap=GAP),
        (target, band, most, flagged),
    )


calibrate = calibrate_training
"""The same, as `deniable.training.calibrate`."""


def _settle(
    noises: Sequence[tuple[float, float, NoiseRequirement]],
    curve_at: Callable[[float], EnclosedCurve | batch_curves.BatchCurve],
    request: tuple[Target, BoundedPriors, float, float],
) -> TrainingCalibration:
    """The least noise, of enough and certainly too little by requirement, and what it is worth."""
    noise, little, requirement = min(noises, key=lambda each: each[0])
    target, band, delta, fpr = request
    # The most times, where one or two are usual; the last share is 3.
    for times in range(12):  # by the curve that explains and certifies it too
        curve = curve_at(noise)
        if find_met_requirement(curve, target, band, delta) is not None:
            break
        noise *= 1 + _MORE * 4.0 ** max(times - _ALIKE, 0)
    else:
        raise AssertionError("the curve of an answer is far wider than that of its search")
    history = curve.schedule if isinstance(curve, EnclosedCurve) else curve.training
    return TrainingCalibration(
        target=target,
        noise_multiplier=noise,
        noise_multiplier_lower=(little or None) if len(noises) == 1 else None,
        explanation=explain_curve(curve, delta, band, fpr),
        derivation=steps_to(target, requirement, history, band, delta),
    )


def _least_noise(
    batches: batched.BatchedTraining, requirement: NoiseRequirement
) -> tuple[float, float]:
    """The least σ that is enough by proof, and the largest that certainly is too little."""
    number, most = measure(requirement)
    seen: dict[tuple[float, End, int], float] = {}

    def end(noise: float, side: End, atoms: int) -> float:
        if noise > _MOST_NOISE:
            raise InfeasibleTarget(
                f"Expected a target that a noise multiplier up to {_MOST_NOISE:g} is proved to "
                f"meet, got {requirement.spec}. Ask for less, or take fewer steps."
            )
        if noise <= _LEAST_NOISE:
            return math.inf
        if (noise, side, atoms) not in seen:
            training = attrs.evolve(batches, noise_multiplier=noise)
            curve = batch_curves.BatchCurve(training, atoms, side)
            seen[noise, side, atoms] = getattr(number(curve), side)
        return seen[noise, side, atoms]

    def root(side: End, atoms: int, start: float, tolerance: float) -> tuple[float, float]:
        return falls_to(lambda noise: end(noise, side, atoms), most, start, tolerance=tolerance)

    enough = root("upper", _FEW_ATOMS, batches.noise_multiplier, _ROUGH)[1]
    little = root("lower", _FEW_ATOMS, enough, _ROUGH)[0]
    # Factor between the ends of a rough search beyond which the way of drawing sets them apart.
    if enough < 1.1 * little:  # rounding sets them apart, by a square of the atoms
        enough = little = little + (enough - little) / 3
    enough = root("upper", batch_curves.ATOMS, enough, _CLOSE)[1]
    little = root("lower", batch_curves.ATOMS, min(little, enough), _CLOSE)[0]
    return enough, little
