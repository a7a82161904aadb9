"""Gaussian DP: from pure DP and from discrete noise, and its curve and tail."""

import functools
import math
from collections.abc import Sequence

from deniable.errors import InvalidArgument, NotApplicable
from deniable.notions import ZCDP, Adjacency, ApproxDP, GaussianDP, PrivacyLossTail, PureDP
from deniable.numerics.rounding import Ball, directed, upper
from deniable.theorems._theorem import check_every_size, theorem
from deniable.theorems.pure_and_approximate import approx_dp_to_exceedance


@theorem(
    "dong-roth-su-2022, and convexity",
    states="ε-DP gives μ = 2Φ⁻¹(e^ε/(1 + e^ε)), rounded up; no smaller μ is enough.",
)
def pure_dp_to_gaussian_dp(guarantee: PureDP) -> GaussianDP:
    r"""Pure DP is no easier to attack than a Gaussian shift.

    The trade-off function of ε-DP runs straight from (0, 1) to its corner (c, c),
    :math:`c = 1/(1 + e^\epsilon)`, and straight on to (1, 0); the convex G_μ that passes through
    the corner lies below.
    """
    check_every_size(guarantee)
    if math.isinf(guarantee.epsilon):
        raise NotApplicable("Expected a finite epsilon, got inf.")
    with directed() as r:
        corner = 1 / (1 + r.exp(guarantee.epsilon))
        mu = upper(-2 * r.normal_quantile(corner))
    if math.isinf(mu):
        raise NotApplicable(f"Expected an epsilon within reach, got {guarantee.epsilon}.")
    return GaussianDP(max(mu, 0.0), guarantee.adjacency)


@theorem(
    "balle-wang-2018, Theorem 8",
    states="μ-Gaussian DP gives δ = Φ(μ/2 − ε/μ + τ) − e^ε Φ(−μ/2 − ε/μ − τ), τ the slack.",
)
def gaussian_dp_to_approx_dp(guarantee: GaussianDP, epsilon: float) -> ApproxDP:
    r"""The (ε, δ) curve of Gaussian noise.

    The slack τ is that of discrete noise, 0 for continuous noise. The formula grows with μ for
    every τ >= 0, so it holds for neighbours that differ by less. With μ = 0 no threshold on the
    loss stands at ε/μ; the notion is then 2τ-Gaussian DP without slack, and so is its curve.
    """
    if guarantee.mu == guarantee.slack == 0:
        return ApproxDP(epsilon, 0.0, guarantee.adjacency)
    with directed() as r:
        mu, e, slack = r(guarantee.mu), r(epsilon), r(guarantee.slack)
        if guarantee.mu == 0:
            mu, slack = 2 * slack, r(0)
        delta = upper(r.gaussian_delta(e, mu, slack))
        return ApproxDP(epsilon, min(max(delta, 0.0), 1.0), guarantee.adjacency)


_STEPS = 32
"""Golden steps: the place is known to 0.618^32 = 2e-7 of ε, the least value to its square."""
_GOLDEN = (math.sqrt(5) - 1) / 2
"""The golden section, which keeps one of two inner points from step to step."""


@theorem(
    "balle-wang-2018, Theorem 8, and the hockey-stick tail",
    states="The loss exceeds ε with probability at most inf over e < ε of δ(e)/(1 − e^(e−ε)).",
)
def gaussian_dp_to_privacy_loss_tail(guarantee: GaussianDP, epsilon: float) -> PrivacyLossTail:
    """Gaussian DP says how often a belief may move further than ε.

    The normal tail Φ(μ/2 − ε/μ) of the loss between two neighbours is smaller and is *not* a
    bound once the adversary's prior averages over neighbours; the curve δ(·) is, and costs a
    factor of about e in probability. Every point of the search is a bound; the best is kept.
    """
    if guarantee.mu == guarantee.slack == 0 or math.isinf(epsilon):
        return PrivacyLossTail(epsilon, 0.0, guarantee.adjacency)

    @functools.cache
    def exceedance(share: float) -> float:
        return approx_dp_to_exceedance(
            gaussian_dp_to_approx_dp(guarantee, epsilon * share), epsilon
        )

    @functools.cache
    def about(share: float) -> tuple[float, float]:
        # The exceedance by one point of the curve in floats, and how far off it may be.
        #
        # Far enough apart, two of them are in order as those of the balls, which take far longer.
        mu, slack, at = guarantee.mu, guarantee.slack, epsilon * share
        apart = mu / 2 + slack
        if mu == 0 or at > _MOST_EXPONENT or at / mu + apart > _FARTHEST:
            return 0.0, math.inf
        over, under = (math.erfc((at / mu + each) / _ROOT_2) / 2 for each in (-apart, apart))
        gap = -math.expm1(at - epsilon)
        if not min(under, gap) > _LEAST_NORMAL:
            return 0.0, math.inf
        under *= math.exp(at)
        value = (over - under) / gap
        off = _ROUGHLY * (over + under) / gap
        return (value, off) if value + off < 1 else (0.0, math.inf)

    def is_less(one: float, other: float) -> bool:
        (first, off), (second, off_too) = about(one), about(other)
        if abs(first - second) > off + off_too:
            return first < second
        return exceedance(one) < exceedance(other)

    low, high = 0.0, 1.0
    left, right = 1 - _GOLDEN, _GOLDEN
    points = [low, left, right]
    for _ in range(_STEPS):
        if is_less(left, right):
            high, right = right, left
            left = high - _GOLDEN * (high - low)
            points.append(left)
        else:
            low, left = left, right
            right = low + _GOLDEN * (high - low)
            points.append(right)
    most = min(value + off for value, off in map(about, points))
    # Where a float is far above another's, its ball is no less.
    best = min(exceedance(each) for each in points if not about(each)[0] - about(each)[1] > most)
    return PrivacyLossTail(epsilon, best, guarantee.adjacency)


