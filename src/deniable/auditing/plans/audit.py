"""An audit of a plan: what the best attack makes of its release, beside what it claims."""

import os
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.auditing.attacked import Asked as Question
from deniable.auditing.attacked import Watch, attacked
from deniable.auditing.attacks.classifier import Classifier
from deniable.auditing.attacks.likelihood import LikelihoodRatio
from deniable.auditing.audit import Audit, Finding
from deniable.auditing.claim import claim
from deniable.auditing.plans.folders import compare_releases
from deniable.auditing.plans.pairs import ScoredPair, choose_pair, prepare_plan, write_plan
from deniable.auditing.plans.schema import read_audited_plan
from deniable.auditing.plans.steps import PRODUCTION, Steps
from deniable.auditing.plans.target import ReleaseTarget
from deniable.errors import validate
from deniable.notions import Adjacency
from deniable.numerics.effort import Effort
from deniable.publish.plan.plan import PublicPlan
from deniable.publish.prepare import Prepared

RUNS = 20_000
"""Runs where nobody says: seconds for a few numbers, and noise of half the scale is found."""
RELEASES = 2
"""Complete releases of each table where nobody says: half a second each."""
NO_LIMIT = 1e8
"""Seconds, three years: an audit ends when its runs are made."""


def audit_plan(
    plan: str | os.PathLike[str],
    *,
    claimed: str | None = None,
    delta: float | None = None,
    runs: int = RUNS,
    releases: int = RELEASES,
    confidence: float = 0.95,
    effort: Effort | None = None,
    watch: Watch | None = None,
    steps: Steps = PRODUCTION,
) -> Audit:
    """Attack the release of a plan on simulated tables; nobody's rows are looked at.

    Two neighbouring tables are simulated from the plan: one entity writes what moves the queries
    most. Exact numbers, noise and what is published of them come from the functions of a release,
    and whole releases of both tables are compared in all but noisy values.

    Parameters
    ----------
    plan : path
        A plan, or the plan.toml of a release; of its source only header or catalogue is read.
    claimed : str, optional
        What is claimed, written as for `derive`; what the plan's certificate states otherwise.
    delta : float, optional
        δ at which the claim is read; its own otherwise.
    runs : int
        Runs in all.
    releases : int
        Complete releases of each of the two tables, >= 0.
    confidence : float
        Probability with which the limit holds, in (0, 1).
    effort : Effort, optional
        Seed of the coins, workers, checkpoint, time limit.
    watch : callable, optional
        Told the share of runs made, and the limit so far.
    steps : Steps
        What is attacked: production's steps, or others in their place.

    Returns
    -------
    Audit
        Claimed, visible and found; what else differs between neighbours is among its findings.

    Raises
    ------
    PlanError, InfeasibleTarget
        As a release would.
    InvalidArgument
        If the claim says nothing of the plan's neighbours.
    """
    number = validate.integer(releases, "releases", least=0)
    work = attrs.evolve(effort or Effort(time_limit=NO_LIMIT), confidence=confidence)
    audited = read_audited_plan(plan)
    adjacency = str(audited.plan.adjacency)
    with _private_folder() as folder:
        prepared = prepare_plan(write_plan(folder, audited), audited, steps)
        parsed_claim = claim(claimed or format_claim(prepared), adjacency, delta)
        worst = choose_pair(audited, prepared, steps)
        (folder / "plan.toml").unlink()
        findings = [_neighbours(worst, adjacency), *_public_numbers(prepared, worst)]
        findings += compare_releases(audited, worst.pair, steps, number, folder)
    question = Question(
        target=ReleaseTarget.of(prepared, worst.numbers, steps.noise),
        attacks=(LikelihoodRatio(_stated_law), Classifier()),
        adjacency=adjacency,
        claim=parsed_claim,
        delta=parsed_claim.delta,
        runs=runs,
        effort=work,
    )
    answer = attacked(question) if watch is None else attacked(question, watch)
    return _with_findings(answer, findings)


def format_claim(prepared: Prepared[PublicPlan]) -> str:
    """What the plan's certificate says of its neighbours, as it is written on a command line."""
    budget = prepared.calibration
    place = "@add-remove" if budget.adjacency is Adjacency.ADD_REMOVE else ""
    if not budget.delta:
        return f"pure-dp:{budget.epsilon!r}{place}"
    return f"approx-dp:{budget.epsilon!r},{budget.delta!r}{place}"


def _stated_law(outputs: NDArray[np.float64]) -> NDArray[np.float64]:
    """The log ratio, which `ReleaseTarget` puts first."""
    first: NDArray[np.float64] = outputs[:, 0]
    return first


def _neighbours(worst: ScoredPair, adjacency: str) -> Finding:
    how = "with one entity " + ("more" if adjacency == Adjacency.ADD_REMOVE else "replaced")
    return Finding(
        "neighbours",
        f"Attacked were two simulated tables: beside {worst.pair.called}, {how}. Of the pairs that "
        "were tried their exact numbers differ most beside the noise.",
        breaks=False,
    )


def _public_numbers(prepared: Prepared[PublicPlan], worst: ScoredPair) -> Iterator[Finding]:
    """Numbers that are published without noise and are not the same for neighbours."""
    for query, one, other in zip(prepared.queries, *worst.numbers, strict=True):
        parts = zip(query.mechanisms, one, other, strict=True)
        if any(mechanism is None and (a != b).any() for mechanism, a, b in parts):
            yield Finding(
                "public-number-differs",
                f"The query {query.query.name!r} publishes a number without noise that differs "
                "between neighbours.",
                breaks=True,
            )


def _with_findings(answer: Audit, findings: Sequence[Finding]) -> Audit:
    every = (*answer.findings, *findings)
    answer = attrs.evolve(answer, findings=every)
    if not any(each.breaks for each in every):
        return answer
    return attrs.evolve(answer, verdict="violated", decides=None)


@contextmanager
def _private_folder() -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp(prefix="deniable-audit-"))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
