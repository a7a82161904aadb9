"""The small study of this folder, simulated: python -m tests.data.plink.make PREFIX."""

import sys
from pathlib import Path

import numpy as np

from deniable.gwas.files.plink import PlinkWriter
from deniable.gwas.genotypes import Variants

INDIVIDUALS, VARIANTS, UNKNOWN, STRONG = 211, 150, 8, 6


def main(prefix: Path) -> None:
    """Frequencies on both sides of one half, missing calls, and everything that is special."""
    rng = np.random.default_rng(2015)
    kind = rng.permutation(np.arange(INDIVIDUALS) % 2)
    kind[rng.choice(INDIVIDUALS, UNKNOWN, replace=False)] = 2
    cases, controls = kind == 0, kind == 1
    frequency = rng.beta(0.6, 1.2, VARIANTS)
    chance = np.repeat(frequency[:, None], INDIVIDUALS, axis=1)
    chance[:STRONG] = np.where(cases, 0.9, np.linspace(0.05, 0.6, STRONG)[:, None])
    copies = rng.binomial(2, chance)
    inbred = slice(STRONG, STRONG + 20)
    copies[inbred] = 2 * (copies[inbred] > 0)
    copies[STRONG + 20] = 1  # everybody heterozygous
    copies[STRONG + 21], copies[STRONG + 22] = 0, 2  # everybody the same
    copies[rng.random(copies.shape) < rng.uniform(0, 0.1, (VARIANTS, 1))] = -1
    copies[STRONG + 23, cases] = -1  # no case has a call
    copies[STRONG + 24] = -1  # nobody has
    alleles = rng.permuted(np.tile(list("ACGT"), (VARIANTS, 1)), axis=1)
    order = rng.permutation(VARIANTS)
    variants = Variants(
        chromosome=[str(1 + 22 * i // VARIANTS) for i in range(VARIANTS)],
        identifier=[f"sim{i}" for i in range(VARIANTS)],
        position=1000 * np.arange(1, VARIANTS + 1),
        allele_1=alleles[:, 0],
        allele_2=alleles[:, 1],
    )
    with PlinkWriter(prefix, cases, controls) as writer:
        writer.write(variants, copies[order])


if __name__ == "__main__":
    main(Path(sys.argv[1]))
