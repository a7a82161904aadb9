"""Values by name that are made when one is asked for: tests take their names while collecting."""

from collections.abc import Callable, Iterator, Mapping
from typing import Generic, TypeVar

Value = TypeVar("Value")


class Lazily(Mapping[str, Value], Generic[Value]):
    """Each value is made once, by the function of its name."""

    def __init__(self, makers: Mapping[str, Callable[[], Value]]) -> None:
        self._makers = dict(makers)
        self._values: dict[str, Value] = {}

    def __getitem__(self, name: str) -> Value:
        if name not in self._values:
            self._values[name] = self._makers[name]()
        return self._values[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._makers)

    def __len__(self) -> int:
        return len(self._makers)

    def __or__(self, other: "Lazily[Value]") -> "Lazily[Value]":
        names = {**dict.fromkeys(self, self), **dict.fromkeys(other, other)}
        return Lazily({name: lambda name=name, of=of: of[name] for name, of in names.items()})
