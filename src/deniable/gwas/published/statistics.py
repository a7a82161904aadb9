"""What stands in a table of a study: frequencies by group, and effects, in one form."""

from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.gwas.published.text_table import Floats, Measured

GROUPS = ("cases", "controls", "pool")
"""Whose frequencies may be published; the pool is cases and controls together."""


def _same() -> Any:
    return attrs.cmp_using(eq=np.array_equal)


@attrs.frozen
class Frequency:
    """The effect allele's frequency in a group, or its copies.

    Parameters
    ----------
    number : Measured
        A frequency; where `counted`, a whole number of copies.
    alleles : ndarray of float, shape (n_rows,), or None
        Alleles that were looked at, two a person; None where the table does not say.
    counted : bool
        Whether copies are published and not their share.
    """

    number: Measured
    alleles: Floats | None
    counted: bool

    def take(self, rows: NDArray[np.intp]) -> "Frequency":
        """Those rows."""
        alleles = None if self.alleles is None else self.alleles[rows]
        return Frequency(self.number.take(rows), alleles, self.counted)


@attrs.frozen
class Effects:
    """Effects of the effect allele on disease; NaN where a table has none.

    Parameters
    ----------
    beta : Measured
        Log odds ratio of a copy.
    error : Measured
        Its standard error.
    z : Measured
        How many standard errors the effect is from 0, >= 0, from z, χ² or the p-value.
    sign : ndarray of float, shape (n_rows,)
        Of the effect: 1, −1, or 0 where the table does not say.
    allelic : bool
        Whether z is of the allelic χ² without covariates.
    """

    beta: Measured
    error: Measured
    z: Measured
    sign: Floats
    allelic: bool

    def take(self, rows: NDArray[np.intp]) -> "Effects":
        """Those rows."""
        beta, error, z = (each.take(rows) for each in (self.beta, self.error, self.z))
        return Effects(beta, error, z, self.sign[rows], self.allelic)

    @property
    def known(self) -> NDArray[np.bool_]:
        """Where something is said."""
        return np.isfinite(self.z.value) | np.isfinite(self.beta.value)


@attrs.frozen
class PublishedTable:
    """A table of a study's variants.

    Parameters
    ----------
    names : ndarray of str, shape (n_rows,)
        What variants are matched by: identifiers, or chromosome:position.
    by_place : bool
        Whether it is chromosome:position.
    effect, other : ndarray of str, shape (n_rows,)
        The allele that numbers are about, and the other one; `other` is None where a table does not
        name it.
    frequencies : dict of str to Frequency
        By group.
    effects : Effects or None
        None in tables of frequencies.
    people : ndarray of float, shape (n_rows,), or None
        Who was counted at each variant.
    what : tuple of str
        What of it is used, in words.
    noise : float or None
        Of copies in a release of ours: the scale of discrete Laplace noise.
    deviation : float or None
        Of copies in a release of ours: the standard deviation of discrete Gaussian noise.
    """

    names: NDArray[np.object_] = attrs.field(eq=_same(), repr=False)
    by_place: bool
    effect: NDArray[np.object_] = attrs.field(eq=_same(), repr=False)
    other: NDArray[np.object_] | None = attrs.field(eq=_same(), repr=False)
    frequencies: dict[str, Frequency]
    effects: Effects | None
    people: Floats | None
    what: tuple[str, ...]
    noise: float | None = None
    deviation: float | None = None

    def __len__(self) -> int:
        return len(self.names)

    def take(self, rows: NDArray[np.intp]) -> "PublishedTable":
        """Those rows, in that order."""
        return attrs.evolve(
            self,
            names=self.names[rows],
            effect=self.effect[rows],
            other=None if self.other is None else self.other[rows],
            frequencies={name: each.take(rows) for name, each in self.frequencies.items()},
            effects=None if self.effects is None else self.effects.take(rows),
            people=None if self.people is None else self.people[rows],
        )

    def swap_alleles(self, which: NDArray[np.bool_]) -> "PublishedTable":
        """The same numbers, said of the other allele where asked."""
        frequencies = {name: _swap_alleles(each, which) for name, each in self.frequencies.items()}
        effects = self.effects
        if effects is not None:
            turn = np.where(which, -1.0, 1.0)
            beta = Measured(effects.beta.value * turn, effects.beta.half)
            effects = attrs.evolve(effects, beta=beta, sign=effects.sign * turn)
        return attrs.evolve(self, frequencies=frequencies, effects=effects)

    @property
    def informative(self) -> NDArray[np.bool_]:
        """Which rows say anything."""
        has_number = np.zeros(len(self), bool)
        for each in self.frequencies.values():
            has_number |= np.isfinite(each.number.value)
        return has_number if self.effects is None else has_number | self.effects.known


def _swap_alleles(frequency: Frequency, which: NDArray[np.bool_]) -> Frequency:
    number = frequency.number
    total: Floats | float = 1.0
    if frequency.counted:
        if frequency.alleles is None:
            raise AssertionError("copies of the other allele need the number of alleles")
        total = frequency.alleles
    value = np.where(which, total - number.value, number.value)
    return attrs.evolve(frequency, number=Measured(value, number.half))
