"""The pair of neighbours that is attacked: the worst, as the attacked steps add them up."""

from collections.abc import Sequence
from pathlib import Path

import attrs

from deniable.auditing.plans.schema import AuditedPlan
from deniable.auditing.plans.steps import Steps
from deniable.auditing.plans.tables import Entity, Pair, table
from deniable.auditing.plans.worst_pair import Numbers, loss_between, numbers_of, worst_pairs
from deniable.certificate.seal import sha256
from deniable.publish.plan.plan import Plan, read_plan
from deniable.publish.prepare import Prepared
from deniable.publish.sources.frames import frame_of


@attrs.frozen
class ScoredPair:
    """Two neighbouring tables and what they add up to.

    Parameters
    ----------
    pair : Pair
        The tables.
    numbers : (numbers, numbers)
        Exact numbers without the record, and with it.
    loss : float
        About the privacy loss that they can show, natural logarithm (with δ, ρ).
    """

    pair: Pair
    numbers: tuple[Numbers, Numbers] = attrs.field(repr=False)
    loss: float


def write_plan(folder: Path, audited: AuditedPlan) -> Path:
    """The plan written for tables that are handed over."""
    path = folder / "plan.toml"
    path.write_text(audited.text, encoding="utf-8")
    return path


def prepare_plan(path: Path, audited: AuditedPlan, steps: Steps) -> Prepared[Plan]:
    """The plan on a simulated table, with the noise of the real one: a ledger rounds shares."""
    plan = read_plan(path, table(audited, [()]))
    return steps.prepared(attrs.evolve(plan, dataset=audited.plan.dataset))


def choose_pair(audited: AuditedPlan, prepared: Prepared[Plan], steps: Steps) -> ScoredPair:
    """The worst of several pairs.

    Both tables choose rows by one salt, which follows from the plan: what one entity writes must
    not change which rows of others are kept, whatever the salt.
    """
    salt = sha256(audited.text.encode())
    candidates = []
    for pair in worst_pairs(audited, prepared, salt):
        out, within = (_numbers(audited, prepared, side, steps, salt) for side in pair.sides)
        candidates.append(ScoredPair(pair, (out, within), loss_between(prepared, out, within)))
    return max(candidates, key=lambda each: each.loss)


def _numbers(
    audited: AuditedPlan,
    prepared: Prepared[Plan],
    people: Sequence[Entity],
    steps: Steps,
    salt: str,
) -> Numbers:
    source = attrs.evolve(prepared.plan.source, frame=frame_of(table(audited, [people])))
    work = [(query.query, query.protection) for query in prepared.queries]
    return numbers_of(prepared, steps.totals(source, prepared.plan.entity, work, salt=salt))
