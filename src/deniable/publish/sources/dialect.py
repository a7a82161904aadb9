"""How a CSV file is written, and what its texts mean, as a plan declares it; nothing is guessed."""

from collections.abc import Mapping

import attrs

from deniable.numerics.frozen_map import FrozenMap

ENCODINGS = (
    "utf-8",
    "utf-16",
    "utf-16-le",
    "utf-16-be",
    "latin-1",
    *(f"iso-8859-{part}" for part in range(1, 17) if part != 12),  # there is no twelfth
    *(f"windows-{page}" for page in range(1250, 1259)),
    "cp437",
    "cp850",
    "mac-roman",
)
"""None of them has states, so that one row's bytes never change what another row's mean."""

SPACES = " \t\n\r\v\f\u00a0"
"""What `trim` takes away at both ends: spaces, tabs, line breaks, the space that does not break."""


@attrs.frozen
class Dialect:
    """How a CSV file is written.

    Parameters
    ----------
    delimiter : str or None
        Between two values, one ASCII character; None: a tab in .tsv, else a comma.
    quote : str
        Around texts, one ASCII character; empty: none, every mark is text.
    escape : str
        Before a quotation mark within such a text: the mark itself, or another character.
    encoding : str
        One of `ENCODINGS`.
    decimal, thousands : str
        In numbers; thousands may be empty: digits stand without a break.
    date_format, timestamp_format : str or None
        In the signs of strptime; None: as ISO 8601 writes it.
    columns : tuple of str or None
        Names of the columns of a file without a header; None: the first line names them.
    """

    delimiter: str | None = None
    quote: str = '"'
    escape: str = '"'
    encoding: str = "utf-8"
    decimal: str = "."
    thousands: str = ""
    date_format: str | None = None
    timestamp_format: str | None = None
    columns: tuple[str, ...] | None = None


def _read_only(recode: Mapping[str, Mapping[str, str]]) -> Mapping[str, Mapping[str, str]]:
    return FrozenMap({name: FrozenMap(texts) for name, texts in recode.items()})


@attrs.frozen
class Cleaning:
    """What becomes of a column's texts before anything else sees them, in this order.

    Parameters
    ----------
    trim : tuple of str
        Columns whose texts lose the spaces at both ends.
    fold : tuple of str
        Columns whose letters become lower case, one by one.
    recode : mapping
        Columns to a mapping of texts to others; a text that is not in it stays.

    Examples
    --------
    >>> cleaning = Cleaning(trim=("sex",), fold=("sex",), recode={"sex": {"f": "female"}})
    >>> [cleaning.cleaned("sex", text) for text in (" F", "Female", "x")]
    ['female', 'female', 'x']
    """

    trim: tuple[str, ...] = ()
    fold: tuple[str, ...] = ()
    recode: Mapping[str, Mapping[str, str]] = attrs.field(factory=dict, converter=_read_only)

    @property
    def columns(self) -> tuple[str, ...]:
        """Every column that is cleaned, once."""
        return tuple(dict.fromkeys((*self.trim, *self.fold, *self.recode)))

    def spelled(self, column: str, text: str) -> str:
        """The text without what `trim` and `fold` take away: what the keys of `recode` must be."""
        text = text.strip(SPACES) if column in self.trim else text
        return "".join(map(_lower, text)) if column in self.fold else text

    def cleaned(self, column: str, text: str) -> str:
        """What becomes of a text."""
        spelled = self.spelled(column, text)
        return self.recode.get(column, {}).get(spelled, spelled)

    def leaves(self, column: str, text: str) -> bool:
        """Whether a text can still be there afterwards, and not only be compared in vain."""
        known = self.recode.get(column, {})
        return text in known.values() or self.cleaned(column, text) == text


def _lower(letter: str) -> str:
    return letter.lower() if len(letter.lower()) == 1 else letter.lower()[0]
