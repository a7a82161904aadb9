"""The public names, and where each stands: read by type checkers and by `lazy_exports`."""

from deniable.auditing.plans.audit import NO_LIMIT as NO_LIMIT
from deniable.auditing.plans.audit import RUNS as RUNS
from deniable.auditing.plans.audit import ReleaseTarget as ReleaseTarget
from deniable.auditing.plans.audit import audit_plan as audit_plan
from deniable.auditing.plans.audit import compare_releases as compare_releases
from deniable.auditing.plans.pairs import choose_pair as choose_pair
from deniable.auditing.plans.pairs import prepare_plan as prepare_plan
from deniable.auditing.plans.pairs import write_plan as write_plan
from deniable.auditing.plans.tables import PRODUCTION as PRODUCTION
from deniable.auditing.plans.tables import read_audited_plan as read_audited_plan
from deniable.auditing.plans.tables import rows_of as rows_of
