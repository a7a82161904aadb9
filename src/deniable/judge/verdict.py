"""What the judge found, as one frozen value."""

from collections.abc import Iterator, Mapping
from typing import Any

import attrs

from deniable.errors import NotApplicable
from deniable.judge.curve import Curve
from deniable.judge.population import PopulationVerdict
from deniable.judge.worst_cases import Gamma
from deniable.notions import Adjacency
from deniable.numerics.answer import Answer, plots


@attrs.frozen(repr=False)
class Verdict(Answer):
    """How private an explicit mechanism is, by every notion; None where a law that is needed lacks.

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
        Leakage under the table's joint law.
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
        witness = None if here is None or here.witness is None else here.witness.as_json()
        result = {
            "family": self.family,
            "adjacency": str(self.adjacency),
            "positive_gamma": self.positive_gamma,
            "negative_gamma": self.negative_gamma,
            "positive_gamma_here": None if here is None else here.bound.upper,
            "positive_gamma_here_bound": None if here is None else here.bound.as_json(),
            "witness": witness,
            "epsilon_add_remove": self.epsilon_add_remove,
            "epsilon_positive": self.epsilon_positive,
            "epsilon_negative": self.epsilon_negative,
            "epsilon_replace_one": self.epsilon_replace_one,
            "semantic": self.semantic,
            "bayesian_semantic": self.bayesian_semantic,
            "bayesian_dp": self.bayesian_dp,
            "identifiability": max(self.identifiability.values(), default=None),
            "identifiability_by_worlds": dict(self.identifiability),
            "sampling_epsilon": self.sampling_epsilon,
            "advantage": self.advantage,
            "curve": None if curve is None else [list(point) for point in curve.points],
            "curve_complete": None if curve is None else curve.complete,
        }
        population = self.population
        return result | {
            "size": None if population is None else population.size,
            "population_epsilon": None if population is None else population.epsilon,
            "population_entity": None if population is None else population.entity,
            "population_epsilon_by_entity": None
            if population is None
            else dict(population.by_entity),
            "population_curve": None
            if population is None
            else [list(point) for point in population.curve],
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
        points = plots.least_misses(self.curve.points)
        return plots.trade_off_chart([(f"{self.family}, {self.adjacency}", points)])
