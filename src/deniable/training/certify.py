"""`deniable training certify`: a certificate of what was trained, with a report."""

import os
from collections.abc import Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from math import isinf
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs

from deniable.certificate.model import Topic
from deniable.errors import InfeasibleTarget, InvalidArgument, validate
from deniable.errors.late import late
from deniable.ledger.costs import Spent
from deniable.ledger.dataset import Measure, People, optional_word
from deniable.ledger.ledger import Ledger
from deniable.notions import PureDP
from deniable.notions.adversaries import BoundedPriors
from deniable.numerics.answer import Answer, PlotKind, WrittenAnswer
from deniable.numerics.bound import Bound
from deniable.numerics.rounding import directed, upper
from deniable.pipeline.charging import account_of
from deniable.pipeline.folder import check_free
from deniable.pipeline.kind import Origin, ReleaseKind
from deniable.pipeline.release import Draws, draw_nothing, publish
from deniable.theorems.analysis import EpsilonTarget, Target, posterior_ranges
from deniable.theorems.membership import pure_dp_to_positive_membership
from deniable.training.batches.batched import (
    POISSON,
    BatchedTraining,
    Batches,
    Neighbours,
    drawn_history,
)
from deniable.training.batches.curve import BatchCurve
from deniable.training.calibrate import (
    find_met_requirement,
    select_target,
    steps_to,
    steps_to_beliefs,
)
from deniable.training.certificate import (
    SENTENCES,
    ErrorRates,
    NamedRecord,
    Training,
    TrainingCertificate,
    TrainingGuarantee,
)
from deniable.training.explain import (
    DEFAULT_DELTA,
    DEFAULT_FPR,
    TrainingExplanation,
    adjacency_of,
    curve_of,
    explain_curve,
)
from deniable.training.history import (
    ENGINES,
    PLAIN,
    of_file,
    read_history,
    says_how_it_drew,
    stated_batches,
    validate_engine,
)
from deniable.training.noisy_gradients import Phase
from deniable.training.noisy_gradients.calibration import merge_phases

if TYPE_CHECKING:
    from deniable.training import page as report
else:
    report = late("deniable.training.page")


def stated(value: float, rounding: str) -> float:
    """The float of so many digits that is no smaller, by ROUND_CEILING, or no larger."""
    if isinf(value):
        return value
    # A float that is no larger than a decimal is no larger than the float nearest to it.
    # Ends of an enclosure differ in digits beyond the sixth from machine to machine.
    return float(Context(prec=6, rounding=rounding).create_decimal(Decimal(value)))


def _unit(batches: BatchedTraining | None) -> NamedRecord:
    """What is protected, where batches were drawn so; None for Poisson samples."""
    many = 1 if batches is None else batches.records_per_person
    change = Neighbours.ADD_REMOVE if batches is None else batches.neighbours
    one = "one record" if many == 1 else f"what one person gave, up to {many} records,"
    protected = f"The protected unit is {one} of the training data."
    whose = "a given record was" if many == 1 else "a given person's records were"
    return NamedRecord(
        adjacency=str(change) if batches is None else batches.changed,
        sentence=f"{protected} The noise hides whether it {SENTENCES['hides'][change]}.",
        claim=f"{whose} among the training data",
        members="training records" if many == 1 else "people in the training data",
        others="other records" if many == 1 else "other people",
    )


def _not_covered(batches: BatchedTraining | None) -> tuple[str, ...]:
    """What the guarantee does not speak about, where batches were drawn so."""
    if batches is None:
        return NOT_COVERED
    many, (_shuffling, *rest) = batches.records_per_person, NOT_COVERED
    own = [SENTENCES["other_ways"], SENTENCES["divisor"]]
    if many == 1:
        return (*own, *rest)
    others = (each for each in rest if getattr(each, "about", None) is not Topic.TOGETHER)
    return (*own, *others, SENTENCES["more_records"].format(many=many))


def _assumptions(way: Batches) -> tuple[str, ...]:
    return tuple(each.format(way=SENTENCES["ways"][way]) for each in SENTENCES["assumptions"])


