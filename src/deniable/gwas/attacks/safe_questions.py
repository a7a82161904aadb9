"""What an attacker may ask of published numbers, and the laws of the evidence about it."""

from collections.abc import Callable, Iterator

import attrs
import numpy as np
from numpy.typing import NDArray
from scipy.special import betaincinv, gammaln, xlog1py, xlogy

from deniable.gwas.attacks.candidates import Candidates
from deniable.gwas.attacks.evidence import (
    EvidenceLaw,
    Kind,
    Lattice,
    Laws,
    Rounding,
    in_group,
    of_p_values,
    one_group,
    ratios,
    ratios_of_p_values,
    two_groups,
)
from deniable.gwas.genotypes import Floats

# --- What published numbers say of one person, given what was counted: the law after looking.
#
# A choice that looks at a study's counts must not be judged by the law from before looking: it
# takes variants whose counts came out as they did. Given the copies T of a variant among all N
# people of the study, the cases' copies x are R of N people's by lot,
#
# .. math:: \Pr[x \mid T] = \binom{2R}{x} \binom{2S}{T - x} \Big/ \binom{2N}{T}
#
# and a case's own two are two of these, drawn without putting back. Neither law has the
# population's frequency in it, and neither changes by a choice that rests on the T of all
# variants. A choice that looks at x, too, leaves the second law as it is. The attacker's evidence
# has a frequency in it: log Pr[g | x] − log Pr[g | p]. That p has a law given the counts.


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


def laws_given_counts(
    split: Split, possible: list[float], weights: Floats, rounding: Rounding
) -> dict[str, EvidenceLaw]:
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
    own = [
        _chance_of_copies(x, people) for x, people in zip(split.copies, split.people, strict=True)
    ]
    laws: dict[str, list[_Part]] = {"cases": [], "controls": [], "either": []}
    for p, weight in zip(possible, weights.tolist(), strict=True):
        chance = weight * split.chance
        case, control = _of_groups(split, p, rounding)
        stranger = np.array([[(1 - p) ** 2], [2 * p * (1 - p)], [p * p]])
        with np.errstate(invalid="ignore"):
            either = np.nan_to_num(case - control, nan=0.0, posinf=np.inf, neginf=-np.inf)
        laws["cases"].append((case, chance * own[0], chance * stranger))
        laws["controls"].append((control, chance * own[1], chance * stranger))
        laws["either"].append((either, chance * own[0], chance * own[1]))
    return {name: _mix(parts) for name, parts in laws.items()}


def law_given_total(
    total: int, people: int, possible: list[float], weights: Floats, rounding: Rounding
) -> EvidenceLaw:
    """Of being in a study whose frequency of all is published, given the copies in it."""
    copies = np.array([total])
    own, parts = _chance_of_copies(copies, people), list[_Part]()
    for p, weight in zip(possible, weights.tolist(), strict=True):
        stranger = np.array([[(1 - p) ** 2], [2 * p * (1 - p)], [p * p]])
        parts.append((ratios(p, people, rounding, copies), weight * own, weight * stranger))
    return _mix(parts)


_Part = tuple[Floats, Floats, Floats]
"""Ratios, and joint laws of copies and counts if the answer is yes, and if it is no."""


def _of_groups(split: Split, p: float, rounding: Rounding) -> tuple[Floats, Floats]:
    """Log likelihood ratios of both groups; (3, n) each."""
    if rounding.paired:
        return ratios_of_p_values(p, split.people, rounding, split.copies)
    x, y = split.copies
    control = ratios(p, split.people[1], rounding, y[::-1])[:, ::-1]
    return ratios(p, split.people[0], rounding, x), control


def _chance_of_copies(copies: NDArray[np.int64], people: int) -> Floats:
    """How likely a member of a group with so many copies has 0, 1, 2 of them; (3, n)."""
    n = 2 * people
    pairs = [(n - copies) * (n - copies - 1), 2 * copies * (n - copies), copies * (copies - 1)]
    return np.stack(pairs) / (n * (n - 1))


def _mix(parts: list[_Part]) -> EvidenceLaw:
    ratio, yes, no = (np.concatenate(each, axis=1) for each in zip(*parts, strict=True))
    genotype, others = yes.sum(axis=1), no.sum(axis=1)
    given_yes, given_no = (
        np.divide(law, total[:, None], out=np.zeros_like(law), where=total[:, None] > 0)
        for law, total in ((yes, genotype), (no, others))
    )
    return EvidenceLaw(ratio, given_yes, given_no, genotype, others)


