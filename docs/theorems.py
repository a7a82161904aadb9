"""docs/reference/theorems.md from the catalogue; `python docs/theorems.py` writes it anew."""

import re
from pathlib import Path

from deniable.notions.notation import FORMS
from deniable.numerics.bound import Evidence
from deniable.theorems.catalogue import catalogue

PAGE = Path(__file__).resolve().parent / "reference" / "theorems.md"
HEAD = """# Theorems

[`deniable derive`](commands/beliefs.md#deniable-derive) searches this graph of theorems, and
`deniable derive --list` prints the same rows. `python docs/theorems.py` writes this page from the
catalogue. The [bibliography](bibliography.md) lists the keys of papers, and the
[glossary](glossary.md) the terms. Every map is rounded to the safe side, and brute force tests
every implication on small mechanisms. Theorems marked *estimate* hold only approximately: they
are listed, and no derivation uses them. "As published" marks a theorem beside a sharper one with
the same hypothesis. If the last column names a statement, Coq has checked its proof, for finitely
many entities and outputs and without rounding: [what is
machine-checked](../explanation/what-is-machine-checked.md), and what is not.
"""
NOTIONS = """
## Notions

You can leave out numbers in brackets. Labels after `@` state everything that the truth of the
numbers depends on, and a chain of theorems never drops or widens a label:

| label | says | without it |
|---|---|---|
"""
LABELS = (
    (
        "`@add-remove`",
        "most notions: even the number of entities is secret",
        "replace-one: the number of entities is public",
    ),
    (
        "`@0.3-0.7`",
        "membership notions: each uncertain belief is between 0.3 and 0.7",
        "every belief, or those of `--prior LOW HIGH`",
    ),
    (
        "`@0-0.1`",
        "`max-posterior`: the belief in question starts at or below 0.1, others anywhere",
        "every belief, or those up to HIGH",
    ),
    (
        "`@one-of-8`",
        "membership notions: one of 8 candidates, equally likely",
        "as above",
    ),
    (
        "`@sampled-0.1`",
        "membership notions: entities kept with probability 0.1",
        "as above",
    ),
    (
        "`@correlated`, `@correlated-scalable`",
        "membership notions: the laws of a Bayesian guarantee",
        "as above",
    ),
    (
        "`@independent`",
        "`bayesian-dp`, `bayesian-semantic`: over laws with independent records, and no others",
        "the laws may be correlated",
    ),
    (
        "`@positive`, `@negative`",
        "`one-sided-dp`: joining, or leaving",
        "joining",
    ),
    (
        "`@population`",
        "attack notions: a uniform subset of one known parent set",
        "replace-one",
    ),
    (
        "`@candidates-10`",
        "`baseline-risk`: the secret is one of 10 equally likely values",
        "values of any number, however likely",
    ),
    (
        "`@every-parent-set`",
        "`population`: whatever the parent set",
        "one known parent set",
    ),
    (
        "`@then-0.01,2.0,100`",
        "`privacy-curve`: 100 further steps, at rate 0.01 with noise of 2; more after `/`",
        "one kind of step",
    ),
    (
        "`@also-4.0,0.7`",
        "`rdp`: at order 4 the ε is 0.7; more after `/`",
        "one order",
    ),
    (
        "`@records-1`",
        "`pure-dp`, `approx-dp`: for data of 1 record only (with add-remove, at most 1)",
        "data of every size",
    ),
)
FORMS_HEAD = """
The last number of `semantic` and `population` is also a size of the data. With an exceedance, a
statement about beliefs holds for each entity by itself, except for outputs of at most that
probability given that the entity is in the data. These outputs may differ between entities. So it
may be more probable that *somebody's* limit is exceeded: up to 1 + (m − 1)e^−ℓ times as probable
for m candidates and a privacy loss of ℓ. An exceedance is not the δ of (ε, δ)-DP.

| written | what it says |
|---|---|
"""
GRAPH = """
## Graph

The graph has an arrow for each pair of notions that a theorem connects. Dotted arrows are
estimates.

```mermaid
"""


def page() -> str:
    """The whole page."""
    return "".join(
        [
            HEAD,
            NOTIONS,
            *_labels(),
            FORMS_HEAD,
            *_notions(),
            GRAPH,
            diagram(),
            "\n```\n",
            *_theorems(),
        ]
    )


def diagram() -> str:
    """The graph as Mermaid text: an arrow a pair of notions, dotted where only estimated."""
    arrows: dict[tuple[str, str], str] = {}
    for row in catalogue():
        if row.premise != row.conclusion:
            arrow = "-.->" if row.evidence == Evidence.ESTIMATE.word else "-->"
            arrows.setdefault((row.premise, row.conclusion), arrow)
    both = {pair for pair in arrows if pair[::-1] in arrows}
    lines = ["graph LR"]
    for (source, target), arrow in arrows.items():
        if (source, target) not in both:
            lines.append(f"    {source} {arrow} {target}")
        elif source < target:
            lines.append(f"    {source} <--> {target}")
    return "\n".join(lines)


def _labels() -> list[str]:
    return [f"| {' | '.join(map(_cell, row))} |\n" for row in LABELS]


def _notions() -> list[str]:
    lines = []
    for form in FORMS:
        needed = "α,β/α,β/…" if form.rows else ",".join(form.numbers[: form.required])
        optional = "".join(f"[,{name}]" for name in form.numbers[form.required :])
        first = (form.notion.__doc__ or "").split("\n", 1)[0]
        lines.append(f"| `{form.word}:{needed}{optional}` | {_linked(_cell(first))} |\n")
    return lines


def _theorems() -> list[str]:
    lines = ["\n## Catalogue\n\n", "| from | to | map | source | checked |\n"]
    lines.append("|---|---|---|---|---|\n")
    for row in catalogue():
        mark = " *(estimate)*" if row.evidence == "estimate" else ""
        cells = (
            f"`{row.premise}`",
            f"`{row.conclusion}`",
            f"{row.states}{mark}",
            _linked(row.source),
            _statements(row.checked),
        )
        lines.append(f"| {' | '.join(map(_cell, cells))} |\n")
    return lines


def _statements(checked: str) -> str:
    """The Coq theorems, each with its file; nothing where there is none."""
    pairs = (each.split(":") for each in checked.split(",") if each)
    return ", ".join(f"[{name}](../../proofs/{file})" for file, name in pairs)


def _linked(citation: str) -> str:
    """Each key leads to its entry in the bibliography."""
    return re.sub(r"\b[a-z]+(?:-[a-z]+)*-\d{4}\b", r"[\g<0>](bibliography.md#\g<0>)", citation)


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def main() -> None:
    """Write the page."""
    PAGE.write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()
