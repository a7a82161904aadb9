"""What an attacker may ask of published numbers, and the laws of the evidence about it."""

from collections.abc import Callable, Iterator

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.gwas.attacks.candidates import Candidates
from deniable.gwas.attacks.evidence import Evidence, Rounding, in_group, of_p_values
from deniable.gwas.attacks.evidence_given import Split, given, given_everybody
from deniable.gwas.attacks.evidence_law import Kind, Lattice, Laws, one_group, two_groups
from deniable.gwas.attacks.likely_frequencies import Counted, Frequencies
from deniable.gwas.genotypes import Floats

GROUPS = ("cases", "controls", "both", "everybody")
"""Whose numbers are published; both: of cases and controls, each by themselves."""
IN_CASES, IN_CONTROLS = "among the cases", "among the controls"
CASE_OR_CONTROL, IN_STUDY = "a case, not a control", "in the study"
"""Questions that an attacker asks of a person."""
_KINDS = 128
"""Kinds of variants that are told apart; more are put together by frequency and people."""
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


def judged(by: NDArray[np.intp], rounding: Rounding) -> NDArray[np.intp]:
    """The first of an order by results: as many as can be judged each by its own counts."""
    return by[: _KINDS_OF_PAIRS if rounding.paired else _RESULTS]


def kinds(found: Candidates, most: int) -> Kinds:
    """Put variants together so that at most so many kinds are left, or nearly."""
    rarer = np.minimum(found.frequency, 1 - found.frequency)
    columns = np.stack([rarer, found.cases, found.controls], axis=1)
    keys, of = np.unique(columns, axis=0, return_inverse=True)
    for factor in _WITHIN:
        if len(keys) <= most:
            break
        keys, of = np.unique(np.rint(np.log(columns) / np.log(factor)), axis=0, return_inverse=True)
    of = of.reshape(-1)
    number = np.bincount(of)
    fewest = np.full((len(number), 3), np.iinfo(np.int64).max)
    np.minimum.at(fewest, of, np.stack([found.cases, found.controls, found.known], axis=1))
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
    found : Candidates
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
        found: Candidates,
        groups: str,
        rounding: Rounding,
        results: NDArray[np.intp] | None = None,
    ) -> None:
        self.kinds = kinds(found, _KINDS_OF_PAIRS if rounding.paired else _KINDS)
        self._made: dict[str, list[_Made]] = {}
        likely = Frequencies(Counted(*_copies(found.frequency, found.known)))
        each = zip(self.kinds.frequency, self.kinds.people, self.kinds.known, strict=True)
        for frequency, people, known in each:
            copies, all_copies = _copies(frequency, known)
            if found.reference is None:
                total = max(round(float(copies)), 1)
                possible = likely.nodes(total, float(all_copies), _nodes(rounding, looked=True))
                laws = dict(_given(total, people, possible, rounding, groups))
            else:
                number = _nodes(rounding, looked=False)
                possible = likely.nodes(float(copies), float(all_copies), number)
                laws = _before(people, possible, rounding, groups)
            for question, law in laws.items():
                self._made.setdefault(question, []).append(law)
        if results is not None:
            self._judge(found, likely, groups, rounding, results)

    def _judge(
        self,
        found: Candidates,
        likely: Frequencies,
        groups: str,
        rounding: Rounding,
        results: NDArray[np.intp],
    ) -> None:
        """Give each of these variants a kind of its own, by its counts."""
        for place in results.tolist():
            law = dict(_of_result(found, place, likely, rounding, groups))
            for question, made in law.items():
                self._made[question].append(made)
        first, of = len(self.kinds.people), self.kinds.of.copy()
        of[results] = np.arange(first, first + len(results))
        sizes = zip(found.cases[results], found.controls[results], strict=True)
        people = [(int(r), int(s)) for r, s in sizes]
        self.kinds = Kinds(
            of,
            np.concatenate([self.kinds.frequency, found.frequency[results]]),
            self.kinds.people + people,
            np.concatenate([self.kinds.known, found.known[results]]),
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


def _given(
    total: int,
    people: _Pair,
    possible: tuple[list[float], Floats],
    rounding: Rounding,
    groups: str,
) -> Iterator[tuple[str, _Made]]:
    """Of a study with so many copies of the allele."""
    if groups == "everybody":
        yield IN_STUDY, _single(given_everybody(total, sum(people), *possible, rounding))
        return
    yield from _asked(given(Split.of_total(total, people), *possible, rounding), groups)


def _of_result(
    found: Candidates, place: int, likely: Frequencies, rounding: Rounding, groups: str
) -> Iterator[tuple[str, _Made]]:
    """Of a variant with so many copies in the cases and so many in the controls.

    Whether cases differ from others by chance or because the variant matters is not known. So of
    the cases it is asked as if the population were like the controls, and of these as if it were
    like the cases, where no reference knows better: both are further than if all were one.
    """
    people = int(found.cases[place]), int(found.controls[place])
    x, y = (int(each) for each in found.copies[place])
    number = _nodes(rounding, looked=False)
    copies, all_copies = (float(e) for e in _copies(found.frequency[place], found.known[place]))
    known = likely.nodes(copies, all_copies, number)
    if groups == "everybody":
        yield IN_STUDY, _single(given_everybody(x + y, sum(people), *known, rounding))
        return
    split = Split.of_both((x, y), people)
    if found.reference is not None:
        laws = given(split, *known, rounding)
    else:
        like_controls = given(split, *likely.nodes(y, 2.0 * people[1], number), rounding)
        like_cases = given(split, *likely.nodes(x, 2.0 * people[0], number), rounding)
        laws = like_controls | {"controls": like_cases["controls"]}
    yield from _asked(laws, groups)


def _asked(laws: dict[str, Evidence], groups: str) -> Iterator[tuple[str, _Made]]:
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


def _single(evidence: Evidence) -> _Made:
    def growth(tilt: float, most: float) -> float:
        return float(np.log(evidence.genotype @ evidence.growth(tilt, most)))

    return _Made(evidence.moments(), growth, lambda lattice: one_group(evidence, lattice))


def _double(cases: Evidence, controls: Evidence) -> _Made:
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
