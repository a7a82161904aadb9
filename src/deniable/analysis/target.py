"""What a user asks for: a limit on beliefs, or a budget outright."""

from collections.abc import Callable
from typing import Any

import attrs

from deniable import _validate
from deniable.errors import InvalidArgument

_CHECKS: dict[str, Callable[[float, str], float]] = {
    "gamma": lambda value, what: _validate.at_least_one(_validate.finite(value, what), what),
    "max_posterior": _validate.open_probability,
    "attack_success": _validate.open_probability,
    "advantage": lambda value, what: _validate.open_probability(value, what) if value else 0.0,
    "identifiability": _validate.open_probability,
    "epsilon": _validate.positive,
}


@attrs.frozen
class Target:
    """What the adversary may come to believe, or a budget outright.

    Parameters
    ----------
    kind : str
        "gamma", "max_posterior", "attack_success", "advantage", "identifiability" or "epsilon".
    value : float
        γ >= 1; a posterior, a success probability, an advantage, ρ in (0, 1); ε > 0.
    worlds : int, optional
        Number of possible worlds m >= 2, for, and only for, identifiability.

    Raises
    ------
    InvalidArgument
        If the value is out of its range or worlds is missing or out of place.

    Examples
    --------
    >>> Target("gamma", 2.0).value
    2.0
    """

    kind: str = attrs.field(validator=lambda _, __, kind: _validate.one_of(kind, _CHECKS, "target"))
    value: float = attrs.field()
    worlds: int | None = None

    @value.validator
    def _check_value(self, _: object, value: float) -> None:
        _CHECKS[self.kind](_validate.number(value, self.kind), self.kind)

    def __attrs_post_init__(self) -> None:
        if self.kind == "identifiability" and self.worlds is None:
            raise InvalidArgument(
                f"Expected `worlds` with `identifiability`, got identifiability={self.value} "
                "alone. Give `worlds`, the number of possible worlds."
            )
        if self.kind != "identifiability" and self.worlds is not None:
            raise InvalidArgument(
                f"Expected `worlds` with `identifiability` only, got it with `{self.kind}`. "
                "Leave `worlds` out."
            )
        object.__setattr__(self, "value", float(self.value) + 0.0)
        if self.worlds is not None:
            worlds = _validate.integer(self.worlds, "worlds", least=2)
            object.__setattr__(self, "worlds", worlds)

    def as_json(self) -> dict[str, Any]:
        """Kind and value, with the number of worlds where there is one."""
        return {"kind": self.kind, "value": self.value, "worlds": self.worlds}


@attrs.frozen
class Step:
    """One link of a derivation: the first notion gives the second by the theorem."""

    source: str
    target: str
    theorem: str

    def as_json(self) -> dict[str, str]:
        """The object of a certificate's derivation."""
        return {"from": self.source, "to": self.target, "theorem": self.theorem}
