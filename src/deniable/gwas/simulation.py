"""Simulated case-control studies with real structure, written as PLINK files.

Nobody's genotype is in what comes out.
"""

import os
from collections import Counter, abc, deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing
from multiprocessing.pool import AsyncResult, ThreadPool
from pathlib import Path
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.errors import InvalidArgument, NotApplicable, validate
from deniable.gwas.files import PlinkWriter, Progress
from deniable.gwas.genotypes import Variants
from deniable.numerics.answer import Answer
from deniable.numerics.effort import Generator, notebook_bar, silent

try:
    import msprime
    import tskit
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
"""Common variants on a stretch for each that is wanted, on average; half as many more where there
are too few."""
_LAST = 2**31 - 1
"""The last base of a chromosome that 32 bits number."""
_BASES = np.array([("A", "G"), ("G", "A"), ("C", "T"), ("T", "C"), ("A", "C"), ("G", "T")])


@attrs.frozen
class Place:
    """The place of an unlinked piece, how many variants it gets, and how many lie before it.

    The next piece of the chromosome begins `apart` bases behind its start.
    """

    chromosome: str
    start: int
    variants: int
    before: int
    apart: int = _LAST


@attrs.frozen(eq=False)
class Stretch:
    """An unlinked piece of a chromosome: its genealogy and the variants chosen on it.

    In the trees person i has the nodes 2i and 2i + 1. The chosen sites stand in order,
    (n_variants,); allele 1 is the rarer one in the population, or where flipped the older one.
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
        return next((copies for _, copies in blocks), np.empty((0, len(people)), np.int8))

    def _blocks(
        self, people: NDArray[np.intp], among: NDArray[np.intp], block: int
    ) -> Iterator[tuple[Variants, NDArray[np.int8]]]:
        nodes = np.stack([2 * people, 2 * people + 1], axis=1).ravel()
        # Sites are decoded in place: to cut the genealogy down to them and to these people first
        # takes longer than to pass through all of its trees.
        carried = tskit.Variant(self.trees, samples=nodes)
        for start in range(0, len(among), block):
            part = among[start : start + block]
            copies = np.empty((len(part), len(people)), np.int8)
            for row, site in zip(copies, self.sites[part].tolist(), strict=True):
                carried.decode(site)
                np.add(carried.genotypes[0::2], carried.genotypes[1::2], out=row, casting="unsafe")
            flipped = self.flipped[part]
            copies[flipped] = 2 - copies[flipped]
            yield self.variants.take(part), copies


def check_installed() -> None:
    """Refuse early where msprime is missing."""
    if msprime is None:
        raise NotApplicable(
            "Expected msprime to be installed, got none. Install deniable[simulate]."
        )


def stretch(people: int, place: Place, floor: float, spacing: float, rng: Generator) -> Stretch:
    """A piece with enough common variants; longer than asked until there are.

    The population of so many people is drawn from the coalescent. Variants are chosen evenly among
    those whose rarer allele has the least frequency, in (0, ½), at a mean distance in bases.
    """
    theta = 4 * POPULATION_SIZE * MUTATION_RATE
    # Common ones a base over θ: the sum of 1/i over all that are i of the 2 · people chromosomes,
    # which are half of them at least.
    share = max(np.log(1 / floor - 1), 1 / people)
    enough = _SPARE * place.variants / (theta * share)
    ancestry, before = None, 0.0
    while True:
        length = max(enough, place.variants * spacing)
        if length > place.apart:
            raise InvalidArgument(
                "Expected variants that common on the bases of a chromosome, got too few. Lower "
                "minor_allele_frequency, or ask for fewer variants."
            )
        # A genealogy is given up only where it is too short: not for few of its mutations' sake,
        # which would prefer those with many.
        if ancestry is None or length > before:
            before = length
            ancestry = msprime.sim_ancestry(
                people,
                population_size=POPULATION_SIZE,
                recombination_rate=RECOMBINATION_RATE,
                sequence_length=int(length),
                random_seed=int(rng.integers(1, 2**31)),
            )
        # Variants are some of those that are common, chosen evenly: of fewer mutations as well.
        trees = msprime.sim_mutations(
            ancestry,
            rate=MUTATION_RATE * enough / length,
            model=msprime.BinaryMutationModel(),
            discrete_genome=False,
            random_seed=int(rng.integers(1, 2**31)),
        )
        derived = _derived_copies(trees)
        # Of whole numbers: 1 − 0.55 is less than 0.45.
        rarer = np.minimum(derived, trees.num_samples - derived) / trees.num_samples
        common = np.flatnonzero(rarer >= floor)
        bases = trees.sites_position[common].astype(np.int64)
        common = common[np.unique(bases, return_index=True)[1]]
        if len(common) >= place.variants:
            break
        enough *= 1.5
    sites = np.sort(rng.choice(common, place.variants, replace=False))
    alleles = _BASES[rng.integers(len(_BASES), size=place.variants)]
    variants = Variants(
        chromosome=np.repeat(place.chromosome, place.variants),
        identifier=[f"sim{place.before + index + 1}" for index in range(place.variants)],
        position=place.start + trees.sites_position[sites].astype(np.int64) + 1,
        allele_1=alleles[:, 0],
        allele_2=alleles[:, 1],
    )
    return Stretch(trees, sites, variants, rarer[sites], 2 * derived[sites] > trees.num_samples)


def _derived_copies(trees: Any) -> NDArray[np.int64]:
    """How many chromosomes carry each mutation."""
    copies = np.zeros(trees.num_sites, np.int64)
    # By arrays and not by site: a site is an object, and most sites are left out later.
    mutations = trees.tables.mutations
    sites, firsts = np.unique(mutations.site, return_index=True)
    nodes = mutations.node[firsts].tolist()
    stops = np.searchsorted(
        trees.tables.sites.position[sites], trees.breakpoints(as_array=True)[1:]
    )
    below, start = list[int](), 0
    for tree, end in zip(trees.trees(), stops.tolist(), strict=True):
        if end > start:
            below += map(tree.num_samples, nodes[start:end])
            start = end
    copies[sites] = below
    return copies


def effects(frequencies: NDArray[np.float64], odds_ratio: float) -> NDArray[np.float64]:
    r"""Log odds ratios that make variants of different frequency equally strong.

    .. math:: \beta_i = \ln(OR) \sqrt{\frac{1/2}{2 f_i (1 - f_i)}}

    so that β²·2f(1−f), the variance that a variant adds to the risk, is that of a variant with
    frequency ½ and the given odds ratio.

    Examples
    --------
    >>> np.exp(effects(np.array([0.5, 0.1]), 1.5)).round(3).tolist()
    [1.5, 1.966]
    """
    spread = 2 * frequencies * (1 - frequencies)
    return np.asarray(np.log(odds_ratio) * np.sqrt(0.5 / spread), np.float64)


def recruit(
    risks: NDArray[np.float64], cases: int, controls: int, rng: Generator
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Positions of cases and controls of a study, from everyone's log odds up to a constant.

    Each person's liability is the log odds plus standard logistic noise, so that disease follows a
    logistic model; the threshold is the one at which the population falls ill in the ratio that the
    study recruits. Both groups are uniform subsets of the ill and of the well.

    Examples
    --------
    >>> ill, well = recruit(np.zeros(10), 2, 3, np.random.default_rng(1))
    >>> len(ill), len(well), len({*ill.tolist(), *well.tolist()})
    (2, 3, 5)
    """
    people = len(risks)
    chance = rng.uniform(size=people)
    liability = risks + np.log(chance) - np.log1p(-chance)
    order = np.argsort(liability)
    ill = min(max(round(people * cases / (cases + controls)), cases), people - controls)
    return (
        rng.choice(order[people - ill :], cases, replace=False),
        rng.choice(order[: people - ill], controls, replace=False),
    )


