r"""Beliefs after all that disjoint lists can publish together, where they are not independent.

Counts of a sample add up to its size; and a cell key gives all lists of which nobody is counted the
same noise. With weights :math:`f_j(x) = \binom{m_j}{x} M(y_j | x)`, with the factor p^x
(1−p)^(m_j−x) where all have one prior p, and R the coefficients of the others' product with (1 +
z)^rest, or a number, the belief in a member of list i is

.. math:: \frac{\sum_x x f_i(x) R(n - x)}{m_i \sum_x f_i(x) R(n - x)}
"""

import functools
import itertools
import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction

import attrs

from deniable.numerics.rounding import exact_product
from deniable.rules.relations import MOST_ATOMS
from deniable.rules.rule import Mark, Rule
from deniable.rules.steps import ONE
from deniable.rules.worlds import Adversary, Sample

_MOST_LISTS = 100  # Judged together: with more, outputs are too many but for coarse rules
_MOST_TERMS = 10**5  # Joint outputs of one rule times coefficients of each: a tenth of a second
_NOTHING = ""  # What is published of one person on no list, whether or not they are counted
_MOST_OF_ONE_KEY = 100  # People of lists that share a key: `judge` follows all states of so many


@attrs.frozen
class JointBelief:
    """The belief in a member of one list after one joint output.

    `given_in` and `given_out` are probabilities of this output, and of those that differ in the
    order of lists only.
    """

    belief: Fraction
    given_in: Fraction
    given_out: Fraction


def joint_beliefs(
    rule: Rule, sizes: Sequence[int], who: Adversary, *, is_one_key: bool
) -> list[list[JointBelief]] | None:
    """Return beliefs by length of list, and in the rest of a population; None where too many."""
    # No two lists share anybody; `is_one_key` says whether lists of which nobody is counted share
    # one draw of noise. Length 0 stands for one person on no list, of whom nothing is published.
    if is_one_key and (len(sizes) > MOST_ATOMS or sum(sizes) > _MOST_OF_ONE_KEY):
        return None
    if isinstance(who, Sample) and who.population > sum(sizes):
        sizes = (*sizes, 0)
    drawn = who.size if isinstance(who, Sample) else 0
    numbers = Counter(sizes)
    marks = {size: tuple(rule.outputs(size)) if size else (_NOTHING,) for size in numbers}
    tried = len(marks) * math.prod(
        math.comb(len(marks[size]) + number - 1, number) for size, number in numbers.items()
    )
    if len(sizes) > _MOST_LISTS or tried * (drawn + 1) > _MOST_TERMS:
        return None
    lists = _Lists(rule, sizes, who, is_one_key)
    # P(y | in) = P(y, in)/P(in), and the like given out.
    to_in = Fraction(1, lists.total) / who.low if who.low else Fraction(0)
    to_out = Fraction(1, lists.total) / (1 - who.low) if who.low < 1 else Fraction(0)
    answer = []
    for size in numbers:
        beliefs = []
        for others, times in _multisets(marks, numbers - Counter([size])):
            some, nobody = lists.rest(others)
            for mark in marks[size]:
                shares = lists.shares(size, mark, some, nobody.get(mark, nobody[None]))
                total = sum(shares)
                counted = Fraction(sum(x * share for x, share in enumerate(shares)), size or 1)
                if total:
                    out = times * (total - counted) * to_out
                    beliefs.append(JointBelief(counted / total, times * counted * to_in, out))
        answer.append(beliefs)
    return answer


def _multisets(
    marks: Mapping[int, tuple[Mark, ...]], others: Counter[int]
) -> Iterator[tuple[tuple[tuple[int, Mark], ...], int]]:
    """Yield marks of lists of these lengths, and in how many orders they may be."""
    groups = [
        itertools.combinations_with_replacement([(size, mark) for mark in marks[size]], number)
        for size, number in others.items()
    ]
    for choice in itertools.product(*groups):
        orders = (
            math.factorial(len(some)) // math.prod(map(math.factorial, Counter(some).values()))
            for some in choice
        )
        yield tuple(itertools.chain(*choice)), math.prod(orders)


