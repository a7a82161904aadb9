"""What a certificate says, statement by statement: one function each, of every kind of release."""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from math import isfinite
from typing import Any, TypeAlias

import attrs

from deniable.certificate.leaves import ON_TRUST, WITHOUT_FILES, WITHOUT_PLAN, leaves
from deniable.certificate.limits import describe_measured
from deniable.certificate.model import Certificate, CertifiedPart, Topic
from deniable.certificate.tables import TableCertificate
from deniable.errors.validate import in_full
from deniable.numerics.rounding import directed, upper
from deniable.pipeline import statements
from deniable.pipeline.statements import (
    Figure,
    Statement,
    Status,
    Table,
    exactly,
    on_trust,
)

_MOST = 60
"""Lines of one statement: a plan may have thousands of parts, and all stand in the certificate."""
_PARTS = ("/limits", "/queries", "/selection/part", "/statistics", "/counted/part", "/beacon")
"""Places of parts in certificates."""
_CHOICES = "noisy-top-k"  # how mechanisms begin that choose and publish no number
_IN_SEVERAL = "This does not cover a secret about several units."
_BUT_OF_A_LIST = (
    "But the limits against an attacker who knows the list of members hold only as long as the "
    "attacker knows nobody who was drawn."
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


def of_certificate(
    certificate: Certificate,
    baselines: Sequence[float] | None = None,
    candidates: int | None = None,
) -> Table:
    """All that can be said of a release, by its certificate, as `check_certificate` gives it."""
    about = _Certified.of(certificate)
    said = dict(each for group in _GROUPS for each in group(about))
    table = {name: statement for name, statement in said.items() if statement is not None}
    how = "CERTIFICATE" + "".join(f" --baseline {each!r}" for each in baselines or ())
    arguments = (baselines, candidates, _IN_SEVERAL, how)
    return table | dict(statements.risk_statements(lambda: certificate.notions, *arguments))


_Named: TypeAlias = Iterator[tuple[str, Statement | None]]
"""Statements by name; None for a kind of release that does not make it."""


def _who_is_protected(about: _Certified) -> _Named:
    unit = about.certificate.unit
    worth = about.worth("/unit/sentence") | {"assumption": statements.OWNS_SEVERAL}
    yield "unit", Statement("What is protected", (unit.sentence,), **worth)
    how = "the definition by which every number here is computed"
    neighbours = (statements.NEIGHBOURS[str(unit.adjacency)],)
    yield "neighbours", Statement(f"Neighbours: {unit.adjacency}", neighbours, how=how)
    yield "together", _together(about)
    yield "everybody", about.uncovered("What is true of everybody", Topic.EVERYBODY)


def _together(about: _Certified) -> Statement | None:
    certificate, title = about.certificate, "Units that belong together"
    statement = about.uncovered(title, Topic.TOGETHER)
    if statement is None or not isinstance(certificate, TableCertificate):
        return statement
    belief = f"belief after, from {in_full(certificate.group_prior)} before"
    groups = [each for each in certificate.group_beliefs if each.size > 1]
    if not groups:
        return statement
    figures = tuple(
        Figure(f"{belief}, if {each.size} are all in or all out", upper=each.posterior)
        for each in groups
    )
    how = "deniable explain --household, from the certificate's guarantee for one"
    return attrs.evolve(statement, figures=figures, how=how)


def _why_it_holds(about: _Certified) -> _Named:
    certificate, guarantee = about.certificate, about.certificate.guarantee
    figures = [Figure("ε", upper=guarantee.epsilon), Figure("δ", upper=guarantee.delta)]
    if about.history:
        variant = "Approximate DP, from the exact curve of all steps."
    elif guarantee.rho is not None:
        word = "Approximate zero-concentrated" if guarantee.exposure else "Zero-concentrated"
        variant = f"{word} DP: the release spends ρ, and ε and δ follow from it."
        figures.insert(0, Figure("ρ", upper=guarantee.rho))
    else:
        variant = "Approximate DP." if guarantee.delta else "Pure DP."
        if not guarantee.delta and isfinite(guarantee.epsilon):
            is_added = str(certificate.unit.adjacency) == "add-remove"
            adjacency = "add-remove" if is_added else "replace-one"
            figures += statements.mu_figures(guarantee.epsilon, adjacency)
    worth = about.worth("/guarantee/epsilon", "/guarantee/delta", "/guarantee/rho")
    yield "parameters", Statement("Privacy parameters", (variant,), tuple(figures), **worth)
    steps = certificate.derivation
    says = tuple(f"From {each.source} to {each.target}: {each.theorem}." for each in steps)
    says = says or ("The budget was set directly, so there is nothing to derive.",)
    yield "derivation", Statement("Why it holds", says, **about.worth("/derivation"))
    target = certificate.target if certificate.has_target else None
    says = statements.target_words(target, *about.band)
    how = "deniable check recomputes that it is met"
    yield "target", Statement("Requested limit", says, (), statements.RIGHT_BELIEFS, how=how)
    yield "composition", _composition(about)


def _composition(about: _Certified) -> Statement:
    guarantee, title = about.certificate.guarantee, "What adds up within it"
    if about.history:
        steps = sum(each.steps for each in about.history)
        says = ("All steps of the training are composed as one. The attacker sees each step.",)
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


def _what_may_be_believed(about: _Certified) -> _Named:
    certificate, before = about.certificate, about.before
    guarantee = certificate.guarantee
    figures = tuple(statements.belief_figures(guarantee.loss, *about.band))
    how = "deniable explain, from the certificate's privacy loss"
    says = (
        statements.moves(certificate.unit.claim, guarantee.exceedance if guarantee.delta else 0.0),
    )
    yield "beliefs", Statement(statements.BELIEVED, says, figures, before, how=how)
    figures = statements.factor_figures(guarantee.gamma, guarantee.gamma_outside, *about.band)
    worth = about.worth("/guarantee/gamma", "/guarantee/gamma_outside")
    yield "factor", Statement("Largest factor on a belief", (), figures, before, **worth)
    figures = statements.guess_figures(guarantee.attack_success, guarantee.advantage)
    worth = about.worth("/guarantee/attack_success", "/guarantee/advantage")
    title = "Membership: who is in the data"
    yield "guess", Statement(title, (), figures, statements.EVEN, **worth)
    title = "Probability that a limit on beliefs fails"
    worth = about.worth("/guarantee/delta", "/guarantee/exceedance")
    figures = (
        Figure("probability of an exception", upper=guarantee.exceedance),
        Figure("privacy loss that is exceeded so rarely", upper=guarantee.loss),
    )
    rare = Statement(title, (statements.EITHER,), figures, before, **worth)
    yield "exception", rare if guarantee.delta else Statement(title, (statements.NEVER,), **worth)


def _of_some_adversaries(about: _Certified) -> _Named:
    says: tuple[str, ...]
    figures: tuple[Figure, ...]
    training = getattr(about.certificate, "training", None)
    if training is not None:
        rates, best = training.rates, training.advantage
        figures = (
            Figure(f"share missed, flagging {in_full(rates.fpr)} of others", lower=rates.fnr),
            Figure("advantage of the best attack", best.lower, best.upper),
        )
        says = ("An attack flags records of the training, and some others by mistake.",)
        rests = f"The attacker sees every step, and knows all other records. {_HISTORY}"
        worth = about.worth("/training/fnr", "/training/advantage")
        yield "tests", Statement("What attacks on the model miss", says, figures, rests, **worth)
    population = getattr(about.certificate, "population", None)
    if population is not None:
        block = population.as_json()
        belief, before = block["posterior"], in_full(block["posterior"]["prior"])
        figures = (
            Figure("population ε", upper=block["population_epsilon"]["upper"]),
            Figure(f"belief after, from {before} before", belief["lower"], belief["upper"]),
            Figure("right guesses at even odds", upper=block["attack_success"]),
        )
        title = "Against an attacker who knows the list of members but nobody drawn"
        says = (f"{block['drawn']:,} of {block['members']:,} members were drawn.",)
        rests = " ".join((block["sentence"], *block["on_trust"]))
        worth = about.worth("/population/population_epsilon/upper")
        yield "population", Statement(title, says, figures, rests, **worth)
    says = (statements.KNOWLEDGE,) if population is None else (statements.KNOWLEDGE, _BUT_OF_A_LIST)
    how = statements.BY_DEFINITION
    yield "knowledge", Statement(statements.MAY_KNOW, says, (), about.before, how=how)


def _what_it_rests_on(about: _Certified) -> _Named:
    certificate = about.certificate
    how = "nobody can recompute whether these are true; deniable check recomputes their words"
    yield "assumptions", on_trust("What it rests on", certificate.assumptions, how)
    yield "trusted parties", statements.TRUSTED
    says: tuple[str, ...] = (
        "The release is published for anyone to read. No reader queries the data, or sees how long "
        "an answer takes.",
    )
    yield "access", on_trust("Who asks the data", says, statements.NOT_SHOWN)
    block, others = certificate.ledger, certificate.says_of(Topic.OTHER_RELEASES)
    if block is None:
        says = ("It was charged to no ledger: nothing here shows other releases.", *others)
        yield "several releases", Statement(statements.SEVERAL, says, status=Status.NOT_COVERED)
    else:
        says = (
            f"All releases from “{block.dataset}” share one budget. deniable dossier LEDGER says "
            "what an attacker can conclude from all of them.",
            *others,
        )
        symbol = statements.SYMBOLS[block.measure]
        worth = about.worth("/ledger") | {"assumption": statements.CHARGED}
        figures = (
            Figure(f"{symbol}, charged for this release", upper=block.charged),
            exactly(f"{symbol}, of all that is ever published", block.budget),
        )
        yield "several releases", Statement(statements.SEVERAL, says, figures, **worth)
    yield "signature", statements.SIGNATURE
    yield "choices", about.uncovered("Choices made by looking at the data", Topic.CHOICES)


def _how_noise_is_made(about: _Certified) -> _Named:
    certificate = about.certificate
    yield "contributions", _contributions(about)
    yield "mechanisms", _mechanisms(about)
    says, how = certificate.says_of(Topic.NOISE), "no published file can show how noise was drawn"
    yield "noise", on_trust("Source of randomness", says, how)
    if about.history:
        yield "floating point", about.uncovered("Floating point", Topic.FLOATING_POINT)
    else:
        says = (
            "OpenDP's exact samplers draw the noise as whole numbers, which are added to whole "
            "numbers. There are no last digits of a float that could leak.",
        )
        how = "mechanisms and steps are recomputed; which programs ran is the releaser's word"
        yield "floating point", on_trust("Floating point", says, how)
    keys = ""
    if certificate.guarantee.exposure:
        keys = " Keys not known beforehand are the data's own, and their noisy numbers select them."
    says = (
        f"Everything published is computed from noisy and public numbers.{keys} Further "
        "computations on it need no further budget.",
    )
    how = f"{statements.BY_DEFINITION}; that nothing else was used is the releaser's word"
    yield "post-processing", on_trust("What is done after the noise", says, how)
    says = tuple(f"{name} {version}" for name, version in certificate.versions.items())
    yield "programs", Statement("Programs and their versions", says, **about.worth("/versions"))


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


def _mechanisms(about: _Certified) -> Statement:
    title = "Mechanisms and their noise"
    if about.history:
        says, noise = list[str](), list[Figure]()
        for each in about.history:
            steps = f"{each.steps:,} steps"
            says.append(
                f"{steps} of the sampled Gaussian mechanism. A record takes part with probability "
                f"{in_full(each.sample_rate)}."
            )
            noise.append(exactly(f"noise multiplier of {steps}", each.noise_multiplier))
        worth = about.worth("/training/history")
        return Statement(title, tuple(says), tuple(noise), **worth)
    scales = tuple(
        exactly(f"{name}: {part.mechanism}, scale", part.scale)
        for name, part in about.parts
        if part.mechanism is not None and part.scale is not None
    )
    return Statement(title, _more(len(scales)), scales[:_MOST], **about.worth(*_PARTS))


def _more(lines: int) -> tuple[str, ...]:
    """A line on those that are left out."""
    return (f"The certificate has {lines - _MOST:,} more.",) if lines > _MOST else ()


def _what_is_published(about: _Certified) -> _Named:
    certificate = about.certificate
    names = ", ".join(("certificate.json", *certificate.file_names))
    how = "the files are not with the certificate; deniable check FOLDER compares them"
    yield "published", on_trust("What is published", (f"{certificate.title}, as {names}.",), how)
    says = f"The certificate is dated {certificate.created}."
    yield "date", Statement("When", (says,), **about.worth("/created"))
    public = [*certificate.says_of(Topic.PUBLIC)]
    bare = [name for name, part in about.parts if part.mechanism is None]
    if bare:
        public.append(f"Published without noise: {', '.join(bare[:_MOST])}.")
    how = "that nothing else depends on the data or was published is the releaser's word"
    yield "unprotected", on_trust("What is not protected", public, how)
    if exposure := certificate.guarantee.exposure:
        of = "for each unit, probability that a key appears that it alone has"
        keys, worth = certificate.says_of(Topic.UNKNOWN_KEYS), about.worth("/guarantee/exposure")
        title = "Keys not known beforehand"
        yield "unknown keys", Statement(title, keys, (Figure(of, upper=exposure),), **worth)
    yield "accuracy", _accuracy(about)


def _accuracy(about: _Certified) -> Statement | None:
    widths = tuple(_widths(about))
    if not widths:
        return None
    says = ["Half-widths that enclose the number without noise in 95 % of releases, in the "
            "published unit."]  # fmt: skip
    if any((part.mechanism or "").startswith(_CHOICES) for _, part in about.parts):
        says.append("The certificate states how far a choice is from the best, in ranks.")
    if about.certificate.guarantee.exposure:
        says.append("Those of unknown keys hold before anyone sees which keys are published.")
    rests = "They cover only the noise, around the number after all limits on what a unit adds."
    worth = about.worth(*_PARTS)
    return Statement("How exact the numbers are", tuple(says), widths[:_MOST], rests, **worth)


def _widths(about: _Certified) -> Iterator[Figure]:
    """Yield the half-widths of numbers: choices by noisy scores have errors in ranks instead."""
    if isinstance(about.certificate, TableCertificate):
        for query in about.certificate.queries:
            if not any((part.mechanism or "").startswith(_CHOICES) for part in query.parts):
                known = ((name, each) for name, each in query.widths.items() if each is not None)
                yield from (exactly(f"{query.name}, {of or 'total'}", width) for of, width in known)
        return
    for name, part in about.parts:
        if part.half_width_95 is not None and not (part.mechanism or "").startswith(_CHOICES):
            yield exactly(name, part.half_width_95)


_GROUPS = (
    _who_is_protected, _why_it_holds, _what_may_be_believed, _of_some_adversaries,
    _what_it_rests_on, _how_noise_is_made, _what_is_published,
)  # fmt: skip
