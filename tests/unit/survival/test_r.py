"""Curves and log-rank tests beside R's package survival: its numbers, and R itself where it is.

The numbers below are facts of R's `lung` (NCCTG, 228 people) and `gbsg` (GBSG2, 686 people), which
survival 3.5-3 printed. A release with next to no noise has to show them.
"""

import csv
import json
import subprocess
from fractions import Fraction

import numpy as np
import pytest

import deniable
from benchmarks.survival import KNOWN
from deniable.survival.curve import survival
from deniable.survival.log_rank import log_rank
from deniable.survival.survfit import AT_RISK
from deniable.survival.table import Group, Layout
from tests.cases.left_out import left_out
from tests.cases.programs import need

LUNG = {
    1: Group((29, 35, 19, 13, 7, 6), (0, 11, 7, 4, 0, 0), 7),
    2: Group((8, 15, 11, 8, 3, 4), (2, 10, 11, 4, 7, 0), 7),
}
"""By sex, in bins of 120 days; those beyond 720 count as censored then."""
SURVFIT = {
    1: (
        (138, 109, 63, 37, 20, 13),
        (0.78985507, 0.53623188, 0.37451116, 0.24292616, 0.15790200, 0.08502415),
    ),
    2: (
        (90, 80, 55, 33, 21, 11),
        (0.9111111, 0.7402778, 0.5922222, 0.4486532, 0.3845599, 0.2447199),
    ),
}
"""n.risk and surv of times that are rounded up to 120, …, 720."""
BY_ECOG = [
    Group((7, 5, 12, 6, 2, 3), (0, 7, 10, 3, 3, 0), 5),
    Group((14, 29, 12, 12, 6, 5), (0, 13, 7, 5, 2, 0), 8),
    Group((14, 16, 6, 3, 2, 2), (2, 1, 1, 0, 2, 0), 1),
]
"""lung by ph.ecog 0, 1 and 2."""
SURVDIFF = {
    "lung by sex": (
        [LUNG[1], LUNG[2]],
        (20.3576197222, -20.3576197222),
        ((29.2412192563, -29.2412192563), (-29.2412192563, 29.2412192563)),
        14.1728933094,
    ),
    "lung by ph.ecog": (
        BY_ECOG,
        (-13.86195770157, -2.12061950038, 15.98257720196),
        (
            (25.20268786309, -18.8449699636, -6.35771789953),
            (-18.84496996355, 29.4317741313, -10.58680416770),
            (-6.35771789953, -10.5868041677, 16.94452206724),
        ),
        17.7863910047,
    ),
}
"""O − E, its variance and chisq of `survdiff` on the same times."""


@pytest.mark.parametrize("sex", LUNG)
def test_a_curve_is_that_of_survfit(sex):
    at_risk, shares = SURVFIT[sex]
    assert tuple(LUNG[sex].observed[:-1]) == at_risk
    assert [float(each) for each in survival(LUNG[sex], "end")] == pytest.approx(shares, abs=5e-8)


@pytest.mark.parametrize("name", SURVDIFF)
def test_a_log_rank_test_is_that_of_survdiff(name):
    groups, u, v, chi_squared = SURVDIFF[name]
    layout = Layout(len(groups), 6)
    test = log_rank(layout, groups, "end", [0.0] * layout.cells)
    assert [float(each) for each in test.differences] == pytest.approx(u, abs=1e-9)
    assert np.allclose(np.array(test.by_sampling, float), v, atol=1e-9)
    assert test.chi_squared == pytest.approx(chi_squared, abs=1e-9)


@pytest.mark.parametrize("name", SURVDIFF)
def test_its_variance_is_that_of_who_has_the_events_by_lot(name):
    """By brute force: of the people at risk every set of so many with the event is as likely."""
    groups = SURVDIFF[name][0]
    layout = Layout(len(groups), 6)
    test = log_rank(layout, groups, "end", [0.0] * layout.cells)
    u = [Fraction(0)] * len(groups)
    v = np.zeros((len(groups), len(groups)), object)
    for place in range(6):
        at_risk = [group.observed[place] for group in groups]
        drawn = sum(group.events[place] for group in groups)
        for g, group in enumerate(groups):
            u[g] += group.events[place] - Fraction(at_risk[g] * drawn, sum(at_risk))
        # Without replacement, person after person: indicators that sum to the number drawn.
        people = [g for g, number in enumerate(at_risk) for _ in range(number)]
        one = Fraction(drawn, len(people))
        two = one * Fraction(drawn - 1, len(people) - 1)
        for g, first in enumerate(people):
            for h, second in enumerate(people):
                v[first, second] += (one if g == h else two) - one * one
    assert list(test.differences) == u
    assert (np.array(test.by_sampling, object) == v).all()


# Where R is.

