"""Deniable: what an attacker can conclude about who is in the data, and releases that limit it.

The commands of the same names are thin calls of these functions::

    import deniable

    deniable.explain("zcdp:0.1")                             # a guarantee, read as beliefs
    deniable.calibrate(max_posterior=0.3, prior=(0.0, 0.1))  # the budget that keeps a belief
    print(deniable.new("visits.csv"))                        # a plan to fill in
    deniable.plan("visits.toml")                             # its noise; no value is read
    deniable.preview("visits.toml")                          # for you only: what limits remove
    released = deniable.release("visits.toml", "published")  # results, certificate and report
    released.frame()                                         # the published rows
    deniable.check(released)                                 # what it claims, computed again
    deniable.derive("pure-dp:1", "positive-membership")      # what follows, and by which theorems
    deniable.calibrate_training(                             # the noise of a trainer
        records=60_000, batch_size=256, epochs=10, max_posterior=0.2, prior=(0.0, 0.1)
    )

``dir(deniable)`` lists all names. Topics have functions of their own, as `deniable.gwas.release`.
"""

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
