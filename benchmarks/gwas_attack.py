"""Attacking a pool's frequencies, beside PLINK's pruning; the utility of many variants; a VCF.

CPU seconds of one process each, and the largest memory. Genotypes are mosaics of a few hundred
made-up haplotypes, so that variants are linked as in people. PLINK is customarily told to look at
50 variants, kept or not; the 64 kept ones that we look at are spread over about 220 of these, so
that windows of 220 are PLINK's for the same reach. Both read the file. `--full` makes 500,000
variants of 20,000 people in all (some minutes, three gigabytes of disk). `--curve` halves variants
and then people twice and says by which power of their number the time grows. A made-up study is
timed with the part of it that msprime takes by itself.

Pruning takes 1.4 to 1.7 times as long as PLINK's where numkong is installed and the processor
multiplies bytes, as long as PLINK's where 1 % of calls are missing, and 4 to 5 times otherwise.
Figures and reasons: docs/decisions/0097-a-missing-call-is-a-byte-near-the-mean.md.
"""

import argparse
import importlib.util
import multiprocessing
import resource
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow.csv  # noqa: F401 - imported late where it is used, and imports do not count
from scipy.special import ndtri

from benchmarks._sizes import sized
from deniable import gwas
from deniable.gwas import products
from deniable.gwas.association.linkage import Genotypes, Pruning
from deniable.gwas.files.panels import Panel
from deniable.gwas.files.plink import PlinkWriter
from deniable.gwas.genotypes import Variants
from deniable.gwas.simulation import MUTATION_RATE, POPULATION_SIZE, RECOMBINATION_RATE

BLOCK, HAPLOTYPES = sized((2_000, 600), (40, 20))
"""Variants in a piece of the genome, and different haplotypes of it."""
TOGETHER = 256
"""Variants that are pruned at once."""
USUAL = sized((100_000, 2_500, 5_000), (80, 40, 60))
"""Variants, people of the pool and of the reference."""
STUDY = sized((3_000, 10_000), (40, 60))
"""People and variants that are simulated."""
TOP, DRAWS = sized((500, 10_000), (5, 20))
"""Variants of a release, and releases that its utility is averaged over."""


