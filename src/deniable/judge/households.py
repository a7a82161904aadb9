r"""The most that one mechanism reveals about a member of a household, over a class of joint laws.

Given the memberships of everybody else, a household of the person and m others has a law of R, the
others' memberships, with the person in and one with the person out. One output has a probability
f(in, r) and f(out, r), and is worth

.. math:: \frac{\sum_r \Pr[r \mid in] f(in, r)}{\sum_r \Pr[r \mid out] f(out, r)}

or the inverse. Households outside are independent, so an average over them is no worse than the
worst of them. The maxima are over laws with few atoms, found exactly:

- *Any tie*: one r with the person in, one with the person out.
- *Difference c*: both laws are (1 − c)·common + c·rest and the quotient is linear in each over the
  other, so each part is one r. Once a member is known, the rest may be tied in any way.
- *Odds ratio ψ*: with L = Pr[r|in]/Pr[r|out] fixed, the quotient is linear-fractional in Pr[r|out]
  under one linear constraint, so two r suffice. It is linear-fractional in L too, so L takes the
  ends that their distance d leaves, ψ^d apart. What remains are the odds of the two, one number.
- *Intra-class correlation*: a quotient of two polynomials in the mean and the correlation, bounded
  on boxes by coefficients of Bernstein's form.

A law with fewer atoms than combinations stands for laws near it where all must be possible.
"""

import math
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from itertools import combinations
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.errors import InvalidArgument
from deniable.judge.neighbours import every_subset, fill_unknown
from deniable.judge.semantic import Integers, scale_to_integers
from deniable.judge.worst_cases import NEARLY, Gamma, Witness, describe_witness
from deniable.mechanisms.stochastic_matrix import StochasticMatrix
from deniable.notions.households import HouseholdMembers, Households
from deniable.numerics.bound import Bound, Evidence
from deniable.numerics.rounding import directed, lower, upper

MOST_ENTITIES = 8
"""Universes with more entities have too many households and known outsiders to try."""
_GAP = Fraction(1, 2**30)
"""How far, relatively, the upper end of a searched maximum may lie above what a law attains."""
_LEAST_MEAN = Fraction(1, 2**80)
"""Least mean that a law in a verdict has: at 0 no belief would be left to move. Alike below 1."""
_MOST_BOXES = 20_000
"""Boxes of means and correlations after which the search gives up; a usual one takes some 50."""

Chances = Mapping[int, int | Fraction]
"""A weight for each row number; laws given a membership need not sum to 1."""


@attrs.frozen
class Revealed:
    """A quotient between what a law attains and what no law passes, and the law.

    `given_in` and `given_out` weigh row numbers with and without the entity; `belief` is the
    probability of being in where the class ties it to the rest. Ends may be infinite.
    """

    attained: Fraction | float = Fraction(1)
    bound: Fraction | float = Fraction(1)
    entity: int = 0
    output: int = 0
    given_in: Chances = attrs.Factory(dict)
    given_out: Chances = attrs.Factory(dict)
    belief: Fraction | None = None

    def join(self, other: "Revealed") -> "Revealed":
        """Return the one that attains more, below the larger of the bounds."""
        best = other if other.attained > self.attained else self
        return attrs.evolve(best, bound=max(self.bound, other.bound))


@attrs.frozen
class _Cube:
    """One output of a household's memberships: rows and probabilities by the others' places."""

    entity: int
    output: int
    rows_in: list[int]
    rows_out: list[int]
    in_: list[int]
    out: list[int]

    def quotient(self, given_in: Chances, given_out: Chances) -> Revealed:
        """Return what laws of places reveal, exactly."""
        (above, n_in), (below, n_out) = (
            (sum(w * f[r] for r, w in law.items()), sum(law.values()))
            for law, f in ((given_in, self.in_), (given_out, self.out))
        )
        if not above:
            return Revealed()
        value = math.inf if not below else Fraction(above * n_out) / Fraction(below * n_in)
        given_in = {self.rows_in[r]: w for r, w in given_in.items()}
        given_out = {self.rows_out[r]: w for r, w in given_out.items()}
        return Revealed(value, value, self.entity, self.output, given_in, given_out)


def gamma(matrix: StochasticMatrix, households: Households, *, rise: bool) -> Gamma | None:
    """The least γ of positive (negative) membership over the class, and a law that shows it.

    None unless every subset's law is known.
    """
    if not every_subset(matrix):
        return None
    worst = _largest(matrix, households, rise=rise, of_beliefs=True)
    with directed() as r:
        most = upper(r(worst.bound))
        attained = min(lower(r(worst.attained)), most)
    exact = worst.attained == worst.bound
    bound = Bound.exact(most) if exact else Bound(attained, most, Evidence.ENCLOSURE)
    return Gamma(bound, _witness(matrix, worst) if worst.attained > 1 else None)


