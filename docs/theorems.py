"""docs/reference/theorems.md from the catalogue; `python docs/theorems.py` writes it anew."""

from pathlib import Path

from deniable.notions.notation import FORMS
from deniable.theorems.table import diagram, rows

PAGE = Path(__file__).resolve().parent / "reference" / "theorems.md"
HEAD = """# Theorems

Generated from the catalogue by `python docs/theorems.py`; `deniable derive --list` prints the same
rows. [`deniable derive`](commands.md#deniable-derive) walks this graph. Every map is rounded to the
safe side, every implication is tried on small mechanisms by brute force. Theorems marked *estimate*
hold only approximately: they are listed, and no derivation passes through them. "As published"
stands beside a sharper theorem with the same hypothesis.
"""
NOTIONS = """
## Notions

Numbers in brackets may be left out. `@add-remove` after the numbers says that even the number of
entities is secret; without it that number is public (replace-one). Membership notions may name
their family: `@one-of-8` (one of 8 candidates, equally likely), `@sampled-0.1` (entities kept with
probability 0.1), `@correlated` and `@correlated-scalable` (the laws of a Bayesian guarantee);
without a word it is every belief, or those of `--prior LOW HIGH`. `one-sided-dp` ends in
`@positive` or `@negative`, attack notions may end in `@population`, `bayesian-dp` and
`bayesian-semantic` in `@independent` (over laws with independent records, and no others).

| written | what it says |
|---|---|
"""
GRAPH = """
## Graph

An arrow for each pair of notions that a theorem joins; dotted where it is an estimate.

```mermaid
"""


def page() -> str:
    """The whole page."""
    return "".join([HEAD, NOTIONS, *_notions(), GRAPH, diagram(), "\n```\n", *_theorems()])


def _notions() -> list[str]:
    lines = []
    for form in FORMS:
        needed = ",".join(form.numbers[: form.required])
        optional = "".join(f"[,{name}]" for name in form.numbers[form.required :])
        first = (form.notion.__doc__ or "").split("\n", 1)[0]
        lines.append(f"| `{form.word}:{needed}{optional}` | {_cell(first)} |\n")
    return lines


def _theorems() -> list[str]:
    lines = ["\n## Catalogue\n\n", "| from | to | map | source |\n", "|---|---|---|---|\n"]
    for row in rows():
        mark = " *(estimate)*" if row.evidence == "estimate" else ""
        cells = (f"`{row.source}`", f"`{row.target}`", f"{row.statement}{mark}", row.citation)
        lines.append(f"| {' | '.join(map(_cell, cells))} |\n")
    return lines


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def main() -> None:
    """Write the page."""
    PAGE.write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()
