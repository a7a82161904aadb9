"""Counting and scanning genotypes of 5,000 individuals, beside PLINK 1.9 and bed-reader.

Each way runs in a process of its own. "Counting" is timed inside Python, files opened and checked
already; PLINK's time is its process, as it has no other, and so is that of a whole scan of ours,
which writes its table. The file of a million variants is one block of random genotypes again and
again; it is left out where the disk has no room.
"""

import argparse
import json
import multiprocessing
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import attrs
import numpy as np
from bed_reader import open_bed

from benchmarks._sizes import sized
from deniable import gwas
from deniable.gwas.files.plink import PlinkWriter, plink_study
from deniable.gwas.genotypes import Variants
from tests.cases.programs import find

INDIVIDUALS, VARIANTS, MANY, BLOCK = sized((5_000, 100_000, 1_000_000, 2_000), (20, 40, 80, 20))
HERE = Path(__file__).resolve()


@attrs.frozen
class Measured:
    """Seconds, the largest memory of a process in MB, and CPU seconds with those it waited for."""

    seconds: float
    peak: float
    cpu: float = 0.0


def study(folder: Path, variants: int) -> Path:
    """PREFIX of files with so many variants: common and rare ones, some calls missing."""
    prefix = folder / f"study-{variants}"
    # In another process: a child begins with the memory of its parent.
    maker = multiprocessing.get_context("spawn").Process(target=_make, args=(prefix, variants))
    maker.start()
    maker.join()
    if maker.exitcode:
        raise RuntimeError(f"no file was made at {prefix}")
    return prefix


def _make(prefix: Path, variants: int) -> None:
    rng = np.random.default_rng(0)
    frequency = rng.beta(0.8, 2.5, BLOCK)[:, None]
    copies = rng.binomial(2, frequency, (BLOCK, INDIVIDUALS)).astype(np.int8)
    copies[rng.random(copies.shape) < 0.002] = -1
    with PlinkWriter(prefix, np.arange(INDIVIDUALS) % 2 == 0) as writer:
        writer.write(_block(), copies)
    rows = prefix.with_suffix(".bed").read_bytes()[3:]
    with prefix.with_suffix(".bed").open("ab") as bed, prefix.with_suffix(".bim").open("a") as bim:
        for start in range(BLOCK, variants, BLOCK):
            bed.write(rows)
            places = range(start, start + BLOCK)
            bim.writelines(f"{1 + i * 22 // variants}\trs{i}\t0\t{i}\tA\tG\n" for i in places)


def _block() -> Variants:
    names = [f"rs{i}" for i in range(BLOCK)]
    return Variants(["1"] * BLOCK, names, np.arange(BLOCK), ["A"] * BLOCK, ["G"] * BLOCK)


def ours(prefix: Path) -> Callable[[], object]:
    """Counts of cases and controls from the packed file."""
    opened = plink_study(prefix)
    groups = opened.individuals.cases, opened.individuals.controls
    return lambda: opened.genotypes.counts(groups)


def bed_reader(prefix: Path) -> Callable[[], object]:
    """The same by bed-reader, a block of unpacked genotypes at a time, and NumPy."""
    cases = np.arange(INDIVIDUALS) % 2 == 0
    bed = open_bed(prefix.with_suffix(".bed"))

    def counted() -> object:
        found = np.empty((2, bed.sid_count, 4), dtype=np.int64)
        for start in range(0, bed.sid_count, BLOCK):
            part = np.s_[start : start + BLOCK]
            block = bed.read(np.s_[:, part], dtype="int8", order="F", num_threads=os.cpu_count())
            for group, own in enumerate((block.T[:, cases], block.T[:, ~cases])):
                for column, call in enumerate((0, 1, 2, -127)):
                    found[group, part, column] = np.count_nonzero(own == call, axis=1)
        return found

    return counted


def scan(prefix: Path) -> Callable[[], object]:
    """All of `deniable gwas scan`, with its table."""
    return lambda: gwas.scan(prefix, out=prefix.with_suffix(".tsv"))


WAYS = {"ours": ours, "bed-reader": bed_reader, "scan": scan}


def run(command: list[str], folder: Path) -> tuple[Measured, str]:
    """Wall time and peak memory of a process, and what it printed."""
    start = time.perf_counter()
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, cwd=folder
    ) as child:
        printed = child.stdout.read() if child.stdout else ""
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        raise subprocess.CalledProcessError(child.returncode, command)
    unit = 1 if sys.platform == "darwin" else 1024
    seconds, cpu = time.perf_counter() - start, usage.ru_utime + usage.ru_stime
    return Measured(seconds, usage.ru_maxrss * unit / 1e6, cpu), printed


def measured(way: str, prefix: Path, runs: int) -> Measured:
    """The best of some runs inside one process."""
    command = [sys.executable, "-m", "benchmarks.gwas_scan", "--way", way, "--runs", str(runs)]
    found, printed = run([*command, str(prefix)], HERE.parents[1])
    return attrs.evolve(found, seconds=json.loads(printed))


def plink(prefix: Path, runs: int) -> Measured | None:
    """PLINK's own process, the best of some runs."""
    if find("plink1.9") is None:
        return None
    command = ["plink1.9", "--bfile", prefix.name, "--assoc", "--allow-no-sex", "--out", "plink"]
    return min((run(command, prefix.parent)[0] for _ in range(runs)), key=lambda each: each.seconds)


def show(title: str, found: Measured, note: str = "") -> None:
    """Print a line."""
    print(f"{title:<34} {found.seconds:7.3f} s   peak {found.peak:6.0f} MB   {note}".rstrip())


def compare(folder: Path, runs: int) -> None:
    """Count one file in every way, then scan the large one."""
    prefix = study(folder, VARIANTS)
    counting = measured("ours", prefix, runs)
    print(f"{INDIVIDUALS:,} individuals × {VARIANTS:,} variants, warm")
    show("counting, ours", counting)
    theirs = plink(prefix, runs)
    if theirs is None:
        print("PLINK 1.9 --assoc                  not measured: plink1.9 is not installed")
    else:
        ratio = theirs.seconds / counting.seconds
        show("PLINK 1.9 --assoc", theirs, f"{ratio:5.1f} × ours (target >= 1)")
    other = measured("bed-reader", prefix, max(runs // 3, 1))
    ratio = other.seconds / counting.seconds
    show("counting, bed-reader + NumPy", other, f"{ratio:5.1f} × ours (target >= 5)")
    show("whole scan with its table, ours", measured("scan", prefix, 1))
    needed = 2 * MANY * INDIVIDUALS // 4
    if shutil.disk_usage(folder).free < needed:
        print(f"{MANY:,} variants: not measured, the disk has no room")
        return
    large = measured("scan", study(folder, MANY), 1)
    print(f"{INDIVIDUALS:,} individuals × {MANY:,} variants")
    show("whole scan with its table, ours", large, "(target <= 30 s, < 1,000 MB)")


def main() -> None:
    """Read the arguments; one way in this process, or all in their own."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("prefix", nargs="?", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--runs", type=int, default=sized(5, 1))
    parser.add_argument("--way", choices=list(WAYS), help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.way is None:
        with tempfile.TemporaryDirectory() as folder:
            compare(Path(folder), given.runs)
        return
    work, times = WAYS[given.way](given.prefix), []
    for _ in range(given.runs):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    print(json.dumps(min(times)))


if __name__ == "__main__":
    main()
