"""From what an adversary may come to believe to the noise of a trainer."""

from typing import Any

import attrs

from deniable.errors import InvalidArgument, validate
from deniable.mechanisms.noisy_gradients import (
    EnclosedCurve,
    Phase,
    least_noise_multiplier,
    privacy_curve,
)
from deniable.mechanisms.noisy_gradients.resolution import merge_phases
from deniable.numerics.answer import Answer, PlotKind
from deniable.priors import BoundedPriors
from deniable.theorems.analysis import Step, Target
from deniable.training.explain import (
    DEFAULT_DELTA,
    DEFAULT_FPR,
    GAP,
    TrainingExplanation,
    explain_curve,
)
from deniable.training.target import find_met_requirement, requirements, select_target, steps_to

_MORE = 1 + 5e-5
"""Factor on noise that meets a target on the lattice of its search and not on that of an answer."""
_MOST_TIMES = 40
"""Of such factors: two in a thousand, where one or two are usual."""


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
        return self.explanation.as_json() | {
            "noise_multiplier": self.noise_multiplier,
            "noise_multiplier_lower": self.noise_multiplier_lower,
            "target": self.target.as_json(),
            "derivation": [step.as_json() for step in self.derivation],
        }

    def plot(self, *others: Answer, kind: PlotKind = "posterior") -> Any:
        """The chart of `explanation`: beliefs, or what attacks miss."""
        return self.explanation.plot(*others, kind=kind)


def calibrate_training(
    *,
    sample_rate: float,
    steps: int,
    delta: float = DEFAULT_DELTA,
    gamma: float | None = None,
    max_posterior: float | None = None,
    attack_success: float | None = None,
    advantage: float | None = None,
    identifiability: float | None = None,
    worlds: int | None = None,
    epsilon: float | None = None,
    fnr: float | None = None,
    fpr: float | None = None,
    prior: tuple[float, float] = (0.0, 1.0),
) -> TrainingCalibration:
    """The least noise multiplier with which training keeps to a target.

    Parameters
    ----------
    sample_rate : float
        q in (0, 1]: each record enters a step with this probability, independently of all else.
    steps : int
        How many steps, at least 1.
    delta : float
        δ in (0, 1); a target in beliefs holds of each record except with this probability;
        1e-6 if left out.
    gamma : float
        Largest factor γ >= 1 between posterior and prior, over priors in `prior`.
    max_posterior : float
        Largest posterior, for beliefs that start at or below the prior's upper end.
    attack_success, advantage : float
        Largest success of an attack with prior ½; largest true minus false positive rate.
    identifiability, worlds : float, int
        ρ of differential identifiability over so many possible worlds.
    epsilon : float
        ε of (ε, δ)-DP.
    fnr, fpr : float
        An attack that flags a share of at most `fpr` of non-members misses `fnr` of the members.
    prior : (float, float)
        The ends [a, b] of what the adversary may believe before.

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
    >>> answer.explanation.posterior[1].upper <= 0.2
    True
    """
    given = {
        "gamma": gamma,
        "max_posterior": max_posterior,
        "attack_success": attack_success,
        "advantage": advantage,
        "identifiability": identifiability,
        "epsilon": epsilon,
        "fnr": fnr,
    }
    target = select_target(given, worlds, fpr)
    if target is None:
        raise InvalidArgument(f"Expected exactly one target of {', '.join(given)}, got none.")
    phase = Phase(1.0, sample_rate, steps)  # names what is wrong with its numbers
    merge_phases([phase])  # and what is out of reach
    band = BoundedPriors(*validate.pair(prior, "prior"))
    most = validate.open_probability(delta, "delta")
    flagged = DEFAULT_FPR if fpr is None else validate.open_probability(fpr, "fpr")
    candidates = [
        (least_noise_multiplier(each, sample_rate=phase.sample_rate, steps=phase.steps), each)
        for each in requirements(target, band, most)
    ]
    best, requirement = min(candidates, key=lambda each: each[0].noise_multiplier)
    noise, curve = _confirm(best.noise_multiplier, phase, target, band, most)
    return TrainingCalibration(
        target=target,
        noise_multiplier=noise,
        noise_multiplier_lower=(best.necessary or None) if len(candidates) == 1 else None,
        explanation=explain_curve(curve, most, band, flagged),
        derivation=steps_to(target, requirement, curve.schedule, band, most),
    )


def _confirm(
    noise: float, phase: Phase, target: Target, band: BoundedPriors, delta: float
) -> tuple[float, EnclosedCurve]:
    """Noise that is known to meet the target by the curve that explains and certifies it too."""
    for _ in range(_MOST_TIMES):
        curve = privacy_curve([Phase(noise, phase.sample_rate, phase.steps)], gap=GAP)
        if find_met_requirement(curve, target, band, delta) is not None:
            return noise, curve
        noise *= _MORE
    raise AssertionError("the curve of an answer is far wider than that of its search")
