"""What an engine gives back, an interval of ε̃ a record, and what an analysis says beside it."""

import math
import time
from fractions import Fraction
from typing import Any, NoReturn

import attrs
import numpy as np

from deniable.errors import InvalidArgument, NotApplicable, validate
from deniable.numerics.answer import Answer, display
from deniable.numerics.bound import Bound, Evidence
from deniable.numerics.effort import Effort
from deniable.population.question import Floats, Ints, Question, Records
from deniable.theorems.analysis import success

_ROUNDING = 1e-9  # Share of a gap by which an interval that an engine stops at may seem wider


def _as_floats(value: Any) -> Floats:
    return np.atleast_1d(np.asarray(value, np.float64))


@attrs.frozen(eq=False)
class RecordBounds:
    """lower[k] <= ε̃ of record records[k] <= upper[k], for all k at once; no other has a larger ε̃.

    Raises `InvalidArgument` if shapes differ, nothing is given, or an interval is empty.

    >>> answer = RecordBounds([3, 5], [0.1, 0.2], [0.5, 0.4], Evidence.ENCLOSURE).by("fourier")
    >>> answer.worst(), answer.maximum().lower, answer.maximum().upper, answer.method
    (3, 0.2, 0.5, 'fourier')
    """

    # (n_records,): positions in the parent set, from 0.
    records: Ints
    # lower, upper (n_records,): ends of each interval, natural logarithm, ≥ 0; infinite where
    # unbounded.
    lower: Floats = attrs.field(converter=_as_floats)
    upper: Floats = attrs.field(converter=_as_floats)
    evidence: Evidence  # What the intervals rest on
    # Probability that *all* of them cover; with, and only with, `Evidence.CONFIDENCE`.
    confidence: float | None = None
    # draws, seed: random draws used and the seed that reproduces them.
    draws: int | None = None
    seed: int | None = None
    # lower_methods, upper_methods: what gave each end, one a record; see `by`.
    lower_methods: tuple[str, ...] = attrs.field(default=(), kw_only=True)
    upper_methods: tuple[str, ...] = attrs.field(default=(), kw_only=True)
    # pairwise, estimate: Proposition 12 of [lowy-2024] and the Gaussian approximation, largest over
    # all records.
    pairwise: float | None = attrs.field(default=None, kw_only=True)
    estimate: float | None = attrs.field(default=None, kw_only=True)
    # subsets, candidates: how many samples were enumerated; the length of the crowd's lists.
    subsets: int | None = attrs.field(default=None, kw_only=True)
    candidates: int | None = attrs.field(default=None, kw_only=True)
    # What the best attacker with prior n/N in truth reaches, rounded up.
    bayes_optimal: float | None = attrs.field(default=None, kw_only=True)

    def __attrs_post_init__(self) -> None:
        object.__setattr__(self, "records", np.atleast_1d(np.asarray(self.records, np.int64)))
        if not self.records.shape == self.lower.shape == self.upper.shape or not self.records.size:
            raise InvalidArgument(
                f"Expected as many lower and upper bounds as records, at least one, got "
                f"{self.records.size}, {self.lower.size} and {self.upper.size}."
            )
        if not np.all(self.lower <= self.upper):
            raise InvalidArgument("Expected lower <= upper for every record.")

    @classmethod
    def of_draws(
        cls,
        records: Any,
        lower: Floats,
        upper: Floats,
        effort: Effort | None,
        draws: int,
        **others: Any,
    ) -> "RecordBounds":
        """Intervals that rest on draws of this effort; on none of them where it is None."""
        if effort is None:
            return cls(records, lower, upper, Evidence.ENCLOSURE, **others)
        how = effort.confidence, draws, effort.seed
        return cls(records, lower, upper, Evidence.CONFIDENCE, *how, **others)

    @classmethod
    def of_nothing(cls, records: Ints, method: str) -> "RecordBounds":
        """Return 0 for all: nothing can be learnt if all records are the same."""
        none = np.zeros(len(records))
        return cls(records, none, none, Evidence.EXACT).by(method)

    def by(self, method: str) -> "RecordBounds":
        """Both ends of every record by one method."""
        methods = (method,) * len(self.records)
        return attrs.evolve(self, lower_methods=methods, upper_methods=methods)

    @property
    def method(self) -> str:
        """What gave the upper bound of the worst record."""
        return self.upper_methods[int(np.argmax(self.upper))]

    def worst(self) -> int:
        """The record with the largest upper bound; the first of several."""
        return int(self.records[np.argmax(self.upper)])

    def of_worst(self) -> "RecordBounds":
        """One record, the worst, stands for the maximum over all of them."""
        top = slice(at := int(np.argmax(self.upper)), at + 1)
        return attrs.evolve(
            self,
            records=self.records[top],
            lower=self.lower.max(),
            upper=self.upper.max(),
            lower_methods=self.lower_methods[top],
            upper_methods=self.upper_methods[top],
        )

    def maximum(self) -> Bound:
        """ε̃ over all the records."""
        return self._bound(float(self.lower.max()), float(self.upper.max()))

    def each(self) -> list[Bound]:
        """One bound a record, in their order."""
        return [self._bound(*interval) for interval in zip(self.lower, self.upper, strict=True)]

    def guaranteed_upper(self) -> float:
        """The certified upper bound over all records.

        Raises `NotApplicable` if the bounds are estimates.
        """
        return self.maximum().guaranteed_upper()

    def cap(self, most: float | Floats, method: str | None = None) -> "RecordBounds":
        """Cap every record's bound at `most`, by another theorem; name it, if it has a name."""
        upper = np.minimum(self.upper, most)
        lowered = zip(self.upper_methods, self.upper, upper, strict=True)
        above = tuple(method if method and new < old else name for name, old, new in lowered)
        return attrs.evolve(
            self, lower=np.minimum(self.lower, upper), upper=upper, upper_methods=above
        )

    def widen(self, by: float) -> "RecordBounds":
        """Both ends moved outwards by what the numbers put in may be off."""
        return attrs.evolve(self, lower=np.maximum(self.lower - by, 0.0), upper=self.upper + by)

    def only(self, records: Records) -> "RecordBounds":
        """Keep the bounds of the records in question; what concerns all records stays."""
        if isinstance(records, str):
            return self
        place = {int(record): k for k, record in enumerate(self.records)}
        at = [place[record] for record in records]
        below, above = (
            tuple(methods[k] for k in at) if methods else ()
            for methods in (self.lower_methods, self.upper_methods)
        )
        return attrs.evolve(
            self,
            records=self.records[at],
            lower=self.lower[at],
            upper=self.upper[at],
            lower_methods=below,
            upper_methods=above,
        )

    def _bound(self, lower: float, upper: float) -> Bound:
        return Bound(lower, upper, self.evidence, self.confidence, self.draws, self.seed)


