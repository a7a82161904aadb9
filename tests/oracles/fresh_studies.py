"""How many members pass a limit on beliefs, by drawing the studies anew; no law of evidence.

The attacker knows the population's frequency of every variant, and one person's genotype. Nothing
here comes from the package.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import erfc
from scipy.stats import binom

_FREQUENCIES = 64
"""Frequencies that a variant may have in the population."""

Members = dict[str, NDArray[np.float64]]
"""Log likelihood ratios of members by question, each of a study of their own."""


@dataclass(frozen=True)
class Output:
    """What is published of each variant.

    Parameters
    ----------
    groups : str
        "both", "cases", "controls" or "everybody".
    decimals, p_values : int or None
        Of frequencies, and significant digits of the allelic test's p-values.
    frequencies : bool
        Whether frequencies are published.
    """

    groups: str = "both"
    decimals: int | None = None
    p_values: int | None = None
    frequencies: bool = True

    def labels(self, cases: int, controls: int) -> NDArray[np.int64]:
        """A number for each pair of counts; pairs that are published alike have the same."""
        x = np.arange(2 * cases + 1)[:, None]
        y = np.arange(2 * controls + 1)[None, :]
        shape = np.broadcast_shapes(x.shape, y.shape)
        parts = []
        if self.frequencies:
            sides = {"both": (0, 1), "cases": (0,), "controls": (1,), "everybody": (0,)}
            for side in sides[self.groups]:
                copies, people = ((x, cases), (y, controls))[side]
                halves_up = (2 * copies * 10 ** (self.decimals or 0) + 2 * people) // (4 * people)
                parts.append(copies if self.decimals is None else halves_up)
        if self.p_values is not None:
            texts = [f"{p:.{self.p_values - 1}e}" for p in allelic(x, y, cases, controls).ravel()]
            parts.append(np.unique(texts, return_inverse=True)[1].reshape(shape))
        columns = np.stack([np.broadcast_to(part, shape).ravel() for part in parts], axis=1)
        return np.unique(columns, axis=0, return_inverse=True)[1].reshape(shape)


def allelic(
    x: NDArray[np.int64], y: NDArray[np.int64], cases: int, controls: int
) -> NDArray[np.float64]:
    """p-values of the table of two by two without correction; 1 where nobody varies."""
    people, copies = cases + controls, (x + y).astype(float)
    scale = cases * controls * copies * (2 * people - copies)
    distance = 2 * people * (x * controls - y * cases).astype(float) ** 2
    return erfc(np.sqrt(np.divide(distance, 2 * scale, np.zeros_like(scale), where=scale > 0)))


class FreshStudies:
    """Members of studies that are drawn after the choice.

    Parameters
    ----------
    output : Output
        What is published.
    sizes : (int, int)
        Cases and controls; of everybody, all and none.
    low, high : float
        Between which the population's frequencies lie evenly.
    """

    def __init__(self, output: Output, sizes: tuple[int, int], low: float, high: float) -> None:
        self._sizes, self._labels = sizes, output.labels(*sizes)
        self._p = np.linspace(low, high, _FREQUENCIES)
        tables = [self._log_ratios(p) for p in self._p]
        self._case, self._control = (np.stack(each) for each in zip(*tables, strict=True))

    def given_totals(
        self, rng: np.random.Generator, totals: NDArray[np.int64], members: int
    ) -> Members:
        """Who has which allele is drawn, given how many of all people's have it."""
        cases, controls = (2 * size for size in self._sizes)
        evidence = _nothing(members)
        for total in totals.tolist():
            p = self._frequencies(rng, total, cases + controls, members)
            x = rng.hypergeometric(total, cases + controls - total, cases, members)
            self._add(evidence, p, x, total - x, self._own(rng, x, total - x))
        return evidence

    def given_results(
        self,
        rng: np.random.Generator,
        copies: NDArray[np.int64],
        members: int,
        known: tuple[NDArray[np.int64], int],
        alike: tuple[int, ...] = (0, 1),
    ) -> Members:
        """The same, given how many of the cases' and of the controls'; (n_variants, 2).

        `known` are copies among other people of the population, and how many people these are. The
        groups of `alike`, cases 0 and controls 1, are of that population too.
        """
        evidence = _nothing(members)
        for (x, y), other in zip(copies.tolist(), known[0].tolist(), strict=True):
            all_copies = 2 * (sum(self._sizes[side] for side in alike) + known[1])
            of_alike = sum((x, y)[side] for side in alike)
            p = self._frequencies(rng, of_alike + other, all_copies, members)
            of_all = np.full(members, x), np.full(members, y)
            self._add(evidence, p, *of_all, self._own(rng, *of_all))
        return evidence

    def given_others(
        self, rng: np.random.Generator, copies: NDArray[np.int64], others: int, members: int
    ) -> Members:
        """The whole study is drawn, given the copies among other people of the population."""
        cases, controls = (2 * size for size in self._sizes)
        evidence = _nothing(members)
        for total in copies.tolist():
            place = self._frequencies(rng, total, 2 * others, members)
            x, y = (rng.binomial(each, self._p[place]) for each in (cases, controls))
            self._add(evidence, place, x, y, self._own(rng, x, y))
        return evidence

    def _log_ratios(self, p: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Of being a case, and a control, by own copies and published label; (3, n) each."""
        cases, controls = (2 * size for size in self._sizes)
        x, y = np.arange(cases + 1), np.arange(controls + 1)
        outside = binom.pmf(x, cases, p), binom.pmf(y, controls, p)

        def published(of_cases, of_controls):
            return np.bincount(self._labels.ravel(), np.outer(of_cases, of_controls).ravel())

        nobody = published(*outside)
        tables = []
        for side, size in enumerate((cases, controls)):
            rows = []
            for own in range(3):
                pair = list(outside)
                # A group of nobody has no member.
                pair[side] = binom.pmf((x, y)[side] - own, size - 2, p) if size else outside[side]
                rows.append(published(*pair))
            with np.errstate(divide="ignore"):
                tables.append(np.log(np.stack(rows)) - np.log(nobody))
        return tables[0], tables[1]

    def _frequencies(self, rng, copies: int, all_copies: int, members: int) -> NDArray[np.intp]:
        chance = binom.pmf(copies, all_copies, self._p)
        return rng.choice(len(self._p), members, p=chance / chance.sum())

    def _own(self, rng, x, y) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Copies of one of the cases, and of one of the controls."""
        cases, controls = (2 * size for size in self._sizes)
        control = rng.hypergeometric(y, controls - y, 2) if controls else np.zeros_like(x)
        return rng.hypergeometric(x, cases - x, 2), control

    def _add(self, evidence: Members, place, x, y, own) -> None:
        label = self._labels[x, y]
        evidence["case"] += self._case[place, own[0], label]
        evidence["control"] += self._control[place, own[1], label]
        of_control = self._control[place, own[0], label]
        evidence["either"] += self._case[place, own[0], label] - of_control


def _nothing(members: int) -> Members:
    return {name: np.zeros(members) for name in ("case", "control", "either")}