def leakage(matrix: StochasticMatrix, households: Households) -> float | None:
    """The largest |ln| of an output's probability given in over that given out, rounded up."""
    if not every_subset(matrix):
        return None
    worst = max(_largest(matrix, households, rise=each).bound for each in (True, False))
    with directed() as r:
        return max(upper(r.log(r(worst))), 0.0)


def _largest(
    matrix: StochasticMatrix, households: Households, *, rise: bool, of_beliefs: bool = False
) -> Revealed:
    """The largest quotient over entities, outputs and what is known of everybody else."""
    if isinstance(households, HouseholdMembers):
        raise InvalidArgument(
            "Expected people as entities, got households that are entities themselves. "
            "Write the mechanism of people, and give Households(size)."
        )
    if matrix.universe.size > MOST_ENTITIES:
        raise InvalidArgument(
            f"Expected at most {MOST_ENTITIES} entities with the family households, got "
            f"{matrix.universe.size}. Judge one household alone, with what others do to it fixed."
        )
    reveal: Callable[[Revealed, _Cube], Revealed]
    worst, others = Revealed(), min(households.size, matrix.universe.size) - 1
    # Where belief is free, γ is the quotient: belief tends to 0 (li-2013, Theorem 3.6).
    match households.model:
        case ["icc", c]:  # a smaller household is no special case of a larger one
            for members in range(others + 1):
                search = _Inclinations(members, Fraction(c), rise, of_beliefs)
                for cube in _cubes(matrix, members, rise=True):
                    if worst.attained < math.inf:
                        worst = search.join(worst, cube)
            return worst
        case None:
            reveal = _any_tie
        case ["odds_ratio", psi]:
            reveal = _odds_ratio(Fraction(psi))
        case [_, c]:
            reveal = _difference(Fraction(c))
    for cube in _cubes(matrix, others, rise=rise):
        if worst.attained == math.inf:
            break
        worst = reveal(worst, cube)
    return worst


def _cubes(matrix: StochasticMatrix, others: int, *, rise: bool) -> Iterator[_Cube]:
    """Each entity, so many others of a household, memberships of everybody else, each output."""
    table: Integers = scale_to_integers(fill_unknown(matrix))
    n = matrix.universe.size
    for entity in range(n):
        rest = [1 << j for j in range(n) if j != entity]
        for household in combinations(rest, others):
            places = _subsets(household)
            for known in _subsets([bit for bit in rest if bit not in household]):
                out = [known | place for place in places]
                inside = [row | 1 << entity for row in out]
                if not rise:
                    inside, out = out, inside
                for output in range(table.shape[1]):
                    chances = table[inside, output].tolist(), table[out, output].tolist()
                    yield _Cube(entity, output, inside, out, *chances)


def _subsets(bits: Any) -> list[int]:
    """The sums of each part of these bits: bit j of a place says whether the j-th is in."""
    sums = [0]
    for bit in bits:
        sums += [each + bit for each in sums]
    return sums


def _any_tie(worst: Revealed, cube: _Cube) -> Revealed:
    at = range(len(cube.in_))
    top, bottom = max(at, key=cube.in_.__getitem__), min(at, key=cube.out.__getitem__)
    return worst.join(cube.quotient({top: 1}, {bottom: 1}))


def _difference(c: Fraction) -> Callable[[Revealed, _Cube], Revealed]:
    def reveal(worst: Revealed, cube: _Cube) -> Revealed:
        at = range(len(cube.in_))
        top, bottom = max(at, key=cube.in_.__getitem__), min(at, key=cube.out.__getitem__)
        for common in at:
            given_in = {common: 1 - c}
            given_out = dict(given_in)
            given_in[top] = given_in.get(top, Fraction(0)) + c
            given_out[bottom] = given_out.get(bottom, Fraction(0)) + c
            worst = worst.join(cube.quotient(given_in, given_out))
        if c:  # a known member, alike in both, is all but certainly otherwise
            for r, s in ((r, s) for r in at for s in at if r ^ s != len(at) - 1):
                worst = worst.join(cube.quotient({r: 1}, {s: 1}))
        return worst

    return reveal


def _odds_ratio(psi: Fraction) -> Callable[[Revealed, _Cube], Revealed]:
    def reveal(worst: Revealed, cube: _Cube) -> Revealed:
        at = range(len(cube.in_))
        for r in at:
            worst = worst.join(cube.quotient({r: 1}, {r: 1}))
        for r, s in ((r, s) for r in at for s in at if r != s):
            if worst.attained == math.inf:
                break
            most = max(cube.in_[r], cube.in_[s])
            if most <= worst.attained * min(cube.out[r], cube.out[s]):
                continue
            worst = _best_odds(worst, cube, r, s, psi ** (r ^ s).bit_count())
        return worst

    return reveal


