"""Larger and smaller studies, resampled from a base study as the paper did."""

from collections.abc import Iterator
from pathlib import Path

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable import gwas
from deniable.gwas.files import genotypes
from deniable.gwas.genotypes import GenotypeCounts

HAPSAMPLE = ("rs4111409", "rs2324591")
"""The causal variants that HAP-SAMPLE was told of."""


@attrs.frozen(eq=False)
class BaseStudy:
    """Genotypes of cases and controls, (3, n_variants, n_people) indicators of 0, 1, 2 copies."""

    name: str
    cases: NDArray[np.float32]
    controls: NDArray[np.float32]
    causal: tuple[int, int]

    def resampled(self, individuals: int, draws: int, seed: int) -> Iterator[GenotypeCounts]:
        """Studies of that size, half of them cases, drawn with replacement from each group."""
        rng = np.random.default_rng([seed, individuals])
        half = individuals // 2
        weights = [
            rng.multinomial(half, np.full(group.shape[2], 1 / group.shape[2]), size=draws).T
            for group in (self.cases, self.controls)
        ]
        counted = [
            np.rint(group @ times.astype(np.float32)).astype(np.int64)
            for group, times in zip((self.cases, self.controls), weights, strict=True)
        ]
        for draw in range(draws):
            yield GenotypeCounts(*(_with_missing(group[:, :, draw]) for group in counted))


def hapsample(folder: Path) -> BaseStudy:
    """The study that tramer-2015 used: 1,000 cases, 1,000 controls, 9,935 variants."""
    return _read("hapsample", folder / "gwas" / "hapsample" / "hapsample", HAPSAMPLE)


def simulated(folder: Path, *, individuals: int = 2000, variants: int = 10_000) -> BaseStudy:
    """A made-up study of the same size with two equally strong causal variants.

    Variants lie 20,000 bases apart, about as hapsample's do, so that few others stand for a causal
    one. The seed is the one of 1 to 8 whose two causal variants are most alike in χ² and lead the
    others, as hapsample's do: every larger study is drawn from this one.
    """
    made = gwas.simulate(
        folder / "simulated",
        individuals=individuals,
        cases=individuals // 2,
        variants=variants,
        causal=2,
        seed=5,
        odds_ratio=1.7,
        spacing=20_000.0,
    )
    first, second = (each.variant for each in made.causal)
    return _read("simulated", made.prefix, (first, second))


def _read(name: str, prefix: Path, causal: tuple[str, str]) -> BaseStudy:
    study = genotypes(prefix)
    copies = np.concatenate(list(study.blocks(1024)))
    indicators = np.stack([(copies == count).astype(np.float32) for count in range(3)])
    names = study.variants.identifier.tolist()
    return BaseStudy(
        name,
        indicators[:, :, study.individuals.cases],
        indicators[:, :, study.individuals.controls],
        (names.index(causal[0]), names.index(causal[1])),
    )


def _with_missing(counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """(3, n_variants) -> (n_variants, 4), nothing missing."""
    return np.pad(counts.T, ((0, 0), (0, 1)))
