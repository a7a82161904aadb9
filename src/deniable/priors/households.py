"""Households: sets of people whose memberships may be tied to each other."""

from typing import Any

import attrs

from deniable.errors import InvalidArgument, validate


def _size(value: object) -> int:
    return validate.integer(value, "household_size", least=1)


def _odds_ratio(value: object) -> float | None:
    if value is None:
        return None
    number = validate.number(value, "odds_ratio")
    if not 1 <= number < float("inf"):
        raise InvalidArgument(
            f"Expected 1 <= odds_ratio < inf, got odds_ratio={number}. Write 1/{number:g} of a "
            "negative tie as its inverse: the bound covers both directions."
            if 0 < number < 1
            else f"Expected 1 <= odds_ratio < inf, got odds_ratio={number}."
        )
    return number


def _icc(value: object) -> float | None:
    return None if value is None else validate.probability(value, "icc")


def _difference(value: object) -> float | None:
    return None if value is None else validate.probability(value, "difference")


@attrs.frozen
class Households:
    r"""Joint laws under which the members of one household may come together.

    The households are disjoint, publicly known and independent of each other, and none has more
    than `size` people. Within a household memberships are tied in any way, or only as far as one of
    three models says. The adversary may know the memberships of any other people.

    Parameters
    ----------
    size : int
        The most people of one household, k >= 1.
    odds_ratio : float, optional
        ψ >= 1: given all other memberships of the household, the odds that one other member is in
        change by a factor of at most ψ with the person in question, and every combination of
        memberships is possible.
    icc : float, optional
        The intra-class correlation, at most c in [0, 1]: households differ in their inclination to
        take part by a beta law with any mean, and given it each member decides alone.
    difference : float, optional
        The total variation distance, at most c in [0, 1], between the law of the others'
        memberships if the person is in and their law if the person is out.

    Raises
    ------
    InvalidArgument
        If a number leaves its range, or more than one model is given.

    Examples
    --------
    >>> Households(4, icc=0.2).suffix
    '@households-4-icc-0.2'
    """

    size: int = attrs.field(converter=_size)
    odds_ratio: float | None = attrs.field(default=None, converter=_odds_ratio)
    icc: float | None = attrs.field(default=None, converter=_icc)
    difference: float | None = attrs.field(default=None, converter=_difference)

    def __attrs_post_init__(self) -> None:
        if len(self._models()) > 1:
            raise InvalidArgument(
                f"Expected one model of a household, got {' and '.join(self._models())}."
            )

    def _models(self) -> dict[str, float]:
        given: dict[str, Any] = attrs.asdict(self)
        del given["size"]
        return {name: value for name, value in given.items() if value is not None}

    @property
    def model(self) -> tuple[str, float] | None:
        """The name of the model's number and its value; None where any tie is possible."""
        return next(iter(self._models().items()), None)

    @property
    def suffix(self) -> str:
        """The word that a notion's spec ends in."""
        name, value = self.model or ("", "")
        model = f"-{name.replace('_', '-')}-{value!r}" if name else ""
        return f"@households-{self.size}{model}"

    def __str__(self) -> str:
        people = f"households of up to {self.size}"
        match self.model:
            case None:
                return f"{people}, memberships tied in any way"
            case ["odds_ratio", value]:
                return f"{people}, odds ratio at most {value:g} given all other memberships"
            case ["icc", value]:
                return f"{people}, intra-class correlation at most {value:g} by a beta law"
            case [_, value]:
                return f"{people}, memberships moved by at most {value:g} in total variation"
