"""The public names, and where each stands: read by type checkers and by `lazy_exports`."""

from typing import TYPE_CHECKING

from deniable import errors as errors
from deniable import ledger as ledger
from deniable import notions as notions
from deniable.certificate.json_documents import schema as schema
from deniable.ledger.ledger import Ledger as Ledger
from deniable.numerics.bound import Bound as Bound
from deniable.numerics.bound import Evidence as Evidence
from deniable.numerics.effort import Effort as Effort
from deniable.pipeline.check import check as check
from deniable.pipeline.dossier import dossier as dossier
from deniable.pipeline.export import export as export
from deniable.pipeline.risk import risk as risk
from deniable.pipeline.sign import sign as sign
from deniable.publish.owner.preview import preview as preview
from deniable.publish.owner.unreadable import unreadable as unreadable
from deniable.publish.prepare import plan as plan
from deniable.publish.release import release as release
from deniable.publish.skeleton import new as new
from deniable.publish.solve import explain_accuracy as explain_accuracy
from deniable.theorems.analysis.calibrate import calibrate as calibrate
from deniable.theorems.analysis.composition import compose as compose
from deniable.theorems.analysis.guarantee import explain as explain
from deniable.theorems.analysis.guarantee import explain_guarantee as explain_guarantee
from deniable.theorems.analysis.guarantee import trade_off as trade_off
from deniable.theorems.analysis.households import explain_households as explain_households
from deniable.theorems.catalogue import catalogue as catalogue
from deniable.theorems.derive import derive as derive

if TYPE_CHECKING:  # guests: Python finds these by the entry points "deniable.names"
    from deniable import correlation as correlation
    from deniable import gwas as gwas
    from deniable import judge as judge
    from deniable import mechanisms as mechanisms
    from deniable import population as population
    from deniable import priors as priors
    from deniable import rules as rules
    from deniable import serve as serve
    from deniable import training as training
    from deniable.airlock.gate import gate as gate
    from deniable.auditing.run import audit as audit
    from deniable.explorer.explore import explore as explore
    from deniable.judge.verify import verify as verify
    from deniable.population.api.joint import LinearQuery as LinearQuery
    from deniable.priors.universe import Universe as Universe
    from deniable.studio.server import studio as studio
    from deniable.training.batches.batched import BatchedTraining as BatchedTraining
    from deniable.training.batches.compare import compare_training as compare_training
    from deniable.training.batches.watch import watch_batches as watch_batches
    from deniable.training.calibrate import calibrate_training as calibrate_training
    from deniable.training.certify import certify_training as certify_training
    from deniable.training.explain import explain_training as explain_training

__version__: str
