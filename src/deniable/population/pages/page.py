"""The risk of each record as a page for whoever keeps the list of members."""

import math

from deniable.certificate.population import ON_TRUST, exceedance_of
from deniable.population.answer.answer import PopulationAnswer
from deniable.population.api.noise_curve import NoiseCurve
from deniable.population.pages.charts import noise_panels
from deniable.population.pages.records import OFTEN, beliefs, records_section, rounded_down
from deniable.report.charts import inline
from deniable.report.html import Html, element, items, join, table, text
from deniable.report.numbers import significant
from deniable.report.page import html_document
from deniable.report.population import METHODS
from deniable.report.sentences import at_least, at_most, chance, common, exactly

_HALF_WIDTH = 1.96
"""Standard deviations of normal noise within which it stays in 95 of 100 releases."""
_KEPT = "For whoever keeps the list, not for publication: it shows how far records are from others."
_EVIDENCE = {
    "exact": "the formula itself",
    "enclosure": "proof: every error is bounded, and the truth lies inside",
    "estimate": "nothing: errors were not bounded",
}
_METHODS = METHODS | {
    "enumerate": "over all samples, one by one",
    "sample": "by draws of samples",
    "projection": "by what one direction of the numbers shows",
    "exchange": "enclosed, from exchanges of two members, averaged",
    "worst-case": "by differential privacy: nothing better was certified",
    "noise-alone": "enclosed, from the largest exchange of two members",
}
_NOT_COVERED = (
    "Whoever knows of some of the others whether they were drawn. Against them, and everybody "
    "else, it is differential privacy that holds.",
    "Another release about the same sample, or another sample of the same list: this does not "
    "add up. Analyse releases jointly (deniable.population.joint), or count their differential "
    "privacy.",
    "A list that changes: one record more, or one value changed, is another question.",
    "The values of the records. That they are public is where all of this begins.",
)


def risk_page(answer: PopulationAnswer, curve: NoiseCurve | None = None) -> str:
    """The whole page as HTML that opens offline, without script.

    No value of a record stands in it, but how far records are from the mean of all.
    """
    title = "Who stands out in a release about a known list"
    sections = [("Who is at risk", records_section(answer))]
    if curve is not None:
        sections.append(("More noise and less", _noise(curve)))
    sections += [
        ("What holds besides", _besides(answer)),
        ("How this was found", _method_section(answer)),
        ("What it rests on", _rests(answer)),
        ("What is not covered", items(map(text, _NOT_COVERED))),
        ("Decision", _decision()),
    ]
    body = element(
        "body",
        element("header", element("p", text(_KEPT), class_="unit"), element("h1", text(title))),
        element(
            "main",
            element("p", text(_who(answer)), class_="lead"),
            element("p", text(_lead(answer)), class_="lead"),
            *(join([element("h2", text(heading)), content]) for heading, content in sections),
        ),
    )
    return html_document(title, body)


def _who(answer: PopulationAnswer) -> str:
    share = exactly(float(significant(answer.size / answer.population)))
    return (
        f"The adversary knows all {answer.population:,} records of the list and what is "
        f"published, and knows of nobody whether they are among the {answer.size:,} that were "
        f"drawn. Beforehand they give {share} that a record was."
    )


def _lead(answer: PopulationAnswer) -> str:
    highest = answer.population_epsilon.upper
    whom = "any record" if _everybody(answer) else "any of the records asked for"
    if math.isinf(highest):
        return f"No limit was found: afterwards they may believe anything of {whom}."
    success = f"A guess whether a record was drawn is right at most {chance(answer.bayes_success)}"
    rarely, drawn = exceedance_of(answer.delta), ""
    if answer.population_epsilon.confidence is not None:
        drawn = " This rests on random draws, as said below."
    if rarely > OFTEN:
        return f"{success} times, of {whom}.{drawn}"
    low, high = beliefs(answer, highest)
    total = common(low, high)
    but = f", except with probability at most {chance(rarely)} for each" if rarely else ""
    return (
        f"Afterwards they give {whom} at least {at_least(low, total)} and at most "
        f"{chance(high, total)}{but}. {success} times.{drawn}"
    )


def _everybody(answer: PopulationAnswer) -> bool:
    """Whether what is said of the asked ones is said of all."""
    there = sum(1 if each.count is None else each.count for each in answer.records)
    return not answer.records or there == answer.population


