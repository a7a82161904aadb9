"""docs/maps-to/ from the regimes' questions; `python docs/maps_to.py` writes it anew."""

from pathlib import Path

from deniable.pipeline.dossiers import Question, Regime, regimes
from deniable.pipeline.statements import Status

FOLDER = Path(__file__).resolve().parent / "maps-to"
HEAD = """# Whose questions a dossier answers

[`deniable dossier`](../reference/commands/publishing.md#deniable-dossier) takes the questions of
a regime, in its own words. It answers each for a release, a trained model or a ledger from one
table of statements. [Answer a regulator](../how-to/answer-a-regulator.md) says how to use it, and
[decision 80](../decisions/0080-one-table-of-statements.md) explains the design. No page sets a
threshold or says that a rule is satisfied. `python docs/maps_to.py` writes these pages from the
questions.

| `--for` | source | date | questions |
|---|---|---|---|
"""
STATEMENTS = """
## The statements

Each regime uses this one table. A statement is computed, on trust or not covered; the schema
of the certificate decides this for each value. An answer is as good as the weakest of its
statements. A statement that does not apply to a kind of release is left out, and a question
without any statement is not covered.

| statement | questions that it answers |
|---|---|
"""


def pages() -> dict[str, str]:
    """Every page by its name."""
    named = {f"{key}.md": page(regime) for key, regime in regimes().items()}
    return {"README.md": overview()} | named


def overview() -> str:
    """The regimes, and the statements with what they answer."""
    rows = [
        f"| [`{key}`]({key}.md) | {each.name}: {each.title} | {each.date} | "
        f"{len(each.questions)} |\n"
        for key, each in regimes().items()
    ]
    places: dict[str, list[str]] = {}
    for key, each in regimes().items():
        for question in each.questions:
            for name in question.statements:
                places.setdefault(name, []).append(f"{key} {question.place}")
    table = [
        f"| {name} | {'; '.join(dict.fromkeys(where))} |\n"
        for name, where in sorted(places.items())
    ]
    return "".join([HEAD, *rows, STATEMENTS, *table])


def page(regime: Regime) -> str:
    """A regime's questions with their places, statements and what is not covered."""
    lines = [
        f"# {regime.name}\n\n",
        f"`deniable dossier FOLDER --for {regime.key}`. {regime.title}. {regime.issuer}. "
        f"{regime.date}. <{regime.address}>\n\n",
        f"**Sources.** {regime.source}\n\n",
        "| place | question | answered by |\n|---|---|---|\n",
        *(
            f"| {each.place} | {_cell(each.words)} | {', '.join(each.statements)}{_kinds(each)} |\n"
            for each in regime.questions
            if each.statements
        ),
        "\n## What the figures do not say\n\n",
        *(f"- {each.place}: {each.remark}\n" for each in regime.questions if each.remark),
        f"\n## {str(Status.NOT_COVERED).capitalize()}, whatever is released\n\n",
        *(
            f"- {each.place}, “{each.words}”: {each.otherwise}\n"
            for each in regime.questions
            if not each.statements
        ),
    ]
    text = "".join(lines)
    return text.replace("\n## What the figures do not say\n\n\n##", "\n##")


def _kinds(question: Question) -> str:
    return " (training runs only)" if question.kinds else ""


def _cell(words: str) -> str:
    return words.replace("|", "\\|")


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for name, text in pages().items():
        (FOLDER / name).write_text(text, encoding="utf-8")
