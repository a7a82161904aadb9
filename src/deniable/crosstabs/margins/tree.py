r"""Counts of a hierarchy that add up: noise split over families, measured, rebuilt, error bars.

A *family* is a node p with its k children. What is measured of it is what the children add to what
is known of p: :math:`z = (kI - 11^T)t` of their counts t, times a whole multiplier m; besides, the
root's count. Families with one child add nothing and are not measured. With noise e,

.. math:: x_c = \frac{x_p}{k} + \frac{k y_c - \sum_d y_d}{m k^2}, \qquad y = m z + e,

sums to :math:`x_p` over c, whatever the shape of the tree: as fractions, without any rounding. The
measured numbers determine the counts, so that this is their least squares (centring y again loses
nothing). Errors of different families are independent, hence, in units of the noise's variance,

.. math:: V_c = \frac{V_p}{k^2} + \frac{k-1}{m^2 k^3}.

*Split.* A row moves one coordinate of a family by m(k − 1) and k − 1 others by m: squared
:math:`a = m^2 k(k-1)`. A family's noise enters :math:`\sum_n w_n V_n` with

.. math:: \frac{A}{a}, \quad A = \left(\frac{k-1}{k}\right)^2 \sum_{n \text{ below}} w_n \prod
          \frac{1}{k_q^2}

over the families q strictly between. The sum is least, where the a along each path to a leaf sum to
1 at most, by cutting what is left of a path in the proportion of roots: a family whose subtree
costs :math:`S = (\sqrt A + \sqrt{\sum_c S_c})^2` takes :math:`\sqrt A/\sqrt S` of it (Cauchy and
Schwarz, from the leaves up). Where hospitals have few wards and many, all wards cost alike.

*Counts.* For Laplace noise (pure ε) the block of a family is m t itself, since an L1 norm grows
with every residual; :math:`x_c = x_p/k + (k y_c - \sum y)/(m k)`, which leaves unused what children
say of their parent: this is not least squares. There a family's multiplier is its share of the L1
norm of a path, and cube roots stand for the square roots.

References
----------
xiao-2023 (residuals and the split for one column, which a tree of one level is). Proofs stand here,
and are tried by brute force.
"""

import functools
import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import Any, TypeAlias

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.crosstabs.margins.design import LARGEST_MULTIPLIER, LEAST_MULTIPLIER
from deniable.crosstabs.margins.layout import LIMIT, Basis, Counts
from deniable.crosstabs.margins.reconstruct import apportion, project_lines
from deniable.crosstabs.margins.sensitivity import MarginSensitivity, check_total
from deniable.errors import InvalidArgument, validate
from deniable.notions import Adjacency
from deniable.pipeline.noise import DiscreteLaplace
from deniable.publish import query

MOST_MULTIPLE = 2**29
"""The most of m·k: times 2^32 rows a coordinate stays within 62 bits."""
MOST_APART = 1e18
"""The most of importance: beyond it floats do not tell shares of a path apart."""
MOST_LAWS = 256
"""Laws of Laplace noise that are inverted, some 20 ms each; of more Chernoff's bound is taken."""

Terms: TypeAlias = dict[Fraction, int]  # how many coordinates' noise enters an error with each size


