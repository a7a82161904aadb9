"""Every theorem, subject after subject; a new one joins derivations and laws by its decorator."""

import warnings

import attrs

from deniable.errors.late import LeftOut
from deniable.notions.notation import form_of
from deniable.numerics.answer import Answer, display
from deniable.numerics.bound import Evidence
from deniable.theorems._theorem import REFUSED, Theorem, subjects, theorems_of
from deniable.theorems._theorem import named as named

CATALOGUE: tuple[Theorem, ...] = tuple(
    each for subject in subjects() for each in theorems_of(subject)
)


@attrs.frozen(repr=False)
class Row(Answer):
    """One theorem: from, to, parameter map, place in the literature, what it rests on.

    `checked` names the theorems of proofs/ by which Coq has checked it; empty where none do.
    """

    name: str
    premise: str
    conclusion: str
    states: str
    source: str
    evidence: str
    checked: str

    @property
    def line(self) -> str:
        """Parameter map and place, with a warning at estimates; whether machine-checked."""
        warning = "" if self.evidence != Evidence.ESTIMATE.word else " [estimate]"
        return f"{self.states} [{self.source}]{warning}{' [machine-checked]' * bool(self.checked)}"

    def as_json(self) -> dict[str, str]:
        """The object of `deniable derive --list --json`."""
        return {
            "name": self.name,
            "from": self.premise,
            "to": self.conclusion,
            "map": self.states,
            "source": self.source,
            "evidence": self.evidence,
            "checked": self.checked,
        }


class Catalogue(tuple[Row, ...]):
    """Rows that are printed as one table."""

    __slots__ = ()

    def __str__(self) -> str:
        """A line a theorem, below the names of the columns."""
        return str(display(self, "text"))


def catalogue() -> Catalogue:
    """Return every theorem that `derive` uses or names, a row each, in the catalogue's order.

    Examples
    --------
    >>> rows = {row.name: row for row in catalogue()}
    >>> rows["pure_dp_to_zcdp"].premise, rows["pure_dp_to_zcdp"].conclusion
    ('pure-dp', 'zcdp')
    """
    for each in REFUSED.values():
        warnings.warn(f"Left out: {each}", LeftOut, stacklevel=2)
    return Catalogue(
        Row(
            each.name,
            form_of(each.premise).word,
            form_of(each.conclusion).word,
            each.states,
            each.source,
            each.evidence.word if each.evidence is Evidence.ESTIMATE else "proof",
            ",".join(each.checked),
        )
        for each in CATALOGUE
    )
