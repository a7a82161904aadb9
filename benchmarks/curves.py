"""How time and memory grow with n: CPU of some sizes of each job, and the exponent.

The exponent is the k for which a + b nᵏ, a and b not negative, is nearest to the times, by least
squares of relative errors: a is what a job costs at any size. Each size is a process of its own,
which has done the smallest size once, so that what is imported or compiled at first use does not
count; the better of two runs is shown, and the largest size's peak memory. Arguments are words of
the names of the jobs that are wanted.
"""

import json
import multiprocessing
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import attrs
import numpy as np
import pyarrow as pa
from scipy.optimize import nnls

import deniable
from benchmarks import all_pairs, gwas_attack, population_plan
from benchmarks._data import visits
from benchmarks._help import end_for_help
from benchmarks._sizes import sized
from benchmarks.grouped_sum import SCALED, TRUNCATED, ours
from deniable.mechanisms import Gaussian
from deniable.numerics.effort import Effort
from deniable.population.question import Question, Summands
from deniable.population.vector_sums import bracket

RUNS = sized(2, 1)
HEAD = '[data]\nsource = "memory"\n[target]\nepsilon = 1.0\n'
COUNT = '[[query]]\nname = "q{}"\nstatistic = "count"\nwhere = [["age", ">=", {}]]\n'
MEAN = '[[query]]\nname = "age"\nstatistic = "mean"\ncolumn = "age"\nbounds = [0, 100]\n'

Work: TypeAlias = Callable[[], object]


@attrs.frozen
class Job:
    """What is measured: what n is, its sizes, and what is made ready before it is timed."""

    unit: str
    sizes: tuple[int, ...]
    ready: Callable[[int, Path], Work]


def totals(protection: object) -> Callable[[int, Path], Work]:
    """Exact totals of the grouped sum, bounded one way or the other."""

    def ready(rows: int, _: Path) -> Work:
        path = visits(rows)
        return lambda: ours(path, protection)

    return ready


def planned(queries: int, _: Path) -> Work:
    """A plan of so many counts."""
    text = HEAD + "".join(COUNT.format(number, number % 100) for number in range(queries))
    return lambda: deniable.plan(text, data=pa.table({"age": [1]}))


def checked(queries: int, folder: Path) -> Work:
    """The folder of a release of so many counts."""
    text = HEAD + "".join(COUNT.format(number, number % 100) for number in range(queries))
    deniable.release(text, folder / "out", data=pa.table({"age": [1, 2, 3]}))
    return lambda: deniable.check(folder / "out")


def paired(rows: int, columns: int, folder: Path, *, delta: bool = True) -> Work:
    """All two-way tables of so many rows and columns."""
    all_pairs.answers(rows, folder, columns)
    plan = folder / "answers.toml"
    if not delta:
        plan.write_text(plan.read_text("utf-8").replace("delta = 1e-6\n", ""), encoding="utf-8")
    return lambda: deniable.release(plan, folder / "out")


def explained(steps: int, _: Path) -> Work:
    """A training of so many noisy steps, explained."""
    return lambda: deniable.explain_training([(1.0, 0.002, steps)])


def noise_found(steps: int, _: Path) -> Work:
    """The least noise for so many steps."""
    return lambda: deniable.calibrate_training(sample_rate=0.002, steps=steps, advantage=0.2)


def audited(runs: int, folder: Path) -> Work:
    """A plan of a mean, attacked in so many runs."""
    plan = folder / "plan.toml"
    plan.write_text(HEAD + MEAN, encoding="utf-8")
    return lambda: deniable.audit(plan, runs=runs)


def genotypes(prefix: Path, people: int, variants: int, seed: int) -> None:
    """PLINK files, made in another process so that they are not in this one's memory."""
    given = (prefix, people, variants, seed)
    made = multiprocessing.get_context("fork").Process(target=gwas_attack.write_mosaics, args=given)
    made.start()
    made.join()


def pruned_variants(variants: int, folder: Path) -> Work:
    """A study of that many variants, pruned."""
    genotypes(folder / "study", PEOPLE, variants, 1)
    return lambda: gwas_attack.prune(folder / "study")


def pruned_people(people: int, folder: Path) -> Work:
    """A study of that many people, pruned."""
    genotypes(folder / "study", people, VARIANTS, 1)
    return lambda: gwas_attack.prune(folder / "study")


def attacked(people: int, folder: Path) -> Work:
    """A pool of that many people, with as many as a reference."""
    for seed, name in enumerate(("pool", "reference"), start=1):
        genotypes(folder / name, people, VARIANTS, seed)
    return lambda: gwas_attack.attack(folder / "pool", folder / "reference")


def simulated(people: int, folder: Path) -> Work:
    """A study of that many people."""
    return lambda: deniable.gwas.simulate(
        folder / "made", individuals=people, cases=people // 2, variants=LOCI, causal=3, seed=1
    )