_FARTHEST = 1e3
"""Arguments of the normal law up to which floats are asked."""
_ROUGHLY = 1e-10
"""Relative error of erfc there, at most: twice its argument, some 27 before it is 0, magnifies that
argument's error, five units of `_FARTHEST`; to which come some of erfc itself."""
_LEAST_NORMAL = 1e-290
"""The value below which floats lose digits, and balls are asked."""


_MOST_EXPONENT = 700.0
"""Beyond it e^x is no float."""
_ROOT_2 = math.sqrt(2)
"""The largest exponent of erfc and the normal law: one's argument is the other's over it."""


@theorem(
    "bun-steinke-2016, Proposition 1.6",
    states="μ-Gaussian DP gives ρ = μ²/2, rounded up: outputs follow from a draw of a shifted "
    "normal.",
)
def gaussian_dp_to_zcdp(guarantee: GaussianDP) -> ZCDP:
    """Gaussian DP is concentrated.

    Not applicable if there is slack: two moved tails bound no Rényi divergence; or if μ²/2 is
    infinite.
    """
    if guarantee.slack:
        raise NotApplicable(f"Expected no slack, got slack={guarantee.slack}.")
    with directed() as r:
        rho = upper(r(guarantee.mu) ** 2 / 2)
    if math.isinf(rho):
        raise NotApplicable(f"Expected a finite mu²/2, got mu={guarantee.mu}.")
    return ZCDP(rho, guarantee.adjacency)


@theorem(
    "one grid step between discrete and continuous",
    states="Composed discrete Gaussian noise is √(ΣΔ²/σ²)-Gaussian DP with slack √(Σd/σ²).",
)
def discrete_gaussian_to_gaussian_dp(
    noise: Sequence[tuple[float, float, int]], adjacency: Adjacency = Adjacency.REPLACE_ONE
) -> GaussianDP:
    r"""Discrete Gaussian noise is within one grid step of continuous Gaussian noise.

    Vector q gets independent discrete Gaussian noise of scale σ_q on whole numbers; between
    neighbours it moves by a whole-number vector of L2 norm at most Δ_q with at most d_q nonzero
    coordinates. Then

    .. math:: \mu = \sqrt{\sum_q \Delta_q^2 / \sigma_q^2}, \qquad
              \tau = \sqrt{\sum_q d_q / \sigma_q^2}.

    Proof. Let X be discrete Gaussian and Y ~ N(0, σ²). The weights of \|X\| on 0, 1, 2, …
    divided by those of ⌊\|Y\|⌋ are proportional to
    :math:`1/\int_0^1 e^{-(2kx + x^2)/2\sigma^2} dx` for k >= 1, which grows with k, and to half of
    that at k = 0: the likelihood ratio increases, so \|X\| is stochastically at least ⌊\|Y\|⌋.
    Divided by those of ⌈\|Y\|⌉ they are proportional to
    :math:`1/\int_0^1 e^{(2kx - x^2)/2\sigma^2} dx`, which falls, and infinite at k = 0: \|X\| is
    at most ⌈\|Y\|⌉. Coupled by quantiles and given equal signs, \|X − Y\| <= 1.

    The privacy loss of the whole release at neighbours that differ by the vectors v_q is
    :math:`\mu_v^2/2 + \sum_q \langle v_q, X_q\rangle / \sigma_q^2`. Exchanging every X for its Y
    changes it by at most :math:`\sum_q \|v_q\|_1/\sigma_q^2 \le \mu_v \tau` (Cauchy–Schwarz), so
    its probability to pass ε is at most :math:`\Phi(\mu_v/2 - \epsilon/\mu_v + \tau)`, and under
    the other law at least :math:`\Phi(-\mu_v/2 - \epsilon/\mu_v - \tau)`. The resulting δ(ε)
    grows with μ_v. `noise` has σ_q > 0, Δ_q and d_q of each released vector.
    """
    with directed() as r:
        mu, slack = r(0), r(0)
        for scale, l2, moved in noise:
            if not scale > 0:
                raise InvalidArgument(f"Expected a noise scale > 0, got scale={scale}.")
            mu += (r(l2) / r(scale)) ** 2
            slack += r(moved) / r(scale) ** 2
        return GaussianDP(upper(r.sqrt(mu)), adjacency, upper(r.sqrt(slack)))


