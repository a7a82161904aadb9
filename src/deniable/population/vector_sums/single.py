"""One record's bracket: a pilot plans lists and bets, fresh draws settle them."""

import math
from typing import ClassVar, Protocol, TypeAlias

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.population.vector_sums.lists import IN, OUT, Hiding
from deniable.population.vector_sums.wager import SMALL, Wager, crossing
from deniable.population.vector_sums.weighed_threshold import WeighedThreshold
from deniable.population.work.effort import Effort
from deniable.population.work.parallel import Arrays

PILOT, FRESH = 0, 1
"""Stages: random numbers of one are independent of the other's."""
PILOT_CANDIDATES = 4
_NOISE_SHARE = 1 / 12
_BET_SHARE = 1 / 2
_PATIENCE = 6

Pair: TypeAlias = tuple[NDArray[np.float64], NDArray[np.float64]]


class Subject(Protocol):
    """A release whose records can be bracketed one by one."""

    most_candidates: ClassVar[int]

    @property
    def population(self) -> int:
        """N."""

    @property
    def pilot_draws(self) -> int:
        """How many draws plan the rest."""

    def target(self, record: int) -> Hiding:
        """One record's two worlds."""

    def directions(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """A score's slope and the length of the shift, for every record."""

    def block_draws(self, candidates: int) -> int:
        """How many draws make one block of work."""

    def fingerprint(self) -> bytes:
        """Everything that determines the draws."""


@attrs.frozen(eq=False)
class Task:
    """Draws of one record in both worlds, at one place of the random numbers."""

    release: Subject
    record: int
    candidates: int
    n_draws: int
    effort: Effort
    place: tuple[int, ...]


def draw(task: Task) -> Arrays:
    """ln f_in/f_out and scores, worlds first; and the spread that one candidate adds."""
    target = task.release.target(task.record)
    slope = task.release.directions()[0][task.record]
    found = [
        target.draws(
            task.effort.generator(*task.place, task.record, world),
            world,
            task.candidates,
            task.n_draws,
            slope,
        )
        for world in (IN, OUT)
    ]
    return {
        "log_ratios": np.stack([each.log_ratios for each in found]),
        "scores": np.stack([each.scores for each in found]),
        "spread": np.array([each.spread for each in found]),
    }


@attrs.frozen(eq=False)
class Plan:
    """What a pilot settled for one record, before any draw that counts.

    Parameters
    ----------
    record : int
        Position in the parent set.
    candidates : int
        Length K of every list.
    estimate : float
        ε̃ as the pilot saw it: no bound, only a reason to stop.
    enough : int
        Draws after which more would not help.
    wagers : (Wager, Wager)
        Against D(in‖out) ≥ δ and D(out‖in) ≥ δ.
    attack : WeighedThreshold or None
        For the lower end, where none is known.
    """

    record: int
    candidates: int
    estimate: float
    enough: int
    wagers: tuple[Wager, Wager]
    attack: WeighedThreshold | None

    @classmethod
    def of(
        cls,
        pilot: Arrays,
        task: Task,
        delta: float,
        gap: float,
        alpha: float,
        *,
        attacked: bool = True,
    ) -> "Plan":
        """Read a pilot's draws; `gap` is the relative width, `attacked` asks for a lower end."""
        ratios, scores = _pair(pilot["log_ratios"]), _pair(pilot["scores"])
        distance = float(task.release.directions()[1][task.record])
        noise = gap * max(distance, 0.05) ** 2 * _NOISE_SHARE
        spread = float(np.asarray(pilot["spread"], np.float64).max())
        candidates = math.ceil(min(spread / noise, task.release.most_candidates))
        precision = gap * _BET_SHARE
        towards = (ratios[IN], -ratios[OUT])
        wagers = (
            Wager.planned(towards[0], delta, precision),
            Wager.planned(towards[1], delta, precision),
        )
        estimates = [crossing(each, delta) for each in towards]
        sign = 1.0 if estimates[0] >= estimates[1] else -1.0
        attack = (
            WeighedThreshold.planned(ratios, scores, sign, delta, precision) if attacked else None
        )
        expected = max(wager.draws(log, alpha) for wager, log in zip(wagers, towards, strict=True))
        return cls(
            task.record,
            max(candidates, 1),
            max(estimates),
            _PATIENCE * expected,
            wagers,
            attack,
        )


@attrs.define(eq=False)
class Standing:
    """A plan and the draws so far; its ends hold whenever one stops."""

    plan: Plan
    alpha_upper: float
    alpha_lower: float
    known_lower: float | None
    upper: float = math.inf
    lower: float = 0.0
    n_draws: int = 0
    _ratios: list[NDArray[np.float64]] = attrs.field(factory=list)
    _scores: list[NDArray[np.float64]] = attrs.field(factory=list)

    def __attrs_post_init__(self) -> None:
        self.lower = self.known_lower or 0.0

    def add(self, block: Arrays) -> None:
        """Take a block of fresh draws."""
        self._ratios.append(block["log_ratios"])
        self._scores.append(block["scores"])
        self.n_draws += block["log_ratios"].shape[1]

    def settle(self) -> None:
        """Both ends, from all draws so far."""
        if not self._ratios:
            return
        ratios = _pair(np.concatenate(self._ratios, axis=1))
        towards = (ratios[IN], -ratios[OUT])
        self.upper = max(
            wager.largest_epsilon(log, self.alpha_upper)
            for wager, log in zip(self.plan.wagers, towards, strict=True)
        )
        if self.known_lower is None and self.plan.attack is not None:
            scores = _pair(np.concatenate(self._scores, axis=1))
            self.lower = self.plan.attack.largest_epsilon(ratios, scores, self.alpha_lower)

    def done(self, gap: float) -> bool:
        """Whether the gap is reached, or more draws would not help."""
        near = self.upper <= self.lower + gap * max(self.lower, SMALL)
        return near or self.n_draws >= self.plan.enough


def _pair(worlds: NDArray[np.generic]) -> Pair:
    both = np.asarray(worlds, np.float64)
    return both[IN], both[OUT]
