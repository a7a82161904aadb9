"""A study in 22 files: counts, a scan and whole releases beside `cat` and PLINK 2, and on Dask.

The files are one block of random genotypes again and again; --gigabytes says how large all of them
are together, and 12.5 is 100,000 people by 500,000 variants. With --linked the genotypes of all
chromosomes are one file by 22 names, so that .6 GB of disk and memory do for 12.5.

Everything is measured once the files are in the memory of the machine, in rounds that alternate.
Counts are timed without the start of Python; commands are timed as typed, with `--memory 2GB`. The
exponent is of CPU time by size, from a quarter on.
"""

import argparse
import json
import multiprocessing
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import attrs
import numpy as np

from benchmarks._sizes import sized
from benchmarks.curves import exponent
from benchmarks.gwas_scan import Measured, run
from deniable.gwas.files.packed import bytes_of
from deniable.gwas.files.plink import PlinkWriter
from deniable.gwas.genotypes import Variants
from tests.cases.programs import find

PEOPLE, CHROMOSOMES, BLOCK = sized((100_000, 22, 250), (40, 3, 10))
ROOT = Path(__file__).resolve().parents[1]
MEMORY = "2GB"


def write_study(folder: Path, size: float, *, linked: bool = False) -> list[Path]:
    """PREFIXes of files of about so many bytes together."""
    rng = np.random.default_rng(0)
    frequency = rng.beta(0.8, 2.5, BLOCK)[:, None]
    copies = rng.binomial(2, frequency, (BLOCK, PEOPLE)).astype(np.int8)
    times = max(round(size / (CHROMOSOMES * BLOCK * bytes_of(PEOPLE))), 1)
    prefixes = []
    for chromosome in range(1, CHROMOSOMES + 1):
        prefix = folder / f"study.chr{chromosome}"
        named = [f"rs{chromosome}{i:07}" for i in range(BLOCK * times)]
        block = Variants(
            [str(chromosome)] * BLOCK, named[:BLOCK], np.arange(BLOCK) + 1, ["A"] * BLOCK,
            ["G"] * BLOCK,
        )  # fmt: skip
        with PlinkWriter(prefix, np.arange(PEOPLE) % 2 == 0) as writer:
            writer.write(block, copies)
        bed, bim = (folder / f"{prefix.name}.{end}" for end in ("bed", "bim"))
        rows = bed.read_bytes()[3:]
        if is_link := linked and chromosome > 1:
            bed.unlink()
            bed.hardlink_to(folder / "study.chr1.bed")
        with bed.open("ab") as genotypes, bim.open("a") as lines:
            for start in range(BLOCK, BLOCK * times, BLOCK):
                if not is_link:
                    genotypes.write(rows)
                lines.writelines(
                    f"{chromosome}\t{named[i]}\t0\t{i + 1}\tA\tG\n"
                    for i in range(start, start + BLOCK)
                )
        prefixes.append(prefix)
    return prefixes


COUNT = """
import json, sys, time
from deniable import Effort
from deniable.gwas.files import count_study
effort = Effort(**json.loads(sys.argv[1]))
start = time.perf_counter(), time.process_time()
study = count_study(sys.argv[2:], effort=effort)
taken = time.perf_counter() - start[0], time.process_time() - start[1]
print(json.dumps([*taken, int((study.counts.cases * range(4)).sum())]))
"""

CLUSTER = """
import json, logging, sys, time
import distributed
from deniable import Effort
from deniable.gwas.files import count_study

def cpu():
    return time.process_time() + sum(client.run(time.process_time).values())

if __name__ == "__main__":
    with distributed.LocalCluster(
        n_workers=int(sys.argv[1]), threads_per_worker=1, dashboard_address=None,
        local_directory=".", silence_logs=logging.CRITICAL,
    ) as cluster, distributed.Client(cluster) as client:
        effort = Effort(scheduler=cluster.scheduler_address)
        count_study(sys.argv[2:3], effort=effort)  # workers load what they need
        idle = cpu()
        time.sleep(4)
        start = time.perf_counter(), cpu()
        idle = (start[1] - idle) / 4  # each second, with or without work
        study = count_study(sys.argv[2:], effort=effort)
        seconds = time.perf_counter() - start[0]
        taken = seconds, cpu() - start[1] - idle * seconds
    print(json.dumps([*taken, int((study.counts.cases * range(4)).sum())]))
"""
"""Workers of one thread in processes of their own. The CPU time is of all processes, without what
they take when they wait: on a busy machine they wait long."""


def python(code: str, *words: str, folder: Path, core: bool = False) -> tuple[Measured, int]:
    """Seconds and CPU that a program says it took to count, its peak, and a sum of counts."""
    script = folder / "program.py"
    script.write_text(code)
    command = ["taskset", "-c", "0"] if core else []
    measured, printed = run([*command, sys.executable, str(script), *words], folder)
    seconds, cpu, total = json.loads(printed)
    return attrs.evolve(measured, seconds=seconds, cpu=cpu), total


