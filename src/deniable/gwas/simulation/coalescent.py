"""Genealogies of made-up people: linkage and frequencies from the coalescent.

The only door to msprime.
"""

from collections.abc import Iterator
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.errors import NotApplicable
from deniable.gwas.genotypes import Variants
from deniable.numerics.effort import Generator

try:
    import msprime
except ImportError:  # an extra
    msprime = None

POPULATION_SIZE = 10_000
"""Effective number of people, constant over time."""
MUTATION_RATE = 1.25e-8
"""Each a base and generation, about that of people."""
RECOMBINATION_RATE = 1e-8
"""Each a base and generation."""
_BLOCK = 256
"""Variants simulated at once: some megabytes for ten thousand people."""
_SPARE = 1.3
"""Stretch beyond the mean length that holds enough common variants; if it does not, it is doubled.
"""
_BASES = np.array([("A", "G"), ("G", "A"), ("C", "T"), ("T", "C"), ("A", "C"), ("G", "T")])


@attrs.frozen
class Place:
    """Where an unlinked piece lies, how many variants it gets, and how many lie before it."""

    chromosome: str
    start: int
    variants: int
    before: int


@attrs.frozen(eq=False)
class Stretch:
    """An unlinked piece of a chromosome: its genealogy and the variants chosen on it.

    Parameters
    ----------
    trees : tskit.TreeSequence
        Of everybody's two chromosomes, person i having the nodes 2i and 2i + 1.
    sites : ndarray of int, shape (n_variants,)
        The chosen sites, in order.
    variants : Variants
        Their names; allele 1 is the rarer one in the population.
    frequencies : ndarray of float, shape (n_variants,)
        Of allele 1.
    flipped : ndarray of bool, shape (n_variants,)
        Whether allele 1 is the older one.
    """

    trees: Any
    sites: NDArray[np.intp]
    variants: Variants
    frequencies: NDArray[np.float64]
    flipped: NDArray[np.bool_]

    def genotypes(
        self, people: NDArray[np.intp], block: int = _BLOCK
    ) -> Iterator[tuple[Variants, NDArray[np.int8]]]:
        """Variants and copies of allele 1, (block, n_people), in blocks."""
        yield from self._blocks(people, np.arange(len(self.sites)), block)

    def copies(self, people: NDArray[np.intp], among: NDArray[np.intp]) -> NDArray[np.int8]:
        """Copies of allele 1 of the given variants; (n_among, n_people)."""
        blocks = self._blocks(people, among, max(len(among), 1))
        return next((found for _, found in blocks), np.empty((0, len(people)), np.int8))

    def _blocks(
        self, people: NDArray[np.intp], among: NDArray[np.intp], block: int
    ) -> Iterator[tuple[Variants, NDArray[np.int8]]]:
        others = np.setdiff1d(np.arange(self.trees.num_sites), self.sites[among])
        nodes = np.stack([2 * people, 2 * people + 1], axis=1).ravel()
        trees = self.trees.delete_sites(others).simplify(nodes, filter_sites=False)
        found = trees.variants()
        for start in range(0, len(among), block):
            part = among[start : start + block]
            copies = np.empty((len(part), len(people)), np.int8)
            for row in copies:
                carried = next(found).genotypes
                row[:] = carried[0::2] + carried[1::2]
            flipped = self.flipped[part]
            copies[flipped] = 2 - copies[flipped]
            yield self.variants.taken(part), copies


def check_installed() -> None:
    """Refuse early where msprime is missing.

    Raises
    ------
    NotApplicable
        If it is.
    """
    if msprime is None:
        raise NotApplicable(
            "Expected msprime to be installed, got none. Install deniable[simulate]."
        )


def stretch(people: int, place: Place, floor: float, spacing: float, rng: Generator) -> Stretch:
    """A piece with enough common variants; longer than asked until there are.

    Parameters
    ----------
    people : int
        Size of the population that is drawn from the coalescent.
    place : Place
        Where it lies, and how many variants are chosen, evenly among the common ones.
    floor : float
        The least frequency of the rarer allele, in (0, ½).
    spacing : float
        Mean distance of the chosen variants in bases, > 0.
    rng : Generator
        Everything random.
    """
    theta = 4 * POPULATION_SIZE * MUTATION_RATE
    enough = _SPARE * place.variants / (theta * np.log(1 / floor - 1))
    length = max(enough, place.variants * spacing)
    while True:
        trees = _trees(people, length, rng)
        frequencies = _derived_copies(trees) / trees.num_samples
        common = np.flatnonzero(np.minimum(frequencies, 1 - frequencies) >= floor)
        bases = trees.sites_position[common].astype(np.int64)
        common = common[np.unique(bases, return_index=True)[1]]
        if len(common) >= place.variants:
            break
        length *= 1.5
    sites = np.sort(rng.choice(common, place.variants, replace=False))
    derived = frequencies[sites]
    alleles = _BASES[rng.integers(len(_BASES), size=place.variants)]
    variants = Variants(
        chromosome=np.repeat(place.chromosome, place.variants),
        identifier=[f"sim{place.before + index + 1}" for index in range(place.variants)],
        position=place.start + trees.sites_position[sites].astype(np.int64) + 1,
        allele_1=alleles[:, 0],
        allele_2=alleles[:, 1],
    )
    return Stretch(trees, sites, variants, np.minimum(derived, 1 - derived), derived > 0.5)


def _trees(people: int, length: float, rng: Generator) -> Any:
    ancestry, mutations = rng.integers(1, 2**31, size=2)
    trees = msprime.sim_ancestry(
        people,
        population_size=POPULATION_SIZE,
        recombination_rate=RECOMBINATION_RATE,
        sequence_length=int(length),
        random_seed=int(ancestry),
    )
    return msprime.sim_mutations(
        trees,
        rate=MUTATION_RATE,
        model=msprime.BinaryMutationModel(),
        discrete_genome=False,
        random_seed=int(mutations),
    )


def _derived_copies(trees: Any) -> NDArray[np.int64]:
    """How many chromosomes carry each mutation."""
    copies = np.zeros(trees.num_sites, np.int64)
    for tree in trees.trees():
        for site in tree.sites():
            copies[site.id] = tree.num_samples(site.mutations[0].node)
    return copies