ASSUMPTIONS = _assumptions(Batches.POISSON)
"""What the guarantee rests on, where batches are Poisson samples."""
NOT_COVERED: tuple[str, ...] = SENTENCES["not_covered"]
"""What the guarantee does not speak about."""


_LEAST = 1e-6
"""No smaller ε or privacy loss is stated: nobody's belief shows it, and 0 is no budget."""
_STEPS = 50
"""Steps of the picture of errors: smooth at the size it is drawn, and each is searched for."""


@attrs.frozen
class Trained:
    """What was trained and asked for, with everything that the certificate says of it.

    `explanation` has every digit of what the curve gives, `stated` few, and no day or versions.
    """

    explanation: TrainingExplanation
    stated: TrainingCertificate
    dataset: str | None = None


def derive_guarantees(
    history: tuple[Phase, ...] | BatchedTraining,
    delta: float,
    adversary: BoundedPriors,
    fpr: float,
    target: Target | None,
    dataset: str | None = None,
    engine: str | None = None,
) -> Trained:
    """Everything that follows from a history, δ, the adversary and what was asked for."""
    # Refused where the training does not certainly meet the target, or bounds no belief at all.
    curve = curve_of(history)
    batches = curve.training if isinstance(curve, BatchCurve) else None
    read = explain_curve(curve, delta, adversary, fpr, engine or PLAIN)
    guarantee = _guarantee(read)
    if guarantee.epsilon == float("inf") or guarantee.loss == float("inf"):
        raise InfeasibleTarget(
            f"Expected training that limits what is learned at delta={delta}, got one whose "
            "privacy loss has no bound. Train with more noise, or in fewer steps."
        )
    if target is None:
        steps = steps_to_beliefs(history, guarantee.loss, guarantee.gamma, adversary, delta)
    else:
        requirement = find_met_requirement(curve, target, adversary, delta)
        if requirement is None:
            raise InfeasibleTarget(
                f"Expected training that keeps to {target.kind}={target.value}, got one that keeps "
                f"to {_reached(target, read)}. Ask deniable training calibrate for more noise."
            )
        steps = steps_to(target, requirement, history, adversary, delta)
    # False-positive rates that attacks are judged at, besides the steps of the picture.
    places = sorted({0.001, 0.01, *(step / _STEPS for step in range(1, _STEPS))})
    best = read.advantage
    training = Training(
        history=read.history,
        advantage=Bound(
            stated(best.lower, ROUND_FLOOR), stated(best.upper, ROUND_CEILING), best.evidence
        ),
        rates=ErrorRates(read.fpr, stated(read.fnr.lower, ROUND_FLOOR)),
        trade_off=tuple(ErrorRates(x, stated(curve.fnr_at_least(x), ROUND_FLOOR)) for x in places),
        engine=engine,
        batches=batches,
    )
    assumptions = ASSUMPTIONS if batches is None else _assumptions(batches.batches)
    if engine is not None:
        name = ENGINES[engine] if batches is None else f"{engine}: fresh noise in every step"
        assumptions = (f"The steps were those of {name}.", *assumptions)
    certificate = TrainingCertificate(
        created="",
        unit=_unit(batches),
        adversary=adversary,
        target=EpsilonTarget(guarantee.epsilon) if target is None else target,
        has_target=target is not None,
        guarantee=guarantee,
        derivation=steps,
        assumptions=assumptions,
        not_covered=_not_covered(batches),
        versions={},
        training=training,
    )
    return Trained(read, certificate, dataset)


def _reached(target: Target, read: TrainingExplanation) -> str:
    """Return a number of the target's kind that the training keeps to, or ε where none is."""
    [belief] = posterior_ranges(read.loss.upper, [read.adversary.high])
    reached = read.as_json() | {"max_posterior": belief.upper, "advantage": read.advantage.upper}
    kind = target.kind if target.kind in reached else "epsilon"
    return f"{kind}={stated(reached[kind], ROUND_FLOOR if kind == 'fnr' else ROUND_CEILING)}"


