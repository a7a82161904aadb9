"""Notions as text: ``pure-dp:1.0@add-remove`` to a value, and a wish such as ``approx-dp:1.0,?``.

A name, a colon and numbers in the order of `FORMS`, or each with its name, as in
``approx-dp:epsilon=1,delta=1e-6``; then words after ``@`` that say which reading is meant. In a
wish all numbers may be missing, or some be ``?``; what is missing is asked for.
"""

import itertools
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, TypeAlias, cast

import attrs

from deniable.errors import InvalidArgument, validate
from deniable.errors.public_names import nearest, plain
from deniable.errors.validate import in_full
from deniable.notions import (
    ZCDP,
    Adjacency,
    Advantage,
    Adversary,
    ApproxDP,
    ApproxZCDP,
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
    RenyiDP,
    SamplingDP,
    Semantic,
    Setting,
    Side,
    TradeOffCurve,
)
from deniable.notions._fields import Written
from deniable.notions.adversaries import (
    BoundedPriors,
    CorrelatedPriors,
    OneOutOfPriors,
    SampledPriors,
)
from deniable.notions.households import HouseholdMembers, Households
from deniable.notions.other_words import ALIASES, LOCAL, SIGNS, TIMES, advise, short


@attrs.frozen
class Form:
    """How a notion is written: its word, its numbers in order, and which of them are claims.

    The smaller a claim, the stronger the guarantee, but for those in `larger`; the other fields
    say what is claimed of. Instead of numbers there may be rows of them, in the field `rows`.
    """

    notion: type
    word: str
    numbers: tuple[str, ...]
    claims: tuple[str, ...]
    required: int
    larger: tuple[str, ...] = ()
    rows: str = ""

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
        if self.rows:
            return f"{self.word}:alpha,beta/alpha,beta/..."
        return f"{self.word}:{','.join(self.numbers[: self.required])}"


def _form(notion: type[Written], claims: str = "", unneeded: str = "", larger: str = "") -> Form:
    word, always, sometimes = notion.word_and_numbers()
    required = len(always) - len(unneeded.split())
    numbers = (*always, *sometimes)
    return Form(notion, word, numbers, tuple(claims.split()), required, tuple(larger.split()))


FORMS: tuple[Form, ...] = (
    _form(PureDP, "epsilon"),
    _form(OneSidedDP, "epsilon"),
    _form(ApproxDP, "epsilon delta"),
    _form(ZCDP, "rho"),
    _form(ApproxZCDP, "rho delta"),
    _form(RenyiDP, "epsilon"),
    _form(GaussianDP, "mu slack"),
    _form(PrivacyLossTail, "epsilon exceedance"),
    _form(SamplingDP, "epsilon delta"),
    _form(KAnonymity),
    _form(BayesianDP, "epsilon"),
    _form(PositiveMembership, "gamma exceedance"),
    _form(NegativeMembership, "gamma"),
    _form(MaxPosterior, "posterior exceedance"),
    _form(Identifiability, "rho exceedance"),
    _form(Semantic, "epsilon"),
    _form(BayesianSemantic, "epsilon"),
    _form(PosteriorRatio, "ratio"),
    _form(PosteriorGain, "gain"),
    _form(AttackSuccess, "probability"),
    _form(Advantage, "value"),
    _form(PredictiveValue, "value"),
    _form(FalseNegativeRate, "fnr", larger="fnr"),
    _form(BaselineRisk, "success"),
    _form(PopulationPrivacy, "epsilon delta", unneeded="delta"),
    _form(PopulationPosterior, "epsilon delta"),
    _form(MembershipInference, "eta"),
    _form(GaussianMembershipInference, "mu"),
    _form(NoisyGradient),
    _form(PrivacyCurve),
    Form(TradeOffCurve, "trade-off", (), (), 0, rows="points"),
)

_USUAL = {
    "exceedance": 0.0,
    "records": None,
    "size": None,
    "candidates": None,
    "independent": False,
    "households": None,
    "every_parent_set": True,
    "then": (),
    "also": (),
}
"""What a wish leaves out and would rather not see: exceptions, and readings that say less."""

_LIKELIHOODS = (
    PureDP, ApproxDP, ZCDP, ApproxZCDP, RenyiDP, GaussianDP, PrivacyLossTail, TradeOffCurve,
)  # fmt: skip
"""What means replace-one where a wish says no adjacency."""