@attrs.frozen
class TreeShape:
    """Nodes level by level, the root first; children of one node stand side by side.

    `parents` has for each level below the root the place of each node's parent in the level above;
    none decreases. A node without children is a leaf, at whatever level.

    >>> TreeShape(((0, 0), (0, 0, 0))).leaves
    ((2, 0), (2, 1), (2, 2), (1, 1))
    """

    parents: tuple[tuple[int, ...], ...]

    def __attrs_post_init__(self) -> None:
        above = 1
        for places in self.parents:
            ordered = all(a <= b for a, b in itertools.pairwise(places))
            if not places or not ordered or places[0] < 0 or places[-1] >= above:
                raise InvalidArgument("Expected each level's parents in order, got others.")
            above = len(places)
        if not self.parents:
            raise InvalidArgument("Expected a level below the root, got none.")

    @functools.cached_property
    def children(self) -> tuple[tuple[int, ...], ...]:
        """Return for each level but the last how many children each node has."""
        sizes = (1, *map(len, self.parents[:-1]))
        return tuple(
            tuple(np.bincount(places, minlength=size).tolist())
            for places, size in zip(self.parents, sizes, strict=True)
        )

    @functools.cached_property
    def leaves(self) -> tuple[tuple[int, int], ...]:
        """Level and place of each leaf, the deepest level first: the order of counts."""
        last = len(self.parents)
        deepest = [(last, place) for place in range(len(self.parents[-1]))]
        others = [
            (level, place)
            for level in range(last - 1, 0, -1)
            for place, number in enumerate(self.children[level])
            if not number
        ]
        return (*deepest, *others)

    @property
    def nodes(self) -> int:
        """All of them, the root included."""
        return 1 + sum(map(len, self.parents))

    def families(self) -> Iterator[tuple[int, int, int, int]]:
        """Level and place of each node with children, where they begin below, and how many."""
        for level, numbers in enumerate(self.children):
            start = 0
            for place, number in enumerate(numbers):
                if number:
                    yield level, place, start, number
                start += number


@attrs.frozen
class TreeDesign:
    """Whole multipliers of the root and of each family in the one vector that gets noise.

    The vector is the root's count, then the children of one family after the other, in the order of
    `shape.families()`. The root's multiplier is 0 where the total is public, a family's where it
    has one child.
    """

    shape: TreeShape
    root: int
    multipliers: tuple[int, ...]
    basis: Basis = Basis.RESIDUALS

    @property
    def has_public_total(self) -> bool:
        """Whether the total is public: part of no measurement, and without error."""
        return self.root == 0

    @functools.cached_property
    def coordinates(self) -> int:
        """Length of the vector."""
        families = zip(self.shape.families(), self.multipliers, strict=True)
        return (self.root > 0) + sum(number for (*_, number), m in families if m)

    def moves(self, number: int, multiplier: int, norm: int) -> tuple[int, int]:
        """L1 (0) or squared L2 (1) of what a row does to the family that it is in.

        Second, the same of a row in place of another one in another child's subtree.
        """
        m, k = multiplier, number
        if self.basis is Basis.COUNTS:
            return (m**2, 2 * m**2) if norm else (m, 2 * m)
        return (m**2 * k * (k - 1), 2 * (m * k) ** 2) if norm else (2 * m * (k - 1), 2 * m * k)


def tree_design(
    shape: TreeShape,
    importance: Sequence[float],
    basis: Basis = Basis.RESIDUALS,
    *,
    public_total: bool = False,
) -> TreeDesign:
    """The split at which Σ importance · variance over all nodes is least; see the module's head.

    Square roots are rounded correctly by every machine, and sums are in one order: a check of a
    release finds the same multipliers.

    `importance`, the root's first, is > 0 and within a factor of `MOST_APART`.

    >>> design = tree_design(TreeShape(((0, 0), (0, 0, 1, 1))), (1, 1, 1))
    >>> design.root, design.multipliers
    (1024, (586, 630, 630))
    """
    weights = [validate.positive(each, "importance") for each in importance]
    if len(weights) != len(shape.parents) + 1:
        raise InvalidArgument("Expected an importance for each level, got others.")
    if max(weights) / MOST_APART > min(weights):
        raise InvalidArgument(
            f"Expected importance of levels within a factor of {MOST_APART:.0e} of each other, "
            "got more. Choose them nearer to each other."
        )
    weights = [weight / max(weights) for weight in weights]
    families = list(shape.families())
    *shares, root = _shares(shape, families, weights, basis, public_total)
    divisors = [math.sqrt(k * (k - 1)) if basis is Basis.RESIDUALS else 1.0 for *_, k in families]
    sizes = [
        share / divisor if divisor else 0.0 for share, divisor in zip(shares, divisors, strict=True)
    ]
    most = max(*sizes, root)
    multiples = [size / most * k for size, (*_, k) in zip(sizes, families, strict=True)]
    factor = LARGEST_MULTIPLIER
    least = min(size / most for size in (*sizes, root) if size)
    while factor * least < LEAST_MULTIPLIER and 2 * factor * max(1.0, *multiples) <= MOST_MULTIPLE:
        factor *= 2

    def rounded(size: float) -> int:
        return max(math.floor(factor * (size / most) + 0.5), 1)

    multipliers = (
        rounded(size) if k > 1 else 0 for size, (*_, k) in zip(sizes, families, strict=True)
    )
    return TreeDesign(shape, 0 if public_total else rounded(root), tuple(multipliers), basis)