_CHROMOSOMES = 22
"""The autosomes."""
LONGEST = 5_000
"""Variants of one simulated piece, so that its coalescent stays small."""
_LONG = 2.5e6
"""Bases of a piece, from which there may be another: far more than linkage reaches."""
_AT_ONCE = 8
"""Pieces that are simulated at once."""
_CAUSAL_FREQUENCY = 0.2
"""Least frequency of a variant that is made causal: rarer ones would not be found."""


@attrs.frozen
class Causal:
    """A variant that raises the risk of disease by `odds_ratio` a copy of allele_1.

    `frequency` is allele_1's in the population that the study recruits from; `position` counts
    bases from 1.
    """

    variant: str
    chromosome: str
    position: int
    frequency: float
    odds_ratio: float


@attrs.frozen(repr=False)
class Simulated(Answer):
    """A simulated study on disk: PREFIX.bed, .bim, .fam, and .causal.tsv with the truth.

    `reference` is the prefix of people of the same population who are not in it, or None.
    """

    prefix: Path
    individuals: int
    cases: int
    variants: int
    causal: tuple[Causal, ...]
    reference: Path | None = None

    def as_json(self) -> dict[str, Any]:
        """The object that `deniable gwas simulate` prints."""
        return attrs.asdict(self)


def simulate(
    out: str | os.PathLike[str],
    *,
    individuals: int,
    cases: int,
    variants: int,
    causal: int,
    seed: int,
    odds_ratio: float = 1.5,
    minor_allele_frequency: float = 0.05,
    spacing: float = 5_000.0,
    reference: int = 0,
    progress: Progress | None = None,
) -> Simulated:
    """Simulate a case-control study and write it as PLINK files.

    A population of twice the study's size, and the reference's, descends from a constant
    population of 10,000 by the coalescent with recombination; variants are chosen evenly among
    those that are common enough. They lie on a chromosome for each 2.5 million bases, up to 22, and
    what is on different ones is not linked. Disease follows a logistic model in the causal
    variants, which are equally strong and lie on different chromosomes as far as there are so many.

    Parameters
    ----------
    out : path
        Prefix of the files to write.
    individuals, cases : int
        Size of the study and how many of it are ill; 1 <= cases < individuals.
    variants, causal : int
        How many are written, and how many of them raise the risk; causal <= variants.
    seed : int
        Non-negative; the same seed gives the same files with the same version of msprime.
    odds_ratio : float
        Factor on the odds of disease a copy, for a causal variant of frequency ½; rarer ones get
        more, so that all are equally strong.
    minor_allele_frequency : float
        The least in the population, in (0, ½). Causal variants have at least 0.2; where too few of
        a piece do, they are its most frequent.
    spacing : float
        Mean distance of neighbouring variants in bases, > 0; 5,000 is that of a genotyping array.
        Closer variants are in stronger linkage; where so many common ones do not exist, they lie
        farther apart.
    reference : int
        How many others of the same population are written to PREFIX.reference.bed, .bim, .fam,
        >= 0; as `deniable.gwas.attack` wants them. They are numbered on from the study's and have
        no phenotype.
    progress : callable, optional
        Called with the fraction done, 0 to 1.

    Returns
    -------
    Simulated
        What was written, and the truth behind it.

    Raises
    ------
    InvalidArgument
        If numbers are out of range.
    NotApplicable
        If msprime is not installed.

    References
    ----------
    kelleher-2016 (msprime).
    """
    check_installed()
    prefix = Path(out)
    others_prefix = prefix.parent / f"{prefix.name}.reference"
    individuals, cases = _fewer(individuals, cases, "individuals", "cases", least=1, gap=1)
    variants, causal = _fewer(variants, causal, "variants", "causal", least=0, gap=0)
    rng = np.random.default_rng(validate.integer(seed, "seed", least=0))  # noqa: TID251 - simulated
    ratio = validate.positive(odds_ratio, "odds_ratio")
    floor = validate.open_probability(minor_allele_frequency, "minor_allele_frequency")
    if floor >= 0.5:
        raise InvalidArgument(
            f"Expected 0 < minor_allele_frequency < 0.5, got minor_allele_frequency={floor}."
        )
    apart = validate.positive(spacing, "spacing")
    beside = validate.integer(reference, "reference", least=0)
    people = 2 * individuals + beside
    # At least two copies among the population's 2 · people.
    population = _Population(people, max(floor, 1 / people), apart, rng)
    places = list(_places(variants, causal, apart))
    tell = notebook_bar(progress) or silent
    # Causal variants lie on the first piece of every chromosome before they lie on others.
    ahead = sorted(places, key=lambda place: place.start > 0)[:causal]
    ahead.sort(key=lambda place: place.before)
    order = ahead + [place for place in places if place not in ahead]
    done = iter(np.linspace(0, 1, 2 * len(places) + 1).tolist()[1:])  # simulated, and written
    pieces = population.stretches(order, lambda: tell(next(done)))
    with closing(pieces), ExitStack() as open_files:
        first = dict(zip(ahead, pieces, strict=False))
        truth, risks = population.disease(list(first.values()), causal, ratio)
        ill, well = recruit(risks, cases, individuals - cases, rng)
        mixed = rng.permutation(individuals)
        who, status = np.concatenate([ill, well])[mixed], mixed < len(ill)
        groups = [(open_files.enter_context(PlinkWriter(prefix, status)), who)]
        if beside:
            others = rng.choice(np.setdiff1d(np.arange(people), who), beside, replace=False)
            nobody = np.zeros(beside, bool)
            panel = PlinkWriter(others_prefix, nobody, nobody, first=individuals + 1)
            groups.append((open_files.enter_context(panel), np.sort(others)))
        for place in places:
            piece = first.pop(place) if place in first else next(pieces)
            for file, members in groups:
                for block, copies in piece.genotypes(members):
                    file.write(block, copies)
            tell(next(done))
        groups[0][0].attach("causal.tsv", _table(truth))
    return Simulated(prefix, individuals, cases, variants, truth, others_prefix if beside else None)


