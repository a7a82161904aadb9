"""Certificates of plans that together use everything a plan can say, made without any data."""

import tomllib

import attrs

from deniable.certificate.files import release_files
from deniable.certificate.json_documents import sha256
from deniable.certificate.population import PopulationClaim
from deniable.certificate.results import table
from deniable.ledger.costs import cost_of
from deniable.ledger.dataset import Measure
from deniable.numerics.bound import Bound, Evidence
from deniable.pipeline.charging import build_charge, spent_by_parts
from deniable.pipeline.kind import Origin, kind_of
from deniable.publish.kind import KIND
from deniable.publish.plan.plan import public_plan
from deniable.publish.plan.published_plan import public_content
from deniable.publish.prepare import apply_claim
from tests.cases.books import dataset
from tests.cases.release_case import PLAN
from tests.cases.sample_certificate import VERSIONS

EVERY_STATISTIC = PLAN.format(adjacency="replace-one", target="gamma = 2.0")

ROWS_AS_ENTITIES = """
[data]
source = "trips.csv"
unit = "trip"
types = { begun = "date" }
nulls = ["", "?"]

[adversary]
prior = [0.0, 0.001]

[target]
max_posterior = 0.5

[[query]]
name = "mean fare"
statistic = "mean"
column = "fare"
bounds = [-5, 100]
nulls = -1

[[query]]
name = "by day"
statistic = "count"
group_by = ["begun", "paid"]
keys = { begun = [2024-02-28, 2024-02-29], paid = [true, false] }
where = [["fare", ">", 0.5], ["zone", "not in", [1, 2]], ["begun", "!=", 2024-03-01]]
"""

GAUSSIAN = """
[data]
source = "visits.parquet"
entity = "person"
unit = "patient"
adjacency = "add-remove"

[target]
identifiability = { rho = 0.3, worlds = 8 }
delta = 1e-6

[[query]]
name = "visits"
statistic = "sum"
column = "visits"
bounds = [0, 10]
max_contribution = 20
weight = 2

[[query]]
name = "ages"
statistic = "histogram"
column = "age"
edges = [0, 30, 60.5]
max_contribution = 2
"""

CHOSEN = """
[data]
source = "visits.parquet"
entity = "person"
adjacency = "add-remove"

[target]
{target}

[limits]
rows_per_entity = 2

[[query]]
name = "median"
statistic = "quantile"
column = "age"
bounds = [0, 100]
quantile = 0.25
candidates = 11

[[query]]
name = "top"
statistic = "top"
column = "plan"
keys = {{ plan = ["a", "b", "c"] }}
number = 2
"""

REMOVED = """
[data]
source = "visits.parquet"
entity = "person"

[target]
gamma = 2

[limits]
rows_per_entity = 3

[[query]]
name = "people cut"
statistic = "removed"

[[query]]
name = "rows removed"
statistic = "removed"
most_rows = 50
weight = 3
"""

SUCCESS = CHOSEN.format(target="attack_success = 0.6")
ADVANTAGE = CHOSEN.format(target="advantage = 0.1\ndelta = 1e-9")
BUDGET = CHOSEN.format(target="epsilon = 0.7\ndelta = 1e-9")

POPULATION = """
[data]
source = "visits.parquet"

[adversary]
prior = [0.1, 0.5]
knows = "population"
population = "members.parquet"
values_are_public = true

[floor]
gamma = 40.0
{noise}

[target]
{target}

[[query]]
name = "adults"
statistic = "count"
where = [["age", ">=", 18]]

[[query]]
name = "age"
statistic = "mean"
column = "age"
bounds = [0, 120]
"""
DRAWN = POPULATION.format(target="epsilon = 0.5", noise="")
DRAWN_GAUSSIAN = POPULATION.format(
    target="attack_success = 0.6\ndelta = 1e-6", noise="delta = 1e-6"
)

CROSSTAB = """
[data]
source = "visits.parquet"
entity = "person"

[target]
max_posterior = 0.9
delta = 1e-6

[adversary]
prior = [0.0, 0.5]

[limits]
rows_per_entity = 2

[keys]
plan = ["free", "shared"]
month = [1, 2, 3]

[[query]]
name = "visits by plan and month"
statistic = "crosstab"
columns = ["plan", "month", "new"]
keys = { new = [true] }
margins = [["plan", "month"], ["new"]]
importance = { total = 4, "plan x month" = 2 }
whole = true
rows = 20
where = [["age", ">=", 18]]
"""

