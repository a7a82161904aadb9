"""The probability that exactly the causal pair is released, for every reading of the paper."""

import itertools
import math
from collections.abc import Callable, Iterator

import attrs
import numpy as np

from deniable.gwas.owner.selection_draws import selection_draws
from deniable.gwas.owner.utility import set_probability
from deniable.gwas.publication.request import study_budget
from deniable.gwas.scores.adjacency import StudyAdjacency
from deniable.gwas.scores.scores import Score, Scores, scores
from deniable.mechanisms import NoisyTopK, SelectionNoise
from reproductions.tramer_2015.studies import BaseStudy

TOP = 2
TOPS = (2, 3, 5)
"""Variants released: the causal pair alone, and with room for others."""
DRAWS = 2000
"""Simulated releases of a replicate: a share near ½ is known to within .022."""
SIZES = (2000, 5000, 7500, 10_000, 15_000)
GAMMAS = (1.1, 1.25, 1.5, 1.75, 2.0, 2.5, 3.0, 4.0)
PRIORS = {"any": (0.0, 1.0), "half": (0.5, 0.5)}
SEED = 2015

Progress = Callable[[float], None]


@attrs.frozen
class Point:
    """One mark of a curve: the mean over replicates, and its standard error."""

    study: str
    individuals: int
    score: str
    adjacency: str
    noise: str
    prior: str
    gamma: float
    epsilon: float
    probability: float
    standard_error: float


def evaluated(
    study: BaseStudy, sizes: tuple[int, ...], replicates: int, tell: Progress
) -> Iterator[Point]:
    """Every setting at every size, ε from γ for any belief and for belief ½."""
    work = list(itertools.product(sizes, _kinds()))
    for done, (size, (score, adjacency)) in enumerate(work):
        found = [
            scores(counts, score=score, adjacency=adjacency)
            for counts in study.resampled(size, replicates, SEED)
        ]
        for noise, (prior, ends), gamma in itertools.product(
            SelectionNoise, PRIORS.items(), GAMMAS
        ):
            budget = study_budget(
                cases=size // 2, controls=size // 2, adjacency=adjacency, gamma=gamma, prior=ends
            )
            chances = [_probability(each, study.causal, budget.epsilon, noise) for each in found]
            yield Point(
                study.name, size, score.value, adjacency.value, noise.value, prior, gamma,
                budget.epsilon, float(np.mean(chances)),
                float(np.std(chances, ddof=1) / math.sqrt(replicates)),
            )  # fmt: skip
        tell((done + 1) / len(work))


@attrs.frozen
class RoomPoint:
    """The probability that the causal pair is among `top` released variants."""

    study: str
    individuals: int
    top: int
    score: str
    adjacency: str
    noise: str
    gamma: float
    epsilon: float
    probability: float
    standard_error: float


def with_room(study: BaseStudy, sizes: tuple[int, ...], replicates: int) -> Iterator[RoomPoint]:
    """Any belief, γ = 2: the noise of each round grows with `top`, and so does the room."""
    gamma = 2.0
    for size, (score, adjacency) in itertools.product(sizes, _kinds()):
        found = [
            scores(counts, score=score, adjacency=adjacency)
            for counts in study.resampled(size, replicates, SEED)
        ]
        budget = study_budget(
            cases=size // 2, controls=size // 2, adjacency=adjacency, gamma=gamma, prior=(0, 1)
        )
        for top, noise in itertools.product(TOPS, SelectionNoise):
            shares = [
                _pair_among(each, study.causal, budget.epsilon, top, noise, seed)
                for seed, each in enumerate(found)
            ]
            yield RoomPoint(
                study.name, size, top, score.value, adjacency.value, noise.value, gamma,
                budget.epsilon, float(np.mean(shares)),
                float(np.std(shares, ddof=1) / math.sqrt(replicates)),
            )  # fmt: skip


def _pair_among(
    found: Scores,
    causal: tuple[int, int],
    epsilon: float,
    top: int,
    noise: SelectionNoise,
    seed: int,
) -> float:
    scale = 2 * top * found.sensitivity_steps / epsilon
    mechanism = NoisyTopK(scale, top, noise)
    rng = np.random.default_rng([SEED, seed])
    released = selection_draws(found.steps, mechanism, rng, DRAWS)
    return float((np.isin(released, causal).sum(axis=1) == len(causal)).mean())


def _kinds() -> list[tuple[Score, StudyAdjacency]]:
    every = Score.DISTANCE, Score.ALLELIC, Score.GENOTYPIC
    return list(itertools.product(every, StudyAdjacency))


def _probability(
    found: Scores, causal: tuple[int, int], epsilon: float, noise: SelectionNoise
) -> float:
    """Scale 2MΔ/ε, as both laws need for scores that do not all move the same way."""
    if math.isinf(epsilon):
        best = np.argsort(-found.steps, kind="stable")[:TOP]
        return float(set(best.tolist()) == set(causal))
    scale = 2 * TOP * found.sensitivity_steps / epsilon
    bound = set_probability(found.steps, causal, NoisyTopK(scale, TOP, noise))
    return (bound.lower + bound.upper) / 2
