"""Notions as text: ``pure-dp:1.0@add-remove`` to a value, and a wish such as ``approx-dp:1.0,?``.

A name, a colon and numbers in the order of `FORMS`; then words after ``@`` that say which reading
is meant. In a wish numbers may be missing, or ``?``; what is missing is asked for.
"""

import re
from collections.abc import Iterable, Mapping
from typing import Any, cast

import attrs

from deniable.errors import InvalidArgument, validate
from deniable.errors.public_names import nearest
from deniable.notions import (
    ZCDP,
    Adjacency,
    Advantage,
    Adversary,
    ApproxDP,
    AttackSuccess,
    BaselineRisk,
    BayesianDP,
    BayesianSemantic,
    FalseNegativeRate,
    GaussianDP,
    GaussianMembershipInference,
    Identifiability,
    KAnonymity,
    MaxPosterior,
    MembershipInference,
    NegativeMembership,
    NoisyGradient,
    Notion,
    OneSidedDP,
    Phase,
    PopulationPosterior,
    PopulationPrivacy,
    PositiveMembership,
    PosteriorGain,
    PosteriorRatio,
    PredictiveValue,
    PrivacyCurve,
    PrivacyLossTail,
    PureDP,
    SamplingDP,
    Semantic,
    Setting,
    Side,
)
from deniable.priors import BoundedPriors, CorrelatedPriors, OneOutOfPriors, SampledPriors


@attrs.frozen
class Form:
    """How a notion is written: its word, its numbers in order, and which of them are claims.

    The smaller a claim, the stronger the guarantee, but for those in `larger`; the other fields
    say what is claimed of.
    """

    notion: type
    word: str
    numbers: tuple[str, ...]
    claims: tuple[str, ...]
    required: int
    larger: tuple[str, ...] = ()

    def weakness(self, name: str, value: float) -> float:
        """A claim's number, or its negative: the smaller, the stronger."""
        return -value if name in self.larger else value

    @property
    def fields(self) -> tuple[str, ...]:
        """The names of all fields of the notion."""
        return tuple(field.name for field in attrs.fields(self.notion))

    @property
    def example(self) -> str:
        """The notion's word with its numbers' names."""
        return f"{self.word}:{','.join(self.numbers[: self.required])}"


def _form(notion: type, word: str, numbers: str, claims: str, optional: str = "") -> Form:
    names, extra = tuple(numbers.split()), tuple(optional.split())
    return Form(notion, word, names + extra, tuple(claims.split()), len(names))


FORMS: tuple[Form, ...] = (
    _form(PureDP, "pure-dp", "epsilon", "epsilon"),
    _form(OneSidedDP, "one-sided-dp", "epsilon", "epsilon"),
    _form(ApproxDP, "approx-dp", "epsilon delta", "epsilon delta"),
    _form(ZCDP, "zcdp", "rho", "rho"),
    _form(GaussianDP, "gaussian-dp", "mu", "mu slack", "slack"),
    _form(PrivacyLossTail, "privacy-loss-tail", "epsilon exceedance", "epsilon exceedance"),
    _form(SamplingDP, "sampling-dp", "beta epsilon", "epsilon delta", "delta"),
    _form(KAnonymity, "k-anonymity", "k", ""),
    _form(BayesianDP, "bayesian-dp", "epsilon", "epsilon"),
    _form(PositiveMembership, "positive-membership", "gamma", "gamma exceedance", "exceedance"),
    _form(NegativeMembership, "negative-membership", "gamma", "gamma"),
    _form(MaxPosterior, "max-posterior", "posterior", "posterior exceedance", "exceedance"),
    _form(Identifiability, "identifiability", "rho worlds", "rho exceedance", "exceedance"),
    _form(Semantic, "semantic", "epsilon", "epsilon", "records"),
    _form(BayesianSemantic, "bayesian-semantic", "epsilon", "epsilon"),
    _form(PosteriorRatio, "posterior-ratio", "ratio", "ratio"),
    _form(PosteriorGain, "posterior-gain", "gain", "gain"),
    _form(AttackSuccess, "attack-success", "probability", "probability"),
    _form(Advantage, "advantage", "value", "value"),
    _form(PredictiveValue, "predictive-value", "value fpr nonmembers", "value"),
    attrs.evolve(
        _form(FalseNegativeRate, "false-negative-rate", "fnr fpr", "fnr"), larger=("fnr",)
    ),
    _form(BaselineRisk, "baseline-risk", "success baseline", "success"),
    _form(PopulationPrivacy, "population", "epsilon", "epsilon delta", "delta size"),
    _form(
        PopulationPosterior, "population-posterior", "epsilon delta share", "epsilon delta", "size"
    ),
    _form(MembershipInference, "membership-inference", "eta", "eta"),
    _form(GaussianMembershipInference, "gaussian-membership-inference", "mu", "mu"),
    _form(NoisyGradient, "noisy-gradient", "dimension batch clip noise susceptibility", ""),
    _form(PrivacyCurve, "privacy-curve", "sample_rate noise_multiplier steps", ""),
)

