"""The public names, and where each stands: read by type checkers and by `lazy_exports`."""

from deniable.auditing.models.single import ATTACKS as ATTACKS
from deniable.auditing.models.single import audit_one_run as audit_one_run
from deniable.auditing.models.single import fixed_guesses as fixed_guesses
from deniable.auditing.models.single import one_run_limit as one_run_limit
from deniable.auditing.models.single import one_run_p_value as one_run_p_value
from deniable.auditing.models.target import FARTHEST as FARTHEST
from deniable.auditing.models.target import is_estimator as is_estimator
from deniable.auditing.models.target import log_odds as log_odds
from deniable.auditing.models.target import losses_of as losses_of
from deniable.auditing.models.target import model_target as model_target
from deniable.auditing.models.target import records_of as records_of
from deniable.auditing.models.target import training_of as training_of
from deniable.auditing.models.target import unfitted as unfitted
