"""Guests: what distributions register by entry points, each loaded when something names it.

A name that two distributions register is refused, and so is a guest that cannot be loaded. Only
those who name it see the refusal. No distribution replaces what Deniable itself registers.
"""

from __future__ import annotations

import functools
import sys
import warnings
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import attrs

from deniable.errors.late import LeftOut, NotInstalled, metadata

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

_OURS = "deniable"
"""The distribution whose guests no other replaces."""


@attrs.frozen
class Guest:
    """A name of a group, and the entry points that register it: several only where they clash."""

    points: tuple[EntryPoint, ...]

    @property
    def place(self) -> str:
        """The module, and what it calls the guest."""
        return self.points[0].value

    @property
    def is_ours(self) -> bool:
        """Whether Deniable itself registers it."""
        return _distribution(self.points[0]) == _OURS

    def load(self) -> Any:
        """Return what is registered.

        Raises
        ------
        NotInstalled
            If two distributions register the name, or the guest cannot be loaded.
        """
        return self.attempt(self.points[0].load)

    def make(self) -> Any:
        """Return what the registered class or function gives; `NotInstalled` as for `load`."""
        return self.attempt(lambda: self.points[0].load()())

    def attempt(self, act: Callable[[], Any]) -> Any:
        """Do what needs the guest; an error names its distribution and its type."""
        point = self.points[0]
        if len(self.points) > 1:
            names = " and ".join(sorted(map(_distribution, self.points)))
            raise NotInstalled(
                f"Expected one distribution that registers {point.name!r} under {point.group}, "
                f"got {names}. Uninstall all but one."
            )
        try:
            return act()
        except (MemoryError, NotInstalled):
            raise
        except (Exception, SystemExit) as error:
            reason, remedy = type(error).__name__, "Repair or uninstall that distribution."
            if isinstance(error, ModuleNotFoundError):
                reason, remedy = f"no module {error.name}", "Install what brings that module."
            raise NotInstalled(
                f"Expected {point.name!r} under {point.group}, which the distribution "
                f"{_distribution(point)} registers, to load, got {reason}. {remedy}"
            ) from error


def guests(group: str) -> Mapping[str, Guest]:
    """Return what is registered under a group of entry points, by name; nothing is loaded."""
    return _guests_of(group, tuple(sys.path))


@functools.lru_cache(maxsize=4)  # a search takes hundredths of a second, for one group or for all
def _search(_path: tuple[str, ...]) -> Any:
    return metadata.entry_points()


@functools.lru_cache(maxsize=32)  # more than groups
def _guests_of(group: str, path: tuple[str, ...]) -> Mapping[str, Guest]:
    points: dict[str, list[EntryPoint]] = {}
    for each in sorted(_search(path).select(group=group), key=lambda point: point.name):
        points.setdefault(each.name, []).append(each)
    registered = {}
    for name, clashing in points.items():
        ours = [each for each in clashing if len(clashing) > 1 and _distribution(each) == _OURS]
        registered[name] = Guest(tuple(ours or clashing))
    return MappingProxyType(registered)


def make_all(group: str) -> dict[str, Any]:
    """Return what each guest of a group gives; warn of those that are refused, and leave them out.

    For what asks every guest whether it has something to say, so that none is named.
    """
    made = {}
    for name, guest in guests(group).items():
        try:
            made[name] = guest.make()
        except NotInstalled as error:
            warnings.warn(f"Left out: {error}", LeftOut, stacklevel=2)
    return made


def _distribution(point: EntryPoint) -> str:
    return "an unknown one" if point.dist is None else point.dist.name
