"""Words of others for our notions: read as ours where they mean one, and else explained."""

import json
import os
import re
from collections.abc import Mapping, Sequence
from decimal import ROUND_CEILING, Context, Decimal, InvalidOperation
from pathlib import Path

from deniable.errors.public_names import nearest, plain

WORDS = json.loads(Path(__file__).with_name("other_words.json").read_text("utf-8"))


def _meanings(of: str) -> dict[str, str]:
    return {word: ours for ours, words in WORDS[of].items() for word in words}


ALIASES = _meanings("aliases")
"""Other names of one notion and of no other: they are read as it."""
OTHER_NAMES = ALIASES | _meanings("questions")
"""Words of others for our notions; where one may mean several, it only gets a question."""
LOCAL: Sequence[str] = WORDS["local"]
"""Names of local differential privacy, which each person's own report has."""
SIGNS = _meanings("signs")
"""Letters for numbers."""
_BARE = re.compile(r"\d+(?:[.]\d+)?")
TIMES = re.compile(r"\s*(\d+)\s*[*×xX]\s*(?=\D)")
"""Several releases in one word, as in ``3*zcdp:0.1``."""


def short(value: float) -> str:
    """A number as people write it: 1e-6, and not 1e-06."""
    return repr(value).replace("e-0", "e-").removesuffix(".0")


_FILE = re.compile(r"[^:]*(?:[/\\]|[.][A-Za-z]+\Z)[^:]*|[A-Za-z]:[/\\].*")


def advise(
    name: str, row: str, words: Sequence[str], text: str, known: Mapping[str, Sequence[str]]
) -> tuple[str, str | None]:
    """What to say of a name that is not known, and what may be meant in place of the text.

    The text is `name`, a colon, `row` and `words` after @; `known` are our words with the names
    of their numbers.
    """
    written, word = text.strip(), plain(name)
    if _BARE.fullmatch(written):
        right = f"pure-dp:{written}"
        return f"Write what it is a number of, such as {right}.", right
    if times := TIMES.match(written):
        return f"That is {times[1]} releases: compose adds them up.", None
    if word in LOCAL:
        right = written.replace(name, "pure-dp", 1)
        said = "Local differential privacy of each person's report is, of one record, pure-dp."
        return f"{said} Write {right}.", right
    if word in WORDS["noises"]:
        noise, gives, norm = WORDS["noises"][word]
        return _advise_noise(noise, gives, norm, row, known)
    if "=" in name:
        pairs = [pair.partition("=") for pair in name.split(",")]
        numbers = {nearest(key, _NAMED, SIGNS): value.strip() for key, _, value in pairs}
        given = sorted(filter(None, numbers))
        meant = next((each for each, of in WORDS["by_numbers"].items() if of == given), None)
        if meant is not None and len(numbers) == len(pairs):
            order = known[meant]
            values = ",".join(numbers[key] for key in order if key in numbers)
            right = "@".join([f"{meant}:{values}", *words])
            return f"Did you mean {right}?", right
    if _FILE.fullmatch(written) or os.path.isdir(written):
        if os.path.exists(written):
            return "Type deniable risk; of a trainer's history, deniable training explain.", None
        return f"There is no file {written}.", None
    word, _, value = name.partition("=")
    if (near := nearest(word.removesuffix("-privacy"), known, OTHER_NAMES)) is None:
        return "See deniable derive --list for all of them.", None
    right = near + written.removeprefix(word).replace("=", ":", 1)
    return f"Did you mean {near}:{value}?" if value else f"Did you mean {near}?", right


_NAMED = ("epsilon", "delta", "rho", "mu", "gamma")
"""Numbers by which people call a guarantee."""


def _advise_noise(
    noise: str, word: str, norm: str, row: str, known: Mapping[str, Sequence[str]]
) -> tuple[str, str | None]:
    """Which guarantee a noise gives: its number may be the noise's scale or the guarantee's."""
    try:
        scale = Decimal(row.strip())
    except InvalidOperation:
        scale = Decimal(1)
    if not (scale.is_finite() and scale > 0):
        scale = Decimal(1)
    claim = Context(prec=_DIGITS, rounding=ROUND_CEILING).divide(Decimal(1), scale)
    right = f"{word}:{short(float(claim))}"
    said = f"{noise} is no guarantee, but gives one"
    scaled = f"with a scale of {scale} times the {norm} sensitivity it is {right}"
    if scale == 1:
        return f"{said}: {scaled}.", right
    return f"{said}: {scaled}. If {scale} is {known[word][0]}, write {word}:{scale}.", None


_DIGITS = 4
"""Digits of the numbers in a proposed guarantee, which is an example to type."""