def _shares(
    shape: TreeShape,
    families: Sequence[tuple[int, int, int, int]],
    weights: Sequence[float],
    basis: Basis,
    public_total: bool,
) -> list[float]:
    """Each family's share of a path, as a norm, then the root's; one child alone has none."""
    sizes = [1, *map(len, shape.parents)]
    below = [[weight] * size for weight, size in zip(weights, sizes, strict=True)]
    needs = [[0.0] * size for size in sizes]  # root (or cube root) of S of each node's subtree
    own = []
    squared = basis is Basis.RESIDUALS
    # S^(1/2) adds up along a path for L2, S^(1/3) for L1; over children S itself does.
    power = 2 if squared else 3
    root_of: Callable[[float], float] = math.sqrt if squared else _cube_root
    for level, place, start, k in reversed(families):
        inside = slice(start, start + k)
        sum_below = math.fsum(below[level + 1][inside])
        below[level][place] += sum_below / k**2
        # V of a child is (k−1)²/(k²a), or, with counts, (k−1)/k times 1/m²
        factor = ((k - 1) / k) ** 2 if squared else (k - 1) / k
        own.append(root_of(factor * sum_below))
        deeper = root_of(math.fsum(need**power for need in needs[level + 1][inside]))
        needs[level][place] = own[-1] + deeper
    own.reverse()
    top = 0.0 if public_total else root_of(below[0][0])
    left = [[0.0] * size for size in sizes]
    left[0][0] = needs[0][0] / (top + needs[0][0])
    shares = []
    for need, (level, place, start, k) in zip(own, families, strict=True):
        subtree = needs[level][place]
        part = need / subtree if subtree else 0.0
        shares.append(left[level][place] * part)
        for child in range(start, start + k):
            left[level + 1][child] = left[level][place] * (1 - part)
    shares.append(top / (top + needs[0][0]))
    return [math.sqrt(share) if squared else share for share in shares]


def _cube_root(value: float) -> float:
    """Take Newton's steps, since libraries' cube roots differ between machines."""
    if value <= 0:
        return 0.0
    mantissa, exponent = math.frexp(value)
    thirds, rest = divmod(exponent, 3)
    scaled, root = math.ldexp(mantissa, rest), 1.0
    for _ in range(12):
        root = (2 * root + scaled / (root * root)) / 3
    return math.ldexp(root, thirds)


def tree_sensitivity(
    design: TreeDesign, adjacency: Adjacency, *, rows: int = 1, has_fixed_rows: bool = False
) -> MarginSensitivity:
    """The largest move between neighbours, over all pairs of leaves; all maxima are attained.

    Norms are convex, so that r rows move the vector farthest where all are alike: r times one row,
    as in `margins.sensitivity`. A row moves the families on its path; a row in place of another one
    moves those below the last node that they share, and of this node's family twice.

    >>> shape = TreeShape(((0, 0), (0, 0, 1, 1)))
    >>> counts = TreeDesign(shape, 1, (1, 1, 1), Basis.COUNTS)
    >>> [tree_sensitivity(counts, each, rows=3).squared_l2 for each in Adjacency]
    [36, 27]
    """
    r = validate.integer(rows, "rows", least=1)
    exchanged = adjacency is Adjacency.REPLACE_ONE
    check_total(design.has_public_total, is_fixed=exchanged and has_fixed_rows)
    l1, squared = (_farthest(design, norm, exchanged, has_fixed_rows) for norm in (0, 1))
    return MarginSensitivity(r * r * squared, r * l1, is_attained=True)


