"""The methods to the laws of a sum; each gives enclosures of the same numbers.

`costs` counts what each takes, `engine` says which is taken.
"""

from collections.abc import Iterator
from typing import Protocol

import attrs
import numpy as np

from deniable.numerics.time_limit import check
from deniable.population.integer_sums import counts, inversion, outliers, recursion
from deniable.population.integer_sums.costs import TUNING
from deniable.population.integer_sums.multiset import Floats, Ints, Multiset, SumLaws
from deniable.population.integer_sums.reduced import Reduced
from deniable.population.integer_sums.release import largest_losses, least_epsilons_of


class Method(Protocol):
    """A method, with what all targets share made ready."""

    def laws(self, problem: Multiset, targets: Ints) -> Iterator[SumLaws]:
        """The laws with and without one record of each target, a few targets at a time."""


@attrs.frozen(eq=False)
class CountingMethod:
    """Exact numbers of samples, from one table a part."""

    def laws(self, problem: Multiset, targets: Ints) -> Iterator[SumLaws]:
        """The laws with and without one record of each target, a few targets at a time."""
        table = counts.count_table(problem)
        for some in _in_turn(targets, problem.n_sums):
            yield counts.sum_laws(problem, table, some)


@attrs.frozen(eq=False)
class RecursionMethod:
    """The recursion of non-negative terms."""

    def laws(self, problem: Multiset, targets: Ints) -> Iterator[SumLaws]:
        """The laws with and without one record of each target, a few targets at a time."""
        return recursion.sum_laws(problem, targets, _at_once(problem.n_sums))


@attrs.frozen(eq=False)
class InversionMethod:
    """Fourier inversion under several tilts."""

    plan: inversion.InversionPlan

    def laws(self, problem: Multiset, targets: Ints) -> Iterator[SumLaws]:
        """The laws with and without one record of each target, a few targets at a time."""
        for some in _in_turn(targets, self.plan.n_columns):
            yield inversion.sum_laws(problem, some, self.plan)


@attrs.frozen(eq=False)
class ConditioningMethod:
    """Fourier inversion of all records but a few outliers."""

    plan: outliers.OutlierPlan

    def laws(self, problem: Multiset, targets: Ints) -> Iterator[SumLaws]:
        """The laws with and without one record of each target, a few targets at a time."""
        for some in _in_turn(targets, problem.n_sums):
            yield outliers.sum_laws(problem, some, self.plan)


def losses(method: Method, reduced: Reduced) -> tuple[Floats, Floats]:
    """Enclosure of ε̃ for each target; shape (n_targets,) each."""
    lower, upper = [], []
    for laws in method.laws(reduced.problem, reduced.targets):
        check()
        bounds = _bound_epsilons(reduced, laws)
        lower.append(bounds[0])
        upper.append(bounds[1])
    return np.concatenate(lower), np.concatenate(upper)


def _bound_epsilons(reduced: Reduced, laws: SumLaws) -> tuple[Floats, Floats]:
    """From the laws of the sum to ε̃ of its noisy release."""
    problem, noise = reduced.problem, reduced.noise
    if reduced.delta == 0:
        return largest_losses(laws, problem.step / noise.scale)
    return least_epsilons_of(laws, noise, reduced.delta, problem.n_sums - 1, problem.step)


def _at_once(columns: int) -> int:
    """How many targets' laws are held at once."""
    return max(TUNING.columns_at_once // columns, 1)


def _in_turn(targets: Ints, columns: int) -> Iterator[Ints]:
    width = _at_once(columns)
    return (targets[at : at + width] for at in range(0, len(targets), width))
