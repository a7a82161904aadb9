"""What is published without noise: thresholds, rounding and cell keys, judged in beliefs.

A rule is steps in order, an adversary a range of priors or a uniform sample. No rule on exact
tables has a finite ε: it protects by what the adversary does not know, and does not compose.
"""

from typing import TYPE_CHECKING

from deniable.errors.public_names import lazy_exports

__all__ = [
    "Barnardise",
    "Bottom",
    "CellKey",
    "Column",
    "Contributors",
    "Dominance",
    "Hide",
    "Midpoint",
    "Noise",
    "PPercent",
    "RandomRound",
    "Round",
    "RoundDown",
    "Rule",
    "RuleComparison",
    "RuleDesign",
    "RuleRepair",
    "TablesJudgement",
    "Top",
    "compare",
    "design",
    "judge",
    "preset",
    "repair",
]

if TYPE_CHECKING:
    from deniable.rules.comparing import RuleComparison, compare
    from deniable.rules.designing import RuleDesign, design
    from deniable.rules.judgement import TablesJudgement, judge
    from deniable.rules.presets import preset
    from deniable.rules.repairing import RuleRepair, repair
    from deniable.rules.rule import Column, Rule
    from deniable.rules.steps import (
        Barnardise,
        Bottom,
        CellKey,
        Hide,
        Midpoint,
        Noise,
        RandomRound,
        Round,
        RoundDown,
        Top,
    )
    from deniable.rules.sums import Contributors, Dominance, PPercent
else:
    __getattr__, __dir__ = lazy_exports(
        __name__,
        __all__,
        {
            "Barnardise": "deniable.rules.steps",
            "Bottom": "deniable.rules.steps",
            "CellKey": "deniable.rules.steps",
            "Column": "deniable.rules.rule",
            "Contributors": "deniable.rules.sums",
            "Dominance": "deniable.rules.sums",
            "Hide": "deniable.rules.steps",
            "Midpoint": "deniable.rules.steps",
            "Noise": "deniable.rules.steps",
            "PPercent": "deniable.rules.sums",
            "RandomRound": "deniable.rules.steps",
            "Round": "deniable.rules.steps",
            "RoundDown": "deniable.rules.steps",
            "Rule": "deniable.rules.rule",
            "RuleComparison": "deniable.rules.comparing",
            "RuleDesign": "deniable.rules.designing",
            "RuleRepair": "deniable.rules.repairing",
            "TablesJudgement": "deniable.rules.judgement",
            "Top": "deniable.rules.steps",
            "compare": "deniable.rules.comparing",
            "design": "deniable.rules.designing",
            "judge": "deniable.rules.judgement",
            "preset": "deniable.rules.presets",
            "repair": "deniable.rules.repairing",
        },
    )