# --- Frequencies that the population may have, by what was counted of all candidates together.
#
# The variant whose count comes out furthest is seldom the furthest in the population. Whoever
# chooses among many by their counts has to take that back, and what many counts say of the spread
# of frequencies says by how much [robbins-1956].


_ROUNDS = 100
"""Of expectation and maximisation. They begin with a smooth law, and few of them keep it so."""
_UNKNOWN = 1.0
"""Variants that the law before any count is worth."""
_MOST = 2048
"""Different counts that the law is fitted to; of more, so many evenly among them."""
_EVENLY, _NEAR_ZERO = 300, 40
"""Cells of the law of frequencies, even in arcsin √p, and finer ones where an allele is rare."""
_RARE, _RAREST = 0.05, 2e-4
"""Between which arcsin √p the finer ones lie."""
_TAIL = 1e-7
"""Share of a posterior by the count alone that is not looked at on either side."""
_FINE = 129
"""Frequencies about a count that are weighed."""


@attrs.frozen
class CopyCounts:
    """Copies of an allele among people, of many variants.

    Parameters
    ----------
    copies : ndarray of float, shape (n_variants,)
        x, between 0 and all.
    all_copies : ndarray of float, shape (n_variants,)
        2n of n people who were counted.
    """

    copies: Floats
    all_copies: Floats


