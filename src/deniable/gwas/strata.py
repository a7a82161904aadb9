"""A study in strata: groups of people that are compared within, such as of one origin."""

from collections.abc import Sequence
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.errors import InvalidArgument

MOST_STRATA = 2**13
"""Strata: sums over so many are wrong by less than a part in 2^40."""

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


def _same() -> Any:
    return attrs.cmp_using(eq=np.array_equal)


@attrs.frozen
class Strata:
    r"""What is summed over strata, by variant.

    .. math:: D = \sum_k \frac{x_k S_k - y_k R_k}{N_k}, \qquad
              V = \sum_k \frac{R_k S_k t_k (2N_k - t_k)}{N_k^2 (2N_k - 1)}

    with x and y of t copies of allele 1 in a stratum's R cases and S controls: how many more copies
    the cases have than they would if nothing but the stratum mattered, and the variance of that.
    Strata without cases, or without controls, add nothing.

    Parameters
    ----------
    sizes : tuple of (int, int)
        Public numbers of cases and controls of each stratum that has both, the largest first.
    difference, variance : array of float, shape (n_variants,)
        D and V, in copies and squared copies. Not public.
    """

    sizes: tuple[tuple[int, int], ...]
    difference: Floats = attrs.field(eq=_same(), repr=False)
    variance: Floats = attrs.field(eq=_same(), repr=False)

    def __len__(self) -> int:
        return len(self.difference)


def counted_sizes(cases: Sequence[int], controls: Sequence[int]) -> tuple[tuple[int, int], ...]:
    """Of the strata that have cases and controls, the largest first.

    Raises
    ------
    InvalidArgument
        If no stratum has both, or too many have.

    Examples
    --------
    >>> counted_sizes([3, 0, 10], [4, 7, 2])
    ((10, 2), (3, 4))
    """
    both = [(r, s) for r, s in zip(cases, controls, strict=True) if r and s]
    if not both:
        raise InvalidArgument(
            "Expected a stratum with cases and controls or more, got none. Divide into fewer "
            "strata: only people of one stratum are compared."
        )
    if len(both) > MOST_STRATA:
        raise InvalidArgument(
            f"Expected at most {MOST_STRATA} strata with cases and controls, got {len(both)}. "
            "Divide into fewer."
        )
    return tuple(sorted(both, key=lambda size: (-sum(size), -size[0])))


def summed(copies: Integers, called: Integers) -> tuple[Floats, Floats]:
    """D and V, summed over strata.

    Parameters
    ----------
    copies, called : array of int, shape (n_variants, n_strata, 2)
        Copies of allele 1, and people with a call, in cases and in controls.

    Returns
    -------
    (array of float, array of float), shape (n_variants,) each

    Examples
    --------
    >>> difference, variance = summed(np.array([[[11, 5]]]), np.array([[[10, 10]]]))
    >>> difference.tolist(), variance.round(4).tolist()
    ([3.0], [2.4615])
    """
    (x, y), (r, s) = np.moveaxis(copies, 2, 0), np.moveaxis(called, 2, 0).astype(np.float64)
    n, t = r + s, x + y
    # (xS − yR)/N and R S t (2N − t)/(N² (2N − 1)), where a stratum has both; integers are exact.
    both = (r > 0) & (s > 0)
    n = np.where(both, n, 1.0)
    difference = np.where(both, (x * s - y * r) / n, 0.0)
    variance = np.where(both, r * s / (n * n) * (t * (2 * n - t)) / (2 * n - 1), 0.0)
    return difference.sum(axis=1), variance.sum(axis=1)
