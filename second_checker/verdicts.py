"""What was found of each place of a certificate, and the verdict that follows."""

from typing import Any

from . import numbers
from .schemas import Where, leaves, pointer, same


def place(where: Where) -> str:
    """A place without its indexes, such as /queries/*/name."""
    return pointer(tuple("*" if isinstance(key, int) else key for key in where))


class Findings:
    """Marks on the places of one certificate: no place is passed without one."""

    def __init__(self, certificate: dict[str, Any]) -> None:
        self.certificate = certificate
        self.marks: dict[Where, tuple[str, str]] = {}
        self.refused: list[str] = []
        self.missing: list[str] = []
        self.unopened: list[str] = []

    def value(self, where: Where) -> Any:
        """What the certificate says at a place; a key that is not there is ``None``."""
        value: Any = self.certificate
        for key in where:
            if isinstance(value, dict):
                value = value.get(key)
            elif isinstance(value, list) and isinstance(key, int) and key < len(value):
                value = value[key]
            else:
                return None
        return value

    def mark(self, where: Where, status: str, why: str = "") -> None:
        """Mark all places below one, where they have no mark yet."""
        for leaf in leaves(self.value(where), where):
            self.marks.setdefault(leaf, (status, why))

    def refuse(self, where: Where, why: str) -> None:
        """The certificate claims what does not follow."""
        self.refused.append(f"{pointer(where)}: {why}")
        self.mark(where, "refused", why)

    def state(self, where: Where, holds: bool, why: str) -> None:
        """A place was recomputed, and agrees or does not."""
        if holds:
            self.mark(where, "verified")
        else:
            self.refuse(where, why)

    def equal(self, where: Where, expected: Any) -> None:
        """A place says exactly what was computed."""
        self.state(where, same(self.value(where), expected, written=True), f"expected {expected!r}")

    def bound(self, where: Where, truth: Any) -> None:
        """A place claims an upper bound, rounded up and no further."""
        value = self.value(where)
        holds = isinstance(value, float) and numbers.claims(value, truth)
        self.state(where, holds, f"expected {truth.str(17, radius=False)}, rounded up")

    def skip(self, where: Where, what: str) -> None:
        """Say that something is not checked, on which no number of the guarantee rests."""
        self.mark(where, "not checked", what)

    def cannot(self, where: Where, what: str) -> None:
        """Say that something is not checked without which nothing is verified."""
        self.missing.append(f"{pointer(where)}: {what}")
        self.mark(where, "not checked", what)

    def complete(self, trust: dict[Where, dict[str, str]], planned: bool, folder: bool) -> None:
        """Mark what the schema leaves to trust; whatever has no mark then was not checked."""
        for where, marks in trust.items():
            why = marks.get("onTrust")
            if not planned:
                why = why or marks.get("onTrustWithoutPlan")
            if not folder:
                why = why or marks.get("onTrustWithoutFiles")
            if why:
                self.mark(where, "on trust", why)
        left = [leaf for leaf in leaves(self.certificate) if leaf not in self.marks]
        for leaf in left:
            self.mark(leaf, "not checked", "nothing here recomputes it")
        self.missing += dict.fromkeys(f"{place(leaf)}: nothing here recomputes it" for leaf in left)

    @property
    def verdict(self) -> str:
        """``refused``, ``cannot tell`` or ``verified``."""
        if self.refused:
            return "refused"
        return "cannot tell" if self.missing else "verified"

    def lines(self) -> list[str]:
        """What a person reads: each kind of place once."""
        counts: dict[tuple[str, str, str], int] = {}
        for leaf, (status, why) in self.marks.items():
            if status != "refused":
                key = (status, "/plan" if leaf[0] == "plan" else place(leaf), why)
                counts[key] = counts.get(key, 0) + 1
        lines = []
        for kind in ("verified", "on trust", "not checked"):
            for (status, where, why), number in counts.items():
                if status == kind:
                    times = f" ({number} values)" if number > 1 else ""
                    lines.append(f"{status}: {where}{times}" + (f": {why}" if why else ""))
        lines += [f"not checked: {each}" for each in self.unopened]
        lines += [f"cannot tell without: {each}" for each in self.missing]
        lines += [f"refused: {each}" for each in self.refused]
        return [*lines, self.verdict]