_PLAIN_DP = {0: "approx-dp", 1: "pure-dp", 2: "approx-dp"}
"""What ``dp`` and ``differential-privacy`` mean with so many numbers."""

_NUMBER = r"(?:\d+(?:\.\d+)?|\.\d+)(?:e[-+]?\d+)?"
_READINGS = {"@addremove": "@add-remove", "@unbounded": "@add-remove", "@bounded": "@replace-one"}
_HOUSEHOLDS = re.compile(rf"households-(\d+)(?:-(odds-ratio|icc|difference)-({_NUMBER}))?")
_INTERVAL = re.compile(f"({_NUMBER})-({_NUMBER})")

_THEN = "then-"
"""What further phases of a training stand behind."""
_ALSO = "also-"
"""What further orders of a Rényi divergence stand behind."""

_BY_WORD = {form.word: form for form in FORMS}
_BY_TYPE = {form.notion: form for form in FORMS}
_NUMBERS = {form.word: form.numbers for form in FORMS}


def form_of(notion: type) -> Form:
    """How a kind of notion is written."""
    return _BY_TYPE[notion]


@attrs.frozen
class Wish:
    """What a derivation is to end in: a kind of notion, with fixed and with preferred fields."""

    form: Form
    fixed: Mapping[str, Any]
    preferred: Mapping[str, Any] = attrs.field(factory=dict)


Guarantee: TypeAlias = str | Notion
"""A guarantee as a value, or as it is written."""

_MOST_RELEASES = 1000
"""Releases that one word may stand for: more than anybody publishes of the same people."""


def read(guarantee: Guarantee | object, adversary: Adversary | None = None) -> Notion:
    """A guarantee as a value, which it is already or as which its text is read."""
    if isinstance(guarantee, str):
        return parse(guarantee, adversary)
    if type(guarantee) in _BY_TYPE:
        return cast(Notion, guarantee)
    if isinstance(guarantee, int | float) and not isinstance(guarantee, bool):
        return parse(repr(guarantee), adversary)
    raise InvalidArgument(
        "Expected a guarantee, as a value or written such as pure-dp:1.0, got "
        f"{type(guarantee).__name__}."
    )


def read_all(
    guarantees: Guarantee | Iterable[Guarantee] | object, adversary: Adversary | None = None
) -> tuple[Notion, ...]:
    """One guarantee or several, as values; an error proposes what to write for each wrong one."""
    notions, wrong = [], []
    for each in listed(guarantees):
        try:
            notions.append(read(each, adversary))
        except InvalidArgument as error:
            wrong.append(error)
    if wrong:
        first, *others = wrong
        first.besides = tuple(each.instead for each in others if each.instead is not None)
        raise first
    return tuple(notions)


def listed(guarantees: Guarantee | Iterable[Guarantee] | object) -> list[Any]:
    """One guarantee or several, as they were given."""
    several = isinstance(guarantees, Iterable) and not isinstance(guarantees, str | bytes)
    return list(cast(Iterable[Any], guarantees)) if several else [guarantees]


def repeat(guarantees: Iterable[object]) -> list[Any]:
    """Each release's guarantee: ``3*zcdp:0.1`` is that of three."""
    releases: list[Any] = []
    for each in guarantees:
        times = TIMES.match(each) if isinstance(each, str) else None
        if times is None or not isinstance(each, str):
            releases.append(each)
            continue
        digits = times[1].lstrip("0") or "0"
        if len(digits) > len(str(_MOST_RELEASES)) or not 0 < int(digits) <= _MOST_RELEASES:
            raise InvalidArgument(
                f"Expected a number of releases from 1 to {_MOST_RELEASES:,}, got {each!r}."
            )
        releases += [each[times.end() :]] * int(digits)
    return releases


def parse(text: str, adversary: Adversary | None = None) -> Notion:
    """The notion that a text names, as in ``sampling-dp:0.1,1.0`` or ``pure-dp:1@add-remove``."""
    try:
        return _parse(text, adversary)
    except InvalidArgument as error:
        _settle(error, text, lambda right: _parse(right, adversary))
        raise


_PROPOSALS = 3
"""Mistakes in one word that are mended together: its name, its numbers, and one more."""


def _settle(error: InvalidArgument, text: str, reading: Callable[[str], object]) -> None:
    """Let an error propose in place of a text only what can be read."""
    proposed = error.instead
    for _ in range(_PROPOSALS):
        if proposed is None:
            break
        try:
            reading(proposed[1])
        except InvalidArgument as second:
            proposed = second.instead
        else:
            error.instead = text, proposed[1]
            return
    error.instead = None