def _best_odds(worst: Revealed, cube: _Cube, r: int, s: int, omega: Fraction) -> Revealed:
    """Given out r and s have the weights 1 and o, given in 1 and oΩ: over all o > 0."""
    # (f_r + oΩf_s)(1 + o) / ((1 + oΩ)(g_r + o g_s)) = (A o² + B o + C)/(D o² + E o + F), whose
    # derivative is 0 where (AE − BD)o² + 2(AF − CD)o + (BF − CE) = 0.
    f, g = (cube.in_[r], cube.in_[s]), (cube.out[r], cube.out[s])
    above = omega * f[1], f[0] + omega * f[1], Fraction(f[0])
    below = omega * g[1], g[1] + omega * g[0], Fraction(g[0])
    square = above[0] * below[1] - above[1] * below[0]
    half = above[0] * below[2] - above[2] * below[0]
    constant = above[1] * below[2] - above[2] * below[1]
    discriminant = half**2 - square * constant
    if discriminant < 0:
        return worst
    with directed() as ball:
        # From the root that does not cancel: q/square and constant/q, q = −(half ± root).
        root = ball.sqrt(ball(discriminant))
        q = -(ball(half) + root) if half >= 0 else root - ball(half)
        odds = [ball(constant) / q] if half or discriminant else []
        odds += [q / ball(square)] if square else []
        for o in odds:
            if not o > 0:
                continue
            digits, power = o.mid().man_exp()  # exactly: it may be beyond the floats
            near = int(digits) * Fraction(2) ** int(power)
            revealed = cube.quotient({r: 1, s: near * omega}, {r: 1, s: near})
            top, bottom = ((ball(a) * o + ball(b)) * o + ball(c) for a, b, c in (above, below))
            if bottom > 0:
                end = upper(top / bottom)
                most = end if end == math.inf else Fraction(end)
                bound = max(most, revealed.attained)
                worst = worst.join(attrs.evolve(revealed, bound=bound))
    return worst


Polynomial = NDArray[np.object_]
"""Whole coefficients of p^i (1 − p)^(d−i) v^j (1 − v)^(d−j), an axis for p and one for v."""
_ONE: Polynomial = np.array([[1, 1], [1, 1]], dtype=np.object_)
_IN: Polynomial = np.array([[0, 0], [1, 1]], dtype=np.object_)
"""p, the mean inclination, which is the belief in each member; 1 − p is `_ONE − _IN`."""


def _times(one: Polynomial, other: Polynomial) -> Polynomial:
    result = np.full(np.add(one.shape, other.shape) - 1, 0, dtype=np.object_)
    for (i, j), coefficient in np.ndenumerate(one):
        result[i : i + other.shape[0], j : j + other.shape[1]] += coefficient * other
    return result


