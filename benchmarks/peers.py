"""The same small jobs in other packages, each in an environment of its own; missing ones are named.

    for package in diffprivlib pipeline-dp smartnoise-sql dp-accounting riskcal acro \
            opake-accounting PLD_accounting pytauargus; do
        python -m venv theirs/$package && theirs/$package/bin/pip install $package pandas
    done
    python -m benchmarks.peers theirs

(diffprivlib 0.6.6 wants scikit-learn below 1.7; opake 0.16.1 a later Python than 3.11.7.) OpenDP
is in our environment already. Jobs:

publish    a count and a sum of values in [0, 50] of 10,000 made-up people who are added or removed,
           one row each, at ε = 1 for both; Laplace noise of the tool's own choice
beliefs    what ε = 1 means for an attack at prior 1/2, and for beliefs of .05 and .5
compose    100 answers with Gaussian noise of 20 sensitivities: ε at δ = 10⁻⁵, and the advantage
training   1,000 steps of noise multiplier 1 on Poisson samples at rate .01: as for compose
threshold  counts by ward: 7 of 7, 20 of 20, 15 of 40 patients have a diagnosis; hidden below 10

The grid is the coarsest power of two of which all published numbers are multiples, the true ones
being whole; beside it the one that floats of their size have anyway. Where the two are equal the
noise is not unsafe by that: its safety rests on how it was drawn, which numbers alone do not
tell. Seconds are of the CPU, without imports; Deniable loads most of itself on first use.
"""

import argparse
import json
import math
import subprocess
import sys
from collections.abc import Iterable
from fractions import Fraction
from pathlib import Path
from typing import Any

from benchmarks._sizes import sized