TREE = """
[data]
source = "visits.parquet"
entity = "person"

[target]
max_posterior = 0.9
delta = 1e-6

[adversary]
prior = [0.0, 0.5]

[limits]
rows_per_entity = 2

[[query]]
name = "visits by kind and plan"
statistic = "tree"
levels = ["kind", "plan"]
nested = { paying = ["full", "half"], free = ["free", "shared", "guest"], old = ["old"] }
importance = { total = 4 }
whole = true
where = [["age", ">=", 18]]
"""

RUNNING = """
[continue]
statement_sha256 = "%s"
periods = { "visits so far" = 2 }

[data]
source = "visits.parquet"
adjacency = "add-remove"

[target]
epsilon = 1.0
delta = 1e-6

[[query]]
name = "visits so far"
statistic = "running_count"
group_by = ["month", "plan"]
keys = { month = [1, 2, 3], plan = ["free", "shared"] }
""" % ("ab" * 32)

MOMENTS = """
[data]
source = "visits.parquet"
entity = "person"

[target]
epsilon = 1.0
delta = 1e-6

[limits]
rows_per_entity = 2

[[query]]
name = "ages"
statistic = "variance"
column = "age"
bounds = [0, 120]
group_by = ["plan"]
keys = { plan = ["free", "shared"] }

[[query]]
name = "visits by age"
statistic = "regression"
column = "visits"
bounds = [0, 20]
predictors = { age = [0, 120], new = [0, 1] }
where = [["age", ">=", 18]]
"""

SAMPLE = """
[data]
source = "visits.parquet"

[sample]
design = "simple-random"
size = 1000
population = 20000

[target]
epsilon = 1.0

[[query]]
name = "ages"
statistic = "histogram"
column = "age"
edges = [0, 18, 65, 120]
quantiles = [0.25, 0.5]
"""

SURVIVAL = """
[data]
source = "study.parquet"
entity = "person"

[target]
{target}

[limits]
rows_per_entity = 1

[[query]]
name = "overall survival"
statistic = "survival"
time = "days"
event = {{ column = "status", is = 2 }}
group_by = ["arm"]
keys = {{ arm = ["a", "b"] }}
grid = [60, 180, 360]
at_risk = [0, 180]
censored = "end"
quantiles = [0.25, 0.5]
logrank = true
where = [["age", ">=", 18]]
"""

REPORT = """
[report]
title = "Visits, year by year"
organisation = "Public <Health>"
contact = "data@example.org"
text = "For the board.\\n\\nSecond paragraph."
"""

LEDGER = """
[ledger]
file = "hospital.ledger"
dataset = "visits"
"""

