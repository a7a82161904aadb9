"""The cut at which a score becomes a guess, and what a number of runs can show at all."""

import math
from typing import Self

import attrs
import numpy as np
from numpy.typing import NDArray
from scipy import special

from deniable.auditing.audit import RatePoint, RecordFound, Verdict
from deniable.auditing.runs import Bits
from deniable.auditing.statistics import exact
from deniable.computing.confidence_limits import binomial_limits
from deniable.errors import InvalidArgument, validate
from deniable.numerics.rounding import least

Scores = NDArray[np.float64]

_SHARES = (0.85, 0.5, 0.25, 0.1, 0.03, 0.01)
"""Shares of guessed runs that part ranges of cuts: each a third or so of the one before."""
RANGES = len(_SHARES) + 1
"""Ranges of cuts."""

_LARGEST = float(np.finfo(np.float64).max)
"""The largest finite score."""


@attrs.frozen
class Cut:
    """Guess "in" from a score of `high` on, "out" up to `low`, and nothing between.

    An end is infinite where one side is never guessed. `outs` and `ins` are shares of runs guessed
    "out" and "in". With δ > 0 the number of guesses must be fixed beforehand: then so many runs
    with the lowest and the highest scores are guessed, unless all are, a fixed number by itself.
    """

    low: float
    high: float
    outs: float
    ins: float

    def __attrs_post_init__(self) -> None:
        if not self.low < self.high or not (self.outs >= 0 and self.ins >= 0):
            raise InvalidArgument(
                f"Expected low < high and shares >= 0, got low={self.low}, high={self.high}, "
                f"outs={self.outs}, ins={self.ins}."
            )

    def guesses(self, scores: Scores, *, delta: float = 0.0) -> exact.Guesses:
        """1 for "in", -1 for "out", 0 for none; (n_runs,) -> (n_runs,).

        With δ > 0 the runs are ranked, so that all runs of the test must be given at once; bets
        run by run take the ends alone, `delta=0`, and a cut that guesses everywhere.
        """
        result = np.zeros(scores.shape, dtype=np.int8)
        if exact.checked_delta(delta) == 0:
            result[scores <= self.low] = -1
            result[scores >= self.high] = 1
            return result
        # Shares of runs that add up to 1 but for so little are all, as each is rounded.
        if self.outs + self.ins > 1 - 1e-12:
            return np.where(scores >= self.high, 1, -1).astype(np.int8)
        order = np.argsort(scores, kind="stable")
        ins = int(self.ins * len(scores))
        outs = min(int(self.outs * len(scores)), len(scores) - ins)
        result[order[:outs]] = -1
        result[order[len(order) - ins :]] = 1
        return result

    @classmethod
    def select(
        cls, scores: Scores, members: Bits, *, delta: float = 0.0, abstain: bool = True
    ) -> Self:
        """The cut whose lower limit of ε on these pilot runs is largest.

        Scores and members are (n_runs,); with δ revealed bits are taken off the right guesses.
        The cut guesses in every run unless it may `abstain`.
        """
        tried = _Tried.of(scores, members, abstain=abstain)
        n = len(scores)
        best = int(np.argmax(likely_shares(tried.outs + tried.ins, tried.right, n * delta)))
        low, high, outs, ins = tried.borders(best)
        if not abstain:  # scores that no pilot run had are guessed, too
            high = max(high if ins else np.inf, -_LARGEST)
            low = math.nextafter(high, -math.inf)
        return cls(low, high, outs, ins)

    @classmethod
    def against(
        cls, scores: Scores, members: Bits, epsilon: float, delta: float
    ) -> dict[int, tuple[Self, float]]:
        """The cuts whose guesses speak most against (ε, δ), and how many deviations they do.

        One for each of `RANGES` ranges of shares of guessed runs, the largest first; none where
        ties leave it out. A right guess counts 1, a wrong one -e^ε; of neighbours that keep (ε, δ)
        the mean is at most δ. The runs are those of a pilot.
        """
        n, price = len(scores), math.exp(epsilon)
        tried = _Tried.of(scores, members, abstain=True)
        guesses = tried.outs + tried.ins
        wrong = guesses - tried.right
        mean = (tried.right - price * wrong) / n
        # Half a wrong guess is added: where none was seen they are rare, not impossible.
        square = (tried.right + price * price * (wrong + 0.5)) / n
        merits = math.sqrt(n) * (mean - delta) / np.sqrt(square)
        band = np.searchsorted(-n * np.array(_SHARES), -guesses)
        places = [np.flatnonzero(band == each) for each in range(RANGES)]
        best = {i: int(each[merits[each].argmax()]) for i, each in enumerate(places) if len(each)}
        return {i: (cls(*tried.borders(each)), float(merits[each])) for i, each in best.items()}