HEAD = """
import json, logging, math, time, warnings
from importlib.metadata import version
warnings.filterwarnings("ignore")
logging.disable()
VALUES = [i * i * 7919 % 51 for i in range(10_000)]
answers = {}
def job(name, work, times=1):
    began = time.process_time()
    said = [work() for _ in range(times)]
    answers[name] = [said, (time.process_time() - began) / times]
"""
TAIL = """
print(json.dumps([version(PACKAGE), answers]))
"""
TIMES = sized(8, 1)
"""Publications, for the grid."""
CODE = {
    "deniable": """
import pathlib, tempfile
import pandas as pd
import deniable
table = pd.DataFrame({"person": range(len(VALUES)), "visits": VALUES})
plan = {
    "data": {"entity": "person", "adjacency": "add-remove"},
    "limits": {"rows_per_entity": 1},
    "target": {"epsilon": 1.0},
    "query": [
        {"name": "people", "statistic": "count"},
        {"name": "visits", "statistic": "sum", "column": "visits", "bounds": [0, 50]},
    ],
}
folder = tempfile.TemporaryDirectory()
def publish():
    out = pathlib.Path(folder.name)
    rows = deniable.release(plan, out / str(len(list(out.iterdir()))), data=table).rows
    return [row.value for row in rows]
job("publish", publish, TIMES)
def beliefs():
    said = deniable.explain(epsilon=1.0, prior=(0.05, 0.5), adjacency="add-remove")
    after = ", ".join(f"{p.prior:g} in [{p.lower:.4f}, {p.upper:.4f}]" for p in said.posterior)
    return f"success {said.attack_success:.6f}; belief {after}"
job("beliefs", beliefs)
def compose():
    total = deniable.compose(["gaussian-dp:0.05@add-remove"] * 100).total
    epsilon = deniable.derive(total, "approx-dp:?,1e-5@add-remove").target.epsilon
    return f"ε {epsilon:.6f}, advantage " + str(
        round(deniable.derive(total, "advantage@add-remove").target.value, 6))
job("compose", compose)
def training():
    said = deniable.explain_training([(1.0, 0.01, 1000)], delta=1e-5)
    ends = said.epsilon.lower, said.epsilon.upper, said.advantage.lower, said.advantage.upper
    return "ε in [{:.6f}, {:.6f}], advantage in [{:.6f}, {:.6f}]".format(*ends)
job("training", training)
wards = {"a": 7, "b": 20, "c": 40}
def threshold():
    rules = {
        "list": [{"name": name, "size": size} for name, size in wards.items()],
        "table": [{"lists": list(wards)}],
        "rule": {"preset": "acro"},
        "adversary": {"prior": [0.5, 0.5]},
    }
    said = deniable.rules.judge(rules, {"a": "*", "b": 20, "c": 15})
    sure = [f"all {each.people} of {each.list}" for each in said.certain if each.is_in]
    return f"a hidden; certain to be in: {', '.join(sure)}"
job("threshold", threshold)
""",
    "opendp": """
import opendp.prelude as dp
dp.enable_features("contrib")
space = dp.vector_domain(dp.atom_domain(T=int)), dp.symmetric_distance()
count = space >> dp.t.then_count() >> dp.m.then_laplace(2.0)
total = space >> dp.t.then_clamp((0, 50)) >> dp.t.then_sum() >> dp.m.then_laplace(100.0)
assert count.map(1) + total.map(1) <= 1
job("publish", lambda: [count(VALUES), total(VALUES)], TIMES)
def compose():
    one = dp.m.make_gaussian(dp.atom_domain(T=int), dp.absolute_distance(T=int), 20.0)
    profile = dp.c.make_zCDP_to_approxDP(dp.c.make_composition([one] * 100)).map(1)
    return f"ε {profile.epsilon(1e-5):.6f}, δ at ε = 0 {profile.delta(0.0):.6f} (by zCDP)"
job("compose", compose)
""",
    "diffprivlib": """
import numpy as np
from diffprivlib import tools
people, visits = np.ones(len(VALUES)), np.array(VALUES)
def publish():
    total = tools.sum(visits, epsilon=0.5, bounds=(0, 50))
    return [tools.count_nonzero(people, epsilon=0.5), float(total)]
job("publish", publish, TIMES)
""",
    "pipeline-dp": """
import pipeline_dp as p
params = p.AggregateParams(
    metrics=[p.Metrics.COUNT, p.Metrics.SUM], noise_kind=p.NoiseKind.LAPLACE,
    max_partitions_contributed=1, max_contributions_per_partition=1, min_value=0, max_value=50)
of = p.DataExtractors(
    privacy_id_extractor=lambda row: row[0], partition_extractor=lambda row: 0,
    value_extractor=lambda row: row[1])
def publish():
    budget = p.NaiveBudgetAccountant(total_epsilon=1.0, total_delta=1e-9)
    engine = p.DPEngine(budget, p.LocalBackend())
    made = engine.aggregate(list(enumerate(VALUES)), params, of, public_partitions=[0])
    budget.compute_budgets()
    return list(list(made)[0][1])
job("publish", publish, TIMES)
""",
    "smartnoise-sql": """
import pandas as pd
import snsql
table = pd.DataFrame({"person": range(len(VALUES)), "visits": VALUES})
visits = {"type": "int", "lower": 0, "upper": 50}
meta = {"": {"S": {"T": {
    "max_ids": 1, "rows": len(VALUES), "row_privacy": True, "censor_dims": False,
    "visits": visits}}}}
def publish():
    reader = snsql.from_df(table, privacy=snsql.Privacy(epsilon=0.5, delta=1e-9), metadata=meta)
    return list(map(int, reader.execute("SELECT COUNT(*) AS n, SUM(visits) AS s FROM S.T")[1]))
job("publish", publish, TIMES)
""",
    "dp-accounting": """
import dp_accounting as d
from dp_accounting.pld import PLDAccountant, privacy_loss_distribution as pld
def beliefs():
    budget = pld.common.DifferentialPrivacyParameters(1.0, 0.0)
    delta = pld.from_privacy_parameters(budget).get_delta_for_epsilon(0.0)
    return f"δ at ε = 0 {delta:.6f}, half of 1 + it {(1 + delta) / 2:.6f}"
job("beliefs", beliefs)
def compose():
    event = d.SelfComposedDpEvent(d.GaussianDpEvent(20.0), 100)
    accountant = PLDAccountant().compose(event)
    return f"ε {accountant.get_epsilon(1e-5):.6f}, δ at ε = 0 {accountant.get_delta(0.0):.6f}"
job("compose", compose)
def training():
    event = d.SelfComposedDpEvent(d.PoissonSampledDpEvent(0.01, d.GaussianDpEvent(1.0)), 1000)
    accountant = PLDAccountant().compose(event)
    return f"ε {accountant.get_epsilon(1e-5):.6f}, δ at ε = 0 {accountant.get_delta(0.0):.6f}"
job("training", training)
""",
    "riskcal": """
from riskcal import analysis
job("beliefs", lambda: f"advantage {analysis.get_advantage_from_adp(1.0, 0.0):.6f}")
mu = math.sqrt(100) / 20
job("compose", lambda: f"advantage {analysis.get_advantage_from_gdp(mu):.6f} (of μ)")
""",
    "opake-accounting": """
from opake.accounting import eps_delta, get_discretization
from opake.api.accounting.core import opake_accounting as native
grid = get_discretization().to_native()
def said(loss):
    two = loss.advantage(), loss.risk_at(0.5)
    return "advantage {:.6f}, Bayes risk at prior 1/2 {:.6f}".format(*two)
def composed(loss, times):
    total = loss.self_compose(times)
    return f"ε {total.epsilon_at(1e-5):.6f}, {said(total)}"
job("beliefs", lambda: said(eps_delta(1.0)))
job("compose", lambda: composed(native.gaussian_pld(20.0, grid), 100))
job("training", lambda: composed(native.poisson_pld(native.gaussian_pld(1.0, grid), 0.01), 1000))
""",
    "PLD_accounting": """
import PLD_accounting as p
from dp_accounting.pld import privacy_loss_distribution as pld
def training():
    one = pld.from_gaussian_mechanism(1.0, value_discretization_interval=1e-4)
    total = p.subsample_pld(pld=one, sampling_probability=0.01).self_compose(1000)
    epsilon, delta = total.get_epsilon_for_delta(1e-5), total.get_delta_for_epsilon(0.0)
    return f"ε {epsilon:.6f}, δ at ε = 0 {delta:.6f}"
job("training", training)
""",
    "pytauargus": """
import tempfile
import pandas as pd
from pytauargus import protect
wards = {"a": (7, 0), "b": (20, 0), "c": (15, 25)}
rows = [(ward, text, 1.0) for ward, two in wards.items()
        for text, many in zip(("yes", "no"), two) for _ in range(many)]
table = pd.DataFrame(rows, columns=["ward", "diagnosis", "patients"])
def threshold():
    with tempfile.TemporaryDirectory() as folder:
        said = protect(table, ["ward", "diagnosis"], response="patients",
                       safety_rules="FREQ(10,30)", suppress="OPT(1)", workdir=folder)
        cells = said.tables[0].dataframe()[["ward", "diagnosis"]].astype(str).agg(" ".join, axis=1)
        shown = dict(zip(cells, map(str, said.tables[0].safe())))
        ends = {(row["min"], row["max"]) for row in said.engine.audit(0)}
    return f"{shown}; hidden cells, by its audit, in {ends}"
job("threshold", threshold)
""",
    "acro": """
import contextlib, io, tempfile
import pandas as pd
from acro import ACRO
wards = {"a": (7, 0), "b": (20, 0), "c": (15, 25)}
rows = [(ward, text) for ward, two in wards.items()
        for text, many in zip(("yes", "no"), two) for _ in range(many)]
table = pd.DataFrame(rows, columns=["ward", "diagnosis"])
def threshold():
    with contextlib.redirect_stdout(io.StringIO()):
        checker = ACRO(suppress=True)
        shown = checker.crosstab(table.ward, table.diagnosis)
    checks = str(checker.results.get_index(0).summary).splitlines()[1:]
    cells = {ward: f"{shown.loc[ward, 'yes']:g}, {shown.loc[ward, 'no']:g}" for ward in wards}
    return f"yes and no {cells}; {' '.join(line.strip() for line in checks)}"
job("threshold", threshold)
""",
}
OURS = ("deniable", "opendp")
"""Tools of our own environment."""
NOT_RUN = (
    "tmlt.analytics (needs Spark and Java), sdcMicro (R), SACRO-ML (its "
    "attacks train models), SecureGenome and dpsynth (in no package index)"
)


