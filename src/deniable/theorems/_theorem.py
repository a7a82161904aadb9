"""What a theorem is: an implication with its place in the literature and its parameter map."""

from collections.abc import Callable
from types import ModuleType
from typing import Any, TypeVar

import attrs

from deniable.numerics.bound import Evidence


@attrs.frozen
class Theorem:
    """One implication: a function that maps a guarantee to another one.

    `source` is its place in the literature and `states` its parameter map, in one line.
    `evidence` is ESTIMATE where the implication only holds approximately; a derivation never
    passes through such a theorem.
    """

    implication: Callable[..., Any]
    source: str
    states: str
    evidence: Evidence = Evidence.ENCLOSURE

    @property
    def name(self) -> str:
        """The function's name, `a_to_b`."""
        return self.implication.__name__

    @property
    def title(self) -> str:
        """Name and source, as a derivation prints it."""
        return f"{self.name} ({self.source})"

    @property
    def conclusion(self) -> type:
        """The notion that the function returns."""
        notion: type = self.implication.__annotations__["return"]
        return notion

    @property
    def premise(self) -> type:
        """The notion that the function takes first; of noise, the one that its law is read in."""
        first = next(iter(self.implication.__annotations__.values()))
        return first if isinstance(first, type) else self.conclusion


F = TypeVar("F", bound=Callable[..., Any])

_STATED: dict[str, list[Theorem]] = {}


def theorem(
    source: str, *, states: str, evidence: Evidence = Evidence.ENCLOSURE
) -> Callable[[F], F]:
    """Enter a function as a theorem; its signature says what it leads from and to."""

    def enter(implication: F) -> F:
        entry = Theorem(implication, source, states, evidence)
        _STATED.setdefault(implication.__module__, []).append(entry)
        return implication

    return enter


def theorems_of(subject: ModuleType) -> tuple[Theorem, ...]:
    """The theorems of a module, as they stand there."""
    return tuple(_STATED[subject.__name__])
