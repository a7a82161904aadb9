"""What the members add, beside what the plan's statistics make of the drawn members' totals."""

import numpy as np

from deniable.population.members import contributions
from deniable.population.plans import arrange_totals
from deniable.publish.plan import GivenLedger, read_plan
from deniable.publish.prepare import calibrate_plan, everybody
from tests.cases.member_lists import COUNT, write

CHOICES = """
[[query]]
name = "plans"
statistic = "top"
column = "plan"
keys = { plan = ["shared", "free", "other"] }
number = 2

[[query]]
name = "age"
statistic = "quantile"
quantile = 0.3
column = "age"
bounds = [20, 80]
candidates = 13
group_by = ["plan"]
keys = { plan = ["free", "shared"] }

[[query]]
name = "mean visits"
statistic = "mean"
column = "visits"
bounds = [0, 9]
"""


def test_sums_and_scores_of_a_sample_are_those_of_its_totals(tmp_path):
    """In every order of queries, for samples drawn at random."""
    rng = np.random.default_rng(2)
    queries = [f"\n[[query]]{text}" for text in (CHOICES + COUNT).split("[[query]]")[1:]]
    for order in ([0, 1, 2, 3], [3, 2, 1, 0], [1, 3, 0, 2]):
        path = write(tmp_path, "".join(queries[i] for i in order))
        floor = calibrate_plan(read_plan(path, None, GivenLedger(None, None)))
        found = contributions(floor.plan.members, "id", floor.protected_queries)
        held = arrange_totals(found, 1, floor.protected_queries, everybody(floor))
        counts = rng.integers(0, found.counts + 1, (5, len(found.counts)))
        for taken in counts:
            sums, scores = _as_published(taken @ found.values, floor)
            assert np.array_equal(taken @ held.sums.values, sums)
            for each, wanted in zip(held.selections, scores, strict=True):
                assert np.array_equal(each.scores(taken), wanted)


def _as_published(totals, floor):
    """Sums and scores by `Statistic.exact`, from the totals of all members drawn."""
    sums, scores, start = [], [], 0
    for query in floor.queries:
        statistic, cells = query.query.statistic, query.query.grouping.cells
        bins = {"top": 3, "quantile": 25}.get(statistic.kind, 1)
        each = 2 if statistic.kind == "mean" else 1
        stop = start + cells * bins * each
        exact = statistic.exact(totals[start:stop].reshape(cells, bins, each), query.protection)
        start = stop
        for part, mechanism in zip(exact, query.mechanisms, strict=True):
            if mechanism is not None:
                (scores if statistic.kind in ("top", "quantile") else sums).append(part)
    assert start == len(totals)
    return np.concatenate([part.reshape(-1) for part in sums]), scores