@attrs.frozen
class RecordBound:
    """One record's ε̃ and which method gave which end.

    `distance` is how far the record is from the mean of all, in the unit of the records; None
    where what is released is no sum of them. `count` says how many records have that row, where
    rows with counts were given.
    """

    record: int
    bound: Bound
    lower_method: str
    upper_method: str
    distance: float | None = None
    count: int | None = None

    def as_json(self) -> dict[str, Any]:
        """One entry of `records`."""
        besides = {"distance": self.distance, "count": self.count}
        return {key: value for key, value in besides.items() if value is not None} | {
            "record": self.record,
            "population_epsilon": self.bound.as_json(),
            "lower_method": self.lower_method,
            "upper_method": self.upper_method,
        }


@attrs.frozen
class NoiseParameter:
    """The parameter of the noise: "sigma", "scale" or "epsilon", and its value."""

    parameter: str
    value: float


@attrs.frozen
class Searched:
    """How the search for the noise of a target ended.

    Parameters
    ----------
    target : float
        The population ε asked for.
    missed : float or None
        The nearest noise that was seen to miss the target, in the unit of `noise`.
    complete : bool
        Whether the search came as near as it meant to; False where the time limit ended it.
        What is returned meets the target either way.
    """

    target: float
    missed: float | None
    complete: bool