class _Lists:
    """Whole numbers in proportion to how likely counts and marks of a list are."""

    def __init__(self, rule: Rule, sizes: Sequence[int], who: Adversary, is_one_key: bool) -> None:
        self._laws = [rule.publish(count) | {_NOTHING: ONE} for count in range(max(sizes) + 1)]
        chances = (chance for law in self._laws for chance in law.values())
        self._scale = math.lcm(*(chance.denominator for chance in chances))
        self._is_one_key, self._who = is_one_key, who
        self._start, self.drawn = [1], 0
        scales = self._scale ** (len(sizes) + is_one_key)
        if isinstance(who, Sample):
            self.drawn, unlisted = who.size, who.population - sum(sizes) - sizes.count(0)
            self._start = [math.comb(unlisted, x) for x in range(min(unlisted, self.drawn) + 1)]
            self.total = math.comb(who.population, self.drawn) * scales
        else:
            self.total = who.low.denominator ** sum(sizes) * scales
        self._ways = functools.cache(self._counts)
        self._weights = functools.cache(
            lambda size, mark: [n * self._chance(x, mark) for x, n in enumerate(self._ways(size))]
        )
        # Multisets in order share all but their last marks.
        self._product = functools.lru_cache(_MOST_LISTS)(self._multiplied)

    def _counts(self, size: int) -> list[int]:
        """How likely each count is before the sample's size is known."""
        size = size or 1  # the one person on no list
        if isinstance(self._who, Sample):
            return [math.comb(size, x) for x in range(min(size, self.drawn) + 1)]
        p, q = self._who.low.as_integer_ratio()
        return [math.comb(size, x) * p**x * (q - p) ** (size - x) for x in range(size + 1)]

    def _chance(self, count: int, mark: Mark) -> int:
        return int(self._laws[count].get(mark, Fraction(0)) * self._scale)

    def rest(
        self, others: tuple[tuple[int, Mark], ...]
    ) -> tuple[list[int], dict[Mark | None, list[int]]]:
        """R where somebody of the list is counted; and where nobody is, by the list's mark."""
        # With one key, all empty lists have one mark y with chance M(y | 0), once: R is the product
        # with all others counted, and for each y the product in which lists with y may be empty,
        # less that, times the chance.
        counted = self._product(others, None)
        nobody: dict[Mark | None, list[int]] = {None: counted}
        if not self._is_one_key:
            return counted, nobody
        some = [weight * self._scale for weight in counted]
        for mark in {mark for _, mark in others} & set(self._laws[0]):
            nobody[mark] = self._product(others, mark)
            chance = self._chance(0, mark)
            pairs = zip(some, nobody[mark], counted, strict=True)
            some = [total + chance * (one - without) for total, one, without in pairs]
        return some, nobody

    def _multiplied(self, others: tuple[tuple[int, Mark], ...], empty: Mark | None) -> list[int]:
        """Coefficients up to the sample's size; with one key, only lists with a mark are empty."""
        if not others:
            return self._start
        *before, (size, mark) = others
        weights = self._weights(size, mark)
        if self._is_one_key:
            weights = [
                self._ways(size)[0] * self._scale * (mark in (empty, _NOTHING)),
                *weights[1:],
            ]
        if not isinstance(self._who, Sample):
            weights = [sum(weights)]
        return exact_product(self._product(tuple(before), empty), weights)[: self.drawn + 1]

    def shares(self, size: int, mark: Mark, some: list[int], nobody: list[int]) -> list[int]:
        """How likely each count of a list is, with its mark and all others'."""
        shares = []
        for count, weight in enumerate(self._weights(size, mark)):
            may_share = count == 0 and mark != _NOTHING
            rest, factor = nobody if may_share else some, 1
            if may_share and self._is_one_key:
                factor = self._scale
            left = self.drawn - count if isinstance(self._who, Sample) else 0
            shares.append(weight * factor * rest[left] if left < len(rest) else 0)
        return shares