def _parse(text: str, adversary: Adversary | None) -> Notion:
    # Membership notions without a family of their own speak of `adversary`'s, any belief by
    # default; the upper end of its interval is the prior of a ``max-posterior`` without one.
    form, numbers, traits = _split(text)
    missing = [name for name in form.numbers[: form.required] if numbers.get(name) is None]
    missing += [form.rows] * (form.rows not in (*traits, ""))
    if missing or None in numbers.values():
        raise InvalidArgument(
            f"Expected {form.example}, got {text!r}. Give {', '.join(missing) or 'every number'}.",
            instead=(text, _with_usual_numbers(form, numbers, text)),
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
    """What a text asks for; without a family of its own it asks for that of `adversary`."""
    if plain(text.partition(":")[0].partition("@")[0]) in LOCAL:
        raise InvalidArgument(
            f"Expected a notion such as pure-dp, got {text!r}. Only each person's own report has "
            "local differential privacy, and no guarantee of a whole release gives it."
        )
    try:
        return _wish(text, adversary)
    except InvalidArgument as error:
        _settle(error, text, lambda right: _wish(right, adversary))
        raise


def _wish(text: str, adversary: Adversary | None) -> Wish:
    # With all its numbers it is one statement, the one that `parse` reads, and what it leaves out
    # means what it means there. With numbers asked for, likelihood notions without a word after @
    # mean replace-one and data of every size; of the others whichever reading turns out strongest.
    # Refused where of several numbers only some are written, so that it is not clear which:
    # approx-dp:1e-6 is refused, and approx-dp:?,1e-6 is a wish.
    form, numbers, traits = _split(text)
    needed = (*form.numbers[: form.required], *numbers)
    has_rows = form.rows in ("", *traits)
    if has_rows and all(numbers.get(x) is not None for x in needed):
        return exactly(_parse(text, adversary))
    _check_which_is_meant(form, numbers, text)
    fixed = {name: value for name, value in numbers.items() if value is not None} | traits
    if form.notion in _LIKELIHOODS:
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


def _check_which_is_meant(form: Form, numbers: Mapping[str, Any], text: str) -> None:
    """Refuse some of the numbers that are needed where each might be one of several."""
    needed = form.numbers[: form.required]
    given = {name: value for name, value in numbers.items() if value is not None}
    if not numbers or set(needed) <= numbers.keys() or not given.keys() & set(form.claims):
        return
    if _is_named(text):
        return
    spellings = [
        (each, missing) for each, missing in _spellings(form, list(given.values()), text) if missing
    ]
    if not spellings:
        usual = example_wish(form, text.split("@")[1:])
        raise InvalidArgument(
            f"Expected {form.example}, got {text!r}. Write the other numbers too, as in {usual}.",
            instead=(text, usual),
        )
    ways = ", or ".join(f"{each}, which asks for {' and '.join(x)}" for each, x in spellings)
    count = f"{len(needed)} numbers in {form.example}"
    raise InvalidArgument(
        f"Expected {count}, or ? for those that are wanted, got {text!r}. Write {ways}.",
        instead=(text, spellings[0][0]),
    )


def _spellings(form: Form, values: list[Any], text: str) -> Iterator[tuple[str, list[str]]]:
    """Every way to put numbers in their order among ?, and what it asks for; last places first."""
    # Only claims are asked for, and only what can be such a number stands in a place.
    needed = form.numbers[: form.required]
    _, *words = text.strip().split("@")
    for places in reversed(list(itertools.combinations(needed, len(values)))):
        row = dict(zip(places, values, strict=True))
        missing = [name for name in needed if name not in row]
        if set(missing) <= set(form.claims) and all(_can_be(form, *pair) for pair in row.items()):
            numbers = ",".join("?" if name in missing else short(row[name]) for name in needed)
            yield "@".join([f"{form.word}:{numbers}", *words]), missing


def _can_be(form: Form, name: str, value: float) -> bool:
    """Whether a number may stand in a place, for what that place holds."""
    converter = getattr(attrs.fields_dict(form.notion)[name], "converter", None)
    try:
        if converter is not None:
            converter(value)
    except InvalidArgument:
        return False
    return value < 1 if name in _RARE else True


_RARE = ("delta", "exceedance")
"""Probabilities that nobody would state as 1."""

USUAL_NUMBERS: Mapping[str, Any] = {
    "epsilon": 1, "delta": "1e-6", "exceedance": "1e-6", "rho": 0.1, "mu": 1, "worlds": 100,
    "fpr": 0.01, "fnr": 0.95, "nonmembers": 10, "beta": 0.1, "gamma": 2, "posterior": 0.5,
    "k": 5, "ratio": 2, "gain": 0.1, "probability": 0.6, "value": 0.1, "share": 0.5, "eta": 0.1,
    "dimension": 100, "batch": 50, "clip": 1, "noise": 1, "susceptibility": 3,
    "sample_rate": 0.01, "noise_multiplier": 1, "steps": 1000, "order": 2,
    "success": 0.6, "baseline": 0.1,
}  # fmt: skip
"""What an example writes for a number that is not there."""


USUAL_ROWS = "0,1/0.25,0.25/1,0"
"""The same for a curve: of pure DP with a ratio of 3."""


def _with_usual_numbers(form: Form, numbers: Mapping[str, Any], text: str) -> str:
    """A statement with all that it needs, of which numbers that were not given are examples."""
    if form.rows:
        return "@".join([f"{form.word}:{USUAL_ROWS}", *text.strip().split("@")[1:]])
    row = [numbers.get(name) for name in form.numbers[: form.required]]
    filled = [
        str(USUAL_NUMBERS[name]) if value is None or value != value else short(value)
        for name, value in zip(form.numbers, row, strict=False)
    ]
    _, *words = text.strip().split("@")
    return "@".join([f"{form.word}:{','.join(filled)}", *words])


def example_wish(form: Form, words: Iterable[str] = (), exceedance: float | None = None) -> str:
    """A wish that asks for the claims of a notion, and says what else it has to say."""
    # Of two claims that are traded against each other, the first is asked for. An exceedance that
    # may be left out is stated where one is given.
    if form.rows:
        return "@".join([form.word, *words])
    names = form.numbers[: form.required]
    if exceedance is not None and "exceedance" in form.numbers:
        names = form.numbers[: form.numbers.index("exceedance") + 1]
    claimed = [name for name in names if name in form.claims]
    traded = {name for name in claimed[1:] if name in _RARE}
    numbers = dict(USUAL_NUMBERS)
    if exceedance is not None:
        numbers["exceedance"] = short(exceedance)
    row = ["?" if name in claimed and name not in traded else str(numbers[name]) for name in names]
    return "@".join([f"{form.word}:{','.join(row)}", *words])


def _split(text: str) -> tuple[Form, dict[str, float | int | None], dict[str, Any]]:
    head, *words = text.strip().split("@")
    name, colon, row = head.partition(":")
    values = row.split(",") if colon else []
    # The form that a name stands for: its word in any case, or a name of that notion only.
    word = plain(name)
    if word in ("dp", "differential-privacy"):
        word = _PLAIN_DP.get(len(values), "")
    form = _BY_WORD.get(ALIASES.get(word, word))
    if form is None:
        advice, right = advise(name, row, words, text, _NUMBERS)
        raise InvalidArgument(
            f"Expected a notion such as pure-dp:1.0, got {text!r}. {advice}",
            instead=None if right is None else (text, right),
        )
    if form.rows:
        return form, {}, _traits(form, words, text) | _rows(form, row, text)
    if len(values) > len(form.numbers):
        raise InvalidArgument(
            f"Expected at most {len(form.numbers)} numbers in {form.example}, got {text!r}. Write "
            "decimals behind a point, and each guarantee as a word of its own."
        )
    numbers = _numbers(form, values, text)
    traits = _traits(form, words, text)
    if twice := sorted(numbers.keys() & traits.keys()):
        raise InvalidArgument(
            f"Expected {twice[0]} once, got it among the numbers and after @ in {text!r}."
        )
    return form, numbers, traits


def _rows(form: Form, row: str, text: str) -> dict[str, Any]:
    """Pairs of numbers between strokes; none where they are asked for."""
    if row.strip() in ("", "?"):
        return {}
    rows = [[_number(value, text) for value in pair.split(",")] for pair in row.split("/")]
    if any(len(pair) != 2 or None in pair for pair in rows):
        raise InvalidArgument(f"Expected {form.example}, got {text!r}. Write pairs of numbers.")
    return {form.rows: rows}


def _is_named(text: str) -> bool:
    """Whether numbers have their names."""
    return "=" in text.partition("@")[0].partition(":")[2]


def _numbers(form: Form, values: list[str], text: str) -> dict[str, float | int | None]:
    """The numbers by their names, which are those of their places where none is written."""
    if not _is_named(text):
        return {key: _number(value, text) for key, value in zip(form.numbers, values, strict=False)}
    numbers: dict[str, float | int | None] = {}
    for each in values:
        name, equals, value = (part.strip() for part in each.partition("="))
        key = nearest(name, form.numbers, SIGNS) if equals else None
        if key is None or key in numbers:
            raise InvalidArgument(
                f"Expected names of numbers such as {form.numbers[0]}=1, each once, got "
                f"{each.strip()!r} in {text!r}. They are {', '.join(form.numbers)}."
            )
        numbers[key] = _number(value, text)
    return numbers


def _number(value: str, text: str) -> float | int | None:
    if value.strip() == "?":
        return None
    try:
        number = int(value) if re.fullmatch(r"\s*\d+\s*", value) else float(value)
    except ValueError:
        head, _, _ = text.partition(":")
        usual = _with_usual_numbers(_BY_WORD[head], {}, head) if head in _BY_WORD else ""
        example = f" Write numbers in digits, as in {usual}." if usual else ""
        raise InvalidArgument(f"Expected a number, got {value!r} in {text!r}.{example}") from None
    if not number and re.search("[1-9]", re.split("[eE]", value)[0]):
        raise InvalidArgument(
            f"Expected 0 or a number >= 5e-324, the least in 64 bits, got {value!r} in {text!r}.",
            instead=(text, text.replace(value, "5e-324")),
        )
    return number


_CHOICES = (("side", Side), ("adjacency", Adjacency), ("setting", Setting))
"""Fields whose words may stand after @ without a number."""


def _traits(form: Form, words: Iterable[str], text: str) -> dict[str, Any]:
    traits: dict[str, Any] = {}
    for word in words:
        name, value = _trait(form, word)
        if name not in form.fields or name in traits:
            kinds = [values for name, values in _CHOICES if name in form.fields]
            known = [f"@{each}" for values in kinds for each in values]
            near = nearest(f"@{word}", known, _READINGS)
            remedy = f"Did you mean {near}?" if near else f"Known: {', '.join(known) or 'none'}."
            raise InvalidArgument(
                f"Expected words that fit {form.word}, got @{word} in {text!r}. {remedy}"
            )
        traits[name] = value
    return traits


def _trait(form: Form, word: str) -> tuple[str, Any]:
    for name, values in _CHOICES:
        if name in form.fields and word in list(values):
            return name, values(word)
    if word.startswith(_THEN):
        names, rows = "sample_rate,noise_multiplier,steps", word.removeprefix(_THEN).split("/")
        phases = (_row(row, word, names, "phase") for row in rows)
        return "then", tuple(Phase(sigma, rate, steps) for rate, sigma, steps in phases)
    if word.startswith(_ALSO):
        rows = word.removeprefix(_ALSO).split("/")
        return "also", tuple(_row(row, word, "order,epsilon", "order") for row in rows)
    if together := _HOUSEHOLDS.fullmatch(word):
        size, model, value = together.groups()
        ties = {model.replace("-", "_"): float(value)} if model else {}
        return "households", Households(int(size), **ties)
    if word == HouseholdMembers().suffix[1:]:
        return "households", HouseholdMembers()
    if interval := _INTERVAL.fullmatch(word):
        # Beliefs in [low, high]: a family, or the prior that starts no higher than `high`.
        low, high = float(interval[1]), float(interval[2])
        if "prior" not in form.fields:
            return "adversary", BoundedPriors(low, high)
        if low:
            raise InvalidArgument(
                f"Expected an interval of beliefs that begins at 0 in {form.word}, got @{word}. "
                f"Write @0-{in_full(high)}."
            )
        return "prior", high
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


def _row(row: str, word: str, names: str, what: str) -> list[Any]:
    """The numbers of a further phase, or of a further order, written as the first are."""
    numbers = [_number(value, row) for value in row.split(",")]
    if len(numbers) != len(names.split(",")) or None in numbers:
        raise InvalidArgument(f"Expected {names} of each further {what}, got @{word}.")
    return numbers
