"""What gets noise, and what needs none; plain values, so that no engine is loaded for them."""

from typing import TypeAlias

import attrs


@attrs.frozen
class VectorPart:
    """Whole numbers that get noise added to each coordinate.

    Parameters
    ----------
    label : str
        What it is: "count", "entities", "sum", "histogram".
    step : float
        Published unit of one whole number (1.0 for counts).
    coordinates : int
        Length of the vector, cells x bins.
    l1, l2 : int, float
        Sensitivities in whole numbers, between neighbours; l2 rounded up.
    moved : int
        Most coordinates that differ between neighbours.
    """

    label: str
    step: float
    coordinates: int
    l1: int
    l2: float
    moved: int


@attrs.frozen
class SelectionPart:
    """Whole-number scores of candidates, of which the best are chosen in every cell.

    Parameters
    ----------
    label : str
        "quantile" or "top".
    step : float
        Ranks or rows that one score unit stands for.
    cells : int
        Separate selections.
    candidates : int
        Candidates in each.
    number : int
        How many are chosen, in order.
    sensitivity : int
        Sum over the cells of the largest change of any score, between neighbours.
    monotone : bool
        Whether all scores move the same way between neighbours.
    """

    label: str
    step: float
    cells: int
    candidates: int
    number: int
    sensitivity: int
    monotone: bool


@attrs.frozen
class PublicPart:
    """A number that neighbours share, such as the number of entities under replace-one.

    It takes no share of the budget and gets no noise; its mechanism is None.
    """

    label: str


Part: TypeAlias = VectorPart | SelectionPart | PublicPart
