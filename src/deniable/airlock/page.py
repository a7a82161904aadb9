"""A folder of outputs as a page for the reviewer: what passes, and what a person must look at."""

from deniable.airlock.gate import ORDER, Gated
from deniable.report.html import legible
from deniable.report.rendering import render


def gate_page(answer: Gated) -> str:
    """Return the whole page as HTML that opens offline, without script."""
    return render(
        "airlock/gate.html",
        answer=answer,
        folder=legible(answer.folder),
        files=[
            (legible(each.file), each.kind, each.verdict, each.because)
            for each in sorted(answer.files, key=lambda each: -ORDER.index(each.verdict))
        ],
        counts={word: sum(each.verdict == word for each in answer.files) for word in ORDER},
    )