@attrs.frozen(eq=False)
class _Tried:
    """Numbers of guesses that are tried on pilot runs in the order of their scores."""

    ordered: Scores
    outs: NDArray[np.int64]
    ins: NDArray[np.int64]
    right: NDArray[np.int64]

    @classmethod
    def of(cls, scores: Scores, members: Bits, *, abstain: bool) -> Self:
        if scores.ndim != 1 or scores.shape != members.shape or not len(scores):
            raise InvalidArgument(
                f"Expected one score a pilot run, got {scores.shape} for {members.shape}."
            )
        n, order = len(scores), np.argsort(scores, kind="stable")
        ordered = scores[order]
        member_sums = np.append(0, np.cumsum(members[order]))
        # A cut never parts ties: so many scores are at most, or at least, that of a place.
        outs = np.unique(np.searchsorted(ordered, ordered[_places(n) - 1], side="right"))
        ins = np.unique(n - np.searchsorted(ordered, ordered[n - _places(n)], side="left"))
        outs, ins = np.append(0, outs), np.append(0, ins)
        if abstain:
            outs, ins = (x.ravel() for x in np.meshgrid(outs, ins, indexing="ij"))
        else:
            outs = np.unique(np.append(outs, n - ins))
            ins = n - outs
        fits = (outs + ins <= n) & (outs + ins > 0)
        outs, ins = outs[fits], ins[fits]
        right = outs - member_sums[outs] + member_sums[n] - member_sums[n - ins]
        return cls(ordered, outs, ins, right)

    def borders(self, place: int) -> tuple[float, float, float, float]:
        """Both ends of the scores about which nothing is guessed, and shares of both guesses."""
        out, inside, n = int(self.outs[place]), int(self.ins[place]), len(self.ordered)
        low = float(self.ordered[out - 1]) if out else -np.inf
        high = float(self.ordered[n - inside]) if inside else np.inf
        return low, high, out / n, inside / n


def counted(cut: Cut, scores: Scores, members: Bits, *, delta: float = 0.0) -> tuple[int, int]:
    """How many guesses the cut makes, and how many of them are right; (n_runs,) both."""
    guesses = cut.guesses(scores, delta=delta)
    right = guesses == np.where(members, 1, -1)
    return int(np.count_nonzero(guesses)), int(np.count_nonzero(right))


def _places(n: int) -> NDArray[np.int64]:
    """Numbers of guesses from 1 to n, in steps that grow with them."""
    # 48 places are tried on each side: numbers of guesses that grow by a sixth each.
    return np.unique(np.geomspace(1, n, 48).round().astype(np.int64))


def likely_shares(
    guesses: NDArray[np.int64], right: NDArray[np.int64], revealed: float
) -> NDArray[np.float64]:
    """Wilson's lower limit of the share of right guesses, to compare cuts and records only."""
    # `revealed` guesses, N δ about, are taken off as right by themselves.
    r = np.maximum(guesses - revealed, 1e-9)
    share = np.clip((right - revealed) / r, 0.0, 1.0)
    # Standard deviations below the share seen by which cuts are compared. With 1.6, the limit
    # itself, the best of 2,000 cuts is a lucky one: half of ε was lost at 500 and 50,000 runs,
    # measured. With 5 one of two equally good sides is dropped in 4 of 100 audits; a leak in 1 % of
    # runs is found.
    z = 5.0
    middle = share + z * z / (2 * r)
    spread = z * np.sqrt(share * (1 - share) / r + z * z / (4 * r * r))
    return np.asarray((middle - spread) / (1 + z * z / r))


POINTS = 24
"""Points of a curve: enough for a smooth line, and the region widens with their logarithm."""

Rates = NDArray[np.float64]


def thresholds(scores: Scores) -> Scores:
    """Return where a curve is cut: quantiles of pilot runs' scores; (n_runs,) -> (n <= 24,)."""
    finite = scores[np.isfinite(scores)]
    if not len(finite):
        return np.zeros(1)
    # as many near the ends as in the middle: that is where an attack is surest
    shares = special.expit(np.linspace(-5, 5, POINTS))
    return np.unique(np.quantile(finite, shares, method="closest_observation"))


