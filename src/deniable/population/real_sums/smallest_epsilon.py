"""Densities, hockey-stick divergences and the smallest ε, from Fourier coefficients."""

import math

import attrs
import numpy as np

from deniable.computing.transforms import inverse_transform, transform_error, transform_length
from deniable.numerics.bound import pair_bounds
from deniable.population.question import Bools, Complexes, Floats, Ints
from deniable.population.real_sums.subset_sums import Nodes

# --- Densities on a circle from their Fourier coefficients, with slopes and error bounds.
#
# The density wrapped round a circle of length L has the Fourier coefficients φ(2πj/L)/L. In L¹ it
# is off by at most the mass outside plus the ℓ² norm of the coefficients' errors.

_OUTSIDE = 4  # Factor on `tiny`: mass outside the window is missing, and wraps round


@attrs.frozen(eq=False)
class Law:
    """One density a row, at equidistant points round a circle."""

    spacing: float  # η, the distance of neighbouring points
    # (n_rows, n_points + 1): the density; the last point is the first again.
    values: Floats
    slopes: Floats  # (n_rows, n_points + 1): its derivative times η/3
    bend: Floats  # (n_rows,): bound of the absolute fourth derivative
    # (n_rows,): bound of ∫|true − computed|, the mass off the window and rounding included.
    error: Floats

    @property
    def length(self) -> float:
        """Return the length of the circle."""
        return self.spacing * float(self.values.shape[1] - 1)

    def rows(self, index: Bools | Ints | slice) -> "Law":
        """Some of the rows."""
        spacing, *columns = attrs.astuple(self, recurse=False)
        return Law(spacing, *(column[index] for column in columns))


def fourth_derivative(nodes: Nodes, transform: Complexes) -> Floats:
    """Bound of |p''''| of each row: (1/L) Σ_j θ_j⁴ |φ_j|."""
    weights = 2 * nodes.theta**4 * nodes.step / (2 * math.pi)
    return np.asarray(np.abs(transform) @ weights * (1 + 1e-9))


def grid_points(nodes: Nodes, bend: float, tolerance: float, most: int) -> int:
    """Points so that cubic interpolation changes no integral by more than the tolerance."""
    length = 2 * math.pi / nodes.step
    # η with M L η⁴/720 = tolerance; and at least two points a frequency, so that none are folded.
    spacing = (720 * tolerance / max(length * bend, 1e-300)) ** 0.25
    enough = 2 * int(nodes.index[-1]) + 4
    return transform_length(max(enough, min(math.ceil(length / spacing), most), 64))


def law(nodes: Nodes, transform: Complexes, points: int) -> Law:
    """The densities whose characteristic functions at the nodes are given.

    A transform of G points is off by at most c of its ℓ² norm, c as `transform_error` has it, and
    no single value by more than that in all.
    """
    length = 2 * math.pi / nodes.step
    spacing = length / points
    # The derivative has the coefficients −iθφ; times η/3 it is what Bernstein's form needs.
    moving = transform * (-1j * nodes.theta * (spacing / 3))
    sizes = np.abs(transform)
    doubled = np.where(nodes.index == 0, 1.0, 2.0)
    # Rounding of the transform: c of the ℓ² norm at every one of G points.
    loss = transform_error(points) * math.sqrt(points)
    off = np.sqrt(sizes**2 @ doubled) + np.sqrt((sizes * nodes.theta) ** 2 @ doubled) * spacing
    error = np.asarray(nodes.errors + _OUTSIDE * nodes.tiny + 1.01 * loss * off)
    return Law(
        spacing,
        _on_the_circle(nodes, transform, points),
        _on_the_circle(nodes, moving, points),
        fourth_derivative(nodes, transform),
        error,
    )


