"""An audit from one training: cheap, about differential privacy only, and labelled so."""

import math
from typing import Any

import attrs
import numpy as np

from deniable.auditing.audit import Audit, Verdict
from deniable.auditing.claim import Claim, claim
from deniable.auditing.models.losses import LossFunction, log_odds
from deniable.auditing.models.one_run import fixed_guesses, one_run_limit
from deniable.auditing.models.target import model_target
from deniable.auditing.running import made
from deniable.auditing.statistics.reach import accusing
from deniable.errors import NotApplicable, validate
from deniable.notions import PopulationPrivacy, Setting
from deniable.notions.notation import parse
from deniable.numerics.bound import Bound, Evidence
from deniable.numerics.effort import Effort

_SHARES = (2, 8, 32)
"""One in so many records is guessed "in", and as many "out": all, a quarter, a sixteenth. A leak is
in the whole crowd or in its tail; three tries cost a third of the error each."""
_WORSE = 2.0
"""Factor of ε, no unit: records are enough if a target that leaks this much would be caught."""


@attrs.frozen
class _Tried:
    """One number of guesses that was fixed beforehand, and what came of it.

    `proven` is the limit at the confidence of an accusation.
    """

    epsilon: float
    right: int
    guesses: int
    proven: float


def audit_one_run(
    model: Any,
    data: Any,
    *,
    label: str | None = None,
    losses: LossFunction | None = None,
    claimed: str | None = None,
    delta: float | None = None,
    effort: Effort | None = None,
) -> Audit:
    """A lower bound on DP ε from a single training, for models that are trained once only.

    Each record is a member by a fair coin of its own; the records of smallest and of largest loss
    are guessed. What is found bounds ε of **add-remove differential privacy**, and of nothing
    weaker: not what is believed about one record by somebody who does not know the others, not
    population privacy, not samples of a fixed size.

    Parameters
    ----------
    model, data, label, losses
        As `model_target` takes them.
    claimed : str, optional
        What is claimed for add-remove neighbours, written as for `derive`.
    delta : float, optional
        δ of the limit, in [0, 1); the claim's own if it has one, else 0.
    effort : Effort, optional
        Its confidence and seed.

    Returns
    -------
    Audit
        With the subject "one training run".

    Raises
    ------
    NotApplicable
        If the claim is about population privacy or an advantage over a population.
    InvalidArgument
        If something is of another kind, or the training fails.

    References
    ----------
    steinke-2023.

    Examples
    --------
    >>> people = (np.arange(200.0)[:, None], np.zeros(200))
    >>> def fit(X, y):
    ...     return set(X[:, 0])
    >>> def losses(model, X, y):
    ...     return [0.0 if x in model else 1.0 for x in X[:, 0]]
    >>> found = audit_one_run(fit, people, losses=losses, claimed="pure-dp:1.0@add-remove")
    >>> found.verdict, found.subject, found.found.lower > 2
    ('violated', 'one training run', True)
    """
    work = effort or Effort()
    said = None if claimed is None else _claim(claimed, delta)
    at = said.delta if said is not None else validate.probability(delta or 0.0, "delta")
    target = model_target(model, data, label=label, losses=losses)
    run = next(iter(made(target, 1, work)))
    members, scores = run.members[0], log_odds(run.signals[0, :, 0])
    numbers = sorted({max(len(scores) // share, 1) for share in _SHARES})
    each = math.nextafter(1 - (1 - work.confidence) / len(numbers), 1.0)
    sure = math.nextafter(1 - (1 - accusing(work.confidence)) / len(numbers), 1.0)
    tries = []
    for number in numbers:
        guesses = fixed_guesses(scores, number)
        right = int((guesses == np.where(members, 1, -1)).sum())
        limits = [
            one_run_limit(len(scores), 2 * number, right, delta=at, confidence=level)
            for level in (each, sure)
        ]
        tries.append(_Tried(limits[0], right, 2 * number, limits[1]))
    best = max(tries, key=lambda one: one.epsilon)
    proven = max(one.proven for one in tries)
    return _audit(said, at, attrs.evolve(best, proven=proven), len(scores), each, work)


def _claim(text: str, delta: float | None) -> Claim:
    notion: Any = parse(text)
    if isinstance(notion, PopulationPrivacy) or (
        getattr(notion, "setting", None) is Setting.POPULATION
    ):
        raise NotApplicable(
            f"Expected a claim of add-remove differential privacy for one training, got {text}. "
            "One run counts guesses about many people as if each were made given all others, which "
            "neither population privacy nor samples of a fixed size allow. Audit over many runs."
        )
    return claim(text, "add-remove", delta)


def _audit(
    said: Claim | None,
    delta: float,
    best: _Tried,
    records: int,
    each: float,
    work: Effort,
) -> Audit:
    """The three numbers: what a perfect attack on a target that keeps, or doubles, ε would show."""

    def shown(epsilon: float) -> float:
        share = (math.exp(epsilon) + delta) / (1 + math.exp(epsilon))
        right = min(math.floor(records * share), records)
        return one_run_limit(records, records, right, delta=delta, confidence=each)

    most = one_run_limit(records, records, records, delta=delta, confidence=each)
    claimed = None if said is None else said.epsilon
    verdict: Verdict
    if claimed is None:
        verdict = "inconclusive"
    elif best.proven > claimed:
        verdict = "violated"
    elif best.epsilon > claimed:  # which may be chance
        verdict = "inconclusive"
    else:
        within = claimed < most and shown(_WORSE * claimed) > claimed
        verdict = "consistent" if within else "inconclusive"
    return Audit(
        verdict=verdict,
        subject="one training run",
        claimed=None if said is None else said.text,
        claimed_epsilon=claimed,
        delta=delta,
        adjacency="add-remove",
        visible=most if claimed is None else min(shown(claimed), most),
        found=Bound(
            best.epsilon,
            math.inf,
            Evidence.CONFIDENCE,
            confidence=work.confidence,
            draws=1,
            seed=work.seed,
        ),
        runs=1,
        pilot=0,
        right=best.right,
        guesses=best.guesses,
        confidence=work.confidence,
        attack="loss-threshold",
    )
