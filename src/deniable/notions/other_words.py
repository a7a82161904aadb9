"""Words of others for our notions: read as ours where they mean one, and else explained."""

import re
from collections.abc import Mapping, Sequence
from decimal import ROUND_CEILING, Context, Decimal, InvalidOperation

from deniable.errors.public_names import nearest, plain

ALIASES = {
    "puredp": "pure-dp", "epsilon-dp": "pure-dp", "eps-dp": "pure-dp",
    "approxdp": "approx-dp", "approximate-dp": "approx-dp", "epsilon-delta-dp": "approx-dp",
    "eps-delta-dp": "approx-dp", "rho-zcdp": "zcdp", "renyi-dp": "rdp",
    "gdp": "gaussian-dp", "mu-gdp": "gaussian-dp",
    "fnr": "false-negative-rate", "ppv": "predictive-value",
    "f-dp": "trade-off", "fdp": "trade-off", "tradeoff": "trade-off",
    "pmp": "positive-membership", "nmp": "negative-membership",
}  # fmt: skip
"""Other names of one notion and of no other: they are read as it."""

OTHER_NAMES = ALIASES | {
    "dp": "pure-dp", "differential-privacy": "pure-dp", "epsilon": "pure-dp", "eps": "pure-dp",
    "ε": "pure-dp", "adp": "approx-dp", "concentrated-dp": "zcdp", "cdp": "zcdp", "rho": "zcdp",
    "ρ": "zcdp", "mu": "gaussian-dp", "μ": "gaussian-dp", "renyi": "rdp",
    "membership-privacy": "positive-membership", "gamma": "positive-membership",
    "γ": "positive-membership", "posterior": "max-posterior",
    "attack": "attack-success", "success": "attack-success", "mi": "membership-inference",
    "mia": "membership-inference", "bdp": "bayesian-dp", "bsp": "bayesian-semantic",
    "di": "identifiability", "kanonymity": "k-anonymity",
    "population-privacy": "population", "dp-sgd": "privacy-curve", "dpsgd": "privacy-curve",
    "training": "privacy-curve",
}  # fmt: skip
"""Words of others for our notions; where one may mean several, it only gets a question."""

LOCAL = ("ldp", "local-dp", "local", "local-differential-privacy")
"""Names of local differential privacy, which each person's own report has."""

_NOISES = {
    "laplace": ("Laplace noise", "pure-dp", "L1"),
    "lap": ("Laplace noise", "pure-dp", "L1"),
    "discrete-laplace": ("Discrete Laplace noise", "pure-dp", "L1"),
    "geometric": ("Discrete Laplace noise", "pure-dp", "L1"),
    "gaussian": ("Gaussian noise", "gaussian-dp", "L2"),
    "gauss": ("Gaussian noise", "gaussian-dp", "L2"),
    "normal": ("Gaussian noise", "gaussian-dp", "L2"),
}
"""Noises that people write for a guarantee: what they are, what they give, and their norm."""

_BY_NUMBERS = {
    ("epsilon",): "pure-dp", ("delta", "epsilon"): "approx-dp", ("rho",): "zcdp",
    ("delta", "rho"): "approx-zcdp", ("mu",): "gaussian-dp", ("gamma",): "positive-membership",
}  # fmt: skip
"""The guarantee that is meant where only its numbers are written, as in ``eps=1``."""

SIGNS = {
    "ε": "epsilon", "δ": "delta", "μ": "mu", "µ": "mu", "ρ": "rho", "γ": "gamma",
    "η": "eta", "β": "beta", "alpha": "order", "α": "order", "eps": "epsilon",
}  # fmt: skip
"""Letters for numbers."""

_BARE = re.compile(r"\d+(?:[.]\d+)?")
TIMES = re.compile(r"\s*(\d+)\s*[*×]\s*(?=\D)")
"""Several releases in one word, as in ``3*zcdp:0.1``."""


def short(value: float) -> str:
    """A number as people write it: 1e-6, and not 1e-06."""
    return repr(value).replace("e-0", "e-").removesuffix(".0")


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
    if word in _NOISES:
        return _advise_noise(*_NOISES[word], row, known)
    if "=" in name:
        pairs = [pair.partition("=") for pair in name.split(",")]
        numbers = {nearest(key, _NAMED, SIGNS): value.strip() for key, _, value in pairs}
        meant = _BY_NUMBERS.get(tuple(sorted(filter(None, numbers))))
        if meant is not None and len(numbers) == len(pairs):
            order = known[meant]
            values = ",".join(numbers[key] for key in order if key in numbers)
            right = "@".join([f"{meant}:{values}", *words])
            return f"Did you mean {right}?", right
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