def _on_the_circle(nodes: Nodes, transform: Complexes, points: int) -> Floats:
    """(1/L) Σ_j φ_j e^(−iθ_j t) at t = 0, η, 2η, … and 0 again."""
    # p(t_k) = (1/L) Σ_j φ_j e^(−iθ_j t_k); conj(φ_j) for the library's sign, G/L for its 1/G.
    coefficients = np.zeros((len(transform), points // 2 + 1), np.complex128)
    coefficients[:, nodes.index] = transform.conj() * (points * nodes.step / (2 * math.pi))
    result = np.empty((len(transform), points + 1))
    result[:, :-1] = inverse_transform(coefficients, points)
    result[:, -1] = result[:, 0]
    return result


# --- ∫ max(0, p − w·q) between two densities on a circle, enclosed.
#
# Between neighbouring points p − w·q is replaced by a cubic, off by at most M·L·η⁴/720 round the
# circle. Where its Bernstein coefficients have one sign, so has the cubic; else the cell is halved.

_NEGLIGIBLE = 1e-15  # Mass, of p + w·q, in cells that are not looked at closer
_SUMMING = 1e-14  # The error of p + w·q: rounding (8 units), a sum of 2^18 cells (30 units)


@attrs.frozen(eq=False)
class HockeyStick:
    """Enclosures, one a row, of the divergence and of q's mass where p > w·q."""

    # lower, upper (n_rows,): ends of the divergence.
    lower: Floats
    upper: Floats
    # mass_lower, mass_upper (n_rows,): ends of Q(A) for the set A that gives `lower`: P(A) − v·Q(A)
    # is a lower bound at any v.
    mass_lower: Floats
    mass_upper: Floats


def hockey_stick(p: Law, q: Law, weight: Floats) -> HockeyStick:
    """The divergence of p from q at w = e^ε, each row at its own w; (n_rows,)."""
    left, left_next, right_next, right = _coefficients(p, q, weight[:, np.newaxis])
    least = np.minimum(np.minimum(left, right), np.minimum(left_next, right_next))
    most = np.maximum(np.maximum(left, right), np.maximum(left_next, right_next))
    total = left + right + left_next + right_next
    # All >= 0: sure. The largest above `negligible`: mixed. The rest count as nothing, or as
    # 1e-15.
    positive = least >= 0
    negligible = _NEGLIGIBLE * (1 + weight) / p.length
    mixed = ~positive & (most > negligible[:, np.newaxis])
    rows, cells = np.nonzero(mixed)
    coefficients = np.stack(
        [left[rows, cells], left_next[rows, cells], right_next[rows, cells], right[rows, cells]]
    )
    below, above = (_row_sums(part, rows, len(weight)) for part in _positive_parts(coefficients))
    sure = np.where(positive, total, 0.0).sum(axis=1) / 4
    # ∫ q over a cell, in the same cubic: η/2 (q_l + q_r + (q_l' − q_r')η/6).
    mass = q.values[:, :-1] + q.values[:, 1:] + (q.slopes[:, :-1] - q.slopes[:, 1:]) / 2
    mass_sure = np.where(positive, mass, 0.0).sum(axis=1) / 2
    mass_mixed = _row_sums(np.abs(mass[rows, cells]) / 2, rows, len(weight))
    # ∫|true − cubic| <= M L η⁴/720, and the error of the density itself.
    interpolation = p.length * p.spacing**4 / 720
    p_off = p.error + p.bend * interpolation
    q_off = q.error + q.bend * interpolation
    off = p_off + weight * q_off + (_NEGLIGIBLE + _SUMMING) * (1 + weight)
    return HockeyStick(
        p.spacing * (sure + below) - off,
        p.spacing * (sure + above) + off,
        np.maximum(p.spacing * mass_sure - q_off, 0.0),
        p.spacing * (mass_sure + mass_mixed) + q_off,
    )


def divergence_upper(p: Law, q: Law, weight: float) -> float:
    """Bound the divergence of all rows at one w: the upper end alone, in less work."""
    left, left_next, right_next, right = _coefficients(p, q, weight)
    most = np.maximum(np.maximum(left, right), np.maximum(left_next, right_next))
    counts = most > _NEGLIGIBLE * (1 + weight) / p.length
    coefficients = np.stack([part[counts] for part in (left, left_next, right_next, right)])
    positive = coefficients.min(axis=0, initial=math.inf) >= 0
    above = float(coefficients[:, positive].sum()) / 4
    above += float(_positive_parts(coefficients[:, ~positive])[1].sum())
    interpolation = p.length * p.spacing**4 / 720
    off = p.error + weight * q.error + (p.bend + weight * q.bend) * interpolation
    rounding = (_NEGLIGIBLE + _SUMMING) * (1 + weight) * len(left)
    return p.spacing * above + float(off.sum()) + rounding


def _coefficients(p: Law, q: Law, weight: float | Floats) -> tuple[Floats, Floats, Floats, Floats]:
    """Bernstein's, of f = p − wq on a cell: f_l, f_l + f_l'η/3, f_r − f_r'η/3, f_r."""
    values, slopes = p.values - weight * q.values, p.slopes - weight * q.slopes
    left, right = values[:, :-1], values[:, 1:]
    return left, left + slopes[:, :-1], right - slopes[:, 1:], right


def _row_sums(parts: Floats, rows: Ints, n: int) -> Floats:
    return np.bincount(rows, parts, minlength=n).astype(np.float64)


def _positive_parts(coefficients: Floats) -> tuple[Floats, Floats]:
    """Lower and upper bounds of ∫max(0, cubic) over a unit cell, from (4, n_cells) coefficients."""
    cells = coefficients.shape[1]
    below, above = np.zeros(cells), np.zeros(cells)
    owner, width = np.arange(cells), 1.0
    for _ in range(14):  # Of a mixed cell: one part in 2^14 of it is unknown for a change of sign
        if not owner.size:
            break
        # Halve each cell by de Casteljau: means of neighbours, three times over. A half with all
        # coefficients >= 0 counts in full, width times their mean.
        a, b, c, d = coefficients
        ab, bc, cd = (a + b) / 2, (b + c) / 2, (c + d) / 2
        abc, bcd = (ab + bc) / 2, (bc + cd) / 2
        middle = (abc + bcd) / 2
        halves = ((a, middle), (ab, bcd), (abc, cd), (middle, d))
        coefficients = np.stack([np.concatenate(pair) for pair in halves])
        owner, width = np.tile(owner, 2), width / 2
        all_positive = coefficients.min(axis=0) >= 0
        parts = coefficients.sum(axis=0) * (width / 4)
        below += np.bincount(owner[all_positive], parts[all_positive], minlength=cells)
        mixed = ~all_positive & (coefficients.max(axis=0) > 0)
        coefficients, owner = coefficients[:, mixed], owner[mixed]
    above += below
    if owner.size:
        # What is still mixed: at most the positive coefficients, at least ∫ cubic, or 0.
        rest = np.maximum(coefficients, 0).sum(axis=0) * (width / 4)
        above += np.bincount(owner, rest, minlength=cells)
        surely = np.maximum(coefficients.sum(axis=0), 0) * (width / 4)
        below += np.bincount(owner, surely, minlength=cells)
    return below, above


# --- The smallest w = e^ε at which a hockey-stick divergence meets δ, enclosed.
#
# The divergence is convex and decreasing in w. One evaluation at any v gives a lower bound by the
# tangent P(A) − w·Q(A) >= δ; an upper bound is a w whose enclosure was seen to lie below δ.

_LARGEST = 34.0  # Beyond e^34 the rounding of q times w exceeds every δ
_STEPS = 60  # Newton's iteration inside a bracket of length 34 halves it at worst: 2^−60
_CLOSE = 1e-8  # Relative step at which the guess is good enough; no claim rests on it
_TANGENTS = 2  # Further tangents where the targets differ: the lower bound follows its own
_NOISE = 1e-13  # Density that rounding of w·q may show, as a share of w


@attrs.frozen
class Deltas:
    """δ that the lower bound must exceed and δ that the upper bound must keep to.

    They differ where the noise analysed is not quite the noise released.
    """

    exceed: float
    keep: float


def smallest_weights(
    first: Law, second: Law, deltas: Deltas, floor: float
) -> tuple[Floats, Floats]:
    """Ends of the least w >= 1 at which both directions meet the target; a row each.

    Rows that meet it at `floor` >= 1 get the interval [1, floor]; an upper bound may be infinite.
    """
    rows = len(first.values)
    lower, upper = np.ones(rows), np.full(rows, floor)
    for p, q in ((first, second), (second, first)):
        open_rows = np.flatnonzero(np.isfinite(upper))
        p, q = p.rows(open_rows), q.rows(open_rows)
        failing = hockey_stick(p, q, upper[open_rows]).upper > deltas.keep
        worse = open_rows[failing]
        if worse.size:
            p, q = p.rows(failing), q.rows(failing)
            bounds = _enclose(p, q, deltas, _near_root(p, q, deltas.keep, upper[worse]))
            lower[worse] = np.maximum(lower[worse], bounds[0])
            upper[worse] = np.maximum(upper[worse], bounds[1])
    return lower, upper


def _near_root(p: Law, q: Law, delta: float, floor: Floats) -> Floats:
    """Newton on ln(divergence/δ) as a function of ε, kept inside a bracket; sums over points."""
    low, high = np.log(floor), np.full(len(floor), _LARGEST)
    result, active = low.copy(), np.arange(len(floor))
    for _ in range(_STEPS):
        weight = np.exp(result[active])[:, np.newaxis]
        inside = q.values[active, 1:]
        difference = p.values[active, 1:] - weight * inside
        # Rounding of q, w times, must not look like a divergence.
        positive = difference > _NOISE * weight
        above = p.spacing * np.einsum("ij,ij->i", difference, positive)
        mass = p.spacing * np.einsum("ij,ij->i", inside, positive)
        too_small = above > delta
        low[active] = np.where(too_small, result[active], low[active])
        high[active] = np.where(too_small, high[active], result[active])
        with np.errstate(divide="ignore", invalid="ignore"):
            # d ln D/dε = −e^ε Q(A)/D, so ε + ln(D/δ) D/(e^ε Q(A)).
            step = np.log(above / delta) * above / (np.exp(result[active]) * mass)
        moved = result[active] + step
        is_inside = (moved > low[active]) & (moved < high[active])
        moved = np.where(is_inside, moved, (low[active] + high[active]) / 2)
        going = np.abs(moved - result[active]) > _CLOSE * (1 + moved)
        result[active] = moved
        active = active[going]
        if not active.size:
            break
    return np.exp(result)


def _enclose(p: Law, q: Law, deltas: Deltas, weight: Floats) -> tuple[Floats, Floats]:
    lower, upper = np.ones(len(weight)), np.full(len(weight), np.inf)
    active = np.flatnonzero(weight < math.exp(_LARGEST) * 0.99)
    # lower: max of v + (D_lower(v) − δ)/Q(A). upper: the least v with D_upper(v) <= δ. The next v
    # lies a little above the lower bound.
    for attempt in range(12):  # Brackets computed for one end at most; two or three are usual
        if not active.size:
            break
        at = weight[active]
        divergence = hockey_stick(p.rows(active), q.rows(active), at)
        step = _tangent(divergence, deltas.exceed)
        lower[active] = np.maximum(lower[active], at + step)
        kept = divergence.upper <= deltas.keep
        upper[active] = np.where(kept, np.minimum(upper[active], at), upper[active])
        # How far above the lower bound an upper bound can be hoped for.
        unknown = 1.1 * (divergence.upper - divergence.lower) + (deltas.exceed - deltas.keep)
        with np.errstate(divide="ignore", invalid="ignore"):
            wide = np.where(divergence.mass_lower > 0, unknown / divergence.mass_lower, at)
        pad = np.minimum(wide + 0.02 * np.abs(step), at) + 1e-11 * at
        pad *= 1.0 if attempt < 3 else 4.0 ** (attempt - 2)
        following = np.maximum(lower[active], np.where(kept, 1.0, at)) + pad
        better = upper[active] - following > (upper[active] - lower[active]) / 2
        weight[active] = following
        active = active[np.where(np.isfinite(upper[active]), better, following < 1e14)]
    for _ in range(_TANGENTS if deltas.exceed > deltas.keep else 0):
        step = _tangent(hockey_stick(p, q, lower), deltas.exceed)
        lower = np.maximum(lower, lower + np.nan_to_num(step))
    return pair_bounds(lower, upper)


def _tangent(divergence: HockeyStick, delta: float) -> Floats:
    # (D_lower − δ)/Q(A): a positive excess over the largest Q(A), a negative one over the least.
    excess = divergence.lower - delta
    mass = np.where(excess > 0, divergence.mass_upper, divergence.mass_lower)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(excess == 0, 0.0, excess / mass)