def _table(truth: tuple[Causal, ...]) -> str:
    names = [field.name for field in attrs.fields(Causal)]
    lines = [names, *([str(getattr(each, name)) for name in names] for each in truth)]
    return "".join("\t".join(line) + "\n" for line in lines)


@attrs.frozen(eq=False)
class _Population:
    """Everybody the study recruits from."""

    people: int
    floor: float
    spacing: float
    rng: Generator

    def stretches(
        self, places: Sequence[Place], advance: Callable[[], None]
    ) -> abc.Generator[Stretch, None, None]:
        """Those of all places, in order, each told; as many at once as there are processors."""
        at_once, begun = min(os.cpu_count() or 1, _AT_ONCE), deque[AsyncResult[Stretch]]()

        def finished() -> Stretch:
            piece = begun.popleft().get()
            advance()
            return piece

        # msprime computes outside Python's lock. An exit does not wait for what is begun:
        # the threads are daemons, which a program that ends takes with it.
        with ThreadPool(at_once) as threads:
            for place, rng in zip(places, self.rng.spawn(len(places)), strict=True):
                given = self.people, place, self.floor, self.spacing, rng
                begun.append(threads.apply_async(stretch, given))
                if len(begun) > at_once:
                    yield finished()
            while begun:
                yield finished()

    def disease(
        self, stretches: list[Stretch], causal: int, odds_ratio: float
    ) -> tuple[tuple[Causal, ...], NDArray[np.float64]]:
        """The truth, and everybody's log odds; causal variants are dealt out to the stretches."""
        truth: list[Causal] = []
        risks = np.zeros(self.people)
        # In turn to each, none getting more than it has sites.
        sites = (len(piece.sites) for piece in stretches)
        turns = sorted((turn, index) for index, n in enumerate(sites) for turn in range(n))
        shares = Counter(index for _, index in turns[:causal])
        for index, piece in enumerate(stretches):
            share = shares[index]
            likely = np.flatnonzero(piece.frequencies >= _CAUSAL_FREQUENCY)
            if len(likely) < share:
                likely = np.argsort(-piece.frequencies)[:share]
            causal_sites = np.sort(self.rng.choice(likely, share, replace=False))
            strengths = effects(piece.frequencies[causal_sites], odds_ratio)
            risks += strengths @ piece.copies(np.arange(self.people), causal_sites)
            truth += [
                Causal(
                    str(piece.variants.identifier[place]),
                    str(piece.variants.chromosome[place]),
                    int(piece.variants.position[place]),
                    float(piece.frequencies[place]),
                    float(np.exp(strength)),
                )
                for place, strength in zip(causal_sites, strengths, strict=True)
            ]
        return tuple(truth), risks


