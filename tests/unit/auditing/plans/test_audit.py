"""What an audit of a plan says beside the verdict."""

import pytest

from deniable.auditing.plans import audit_plan
from tests.cases.attacked_plans import written


@pytest.mark.parametrize(
    ("prior", "target", "said"),
    [
        ("[0.0, 0.1]", "max_posterior = 0.5", "at most 10 % sure before: at most 50 % afterwards"),
        ("[0.0, 1.0]", "gamma = 2.0", None),
    ],
)
def test_bets_are_told_from_the_beliefs_of_the_report(tmp_path, prior, target, said):
    plan = written(tmp_path, "count", target=f"{target}\n\n[adversary]\nprior = {prior}")
    audit = audit_plan(plan, runs=200, releases=0)
    (bets,) = [each.sentence for each in audit.findings if each.name == "bets"]
    assert "at even odds" in bets
    assert (said or "even odds") in bets
    assert ("report" in bets) is (said is not None)
