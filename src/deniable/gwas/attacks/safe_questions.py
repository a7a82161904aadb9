"""What an attacker may ask of published numbers, and the laws of the evidence about it."""

from collections.abc import Callable, Iterator, Sequence

import attrs
import numpy as np
from numpy.typing import NDArray
from scipy.special import betaincinv, gammaln, xlog1py, xlogy

from deniable.gwas.attacks.candidates import Candidates
from deniable.gwas.attacks.evidence import (
    AROUND,
    FAR,
    EvidenceLaw,
    Kind,
    Lattice,
    Laws,
    Rounding,
    in_group,
    mix_kinds,
    of_p_values,
    one_group,
    ratios,
    ratios_of_p_values,
    two_groups,
)
from deniable.gwas.genotypes import Floats
from deniable.numerics.effort import Progress, silent


@attrs.frozen
class Split:
    r"""How the copies of an allele fall on cases R and controls S, and how likely that is; (n,).

    The cases' copies rise. By lot they have the law of the balls of one colour that are drawn:

    .. math:: \Pr[x \mid T] = \binom{2R}{x} \binom{2S}{T - x} \Big/ \binom{2N}{T}

    A choice that looks at a study's counts must not be judged by the law from before looking: it
    takes variants whose counts came out as they did. Given the copies T of a variant among all N
    people of the study, the cases' copies x have this law, and a case's own two are two of these,
    drawn without putting back. Neither law has the population's frequency in it, and neither
    changes by a choice that rests on the T of all variants. A choice that looks at x, too, leaves
    the second law as it is. The attacker's evidence has a frequency in it: log Pr[g | x] − log Pr[g
    | p]. That p has a law given the counts.
    """

    people: tuple[int, int]
    copies: tuple[NDArray[np.int64], NDArray[np.int64]]
    chance: Floats

    @classmethod
    def of_both(cls, copies: tuple[int, int], people: tuple[int, int]) -> "Split":
        """Return the sizes of two groups that were counted apart."""
        x, y = (np.array([each]) for each in copies)
        return cls(people, (x, y), np.ones(1))

    @classmethod
    def of_total(cls, total: int, people: tuple[int, int]) -> "Split":
        """Divide a total between the groups by lot.

        Examples
        --------
        >>> Split.of_total(1, people=(10, 30)).chance.round(3).tolist()
        [0.75, 0.25]
        """
        ours, theirs = 2 * people[0], 2 * people[1]
        everybody = ours + theirs
        mean = total * ours / everybody
        spread = np.sqrt(mean * theirs / everybody * (everybody - total) / everybody)
        reach = FAR * spread + AROUND
        least = max(0, total - theirs, int(mean - reach))
        x = np.arange(least, min(total, ours, int(mean + reach) + 1) + 1)
        y = total - x
        logs = -gammaln(x + 1) - gammaln(ours - x + 1) - gammaln(y + 1) - gammaln(theirs - y + 1)
        chance = np.exp(logs - logs.max())
        return cls(people, (x, y), chance / chance.sum())


def laws_given_counts(
    splits: Sequence[Split], possible: Floats, weights: Floats, rounding: Rounding
) -> list[list[dict[str, EvidenceLaw]]]:
    """Return the laws of a case, a control, and a case and no control, given the counts.

    A split is of the copies of a variant. `possible` says what the population's frequencies may be,
    in (0, 1), and `weights` how likely each is for each variant, in several cases: (n_cases,
    n_splits, n_frequencies); rows add up to 1.
    """
    own = [
        [_chance_of_copies(x, people) for x, people in zip(each.copies, each.people, strict=True)]
        for each in splits
    ]
    laws: list[list[dict[str, list[_Part]]]] = [
        [{"cases": [], "controls": [], "either": []} for _ in splits] for _ in weights
    ]
    for place in np.flatnonzero(weights.any(axis=(0, 1))).tolist():
        p = float(possible[place])
        stranger = np.array([[(1 - p) ** 2], [2 * p * (1 - p)], [p * p]])
        some = np.flatnonzero(weights[:, :, place].any(axis=0)).tolist()
        of_all = _of_groups([splits[which] for which in some], p, rounding)
        for which, (case, control) in zip(some, of_all, strict=True):
            in_cases, in_controls = own[which]
            with np.errstate(invalid="ignore"):
                either = np.nan_to_num(case - control, nan=0.0, posinf=np.inf, neginf=-np.inf)
            for number in np.flatnonzero(weights[:, which, place]).tolist():
                chance = weights[number, which, place] * splits[which].chance
                law = laws[number][which]
                law["cases"].append((case, chance * in_cases, chance * stranger))
                law["controls"].append((control, chance * in_controls, chance * stranger))
                law["either"].append((either, chance * in_cases, chance * in_controls))
    return [[{name: _mix(parts) for name, parts in law.items()} for law in of] for of in laws]