def _farthest(design: TreeDesign, norm: int, exchanged: bool, fixed: bool) -> int:
    """The largest L1 (0) or squared L2 (1) of one row against none, and against another."""
    paths = [[0] * size for size in (1, *map(len, design.shape.parents))]
    pair = 0
    families = list(zip(design.shape.families(), design.multipliers, strict=True))
    for (level, place, start, k), multiplier in reversed(families):
        *_, second, first = sorted([0, *paths[level + 1][start : start + k]])
        own, exchange = design.moves(k, multiplier, norm)
        if k > 1:
            pair = max(pair, exchange + first + second)
        paths[level][place] = own + first
    alone = paths[0][0] + (design.root, design.root**2)[norm]
    if not exchanged:
        return alone
    return pair if fixed else max(alone, pair)


def measure_tree(design: TreeDesign, counts: Counts) -> Counts:
    """The vector, exactly, from the counts of the leaves in the order of `shape.leaves`.

    Where a number could pass 2^62 all are computed in Python's integers, and one beyond it becomes
    2^62: neighbouring tables come no further apart by it.
    """
    families = list(zip(design.shape.families(), design.multipliers, strict=True))
    largest = max(
        (m * (k if design.basis is Basis.RESIDUALS else 1) for (*_, k), m in families), default=0
    )
    fits = max(largest, design.root) * sum(map(int, counts.tolist())) <= LIMIT
    levels: list[NDArray[Any]] = [
        np.zeros(size, np.int64 if fits else object)
        for size in (1, *map(len, design.shape.parents))
    ]
    for (level, place), count in zip(design.shape.leaves, counts.tolist(), strict=True):
        levels[level][place] = count
    for level in range(len(levels) - 1, 0, -1):
        np.add.at(levels[level - 1], np.array(design.shape.parents[level - 1]), levels[level])
    blocks = [design.root * levels[0]] if design.root else []
    for (level, _, start, k), multiplier in families:
        if multiplier:
            block = levels[level + 1][start : start + k]
            if design.basis is Basis.RESIDUALS:
                block = k * block - block.sum()
            blocks.append(multiplier * block)
    vector = np.concatenate(blocks) if blocks else np.zeros(0, np.int64)
    return np.asarray(vector if fits else np.clip(vector, -LIMIT, LIMIT), np.int64)


@attrs.frozen
class NodeCount:
    """A node's unbiased count as a fraction; `measured` is the noisy number of the node itself."""

    numerator: int
    denominator: int
    measured: int | None

    @property
    def value(self) -> float:
        """Return the value, by one correctly rounded division."""
        return self.numerator / self.denominator