def grid(numbers: Iterable[float]) -> str:
    """The coarsest power of two of which all are multiples, and that of floats of their size."""
    exact = [Fraction(number) for number in numbers]
    finest = max(number.denominator for number in exact).bit_length() - 1
    floats = max(Fraction(math.ulp(number)).denominator for number in exact).bit_length() - 1
    return f"{'1' if finest == 0 else f'2^-{finest}'} (floats 2^-{floats})"


def ran(python: Path, package: str) -> tuple[str, dict[str, tuple[list[Any], float]]] | str:
    """Version and answers by job, or why there are none."""
    if not python.is_file():
        return "missing"
    code = f"PACKAGE, TIMES = {package!r}, {TIMES}\n{HEAD}{CODE[package]}{TAIL}"
    ended = subprocess.run(
        [str(python), "-c", code], capture_output=True, text=True, check=False, timeout=600
    )
    if ended.returncode:
        return f"failed: {(ended.stderr.strip() or 'nothing said').splitlines()[-1]}"
    version, answers = json.loads(ended.stdout.splitlines()[-1])
    return version, answers


def shown(job: str, said: list[Any]) -> str:
    """What is printed of a job's answers."""
    if job != "publish":
        return str(said[0])
    counts, sums = zip(*said, strict=True)
    return f"{counts[0]:.12g} and {sums[0]:.12g}; grid {grid(counts)} and {grid(sums)}"


def main() -> int:
    """A line a job and tool; 1 if our own answers are not there."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", nargs="?", type=Path, default=Path("theirs"))
    folder = parser.parse_args().folder
    answers: dict[str, Any] = {
        package: ran(
            Path(sys.executable) if package in OURS else folder / package / "bin" / "python",
            package,
        )
        for package in list(CODE)[: sized(None, 1)]
    }
    for job in ("publish", "beliefs", "compose", "training", "threshold"):
        print(job)
        for package, answer in answers.items():
            if not isinstance(answer, str) and job in answer[1]:
                said, seconds = answer[1][job]
                print(f"  {package + ' ' + answer[0]:<22} {shown(job, said)}  {seconds:.4f} s")
    for package, answer in answers.items():
        if isinstance(answer, str):
            print(f"{package}: {answer}, skipped")
    print(f"not run by this script: {NOT_RUN}")
    return int(isinstance(answers["deniable"], str))


if __name__ == "__main__":
    sys.exit(main())