FACTS = """
library(survival)
lung <- survival::lung
gbsg <- survival::gbsg
write.csv(lung, "lung.csv")
fact <- function(time, event, horizon, bins) {
  grid <- horizon * (1:bins) / bins
  bin <- findInterval(time, c(-Inf, grid), left.open = TRUE)
  fit <- summary(survfit(Surv(time, event) ~ 1), times = grid)
  cat(tabulate(bin[event & bin <= bins], bins), tabulate(bin[!event & bin <= bins], bins),
      sum(bin > bins), sprintf("%.9f", fit$surv), sprintf("%.4f", sqrt(mean(fit$std.err^2))), "\\n")
}
fact(lung$time, lung$status == 2, 720, 6)
fact(lung$time, lung$status == 2, 540, 6)
fact(gbsg$rfstime, gbsg$status == 1, 2190, 12)
up <- pmin(120 * ceiling(lung$time / 120), 840)
died <- lung$status == 2 & lung$time <= 720
fits <- lapply(1:2, function(sex) survfit(Surv(up, died) ~ 1, subset = lung$sex == sex))
for (fit in fits) cat(fit$n.risk[1:6], fit$n.event[1:6], fit$n.censor[1:6], "\\n")
for (fit in fits) cat(sprintf("%.12f", fit$surv[1:6]), "\\n")
test <- survdiff(Surv(up, died) ~ lung$sex)
cat(sprintf("%.12f", c(test$obs - test$exp, test$var, test$chisq)), "\\n")
"""


@pytest.fixture(scope="module")
def printed(tmp_path_factory):
    """What R says, and the folder with its CSV file of lung."""
    program = need("R")
    folder = tmp_path_factory.mktemp("r")
    (folder / "facts.R").write_text(FACTS, encoding="utf-8")
    said = subprocess.run(
        [program, "--no-echo", "--vanilla", "--file=facts.R"],
        cwd=folder, capture_output=True, text=True, check=False,
    )  # fmt: skip
    if "no package called" in said.stderr:
        left_out("R's package survival", "apt install r-cran-survival")
    assert said.returncode == 0, said.stderr
    return folder, [line.split() for line in said.stdout.splitlines()]


def test_r_prints_the_facts_of_the_benchmark(printed):
    for study, words in zip(KNOWN, printed[1], strict=False):
        bins = len(study.events)
        counts = [*map(int, words[: 2 * bins + 1])]
        assert counts == [*study.events, *study.censored, study.beyond]
        assert [*map(float, words[2 * bins + 1 : -1])] == [*study.exact]
        assert float(words[-1]) == study.deviation


PLAN = """
[data]
source = "lung.csv"
nulls = ["NA"]
types = { status = "integer", sex = "integer" }
[target]
epsilon = 3000.0
[[query]]
name = "overall survival"
statistic = "survival"
time = "time"
event = { column = "status", is = 2 }
group_by = ["sex"]
keys = { sex = [1, 2] }
grid = { step = 120, horizon = 720 }
censored = "end"
logrank = true
"""


def test_a_release_of_the_file_that_r_writes_is_what_r_says(printed):
    """The numbers at risk, with the event and censored, the curve and the test: without noise."""
    folder, lines = printed
    (folder / "lung.toml").write_text(PLAN, encoding="utf-8")
    deniable.release(folder / "lung.toml", folder / "curves")
    deniable.export(folder / "curves", folder / "curve.csv", to="survfit")
    with (folder / "curve.csv").open(encoding="utf-8") as file:
        ours = [*csv.DictReader(file)]
    for sex, (people, shares) in enumerate(zip(lines[3:5], lines[5:7], strict=True), start=1):
        own = [line for line in ours if line["sex"] == str(sex)]
        for name, column in ((AT_RISK, people[:6]), ("n.event", people[6:12]),
                             ("n.censor", people[12:])):  # fmt: skip
            assert [line[name] for line in own] == column
        assert [float(line["survival"]) for line in own] == pytest.approx([*map(float, shares)])
    document = json.loads((folder / "curves" / "certificate.json").read_text(encoding="utf-8"))
    assert document["queries"][0]["cells"] == 27
    with (folder / "curves" / "results.csv").open(encoding="utf-8") as file:
        test = [row for row in csv.DictReader(file) if row["statistic"] == "log-rank"]
    u = [float(row["value"]) for row in test if row["category"] == "U"]
    v = [float(row["value"]) for row in test if row["category"] == "V"]
    (chi_squared,) = (float(row["value"]) for row in test if row["category"] == "chi-squared")
    theirs = [*map(float, lines[7])]
    assert u == pytest.approx(theirs[:2])
    assert v == pytest.approx([theirs[2], theirs[3], theirs[5]])
    assert chi_squared == pytest.approx(theirs[6])
