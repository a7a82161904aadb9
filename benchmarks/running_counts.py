"""Running totals after 52, 520 and 5,200 weeks at one ρ: what is continued, against fresh noise.

Run ``python -m benchmarks.running_counts``. Variances are in units of 1/2ρ, which is what one fresh
count has; those of our mechanism are the package's own bounds, others are computed here. Then so
many streams are simulated with the package's noise, and errors are compared with what is claimed.
"""

import math
import time

import numpy as np
from scipy import integrate

from benchmarks._help import end_for_help
from benchmarks._sizes import sized
from deniable.mechanisms import DiscreteGaussian
from deniable.mechanisms.continual_counts import (
    STEPS,
    estimate,
    half_widths,
    l2_sensitivity,
    measure,
    period_weights,
    squared_weights,
    total_weights,
)
from deniable.notions import Adjacency

WEEKS = sized((1, 52, 520, 5_200), (1, 52, 520, 521))
STREAMS = sized(2_000, 20)
RHO = 0.0155
"""About ε = .8 at δ = 1e-6, for all weeks together."""


def square_root(number: int) -> np.ndarray:
    """Coefficients of (1 − z)^(−1/2)."""
    k = np.arange(1, number)
    return np.concatenate([[1.0], np.cumprod((2 * k - 1) / (2 * k))])


def inverse(series: np.ndarray) -> np.ndarray:
    """1/R as a power series, R(0) = 1."""
    result = np.zeros(len(series))
    result[0] = 1.0
    for i in range(1, len(series)):
        result[i] = -series[1 : i + 1] @ result[i - 1 :: -1][:i]
    return result


def toeplitz(series: np.ndarray, squares: float) -> tuple[np.ndarray, np.ndarray]:
    """Variances of totals and of single counts by week, of whoever measures with R."""
    counts = inverse(series)
    totals = np.cumsum(counts)
    return np.cumsum(totals**2) * squares, np.cumsum(counts**2) * squares


def logarithm(number: int, exponent: float) -> tuple[np.ndarray, float]:
    """(1 − z)^(−1/2) (ln(1/(1−z))/z)^(−exponent), and all its squares by Parseval's identity."""
    base, power = 1 / (np.arange(number) + 1.0), np.zeros(number)
    power[0] = 1.0
    for i in range(1, number):  # J. C. P. Miller's recurrence
        j = np.arange(1, i + 1)
        power[i] = ((-exponent * j - (i - j)) * base[j] * power[i - j]).sum() / i

    def square(u: float) -> float:
        angle = math.exp(-u)
        z = complex(math.cos(angle), math.sin(angle))
        return abs((1 - z) ** -0.5 * (-np.log(1 - z) / z) ** -exponent) ** 2 * angle

    parts = [
        integrate.quad(square, a, b, limit=500)[0] for a, b in ((-math.log(math.pi), 0), (0, 30))
    ]
    rest = 30 ** (1 - 2 * exponent) / (2 * exponent - 1)
    return np.convolve(square_root(number), power)[:number], (sum(parts) + rest) / math.pi


def damped(number: int) -> tuple[np.ndarray, float]:
    """Coefficients of (1 − z)^(−1/2) times (1 + ln(k + 1)/10)^(−2), and a bound on all squares."""
    many = 2**20
    series = square_root(many) * (1 + np.log1p(np.arange(many)) / 10) ** -2
    rest = (1 + math.log(many) / 10) ** -3 / (3 * math.pi / 10)
    return series[:number], float((series**2).sum()) + rest


def show(name: str, totals: list[float | None], count: float) -> None:
    """One line of the table."""
    cells = ["–" if each is None else f"{each:,.1f}" for each in totals]
    print(f"  {name:<44}" + "".join(f"{each:>9}" for each in (*cells, f"{count:,.1f}")))


def compare() -> None:
    """The table of decision 70."""
    print(
        f"variance in 1/2ρ of the total after{'':<13}"
        + "".join(f"{t:>9,}" for t in WEEKS)
        + "   a week"
    )
    show("fresh counts, added up", [float(t) for t in WEEKS], 1.0)
    show("a fresh total each of 520 weeks", [520.0, 520.0, 520.0, None], 1040.0)
    levels = (520).bit_length()
    tree = [float(levels * t.bit_count()) for t in WEEKS[:3]]
    show("binary tree of 520 weeks", [*tree, None], float(levels))
    for horizon in (52, 520):
        series = square_root(horizon)
        totals, counts = toeplitz(series, float((series**2).sum()))
        show(
            f"square root of {horizon} weeks",
            [totals[t - 1] if t <= horizon else None for t in WEEKS],
            counts[-1],
        )
    start = time.process_time()
    moved = (l2_sensitivity(Adjacency.ADD_REMOVE) / STEPS) ** 2
    totals = [float(each) * moved for each in squared_weights(total_weights(WEEKS[-1]))]
    counts = [float(each) * moved for each in squared_weights(period_weights(520))]
    spent = time.process_time() - start
    show("ours, without an end", [totals[t - 1] for t in WEEKS], counts[-1])
    for name, (series, squares) in (
        ("logarithm to the power −.6, without an end", logarithm(WEEKS[-1], 0.6)),
        ("damped logarithm, without an end", damped(WEEKS[-1])),
    ):
        variances, single = toeplitz(series, squares)
        show(name, [variances[t - 1] for t in WEEKS], single[51])
    for t in (52, 520):
        less = math.sqrt(t / totals[t - 1])
        print(f"  after {t} weeks the error is {less:.2f} times smaller than of fresh counts")
    print(f"  weights of {WEEKS[-1]:,} weeks: {spent:.1f} s CPU")


def simulate() -> None:
    """Errors of simulated streams, and how many are within the half-width."""
    noise = DiscreteGaussian(l2_sensitivity(Adjacency.ADD_REMOVE) / math.sqrt(2 * RHO))
    fresh = DiscreteGaussian(1 / math.sqrt(2 * RHO))
    rng = np.random.default_rng(1)
    for weeks in (52, 520):
        streams = STREAMS if weeks == 52 else STREAMS // 10
        counts = rng.poisson(20, (weeks, streams))
        start = time.process_time()
        measured = measure(counts) + noise.draws(rng, weeks * streams).reshape(weeks, streams)
        error = estimate(measured)[1][-1] - counts.sum(axis=0)
        spent = time.process_time() - start
        width = half_widths(noise, total_weights(weeks), 0.95)[-1]
        added = fresh.draws(rng, weeks * streams).reshape(weeks, streams).sum(axis=0)
        inside = 100 * (abs(error) <= width).mean()
        print(
            f"  {weeks} weeks, ρ = {RHO}: root mean square {np.sqrt((error**2).mean()):.1f} rows, "
            f"fresh {np.sqrt((added**2).mean()):.1f}; {inside:.1f} % within ± {width:.1f}; "
            f"{streams} streams in {spent:.1f} s CPU"
        )


def main() -> None:
    """The table, then the simulation."""
    compare()
    simulate()


if __name__ == "__main__":
    end_for_help(__doc__)
    main()
