"""What a certificate says, statement by statement: one function each, of every kind of release."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from math import isfinite
from typing import Any

import attrs

from deniable.certificate.leaves import ON_TRUST, WITHOUT_FILES, WITHOUT_PLAN, leaves
from deniable.certificate.limits import describe_measured
from deniable.certificate.model import Certificate, CertifiedPart, NamedUnit, Topic
from deniable.certificate.tables import TableCertificate
from deniable.numerics.rounding import directed, upper
from deniable.pipeline.statements import (
    BELIEVED,
    BY_DEFINITION,
    CHARGED,
    EITHER,
    EVEN,
    KNOWLEDGE,
    MAY_KNOW,
    NEIGHBOURS,
    NEVER,
    OWNS_SEVERAL,
    RIGHT_BELIEFS,
    SEVERAL,
    SIGNATURE,
    SYMBOLS,
    TRUSTED,
    Figure,
    Statement,
    Status,
    Table,
    belief_figures,
    exactly,
    factor_figures,
    guess_figures,
    in_full,
    moves,
    mu_figures,
    on_trust,
    risk_statements,
    target_words,
)

_MOST = 60
"""Lines of one statement: a plan may have thousands of parts, and all stand in the certificate."""
_PARTS = ("/limits", "/queries", "/selection/part", "/statistics", "/counted/part", "/beacon")
"""Where certificates state their parts."""
_CHOICES = "noisy-top-k"
"""How mechanisms begin that choose and publish no number."""
_IN_SEVERAL = "A secret that stands in several units is not covered."
_BUT_OF_A_LIST = (
    "But those against somebody who knows the list of members hold only as long as the adversary "
    "knows nobody who was drawn."
)
_HISTORY = "The history is what was done."


@attrs.frozen
class _Certified:
    """A certificate that holds, and of each place why it is on trust, if it is."""

    certificate: Certificate
    reasons: Mapping[str, str | None]

    @classmethod
    def of(cls, certificate: Certificate) -> "_Certified":
        keywords = [ON_TRUST, WITHOUT_FILES]
        if certificate.is_first:
            keywords.append(WITHOUT_PLAN)
        return cls(certificate, leaves(certificate.SCHEMA, keywords))

    def worth(self, *places: str) -> dict[str, Any]:
        """Status and reason of what is said of some places of the certificate.

        What was asked for is an input and no claim: all else is recomputed from it.
        """
        known = [each for each in places if any(one.startswith(each) for one in self.reasons)]
        reasons = {why for place, why in self.reasons.items() if place.startswith(tuple(known))}
        if words := sorted(why for why in reasons if why and not why.startswith("asked for")):
            return {"status": Status.ON_TRUST, "how": "; ".join(words)}
        return {"how": f"deniable check recomputes {', '.join(known)}"}

    def uncovered(self, title: str, topic: Topic) -> Statement | None:
        """What the certificate says that it does not cover."""
        says = self.certificate.says_of(topic)
        return Statement(title, says, status=Status.NOT_COVERED) if says else None

    @property
    def before(self) -> str:
        """What is assumed of beliefs beforehand."""
        return " ".join(self.certificate.says_of(Topic.BELIEFS))

    @property
    def band(self) -> tuple[float, float]:
        """Both ends of what the adversary may believe before."""
        return self.certificate.adversary.low, self.certificate.adversary.high

    @property
    def claim(self) -> str:
        """What an adversary believes or not."""
        unit = self.certificate.unit
        if isinstance(unit, NamedUnit):
            return unit.claim
        word = unit.word or ("row" if unit.entity is None else f"“{unit.entity}”")
        return f"a given {word} is in the data"

    @property
    def parts(self) -> Iterator[tuple[str, CertifiedPart]]:
        """Everything with noise or public, by a name."""
        if isinstance(self.certificate, TableCertificate):
            for query in self.certificate.queries:
                yield from ((f"{query.name}, {part.label}", part) for part in query.parts)
        else:
            yield from ((part.label, part) for part in self.certificate.parts)

    @property
    def history(self) -> Sequence[Any]:
        """The steps of a training; none of any other release."""
        training = getattr(self.certificate, "training", None)
        return () if training is None else training.history


Said = Callable[[_Certified], Statement | None]
SAID: dict[str, Said] = {}
"""What is said of a certificate, by name; None of a kind of which it is not said."""


def _called(name: str) -> Callable[[Said], Said]:
    """Enter a function in the table of statements."""

    def entered(function: Said) -> Said:
        SAID[name] = function
        return function

    return entered


def of_certificate(
    certificate: Certificate,
    baselines: Sequence[float] | None = None,
    candidates: int | None = None,
) -> Table:
    """All that can be said of a release, by its certificate, as `check_certificate` gives it."""
    about = _Certified.of(certificate)
    said = {name: function(about) for name, function in SAID.items()}
    table = {name: statement for name, statement in said.items() if statement is not None}
    how = "CERTIFICATE" + "".join(f" --baseline {each!r}" for each in baselines or ())
    risks = risk_statements(lambda: certificate.notions, baselines, candidates, _IN_SEVERAL, how)
    return table | dict(risks)


SAID |= {
    "unit": lambda about: Statement(
        "What is protected",
        (about.certificate.unit.sentence,),
        (),
        OWNS_SEVERAL,
        **about.worth("/unit/sentence"),
    ),
    "neighbours": lambda about: Statement(
        f"Neighbours: {about.certificate.unit.adjacency}",
        (NEIGHBOURS[str(about.certificate.unit.adjacency)],),
        how="the definition by which every number here is computed",
    ),
    "together": lambda about: about.uncovered("Units that belong together", Topic.TOGETHER),
    "everybody": lambda about: about.uncovered("What is true of everybody", Topic.EVERYBODY),
    "choices": lambda about: about.uncovered(
        "What was chosen by looking at the data", Topic.CHOICES
    ),
    "target": lambda about: Statement(
        "What was asked for",
        target_words(
            about.certificate.target if about.certificate.has_target else None, *about.band
        ),
        (),
        RIGHT_BELIEFS,
        how="deniable check recomputes that it is met",
    ),
    "assumptions": lambda about: on_trust(
        "What it rests on",
        about.certificate.assumptions,
        "nobody can recompute that these are true; deniable check recomputes their words",
    ),
    "trusted parties": lambda _: TRUSTED,
    "access": lambda _: on_trust(
        "Who asks the data",
        (
            "It is published, for anybody to read: no reader asks the data anything, or sees how "
            "long an answer takes.",
        ),
        "how the data are held is not part of a release",
    ),
    "signature": lambda _: SIGNATURE,
    "noise": lambda about: on_trust(
        "Source of randomness",
        about.certificate.says_of(Topic.NOISE),
        "no published file can show how noise was drawn",
    ),
    "programs": lambda about: Statement(
        "Programs and their versions",
        tuple(f"{name} {version}" for name, version in about.certificate.versions.items()),
        **about.worth("/versions"),
    ),
    "date": lambda about: Statement(
        "When", (f"The certificate is of {about.certificate.created}.",), **about.worth("/created")
    ),
}


@_called("parameters")
def _parameters(about: _Certified) -> Statement:
    certificate, guarantee = about.certificate, about.certificate.guarantee
    figures = [Figure("ε", upper=guarantee.epsilon), Figure("δ", upper=guarantee.delta)]
    if about.history:
        variant = "Approximate DP, read off the exact curve of all steps."
    elif guarantee.rho is not None:
        word = "Approximate zero-concentrated" if guarantee.exposure else "Zero-concentrated"
        variant = f"{word} DP: ρ was spent, ε and δ follow from it."
        figures.insert(0, Figure("ρ", upper=guarantee.rho))
    else:
        variant = "Approximate DP." if guarantee.delta else "Pure DP."
        if not guarantee.delta and isfinite(guarantee.epsilon):
            is_added = str(certificate.unit.adjacency) == "add-remove"
            figures += mu_figures(guarantee.epsilon, "add-remove" if is_added else "replace-one")
    places = ("/guarantee/epsilon", "/guarantee/delta", "/guarantee/rho")
    return Statement("Privacy parameters", (variant,), tuple(figures), **about.worth(*places))


@_called("derivation")
def _derivation(about: _Certified) -> Statement:
    steps = about.certificate.derivation
    says = tuple(f"From {each.source} to {each.target}: {each.theorem}." for each in steps)
    says = says or ("The budget was set outright: there is nothing to derive.",)
    return Statement("Why it holds", says, **about.worth("/derivation"))


@_called("composition")
def _composition(about: _Certified) -> Statement:
    guarantee, title = about.certificate.guarantee, "What adds up within it"
    if about.history:
        steps = sum(each.steps for each in about.history)
        says = ("All steps of the training are composed as one, each seen by the adversary.",)
        worth = about.worth("/guarantee/epsilon")
        return Statement(title, says, (exactly("steps", steps),), _HISTORY, **worth)
    word, symbol = ("epsilon", "ε") if guarantee.rho is None else ("rho", "ρ")
    noisy = [part for _, part in about.parts if part.mechanism is not None]
    with directed() as r:
        shares = (Fraction(getattr(part, word)) for part in noisy)
        total = upper(r(sum(shares, Fraction(0))))
    figures = (
        Figure(f"{symbol}, sum of the shares", upper=total),
        Figure(f"{symbol}, whole budget", upper=getattr(guarantee, word)),
    )
    says = (f"The shares in {symbol} of all parts with noise are added up: {len(noisy):,}.",)
    return Statement(title, says, figures, **about.worth("/guarantee/epsilon", "/guarantee/rho"))


@_called("beliefs")
def _beliefs(about: _Certified) -> Statement:
    guarantee = about.certificate.guarantee
    figures = tuple(belief_figures(guarantee.loss, *about.band))
    how = "deniable explain, from the certificate's privacy loss"
    says = (moves(about.claim, guarantee.exceedance if guarantee.delta else 0.0),)
    return Statement(BELIEVED, says, figures, about.before, how=how)


@_called("factor")
def _factor(about: _Certified) -> Statement:
    guarantee = about.certificate.guarantee
    figures = factor_figures(guarantee.gamma, guarantee.gamma_outside, *about.band)
    places = about.worth("/guarantee/gamma", "/guarantee/gamma_outside")
    return Statement("By which factor a belief grows", (), figures, about.before, **places)


@_called("guess")
def _guess(about: _Certified) -> Statement:
    guarantee = about.certificate.guarantee
    figures = guess_figures(guarantee.attack_success, guarantee.advantage)
    places = about.worth("/guarantee/attack_success", "/guarantee/advantage")
    return Statement("Membership: who is in the data", (), figures, EVEN, **places)


@_called("exception")
def _exception(about: _Certified) -> Statement:
    guarantee, title = about.certificate.guarantee, "How rarely a limit on beliefs fails"
    places = about.worth("/guarantee/delta", "/guarantee/exceedance")
    if not guarantee.delta:
        return Statement(title, (NEVER,), **places)
    figures = (
        Figure("probability of an exception", upper=guarantee.exceedance),
        Figure("privacy loss that is passed so rarely", upper=guarantee.loss),
    )
    return Statement(title, (EITHER,), figures, about.before, **places)


@_called("tests")
def _tests(about: _Certified) -> Statement | None:
    training = getattr(about.certificate, "training", None)
    if training is None:
        return None
    rates, best = training.rates, training.advantage
    figures = (
        Figure(f"share missed, {in_full(rates.fpr)} of others pointed out", lower=rates.fnr),
        Figure("advantage of the best attack", best.lower, best.upper),
    )
    says = ("Whoever points out records of the training, and some others by mistake.",)
    rests = f"The attacker sees every step, and knows all other records. {_HISTORY}"
    places = about.worth("/training/fnr", "/training/advantage")
    return Statement("What attacks on the model miss", says, figures, rests, **places)


@_called("population")
def _population(about: _Certified) -> Statement | None:
    statement = getattr(about.certificate, "population", None)
    if statement is None:
        return None
    block = statement.as_json()
    belief, prior = block["posterior"], block["posterior"]["prior"]
    figures = (
        Figure("population ε", upper=block["population_epsilon"]["upper"]),
        Figure(f"belief afterwards, of {in_full(prior)} before", belief["lower"], belief["upper"]),
        Figure("right guesses at even odds", upper=block["attack_success"]),
    )
    return Statement(
        "Against somebody who knows the list of members and nobody who was drawn",
        (f"{block['drawn']:,} of {block['members']:,} members were drawn.",),
        figures,
        " ".join((block["sentence"], *block["on_trust"])),
        **about.worth("/population/population_epsilon/upper"),
    )


@_called("knowledge")
def _knowledge(about: _Certified) -> Statement:
    has_list = getattr(about.certificate, "population", None) is not None
    says = (KNOWLEDGE, _BUT_OF_A_LIST) if has_list else (KNOWLEDGE,)
    return Statement(MAY_KNOW, says, (), about.before, how=BY_DEFINITION)


@_called("several releases")
def _several_releases(about: _Certified) -> Statement:
    block, others = about.certificate.ledger, about.certificate.says_of(Topic.OTHER_RELEASES)
    if block is None:
        says = ("It was charged to no ledger: nothing here says what else was published.", *others)
        return Statement(SEVERAL, says, status=Status.NOT_COVERED)
    says = (
        f"All releases from “{block.dataset}” share one budget. What may be believed after all of "
        "them: deniable dossier LEDGER.",
        *others,
    )
    symbol = SYMBOLS[block.measure]
    figures = (
        Figure(f"{symbol}, charged for this one", upper=block.charged),
        exactly(f"{symbol}, of all that is ever published", block.budget),
    )
    return Statement(SEVERAL, says, figures, CHARGED, **about.worth("/ledger"))


@_called("contributions")
def _contributions(about: _Certified) -> Statement:
    certificate, title = about.certificate, "How much one unit adds"
    lines = certificate.says_of(Topic.CONTRIBUTION)
    if about.history:
        return on_trust(title, lines, "clipping is the trainer's word")
    if isinstance(certificate, TableCertificate):
        unit, rows = certificate.unit, certificate.rows_per_entity
        lines = tuple(
            f"{each.name}: {describe_measured(each, unit, rows)}" for each in certificate.queries
        )
    figures = [
        exactly(f"{name}: {one.norm} sensitivity, in steps of {in_full(part.step)}", one.value)
        for name, part in about.parts
        if (one := part.sensitivity) is not None and part.step is not None
    ]
    more = _more(len(lines))
    return Statement(title, (*lines[:_MOST], *more), tuple(figures[:_MOST]), **about.worth(*_PARTS))


@_called("mechanisms")
def _mechanisms(about: _Certified) -> Statement:
    title = "Mechanisms and their noise"
    if about.history:
        says = tuple(
            f"{each.steps:,} steps of the sampled Gaussian mechanism: a record takes part with "
            f"probability {in_full(each.sample_rate)}."
            for each in about.history
        )
        noise = tuple(
            exactly(f"noise multiplier of {each.steps:,} steps", each.noise_multiplier)
            for each in about.history
        )
        return Statement(title, says, noise, **about.worth("/training/history"))
    scales = tuple(
        exactly(f"{name}: {part.mechanism}, scale", part.scale)
        for name, part in about.parts
        if part.mechanism is not None and part.scale is not None
    )
    return Statement(title, _more(len(scales)), scales[:_MOST], **about.worth(*_PARTS))


def _more(lines: int) -> tuple[str, ...]:
    """A line on those that are left out."""
    return (f"{lines - _MOST:,} more stand in the certificate.",) if lines > _MOST else ()


@_called("floating point")
def _floating_point(about: _Certified) -> Statement | None:
    if about.history:
        return about.uncovered("Floating point", Topic.FLOATING_POINT)
    says = (
        "Noise is drawn as whole numbers, by OpenDP's exact samplers, and added to whole numbers: "
        "there are no last digits of a float to read.",
    )
    how = "mechanisms and steps are recomputed; which programs ran is the releaser's word"
    return on_trust("Floating point", says, how)


@_called("post-processing")
def _post_processing(about: _Certified) -> Statement:
    keys = ""
    if about.certificate.guarantee.exposure:
        keys = " Keys that nobody knew are the data's own, and appear by their noisy numbers."
    says = (
        f"All that is published is computed from noisy and public numbers.{keys} Whatever anybody "
        "computes from it needs no further budget.",
    )
    how = f"{BY_DEFINITION}; that nothing else went into it is the releaser's word"
    return on_trust("What is done after the noise", says, how)


@_called("published")
def _published(about: _Certified) -> Statement:
    certificate = about.certificate
    names = ", ".join(("certificate.json", *certificate.file_names))
    how = "the files are not beside the certificate: deniable check FOLDER compares them"
    return on_trust("What is published", (f"{certificate.title}, as {names}.",), how)


@_called("unprotected")
def _unprotected(about: _Certified) -> Statement:
    public = [*about.certificate.says_of(Topic.PUBLIC)]
    bare = [name for name, part in about.parts if part.mechanism is None]
    if bare:
        public.append(f"Published without noise: {', '.join(bare[:_MOST])}.")
    how = "that nothing else of the data was decided or published is the releaser's word"
    return on_trust("What has no protection", public, how)


@_called("unknown keys")
def _unknown_keys(about: _Certified) -> Statement | None:
    exposure = about.certificate.guarantee.exposure
    if not exposure:
        return None
    of = "of each unit: probability that a key appears which it alone has"
    figures = (Figure(of, upper=exposure),)
    says = about.certificate.says_of(Topic.UNKNOWN_KEYS)
    places = about.worth("/guarantee/exposure")
    return Statement("Keys that nobody knew beforehand", says, figures, **places)


@_called("accuracy")
def _accuracy(about: _Certified) -> Statement | None:
    widths = tuple(_widths(about))
    if not widths:
        return None
    says = [
        "Half-widths that hold the number without noise in 95 of 100 releases, in the unit of what "
        "is published."
    ]
    if any((part.mechanism or "").startswith(_CHOICES) for _, part in about.parts):
        says.append("How far what was chosen is from the best, in ranks, the certificate states.")
    if about.certificate.guarantee.exposure:
        says.append("Those of keys that nobody knew hold before it is seen which are published.")
    rests = "Around the number after all limits on what a unit adds, of the noise alone."
    worth = about.worth(*_PARTS)
    return Statement("How exact the numbers are", tuple(says), widths[:_MOST], rests, **worth)


def _widths(about: _Certified) -> Iterator[Figure]:
    """Of numbers: what is chosen by noisy scores has errors in ranks of these."""
    if isinstance(about.certificate, TableCertificate):
        for query in about.certificate.queries:
            if any((part.mechanism or "").startswith(_CHOICES) for part in query.parts):
                continue
            for label, width in query.widths.items():
                if width is not None:
                    yield exactly(f"{query.name}, {label or 'total'}", width)
        return
    for name, part in about.parts:
        if part.half_width_95 is not None and not (part.mechanism or "").startswith(_CHOICES):
            yield exactly(name, part.half_width_95)