def law_given_total(
    total: int, people: int, possible: Floats, weights: Floats, rounding: Rounding
) -> EvidenceLaw:
    """Return the evidence of being in a study, of which the frequency of all is published.

    The total is of an allele among so many people; a weight a possible frequency adds up to 1.
    """
    copies, parts = np.array([total]), list[_Part]()
    member = _chance_of_copies(copies, people)
    for place in np.flatnonzero(weights).tolist():
        p, weight = float(possible[place]), weights[place]
        stranger = np.array([[(1 - p) ** 2], [2 * p * (1 - p)], [p * p]])
        parts.append((ratios(p, people, rounding, copies), weight * member, weight * stranger))
    return _mix(parts)


_Part = tuple[Floats, Floats, Floats]
"""Ratios, and joint laws of copies and counts if the answer is yes, and if it is no."""


def _of_groups(
    splits: Sequence[Split], p: float, rounding: Rounding
) -> list[tuple[Floats, Floats]]:
    """Log likelihood ratios of both groups, by split; (3, n) each."""
    of_all: dict[int, tuple[Floats, Floats]] = {}
    for people in {each.people for each in splits}:
        some = [place for place, each in enumerate(splits) if each.people == people]
        x, y = (np.concatenate([splits[place].copies[side] for place in some]) for side in (0, 1))
        if rounding.paired:
            case, control = ratios_of_p_values(p, people, rounding, (x, y))
        else:
            case, control = (
                ratios(p, size, rounding, copies)
                for size, copies in zip(people, (x, y), strict=True)
            )
        borders = np.cumsum([len(splits[place].chance) for place in some])[:-1]
        parts = (np.split(each, borders, axis=1) for each in (case, control))
        of_all |= dict(zip(some, zip(*parts, strict=True), strict=True))
    return [of_all[place] for place in range(len(splits))]


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
    return EvidenceLaw(ratio, given_yes, given_no, genotype, others).merge()


_ROUNDS = 100
"""Rounds of expectation and maximisation. A smooth law begins; few of them keep it so."""
_UNKNOWN = 1.0
"""Variants that the law before any count is worth."""
_MOST = 2048
"""Different counts that the law is fitted to; of more, so many evenly among them."""
_EVENLY, _NEAR_ZERO = 300, 40
"""Cells of the law of frequencies, even in arcsin √p, and finer ones where an allele is rare."""
_RARE, _RAREST = 0.05, 2e-4
"""The frequencies between whose arcsin √p the finer arcs lie."""
_TAIL = 1e-7
"""Share of a posterior by the count alone that is not looked at on either side."""
_FINE = 129
"""Frequencies about a count that are weighed at least."""
_WITHIN_STEP = 4
"""And so many at least between two that are tried."""
_STEP, _STEP_OF_RARE = 0.5, 1 / 8
"""Distance of two frequencies that are tried: in deviations of a count of everybody's copies, or
as a share of arcsin √p where that is less."""
_TRIED, _TRIED_OF_EXACT = 512, 128
"""How many are tried at most from 0 to 1/2, rare ones apart. Laws of exact numbers are smooth in p
at any number of people; those of rounded ones change within a deviation of a count."""


def angles_tried(all_copies: int, most: int) -> Floats:
    """Angles arcsin √p of frequencies that the population may have, so many at most to 1/2.

    The angle of a count of 2n copies has the deviation 1 / (2 √2n), whatever p is.
    """
    step = max(_STEP / (2 * np.sqrt(all_copies)), np.pi / 4 / most)
    border = min(step / _STEP_OF_RARE, np.pi / 4)
    rare = np.geomspace(_RAREST, border, int(np.log(border / _RAREST) / _STEP_OF_RARE) + 1)
    common = np.linspace(border, np.pi / 4, int((np.pi / 4 - border) / step) + 2)
    half = np.unique(np.concatenate([rare, common, [np.pi / 4]]))
    return np.concatenate([half, np.pi / 2 - half[-2::-1]])