class Study:
    """Files of a study, and what each job on them takes."""

    def __init__(self, prefixes: Sequence[Path]) -> None:
        self.prefixes, self.folder = prefixes, prefixes[0].parent
        self.names = [str(prefix) for prefix in prefixes]
        beds = [prefix.with_name(f"{prefix.name}.bed") for prefix in prefixes]
        self.bytes = sum(bed.stat().st_size for bed in beds)
        self._beds = [bed.name for bed in beds]
        self.totals: set[int] = set()

    def cat(self) -> Measured:
        """Read the genotypes."""
        return run(["sh", "-c", f"cat {' '.join(self._beds)} > /dev/null"], self.folder)[0]

    def plink2(self) -> Measured:
        """One process a file, one after another, on one thread each."""
        options = "--geno-counts --threads 1"
        each = [f"plink2 --bfile {p.name} {options} --out {p.name}.counts" for p in self.prefixes]
        return run(["sh", "-c", " && ".join(each)], self.folder)[0]

    def count(self, **effort: object) -> Measured:
        """Counts, without the start of Python."""
        taken, total = python(COUNT, json.dumps(effort), *self.names, folder=self.folder)
        self.totals.add(total)
        return taken

    def gwas(self, command: str, *options: str) -> Measured:
        """A command as typed, with its answer in a place that is removed."""
        program = [sys.executable, "-m", "deniable", "gwas", command, *self.names, *options]
        with tempfile.TemporaryDirectory(dir=self.folder) as place:
            return run([*program, "--memory", MEMORY, "--out", str(Path(place) / "out")], ROOT)[0]

    def scan(self) -> Measured:
        """Counts, tests and a table of all variants."""
        return self.gwas("scan")

    def release(self) -> Measured:
        """The five most significant variants, with statistics, a certificate and a report."""
        return self.gwas("release", "--top", "5", "--publish-statistics", "--gamma", "2")

    def frequencies(self) -> Measured:
        """Noisy allele counts of all variants in cases and controls: a complete release."""
        limits = "--max-posterior", ".5", "--prior", "0", ".1", "--delta", "1e-6", "--yes"
        return self.gwas("frequencies", "--all-variants", "--of", "both", *limits)


JOBS = {
    "cat": Study.cat,
    "plink2 --geno-counts": Study.plink2,
    "counts": Study.count,
    "gwas scan": Study.scan,
    "gwas release": Study.release,
    "gwas frequencies": Study.frequencies,
}
GROWING = "counts", "gwas scan", "gwas release", "gwas frequencies"


def compare(prefixes: list[Path], rounds: int) -> None:
    """Print medians of alternating rounds, with ratios of CPU within a round."""
    study = Study(prefixes)
    print(f"{PEOPLE:,} people, {len(prefixes)} files, {study.bytes / 1e9:.2f} GB, {rounds} rounds")
    jobs = {name: job for name, job in JOBS.items() if name[:6] != "plink2" or find("plink2")}
    taken: dict[str, list[Measured]] = {name: [] for name in jobs}
    for _ in range(rounds):
        for name, job in jobs.items():
            taken[name].append(job(study))
    beside = [name for name in ("cat", "plink2 --geno-counts", "counts") if name in taken]
    print(f"{'job':<22}{'clock':>9}{'CPU':>9}{'peak':>9}   CPU beside {', '.join(beside)}")
    for name, each in taken.items():
        middle = [statistics.median(getattr(m, of) for m in each) for of in ("seconds", "cpu")]
        ratios = [
            statistics.median(m.cpu / o.cpu for m, o in zip(each, taken[other], strict=True))
            for other in beside
        ]
        print(
            f"{name:<22}{middle[0]:7.2f} s{middle[1]:7.2f} s{max(m.peak for m in each):6.0f} MB   "
            f"{'  '.join(f'{ratio:.2f}' for ratio in ratios)}",
            flush=True,
        )
    parts = [len(prefixes) // 4 or 1, len(prefixes) // 2 or 1, len(prefixes)]
    if len(set(parts)) == len(parts):
        for name in GROWING:
            cpu = [min(m.cpu for m in taken[name])]
            cpu[:0] = [JOBS[name](Study(prefixes[:n])).cpu for n in parts[:-1]]
            print(f"exponent of CPU by size, {name:<17} {exponent(parts, cpu):.2f}   {parts} files")
    on_workers(study, rounds)
    for memory in ("400MB", "1GB"):
        try:
            print(f"counts, --memory {memory}: peak {study.count(memory=memory).peak:,.0f} MB")
        except subprocess.CalledProcessError:
            print(f"counts, --memory {memory}: refused, the names and counts alone take more")
    print(f"the same counts in all ways: {len(study.totals) == 1}")


def on_workers(study: Study, rounds: int) -> None:
    """Print how much faster Dask workers are than one process on one core."""
    number, ratios = sized(2, 1), []
    for _ in range(rounds):
        alone, _ = python(
            COUNT, "{}", *study.names, folder=study.folder, core=bool(find("taskset"))
        )
        cluster, total = python(CLUSTER, str(number), *study.names, folder=study.folder)
        study.totals.add(total)
        ratios.append((alone.seconds / cluster.seconds, number * alone.cpu / cluster.cpu))
    clock, cpu = (statistics.median(each) for each in zip(*ratios, strict=True))
    print(
        f"{number} Dask workers of one thread beside one process on one core: {clock:.2f} × faster "
        f"on the clock, {cpu:.2f} × if no core waits (by CPU of all processes)",
        flush=True,
    )


def main() -> None:
    """Read the arguments, write the files, compare, and remove them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--gigabytes", type=float, default=sized(1.0, 1e-6))
    parser.add_argument("--rounds", type=int, default=sized(5, 1))
    parser.add_argument("--linked", action="store_true", help="one file of genotypes, 22 names")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        on_disk = given.gigabytes / (CHROMOSOMES if given.linked else 1)
        if shutil.disk_usage(folder).free < 1.5e9 * on_disk:
            print("not measured, the disk has no room")
            return
        # In a process of its own: a child begins with the memory of its parent.
        with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
            written = pool.submit(write_study, folder, 1e9 * given.gigabytes, linked=given.linked)
            prefixes = written.result()
        compare(prefixes, given.rounds)


if __name__ == "__main__":
    main()