def main() -> None:
    """Print a line a measurement."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--full", action="store_true", help="500,000 variants, 20,000 people")
    parser.add_argument("--curve", action="store_true", help="how the time grows")
    parser.add_argument("--variants", type=int, help="how many, a multiple of 2,000", metavar="N")
    given = parser.parse_args()
    sizes = (500_000, 5_000, 15_000) if given.full else USUAL
    variants, pool, reference = (given.variants or sizes[0], *sizes[1:])
    if given.curve:
        curve(variants, pool, reference)
        return
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for prefix, people, seed in (("pool", pool, 1), ("reference", reference, 2)):
            apart(write_mosaics, folder / prefix, people, variants, seed)
        print(f"{variants:,} variants, pool of {pool:,}, reference of {reference:,}")
        if has("plink1.9"):
            report("PLINK 1.9 prunes, windows of 50", plink(folder / "reference", 50))
            report("PLINK 1.9 prunes, windows of 220", plink(folder / "reference", 220))
        report("we prune the reference", apart(prune, folder / "reference"))
        report("the same without numkong", apart(prune_in_floats, folder / "reference"))
        report("attack, five levels", apart(attack, folder / "pool", folder / "reference"))
        report(f"utility of the top {TOP}", apart(utility, folder / "reference"))
        if has("plink2"):
            vcf(folder)
        if importlib.util.find_spec("msprime") is None:
            print("msprime: missing, skipped")
        else:
            report("msprime, three genealogies", apart(genealogies))
            report("simulating {:,} x {:,}".format(*STUDY), apart(simulation, folder / "made"))


def has(program: str) -> bool:
    """Whether it is here; says so if not."""
    found = shutil.which(program) is not None
    if not found:
        print(f"{program}: missing, skipped")
    return found


def curve(variants: int, pool: int, reference: int) -> None:
    """Pruning and attack at a quarter, a half and all of the variants, and of the people."""
    print(f"{'variants':>8} {'pool':>6} {'others':>6}  pruning        attack")
    for fewer in ("variants", "people"):
        sizes, times = [], []
        for part in (4, 2, 1):
            number = variants if fewer == "people" else max(variants // part // BLOCK, 1) * BLOCK
            ours, theirs = (
                (pool, reference) if fewer == "variants" else (pool // part, reference // part)
            )
            with tempfile.TemporaryDirectory() as name:
                folder = Path(name)
                apart(write_mosaics, folder / "pool", ours, number, 1)
                apart(write_mosaics, folder / "reference", theirs, number, 2)
                both = (
                    apart(prune, folder / "reference"),
                    apart(attack, folder / "pool", folder / "reference"),
                )
            shown = "  ".join(f"{seconds:6.2f} s {peak:4.0f} MB" for seconds, peak in both)
            print(f"{number:8,} {ours:6,} {theirs:6,} {shown}", flush=True)
            sizes.append(number if fewer == "variants" else theirs)
            times.append([seconds for seconds, _ in both])
        powers = np.polyfit(np.log(sizes), np.log(times), 1)[0]
        print(f"time grows by the power {powers[0]:.2f} and {powers[1]:.2f} of {fewer}")


def vcf(folder: Path) -> None:
    """A tenth of the pool's variants as VCF, read by plink2 and by a scan."""
    names = folder / "tenth.txt"
    lines = (folder / "pool.bim").read_text().splitlines()
    names.write_text("\n".join(line.split()[1] for line in lines[: len(lines) // 10]))
    export = ["plink2", "--bfile", str(folder / "pool"), "--extract", str(names)]
    export += ["--export", "vcf-4.2", "bgz", "id-paste=iid", "--out", str(folder / "study")]
    subprocess.run(export, check=True, capture_output=True)
    people = [line.split() for line in (folder / "pool.fam").read_text().splitlines()]
    status = "".join(f"{person[0]} {person[1]} {person[5]}\n" for person in people)
    (folder / "status.txt").write_text(status)
    path = str(folder / "study.vcf.gz")
    read = ["plink2", "--vcf", path, "--threads", "1", "--make-pgen", "--out", f"{path}.out"]
    report("plink2 reads a tenth as VCF", child(read))
    report("we scan a tenth as VCF", apart(scan, Path(path), folder / "status.txt"))


def report(what: str, measured: tuple[float, float]) -> None:
    """One line: seconds of CPU and megabytes."""
    seconds, peak = measured
    print(f"{what:34} {seconds:8.2f} s CPU {peak:8.0f} MB", flush=True)


def apart(work: Callable[..., None], *given: object) -> tuple[float, float]:
    """CPU seconds and memory of work in a process of its own; its imports do not count."""
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=_measured, args=(theirs, work, given))
    process.start()
    theirs.close()
    found: tuple[float, float] = ours.recv()
    process.join()
    return found


def _measured(
    answer: "multiprocessing.connection.Connection",
    work: Callable[..., None],
    given: tuple[object, ...],
) -> None:
    start = time.process_time()
    work(*given)
    seconds = time.process_time() - start
    answer.send((seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3))


def child(command: list[str]) -> tuple[float, float]:
    """CPU seconds of a program; its memory is not known."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return seconds, float("nan")


def plink(prefix: Path, window: int) -> tuple[float, float]:
    """PLINK's pruning in windows of so many variants, at r² .1."""
    command = ["plink1.9", "--bfile", str(prefix), "--threads", "1", "--out", str(prefix)]
    return child([*command, "--indep-pairwise", str(window), "5", "0.1"])


def prune(prefix: Path) -> None:
    """Ours, at the same level."""
    panel, pruning = Panel.from_plink(prefix), Pruning(0.1)
    counts = panel.counts(lambda _: None)
    for start in range(0, len(panel.variants), TOGETHER):
        which = np.arange(start, min(start + TOGETHER, len(panel.variants)))
        places = panel.variants.chromosome[which].tolist()
        pruning.keep(places, Genotypes.of(panel.copies(which), counts[which]))


def prune_in_floats(prefix: Path) -> None:
    """As where numkong or the processor's products of bytes are missing."""
    products.BYTES = False
    prune(prefix)


def attack(pool: Path, reference: Path) -> None:
    """All of it."""
    gwas.attack(pool, reference)


def utility(prefix: Path) -> None:
    """Simulated releases, the file read."""
    gwas.utility(prefix, top=TOP, gamma=2.0, trials=DRAWS)


def scan(path: Path, status: Path) -> None:
    """Counts and statistics."""
    gwas.scan(path, phenotype=status)


def simulation(prefix: Path) -> None:
    """A study of people and variants, half of them cases."""
    people, variants = STUDY
    gwas.simulate(
        prefix, individuals=people, cases=people // 2, variants=variants, causal=3, seed=1
    )


def genealogies() -> None:
    """The coalescent of the same study, as long and as many people."""
    import msprime

    for seed in (1, 2, 3):
        trees = msprime.sim_ancestry(
            2 * STUDY[0],
            population_size=POPULATION_SIZE,
            recombination_rate=RECOMBINATION_RATE,
            sequence_length=STUDY[1] * 5_000 // 3,
            random_seed=seed,
        )
        msprime.sim_mutations(
            trees,
            rate=MUTATION_RATE,
            model=msprime.BinaryMutationModel(),
            discrete_genome=False,
            random_seed=seed,
        )


def write_mosaics(prefix: Path, people: int, variants: int, seed: int) -> None:
    """PLINK files of people, every other one a case."""
    structure = np.random.default_rng(0)
    frequency = structure.beta(0.8, 2.5, BLOCK) * 0.5 + 0.002
    waves = np.empty((BLOCK, HAPLOTYPES))
    waves[0] = structure.normal(size=HAPLOTYPES)
    for index in range(1, BLOCK):
        waves[index] = 0.9 * waves[index - 1]
        waves[index] += np.sqrt(1 - 0.9**2) * structure.normal(size=HAPLOTYPES)
    haplotypes = (waves < ndtri(frequency)[:, None]).astype(np.int8)
    rng = np.random.default_rng(seed)
    with PlinkWriter(prefix, np.arange(people) % 2 == 0) as writer:
        for start in range(0, variants, BLOCK):
            mother, father = rng.integers(HAPLOTYPES, size=(2, people))
            writer.write(_names(start, variants), haplotypes[:, mother] + haplotypes[:, father])


def _names(start: int, variants: int) -> Variants:
    places = range(start + 1, start + BLOCK + 1)
    chromosome = str(1 + 22 * start // variants)
    names = [f"v{place}" for place in places]
    return Variants([chromosome] * BLOCK, names, places, ["A"] * BLOCK, ["G"] * BLOCK)


if __name__ == "__main__":
    main()
