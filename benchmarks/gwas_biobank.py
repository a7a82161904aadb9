"""Counting a study in 22 files beside `cat`, beside PLINK 2, on Dask workers, and within a memory.

The files are one block of random genotypes again and again; --gigabytes says how large all of them
are together, and 12.5 is 100,000 people by 500,000 variants. With --linked the genotypes of all
chromosomes are one file by 22 names, so that .6 GB of disk and memory do for 12.5.

`cat` and `plink2 --geno-counts` read the same files; everything is measured once the files are in
the memory of the machine, in rounds that alternate, and medians are printed. The exponent is of
time by size, from a quarter on.
"""

import argparse
import json
import logging
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
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
MB = 1e6


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
paths, effort = json.loads(sys.argv[1]), json.loads(sys.argv[2])
start = time.perf_counter()
study = count_study(paths, effort=Effort(**effort))
seconds = time.perf_counter() - start
print(json.dumps([seconds, int((study.counts.cases * range(4)).sum())]))
"""


def count(prefixes: Sequence[Path], **effort: object) -> tuple[Measured, int]:
    """Seconds without the start of Python, the peak and CPU with it, and a sum of all counts."""
    command = [sys.executable, "-c", COUNT, json.dumps([str(p) for p in prefixes])]
    measured, printed = run([*command, json.dumps(effort)], ROOT)
    seconds, total = json.loads(printed)
    return attrs.evolve(measured, seconds=seconds), total


def end_to_end(prefixes: Sequence[Path], folder: Path) -> None:
    """Print a scan and a release as typed, beside counts in a process of their own."""
    names = [str(prefix) for prefix in prefixes]
    program = [sys.executable, "-m", "deniable", "gwas"]
    count_command = [sys.executable, "-c", COUNT, json.dumps(names), "{}"]
    counts, _ = run(count_command, ROOT)
    print(f"counts, start included   {counts.seconds:8.3f} s   peak {counts.peak:6.0f} MB")
    for number, (name, more) in enumerate(
        (("scan", []), ("release", ["--top", "5", "--gamma", "2"]))
    ):
        out = folder / f"out{number}{'.tsv' if name == 'scan' else ''}"
        measured, _ = run([*program, name, *names, *more, "--out", str(out)], ROOT)
        ratio = measured.seconds / counts.seconds
        print(
            f"gwas {name:<19} {measured.seconds:8.3f} s   peak {measured.peak:6.0f} MB   "
            f"{ratio:.2f} × the counts, {measured.cpu / counts.cpu:.2f} × their CPU",
            flush=True,
        )


def cat(prefixes: Sequence[Path]) -> Measured:
    """What `cat` takes to read the genotypes."""
    command = "cat " + " ".join(f"{p.name}.bed" for p in prefixes) + " > /dev/null"
    return run(["sh", "-c", command], prefixes[0].parent)[0]


def plink2(prefixes: Sequence[Path]) -> Measured:
    """One process a file, one after another, on one thread each."""
    options = "--geno-counts --threads 1"
    command = [f"plink2 --bfile {p.name} {options} --out {p.name}.counts" for p in prefixes]
    return run(["sh", "-c", " && ".join(command)], prefixes[0].parent)[0]


@contextmanager
def workers(number: int, folder: Path) -> Iterator[str]:
    """The address of a scheduler with so many workers of one thread, in processes of their own."""
    import distributed

    with distributed.LocalCluster(
        n_workers=number, threads_per_worker=1, processes=True, dashboard_address=None,
        local_directory=str(folder), silence_logs=logging.CRITICAL,
    ) as cluster:  # fmt: skip
        yield cluster.scheduler_address


def compare(prefixes: list[Path], rounds: int, folder: Path) -> None:
    """Print medians of alternating rounds, and growth."""
    size = sum(p.with_name(f"{p.name}.bed").stat().st_size for p in prefixes)
    print(f"{PEOPLE:,} people, {len(prefixes)} files, {size / 1e9:.2f} GB, {rounds} rounds")
    others = {"cat": cat} | ({"plink2 --geno-counts": plink2} if find("plink2") else {})
    taken: dict[str, list[Measured]] = {name: [] for name in ["ours", *others]}
    totals = set()
    for _ in range(rounds):
        measured, total = count(prefixes)
        taken["ours"].append(measured)
        totals.add(total)
        for name, other in others.items():
            taken[name].append(other(prefixes))
    for name, each in taken.items():
        pairs = list(zip(taken["ours"], each, strict=True))
        ratio = statistics.median(mine.seconds / theirs.seconds for mine, theirs in pairs)
        of_cpu = statistics.median(mine.cpu / theirs.cpu for mine, theirs in pairs)
        print(
            f"{name:<24} {statistics.median(m.seconds for m in each):8.3f} s   ours/this "
            f"{ratio:.2f}   CPU {statistics.median(m.cpu for m in each):8.3f} s, {of_cpu:.2f}",
            flush=True,
        )
    print(f"peak of ours             {max(m.peak for m in taken['ours']):8.0f} MB")
    end_to_end(prefixes, folder)
    parts = [len(prefixes) // 4 or 1, len(prefixes) // 2 or 1, len(prefixes)]
    seconds = [min(count(prefixes[:n])[0].seconds for _ in range(rounds)) for n in parts]
    if len(set(parts)) == len(parts):
        print(f"exponent of time by size {exponent(parts, seconds):8.2f}   ({parts} files)")
    alone, cluster = [], []
    with workers(sized(3, 1), folder) as address:
        for _ in range(rounds):
            alone.append(count(prefixes)[0].seconds)
            measured, total = count(prefixes, scheduler=address)
            cluster.append(measured.seconds)
            totals.add(total)
    there, here = statistics.median(cluster), statistics.median(alone)
    title = f"{sized(3, 1)} Dask workers, {os.cpu_count()} cores"
    print(f"{title:<24} {there:8.3f} s   {here / there:.2f} × faster than one process")
    for memory in ("400MB", "1GB", "2GB"):
        try:
            measured, total = count(prefixes, memory=memory)
        except subprocess.CalledProcessError:
            print(f"--memory {memory}: refused, the names and counts alone take more")
            continue
        totals.add(total)
        print(f"--memory {memory}: peak {measured.peak:,.0f} MB, files of {size / MB:,.0f} MB")
    print(f"the same counts in all ways: {len(totals) == 1}")


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
        prefixes = write_study(folder, 1e9 * given.gigabytes, linked=given.linked)
        compare(prefixes, given.rounds, folder)


if __name__ == "__main__":
    main()