def _fewer(
    all_: int, some: int, larger: str, part: str, *, least: int, gap: int
) -> tuple[int, int]:
    """Whole numbers, the second at least `least` and smaller than the first by `gap`."""
    every = validate.integer(all_, larger, least=1)
    among = validate.integer(some, part, least=least)
    if among > every - gap:
        sign = "<" if gap else "<="
        raise InvalidArgument(
            f"Expected {part} {sign} {larger}, got {part}={among}, {larger}={every}."
        )
    return every, among


def _places(variants: int, causal: int, spacing: float) -> Iterator[Place]:
    """Unlinked pieces in file order, of at most `LONGEST` variants and one a causal variant.

    Of what is long enough there is one a chromosome: a coalescent takes more than twice the time of
    its halves.
    """
    wanted = max(causal, int(min(variants * spacing / _LONG, variants)))
    pieces = max(min(wanted, _CHROMOSOMES), -(-variants // LONGEST), 1)
    chromosomes = min(pieces, _CHROMOSOMES)
    apart = _LAST // -(-pieces // chromosomes)
    most = apart // -(-variants // pieces)
    if spacing > most:
        raise InvalidArgument(
            f"Expected spacing <= {most}, got spacing={spacing}. No position is above 2^31 - 1."
        )
    before, start, chromosome = 0, 0, 0
    for index in range(pieces):
        end = variants * (index + 1) // pieces
        following = index * chromosomes // pieces + 1
        start = 0 if following != chromosome else start + apart
        chromosome = following
        yield Place(str(chromosome), start, end - before, before, apart)
        before = end
