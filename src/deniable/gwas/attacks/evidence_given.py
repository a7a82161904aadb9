r"""What published numbers say of one person, given what was counted: the law after looking.

A choice that looks at a study's counts must not be judged by the law from before looking: it takes
variants whose counts came out as they did. Given the copies T of a variant among all N people of
the study, the cases' copies x are R of N people's by lot,

.. math:: \Pr[x \mid T] = \binom{2R}{x} \binom{2S}{T - x} \Big/ \binom{2N}{T}

and a case's own two are two of these, drawn without putting back. Neither law has the population's
frequency in it, and neither changes by a choice that rests on the T of all variants. A choice that
looks at x, too, leaves the second law as it is. The attacker's evidence has a frequency in it:
log Pr[g | x] − log Pr[g | p]. That p has a law given the counts.
"""

import attrs
import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from deniable.gwas.attacks.evidence import (
    Evidence,
    Floats,
    Rounding,
    ratios,
    ratios_of_p_values,
)

_FAR = 9.0
"""Standard deviations of x beyond which nothing is counted."""
_AROUND = 25
"""Copies about the mean that are always counted."""


@attrs.frozen
class Split:
    """How the copies of an allele fall on cases and controls.

    Parameters
    ----------
    people : (int, int)
        Cases R and controls S.
    copies : (ndarray of int, ndarray of int), shape (n,)
        Of cases, rising, and of controls.
    chance : ndarray of float, shape (n,)
        How likely each pair is.
    """

    people: tuple[int, int]
    copies: tuple[NDArray[np.int64], NDArray[np.int64]]
    chance: Floats

    @classmethod
    def of_both(cls, copies: tuple[int, int], people: tuple[int, int]) -> "Split":
        """As both were counted."""
        x, y = (np.array([each]) for each in copies)
        return cls(people, (x, y), np.ones(1))

    @classmethod
    def of_total(cls, total: int, people: tuple[int, int]) -> "Split":
        """By lot.

        Examples
        --------
        >>> Split.of_total(1, people=(10, 30)).chance.round(3).tolist()
        [0.75, 0.25]
        """
        ours, theirs = 2 * people[0], 2 * people[1]
        everybody = ours + theirs
        mean = total * ours / everybody
        spread = np.sqrt(mean * theirs / everybody * (everybody - total) / everybody)
        reach = _FAR * spread + _AROUND
        least = max(0, total - theirs, int(mean - reach))
        x = np.arange(least, min(total, ours, int(mean + reach) + 1) + 1)
        y = total - x
        logs = -gammaln(x + 1) - gammaln(ours - x + 1) - gammaln(y + 1) - gammaln(theirs - y + 1)
        chance = np.exp(logs - logs.max())
        return cls(people, (x, y), chance / chance.sum())


def given(
    split: Split, possible: list[float], weights: Floats, rounding: Rounding
) -> dict[str, Evidence]:
    """Of being in the cases, in the controls, and a case and no control, given the counts.

    Parameters
    ----------
    split : Split
        Of the copies.
    possible, weights : list of float, ndarray of float
        What the population's frequency may be, and how likely each is.
    rounding : Rounding
        Of what is published.
    """
    own = [_drawn(x, people) for x, people in zip(split.copies, split.people, strict=True)]
    found: dict[str, list[_Part]] = {"cases": [], "controls": [], "either": []}
    for p, weight in zip(possible, weights.tolist(), strict=True):
        chance = weight * split.chance
        case, control = _of_groups(split, p, rounding)
        stranger = np.array([[(1 - p) ** 2], [2 * p * (1 - p)], [p * p]])
        with np.errstate(invalid="ignore"):
            either = np.nan_to_num(case - control, nan=0.0, posinf=np.inf, neginf=-np.inf)
        found["cases"].append((case, chance * own[0], chance * stranger))
        found["controls"].append((control, chance * own[1], chance * stranger))
        found["either"].append((either, chance * own[0], chance * own[1]))
    return {name: _mixed(parts) for name, parts in found.items()}


def given_everybody(
    total: int, people: int, possible: list[float], weights: Floats, rounding: Rounding
) -> Evidence:
    """Of being in a study whose frequency of all is published, given the copies in it."""
    copies = np.array([total])
    own, parts = _drawn(copies, people), list[_Part]()
    for p, weight in zip(possible, weights.tolist(), strict=True):
        stranger = np.array([[(1 - p) ** 2], [2 * p * (1 - p)], [p * p]])
        parts.append((ratios(p, people, rounding, copies), weight * own, weight * stranger))
    return _mixed(parts)


_Part = tuple[Floats, Floats, Floats]
"""Ratios, and joint laws of copies and counts if the answer is yes, and if it is no."""


def _of_groups(split: Split, p: float, rounding: Rounding) -> tuple[Floats, Floats]:
    """Log likelihood ratios of both groups; (3, n) each."""
    if rounding.paired:
        return ratios_of_p_values(p, split.people, rounding, split.copies)
    x, y = split.copies
    control = ratios(p, split.people[1], rounding, y[::-1])[:, ::-1]
    return ratios(p, split.people[0], rounding, x), control


def _drawn(copies: NDArray[np.int64], people: int) -> Floats:
    """How likely a member of a group with so many copies has 0, 1, 2 of them; (3, n)."""
    n = 2 * people
    pairs = [(n - copies) * (n - copies - 1), 2 * copies * (n - copies), copies * (copies - 1)]
    return np.stack(pairs) / (n * (n - 1))


def _mixed(parts: list[_Part]) -> Evidence:
    ratio, yes, no = (np.concatenate(each, axis=1) for each in zip(*parts, strict=True))
    genotype, others = yes.sum(axis=1), no.sum(axis=1)
    given_yes, given_no = (
        np.divide(law, total[:, None], out=np.zeros_like(law), where=total[:, None] > 0)
        for law, total in ((yes, genotype), (no, others))
    )
    return Evidence(ratio, given_yes, given_no, genotype, others)
