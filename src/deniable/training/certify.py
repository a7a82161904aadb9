"""`deniable training certify`: a certificate of what was trained, with a report."""

import os
from pathlib import Path
from typing import Any

import attrs

from deniable.errors import validate
from deniable.ledger.ledger import Ledger
from deniable.ledger.words import optional_word
from deniable.numerics.answer import Answer, PlotKind
from deniable.pipeline.charging import account_of
from deniable.pipeline.folder import check_free
from deniable.pipeline.release import publish_without_noise
from deniable.priors import BoundedPriors
from deniable.training.certificate import TrainingCertificate
from deniable.training.certified import derive_guarantees
from deniable.training.explain import DEFAULT_DELTA, DEFAULT_FPR, TrainingExplanation
from deniable.training.history import read_history
from deniable.training.kind import KIND
from deniable.training.target import select_target


@attrs.frozen(repr=False)
class CertifiedTraining(Answer):
    """What was written.

    Parameters
    ----------
    certificate : TrainingCertificate
        What holds, why and for whom.
    explanation : TrainingExplanation
        The same numbers with all their digits.
    out : Path
        The folder.
    """

    certificate: TrainingCertificate
    explanation: TrainingExplanation
    out: Path

    def as_json(self) -> dict[str, Any]:
        """The object that the command line prints."""
        target, charged = self.certificate.own()["target"], self.certificate.ledger
        answer = self.explanation.as_json() | {"target": target, "out": str(self.out)}
        return answer if charged is None else answer | {"ledger": attrs.asdict(charged)}

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
) -> CertifiedTraining:
    """Certify what was trained, and, where a target is given, that it is met.

    Parameters
    ----------
    history : path, sequence, mapping or event
        What was done, as `explain_training` takes it.
    out : path
        A new or empty folder; gets certificate.json and report.html.
    delta : float
        δ in (0, 1), of (ε, δ)-DP and of models that may tell more than the beliefs allow; 1e-6 if
        left out.
    gamma, max_posterior, attack_success, advantage, identifiability, worlds, epsilon, fnr : float
        At most one target, as `calibrate_training` takes it.
    fpr : float
        A false-positive rate in (0, 1), for which misses are told; 0.01 if left out.
    prior : (float, float)
        The ends [a, b] of what the adversary may believe before.
    ledger, dataset : Ledger or path or URL, and str, optional
        Charge ρ of all steps to this dataset of records, before anything is written.

    Returns
    -------
    CertifiedTraining
        What was written.

    Raises
    ------
    InvalidArgument
        If the history or a number is wrong, or `out` is not free.
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
    ...     done = certify_training([(1.0, 0.03125, 320)], Path(folder) / "out", delta=1e-5)
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
    phases, name = read_history(history), optional_word(dataset, "the dataset")
    account = account_of(ledger, name, Path(out).name)
    done = publish_without_noise(
        KIND,
        out,
        lambda: derive_guarantees(phases, most, band, flagged, target, name),
        lambda _: account,
    )
    return CertifiedTraining(done.certificate, done.prepared.explanation, done.out)
