"""Publication without noise: thresholds, rounding and cell keys, judged by beliefs.

A rule is steps in order, an adversary a range of priors or a uniform sample. No rule on exact
tables has a finite ε: it protects by what the adversary does not know, and does not compose.
"""

from deniable.errors.public_names import lazy_exports

DRAWN_BY = {
    "RuleDesign.plot": "deniable.rules.pages.page:rule_design_chart",
    "RuleDesign.page": "deniable.rules.pages.page:rules_page",
    "RuleComparison.plot": "deniable.rules.pages.page:rule_comparison_chart",
    "TablesJudgement.plot": "deniable.rules.pages.page:judgement_chart",
    "TablesJudgement.page": "deniable.rules.pages.page:judgement_page",
    "ValuesJudgement.page": "deniable.rules.pages.page:values_page",
    "RuleRepair.plot": "deniable.rules.pages.page:repair_chart",
}
"""What draws the answers of this package."""

__getattr__, __dir__, __all__ = lazy_exports(__name__, __file__, public=True)
