"""What `deniable gwas safe` promises beside what the attack measures, in one made-up population.

Cases and controls are drawn from one population with 4,000 unlinked variants. `safe` chooses
variants by a reference of 5,000, for frequencies of the cases that are exact or rounded. They are
written as a table, as PLINK does, and `deniable gwas attack --published` tries it on all cases with
references of 50 to 5,000 people. The promise is about an attacker who knows the population: it
should be at or above each measured power, and near it for the largest reference. Some minutes.
"""

import tempfile
from pathlib import Path

import numpy as np

from benchmarks._help import end_for_help
from benchmarks._sizes import sized
from deniable import gwas
from deniable.gwas.files.plink import PlinkWriter
from deniable.gwas.genotypes import Variants

VARIANTS, FPR = sized(4_000, 200), 0.05
POOLS = sized({100: 6, 500: 2, 2_000: 1}, {40: 1})
"""People in the cases, and how many studies are drawn: chance differs less among many people."""
STRANGERS = sized(400, 40)
"""At least so many in all references of a size: the threshold is taken among them."""
REFERENCES = sized((50, 200, 1_000, 5_000), (40, 100))
LIMITS = sized({None: (0.75, 0.99), 2: (0.9,), 1: (0.9,)}, {None: (0.99,)})
"""Posteriors by decimals, from a belief of one half."""


def main() -> None:
    """Print a line a study size, rounding and limit."""
    rng = np.random.default_rng(1)
    frequency = np.exp(rng.uniform(np.log(0.005), np.log(0.5), VARIANTS))
    heads = "  ".join(f"k={k:<5}" for k in REFERENCES)
    print(f"{'cases':>6} {'decimals':>8} {'limit':>5} {'variants':>8}  promised  {heads}")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for people in REFERENCES:
            for number in range(references(people)):
                write(folder / f"others{people}-{number}", drawn(rng, frequency, people))
        for people, studies in POOLS.items():
            made = [folder / f"study{people}-{i}" for i in range(studies)]
            for prefix in made:
                write(prefix, drawn(rng, frequency, 2 * people))
            for decimals, limits in LIMITS.items():
                for limit in limits:
                    line(folder, made, people, decimals, limit)


def line(folder: Path, made: list[Path], people: int, decimals: int | None, limit: float) -> None:
    """What is promised, and what is measured with each reference."""
    found = gwas.safe(
        made[0],
        posterior=limit,
        prior=0.5,
        groups="cases",
        decimals=decimals,
        reference=folder / f"others{REFERENCES[-1]}-0",
        prune=1.0,
        fpr=FPR,
        out=folder / "list.txt",
    )
    chosen = set((folder / "list.txt").read_text().split())
    for prefix in made:
        publish(prefix, chosen, people, decimals)
    measured = [measure(folder, made, size) for size in REFERENCES]
    shown = "  ".join(f"{power:<7.3f}" for power in measured)
    told = "exact" if decimals is None else decimals
    print(
        f"{people:6,} {told:>8} {limit:5} {found.variants:8,}  {found.power:8.3f}  {shown}",
        flush=True,
    )


def references(people: int) -> int:
    """How many references of that size are drawn."""
    return max(*POOLS.values(), STRANGERS // people)


def measure(folder: Path, made: list[Path], size: int) -> float:
    """The mean power, each study with references of its own."""
    pairs = max(len(made), STRANGERS // size)
    found = [attack(made[i % len(made)], folder / f"others{size}-{i}") for i in range(pairs)]
    return float(np.mean(found))


def attack(prefix: Path, reference: Path) -> float:
    """Power of the likelihood ratio against the cases."""
    published = prefix.with_suffix(".frq.cc")
    found = gwas.attack(prefix, reference, published=published, on="cases", prune=1.0, fpr=FPR)
    return found.power_lr


def publish(prefix: Path, chosen: set[str], people: int, decimals: int | None) -> None:
    """A table of the cases' frequencies at the chosen variants."""
    table = prefix.parent / "counts.tsv"
    gwas.scan(prefix, out=table, top=0)
    lines = [each.split("\t") for each in table.read_text().splitlines()[1:]]
    with prefix.with_suffix(".frq.cc").open("w") as file:
        file.write("CHR SNP A1 A2 MAF_A NCHROBS_A\n")
        for row in lines:
            if row[1] not in chosen:
                continue
            copies = int(row[6]) + 2 * int(row[7])
            share = copies / (2 * people)
            told = f"{share:.12f}" if decimals is None else f"{share:.{decimals}f}"
            file.write(f"{row[0]} {row[1]} {row[3]} {row[4]} {told} {2 * people}\n")


def drawn(rng: np.random.Generator, frequency: np.ndarray, people: int) -> np.ndarray:
    """Copies of unlinked variants of that many people."""
    return rng.binomial(2, frequency[:, None], (len(frequency), people)).astype(np.int8)


def write(prefix: Path, copies: np.ndarray) -> None:
    """PLINK files of people, the first half cases; those of a reference have other names."""
    number, people = copies.shape
    columns = ["1"] * number, [f"v{i}" for i in range(number)], range(1, number + 1)
    variants = Variants(*columns, ["A"] * number, ["G"] * number)
    first = 1_000_001 if prefix.name.startswith("others") else 1
    with PlinkWriter(prefix, np.arange(people) < people // 2, first=first) as writer:
        writer.write(variants, copies)


if __name__ == "__main__":
    end_for_help(__doc__)
    main()
