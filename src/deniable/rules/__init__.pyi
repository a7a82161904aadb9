"""The public names, and where each stands: read by type checkers and by `lazy_exports`."""

from deniable.rules import book as book
from deniable.rules.book.judging import judge as judge
from deniable.rules.designing import RuleComparison as RuleComparison
from deniable.rules.designing import RuleDesign as RuleDesign
from deniable.rules.designing import compare as compare
from deniable.rules.designing import design as design
from deniable.rules.judgement import TablesJudgement as TablesJudgement
from deniable.rules.repairing import RuleRepair as RuleRepair
from deniable.rules.repairing import repair as repair
from deniable.rules.rule import Column as Column
from deniable.rules.rule import Rule as Rule
from deniable.rules.rule import preset as preset
from deniable.rules.steps import Barnardise as Barnardise
from deniable.rules.steps import Bottom as Bottom
from deniable.rules.steps import CellKey as CellKey
from deniable.rules.steps import Hide as Hide
from deniable.rules.steps import Midpoint as Midpoint
from deniable.rules.steps import Noise as Noise
from deniable.rules.steps import RandomRound as RandomRound
from deniable.rules.steps import Round as Round
from deniable.rules.steps import RoundDown as RoundDown
from deniable.rules.steps import Top as Top
from deniable.rules.tables import Contributors as Contributors
from deniable.rules.tables import Dominance as Dominance
from deniable.rules.tables import PPercent as PPercent