def rate_region(
    cuts: Scores, scores: Scores, members: Bits, *, confidence: float = 0.95
) -> tuple[RatePoint, ...]:
    """Shares of runs in which the attack says "in", and rectangles that all hold at once.

    Each end is Clopper and Pearson's at the level α/(4 m) for m cuts: two rates with two ends
    each, and the union bound. Nothing is asked of the target but independent runs; the region
    describes the attack and is no lower limit of ε.

    The attack says "in" from each of the cuts on, which were chosen without these runs.
    """
    if scores.ndim != 1 or scores.shape != members.shape:
        raise InvalidArgument(f"Expected one score a run, got {scores.shape} for {members.shape}.")
    level = (1 - validate.open_probability(confidence, "confidence")) / (4 * max(len(cuts), 1))
    columns = []
    for part in (scores[~members], scores[members]):
        ordered = np.sort(part)
        above = len(ordered) - np.searchsorted(ordered, cuts, side="left")
        columns += [above / max(len(ordered), 1), *binomial_limits(above, len(ordered), level)]
    fpr, fpr_lower, fpr_upper, tpr, tpr_lower, tpr_upper = columns
    rows = zip(fpr, tpr, fpr_lower, fpr_upper, tpr_lower, tpr_upper, strict=True)
    points = [RatePoint(*map(float, row)) for row in rows]
    return tuple(sorted(points, key=lambda point: (point.fpr, point.tpr)))


LISTED = 8
"""Records: so many are tested at once. Of 500 the worst is hardly ever missed, and the correction
costs 0.09 in ε at 500 runs and ε = 1."""


def worst_records(
    pilot: tuple[Scores, Bits],
    test: tuple[Scores, Bits],
    *,
    delta: float = 0.0,
    confidence: float = 0.95,
    listed: int = LISTED,
) -> tuple[RecordFound, ...]:
    """Lower limits for the records that the pilot found worst; all hold at once.

    Each record has its own cut. Pilot runs rank the records; the `listed` first are tested on
    runs that the pilot did not see, each at the level (1 − confidence)/listed. Within a run
    records may depend on each other as they like: each test uses one record's runs, and the
    limits hold together by the union bound.

    Pilot and test are scores and members, (n_runs, n_records), of runs that are independent of each
    other. Largest limit first.
    """
    (before, truth), (scores, members) = pilot, test
    if before.ndim != 2 or before.shape != truth.shape or scores.shape != members.shape:
        raise InvalidArgument(
            f"Expected scores and members of shape (n_runs, n_records), got {before.shape} and "
            f"{truth.shape}, {scores.shape} and {members.shape}."
        )
    if before.shape[1:] != scores.shape[1:] or not len(scores):
        raise InvalidArgument(
            f"Expected test runs of {before.shape[1]} records, got shape {scores.shape}."
        )
    d, level = exact.checked_delta(delta), validate.open_probability(confidence, "confidence")
    cuts = [Cut.select(s, m, delta=d) for s, m in zip(before.T, truth.T, strict=True)]
    on_pilot = np.array(
        [counted(c, s, m, delta=d) for c, s, m in zip(cuts, before.T, truth.T, strict=True)]
    )
    likely = likely_shares(on_pilot[:, 0], on_pilot[:, 1], len(before) * d)
    records = np.argsort(-likely, kind="stable")[: validate.integer(listed, "listed", least=1)]
    each = math.nextafter(1 - (1 - level) / len(records), 1.0)
    results = []
    for record in map(int, records):
        guesses, right = counted(cuts[record], scores[:, record], members[:, record], delta=d)
        limit = exact.lower_limit(len(scores), guesses, right, delta=d, confidence=each)
        results.append(RecordFound(record, right, guesses, limit))
    return tuple(sorted(results, key=lambda one: -one.found))


ACCUSED = 1000.0
"""Factor, no unit: that a claim is false has to hold except with so much less probability than a
limit. A claim that is attained exactly is passed by one limit in twenty at 95 %."""

_SUREST = 0.999999999999
"""Probability: a thousandth of its distance to 1 is still ten times the last bit of a float."""

