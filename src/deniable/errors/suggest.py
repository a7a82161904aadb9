"""What a user may have meant by a word that is not known."""

import difflib
from collections.abc import Iterable, Mapping

_NEAR = 0.7
"""Share of letters in common from which a word is taken for a slip; 0.6 offers strangers."""

_BEGUN = 3
"""Letters from which the beginning of a word stands for it, as in "eps"."""


def nearest(word: str, known: Iterable[str], meant: Mapping[str, str] | None = None) -> str | None:
    """The known word that a user may have meant, or nothing.

    Capitals, underscores and spaces do not count. Words of `meant` come next, then words that are
    begun, then slips of the keyboard. A word that only one choice begins with stands for it.

    Parameters
    ----------
    word : str
        What was written.
    known : iterable of str
        What may stand there.
    meant : mapping, optional
        Words that others use for a known one, in lower case with hyphens.

    Examples
    --------
    >>> nearest("Add_Remove", ["add-remove", "replace-one"])
    'add-remove'
    >>> nearest("average", ["mean", "sum"], {"average": "mean"})
    'mean'
    """
    choices = {plain(choice): choice for choice in sorted(known)}
    written = plain(word)
    if written in choices:
        return choices[written]
    if (other := plain((meant or {}).get(written, ""))) in choices:
        return choices[other]
    begun = [choice for choice in choices if len(written) >= _BEGUN and choice.startswith(written)]
    if len(begun) == 1:
        return choices[begun[0]]
    near = difflib.get_close_matches(written, choices, n=1, cutoff=_NEAR)
    return choices[near[0]] if near else None


def plain(word: str) -> str:
    """A word without what people write in different ways: capitals, spaces, underscores."""
    return word.strip().casefold().replace("_", "-").replace(" ", "-")
