"""Plans against somebody who knows the list of members: what they cost as the list grows.

Half of the list is drawn; a floor of ε = 4 and a target of 0.5, at δ = 1e-6 each, or at δ = 0. A
line says the queries, N, the least factor on the floor's noise that was certified, by what, the
factor of differential privacy alone, CPU seconds of the plan, how often those of a tenth as many
members, and the peak of memory. Each plan has a process of its own.

    python -m benchmarks.population_plan [N ...]
"""

import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks._help import end_for_help
from benchmarks._sizes import sized

SIZES = sized((1000, 10_000, 100_000, 200_000), (40,))
QUERIES = {
    "histogram": 'statistic = "histogram"\ncolumn = "age"\nedges = [0, 40, 65, 120]\n',
    "count": 'statistic = "count"\nwhere = [["age", ">=", 65]]\n',
    "sum": 'statistic = "sum"\ncolumn = "income"\nbounds = [0, 200000]\n',
}
DERIVED = {
    "histogram": QUERIES["histogram"].replace("age", "years"),
    "count": 'statistic = "count"\nwhere = [["old", "==", true]]\n',
    "sum": QUERIES["sum"].replace("income", "paid"),
}
COLUMNS = """
[columns]
years = { sum = ["age", 0] }
old = { condition = ["age", ">=", 65] }
paid = { sum = ["income", 0] }
"""
PLANS = sized(
    ("histogram", "sum", "histogram count sum", "derived: histogram count sum"), ("histogram",)
)
HEAD = """
[data]
source = "data.parquet"
entity = "id"
[adversary]
knows = "population"
population = "members.parquet"
values_are_public = true
[floor]
epsilon = 4
{delta}
[target]
epsilon = 0.5
{delta}
[limits]
rows_per_entity = 1
"""


def write(folder: Path, number: int, names: str, delta: float) -> Path:
    """A list, a sample of it, and a plan."""
    rng = np.random.default_rng(7)
    income = np.rint(np.minimum(rng.lognormal(10.5, 0.8, number), 500_000))
    members = pa.table(
        {"id": np.arange(number), "age": rng.integers(18, 90, number), "income": income}
    )
    drawn = np.sort(rng.permutation(number)[: number // 2])
    pq.write_table(members, folder / "members.parquet")
    pq.write_table(members.take(pa.array(drawn)), folder / "data.parquet")
    source = DERIVED if names.startswith("derived: ") else QUERIES
    queries = [
        f'[[query]]\nname = "{name}"\n{source[name]}'
        for name in names.removeprefix("derived: ").split()
    ]
    head = HEAD.format(delta=f"delta = {delta}" if delta else "")
    head += COLUMNS if source is DERIVED else ""
    path = folder / "plan.toml"
    path.write_text(head + "\n".join(queries), encoding="utf-8")
    return path


def one(number: int, names: str, delta: float) -> None:
    """Plan once; print the factors, the method, CPU seconds and MB."""
    from deniable.publish.prepare import calibrate_plan, everybody, plan

    with tempfile.TemporaryDirectory() as folder:
        path = write(Path(folder), number, names, delta)
        begun = time.process_time()
        prepared = plan(path)
        seconds = time.process_time() - begun
    told = prepared.population
    plain = everybody(calibrate_plan(prepared.plan)).factor_for(told.epsilon, told.delta)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    claim = told.claim
    print(claim.noise_factor, claim.bound.upper, claim.method, plain, seconds, peak)


def main() -> None:
    """All plans at all sizes."""
    if sys.argv[1:2] == ["one"]:
        one(int(sys.argv[2]), sys.argv[3], float(sys.argv[4]))
        return
    sizes = [int(each) for each in sys.argv[1:]] or SIZES
    for delta in sized((1e-6, 0.0), (0.0,)):
        for names in PLANS:
            before: tuple[int, float] | None = None
            for number in sizes:
                told = subprocess.run(
                    [sys.executable, "-m", __spec__.name, "one", str(number), names, str(delta)],
                    check=True, capture_output=True, text=True,
                ).stdout.split()  # fmt: skip
                factor, upper, plain, seconds, peak = (float(told[at]) for at in (0, 1, 3, 4, 5))
                more = "" if before is None else f"{seconds / before[1]:5.1f} ×"
                print(
                    f"{names:28} δ = {delta:<6} N = {number:9,}  noise {factor:6.3f} (plain "
                    f"{plain:6.3f})  ε {upper:.3f} by {told[2]:20} {seconds:7.2f} s {more:8} "
                    f"{peak:6.0f} MB",
                    flush=True,
                )
                before = number, seconds


if __name__ == "__main__":
    end_for_help(__doc__)
    main()