_MOST_RUNS = 10**9
"""Runs: more than anybody makes."""


def visible(
    runs: int, claimed: float | None = None, *, delta: float = 0.0, confidence: float = 0.95
) -> float:
    """The lower limit that a perfect attack on the leakiest target would show.

    With a claim: on the leakiest target that keeps it, randomised response, where half of all
    audits show this much or more. Without one: on a target that hides nothing, where every guess
    is right; no audit of so many runs shows more.

    `runs` are those kept for the test, pilot runs not included.
    """
    n = validate.integer(runs, "runs", least=0)
    if n == 0:
        return 0.0
    right = n
    if claimed is not None:
        # right guesses in half of all audits of randomised response, no runs left out
        share = exact.share_needed(validate.non_negative(claimed, "claimed"), delta)
        right = min(round(n * share), n)
    return exact.lower_limit(n, n, right, delta=delta, confidence=confidence)


def deciding(confidence: float) -> float:
    """The confidence of each of both tests that accuse: bets, and the limit of all test runs."""
    return 1 - (1 - accusing(confidence)) / 2


def accusing(confidence: float) -> float:
    """The confidence with which a claim is called violated."""
    level = 1 - (1 - validate.open_probability(confidence, "confidence")) / ACCUSED
    if level == 1:
        raise InvalidArgument(
            f"Expected a confidence of at most {_SUREST}, got {confidence!r}. Nobody can tell "
            "rarer errors."
        )
    return level


def enough(runs: int, claimed: float, *, delta: float = 0.0, confidence: float = 0.95) -> bool:
    """Whether half of all perfect attacks on a target with twice the ε would refute the claim."""
    e = validate.non_negative(claimed, "claimed")
    return visible(runs, _worse(e), delta=delta, confidence=deciding(confidence)) > e


def decides(claimed: float, *, delta: float = 0.0, confidence: float = 0.95) -> int | None:
    """Estimate the least number of runs kept for the test that is `enough`; None where none is."""
    e = validate.non_negative(claimed, "claimed")
    d, level = exact.checked_delta(delta), validate.open_probability(confidence, "confidence")
    # Where guesses are right with probability s instead of q, ln(1/α) = n KL(s, q) about.
    q, s = exact.share_needed(e, d), exact.share_needed(_worse(e), d)
    information = float(special.rel_entr(s, q) + special.rel_entr(1 - s, 1 - q))
    if (
        not information > 0
        or (most := -64 * math.log1p(-deciding(level)) / information) > _MOST_RUNS
    ):
        return None

    def sees(runs: float) -> bool:
        return enough(math.ceil(runs), e, delta=d, confidence=level)

    return math.ceil(least(sees, 0.0, most, tolerance=0.001)) if sees(most) else None


def decides_exactly(claimed: float, *, delta: float = 0.0, confidence: float = 0.95) -> int | None:
    """The least number of runs kept for the test in which right guesses alone refute a claim.

    For targets whose answers were the same in every run on the same data: if (ε, δ) holds, all of
    n guesses are right with probability s^n at most, s = (e^ε + δ)/(1 + e^ε).
    """
    wrong = (1 - exact.checked_delta(delta)) * special.expit(
        -validate.non_negative(claimed, "claimed")
    )
    level = 1 - deciding(confidence)
    runs = math.log(level) / math.log1p(-wrong) if wrong > 0 else math.inf
    return math.ceil(runs) if runs <= _MOST_RUNS else None


def verdict(
    limit: float,
    proven: float,
    claimed: float | None,
    runs: int,
    *,
    delta: float = 0.0,
    confidence: float = 0.95,
) -> Verdict:
    """What an audit says: limits beside the claim, never a precision.

    `limit` and `proven` are lower limits of ε at δ: with `confidence`, and with the larger one of
    `accusing`.
    """
    if claimed is None:
        return "inconclusive"
    if proven > claimed:
        return "violated"
    if limit > claimed:
        return "inconclusive"
    seen = enough(runs, claimed, delta=delta, confidence=confidence)
    return "consistent" if seen else "inconclusive"


def _worse(claimed: float) -> float:
    # ε, natural logarithm: for claims of 0 and near it, what a target that breaks them leaks.
    # Factor of ε, no unit: the runs are enough if a target that leaks this much more than it says,
    # such as one with noise of half the scale, would more often than not be caught.
    return max(2.0 * claimed, 0.1)