_USUAL = {
    "exceedance": 0.0,
    "records": None,
    "size": None,
    "candidates": None,
    "independent": False,
    "every_parent_set": True,
    "then": (),
}
"""What a wish leaves out and would rather not see: exceptions, and readings that say less."""

OTHER_NAMES = {
    "puredp": "pure-dp", "dp": "pure-dp", "epsilon-dp": "pure-dp", "eps-dp": "pure-dp",
    "differential-privacy": "pure-dp", "ldp": "pure-dp", "epsilon": "pure-dp",
    "approxdp": "approx-dp", "adp": "approx-dp", "approximate-dp": "approx-dp",
    "epsilon-delta-dp": "approx-dp", "concentrated-dp": "zcdp", "cdp": "zcdp", "rho": "zcdp",
    "gdp": "gaussian-dp", "mu-gdp": "gaussian-dp", "gaussian": "gaussian-dp", "mu": "gaussian-dp",
    "pmp": "positive-membership", "membership-privacy": "positive-membership",
    "gamma": "positive-membership", "nmp": "negative-membership", "posterior": "max-posterior",
    "attack": "attack-success", "success": "attack-success", "mi": "membership-inference",
    "mia": "membership-inference", "bdp": "bayesian-dp", "bsp": "bayesian-semantic",
    "di": "identifiability", "ppv": "predictive-value", "kanonymity": "k-anonymity",
    "population-privacy": "population", "fnr": "false-negative-rate", "dp-sgd": "privacy-curve",
    "dpsgd": "privacy-curve", "training": "privacy-curve",
}  # fmt: skip
"""Words of others for our notions."""

_BARE = re.compile(r"\d+(?:[.]\d+)?")
_NUMBER = r"\d+(?:\.\d+)?(?:e[-+]?\d+)?"
_READINGS = {"@addremove": "@add-remove", "@unbounded": "@add-remove", "@bounded": "@replace-one"}
_INTERVAL = re.compile(f"({_NUMBER})-({_NUMBER})")

_THEN = "then-"
"""What further phases of a training stand behind."""

_BY_WORD = {form.word: form for form in FORMS}
_BY_TYPE = {form.notion: form for form in FORMS}


def form_of(notion: type) -> Form:
    """How a kind of notion is written."""
    return _BY_TYPE[notion]


@attrs.frozen
class Wish:
    """What a derivation is to end in: a kind of notion, and the fields that are fixed.

    `preferred` names what a field should hold where several values are reachable.
    """

    form: Form
    fixed: Mapping[str, Any]
    preferred: Mapping[str, Any] = attrs.field(factory=dict)


