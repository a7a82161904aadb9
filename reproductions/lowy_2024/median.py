"""The exponential mechanism on a geometric median, all samples enumerated: Figures 1 to 3."""

from collections.abc import Iterator

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.analysis.population.adjacent_subsets import adjacent_epsilon, restricted_epsilon
from deniable.analysis.population.enumeration import enumerated
from deniable.analysis.population.exponential import loss_table
from reproductions.lowy_2024.marks import PAPER, Curve, Mark
from reproductions.lowy_2024.settings import (
    CANDIDATES,
    CLIP,
    COLUMNS,
    RESTRICTED,
    SEED,
    SMALL,
    Settings,
)

ONE_PLUS_C, TWO_C = "Δ = (1 + C)/n", "Δ = 2C/n"


@attrs.frozen(eq=False)
class Median:
    """Losses of unit candidates on one parent set, the records cut to norm C."""

    losses: NDArray[np.float64]
    size: int
    clip: float

    @classmethod
    def drawn(
        cls,
        draw: int,
        *,
        size: int = SMALL,
        columns: int = COLUMNS,
        spread: float = 1.0,
        clip: float = CLIP,
        outlier: bool = False,
    ) -> "Median":
        """2n records N(0, σ²I); with an outlier the first of them lies at norm C."""
        rng = np.random.default_rng([SEED, draw, columns])
        candidates = rng.normal(size=(CANDIDATES, columns))
        candidates /= np.linalg.norm(candidates, axis=1, keepdims=True)
        records = spread * rng.normal(size=(2 * size, columns))
        norms = np.linalg.norm(records, axis=1)
        factors = np.minimum(1.0, clip / norms)
        if outlier:
            factors[0] = clip / norms[0]
        return cls(loss_table(records * factors[:, None], candidates), size, clip)

    @property
    def moved(self) -> float:
        """n Δ_X: how far one record of X in place of another moves any candidate's loss."""
        return restricted_epsilon(self.losses) / 2

    def scores(self, restricted: float) -> NDArray[np.float64]:
        """What each record adds to each exponent, at this ε(X) by restricted sensitivity."""
        return self.losses * (restricted / (2 * self.moved))

    def worst_case(self, restricted: float, sensitivity: str) -> float:
        """ε of the mechanism that has this ε(X), by either reading of Δ."""
        reach = 1 + self.clip if sensitivity == ONE_PLUS_C else 2 * self.clip
        return restricted * reach / self.moved

    def adjacent(self, restricted: float) -> float:
        """ε(X) as the text defines it: the largest loss between adjacent samples."""
        found = adjacent_epsilon(self.scores(restricted), self.size)
        assert found is not None
        return found.upper

    def population(self, restricted: float) -> float:
        """ε̃, exact; rounded up."""
        return enumerated(self.scores(restricted), self.size).population_epsilon().maximum().upper


def figure_1(settings: Settings) -> Iterator[Mark]:
    """Worst-case ε against the spread of the data, ε(X) = 10."""
    names = {each: Curve(1, f"ε, {each}", PAPER) for each in (ONE_PLUS_C, TWO_C)}
    for spread in settings.spreads:
        sets = [Median.drawn(draw, spread=spread) for draw in range(settings.replicates)]
        for sensitivity, curve in names.items():
            yield curve.mean(spread, [s.worst_case(RESTRICTED, sensitivity) for s in sets])
        adjacent = [s.adjacent(RESTRICTED) for s in sets]
        yield Curve(1, "ε(X) exact, adjacent samples").mean(spread, adjacent)
        yield Curve(1, "ε̃ exact").mean(spread, [s.population(RESTRICTED) for s in sets])


def figure_2(settings: Settings) -> Iterator[Mark]:
    """ε̃ and its ratio to each ε against C, one record at norm C, ε(X) = 10."""
    for size in settings.enumerated:
        whose = PAPER if size == SMALL else "ours"
        for clip in settings.clips:
            draws = range(settings.replicates if size == SMALL else settings.growing)
            sets = [Median.drawn(d, size=size, clip=clip, outlier=True) for d in draws]
            population = np.array([s.population(RESTRICTED) for s in sets])
            worst = [s.worst_case(RESTRICTED, ONE_PLUS_C) for s in sets]
            yield Curve(2, f"ε̃, n = {size}", whose, "ε̃").mean(clip, population.tolist())
            ratios = {"ε̃/ε(X)": population / RESTRICTED, "ε̃/ε": population / worst}
            for name, ratio in ratios.items():
                yield Curve(2, f"{name}, n = {size}", whose, "ratio").mean(clip, ratio.tolist())
            if size == SMALL:
                exact = population / [s.adjacent(RESTRICTED) for s in sets]
                yield Curve(2, "ε̃/ε(X), ε(X) exact", panel="ratio").mean(clip, exact.tolist())


def figure_3(settings: Settings) -> Iterator[Mark]:
    """ε̃ against ε(X), with and without an outlier."""
    for outlier, size in ((o, s) for o in (False, True) for s in settings.enumerated):
        draws = range(settings.replicates if size == SMALL else settings.growing)
        sets = [Median.drawn(d, size=size, outlier=outlier) for d in draws]
        kind = "an outlier" if outlier else "no outlier"
        curve = Curve(3, f"ε̃, n = {size}, {kind}", PAPER if size == SMALL else "ours")
        exact = Curve(3, f"ε(X) exact, n = {size}, {kind}")
        for restricted in settings.restricted:
            yield curve.mean(restricted, [s.population(restricted) for s in sets])
            if size == SMALL:
                yield exact.mean(restricted, [s.adjacent(restricted) for s in sets])
