"""Published tables as a page for the person who decides: what anybody can infer from them."""

from deniable.report.charts import inline
from deniable.report.html import Html, element, items, join, table, text
from deniable.report.numbers import significant
from deniable.report.page import html_document
from deniable.report.sentences import at_least, chance
from deniable.rules.judgement import TablesJudgement
from deniable.rules.pages.judgement_charts import judgement_layers, people

_MOST = 200
"""Rows of a table: a page or two; the answer in JSON has all."""
_VERDICTS = {
    True: "All beliefs are within the target.",
    False: "Beliefs pass the target.",
    None: "Whether all beliefs are within the target is undecided: bounds lie on both sides of it.",
}


def judgement_page(answer: TablesJudgement) -> str:
    """The whole page as HTML that opens offline, without script."""
    title = "What published tables let anybody infer"
    sections = [
        ("Who is certain", _certain(answer)),
        ("Sets that differ in few people", _differences(answer)),
        ("What may be believed", _beliefs(answer)),
        ("What counts may be", _counts(answer)),
        ("What it rests on", items(map(text, answer.assumes))),
        ("Decision", _decision()),
    ]
    body = element(
        "body",
        element("header", element("h1", text(title))),
        element(
            "main",
            element("p", text(_lead(answer)), class_="lead"),
            *(join([element("h2", text(heading)), content]) for heading, content in sections),
        ),
    )
    return html_document(title, body)


def _lead(answer: TablesJudgement) -> str:
    certain = sum(each.people for each in answer.certain)
    words = [
        f"{len(answer.feasible):,} published numbers, looked at together.",
        f"{len(answer.certain):,} lists or groups have everybody in or nobody, for certain."
        if certain
        else "Nobody is in or out for certain.",
    ]
    if (worst := answer.worst) is not None and (lowest := answer.lowest) is not None:
        high, low = worst.as_json()["belief"]["upper"], lowest.as_json()["belief"]["lower"]
        words.append(f"Beliefs go from {at_least(low)} to {chance(high)}.")
    if answer.max_posterior is not None or answer.min_posterior is not None:
        words.append(_VERDICTS[answer.is_met])
    return " ".join(words)


def _certain(answer: TablesJudgement) -> Html:
    if not answer.certain:
        return element("p", text("Nobody."))
    rows = [
        [each.list, f"{each.people:,}", "all are in" if each.is_in else "none is in"]
        for each in answer.certain
    ]
    return _table("certain", "In or out for certain", ["People", "Listed", "Known"], rows, 1)


def _differences(answer: TablesJudgement) -> Html:
    if not answer.differences:
        return element("p", text("None was seen."))
    rows = []
    for each in answer.differences:
        first, second = each.difference.first, each.difference.second
        low, high = each.interval.lower, each.interval.upper
        rows.append([
            f"{first.table}, {first.name}", f"{second.table}, {second.name}",
            f"{each.difference.people:,}", f"{low:,}" if low == high else f"{low:,} to {high:,}",
        ])  # fmt: skip
    heads = ["In", "And not in", "People", "Counted of them"]
    return _table("differences", "What a subtraction shows", heads, rows, 2)


def _beliefs(answer: TablesJudgement) -> Html:
    if not answer.beliefs:
        return element("p", text("No adversary was given."))
    drawn = inline(
        judgement_layers(answer), "beliefs", "Beliefs that somebody listed is counted",
        "The table holds the numbers.",
    )  # fmt: skip
    rows = [
        [people(each), at_least(bounds["lower"]), chance(bounds["upper"]), each.evidence]
        for each in answer.beliefs
        for bounds in [each.as_json()["belief"]]
    ]
    heads = ["On the lists (people)", "Belief at least", "Belief at most", "Evidence"]
    caption = "Beliefs in each of the people on the same lists"
    return join([element("figure", drawn), _table("people", caption, heads, rows, 1)])


def _counts(answer: TablesJudgement) -> Html:
    rows = [
        [
            each.cell.table, each.cell.name, str(each.cell.published),
            f"{each.interval.lower:,}", f"{each.interval.upper:,}",
        ]
        for each in answer.feasible
    ]  # fmt: skip
    heads = ["Table", "Cell", "Published", "At least", "At most"]
    return _table("counts", "Counts that agree with all tables", heads, rows, 2)


def _table(
    identifier: str, caption: str, heads: list[str], rows: list[list[str]], texts: int
) -> Html:
    cells = [[text(cell) for cell in row] for row in rows[:_MOST]]
    numbers = [index >= texts for index in range(len(heads))]
    figures = table(identifier, text(caption), list(map(text, heads)), cells, numbers)
    if len(rows) <= _MOST:
        return figures
    more = f"And {significant(len(rows) - _MOST)} more rows: see the answer in JSON."
    return join([figures, element("p", text(more))])


def _decision() -> Html:
    advice = (
        "These tables are public, and cannot be called back; what may be decided is what is "
        "published next about the same people, and under which rule (deniable rules repair)."
    )
    lines = [element("p", text(each)) for each in ("Name", "Decision", "Date and signature")]
    return join([element("p", text(advice)), element("div", *lines, class_="sign")])