class FrequencyLaw:
    r"""The law of the population's frequencies among all candidates, and of one given its count.

    The frequencies p of the candidates are taken for draws from a law G that is the same for both
    alleles. G is the mixture that makes the counts most likely, from a smooth law on by
    expectation and maximisation. Only variants that vary are candidates, so that a count x has

    .. math:: \Pr[x \mid p] \propto \frac{p^x (1 - p)^{2n - x}}{1 - p^{2n} - (1 - p)^{2n}}

    Given x, p has the law :math:`\Pr[x \mid p] \, dG(p)`. It does not change by a choice among the
    candidates that rests on their counts. What a variant itself added to G is taken out before: a
    variant far from all others would else confirm its own count.

    Parameters
    ----------
    counted : CopyCounts
        All candidates.

    References
    ----------
    robbins-1956 (empirical Bayes); laird-1978 (the maximum by expectation and maximisation).
    """

    def __init__(self, counted: CopyCounts) -> None:
        near = np.geomspace(_RAREST, _RARE, _NEAR_ZERO, endpoint=False)
        half = np.concatenate([[0.0], near, np.linspace(_RARE, np.pi / 4, _EVENLY // 2)])
        self._edges = np.concatenate([half, np.pi / 2 - half[-2::-1]])
        width = np.diff(self._edges)
        self._middle = np.sin((self._edges[:-1] + self._edges[1:]) / 2) ** 2
        self._width = width / width.sum()
        self._weight = self._width * _UNKNOWN
        pairs = np.stack([np.rint(counted.copies), np.rint(counted.all_copies)], axis=1)
        different, number = np.unique(pairs, axis=0, return_counts=True)
        if len(different) > _MOST:
            different = pairs[np.argsort(pairs[:, 0] / pairs[:, 1], kind="stable")]
            different = different[np.linspace(0, len(pairs) - 1, _MOST).astype(int)]
            number = np.full(_MOST, len(pairs) / _MOST)
        chance = _chance(different[:, :1], different[:, 1:], self._middle)
        for _ in range(_ROUNDS):
            self._weight = number @ self._shares(chance) + self._width * _UNKNOWN

    def nodes(self, copies: float, all_copies: float, number: int) -> tuple[list[float], Floats]:
        """So many frequencies at most that a variant with this count may have, and their weights.

        Each stands for as many others, by their mean.
        """
        shares = self._shares(_chance(np.array([[copies]]), all_copies, self._middle))[0]
        others = np.maximum(self._weight - shares, self._width * _UNKNOWN) / self._width
        low = betaincinv(copies + 0.5, all_copies - copies + 0.5, _TAIL)
        high = 1 - betaincinv(all_copies - copies + 0.5, copies + 0.5, _TAIL)
        angle = np.linspace(np.arcsin(np.sqrt(low)), np.arcsin(np.sqrt(high)), _FINE)
        p = np.sin(angle) ** 2
        cell = np.clip(np.searchsorted(self._edges, angle) - 1, 0, len(others) - 1)
        weight = _chance(np.array([[copies]]), all_copies, p)[0] * others[cell]
        weight /= weight.sum()
        place = np.minimum((number * (np.cumsum(weight) - weight / 2)).astype(int), number - 1)
        of_all = np.asarray(np.bincount(place, weight, number), np.float64)
        means = np.bincount(place, weight * p, number)[of_all > 0] / of_all[of_all > 0]
        return means.tolist(), of_all[of_all > 0]

    def _shares(self, chance: Floats) -> Floats:
        """How likely each cell is given a count, of either allele, which G does not tell apart."""
        shares = chance * self._weight
        shares /= shares.sum(axis=1, keepdims=True)
        return np.asarray((shares + shares[:, ::-1]) / 2)


def _chance(copies: Floats, all_copies: Floats | float, p: Floats) -> Floats:
    """How likely a count is of a variant that varies, up to a factor of each row."""
    logs = xlogy(copies, p) + xlog1py(all_copies - copies, -p)
    logs -= np.log(-np.expm1(np.logaddexp(xlogy(all_copies, p), xlog1py(all_copies, -p))))
    return np.asarray(np.exp(logs - logs.max(axis=1, keepdims=True)))


# --- What an attacker may ask of published numbers, and the laws of the evidence about it.


GROUPS = ("cases", "controls", "both", "everybody")
"""Whose numbers are published; both: of cases and controls, each by themselves."""
IN_CASES, IN_CONTROLS = "among the cases", "among the controls"
CASE_OR_CONTROL, IN_STUDY = "a case, not a control", "in the study"
"""Questions that an attacker asks of a person."""
_KINDS = 128
"""Kinds of variants that are distinguished; more are put together by frequency and people."""
_KINDS_OF_PAIRS = 24
"""The same where p-values are published, whose laws take a thousand times as long."""
_RESULTS = 128
"""Variants that are judged by their own counts at most, where results are the order."""
_WITHIN = (1.02, 1.05, 1.1, 1.25, 1.6, 2.5, 10.0)
"""Factors within which frequencies and numbers of people count as one, the first that does."""

_NODES, _NODES_OF_EXACT, _NODES_OF_PAIRS, _NODES_GIVEN = 9, 5, 3, 17
"""Frequencies that the population may have which are tried: sharp laws of rounded numbers, smooth
ones of exact numbers, slow ones of p-values; and laws given counts, of which they are a part."""

_Pair = tuple[int, int]


@attrs.frozen
class Kinds:
    """Variants put together whose evidence has one law, up to a little.

    Parameters
    ----------
    of : ndarray of int, shape (n_variants,)
        The kind of each variant.
    frequency : ndarray of float, shape (n_kinds,)
        Of the rarer allele.
    people : list of (int, int)
        Cases and controls of each kind, the fewest.
    known : ndarray of int, shape (n_kinds,)
        People by whom the frequency is known, the fewest.
    """

    of: NDArray[np.intp]
    frequency: NDArray[np.float64]
    people: list[_Pair]
    known: NDArray[np.int64]

    def numbers(self, which: NDArray[np.intp]) -> NDArray[np.int64]:
        """How many of each kind are among these variants."""
        return np.bincount(self.of[which], minlength=len(self.people))


def select_judged(by: NDArray[np.intp], rounding: Rounding) -> NDArray[np.intp]:
    """The first of an order by results: as many as can be judged each by its own counts."""
    return by[: _KINDS_OF_PAIRS if rounding.paired else _RESULTS]


def kinds(candidates: Candidates, most: int) -> Kinds:
    """Put variants together so that at most so many kinds are left, or nearly."""
    rarer = np.minimum(candidates.frequency, 1 - candidates.frequency)
    columns = np.stack([rarer, candidates.cases, candidates.controls], axis=1)
    keys, of = np.unique(columns, axis=0, return_inverse=True)
    for factor in _WITHIN:
        if len(keys) <= most:
            break
        keys, of = np.unique(np.rint(np.log(columns) / np.log(factor)), axis=0, return_inverse=True)
    of = of.reshape(-1)
    number = np.bincount(of)
    fewest = np.full((len(number), 3), np.iinfo(np.int64).max)
    np.minimum.at(
        fewest, of, np.stack([candidates.cases, candidates.controls, candidates.known], axis=1)
    )
    people = [(int(r), int(s)) for r, s, _ in fewest]
    return Kinds(of, np.bincount(of, rarer) / number, people, fewest[:, 2])


class Questions:
    """Laws of the evidence about every question, kind by kind.

    With a reference they are from before looking: counts of the study are drawn from a population
    of which the reference is a part. Without one they are given how many copies the study has of
    each variant; of the most significant ones, where these come first, given how many the cases
    have and how many the controls.

    Parameters
    ----------
    candidates : Candidates
        What may be published.
    groups : str
        One of `GROUPS`.
    rounding : Rounding
        Of what is published.
    results : ndarray of int, shape (n,), optional
        The variants that are judged by their own counts; `results` says which.
    """

    def __init__(
        self,
        candidates: Candidates,
        groups: str,
        rounding: Rounding,
        results: NDArray[np.intp] | None = None,
    ) -> None:
        self.kinds = kinds(candidates, _KINDS_OF_PAIRS if rounding.paired else _KINDS)
        self._made: dict[str, list[_Made]] = {}
        likely = FrequencyLaw(CopyCounts(*_copies(candidates.frequency, candidates.known)))
        each = zip(self.kinds.frequency, self.kinds.people, self.kinds.known, strict=True)
        for frequency, people, known in each:
            copies, all_copies = _copies(frequency, known)
            if candidates.reference is None:
                total = max(round(float(copies)), 1)
                possible = likely.nodes(total, float(all_copies), _nodes(rounding, looked=True))
                laws = dict(_laws_given_total(total, people, possible, rounding, groups))
            else:
                number = _nodes(rounding, looked=False)
                possible = likely.nodes(float(copies), float(all_copies), number)
                laws = _before(people, possible, rounding, groups)
            for question, law in laws.items():
                self._made.setdefault(question, []).append(law)
        if results is not None:
            self._judge(candidates, likely, groups, rounding, results)

    def _judge(
        self,
        candidates: Candidates,
        likely: FrequencyLaw,
        groups: str,
        rounding: Rounding,
        results: NDArray[np.intp],
    ) -> None:
        """Give each of these variants a kind of its own, by its counts."""
        for place in results.tolist():
            law = dict(_of_result(candidates, place, likely, rounding, groups))
            for question, made in law.items():
                self._made[question].append(made)
        first, of = len(self.kinds.people), self.kinds.of.copy()
        of[results] = np.arange(first, first + len(results))
        sizes = zip(candidates.cases[results], candidates.controls[results], strict=True)
        people = [(int(r), int(s)) for r, s in sizes]
        self.kinds = Kinds(
            of,
            np.concatenate([self.kinds.frequency, candidates.frequency[results]]),
            self.kinds.people + people,
            np.concatenate([self.kinds.known, candidates.known[results]]),
        )

    @property
    def names(self) -> list[str]:
        """The questions."""
        return list(self._made)

    def laws(self, lattice: Lattice) -> dict[str, Laws]:
        """Sums of evidence on this lattice."""
        return {
            name: Laws([law.kind(lattice) for law in made], lattice)
            for name, made in self._made.items()
        }

    def moments(self) -> NDArray[np.float64]:
        """Mean and variance of the question that is answered most easily; (n_kinds, 2)."""
        return np.array([law.moments for law in self._easiest])

    def growths(self, tilt: float, most: float) -> NDArray[np.float64]:
        """log E exp(t min(L, most)) of that question, or slope at t = 0; (n_kinds,)."""
        return np.array([law.growth(tilt, most) for law in self._easiest])

    @property
    def _easiest(self) -> "list[_Made]":
        return max(self._made.values(), key=lambda made: sum(law.moments[0] for law in made))


@attrs.frozen
class _Made:
    """A kind's evidence about a question: mean and variance, and what else is asked of it."""

    moments: tuple[float, float]
    growth: Callable[[float, float], float]
    kind: Callable[[Lattice], Kind]


def _copies(frequency: Floats, known: NDArray[np.int64]) -> tuple[Floats, Floats]:
    """The copies by which a frequency is known, and all; `reference_frequencies` turned round."""
    all_copies = 2.0 * known
    return np.clip(frequency * (all_copies + 1) - 0.5, 0.0, all_copies), np.asarray(all_copies)


def _nodes(rounding: Rounding, *, looked: bool) -> int:
    if rounding.paired:
        return _NODES_OF_PAIRS
    if looked:
        return _NODES_GIVEN
    return _NODES_OF_EXACT if rounding.decimals is None else _NODES


def _before(
    people: _Pair, possible: tuple[list[float], Floats], rounding: Rounding, groups: str
) -> "dict[str, _Made]":
    """Of a study that nobody has looked at, whatever the population's frequency may be."""
    each = [
        dict(
            _from_pairs(p, people, rounding)
            if rounding.paired
            else _from_frequencies(p, people, rounding, groups)
        )
        for p in possible[0]
    ]
    return {name: _mean([laws[name] for laws in each], possible[1]) for name in each[0]}


def _laws_given_total(
    total: int,
    people: _Pair,
    possible: tuple[list[float], Floats],
    rounding: Rounding,
    groups: str,
) -> Iterator[tuple[str, _Made]]:
    """Of a study with so many copies of the allele."""
    if groups == "everybody":
        yield IN_STUDY, _single(law_given_total(total, sum(people), *possible, rounding))
        return
    yield from _assign_questions(
        laws_given_counts(Split.of_total(total, people), *possible, rounding), groups
    )


def _of_result(
    candidates: Candidates, place: int, likely: FrequencyLaw, rounding: Rounding, groups: str
) -> Iterator[tuple[str, _Made]]:
    """Of a variant with so many copies in the cases and so many in the controls.

    Whether cases differ from others by chance or because the variant matters is not known. So of
    the cases it is asked as if the population were like the controls, and of these as if it were
    like the cases, where no reference knows better: both are further than if all were one.
    """
    people = int(candidates.cases[place]), int(candidates.controls[place])
    x, y = (int(each) for each in candidates.copies[place])
    number = _nodes(rounding, looked=False)
    copies, all_copies = (
        float(e) for e in _copies(candidates.frequency[place], candidates.known[place])
    )
    known = likely.nodes(copies, all_copies, number)
    if groups == "everybody":
        yield IN_STUDY, _single(law_given_total(x + y, sum(people), *known, rounding))
        return
    split = Split.of_both((x, y), people)
    if candidates.reference is not None:
        laws = laws_given_counts(split, *known, rounding)
    else:
        like_controls = laws_given_counts(
            split, *likely.nodes(y, 2.0 * people[1], number), rounding
        )
        like_cases = laws_given_counts(split, *likely.nodes(x, 2.0 * people[0], number), rounding)
        laws = like_controls | {"controls": like_cases["controls"]}
    yield from _assign_questions(laws, groups)


def _assign_questions(laws: dict[str, EvidenceLaw], groups: str) -> Iterator[tuple[str, _Made]]:
    if groups != "controls":
        yield IN_CASES, _single(laws["cases"])
    if groups != "cases":
        yield IN_CONTROLS, _single(laws["controls"])
    if groups == "both":
        yield CASE_OR_CONTROL, _single(laws["either"])


def _mean(laws: list[_Made], weights: Floats) -> _Made:
    """The law where each of these is so likely."""
    means, variances = np.array([each.moments for each in laws]).T
    mean = float(weights @ means)

    def growth(tilt: float, most: float) -> float:
        return float(np.log(weights @ np.exp([each.growth(tilt, most) for each in laws])))

    def kind(lattice: Lattice) -> Kind:
        kinds_of_all = [each.kind(lattice) for each in laws]
        sides = (np.stack([k.yes for k in kinds_of_all]), np.stack([k.no for k in kinds_of_all]))
        return Kind(*(np.tensordot(weights, side, axes=1) for side in sides))

    return _Made((mean, float(weights @ (variances + means**2) - mean**2)), growth, kind)


def _from_frequencies(
    frequency: float, people: _Pair, rounding: Rounding, groups: str
) -> Iterator[tuple[str, _Made]]:
    if groups == "everybody":
        yield IN_STUDY, _single(in_group(frequency, sum(people), rounding))
        return
    cases, controls = (in_group(frequency, each, rounding) for each in people)
    if groups != "controls":
        yield IN_CASES, _single(cases)
    if groups != "cases":
        yield IN_CONTROLS, _single(controls)
    if groups == "both":
        yield CASE_OR_CONTROL, _double(cases, controls)


def _from_pairs(frequency: float, people: _Pair, rounding: Rounding) -> Iterator[tuple[str, _Made]]:
    names = IN_CASES, IN_CONTROLS, CASE_OR_CONTROL
    for name, evidence in zip(names, of_p_values(frequency, people, rounding), strict=True):
        yield name, _single(evidence)


def _single(evidence: EvidenceLaw) -> _Made:
    def growth(tilt: float, most: float) -> float:
        return float(np.log(evidence.genotype @ evidence.growth(tilt, most)))

    return _Made(evidence.moments(), growth, lambda lattice: one_group(evidence, lattice))


def _double(cases: EvidenceLaw, controls: EvidenceLaw) -> _Made:
    def growth(tilt: float, most: float) -> float:
        # Given the person's copies the two groups are independent.
        both = cases.growth(tilt, most) * controls.against(tilt, most)
        return float(np.log(cases.genotype @ both))

    means, variances = zip(cases.moments(), controls.moments(), strict=True)
    return _Made(
        (sum(means), sum(variances)),
        growth,
        lambda lattice: two_groups(cases, controls, lattice),
    )