def parse(text: str, adversary: Adversary | None = None) -> Notion:
    """The notion that a text names.

    Parameters
    ----------
    text : str
        Name, numbers and words, as in ``sampling-dp:0.1,1.0`` or ``pure-dp:1@add-remove``.
    adversary : BoundedPriors, …, optional
        The family that membership notions without a family of their own speak of; the upper
        end of its interval is the prior of a ``max-posterior`` without one. Any belief by default.

    Raises
    ------
    InvalidArgument
        If the name is unknown, a number is missing or out of range, or a word does not fit.

    Examples
    --------
    >>> parse("pure-dp:1@add-remove").spec
    'pure-dp:1.0@add-remove'
    """
    form, numbers, traits = _split(text)
    missing = [name for name in form.numbers[: form.required] if numbers.get(name) is None]
    if missing or None in numbers.values():
        raise InvalidArgument(
            f"Expected {form.example}, got {text!r}. Give {', '.join(missing) or 'every number'}."
        )
    family = adversary or BoundedPriors()
    if "adversary" in form.fields:
        traits.setdefault("adversary", family)
        if isinstance(traits["adversary"], SampledPriors):
            traits.setdefault("adjacency", Adjacency.ADD_REMOVE)
    if "prior" in form.fields:
        traits.setdefault("prior", _high(family))
    return cast(Notion, form.notion(**numbers, **traits))


def wish(text: str, adversary: Adversary | None = None) -> Wish:
    """What a text asks for; without a family of its own it asks for that of `adversary`.

    With all its numbers it is one statement, the one that `parse` reads, and what it leaves out
    means what it means there. With numbers missing, likelihood notions without a word after ``@``
    mean replace-one and data of every size; of the others whichever reading turns out strongest.

    Examples
    --------
    >>> wish("approx-dp:1.0,?").fixed["epsilon"]
    1.0
    """
    form, numbers, traits = _split(text)
    if all(numbers.get(x) is not None for x in (*form.numbers[: form.required], *numbers)):
        return exactly(parse(text, adversary))
    fixed = {name: value for name, value in numbers.items() if value is not None} | traits
    if form.notion in (PureDP, ApproxDP, ZCDP, GaussianDP, PrivacyLossTail):
        fixed.setdefault("adjacency", Adjacency.REPLACE_ONE)
        if "records" in form.fields:
            fixed.setdefault("records", None)
    preferred: dict[str, Any] = {}
    if "adversary" in form.fields and "adversary" not in fixed:
        place = fixed if adversary is not None else preferred
        place["adversary"] = adversary or BoundedPriors()
    if "prior" in form.fields and adversary is not None:
        fixed.setdefault("prior", _high(adversary))
    for name, usual in _USUAL.items():
        if name in form.fields and name not in numbers:
            preferred[name] = usual
    return Wish(form, fixed, preferred)


def exactly(notion: Notion) -> Wish:
    """The wish for one notion and nothing weaker."""
    return Wish(form_of(type(notion)), attrs.asdict(notion, recurse=False))


def _high(adversary: Adversary) -> float:
    return adversary.high if isinstance(adversary, BoundedPriors) else 1.0


def _split(text: str) -> tuple[Form, dict[str, float | int | None], dict[str, Any]]:
    head, *words = text.strip().split("@")
    name, colon, row = head.partition(":")
    if name not in _BY_WORD:
        raise InvalidArgument(
            f"Expected a notion such as pure-dp:1.0, got {text!r}. {_meant(name, text)}"
        )
    form = _BY_WORD[name]
    values = row.split(",") if colon else []
    if len(values) > len(form.numbers):
        raise InvalidArgument(
            f"Expected at most {len(form.numbers)} numbers in {form.example}, got {text!r}."
        )
    numbers = {key: _number(value, text) for key, value in zip(form.numbers, values, strict=False)}
    traits = _traits(form, words, text)
    if twice := sorted(numbers.keys() & traits.keys()):
        raise InvalidArgument(
            f"Expected {twice[0]} once, got it among the numbers and after @ in {text!r}."
        )
    return form, numbers, traits