def rebuild_tree(
    design: TreeDesign, noisy: Counts, *, public_total: int | None = None
) -> list[list[NodeCount]]:
    """Every node, level by level, from noisy and public numbers alone; all add up exactly.

    >>> design = TreeDesign(TreeShape(((0, 0), (0, 0, 1, 1))), 1, (1, 1, 1))
    >>> vector = measure_tree(design, np.array([4, 2, 1, 2]))
    >>> [[node.value for node in level] for level in rebuild_tree(design, vector)]
    [[9.0], [6.0, 3.0], [4.0, 2.0, 1.0, 2.0]]
    """
    if design.has_public_total != (public_total is not None):
        raise InvalidArgument(
            "Expected a public total exactly where the design measures none, got "
            f"public_total={public_total}."
        )
    numbers = noisy.tolist()
    if len(numbers) != design.coordinates:
        raise InvalidArgument(
            f"Expected a vector of {design.coordinates} whole numbers, got {len(numbers)}."
        )
    left = iter(numbers)
    root = next(left) if public_total is None else public_total
    levels: list[list[NodeCount]] = [[NodeCount(root, design.root or 1, root)]]
    levels += [[] for _ in design.shape.parents]
    for (level, place, _, k), multiplier in zip(
        design.shape.families(), design.multipliers, strict=True
    ):
        parent = levels[level][place]
        if not multiplier:
            levels[level + 1].append(attrs.evolve(parent, measured=None))
            continue
        own = [next(left) for _ in range(k)]
        divisor = multiplier * (k * k if design.basis is Basis.RESIDUALS else k)
        common, total = math.lcm(parent.denominator * k, divisor), sum(own)
        of_parent = parent.numerator * (common // (parent.denominator * k))
        scale = common // divisor
        levels[level + 1] += [
            NodeCount(of_parent + scale * (k * number - total), common, number) for number in own
        ]
    return levels


def whole_tree(shape: TreeShape, levels: Sequence[Sequence[NodeCount]]) -> list[list[int]]:
    """Non-negative whole numbers for all nodes, near the unbiased ones; they add up.

    The root is rounded. From there down, children become the nearest non-negative numbers that sum
    to their parent's, whole by largest remainders.

    >>> counts = [NodeCount(7, 2, None)], [NodeCount(9, 2, None), NodeCount(-1, 1, None)]
    >>> whole_tree(TreeShape(((0, 0),)), counts)
    [[4], [4, 0]]
    """
    top = levels[0][0]
    total = (2 * top.numerator + top.denominator) // (2 * top.denominator)
    result: list[list[int]] = [[max(total, 0)], *([] for _ in shape.parents)]
    for level, place, start, k in shape.families():
        children, wanted = levels[level + 1][start : start + k], result[level][place]
        common = math.lcm(*(child.denominator for child in children))
        line = [child.numerator * (common // child.denominator) for child in children]
        nearest = project_lines(np.array([line], object), np.array([wanted * common], object))
        result[level + 1] += apportion(wanted, nearest[0].tolist())
    return result


def tree_error_terms(design: TreeDesign) -> list[list[Terms]]:
    """The error of each node as Σ c_k X_k over independent coordinates' noise, level by level.

    All children of a family have one law, and share the dictionary. Noise is symmetric, so that
    only sizes of c_k are told apart.

    >>> tree_error_terms(TreeDesign(TreeShape(((0, 0),)), 1, (1,)))[1][0]
    {Fraction(1, 2): 1, Fraction(1, 4): 2}
    """
    root: Terms = {Fraction(1, design.root): 1} if design.root else {}
    levels: list[list[Terms]] = [[root], *([] for _ in design.shape.parents)]
    for (level, place, _, k), multiplier in zip(
        design.shape.families(), design.multipliers, strict=True
    ):
        terms = {size / k: number for size, number in levels[level][place].items()}
        if multiplier:
            unit = Fraction(1, multiplier * (k * k if design.basis is Basis.RESIDUALS else k))
            for size, number in ((unit * (k - 1), 1), (unit, k - 1)):
                terms[size] = terms.get(size, 0) + number
        levels[level + 1] += [terms] * k
    return levels


def tree_half_widths(design: TreeDesign, noise: query.DiscreteNoise) -> list[list[query.HalfWidth]]:
    """The 95 % half-width of each node, in rows, from public numbers alone."""
    levels = tree_error_terms(design)
    laws: dict[tuple[tuple[Fraction, int], ...], query.HalfWidth] = {}
    families = {id(terms): terms for level in levels for terms in level}
    of_family = {place: tuple(sorted(terms.items())) for place, terms in families.items()}
    different = dict.fromkeys(of_family.values())
    is_bounded = isinstance(noise, DiscreteLaplace) and len(different) > MOST_LAWS
    for law in different:
        terms_of = [query.ErrorTerm(size, number, noise) for size, number in law]
        laws[law] = (
            query.HalfWidth(query.half_width_by_chernoff(terms_of), query.Method.CHERNOFF)
            if is_bounded and terms_of
            else query.half_width(terms_of)
        )
    return [[laws[of_family[id(terms)]] for terms in level] for level in levels]
