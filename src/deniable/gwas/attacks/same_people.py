"""People who stand in two files: by their genotypes, and by their identifiers."""

import math

import attrs
import numpy as np
from numpy.typing import NDArray
from scipy.special import bdtrc

from deniable.gwas.association import Genotypes, Pruning
from deniable.gwas.attacks.attack_scores import MISSING

AGREEMENT = 0.95
"""Share of equal genotypes from which two samples are one person's, or a twin's. Genotyping errors
are below 1 %; brothers and sisters agree at about 7 in 10, strangers at 4 or 5."""
_FALSE_POSITIVE_RATE = 1e-6
"""Chance of taking any two strangers for one person."""
CANDIDATES, _MARKERS = 2048, 256
"""Variants that are looked at, and those of them, hardly linked, that people are compared by."""
_LINKAGE = 0.2
"""r² of variants that are hardly linked."""
_KNOWN = 0.8
"""Share of the markers that both samples of a compared pair have calls at."""
_BLOCK = 512
"""People compared at once with everybody of the other sample."""
_TOGETHER = 256
"""Variants pruned at once: 40 megabytes for 40,000 people."""

Copies = NDArray[np.int8]
Name = tuple[str, str]


@attrs.frozen
class SamePeople:
    """Who stands in both files, as positions in the first.

    Parameters
    ----------
    shared : frozenset of int
        One person, by genotypes or by identifier and genotypes.
    only_named : int
        People of the first with an identifier of the second but other genotypes: other people.
    others : frozenset of int
        The same people's positions in the second.
    by_genotypes : bool
        Whether the variants distinguish strangers; otherwise only people with one identifier were
        compared.
    """

    shared: frozenset[int]
    only_named: int
    others: frozenset[int] = frozenset()
    by_genotypes: bool = True


def same_people(
    ones: Copies, others: Copies, names: tuple[list[Name], list[Name]], chromosomes: list[str]
) -> SamePeople:
    """Compare everybody with everybody.

    Two samples with one identifier are one person's if their genotypes agree at 19 in 20 variants:
    files of different sources count people from 1, so the identifier alone says little. Two
    samples with different identifiers are one person's where they agree at 19 in 20 of up to 256
    hardly linked variants, if strangers would agree so far with a probability of at most 1e-6 in
    all pairs together. So a few variants, at which strangers are often alike, make nobody one
    person with a stranger; then people with one identifier are the same if more of them agree than
    chance explains (1e-6). Monozygotic twins are taken for one person: no frequency
    distinguishes them either.

    Parameters
    ----------
    ones, others : ndarray of int8, shape (n_variants, n_ones) and (n_variants, n_others)
        Copies of an allele; −1 where missing. Common variants: at rare ones all people agree.
    names : (list of (str, str), list of (str, str))
        Family and individual of each.
    chromosomes : list of str, length n_variants
        Where each variant lies; those of one chromosome follow each other.
    """
    places = {name: place for place, name in enumerate(names[1])}
    named = [(i, places[name]) for i, name in enumerate(names[0]) if name in places]
    markers = _markers(np.concatenate([ones, others], axis=1), chromosomes)
    here, there = ones[markers], others[markers]
    chance = _log_chance(np.concatenate([here, there], axis=1))
    distinguishes = chance + math.log(ones.shape[1] * others.shape[1]) <= math.log(
        _FALSE_POSITIVE_RATE
    )
    pairs = [
        (i, j)
        for i, j in named
        if _agree(ones[:, i], others[:, j]) and _agree(here[:, i], there[:, j])
    ]
    if distinguishes:
        pairs += [
            pair for pair in _alike(here, there) if _agree(ones[:, pair[0]], others[:, pair[1]])
        ]
    # Of k namesakes who are strangers, as many agree by chance with a probability of at most …
    elif pairs and bdtrc(len(pairs) - 1, len(named), math.exp(chance)) > _FALSE_POSITIVE_RATE:
        pairs = []
    same = frozenset(i for i, _ in pairs)
    return SamePeople(
        same, len({i for i, _ in named} - same), frozenset(j for _, j in pairs), distinguishes
    )


def _agree(one: Copies, other: Copies) -> bool:
    known = (one != MISSING) & (other != MISSING)
    calls = np.count_nonzero(known)
    enough = calls > 0 and calls >= _KNOWN * len(known)
    return bool(enough and np.count_nonzero((one == other) & known) >= AGREEMENT * calls)


def _alike(here: Copies, there: Copies) -> list[tuple[int, int]]:
    """Pairs that agree at enough markers."""
    theirs = [(there == copies).astype(np.float32) for copies in range(3)]
    pairs = []
    for start in range(0, here.shape[1], _BLOCK):
        block = here[:, start : start + _BLOCK]
        known = (block != MISSING).astype(np.float32).T @ (there != MISSING).astype(np.float32)
        equal = sum(
            (block == copies).astype(np.float32).T @ carried
            for copies, carried in enumerate(theirs)
        )
        enough = (equal >= AGREEMENT * known) & (known >= _KNOWN * len(here))
        pairs += [(start + int(i), int(j)) for i, j in np.argwhere(enough)]
    return pairs


def _markers(everyone: Copies, chromosomes: list[str]) -> NDArray[np.intp]:
    """Variants that are hardly linked, evenly chosen among them."""
    step = max(1, -(-len(everyone) // CANDIDATES))
    among = np.arange(0, len(everyone), step)
    pruning, unlinked = Pruning(_LINKAGE), []
    for start in range(0, len(among), _TOGETHER):
        part = among[start : start + _TOGETHER]
        genotypes = Genotypes.of(everyone[part])
        unlinked.append(part[pruning.keep([chromosomes[i] for i in part], genotypes)])
    kept = np.concatenate(unlinked) if unlinked else among
    return kept[:: max(1, -(-len(kept) // _MARKERS))]


def _log_chance(everyone: Copies) -> float:
    r"""Logarithm of the probability, at most, that two strangers agree at 95 % of the markers.

    They agree at a marker with the probability μ = Σ π_g², π_g the share of people with g copies,
    and at a share a of m independent ones with at most :math:`e^{-θam} Π (1 - μ + μ e^θ)` for
    every θ >= 0 (Chernoff). A pair may lack calls; the markers that tell least are counted then.
    """
    known = np.maximum((everyone != MISSING).sum(axis=1), 1)
    shares = np.stack([(everyone == copies).sum(axis=1) / known for copies in range(3)])
    agree = np.sort((shares**2).sum(axis=0))[::-1][: math.floor(_KNOWN * len(everyone))]
    theta = np.linspace(0.0, 10.0, 101)[:, None]
    log_bound = np.log1p(agree * np.expm1(theta)).sum(axis=1) - theta[:, 0] * (
        AGREEMENT * len(agree)
    )
    return float(log_bound.min())