def _guarantee(read: TrainingExplanation) -> TrainingGuarantee:
    """Digits that every machine gives: an enclosure's last ones depend on the processor."""
    loss = max(stated(read.loss.upper, ROUND_CEILING), _LEAST)
    at_loss = PureDP(loss, read.adjacency)
    advantage = stated(read.advantage.upper, ROUND_CEILING)
    with directed() as r:
        success = upper((1 + r(advantage)) / 2)
    return TrainingGuarantee(
        epsilon=max(stated(read.epsilon.upper, ROUND_CEILING), _LEAST),
        delta=read.delta,
        exceedance=read.delta,
        rho=read.rho,
        gamma=pure_dp_to_positive_membership(at_loss, read.adversary).gamma,
        gamma_outside=pure_dp_to_positive_membership(at_loss, BoundedPriors()).gamma,
        attack_success=min(success, 1.0),
        advantage=advantage,
        privacy_loss=loss,
    )


class TrainingKind(ReleaseKind[TrainingCertificate, Trained, None]):
    """What `training certify` makes, without noise or rows of its own."""

    certificate = TrainingCertificate

    def again(self, certificate: TrainingCertificate) -> Trained:
        """The training that it speaks of, settled from its history."""
        return derive_guarantees(
            certificate.training.batches or merge_phases(certificate.training.history),
            certificate.guarantee.delta,
            certificate.adversary,
            certificate.training.rates.fpr,
            certificate.target if certificate.has_target else None,
            None if certificate.ledger is None else certificate.ledger.dataset,
            certificate.training.engine,
        )

    def certified(self, prepared: Trained, origin: Origin) -> TrainingCertificate:
        """What the training guarantees, why, and against whom; without digests of files."""
        return attrs.evolve(prepared.stated, created=origin.created, versions=origin.versions)

    def report(
        self, certificate: TrainingCertificate, _prepared: Trained, _rows: Sequence[None]
    ) -> str:
        """The report of a training."""
        return report.training_document(certificate)

    def dataset(self, prepared: Trained) -> str | None:
        """What was named."""
        return prepared.dataset

    def people(self, certificate: TrainingCertificate) -> People:
        """Records, each by itself: an owner of several is protected in each of them apart."""
        return People(None, None, adjacency_of(certificate.training.batches))

    def spent(self, certificate: TrainingCertificate) -> Spent:
        """ρ of every step, without the gain of sampling."""
        return Spent(Measure.RHO, Fraction(certificate.guarantee.rho or 0.0))


KIND = TrainingKind()


@attrs.frozen(repr=False)
class CertifiedTraining(WrittenAnswer):
    """What was written to the folder `out`: what holds, why and for whom.

    The explanation has the certificate's numbers with all their digits.
    """

    certificate: TrainingCertificate
    explanation: TrainingExplanation
    out: Path

    def as_json(self) -> dict[str, Any]:
        """The object that the command line prints."""
        target, charged = self.certificate.own()["target"], self.certificate.ledger
        answer = self.explanation.as_json() | {"target": target, "out": str(self.out)}
        return answer if charged is None else answer | {"ledger": charged.as_json()}

    def plot(self, *others: Answer, kind: PlotKind = "posterior") -> Any:
        """The chart of `explanation`: beliefs, or what attacks miss."""
        return self.explanation.plot(*others, kind=kind)