def crowd(people: int, _: Path) -> Work:
    """The worst of that many records of two numbers each, of which half are drawn."""
    values = np.random.default_rng(0).normal(size=(people, 2))
    question = Question(Summands(values), people // 2, 0.01)
    return lambda: bracket(question, Gaussian(4.0), Effort(gap=0.5, time_limit=300))


def members(queries: str) -> Callable[[int, Path], Work]:
    """A plan against somebody who knows the list of that many members."""

    def ready(number: int, folder: Path) -> Work:
        path = population_plan.write(folder, number, queries, 0.0)
        return lambda: deniable.plan(path)

    return ready


PEOPLE, VARIANTS, LOCI = sized((1_000, 8_000, 2_000), (40, 80, 40))
"""Of studies of which the other size is what grows; variants of a simulated one."""
MANY = sized((16_000, 32_000, 64_000, 128_000), (40, 80))
SOME = sized((500, 1_000, 2_000, 4_000, 8_000), (20, 40))
CALLED = sized((2_000, 4_000, 8_000, 16_000, 32_000), (20, 40))
MEMBERS = sized((250, 500, 1_000, 2_000, 4_000), (20, 40))
MORE = sized((8_000, 16_000, 32_000, 64_000, 128_000), (20, 40))
QUERIES = sized((16, 32, 64, 128, 256), (1, 2))
PAIRED = sized(100, 4)
FEW_ROWS = sized(20_000, 200)
COUNTED = sized((10, 20, 40, 80), (3, 4))
STEPS = sized((1_000, 10_000, 100_000, 1_000_000), (10, 20))
ROWS = (500_000, 1_000_000, 2_000_000, 4_000_000, 8_000_000)
JOBS = {
    "grouped sum, truncation": Job("rows", sized(ROWS, (1_000, 2_000)), totals(TRUNCATED)),
    "grouped sum, scaling": Job("rows", sized(ROWS, (1_000, 2_000)), totals(SCALED)),
    "all pairs of 100 columns": Job(
        "rows",
        sized((125_000, 250_000, 500_000, 1_000_000), (200, 400)),
        lambda rows, folder: paired(rows, PAIRED, folder),
    ),
    "all pairs of columns": Job(
        "columns", COUNTED, lambda columns, folder: paired(FEW_ROWS, columns, folder)
    ),
    "all pairs of columns, δ = 0": Job(
        "columns", COUNTED, lambda columns, folder: paired(FEW_ROWS, columns, folder, delta=False)
    ),
    "`training explain`": Job("steps", STEPS, explained),
    "`training calibrate`": Job("steps", STEPS, noise_found),
    "`plan`": Job("queries", QUERIES, planned),
    "`check FOLDER`": Job("queries", QUERIES, checked),
    "`audit PLAN.toml`": Job("runs", sized((10_000, 20_000, 40_000, 80_000), (20, 40)), audited),
    "pruning of 1,000 people": Job("variants", MANY, pruned_variants),
    "pruning of 8,000 variants": Job("people", CALLED, pruned_people),
    "`gwas attack`, 8,000 variants": Job("people", SOME, attacked),
    "`gwas simulate`, 2,000 variants": Job("people", SOME, simulated),
    "hidden in a crowd, two columns": Job("records", sized((50, 100, 200, 400), (6, 8)), crowd),
    "members, a sum": Job("members", MORE, members("sum")),
    "members, histogram, count, sum": Job("members", MEMBERS, members("histogram count sum")),
}


def measure(job: Job, size: int) -> tuple[float, float]:
    """CPU seconds of the work alone, and the process's peak in MB."""
    with tempfile.TemporaryDirectory() as first, tempfile.TemporaryDirectory() as folder:
        job.ready(job.sizes[0], Path(first))()
        work = job.ready(size, Path(folder))
        begun = time.process_time()
        work()
        seconds = time.process_time() - begun
    unit = 1 if sys.platform == "darwin" else 1024
    return seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e6


def apart(name: str, size: int) -> tuple[float, float]:
    """The same in a process of its own, the better of some runs."""
    command = [sys.executable, "-m", "benchmarks.curves", name, str(size)]
    runs = [
        json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
        for _ in range(RUNS)
    ]
    seconds, peak = min(runs)
    return seconds, peak


def exponent(sizes: tuple[int, ...], seconds: list[float]) -> float:
    """The power of n beside what a job costs at any size."""
    times = np.array(seconds)

    def error(power: float) -> float:
        grown = (np.array(sizes) / sizes[-1]) ** power
        return float(nnls(np.stack([1 / times, grown / times], axis=1), np.ones(len(times)))[1])

    return min((round(0.01 * step, 2) for step in range(1, 301)), key=error)


def main() -> None:
    """One size, or the table."""
    if len(sys.argv) == 3 and sys.argv[2].isdecimal():
        print(json.dumps(measure(JOBS[sys.argv[1]], int(sys.argv[2]))))
        return
    wanted = [name for name in JOBS if not sys.argv[1:] or any(w in name for w in sys.argv[1:])]
    print("| job | n | CPU s at each n | exponent | peak |\n|---|---|---|---|---|")
    for name in wanted[: sized(None, 1)]:
        job = JOBS[name]
        each = [apart(name, size) for size in job.sizes]
        seconds = [cpu for cpu, _ in each]
        power = exponent(job.sizes, seconds)
        sizes = ", ".join(f"{size:,}" for size in job.sizes)
        shown = ", ".join(f"{cpu:.2f}" for cpu in seconds)
        print(f"| {name} | {job.unit}: {sizes} | {shown} | {power:.2f} | {each[-1][1]:.0f} MB |",
              flush=True)  # fmt: skip


if __name__ == "__main__":
    end_for_help(__doc__)
    main()
