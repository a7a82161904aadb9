"""Judge an explicit mechanism: every notion at once for one family of priors, and the verdict."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any, TypeAlias

import attrs
import numpy as np

from deniable.certificate.json_documents import naming, unique_keys
from deniable.certificate.model import read_sentences
from deniable.errors import InvalidArgument, NotApplicable, validate
from deniable.judge import households
from deniable.judge.curve import Curve, PopulationVerdict, population, privacy_curve
from deniable.judge.differential import Ratios, add_remove, replace_one_epsilon, sampling_epsilon
from deniable.judge.identifiability import identifiability
from deniable.judge.membership import closed_form, here
from deniable.judge.neighbours import every_subset
from deniable.judge.semantic import (
    MOST_ENTITIES,
    MOST_RECORDS,
    bayesian_dp,
    bayesian_semantic,
    over_all_laws,
    semantic,
)
from deniable.judge.worst_cases import Gamma
from deniable.mechanisms.stochastic_matrix import StochasticMatrix
from deniable.notions import Adjacency
from deniable.notions.adversaries import SampledPriors
from deniable.notions.households import Households
from deniable.numerics.answer import Answer, display, fields_of
from deniable.numerics.effort import Progress, notebook_bar, part, silent
from deniable.priors.families import (
    AllPriors,
    BoundedProductPriors,
    BoundedSizeConditionedPriors,
    Family,
    OneOutOfAnyPriors,
    PairPriors,
    PopulationPriors,
    ProductPriors,
    SinglePriors,
    SizeConditionedPriors,
    UniformPriors,
)
from deniable.priors.table import TablePrior
from deniable.priors.uniform import UniformSizedPrior
from deniable.priors.universe import Universe
from deniable.theorems.analysis import least_trade_off


@attrs.frozen(repr=False)
class Verdict(Answer):
    """How private an explicit mechanism is, by every notion; None if a needed law is missing.

    Parameters
    ----------
    family : str
        The word for the family of priors that γ is about.
    adjacency : Adjacency
        Which neighbours `curve` and `advantage` are about: replace-one where the family fixes
        the size, or where only some sizes' laws are known.
    positive_gamma, negative_gamma : float or None
        Over all universes where the family ranges over universes: the closed form.
    here : Gamma or None
        Positive γ on this universe with its witness; None too where the family leaves nobody
        uncertain.
    epsilon_add_remove, epsilon_positive, epsilon_negative, epsilon_replace_one : float or None
        ε of pure differential privacy and of the halves of add-remove, rounded up.
    semantic, bayesian_semantic : float or None
        Total variation over all beliefs, rounded up; the default that replaces a record is
        absence. In the second beliefs are about one record and any known ones, and the rest
        follow the table's joint law; without a table, any joint law.
    bayesian_dp : float or None
        Leakage under the table's joint law, or the largest over the laws of households.
    identifiability : mapping of int to float
        ρ for each number of worlds.
    sampling_epsilon : float or None
        ε of (β, ε)-DPS at the given rate; None without one.
    curve : Curve or None
        The least δ for each ε.
    population : PopulationVerdict or None
        For the family population: ε̃ of a uniform subset of the size asked for.
    """

    family: str
    adjacency: Adjacency
    positive_gamma: float | None
    negative_gamma: float | None
    here: Gamma | None
    epsilon_add_remove: float | None
    epsilon_positive: float | None
    epsilon_negative: float | None
    epsilon_replace_one: float | None
    semantic: float | None
    bayesian_semantic: float | None
    bayesian_dp: float | None
    identifiability: Mapping[int, float]
    sampling_epsilon: float | None
    curve: Curve | None
    population: PopulationVerdict | None = None

    @property
    def advantage(self) -> float | None:
        """The largest total variation between neighbours."""
        return None if self.curve is None else self.curve.advantage

    def as_json(self) -> dict[str, Any]:
        """The object that the command line prints."""
        here, curve = self.here, self.curve
        result = {
            **fields_of(self, "family", "adjacency", "positive_gamma", "negative_gamma"),
            "positive_gamma_here": None if here is None else here.bound.upper,
            "positive_gamma_here_bound": here and here.bound,
            "witness": here and here.witness,
            **fields_of(self, "epsilon_add_remove", "epsilon_positive", "epsilon_negative"),
            **fields_of(self, "epsilon_replace_one", "semantic", "bayesian_semantic"),
            "bayesian_dp": self.bayesian_dp,
            "identifiability": max(self.identifiability.values(), default=None),
            "identifiability_by_worlds": self.identifiability,
            **fields_of(self, "sampling_epsilon", "advantage"),
            "curve": curve and curve.points,
            "curve_complete": curve and curve.complete,
        }
        drawn = self.population
        return result | {
            "size": drawn and drawn.size,
            "population_epsilon": drawn and drawn.epsilon,
            "population_entity": drawn and drawn.entity,
            "population_epsilon_by_entity": drawn and drawn.by_entity,
            "population_curve": drawn and drawn.curve,
        }

    def rows(self) -> Iterator[tuple[str, float | str | None]]:
        """Its numbers by their names, and by whom the worst is shown; None where not applicable."""
        yield f"positive gamma, {self.family}", self.positive_gamma
        yield f"negative gamma, {self.family}", self.negative_gamma
        here = self.here
        yield "positive gamma on this universe", None if here is None else here.bound.upper
        if here is not None and here.witness is not None:
            yield "  shown by entity, output", f"{here.witness.entity}, {here.witness.output}"
            if here.witness.prior is not None and len(here.witness.prior) <= 8:
                shares = (f"{{{name}}} {chance:.6g}" for name, chance in here.witness.prior.items())
                yield "  under the prior", ", ".join(shares)
        yield "epsilon, add-remove", self.epsilon_add_remove
        yield "  positive half", self.epsilon_positive
        yield "  negative half", self.epsilon_negative
        yield "epsilon, replace-one", self.epsilon_replace_one
        yield "semantic privacy", self.semantic
        yield "Bayesian semantic privacy", self.bayesian_semantic
        if self.bayesian_dp is not None:
            yield "Bayesian-DP leakage", self.bayesian_dp
        for worlds, rho in self.identifiability.items():
            yield f"identifiability among {worlds} worlds", rho
        if (population := self.population) is not None:
            yield f"population epsilon, {population.size} drawn", population.epsilon
            if population.entity is not None:
                yield "  shown by entity", population.entity
        if self.sampling_epsilon is not None:
            yield "epsilon under sampling", self.sampling_epsilon
        yield f"advantage, {self.adjacency}", self.advantage

    def plot(self) -> Any:
        """The least share of members that an attack misses, by the share of others it points out.

        Returns
        -------
        altair.Chart
            From the corners of `curve`; needs the extra publish.

        Raises
        ------
        NotApplicable
            If the laws of too few sizes are known for a curve.
        """
        if self.curve is None:
            raise NotApplicable("Expected a curve to draw, got none. Give laws of neighbours.")
        curve = least_trade_off(self.curve.points)
        return display(self, "plot", f"{self.family}, {self.adjacency}", curve)


Source: TypeAlias = str | PathLike[str] | Mapping[str, Any]

_PLAIN: dict[str, Callable[[], Family]] = {
    each.word: each
    for each in (
        ProductPriors,
        SizeConditionedPriors,
        PairPriors,
        AllPriors,
        UniformPriors,
        OneOutOfAnyPriors,
    )
}
_BETWEEN: dict[str, Callable[[float, float], Family]] = {
    each.word: each for each in (BoundedSizeConditionedPriors, BoundedProductPriors)
}
WORDS = (
    *_PLAIN, SampledPriors.word, *_BETWEEN, SinglePriors.word, PopulationPriors.word,
    Households.word,
)  # fmt: skip
"""What `family` may say."""
_PATIENCE = 0.5
"""Seconds of work before a bar is drawn; most verdicts are there by then."""
_GAMMA, _SEMANTIC, _LEAKAGE, _WORLDS = 0.2, 0.6, 0.7, 0.8
"""Fractions of the bar at which γ, Bayesian semantic privacy, Bayesian-DP leakage and
identifiability are done, about as they share the time of 14 to 18 entities; the curve is last."""
_FIXED_SIZE = (
    SizeConditionedPriors,
    PairPriors,
    OneOutOfAnyPriors,
    BoundedSizeConditionedPriors,
    PopulationPriors,
)


def verify(
    spec: Source | StochasticMatrix,
    family: str | Family | None = None,
    *,
    prior: tuple[float, float] | None = None,
    rate: float | None = None,
    table: Source | None = None,
    size: int | None = None,
    household: Households | None = None,
    progress: Progress | None = None,
) -> Verdict:
    r"""Compute exactly how private an explicit mechanism on a small universe is.

    Parameters
    ----------
    spec : path, mapping or StochasticMatrix
        The mechanism: ``{"universe": ["a"], "outputs": ["0", "1"], "rows": {"": […], "a": […]}}``,
        a JSON file of that, or the matrix itself. Sizes that a family does not need may lack. The
        rows alone will do: ``{"": […], "a": […]}``.
    family : str or Family, optional
        Whose beliefs γ is about: "independent", "bounded", "bounded-pair", "universal",
        "uninformed", "identifiability", "sampling", "bounded-prior", "independent-prior",
        "table", "population", "households", or a value of `deniable.priors.families`. Of two rows
        it may be left out: anything may be believed of which of the two is the law.
    prior : (float, float), optional
        The ends [a, b], for and only for "bounded-prior" and "independent-prior".
    rate : float, optional
        The sampling rate β; needed for "sampling", and with any family asks for its ε.
    table : path or mapping, optional
        The prior itself, for and only for "table": ``{"": 0.5, "a": 0.5}``.
    size : int, optional
        n, for and only for "population": the data are n of the entities, all n-subsets alike.
    household : Households, optional
        For and only for "households": any people up to its size may be a household, tied in any
        way or by its model, and an adversary may know who else is in. Its members are people of
        the universe, which has at most 8.
    progress : callable, optional
        Called with the fraction of the work that is done, 1 at the end; a bar in a notebook, where
        the work lasts.

    Returns
    -------
    Verdict
        Exact up to float rounding; ratios and logarithms of two likelihoods are rounded up.

    Raises
    ------
    InvalidArgument
        If a row is no law (the message names it), or an argument is missing or out of place.

    References
    ----------
    li-2013; tramer-2015; lee-clifton-2012; li-2012; kasiviswanathan-smith-2014; zhao-2019; for
    households own (what-households-do-to-a-guarantee.md).

    Examples
    --------
    >>> rows = {"": [0.75, 0.25], "a": [0.25, 0.75]}
    >>> answer = verify({"universe": ["a"], "outputs": ["0", "1"], "rows": rows}, "independent")
    >>> answer.positive_gamma, answer.advantage
    (3.0, 0.5)
    """
    if isinstance(spec, StochasticMatrix):
        matrix = spec
    else:
        content = _read(spec, "a mechanism")
        with naming(spec):
            matrix = StochasticMatrix.from_spec(_with_names(content))
    if family is None:
        matrix, family = _of_two_rows(matrix)
    prior_family = _family(
        matrix.universe, family, prior=prior, rate=rate, table=table, size=size, household=household
    )
    beta = prior_family.rate if isinstance(prior_family, SampledPriors) else rate
    fixed = isinstance(prior_family, _FIXED_SIZE) or not every_subset(matrix)
    ratios, adjacency = Ratios(matrix), (Adjacency.REPLACE_ONE if fixed else Adjacency.ADD_REMOVE)
    halves = add_remove(ratios)
    tell = notebook_bar(progress, patience=_PATIENCE) or silent
    verdict = Verdict(
        family=prior_family.word,
        adjacency=adjacency,
        positive_gamma=closed_form(ratios, prior_family, rise=True),
        negative_gamma=closed_form(ratios, prior_family, rise=False),
        here=here(ratios, prior_family, rise=True, progress=part(tell, 0.0, _GAMMA)),
        epsilon_add_remove=None if halves is None else halves.epsilon,
        epsilon_positive=None if halves is None else halves.positive,
        epsilon_negative=None if halves is None else halves.negative,
        epsilon_replace_one=replace_one_epsilon(ratios),
        semantic=semantic(matrix),
        bayesian_semantic=_bayesian_semantic(matrix, prior_family, part(tell, _GAMMA, _SEMANTIC)),
        bayesian_dp=_bayesian_dp(matrix, prior_family, part(tell, _SEMANTIC, _LEAKAGE)),
        identifiability=identifiability(matrix, progress=part(tell, _LEAKAGE, _WORLDS)),
        sampling_epsilon=None if beta is None else sampling_epsilon(matrix, beta),
        curve=privacy_curve(matrix, adjacency, progress=part(tell, _WORLDS, 1.0)),
        population=population(matrix, prior_family.prior.n_members)
        if isinstance(prior_family, PopulationPriors)
        else None,
    )
    tell(1.0)
    return verdict


def _bayesian_semantic(
    matrix: StochasticMatrix, family: Family, progress: Progress
) -> float | None:
    """Judge the family `table` under its joint law, and other families over all joint laws."""
    if not isinstance(family, SinglePriors):
        return over_all_laws(matrix, progress=progress)
    if matrix.universe.size > MOST_ENTITIES:
        return None
    return bayesian_semantic(matrix, family.prior, progress=progress)


def _bayesian_dp(matrix: StochasticMatrix, family: Family, progress: Progress) -> float | None:
    if isinstance(family, Households):
        return households.leakage(matrix, family)
    if not isinstance(family, SinglePriors) or matrix.universe.size > MOST_RECORDS:
        return None
    return bayesian_dp(matrix, family.prior, progress=progress)


def _family(
    universe: Universe,
    family: str | Family,
    *,
    prior: tuple[float, float] | None,
    rate: float | None,
    table: Source | None,
    size: int | None,
    household: Households | None,
) -> Family:
    word = family if isinstance(family, str) else None
    if word is not None:
        validate.one_of(word, WORDS, "family")
    _only_with(prior, "prior", word in _BETWEEN, " or ".join(_BETWEEN))
    _only_with(table, "table", word == SinglePriors.word, SinglePriors.word)
    _only_with(size, "size", word == PopulationPriors.word, PopulationPriors.word)
    _only_with(household, "household", word == Households.word, Households.word)
    if not isinstance(family, str):
        return family
    word = family
    if household is not None:
        return household
    if word in _PLAIN:
        return _PLAIN[word]()
    if word in _BETWEEN:
        return _BETWEEN[word](*validate.pair(prior, "prior"))
    if word == SampledPriors.word:
        if rate is None:
            raise InvalidArgument(
                "Expected `rate` with the family sampling, got none. Give `rate`."
            )
        return SampledPriors(rate)
    if word == PopulationPriors.word:
        drawn, many = validate.integer(size, "size", least=1), universe.size
        if drawn >= many:
            raise InvalidArgument(
                f"Expected 1 <= size < {many}, the number of entities, got size={drawn}. "
                "A sample leaves at least one of them out."
            )
        return PopulationPriors(UniformSizedPrior(many, drawn))
    assert table is not None
    content = _read(table, "a prior")
    with naming(table):
        return SinglePriors(TablePrior.from_spec(universe, content))


BELIEFS: Mapping[str, str] = read_sentences(__file__)["beliefs"]
"""What the adversary of each family believes, in a few words."""


def _of_two_rows(matrix: StochasticMatrix) -> tuple[StochasticMatrix, str]:
    """The mechanism, and the family that may believe anything of which of two rows is the law.

    Only people who are not in both rows, or in neither, matter.
    """
    rows = np.flatnonzero(matrix.known).tolist()
    differing = rows[0] ^ rows[1] if len(rows) == 2 else 0
    if differing.bit_count() == 1:
        entity = matrix.universe.entities[differing.bit_length() - 1]
        laws = matrix.rows[sorted(rows)]  # without the entity, and with it
        return StochasticMatrix(Universe((entity,)), matrix.outputs, laws), ProductPriors.word
    if differing.bit_count() == 2 and rows[0].bit_count() == rows[1].bit_count():
        return matrix, PairPriors.word
    known = "; ".join(f"{family} ({belief})" for family, belief in BELIEFS.items())
    raise InvalidArgument(
        f"Expected `family`, whose beliefs γ is about, got none. Add one: {known}.",
        instead=("", "--family independent"),
    )


def _with_names(spec: Mapping[str, Any]) -> Mapping[str, Any]:
    """A mechanism of which only the rows were given, by subset, with entities and outputs."""
    laws = [law for law in spec.values() if isinstance(law, Sequence) and not isinstance(law, str)]
    if not laws or len(laws) < len(spec) or spec.keys() & {"universe", "outputs", "rows"}:
        return spec
    if not all(isinstance(key, str) for key in spec):
        return spec
    entities = dict.fromkeys(name for key in spec for name in key.split(",") if name)
    outputs = [str(number) for number in range(len(laws[0]))]
    return {"universe": [*entities], "outputs": outputs, "rows": spec}


def _only_with(value: object, what: str, wanted: bool, where: str) -> None:
    if wanted and value is None:
        raise InvalidArgument(
            f"Expected `{what}` with the family {where}, got none. Give `{what}`."
        )
    if not wanted and value is not None:
        raise InvalidArgument(
            f"Expected `{what}` with the family {where} only, got it with another. "
            f"Leave `{what}` out, or change `family`."
        )


def _read(source: Source, what: str) -> Mapping[str, Any]:
    """A mapping, or the JSON object in a file."""
    if isinstance(source, Mapping):
        return source
    path = Path(source)
    if not path.is_file():
        raise InvalidArgument(f"Expected a JSON file with {what}, got {str(path)!r}, not a file.")
    try:
        content = json.loads(path.read_text(encoding="utf-8"), object_pairs_hook=unique_keys)
    except InvalidArgument:
        raise
    except (ValueError, RecursionError):  # no UTF-8, no JSON, or a number of thousands of digits
        raise InvalidArgument(f"Expected JSON with {what}, got none in {str(path)!r}.") from None
    is_list = isinstance(content, list)
    if is_list and [type(row) for row in content] == [list, list]:  # without a person, and with one
        content = dict(zip(("", "a"), content, strict=True))
    if not isinstance(content, dict):
        raise InvalidArgument(f"Expected a JSON object with {what}, got none in {str(path)!r}.")
    return content
