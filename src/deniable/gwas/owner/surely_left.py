"""Windows in simulated selections: what a choice removes, and what is left whatever is chosen."""

import numpy as np
from numpy.typing import NDArray

from deniable.gwas.publication.windows import Loci

Integers = NDArray[np.int64]


def surely_left(values: Integers, number: int, loci: Loci | None) -> int:
    """The largest score that the best variant left in each of `number` rounds has at least.

    Parameters
    ----------
    values : array of int, shape (n_variants,)
        Scores.
    number : int
        Rounds; at most `loci.least`.
    loci : Loci or None
        Windows; None where a choice removes the chosen variant alone.
    """
    if loci is None:
        return int(np.partition(values, len(values) - number)[-number])
    # Of the k best some are left in each round if fewer than `number` windows cannot hold all k.
    best = np.argsort(-values, kind="stable")
    least, most = number, len(values)
    while least < most:
        middle = (least + most) // 2
        if _held(np.sort(loci.rank[best[:middle]]), number - 1, loci):
            least = middle + 1
        else:
            most = middle
    return int(values[best[least - 1]])


def _held(places: NDArray[np.intp], windows: int, loci: Loci) -> bool:
    """Whether so many windows may hold all these places, from the left each as far as it can."""
    first = 0
    for _ in range(windows):
        if first == len(places):
            break
        end = loci.stop[loci.stop[places[first]] - 1]
        first = int(np.searchsorted(places, end))
    return first == len(places)


def removed(variants: Integers, chosen: Integers, loci: Loci | None) -> NDArray[np.bool_]:
    """Whether these variants go with the chosen ones; shapes as NumPy broadcasts them."""
    if loci is None:
        return np.asarray(variants == chosen)
    place, center = loci.rank[variants], loci.rank[chosen]
    return np.asarray((loci.start[center] <= place) & (place < loci.stop[center]))
