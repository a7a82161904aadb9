"""What the model lets an adversary believe, from a training history."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import attrs

from deniable.errors import validate
from deniable.errors.late import late
from deniable.notions import Adjacency, PureDP
from deniable.notions.adversaries import BoundedPriors
from deniable.numerics.answer import CurveAnswer, fields_of
from deniable.numerics.bound import Bound
from deniable.numerics.rounding import directed, upper
from deniable.theorems import analysis
from deniable.theorems.membership import pure_dp_to_positive_membership
from deniable.training.history import PLAIN, read_history, stated_batches, validate_engine
from deniable.training.noisy_gradients import EnclosedCurve, Phase, privacy_curve
from deniable.training.noisy_gradients.curve import Direction

if TYPE_CHECKING:
    from deniable.training.batches import batched
    from deniable.training.batches import curve as batch_curves
else:  # of no use to Poisson samples
    batched = late("deniable.training.batches.batched")
    batch_curves = late("deniable.training.batches.curve")

DEFAULT_FPR = 0.01
"""The false-positive rate at which misses are given by default: 1 %."""

DEFAULT_DELTA = 1e-6
"""Probability of the exception where none is asked for: below one over the records of most data."""

GAP = 5e-4
"""Width of a curve's advantage, as a share of it: nobody's belief shows less."""

FLAGGED = tuple(step / 50 for step in range(1, 50))
"""The false-positive rates of a picture, 2 % apart."""

_POISSON: Mapping[str, Any] = MappingProxyType(
    {"batches": "poisson", "neighbours": str(Adjacency.ADD_REMOVE), "records_per_person": 1}
)
"""How batches were drawn where no other way is stated, as JSON."""

ADJACENCY = Adjacency.ADD_REMOVE
"""Poisson sampling hides whether a record is there at all, and so how many there are."""


@attrs.frozen(repr=False)
class TrainingExplanation(CurveAnswer):
    """What a history of noisy steps lets an adversary believe.

    `epsilon` is that of (ε, `delta`)-DP. `gamma` and `gamma_outside`, of rises, are read at the
    privacy loss `loss`; `posterior`, of rises and falls together, at `range_loss`. Each holds of
    each record by itself, except for models of probability at most `delta`, over the noise, the
    sampling and what the adversary does not know. Neighbours differ in one record that is there or
    not.

    Parameters
    ----------
    history : tuple of Phase
        Steps of the same noise and sampling rate joined.
    delta, epsilon, loss : float, Bound, Bound
        δ is also the exceedance of beliefs; the upper ends of the others are safe to claim.
    adversary, posterior : BoundedPriors, tuple of PosteriorRange
        What may be believed before, [a, b], and after, at a and at b.
    range_loss : float
        The loss for ranges of beliefs, which may be left at either end.
    gamma, gamma_outside : float
        Positive membership within [a, b] and for any prior.
    advantage, attack_success : Bound
        Of the best attack, at prior ½.
    fpr, fnr : float, Bound
        How many members an attack misses that flags a share `fpr` of non-members; the lower end
        is safe to claim.
    rho : float
        Zero-concentrated DP without the gain of sampling, Σ steps/(2σ²): what a ledger adds up.
    engine : str
        How the history was read: as steps of this engine.
    epsilon_remove, epsilon_add : Bound
        ε of a record that is there and compared with its absence, and the other way round.
    batches : BatchedTraining or None
        How batches were drawn; None for Poisson samples at the rates of `history`.
    """

    history: tuple[Phase, ...]
    delta: float
    adversary: BoundedPriors
    epsilon: Bound
    loss: Bound
    range_loss: float
    gamma: float
    gamma_outside: float
    posterior: tuple[analysis.PosteriorRange, ...]
    advantage: Bound
    attack_success: Bound
    fpr: float
    fnr: Bound
    rho: float
    epsilon_remove: Bound
    epsilon_add: Bound
    engine: str = PLAIN
    batches: batched.BatchedTraining | None = None

    @property
    def adjacency(self) -> Adjacency:
        """Which data sets are neighbours: of one size, where a record is replaced."""
        return adjacency_of(self.batches)

    @property
    def noise_multiplier(self) -> float | None:
        """Return the noise multiplier of all steps; None where phases have different ones."""
        noises = {each.noise_multiplier for each in self.history}
        return noises.pop() if len(noises) == 1 else None

    @property
    def steps(self) -> int:
        """How many there were in all."""
        return sum(each.steps for each in self.history)

    @property
    def cautions(self) -> tuple[str, ...]:
        """What is wrong with the training, in sentences."""
        return analysis.belief_cautions(self.loss.upper, self.attack_success.upper, self.delta)

    def as_json(self) -> dict[str, Any]:
        """The object that the command line prints."""
        return {
            **fields_of(self, "noise_multiplier", "history", "steps"),
            "epsilon": self.epsilon.upper,
            "epsilon_bound": self.epsilon,
            **fields_of(self, "epsilon_remove", "epsilon_add"),
            **(_POISSON if self.batches is None else self.batches.as_json()),
            "delta": self.delta,
            "exceedance": self.delta,
            "privacy_loss": {
                "bound": self.loss.upper,
                "passed_with_probability_at_most": self.delta,
            },
            "range_loss": self.range_loss,
            "adjacency": self.batches.changed if self.batches else self.adjacency,
            "prior": [self.adversary.low, self.adversary.high],
            **fields_of(self, "gamma", "gamma_outside", "posterior", "advantage"),
            "attack_success": self.attack_success.upper,
            "fpr": self.fpr,
            "fnr": self.fnr.lower,
            "fnr_bound": self.fnr,
            **fields_of(self, "rho", "engine", "cautions"),
        }

    @property
    def trade_off(self) -> tuple[tuple[float, float], ...]:
        """False positives with the least false negatives, which no attack is below."""
        curve = curve_of(self.batches or self.history)
        return tuple((x, curve.fnr_at_least(x)) for x in FLAGGED)


def explain_training(
    history: Any,
    *,
    delta: float = DEFAULT_DELTA,
    prior: tuple[float, float] = (0.0, 1.0),
    fpr: float = DEFAULT_FPR,
    engine: str = PLAIN,
) -> TrainingExplanation:
    """Return what an adversary can conclude from a training run.

    Parameters
    ----------
    history : path, sequence, mapping, event or BatchedTraining
        Rows (noise multiplier, sampling rate, number of steps), as an Opacus accountant's
        `history` has them; a JSON file of such rows or of mappings with the keys
        "noise_multiplier", "sample_rate" and "steps"; an event of dp_accounting. Or a training
        whose batches were drawn in another way than by Poisson sampling, also as a mapping, or a
        file of one, with "batches" and the names that `BatchedTraining` takes.
    delta : float
        δ in (0, 1), of (ε, δ)-DP and of models that may tell more than the beliefs allow; 1e-6 if
        left out. The attack's success, its advantage and its misses do not depend on it.
    prior : (float, float)
        The ends [a, b] of what the adversary may believe before of a record's being in the data.
    fpr : float
        A false-positive rate in (0, 1), for which misses are told.
    engine : str
        The engine that trained, as `certify_training` takes it. A history is read as DP-SGD, with
        fresh noise in every step, if it is left out.

    Returns
    -------
    TrainingExplanation
        Every number enclosed from both sides, or rounded to the safe one.

    Raises
    ------
    InvalidArgument
        If the history is empty or says something else than Poisson-sampled Gaussian noise, a
        number is out of its range, or the engine's history means something weaker.

    Examples
    --------
    >>> answer = explain_training([(1.0, 0.03125, 320)], prior=(0.05, 0.5))
    >>> answer.steps, answer.delta
    (320, 1e-06)
    """
    band = BoundedPriors(*validate.pair(prior, "prior"))
    most = validate.open_probability(delta, "delta")
    flagged = validate.open_probability(fpr, "fpr")
    name = validate_engine(engine)
    drawn = stated_batches(history) or read_history(history)
    return explain_curve(curve_of(drawn), most, band, flagged, name)


explain = explain_training
"""The same, as `deniable.training.explain`."""


def curve_of(
    history: tuple[Phase, ...] | batched.BatchedTraining,
) -> EnclosedCurve | batch_curves.BatchCurve:
    """All that follows from a training."""
    if isinstance(history, tuple):
        return privacy_curve(history, gap=GAP)
    return batch_curves.BatchCurve(history)


def adjacency_of(batches: Sequence[Phase] | batched.BatchedTraining | None) -> Adjacency:
    """Which data sets are neighbours; a history's steps were drawn as Poisson samples."""
    if batches is None or isinstance(batches, Sequence):
        return ADJACENCY
    replaces = batches.neighbours is batched.Neighbours.REPLACE_ONE
    return Adjacency.REPLACE_ONE if replaces else ADJACENCY