@attrs.frozen
class Gap:
    """How narrow the interval was to be, and how narrow it is.

    Parameters
    ----------
    goal : float
        The width, relative to the lower bound, at which the work may stop: the effort's gap.
    reached : float
        The width of `population_epsilon`, relative to its lower bound; infinite where that is 0 and
        the upper bound is not, or where the upper bound is infinite.

    Examples
    --------
    >>> Gap(0.1, 0.25).is_reached
    False
    """

    goal: float
    reached: float

    @classmethod
    def of(cls, bound: Bound, effort: Effort) -> "Gap":
        """Return the gap of an interval for which so much effort was allowed."""
        if bound.upper == bound.lower:
            return cls(effort.gap, 0.0)
        wide = (bound.upper - bound.lower) / bound.lower if bound.lower else math.inf
        return cls(effort.gap, wide)

    @property
    def is_reached(self) -> bool:
        """Whether the interval is as narrow as it was to be, but for rounding."""
        return self.reached <= self.goal * (1 + _ROUNDING)

    def note(self) -> str | None:
        """A sentence that says so where the interval is wider than it was to be; else None."""
        if self.is_reached:
            return None
        wide = "has no such width" if math.isinf(self.reached) else f"is {self.reached:.2g} wide"
        return (
            f"The gap of {self.goal:g} is not reached: relative to its lower end the interval "
            f"{wide}. The time was over, or nothing known here narrows it further."
        )


@attrs.frozen(repr=False)
class PopulationAnswer(Answer):
    """How private one release is against an adversary who knows the population only.

    Everything concerns this parent set, this sample size and one release; it does not compose.

    Parameters
    ----------
    population_epsilon : Bound
        ε̃, the maximum over the records asked for, natural logarithm; ≥ 0.
    worst_record : int or None
        Position (from 0) of the record with the largest upper bound.
    delta : float
        δ of the guarantee, in [0, 1); 0 for pure ε̃.
    size, population : int
        n and N.
    method : str
        What gave the upper bound of the worst record: "enumerate", "fourier", "crowd", …
    noise : NoiseParameter
        The noise that was analysed, or that `target` led to.
    epsilon : float or None
        Differential privacy that holds against everyone, upper bound; infinite where nothing
        bounds it; None where it was not asked for.
    epsilon_restricted_sensitivity, epsilon_adjacent_subsets : float or None
        ε(X): by the largest change between adjacent subsets, and exact over them.
    pairwise_bound, estimate : float or None
        Proposition 12 of [lowy-2024], a bound; the Gaussian approximation, no bound.
    attack_success, bayes_success : float
        What an attacker may reach: record in or out with probability ½, and with prior n/N.
    subsets : int or None
        How many samples were enumerated.
    seconds : float
        Time that the analysis took.
    records : tuple of RecordBound
        With `records="all"`, one entry a record, in order.
    candidates : int or None
        Length K of the lists that the crowd bound used, where it did.
    bayes_optimal_success : float or None
        What the best attacker with prior n/N in truth reaches against the record for which that
        is most; where all probabilities were computed. At most `bayes_success`.
    search : Searched or None
        With a target: how the search for its noise ended.
    gap : Gap or None
        How narrow the interval was to be, and is: more time, or a method that is as narrow, may
        be wanting.
    """

    population_epsilon: Bound
    worst_record: int | None
    delta: float
    size: int
    population: int
    method: str
    noise: NoiseParameter
    epsilon: float | None
    epsilon_restricted_sensitivity: float | None
    epsilon_adjacent_subsets: float | None
    pairwise_bound: float | None
    estimate: float | None
    attack_success: float
    bayes_success: float
    subsets: int | None
    seconds: float
    records: tuple[RecordBound, ...] = ()
    candidates: int | None = None
    bayes_optimal_success: float | None = None
    search: Searched | None = None
    gap: Gap | None = None

    @property
    def baseline(self) -> float:
        """How often a guess at prior n/N is right that looks at no output: always the likelier."""
        share = self.size / self.population
        return max(share, 1 - share)

    def as_json(self) -> dict[str, Any]:
        """The object that `deniable population …` prints."""
        answer = attrs.asdict(
            self,
            recurse=False,
            filter=attrs.filters.exclude("population_epsilon", "noise", "records", "search", "gap"),
        )
        answer = {"population_epsilon": self.population_epsilon.as_json()} | answer
        answer[self.noise.parameter] = self.noise.value
        if self.search is not None:
            answer["search"] = attrs.asdict(self.search)
        answer["baseline"] = self.baseline
        if self.gap is not None:
            answer["gap"] = attrs.asdict(self.gap) | {"is_reached": self.gap.is_reached}
        if self.records:
            answer["records"] = [each.as_json() for each in self.records]
        return answer

    def __add__(self, other: object) -> NoReturn:
        """Refused: two releases on one sample may together tell what neither tells alone.

        Raises
        ------
        NotApplicable
            Always.
        """
        raise NotApplicable(
            "Expected one release, got a sum of population guarantees, which do not compose. "
            "Analyse the releases jointly with deniable.population.joint, or add up their "
            "differential privacy."
        )

    __radd__ = __add__

    def records_csv(self) -> str:
        """The interval of each record as CSV with a header, a record a line, in order.

        The columns: record, lower, upper, lower_method, upper_method, distance.

        Raises
        ------
        NotApplicable
            If records were not asked for one by one.
        """
        self._each()
        lines = ["record,lower,upper,lower_method,upper_method,distance"]
        for each in self.records:
            far = "" if each.distance is None else repr(each.distance)
            interval = f"{each.bound.lower!r},{each.bound.upper!r}"
            methods = f"{each.lower_method},{each.upper_method}"
            lines.append(f"{each.record},{interval},{methods},{far}")
        return "\n".join(lines) + "\n"

    def plot(self, by: str = "record") -> Any:
        """The interval of each record, or of the worst, beside what holds against everyone.

        Parameters
        ----------
        by : {"record", "distance"}
            A row a record; or against the distance from the mean of all records, which shows who
            stands out and why. The second wants `records="all"`.

        Returns
        -------
        altair.Chart
            With `records="all"` of every record; needs the extra publish.

        Raises
        ------
        NotApplicable
            If there are no distances to draw.
        """
        if validate.one_of(by, ("record", "distance"), "by") == "record":
            return display(self, "plot")
        self._each()
        if any(each.distance is None for each in self.records):
            raise NotApplicable(
                "Expected records that are summed, got another release. Draw it by record."
            )
        return display(self, "plot_distances")

    def page(self, curve: Answer | None = None) -> str:
        """A page for the keeper of the list: what may be believed, of whom most, and why.

        It shows how far records are from each other, and is not for publication.

        Parameters
        ----------
        curve : NoiseCurve, optional
            What more and less noise would be worth; of `noise_curve`.

        Returns
        -------
        str
            HTML that opens offline, without script; needs the extra publish.
        """
        return str(display(self, "page", curve))

    def _each(self) -> None:
        if not self.records:
            raise NotApplicable(
                'Expected an answer for each record, got the worst alone. Ask for records="all".'
            )