def certify_training(
    history: Any,
    out: str | os.PathLike[str],
    *,
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
    ledger: Ledger | str | os.PathLike[str] | None = None,
    dataset: str | None = None,
    engine: str | None = None,
    batches: str | None = None,
) -> CertifiedTraining:
    """Certify what was trained and, if a target is given, that it is met.

    Parameters
    ----------
    history : path, sequence, mapping or event
        What was done, as `explain_training` takes it.
    out : path
        A new or empty folder; gets certificate.json and report.html.
    delta, fpr, prior
        As in `explain_training`.
    gamma, max_posterior, attack_success, advantage, identifiability, worlds, epsilon, fnr : float
        At most one target, as `calibrate_training` takes it.
    ledger, dataset : Ledger or path or URL, and str, optional
        Charge ρ of all steps to this dataset of records, before anything is written.
    engine : str
        Which engine trained: "opacus", "jax-privacy" or "tensorflow-privacy", or "dp-sgd" for
        another one with Poisson samples, a clipping norm fixed beforehand, and noise drawn for each
        step alone. It has no default, because engines that reuse noise write the same history.
        The certificate states it, on trust.
    batches : str
        How batches were drawn, where `history` cannot tell: "poisson", or another way of
        `BatchedTraining`. It has no default, because Opacus writes one history with and without
        Poisson samples. The certificate states it, on trust. For what else such a training needs,
        hand over a `BatchedTraining` as `history`.

    Returns
    -------
    CertifiedTraining
        What was written.

    Raises
    ------
    InvalidArgument
        If the history or a number is wrong, the engine is left out or its history means something
        weaker, nobody says how batches were drawn, or `out` is not free.
    InfeasibleTarget
        If the training is not known to meet the target, or bounds nothing.
    BudgetExceeded
        If it does not fit what is left in the ledger; nothing is spent then.
    LedgerError
        If the ledger cannot be read or written.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     out = Path(folder) / "out"
    ...     done = certify_training(
    ...         [(1.0, 0.03125, 320)], out, delta=1e-5, engine="opacus", batches="poisson"
    ...     )
    ...     sorted(path.name for path in done.out.iterdir())
    ['certificate.json', 'report.html']
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
    band = BoundedPriors(*validate.pair(prior, "prior"))
    most = validate.open_probability(delta, "delta")
    flagged = DEFAULT_FPR if fpr is None else validate.open_probability(fpr, "fpr")
    check_free(Path(out))
    name = optional_word(dataset, "the dataset")
    trainer = engine if engine is None else validate_engine(engine)
    trained = _trained(history, batches)
    trainer = trainer or validate_engine(engine)
    account = account_of(ledger, name, Path(out).name)
    if ledger is not None and isinstance(trained, BatchedTraining) and not trained.is_of_presence:
        raise InvalidArgument(
            f"Expected a training whose charge is of records that are there or not, got "
            f"{trained.batches} batches with {trained.neighbours} neighbours. Leave the ledger "
            "out: it adds up what models reveal about a record's presence."
        )

    def prepare() -> tuple[Trained, Draws[None]]:
        prepared = derive_guarantees(trained, most, band, flagged, target, name, trainer)
        return prepared, draw_nothing()

    done = publish(KIND, out, prepare, lambda _: account)
    return CertifiedTraining(done.certificate, done.prepared.explanation, done.out)


certify = certify_training
"""The same, as `deniable.training.certify`."""


@of_file
def _read(history: Any) -> tuple[BatchedTraining | None, bool, tuple[Phase, ...]]:
    """Read a history once: a training that it states, whether it says how it drew, its phases."""
    if (stated := stated_batches(history)) is not None:
        return stated, True, ()
    return None, says_how_it_drew(history), read_history(history)


def _trained(history: Any, batches: str | None) -> tuple[Phase, ...] | BatchedTraining:
    """What was done, and how batches were drawn; refused where nobody says it, or two differ."""
    stated, says_how, phases = _read(history)
    if stated is None:
        if batches is None and not says_how:
            raise InvalidArgument(
                "Expected `batches` beside a history, got none. It does not tell how batches were "
                f"drawn, and they decide what holds: {', '.join(Batches)}. A shuffled loader is "
                "not poisson."
            )
        return drawn_history(phases, POISSON if batches is None else batches)
    if batches not in {None, str(stated.batches)} and not isinstance(history, BatchedTraining):
        raise InvalidArgument(
            f"Expected `batches` to be {stated.batches}, as the history says, got {batches}. "
            "Correct one of the two."
        )
    return stated