def explain_curve(
    curve: EnclosedCurve | batch_curves.BatchCurve,
    delta: float,
    adversary: BoundedPriors,
    fpr: float,
    engine: str = PLAIN,
) -> TrainingExplanation:
    """What a curve says at δ and at a false-positive rate."""
    batches = None if isinstance(curve, EnclosedCurve) else curve.training
    remove, add = (curve.epsilon(delta, direction) for direction in Direction)
    loss = curve.loss(delta)
    at_loss = PureDP(loss.upper, adjacency_of(batches))
    both_ways = analysis.range_loss(
        lambda share: loss.upper if share == delta else curve.loss_at_most(share), delta
    )
    # ρ of zero-concentrated DP is Σ T/(2 σ²): a step's Rényi divergence is at most that of the same
    # step on everybody, for it is quasi-convex and sampling mixes; what steps cost adds up
    # (bun-steinke-2016).
    with directed() as r:
        costs = (r(each.steps) / (2 * r(each.noise_multiplier) ** 2) for each in curve.schedule)
        rho = upper(sum(costs, r(0)))
    return TrainingExplanation(
        history=curve.schedule,
        epsilon_remove=remove,
        epsilon_add=add,
        batches=batches,
        delta=delta,
        adversary=adversary,
        epsilon=curve.epsilon(delta),
        loss=loss,
        range_loss=both_ways,
        gamma=pure_dp_to_positive_membership(at_loss, adversary).gamma,
        gamma_outside=pure_dp_to_positive_membership(at_loss, BoundedPriors()).gamma,
        posterior=analysis.posterior_ranges(both_ways, [adversary.low, adversary.high]),
        advantage=curve.advantage(),
        attack_success=curve.attack_success(),
        fpr=fpr,
        fnr=curve.fnr(fpr),
        rho=rho if batches is None else batches.rho(),
        engine=engine,
    )