def answer(
    question: Question[Any],
    noise: NoiseParameter,
    bounds: RecordBounds,
    effort: Effort,
    *,
    epsilon: float | None = None,
    restricted: float | None = None,
    adjacent: float | None = None,
    search: Searched | None = None,
) -> PopulationAnswer:
    """Everything that a population analysis says, in one value.

    The bounds are what an engine gave at this noise. Beside ε̃ holds the differential privacy
    against everyone, `epsilon`, on this parent set by restricted sensitivity, and exact over its
    adjacent subsets.
    """
    bound, prior = bounds.maximum(), Fraction(question.size, question.population)
    records: tuple[RecordBound, ...] = ()
    if question.records != "worst":
        methods = zip(bounds.lower_methods, bounds.upper_methods, strict=True)
        records = tuple(
            RecordBound(int(record), each, *both)
            for record, each, both in zip(bounds.records, bounds.each(), methods, strict=True)
        )
    return PopulationAnswer(
        population_epsilon=bound,
        worst_record=bounds.worst(),
        delta=question.delta,
        size=question.size,
        population=question.population,
        method=bounds.method,
        noise=noise,
        epsilon=epsilon,
        epsilon_restricted_sensitivity=restricted,
        epsilon_adjacent_subsets=adjacent,
        pairwise_bound=bounds.pairwise,
        estimate=bounds.estimate,
        attack_success=success.attack_success(bound.upper, question.delta),
        bayes_success=success.bayes_success(bound.upper, question.delta, prior),
        subsets=bounds.subsets,
        seconds=time.monotonic() - question.began,
        records=records,
        candidates=bounds.candidates,
        bayes_optimal_success=bounds.bayes_optimal,
        search=search,
        gap=Gap.of(bound, effort),
    )