def _meant(name: str, text: str) -> str:
    """The notion that may be meant by a name that is not known."""
    if _BARE.fullmatch(text.strip()):
        return f"Write what it is a number of, such as pure-dp:{text.strip()}."
    word, equals, rest = name.partition("=")
    near = nearest(word.removesuffix("-privacy"), _BY_WORD, OTHER_NAMES)
    if near is None:
        return "See deniable derive --list for all of them."
    return f"Did you mean {near}:{rest}?" if equals else f"Did you mean {near}?"


def _number(value: str, text: str) -> float | int | None:
    if value.strip() == "?":
        return None
    try:
        return int(value) if re.fullmatch(r"\s*\d+\s*", value) else float(value)
    except ValueError:
        head, _, _ = text.partition(":")
        example = f" Write {_BY_WORD[head].example}." if head in _BY_WORD else ""
        raise InvalidArgument(f"Expected a number, got {value!r} in {text!r}.{example}") from None


def _traits(form: Form, words: Iterable[str], text: str) -> dict[str, Any]:
    traits: dict[str, Any] = {}
    for word in words:
        name, value = _trait(form, word)
        if name not in form.fields or name in traits:
            known = [f"@{each}" for each in _words(form)]
            near = nearest(f"@{word}", known, _READINGS)
            remedy = f"Did you mean {near}?" if near else f"Known: {', '.join(known) or 'none'}."
            raise InvalidArgument(
                f"Expected words that fit {form.word}, got @{word} in {text!r}. {remedy}"
            )
        traits[name] = value
    return traits


def _words(form: Form) -> list[str]:
    """Words without a number that may stand after @ in a notion."""
    return [
        str(value)
        for name, values in (("side", Side), ("adjacency", Adjacency), ("setting", Setting))
        if name in form.fields
        for value in values
    ]


def _trait(form: Form, word: str) -> tuple[str, Any]:
    for name, values in (("side", Side), ("adjacency", Adjacency), ("setting", Setting)):
        if name in form.fields and word in list(values):
            return name, values(word)
    if word.startswith(_THEN):
        return "then", tuple(_phase(row, word) for row in word.removeprefix(_THEN).split("/"))
    if interval := _INTERVAL.fullmatch(word):
        return _interval(form, float(interval[1]), float(interval[2]), word)
    match word.split("-"):
        case ["independent"]:
            return "independent", True
        case ["every", "parent", "set"]:
            return "every_parent_set", True
        case ["records", records] if records.isdecimal():
            return "records", int(records)
        case ["candidates", count] if count.isdecimal():
            return "candidates", int(count)
        case ["correlated"]:
            return "adversary", CorrelatedPriors()
        case ["correlated", "scalable"]:
            return "adversary", CorrelatedPriors(downward_scalable=True)
        case ["one", "of", worlds] if worlds.isdecimal():
            return "adversary", OneOutOfPriors(int(worlds))
    rate = word.removeprefix("sampled-")
    if rate != word and (number := _number(rate, word)) is not None:
        return "adversary", SampledPriors(validate.open_probability(number, "rate"))
    return word, None


def _phase(row: str, word: str) -> Phase:
    """A further phase of a training: q, σ and T, as the first one is written."""
    numbers = [_number(value, row) for value in row.split(",")]
    if len(numbers) != 3 or None in numbers:
        raise InvalidArgument(
            f"Expected sample_rate,noise_multiplier,steps of each further phase, got @{word}."
        )
    return Phase(sample_rate=numbers[0], noise_multiplier=numbers[1], steps=numbers[2])


def _interval(form: Form, low: float, high: float, word: str) -> tuple[str, Any]:
    """Beliefs in [low, high]: a family, or the prior that starts no higher than `high`."""
    if "prior" not in form.fields:
        return "adversary", BoundedPriors(low, high)
    if low:
        raise InvalidArgument(
            f"Expected an interval of beliefs that begins at 0 in {form.word}, got @{word}. "
            f"Write @0-{high:g}."
        )
    return "prior", high
