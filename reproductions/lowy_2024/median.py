"""The exponential mechanism on a geometric median, all samples enumerated: Figures 1 to 3.

The loss of a candidate w on D is the mean of ‖w − D_i‖; candidates are normal vectors scaled to
unit norm, the records of the parent set N(w_1, σ²I), cut to norm C.
"""

from collections.abc import Callable, Iterator, Sequence

import attrs
import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.spatial.distance import cdist

from deniable.population.choices.enumeration import enumerate_samples
from deniable.population.choices.scores import adjacent_epsilon, restricted_epsilon
from reproductions.lowy_2024.marks import BESIDE, PAPER, TABLE, Curve, Mark
from reproductions.lowy_2024.settings import CLIP_OF_FIGURE_3, SEED, SMALL, Settings

ONE_PLUS_C, TWO_C = "Δ = (1 + C)/n", "Δ = 2C/n"
BY_SENSITIVITY, EXACT = "ε(X) by sensitivity", "ε(X) exact"
OVER_EPSILON, OVER_RESTRICTED = "ε̃/ε", "ε̃/ε(X)"
_FAR = 1e6
"""A scale beyond which no ε(X) of a few units is looked for."""


@attrs.frozen
class Drawing:
    """The law that a parent set and its candidates are drawn from."""

    columns: int
    candidates: int
    clip: float
    spread: float = 1.0
    outliers: int = 0
    stretch: float = 1.0
    size: int = SMALL

    def draw(self, number: int) -> "Median":
        """A parent set. In one dimension candidates are ±1; all alike is drawn again."""
        rng = np.random.default_rng([SEED, number, self.columns])
        candidates = _on_the_sphere(rng, self.candidates, self.columns)
        while np.ptp(candidates, axis=0).max() == 0:
            candidates = _on_the_sphere(rng, self.candidates, self.columns)
        noise = rng.normal(size=(2 * self.size, self.columns))
        records = candidates[0] + self.spread * noise
        records[rng.permutation(len(records))[: self.outliers]] *= self.stretch
        norms = np.linalg.norm(records, axis=1, keepdims=True)
        cut = records * np.minimum(1.0, self.clip / norms)
        return Median(cdist(candidates, cut), self.size, self.clip)


def _on_the_sphere(rng: np.random.Generator, many: int, columns: int) -> NDArray[np.float64]:
    vectors = rng.normal(size=(many, columns))
    return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True))


@attrs.frozen(eq=False)
class Median:
    """n times the part of each record in each candidate's loss, shape (candidates, records)."""

    losses: NDArray[np.float64]
    size: int
    clip: float

    @property
    def moved(self) -> float:
        """n Δ_X: how far one record of X in place of another moves any candidate's loss."""
        return restricted_epsilon(self.losses) / 2

    def by_sensitivity(self, restricted: float) -> NDArray[np.float64]:
        """What each record adds to each exponent, where ε times Δ_X/Δ is this ε(X)."""
        return self.losses * (restricted / (2 * self.moved))

    def exact(self, restricted: float) -> NDArray[np.float64]:
        """The same, where this is the largest loss between adjacent samples of X."""
        scores = self.by_sensitivity(restricted)

        def above(factor: float) -> float:
            return _adjacent(scores * factor, self.size) - restricted

        # By sensitivity ε(X) is never smaller than the exact one: begin there and go up.
        factor = 1.0
        while above(factor) < 0 and factor < _FAR:
            factor *= 2
        if factor == 1.0:
            return scores
        return scores * float(brentq(above, factor / 2, factor, xtol=1e-4 * factor))

    def epsilon(self, scores: NDArray[np.float64], sensitivity: str) -> float:
        """The worst-case ε that goes with these scores, by either reading of Δ."""
        reach = 1 + self.clip if sensitivity == ONE_PLUS_C else 2 * self.clip
        return restricted_epsilon(scores) * reach / self.moved

    def population(self, scores: NDArray[np.float64]) -> float:
        """ε̃, exact; rounded up."""
        return enumerate_samples(scores, self.size).population_epsilon().maximum().upper


def _adjacent(scores: NDArray[np.float64], size: int) -> float:
    found = adjacent_epsilon(scores, size)
    assert found is not None
    return found.upper


def _marks(figure: int, x: float, sets: Sequence[Median], restricted: float) -> Iterator[Mark]:
    """Both ratios under both readings of ε(X), ε under both of Δ."""
    for reading, whose in ((BY_SENSITIVITY, PAPER), (EXACT, BESIDE)):
        scores = [
            s.by_sensitivity(restricted) if reading == BY_SENSITIVITY else s.exact(restricted)
            for s in sets
        ]
        population = np.array([s.population(t) for s, t in zip(sets, scores, strict=True)])

        def curve(panel: str, name: str = reading, whose: str = whose) -> Curve:
            return Curve(figure, panel, name, whose)

        yield curve(TABLE, f"ε̃, {reading}").mean(x, population.tolist())
        yield curve(OVER_RESTRICTED).mean(x, (population / restricted).tolist())
        for by in (ONE_PLUS_C, TWO_C):
            worst = [s.epsilon(t, by) for s, t in zip(sets, scores, strict=True)]
            yield curve(TABLE, f"ε, {reading}, {by}").mean(x, worst)
            yield curve(OVER_EPSILON, f"{reading}, {by}").mean(x, (population / worst).tolist())


def _figure(
    figure: int,
    xs: Sequence[float],
    drawing: Callable[[float], Drawing],
    restricted: float,
    settings: Settings,
) -> Iterator[Mark]:
    for x in xs:
        law = drawing(x)
        sets = [law.draw(number) for number in range(settings.enumerated)]
        yield from _marks(figure, x, sets, restricted)


def figure_1(settings: Settings) -> Iterator[Mark]:
    """Ratios against σ: d = 1, m = 10, C = 10, ε(X) = 5."""
    yield from _figure(
        1, settings.spreads, lambda x: Drawing(1, 10, clip=10.0, spread=x), 5.0, settings
    )


def figure_2(settings: Settings) -> Iterator[Mark]:
    """Ratios against C: d = 5, m = 32, σ = 1, two records times 100, ε(X) = 10."""
    yield from _figure(
        2,
        settings.medians_clips,
        lambda x: Drawing(5, 32, clip=x, outliers=2, stretch=100.0),
        10.0,
        settings,
    )


def figure_3(settings: Settings) -> Iterator[Mark]:
    """Ratios against d: m = 10, σ = 1, ε(X) = 2."""
    yield from _figure(
        3,
        settings.medians_columns,
        lambda x: Drawing(int(x), 10, clip=CLIP_OF_FIGURE_3),
        2.0,
        settings,
    )
