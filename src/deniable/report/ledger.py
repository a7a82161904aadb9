"""What a release was charged to, in words: public numbers only."""

from deniable.certificate.charged import Charged
from deniable.certificate.model import Certificate
from deniable.report.html import Html, element, items, join, text
from deniable.report.page import Section
from deniable.report.sentences import rounded_up

_SYMBOLS = {"epsilon": "ε", "rho": "ρ"}


def ledger_sections(certificate: Certificate) -> list[Section]:
    """One section where the release was charged to a ledger, none where not."""
    if certificate.ledger is None:
        return []
    drawn = "its noise was drawn" if certificate.parts else "its certificate was written"
    return [("ledger", "Charged to a ledger", _ledger(certificate.ledger, drawn))]


def _ledger(block: Charged, before: str) -> Html:
    symbol = _SYMBOLS[block.measure]
    amount = f"{symbol} = {rounded_up(block.charged, 4)}"
    budget = f"{symbol} = {rounded_up(block.budget, 4)}"
    explanation = (
        f"All releases from “{block.dataset}” share one budget, of which this one was charged "
        f"before {before}. The budget limits what may be believed after all of them, and whoever "
        "keeps the ledger can say by how much."
    )
    facts = (
        f"Budget of “{block.dataset}”: {budget} in all.",
        f"Charged for this release: {amount}.",
        f"Entry in the ledger: {block.entry}. The ledger's keeper finds it there; to others it "
        "says nothing, not even how many releases there were.",
    )
    return join([element("p", text(explanation)), items(map(text, facts))])
