"""A published release beside its list of members: what the list decides, certified again."""

from pathlib import Path

from deniable.errors import InvalidArgument
from deniable.publish.plan import PublicPlan, read_published_members
from deniable.publish.population import analysis_of_members
from deniable.publish.prepare import Prepared, calibrate_plan, everybody


def certify_population(prepared: Prepared[PublicPlan], members: Path) -> float:
    """The certified population ε of everything released, from the list."""
    plan, statement = prepared.plan, prepared.population
    if statement is None or plan.published is None:
        raise InvalidArgument("Expected a release with a list of members, got another.")
    source = read_published_members(plan.published, plan.queries, plan.entity, members)
    everyone = everybody(calibrate_plan(plan))
    certified: float = analysis_of_members().recompute_epsilon(
        statement, source, plan.entity, prepared.protected_queries, everyone
    )
    return certified
