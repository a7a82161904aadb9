"""What an audit found, as one frozen value."""

import math
from collections.abc import Iterator
from contextlib import suppress
from typing import Any, Literal, TypeAlias

import attrs

from deniable.errors import InvalidArgument, NoDerivation, NotApplicable, validate
from deniable.notions import Advantage, ApproxDP, AttackSuccess, PopulationPrivacy, Setting
from deniable.notions.notation import parse
from deniable.numerics.answer import Answer, display, fields_of
from deniable.numerics.bound import Bound, Evidence
from deniable.numerics.effort import Effort
from deniable.numerics.rounding import directed, lower, upper
from deniable.theorems.attacks import attack_success_to_advantage
from deniable.theorems.derive import derive

DEFAULT_DELTA = 1e-6
"""δ at which a claim without one, such as zcdp, is read: the default of `deniable training`."""
PARENT_SET = "parent-set"
"""The neighbours of population privacy: samples of a parent set with a record and without it."""
_CHANGES = {
    "replace-one": "The target's data sets have one size",
    "add-remove": "One of the target's data sets has a record more",
    PARENT_SET: "The target's data are samples of a parent set",
}
ADJACENCIES = tuple(_CHANGES)
"""What the bit of an audit may tell apart."""


@attrs.frozen
class Claim:
    """A claim as it is written, and what it says at δ.

    ε and δ are of (ε, δ)-differential privacy, or of population privacy; `curve` has other pairs
    that it implies, where it has no δ of its own and none is given.
    """

    text: str
    epsilon: float
    delta: float
    curve: tuple[tuple[float, float], ...] = attrs.field(default=(), repr=False)


def claim(text: str, adjacency: str, delta: float | None = None) -> Claim:
    """The ε and δ of a claim between such neighbours."""
    # `delta` is the claim's own if it has one, else 0 where that follows, else 1e-6.
    notion: Any = parse(text)
    if delta == 1:
        raise InvalidArgument("Expected 0 <= delta < 1, got delta=1.0. It would allow everything.")
    if isinstance(notion, AttackSuccess):
        notion = attack_success_to_advantage(notion)
    if isinstance(notion, Advantage):
        # An advantage is δ at ε = 0: both are the largest difference of two probabilities.
        if (PARENT_SET if notion.setting is Setting.POPULATION else notion.setting) != adjacency:
            raise _silent(text, adjacency)
        if notion.value == 1:
            raise _silent(text, adjacency)
        if delta is not None and delta < notion.value:
            raise InvalidArgument(
                f"Expected no delta, or one of at least {notion.value!r}, with {text}, got "
                f"delta={delta!r}. An advantage says nothing of smaller ones; leave it out."
            )
        return Claim(text, 0.0, notion.value if delta is None else delta)
    if getattr(notion, "delta", 0.0) == 1 or getattr(notion, "epsilon", 0.0) == math.inf:
        raise _silent(text, adjacency)
    word = "population" if adjacency == PARENT_SET else "approx-dp"
    suffix = "" if adjacency == PARENT_SET else f"@{adjacency}"
    own = getattr(notion, "delta", None)
    tried = [delta] if delta is not None else [own] if own is not None else [0.0, DEFAULT_DELTA]
    for each in tried:
        at = validate.probability(each, "delta")
        try:
            target = derive(notion, f"{word}:?,{at!r}{suffix}").target
        except NoDerivation:
            continue
        if isinstance(target, ApproxDP | PopulationPrivacy):
            has_curve = len(tried) > 1 and at and isinstance(target, ApproxDP)
            curve = tuple(_curve(notion, suffix)) if has_curve else ()
            return Claim(text, target.epsilon, at, curve)
    raise _silent(text, adjacency)


def _curve(notion: Any, suffix: str) -> Iterator[tuple[float, float]]:
    """Pairs (ε, δ) that a claim without a δ of its own implies."""
    # ε, natural logarithm, at which a claim without δ is read, too: most is seen where δ is large.
    for epsilon in (0.0, 0.25, 0.5, 1.0, 2.0, 4.0):
        try:
            target = derive(notion, f"approx-dp:{epsilon!r},?{suffix}").target
        except NoDerivation:
            continue
        if isinstance(target, ApproxDP) and target.delta < 1:
            yield target.epsilon, target.delta


def claimed_adjacency(text: str) -> str:
    """Return the neighbours between which a claim is made."""
    notion: Any = parse(text)
    if isinstance(notion, PopulationPrivacy):
        return PARENT_SET
    said = getattr(notion, "adjacency", None) or getattr(notion, "setting", Setting.REPLACE_ONE)
    return PARENT_SET if said == Setting.POPULATION else str(said)


def _silent(text: str, adjacency: str) -> InvalidArgument:
    """Refuse a claim that says nothing of such neighbours, and show what may be meant."""
    own, instead = claimed_adjacency(text), None
    remedy = "It allows everything, or bounds no ε; `deniable derive` shows what follows from what."
    if own == PARENT_SET:
        remedy = "It is about samples of a parent set, which `size` draws in Python."
    elif own != adjacency:
        meant = f"{text.replace(f'@{own}', '')}@{adjacency}"
        with suppress(InvalidArgument):
            claim(meant, adjacency)
            remedy, instead = f"{_CHANGES[adjacency]}: did you mean {meant}?", (text, meant)
    return InvalidArgument(
        f"Expected a claim that says something of neighbours by {adjacency}, got {text!r}. "
        f"{remedy}",
        instead=instead,
    )