class FrequencyLaw:
    r"""The law of the population's frequencies among all candidates, and of one given its count.

    The variant whose count comes out furthest is seldom the furthest in the population. A person
    who chooses among many by their counts has to take that back, and what many counts say of the
    spread of frequencies says by how much [robbins-1956].

    The frequencies p of the candidates are taken for draws from a law G that is the same for both
    alleles. G is the mixture that makes the counts, x of all 2n copies of n people, most likely,
    from a smooth law on by expectation and maximisation. Only variants that vary are candidates, so
    that a count x has

    .. math:: \Pr[x \mid p] \propto \frac{p^x (1 - p)^{2n - x}}{1 - p^{2n} - (1 - p)^{2n}}

    Given x, p has the law :math:`\Pr[x \mid p] \, dG(p)`. It does not change by a choice among the
    candidates that rests on their counts. What a variant itself added to G is taken out before: a
    variant far from all others would else confirm its own count.

    References
    ----------
    robbins-1956 (empirical Bayes); laird-1978 (the maximum by expectation and maximisation).
    """

    def __init__(self, copies: Floats, all_copies: Floats) -> None:
        near = np.geomspace(_RAREST, _RARE, _NEAR_ZERO, endpoint=False)
        half = np.concatenate([[0.0], near, np.linspace(_RARE, np.pi / 4, _EVENLY // 2)])
        self._edges = np.concatenate([half, np.pi / 2 - half[-2::-1]])
        width = np.diff(self._edges)
        self._middle = np.sin((self._edges[:-1] + self._edges[1:]) / 2) ** 2
        self._width = width / width.sum()
        self._weight = self._width * _UNKNOWN
        pairs = np.stack([np.rint(copies), np.rint(all_copies)], axis=1)
        different, number = np.unique(pairs, axis=0, return_counts=True)
        if len(different) > _MOST:
            different = pairs[np.argsort(pairs[:, 0] / pairs[:, 1], kind="stable")]
            different = different[np.linspace(0, len(pairs) - 1, _MOST).astype(int)]
            number = np.full(_MOST, len(pairs) / _MOST)
        chance = _chance(different[:, :1], different[:, 1:], self._middle)
        for _ in range(_ROUNDS):
            self._weight = number @ self._shares(chance) + self._width * _UNKNOWN

    def weights(self, copies: float, all_copies: float, angles: Floats) -> Floats:
        """How likely each of these frequencies is for a variant with this count.

        What lies between two of them is shared by both so that its mean stays. So the law is never
        narrower than it is, and the evidence never less. The mean of each part of the law in place
        of that part would leave out how far the part reaches: with three parts twice as many
        members passed as were promised.
        """
        shares = self._shares(_chance(np.array([[copies]]), all_copies, self._middle))[0]
        others = np.maximum(self._weight - shares, self._width * _UNKNOWN) / self._width
        others_copies = all_copies - copies
        low = float(np.arcsin(np.sqrt(betaincinv(copies + 0.5, others_copies + 0.5, _TAIL))))
        high = float(np.arccos(np.sqrt(betaincinv(others_copies + 0.5, copies + 0.5, _TAIL))))
        between = int(np.count_nonzero((angles >= low) & (angles <= high)))
        fine = np.linspace(low, high, max(_FINE, _WITHIN_STEP * between))
        cell = np.clip(np.searchsorted(self._edges, fine) - 1, 0, len(others) - 1)
        weight = _chance(np.array([[copies]]), all_copies, np.sin(fine) ** 2)[0] * others[cell]
        right = np.clip(np.searchsorted(angles, fine), 1, len(angles) - 1)
        share = (fine - angles[right - 1]) / (angles[right] - angles[right - 1])
        share = np.clip(share, 0.0, 1.0)
        spread = np.bincount(right - 1, weight * (1 - share), len(angles))
        spread += np.bincount(right, weight * share, len(angles))
        return np.asarray(spread / spread.sum(), np.float64)

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


GROUPS = ("cases", "controls", "both", "everybody")
"""The groups whose numbers may be published; both: cases and controls, each alone."""
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
_MEMBERS = 4
"""Variants of a kind whose counts are looked at, evenly by frequency: their laws' mean is its."""
_TOGETHER = 32
"""Counts whose laws are worked out at once: megabytes where groups have hundreds of people."""

_Pair = tuple[int, int]


@attrs.frozen
class Kinds:
    """Variants put together whose evidence has one law, up to a little.

    `of` is the kind of each variant, (n_variants,). Of each kind are known frequencies of the rarer
    allele of some of its variants, evenly, (n_kinds, n_members); the fewest cases and controls; and
    the fewest people by whom the frequency is known, (n_kinds,).
    """

    of: NDArray[np.intp]
    members: NDArray[np.float64]
    people: list[_Pair]
    known: NDArray[np.int64]

    def numbers(self, which: NDArray[np.intp]) -> NDArray[np.int64]:
        """How many of each kind are among these variants."""
        return np.bincount(self.of[which], minlength=len(self.people))


def select_judged(by: NDArray[np.intp], rounding: Rounding) -> NDArray[np.intp]:
    """The first of an order by results: as many as can be judged each by its own counts."""
    return by[: _KINDS_OF_PAIRS if rounding.paired else _RESULTS]


def alike(groups: str, *, has_reference: bool) -> list[list[int]]:
    """Which groups may be like the population, and like the reference if there is one.

    Whether cases differ from others by chance or because the variant matters is not known. If by
    chance, all are alike, and the population's frequency is given by all counts that the choice
    looked at. If the variant matters, one group is like the population, or none.
    """
    if groups == "everybody":
        return [[], [0, 1]] if has_reference else [[0, 1]]
    return [[], [0], [1], [0, 1]] if has_reference else [[0], [1]]


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
    order = np.lexsort([rarer, of])
    first = np.cumsum(number) - number
    evenly = (np.arange(_MEMBERS) + 0.5) / _MEMBERS
    some = first[:, None] + (evenly * number[:, None]).astype(int)
    return Kinds(of, rarer[order][some], people, fewest[:, 2])


class Questions:
    """Laws of the evidence about every question, kind by kind.

    With a reference they are from before looking: counts of the study are drawn from a population
    of which the reference is a part. Without one they are given how many copies the study has of
    each variant; of the most significant ones, where these come first, given how many the cases
    have and how many the controls. The variants of `results` are judged by their own counts.
    """

    def __init__(
        self,
        candidates: Candidates,
        groups: str,
        rounding: Rounding,
        results: NDArray[np.intp] | None = None,
        progress: Progress = silent,
    ) -> None:
        self._tell = progress
        self.kinds = kinds(candidates, _KINDS_OF_PAIRS if rounding.paired else _KINDS)
        self._groups, self._rounding = groups, rounding
        looked = candidates.reference is None
        smooth = not looked and not rounding.paired and rounding.decimals is None
        sizes = candidates.cases, candidates.controls
        together = looked or rounding.paired or groups == "everybody"
        largest = int(np.max(sum(sizes) if together else np.maximum(*sizes)))
        self._angles = angles_tried(2 * largest, _TRIED_OF_EXACT if smooth else _TRIED)
        self._possible = np.sin(self._angles) ** 2
        self._likely = FrequencyLaw(*_copies(candidates.frequency, candidates.known))
        made, self._shares = self._given_totals() if looked else self._before()
        self._made = {(question, 0): laws for question, laws in made.items()}
        if results is None:
            return
        # Each of these variants gets a kind of its own, by its counts.
        made = {question: [*laws] for question, laws in made.items()}
        for start in range(0, len(results), _TOGETHER):
            some = results[start : start + _TOGETHER]
            for case, of_all in enumerate(self._of_results(candidates, some)):
                for question, laws in made.items():
                    both = self._made.setdefault((question, case), [*laws])
                    both += [law[question] for law in of_all]
        first, of = len(self.kinds.people), self.kinds.of.copy()
        of[results] = np.arange(first, first + len(results))
        own = zip(candidates.cases[results], candidates.controls[results], strict=True)
        rarer = np.minimum(candidates.frequency, 1 - candidates.frequency)[results]
        self.kinds = Kinds(
            of,
            np.concatenate([self.kinds.members, np.repeat(rarer[:, None], _MEMBERS, axis=1)]),
            self.kinds.people + [(int(r), int(s)) for r, s in own],
            np.concatenate([self.kinds.known, candidates.known[results]]),
        )
        self._shares = np.pad(self._shares, (0, len(results)))
        self._shares[first:, -len(results) :] = np.eye(len(results))

    def _before(self) -> "tuple[dict[str, list[_Made]], Floats]":
        """Return, of a study that nobody has looked at, a law for each frequency it may have."""
        weights: dict[_Pair, Floats] = {}
        for kind, people, copies, all_copies in self._members():
            rows = weights.setdefault(people, np.zeros((len(self.kinds.people), len(self._angles))))
            rows[kind] += self._likely.weights(copies, all_copies, self._angles) / _MEMBERS
        made: dict[str, list[_Made]] = {}
        columns: list[Floats] = []
        number = sum(int(np.count_nonzero(rows.any(axis=0))) for rows in weights.values())
        for people, rows in weights.items():
            for place in np.flatnonzero(rows.any(axis=0)).tolist():
                self._tell(len(columns) / number)
                for name, law in self._of_frequency(float(self._possible[place]), people):
                    made.setdefault(name, []).append(law)
                columns.append(rows[:, place])
        return made, np.stack(columns, axis=1)

    def _given_totals(self) -> "tuple[dict[str, list[_Made]], Floats]":
        """Return, of a study with so many copies of each allele, a law for each number of them."""
        numbers: dict[tuple[int, _Pair], NDArray[np.int64]] = {}
        known: dict[tuple[int, _Pair], tuple[float, float]] = {}
        for kind, people, copies, all_copies in self._members():
            key = max(round(copies), 1), people
            of_kinds = numbers.setdefault(key, np.zeros(len(self.kinds.people), np.int64))
            of_kinds[kind] += 1
            known[key] = copies, all_copies
        made: dict[str, list[_Made]] = {}
        each = sorted(numbers)
        for start in range(0, len(each), _TOGETHER):
            self._tell(start / len(each))
            some = each[start : start + _TOGETHER]
            for laws in self._of_totals(some, self._weights([known[key] for key in some])):
                for name, law in laws:
                    made.setdefault(name, []).append(law)
        return made, np.stack([numbers[key] for key in each], axis=1) / _MEMBERS

    def _members(self) -> Iterator[tuple[int, _Pair, float, float]]:
        """Kind, people, copies by which the frequency is known, and all, of some of each kind."""
        each = zip(self.kinds.members, self.kinds.people, self.kinds.known, strict=True)
        for kind, (frequencies, people, known) in enumerate(each):
            for copies in _copies(frequencies, known)[0].tolist():
                yield kind, people, copies, 2.0 * known

    def _weights(self, known: list[tuple[float, float]]) -> Floats:
        return np.stack([self._likely.weights(*each, self._angles) for each in known])

    def _of_frequency(self, p: float, people: _Pair) -> "Iterator[tuple[str, _Made]]":
        groups, rounding = self._groups, self._rounding
        if rounding.paired:
            of_all = (_single(each.merge()) for each in of_p_values(p, people, rounding))
            yield from zip((IN_CASES, IN_CONTROLS, CASE_OR_CONTROL), of_all, strict=True)
            return
        if groups == "everybody":
            yield IN_STUDY, _single(in_group(p, sum(people), rounding))
            return
        cases, controls = (in_group(p, each, rounding) for each in people)

        def growth(tilt: float, most: float) -> float:
            # Given the person's copies the two groups are independent.
            both = cases.growth(tilt, most) * controls.against(tilt, most)
            return float(np.log(cases.genotype @ both))

        means, variances = zip(cases.moments(), controls.moments(), strict=True)
        moments = sum(means), sum(variances)
        either = _Made(moments, growth, lambda lattice: two_groups(cases, controls, lattice))
        yield from _answered(groups, _single(cases), _single(controls), either)

    def _of_totals(
        self, counts: list[tuple[int, _Pair]], weights: Floats
    ) -> "list[Iterator[tuple[str, _Made]]]":
        if self._groups != "everybody":
            splits = [Split.of_total(total, people) for total, people in counts]
            (laws,) = laws_given_counts(splits, self._possible, weights[None], self._rounding)
            return [_assign_questions(each, self._groups) for each in laws]
        of_all = (
            law_given_total(total, sum(people), self._possible, row, self._rounding)
            for (total, people), row in zip(counts, weights, strict=True)
        )
        return [iter([(IN_STUDY, _single(law))]) for law in of_all]

    def _of_results(
        self, candidates: Candidates, results: NDArray[np.intp]
    ) -> "list[list[dict[str, _Made]]]":
        """Return the laws of variants with so many copies in the cases and in the controls."""
        sizes = np.stack([candidates.cases, candidates.controls], axis=1)[results]
        copies = candidates.copies[results]
        weights = []
        for groups in alike(self._groups, has_reference=candidates.reference is not None):
            known = np.stack([copies[:, groups].sum(axis=1), 2 * sizes[:, groups].sum(axis=1)])
            if candidates.reference is not None:
                known = known + _copies(candidates.frequency[results], candidates.known[results])
            weights.append(self._weights(list(zip(*known.astype(float).tolist(), strict=True))))
        people = [(int(r), int(s)) for r, s in sizes]
        if self._groups == "everybody":
            totals = list(zip(copies.sum(axis=1).tolist(), people, strict=True))
            return [[dict(law) for law in self._of_totals(totals, each)] for each in weights]
        counts = ((int(x), int(y)) for x, y in copies)
        splits = [Split.of_both(*each) for each in zip(counts, people, strict=True)]
        laws = laws_given_counts(splits, self._possible, np.stack(weights), self._rounding)
        return [[dict(_assign_questions(law, self._groups)) for law in of] for of in laws]

    def laws(self, lattice: Lattice) -> dict[tuple[str, int], Laws]:
        """Sums of evidence on this lattice, of each question and each case of who is alike."""
        return {
            each: Laws(mix_kinds([law.kind(lattice) for law in made], self._shares), lattice)
            for each, made in self._made.items()
        }

    def moments(self) -> NDArray[np.float64]:
        """Mean and variance of the question that is answered most easily; (n_kinds, 2)."""
        means, variances = np.array([law.moments for law in self._easiest]).T
        of_kinds = self._shares @ means
        return np.stack([of_kinds, self._shares @ (variances + means**2) - of_kinds**2], axis=1)

    def growths(self, tilt: float, most: float) -> NDArray[np.float64]:
        """log E exp(t min(L, most)) of that question; (n_kinds,)."""
        each = np.array([law.growth(tilt, most) for law in self._easiest])
        return np.asarray(np.log(self._shares @ np.exp(each)))

    @property
    def _easiest(self) -> "list[_Made]":
        return max(
            self._made.values(),
            key=lambda made: float((self._shares @ [law.moments[0] for law in made]).sum()),
        )


@attrs.frozen
class _Made:
    """Evidence about a question: mean and variance, and what else is asked of it."""

    moments: tuple[float, float]
    growth: Callable[[float, float], float]
    kind: Callable[[Lattice], Kind]


def _copies(frequency: Floats, known: NDArray[np.int64]) -> tuple[Floats, Floats]:
    """The copies by which a frequency is known, and all; `reference_frequencies` turned round."""
    all_copies = 2.0 * known
    return np.clip(frequency * (all_copies + 1) - 0.5, 0.0, all_copies), np.asarray(all_copies)


def _answered(
    groups: str, cases: _Made, controls: _Made, either: _Made
) -> Iterator[tuple[str, _Made]]:
    """The questions that these groups' numbers answer, each with its evidence."""
    made = (IN_CASES, cases), (IN_CONTROLS, controls), (CASE_OR_CONTROL, either)
    return iter({"cases": made[:1], "controls": made[1:2]}.get(groups, made))


def _assign_questions(laws: dict[str, EvidenceLaw], groups: str) -> Iterator[tuple[str, _Made]]:
    return _answered(groups, *(_single(laws[name]) for name in ("cases", "controls", "either")))


def _single(evidence: EvidenceLaw) -> _Made:
    def growth(tilt: float, most: float) -> float:
        return float(np.log(evidence.genotype @ evidence.growth(tilt, most)))

    return _Made(evidence.moments(), growth, lambda lattice: one_group(evidence, lattice))
