"""Deniable: membership privacy, from what an adversary may believe to what is published."""

from deniable.errors.public_names import lazy_names

__version__ = "0.1.0"

DRAWN_BY = {
    "Answer.text": "deniable.report.answers:answer_text",
    "Answer.html": "deniable.report.answers:answer_html",
    "BudgetAnswer.plot": "deniable.report.plots:posterior_chart",
    "CurveAnswer.plot": "deniable.report.plots:budget_chart",
    "Catalogue.text": "deniable.report.answers:rows_text",
}
"""What makes texts, tables and charts of answers: their own types know nothing of it."""

__getattr__, __dir__ = lazy_names(__name__, __file__, guests="deniable.names")
