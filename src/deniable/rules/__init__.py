"""What is published without noise: thresholds, rounding and cell keys, judged in beliefs.

A rule is steps in order, an adversary a range of priors or a uniform sample. No rule on exact
tables has a finite ε: it protects by what the adversary does not know, and does not compose.
"""

from typing import TYPE_CHECKING

from deniable._door import lazy_exports

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
    from deniable.rules.judgement import TablesJudgement
    from deniable.rules.judging import judge
    from deniable.rules.presets import preset
    from deniable.rules.random_steps import Barnardise, CellKey, Noise, RandomRound
    from deniable.rules.repairing import repair
    from deniable.rules.repairs import RuleRepair
    from deniable.rules.rule import Column, Rule
    from deniable.rules.steps import Bottom, Hide, Midpoint, Round, RoundDown, Top
    from deniable.rules.sums import Contributors, Dominance, PPercent
else:
    __getattr__, __dir__ = lazy_exports(
        __name__,
        __all__,
        {
            "Barnardise": "deniable.rules.random_steps",
            "Bottom": "deniable.rules.steps",
            "CellKey": "deniable.rules.random_steps",
            "Column": "deniable.rules.rule",
            "Contributors": "deniable.rules.sums",
            "Dominance": "deniable.rules.sums",
            "Hide": "deniable.rules.steps",
            "Midpoint": "deniable.rules.steps",
            "Noise": "deniable.rules.random_steps",
            "PPercent": "deniable.rules.sums",
            "RandomRound": "deniable.rules.random_steps",
            "Round": "deniable.rules.steps",
            "RoundDown": "deniable.rules.steps",
            "Rule": "deniable.rules.rule",
            "RuleComparison": "deniable.rules.comparing",
            "RuleDesign": "deniable.rules.designing",
            "RuleRepair": "deniable.rules.repairs",
            "TablesJudgement": "deniable.rules.judgement",
            "Top": "deniable.rules.steps",
            "compare": "deniable.rules.comparing",
            "design": "deniable.rules.designing",
            "judge": "deniable.rules.judging",
            "preset": "deniable.rules.presets",
            "repair": "deniable.rules.repairing",
        },
    )
