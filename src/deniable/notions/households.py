"""Joint laws of people who belong together, as guarantees name them."""

from typing import Any, ClassVar

import attrs

from deniable.errors import InvalidArgument, validate
from deniable.errors.validate import in_full


@attrs.frozen(init=False)
class Households:
    r"""Joint laws under which the members of one household may take part together.

    The households are disjoint, publicly known and independent of each other, and none has more
    than `size` people. Within a household memberships are tied in any way, or only as far as one of
    three models says. The adversary may know the memberships of any other people.

    Parameters
    ----------
    size : int
        The most people of one household, k >= 1.
    odds_ratio : float, optional
        ψ >= 1: given all other memberships of the household, one person's membership changes the
        odds of another's by a factor of at most ψ. Every combination of memberships is possible.
    icc : float, optional
        The intra-class correlation, at most c in [0, 1]: households differ in their inclination to
        take part by a Beta(a, b) prior of any mean, and given it each member decides alone.
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

    word: ClassVar[str] = "households"

    size: int
    odds_ratio: float | None = None
    icc: float | None = None
    difference: float | None = None

    def __init__(
        self,
        size: Any,
        odds_ratio: float | None = None,
        icc: float | None = None,
        difference: float | None = None,
    ) -> None:
        people = validate.integer(size, "household_size", least=1)
        if odds_ratio is not None:
            number = odds_ratio = validate.number(odds_ratio, "odds_ratio")
            if not 1 <= number < float("inf"):
                way = f" Write 1/{in_full(number)}: the bound covers both directions of a tie."
                raise InvalidArgument(
                    f"Expected 1 <= odds_ratio < inf, got odds_ratio={number}."
                    f"{way if 0 < number < 1 else ''}"
                )
        if icc is not None:
            icc = validate.probability(icc, "icc")
        if difference is not None:
            difference = validate.probability(difference, "difference")
        self.__attrs_init__(people, odds_ratio, icc, difference)
        if len(self._models()) > 1:
            raise InvalidArgument(
                "Expected one model of a household, got "
                f"{' and '.join(f'`{name}`' for name in self._models())}."
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
    def downward_scalable(self) -> bool:
        """Whether a belief moves without the tie: a correlation by a beta prior fixes its mean."""
        return not self.icc or self.size == 1

    upward_scalable = downward_scalable

    @staticmethod
    def refuse_replace_one(adjacency: str) -> None:
        """Refuse households where the number of people is public."""
        if adjacency == "replace-one":
            raise InvalidArgument(
                f"Expected add-remove neighbours with households, got {adjacency}. Where the "
                "number of people is public, households of different sizes are many exchanges "
                "apart. Say add-remove if a person's coming or going is what it covers.",
                instead=("", "--adjacency add-remove"),
            )

    @property
    def in_any_way(self) -> "Households":
        """The same households without the model."""
        return self if self.model is None else Households(self.size)

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
                return f"{people}, odds ratio at most {in_full(value)} given all other memberships"
            case ["icc", c]:
                return f"{people}, intra-class correlation at most {in_full(c)}, Beta(a, b) prior"
            case [_, value]:
                return f"{people}, memberships moved by at most {in_full(value)} in total variation"


def households_of(
    size: int | None,
    *,
    odds_ratio: float | None = None,
    icc: float | None = None,
    difference: float | None = None,
) -> Households | None:
    """The households of raw arguments; None where there are none."""
    if size is not None:
        return Households(size, odds_ratio, icc, difference)
    if (odds_ratio, icc, difference) != (None, None, None):
        raise InvalidArgument(
            "Expected household with odds_ratio, icc or difference, got none. Say how many people "
            "belong together at most, as in household=4."
        )
    return None


@attrs.frozen
class HouseholdMembers(Households):
    """Joint laws of people whose households are the entities of a guarantee.

    Within a household everything may be tied: who comes, and every record. Households are
    independent of each other. A member who comes or goes changes the records of one household: one
    household goes, and another one comes.

    Examples
    --------
    >>> HouseholdMembers().suffix
    '@household-members'
    """

    size: int = attrs.field(default=2, init=False)
    """Entities that come or go with one member, at most."""
    odds_ratio: None = attrs.field(default=None, init=False)
    icc: None = attrs.field(default=None, init=False)
    difference: None = attrs.field(default=None, init=False)

    @property
    def suffix(self) -> str:
        """The word that a notion's spec ends in."""
        return "@household-members"

    def __str__(self) -> str:
        return "members of households that are one entity each"