_LARGEST_ROUNDING = 4.0
"""Standard deviation of the rounding that is tried at most: its error is e^−300 already."""
_ROUNDINGS = 64
"""Evenly spaced roundings; any gives a bound."""
_MOVED = 3
"""Standard deviations that a quantile moves at most where odds grow by e, see the docstring."""
_LARGEST_MOVE = 0.5
"""The largest move up to which that holds."""


@theorem(
    "continuous Gaussian noise, rounded at random",
    states="Composed discrete Gaussian noise is √(ΣΔ²/(σ² − t²)) + 6 Σ Δ² ln((1 + z)/(1 − z))"
    "-Gaussian DP, z = 2 Σ exp(−2π²t²k²) over k >= 1, for the best t, rounded up; without slack.",
)
def discrete_gaussian_to_gaussian_dp_by_rounding(
    noise: Sequence[tuple[float, float]], adjacency: Adjacency = Adjacency.REPLACE_ONE
) -> GaussianDP:
    r"""Discrete Gaussian noise is nearly continuous Gaussian noise that is rounded at random.

    Vector q gets independent discrete Gaussian noise of scale σ_q on whole numbers; between
    neighbours it moves by a whole-number vector of L2 norm at most Δ_q. For every t below all σ_q

    .. math:: \mu = \sqrt{\sum_q \frac{\Delta_q^2}{\sigma_q^2 - t^2}} + 6 d \eta, \quad
              d = \sum_q \Delta_q^2, \quad \eta = \ln\frac{1 + z}{1 - z}, \quad
              z = 2 \sum_{k \ge 1} e^{-2\pi^2 t^2 k^2} .

    Proof. Let c be whole, Y ~ N(c, s²) with s² = σ² − t², and given Y let Z be whole with
    probabilities proportional to :math:`e^{-(k-Y)^2/2t^2}`. The sum of these weights is
    :math:`t\sqrt{2\pi}(1 + 2\sum_k e^{-2\pi^2t^2k^2}\cos 2\pi k Y)` by Poisson's formula, so within
    a factor 1 ± z of :math:`t\sqrt{2\pi}` whatever Y is. Where it stood for that constant Z would
    have probabilities :math:`e^{-(k-c)^2/2\sigma^2}/\sigma\sqrt{2\pi}`, for variances add up. The
    discrete Gaussian around c has the same but for its own constant, by the same formula within
    a factor 1 and 1 + z. Hence the ratio of its probabilities to those of Z is within
    :math:`e^{\pm\eta}`. Z is made from Y without knowing c.

    Of two neighbours only the coordinates matter that move, for all others are independent and
    alike. They are at most d, as each moves by 1 or more. So the released numbers have, within
    :math:`e^{\pm d\eta}`, the probabilities of a post-processing of Gaussian noise of scales
    :math:`\sqrt{\sigma_q^2 - t^2}`, whose tests keep to :math:`\Phi^{-1}(p) \le \Phi^{-1}(q) +
    \mu_0` with the root above as μ₀. A probability u that changes by :math:`e^{\pm d\eta}`, as
    1 − u does, moves its :math:`\Phi^{-1}` by at most m if :math:`m\,\varphi(m)/\Phi(m) \ge
    d\eta`: φ/Φ falls, so that ln Φ grows by that much on every interval of length m that ends at
    or below m, and ln(1 − Φ) falls by as much on all others. m = 3dη is enough up to ½, as
    φ(½)/Φ(½) > ⅓. Both p and q move. ∎

    What is between μ₀ and the μ of continuous noise of the same scales is a share of t²/2σ²: with
    t = 1 next to nothing is left of η. `noise` has σ_q > 0 and Δ_q of each released vector.
    """
    for scale, _ in noise:
        if not scale > 0:
            raise InvalidArgument(f"Expected a noise scale > 0, got scale={scale}.")
    moving = [(scale, l2) for scale, l2 in noise if l2 > 0]
    most = min([_LARGEST_ROUNDING, *(scale for scale, _ in moving)])
    mu = min(_mu_by_rounding(moving, most * k / _ROUNDINGS) for k in range(1, _ROUNDINGS))
    if math.isinf(mu):
        raise NotApplicable(
            f"Expected noise that is no smaller than a step, got a scale of {most:g} steps."
        )
    return GaussianDP(mu, adjacency)


def _mu_by_rounding(noise: Sequence[tuple[float, float]], t: float) -> float:
    """What one width of the rounding gives, rounded up; infinite where it gives nothing."""
    with directed() as r:
        first = r.exp(-2 * (Ball.pi() * r(t)) ** 2)
        z = 2 * first / (1 - first)  # exponents grow with k², so faster than a geometric series
        if not z < 1:
            return math.inf
        distance = sum((r(l2) ** 2 for _, l2 in noise), r(0))
        moved = _MOVED * distance * r.log1p(2 * z / (1 - z))
        if not moved <= _LARGEST_MOVE:
            return math.inf
        squares = [r(l2) ** 2 / (r(scale) ** 2 - r(t) ** 2) for scale, l2 in noise]
        return upper(r.sqrt(sum(squares, r(0))) + 2 * moved)