Verdict: TypeAlias = Literal["consistent", "violated", "inconclusive"]
Subject: TypeAlias = Literal["differential privacy", "population privacy", "one training run"]


NOT_RANDOM = "not-random"
"""The finding about answers that are the same in every run, whatever the data."""
EXACT = "exact"
"""The finding about answers that are the same in every run on the same data, and differ."""


@attrs.frozen
class Finding:
    """Something that a number of privacy does not say, such as noise whose low bits tell.

    `name` is the same in every audit, and `breaks` says whether it alone refutes the claim.
    """

    name: str
    sentence: str
    breaks: bool


@attrs.frozen
class RatePoint:
    """One cut of the attack's score on the runs kept for the test.

    `fpr` and `tpr` are the shares of runs without and with the record in which the attack says
    "in"; their ends are of a region that holds for all points of a curve at once with the audit's
    confidence.
    """

    fpr: float
    tpr: float
    fpr_lower: float
    fpr_upper: float
    tpr_lower: float
    tpr_upper: float


@attrs.frozen
class RecordFound:
    """What the attack reached against one record of many.

    `right` of all `guesses` in the runs kept for the test; `found` is a lower limit of ε that holds
    for all listed records at once, natural logarithm.
    """

    record: int
    right: int
    guesses: int
    found: float


def limit_found(limit: float, runs: int, effort: Effort) -> Bound:
    """A lower limit of ε from so many runs, with the confidence that was asked for."""
    sure, seed = effort.confidence, effort.seed
    return Bound(limit, math.inf, Evidence.CONFIDENCE, confidence=sure, draws=runs, seed=seed)


@attrs.frozen(repr=False)
class Audit(Answer):
    """How far the best attack got, beside what was claimed and what could have been seen.

    `verdict` is "violated" where, except with probability (1 - confidence)/1000, the claim is
    false; "consistent" where nothing contradicts it and the runs were enough to see the claimed ε;
    else "inconclusive". `subject` is what ε is about, `claimed` the claim as written on the command
    line, `claimed_epsilon` its ε at `delta`, natural logarithm; `adjacency` is "add-remove",
    "replace-one" or "parent-set".

    `visible` is the lower limit that a perfect attack would show with this many runs: half the time
    on the leakiest target that keeps the claim, so that `found` may be above it by chance, or where
    the claim is false; or, without a claim, on one that hides nothing. ε is at least `found.lower`
    with probability `confidence`, by `right` of all `guesses` of `attack`; nothing is known from
    above.

    Of `runs`, pilot runs included, `pilot` only taught the attack and its cut; they are fewer than
    were asked for where bets refuted the claim before. About `decides` runs would decide, where the
    verdict is inconclusive and some number does. `curve` is by rising false positives, with cuts
    from pilot runs; `worst` are the records found worst, worst first; empty for one record.
    """

    verdict: Verdict
    subject: Subject
    claimed: str | None
    claimed_epsilon: float | None
    delta: float
    adjacency: str
    visible: float
    found: Bound
    runs: int
    pilot: int
    right: int
    guesses: int
    confidence: float
    attack: str
    decides: int | None = None
    curve: tuple[RatePoint, ...] = ()
    worst: tuple[RecordFound, ...] = ()
    findings: tuple[Finding, ...] = ()

    @property
    def belief_claimed(self) -> float | None:
        """The largest share of bets at even odds that the claim allows to be right."""
        return None if self.claimed_epsilon is None else self._share(self.claimed_epsilon)[1]

    @property
    def belief_visible(self) -> float:
        """The share that a perfect attack could have shown."""
        return self._share(self.visible)[1]

    @property
    def belief_found(self) -> float:
        """The share of right bets that the attack proved: at least so large."""
        return self.share(self.found.lower)

    def believed(self, prior: float) -> float:
        """What somebody who believed `prior` may believe at least after the worst outcome."""
        # Of membership or of its contrary, whichever the target gives away more.
        with directed() as r:
            p, e = r(validate.probability(prior, "prior")), r.exp(-r(self.found.lower))
            return max(lower(p / (p + (1 - p) * e)), 0.0) if prior else 0.0

    def share(self, epsilon: float) -> float:
        """The share of bets at even odds that are right at least where ε is at least this."""
        return self._share(epsilon)[0]

    def _share(self, epsilon: float) -> tuple[float, float]:
        """(e^ε + δ)/(1 + e^ε), rounded down and up."""
        with directed() as r:
            e = r.exp(-r(epsilon))
            share = (1 + r(self.delta) * e) / (1 + e)
            return max(lower(share), 0.0), min(upper(share), 1.0)

    def as_json(self) -> dict[str, Any]:
        """The object that the command line prints."""
        claim = ("verdict", "claimed", "claimed_epsilon", "delta", "adjacency", "subject")
        beliefs = {key: getattr(self, f"belief_{key}") for key in ("claimed", "visible", "found")}
        runs = ("runs", "pilot", "right", "guesses", "attack", "decides")
        return {
            **fields_of(self, *claim, "visible", "found"),
            "beliefs": beliefs,
            **fields_of(self, *runs, "findings", "worst", "curve"),
        }

    def plot(self) -> Any:
        """Runs with the record that the attack flags, by the share of those without it.

        An Altair chart of the attack on the runs kept for the test, a region that holds its whole
        true curve, and dashed what no attack passes if the claim is true; needs the extra publish.
        """
        if not self.curve:
            raise NotApplicable(
                "Expected an attack's rates to draw, got none. Ask for more runs, or leave the "
                "claim out: an audit that ends early has no curve."
            )
        return display(self, "plot")
