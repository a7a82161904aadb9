"""The words that sentences of certificates had in formats 1 and 2, before 2.1.

A check states every sentence again. earlier_words.json has each of today's templates beside the one
before: so an old certificate is compared with its own words, letter by letter.
"""

import re
from functools import cache
from typing import Any, TypeVar

import attrs

from deniable.certificate.json_documents import read_packaged_schema
from deniable.certificate.model import Sentence

S = TypeVar("S")

_SAYS = {
    "assumptions", "not_covered", "on_trust", "population", "sentence", "study_adversary", "unit",
}  # fmt: skip
"""Fields of certificates, and of their parts, that hold sentences."""


def in_earlier_words(said: S) -> S:
    """Return a certificate, a part of one or a sentence in the words of formats 1 and 2.

    >>> in_earlier_words("Their memberships may be tied in any way.")
    'Whether they are in the data may be tied in any way.'
    """
    made: Any = said
    if isinstance(said, str):
        for pattern, before in _templates():
            made = pattern.sub(before, made)
        made = said.about.says(made) if isinstance(said, Sentence) else made
    elif isinstance(said, tuple):
        made = tuple(map(in_earlier_words, said))
    elif attrs.has(type(made)):
        names = {each.name for each in attrs.fields(type(made))}.intersection(_SAYS)
        made = attrs.evolve(made, **{name: in_earlier_words(getattr(made, name)) for name in names})
    return made  # type: ignore[no-any-return]


@cache
def _templates() -> list[tuple[re.Pattern[str], str]]:
    """Each template of today as a pattern, and the earlier one as what replaces it."""
    value, pairs = re.compile(r"\\?\{(\w+)\\?\}"), read_packaged_schema("earlier_words.json")
    return [
        (re.compile(value.sub(r"(?P<\1>.+?)", re.escape(today)), re.DOTALL),
         value.sub(r"\\g<\1>", before))
        for today, before in pairs
    ]  # fmt: skip