class _Inclinations:
    """The search over means p in [0, 1] and correlations cv, v in [0, 1], of beta priors."""

    # Of the others, j are in with probability C(m, j) a^(j) b^(m−j) / (a + b)^(m) in rising powers,
    # with a + 1 for a given in and b + 1 for b given out, so that both denominators are the same.
    # Times 1 − cv a factor a + l is p(1 − cv) + l cv, and b + l the same of 1 − p.

    def __init__(self, others: int, c: Fraction, rise: bool, of_beliefs: bool) -> None:
        self.c, self.rise, self.of_beliefs = c, rise, of_beliefs
        self.counts = [place.bit_count() for place in range(1 << others)]
        self.given_in, self.given_out = (
            [self._rising(j, others - j, *start) for j in range(others + 1)]
            for start in ((1, 0), (0, 1))
        )
        # Bernstein's coefficients are these over products of binomials.
        degree = others + of_beliefs
        binomials = np.array([math.comb(degree, i) for i in range(degree + 1)], dtype=np.object_)
        products = np.outer(binomials, binomials)
        self.scale = math.lcm(*products.flat) // products

    def _rising(self, ups: int, downs: int, first: int, second: int) -> Polynomial:
        n, d = self.c.numerator, self.c.denominator
        up = [np.array([[0, (first + i) * n], [d, d - n + (first + i) * n]]) for i in range(ups)]
        down = [
            np.array([[d, d - n + (second + i) * n], [0, (second + i) * n]]) for i in range(downs)
        ]
        result: Polynomial = np.array([[1]], dtype=np.object_)
        for factor in (*up, *down):
            result = _times(factor.astype(np.object_), result)
        return result

    def join(self, worst: Revealed, cube: _Cube) -> Revealed:
        """Return the worst so far, or what this output reveals."""
        inside, out = (
            sum(f * law[j] for j, f in zip(self.counts, chances, strict=True))
            for law, chances in ((self.given_in, cube.in_), (self.given_out, cube.out))
        )
        quotients = [(inside, out)]
        if self.of_beliefs:
            both = _times(_IN, inside) + _times(_ONE - _IN, out)
            # Pr[t|S]/Pr[t] and Pr[¬t]/Pr[¬t|S]; of absence the inverses exchange in and out.
            quotients = [(_times(_ONE, inside), both), (both, _times(_ONE, out))]
            if not self.rise:
                quotients = [(_times(_ONE, out), both), (both, _times(_ONE, inside))]
        elif not self.rise:
            quotients = [(out, inside)]
        for above, below in quotients:
            if worst.attained == math.inf:
                break
            worst = self._maximum(worst, cube, above * self.scale, below * self.scale)
        return worst

    def _maximum(self, worst: Revealed, cube: _Cube, above: Any, below: Any) -> Revealed:
        boxes, tried = [(above, below, Fraction(0), Fraction(0), Fraction(1), Fraction(1))], 0
        while boxes:
            tried += 1
            above, below, p, v, wide, high = boxes.pop()
            for i, j in ((0, 0), (0, -1), (-1, 0), (-1, -1)):
                if not below[i, j] and above[i, j]:
                    return self._law(cube, p - i * wide, v - j * high, math.inf, math.inf)
                if above[i, j] > worst.attained * below[i, j]:
                    quotient = Fraction(above[i, j], below[i, j])
                    worst = self._law(cube, p - i * wide, v - j * high, quotient, worst.bound)
            limit = Fraction(worst.attained) * (1 + _GAP)
            if (limit.numerator * below >= limit.denominator * above).all():
                continue
            if tried == _MOST_BOXES:
                return attrs.evolve(worst, bound=math.inf)
            axis = int(high > wide)
            halves = zip(_halve(above, axis), _halve(below, axis), strict=True)
            wide, high = (wide, high / 2) if axis else (wide / 2, high)
            for side, (first, second) in enumerate(halves):
                corner = (p, v + side * high) if axis else (p + side * wide, v)
                boxes.append((first, second, *corner, wide, high))
        return attrs.evolve(worst, bound=max(worst.bound, worst.attained * (1 + _GAP)))

    def _law(self, cube: _Cube, p: Fraction, v: Fraction, attained: Any, bound: Any) -> Revealed:
        """What the law of a mean and a correlation reveals; near the end if a mean is at one."""
        c, m = self.c * v, max(self.counts)
        p = min(max(p, _LEAST_MEAN), 1 - _LEAST_MEAN)

        def weight(ups: int, downs: int, first: int, second: int) -> Fraction:
            up = (p * (1 - c) + (first + i) * c for i in range(ups))
            down = ((1 - p) * (1 - c) + (second + i) * c for i in range(downs))
            return math.prod(up, start=math.prod(down, start=Fraction(1)))

        given_in, given_out = (
            {
                row: chance
                for row, j in zip(rows, self.counts, strict=True)
                if (chance := weight(j, m - j, *start))
            }
            for rows, start in ((cube.rows_in, (1, 0)), (cube.rows_out, (0, 1)))
        )
        return Revealed(attained, bound, cube.entity, cube.output, given_in, given_out, p)


def _halve(coefficients: Any, axis: int) -> tuple[Any, Any]:
    """Bernstein's coefficients on both halves of an axis, by de Casteljau, all times 2^d."""
    rows = np.moveaxis(coefficients, axis, 0)
    steps = [rows * 2 ** (len(rows) - 1)]
    while len(steps[-1]) > 1:
        steps.append((steps[-1][1:] + steps[-1][:-1]) // 2)
    halves = np.array([step[0] for step in steps]), np.array([step[-1] for step in steps[::-1]])
    return np.moveaxis(halves[0], 0, axis), np.moveaxis(halves[1], 0, axis)


def _witness(matrix: StochasticMatrix, worst: Revealed) -> Witness:
    """The law with the first membership as probable as shows all but a part in 10^9."""
    belief = worst.belief
    if belief is None:  # free: any shows an infinite quotient
        belief = Fraction(1, 2)
        if worst.attained != math.inf:
            belief = min(belief, Fraction(NEARLY) / (Fraction(worst.attained) - 1))
    chances = {
        row: float(share * weight / sum(law.values()))
        for law, share in ((worst.given_in, belief), (worst.given_out, 1 - belief))
        for row, weight in law.items()
    }
    return describe_witness(matrix, worst.entity, worst.output, chances)