def _noise(curve: NoiseCurve) -> Html:
    panels = noise_panels(curve)
    names = ("Population ε and differential privacy", "How often a guess is right")
    drawn = [
        element("figure", inline(panel, f"noise-{k}", title, "The table holds the numbers."))
        for k, (panel, title) in enumerate(zip(panels, names, strict=True))
    ]
    heads = (
        "σ of the noise", "95 in 100 within ±", "Population ε at most",
        "ε among samples of the list", "ε against everybody", "Right by population ε",
        "Right by PAC privacy",
    )  # fmt: skip
    rows = [
        [
            significant(point.sigma, 4),
            at_most(_HALF_WIDTH * point.sigma, 3),
            at_most(point.population_epsilon.upper),
            _optional(point.restricted_epsilon),
            _optional(point.epsilon),
            at_most(min(point.bayes_success, 1.0)),
            at_most(min(point.pac_success, 1.0)),
        ]
        for point in curve.points
    ]
    figures = table(
        "noise",
        text(f"What the noise costs and what it is worth, at δ = {curve.delta:g}"),
        list(map(text, heads)),
        [[text(cell) for cell in row] for row in rows],
        [True] * len(heads),
    )
    sampling = (
        "Drawing a sample at all moves a published number by a standard deviation of up to "
        f"{at_most(curve.sampling_deviation, 3)}: noise far below that costs little."
    )
    paragraphs = (sampling, _PAC)
    return join(
        [
            element("div", *drawn, class_="two"),
            figures,
            *(element("p", text(each)) for each in paragraphs),
        ]
    )


_PAC = (
    "PAC privacy (xiao-devadas-2023) is computed by us for the same query on the same list. It "
    "bounds how often a guess at a record is right on average over samples and outputs, and is no "
    "promise for one output: one that gives somebody away once in a thousand times hardly moves "
    "it. Population ε counts it against δ. The two are shown beside each other, not in one unit."
)


def _optional(value: float | None) -> str:
    return "none" if value is None else at_most(value)


def _besides(answer: PopulationAnswer) -> Html:
    everyone = "none: nothing bounds the records; a clip would"
    if answer.epsilon is not None and math.isfinite(answer.epsilon):
        everyone = at_most(answer.epsilon)
    rows = [
        ("Population ε", _interval(answer), "whoever knows the list, and nobody who was drawn"),
        (
            "Exchanges of two records, averaged",
            _optional(answer.pairwise_bound),
            "whoever knows all but one who were drawn; lowy-2024, Proposition 12",
        ),
        (
            "ε among samples of this list",
            _optional(answer.epsilon_restricted_sensitivity),
            "everybody, while the data are a sample of this list",
        ),
        ("ε of differential privacy", everyone, "everybody, whatever the data"),
        (
            "Estimate, as if all were normal",
            "none" if answer.estimate is None else significant(answer.estimate, 4),
            "nobody: it is no bound",
        ),
    ]
    at = f" at δ = {answer.delta:g}" if answer.delta else ""
    return table(
        "besides",
        text(f"Against whom what holds{at}"),
        [text("Figure"), text("Value"), text("It protects against")],
        [[text(cell) for cell in row] for row in rows],
        [False, True, False],
    )


def _interval(answer: PopulationAnswer) -> str:
    bound = answer.population_epsilon
    return f"{rounded_down(bound.lower)} to {at_most(bound.upper)}"


def _method_section(answer: PopulationAnswer) -> Html:
    bound = answer.population_epsilon
    rests = _EVIDENCE.get(bound.evidence.word, "random draws")
    if bound.confidence is not None:
        rests = f"random draws: the intervals cover with probability {bound.confidence:g}"
    facts = [
        ("Method", _METHODS.get(answer.method, answer.method)),
        ("That rests on", rests),
    ]
    if answer.gap is not None and (note := answer.gap.note()) is not None:
        facts.append(("Width", note))
    if bound.draws is not None:
        facts.append(("Draws", f"{bound.draws:,}, seed {bound.seed}"))
    if answer.candidates is not None:
        facts.append(("Longest list told to the adversary", f"{answer.candidates:,}"))
    if answer.subsets is not None:
        facts.append(("Samples enumerated", f"{answer.subsets:,}"))
    facts.append((f"Noise, {answer.noise.parameter}", f"{answer.noise.value!r}"))
    if answer.search is not None:
        missed = answer.search.missed
        near = "" if missed is None else f"; {significant(missed)} was seen to miss it"
        ended = "" if answer.search.complete else ". The time limit ended the search"
        goal = f"the least that met population ε {significant(answer.search.target)}"
        facts.append(("Noise was looked for", f"{goal}{near}{ended}"))
    facts.append(("Seconds", f"{answer.seconds:.1f}"))
    rows = (f"{element('dt', text(term))}{element('dd', text(fact))}" for term, fact in facts)
    return element("dl", *rows, class_="facts")


def _rests(answer: PopulationAnswer) -> Html:
    drawn, public, _ = ON_TRUST
    noise = "The noise is drawn anew, from the law that was analysed, and nobody sees it."
    assumptions = [drawn, public, noise]
    if answer.population_epsilon.confidence is not None:
        assumptions.append(
            "The random draws of this analysis do not mislead; the probability is above."
        )
    return items(map(text, assumptions))


def _decision() -> Html:
    advice = (
        "Publish with this noise; or add noise, draw more records or cut off values that stand "
        "out, and ask again; or leave out the record and its like before drawing, and say so. "
        "None of it protects against somebody who knows more than the list: for them give a "
        "floor of differential privacy as well."
    )
    lines = [element("p", text(line)) for line in ("Name", "Decision", "Date and signature")]
    return join([element("p", text(advice)), element("div", *lines, class_="sign")])