PLANS = {
    "every statistic": EVERY_STATISTIC,
    "rows as entities": ROWS_AS_ENTITIES + REPORT,
    "gaussian": GAUSSIAN,
    "success": SUCCESS,
    "advantage": ADVANTAGE,
    "budget": BUDGET,
    "removed": REMOVED,
    "charged": SUCCESS + LEDGER,
    "charged in rho": REMOVED + LEDGER,
    "population": DRAWN,
    "crosstab": CROSSTAB,
    "tree": TREE,
    "running": RUNNING,
    "moments": MOMENTS,
    "sample": SAMPLE,
    "survival": SURVIVAL.format(target="gamma = 2\ndelta = 1e-6"),
    "survival, zero-sum": SURVIVAL.format(target="gamma = 2"),
}
HOUSEHOLD = """
[data]
source = "wages.csv"
household = "address"
adjacency = "add-remove"

[adversary]
prior = [0.0, 0.1]

[target]
max_posterior = 0.5

[limits]
rows_per_household = 4

[[query]]
name = "by job"
statistic = "count"
group_by = ["job"]
keys = { job = ["clerk", "nurse"] }
"""
MEMBERS = (
    HOUSEHOLD.replace('household = "address"', 'entity = "person"')
    .replace("rows_per_household", "rows_per_entity")
    .replace("0.1]", "0.1]\nhousehold_size = 4\ncorrelation = { odds_ratio = 1.25 }")
)
"""People of households of up to four, whose memberships are tied by a model."""
PLANS |= {
    "household": HOUSEHOLD,
    "household, charged in rho": HOUSEHOLD.replace("0.5", "0.5\ndelta = 1e-6") + LEDGER,
    "counted households": HOUSEHOLD.replace("add-remove", "replace-one"),
    "members": MEMBERS,
    "members, any tie": MEMBERS.replace("correlation = { odds_ratio = 1.25 }", ""),
    "members, gaussian": MEMBERS.replace("max_posterior = 0.5", "gamma = 3\ndelta = 1e-6"),
    "members, budget": MEMBERS.replace("max_posterior = 0.5", "epsilon = 1").replace(
        "odds_ratio = 1.25", "icc = 0.2"
    ),
    "members, difference": MEMBERS.replace("odds_ratio = 1.25", "difference = 0.1"),
}
UNKNOWN_KEYS = """
[data]
source = "visits.parquet"
entity = "person"

[target]
gamma = 2
delta = 1e-6

[limits]
rows_per_entity = 3

[keys]
diagnosis = "unknown"

[[query]]
name = "by ward and diagnosis"
statistic = "entities"
group_by = ["ward", "diagnosis"]
keys = { ward = ["north", "south"] }

[[query]]
name = "by ward"
statistic = "count"
group_by = ["ward"]
keys = { ward = ["north", "south"] }
"""

PLANS |= {
    "unknown keys": UNKNOWN_KEYS,
    "unknown keys, pure noise": UNKNOWN_KEYS.replace("1e-6", '1e-6\nnoise = "laplace"'),
    "unknown keys, charged": UNKNOWN_KEYS + LEDGER,
    "unknown keys, pure noise, charged": UNKNOWN_KEYS.replace("1e-6", '1e-6\nnoise = "laplace"')
    + LEDGER,
}

CLAIMS = {
    DRAWN: PopulationClaim(400, 200, 1.5, Bound(0.25, 0.375, Evidence.ENCLOSURE), 0.0, "exchanges"),
    DRAWN_GAUSSIAN: PopulationClaim(
        400,
        100,
        2.5,
        Bound(0.0, 0.375, Evidence.CONFIDENCE, confidence=1 - 1e-8, draws=1000, seed=0),
        6.25e-8,
        "crowd",
    ),
}
"""What a plan's list of members decided."""
EXCEEDANCES = {PLANS[name]: 1e-6 for name in ("charged in rho", "household, charged in rho")}
"""Of the dataset that a plan is charged to; none where left out."""


def certificate(text: str):
    """The certificate of a plan, as a release makes it, with made-up digests of files."""
    content = public_content(tomllib.loads(text))
    plan = attrs.evolve(public_plan(content), digest=sha256(text.encode("utf-8")))
    made = KIND.certified(apply_claim(plan, CLAIMS.get(text)), Origin("2026-11-21", VERSIONS))
    if plan.dataset is not None:
        made = in_a_ledger(made, plan.dataset, EXCEEDANCES.get(text, 0.0))
    return attrs.evolve(made, files=dict.fromkeys(made.file_names, "0" * 64))


def in_a_ledger(made, name, exceedance=0.0):
    """The certificate as if it had been charged to a dataset with room for it."""
    more = {}
    if made.guarantee.exposure:
        measure = Measure.EPSILON if made.guarantee.rho is None else Measure.RHO
        exceedance, more = 0.9, {"exposure": 2**49, "measure": measure}
    people = dataset(2**50, exceedance, name=name, **more)
    block = build_charge(people, cost_of(people, spent_by_parts(made)))
    return attrs.evolve(made, ledger=attrs.evolve(block, entry="ab" * 32))


def written(folder, made, rows, page):
    """The files of a release, in a folder."""
    folder.mkdir(exist_ok=True)
    texts = kind_of({"format": made.format}).texts(made)
    results = table(rows) if isinstance(rows, list) else rows
    for name, content in release_files(made, results, page, texts).items():
        (folder / name).write_bytes(content)
