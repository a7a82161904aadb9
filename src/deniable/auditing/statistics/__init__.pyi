"""The public names, and where each stands: read by type checkers and by `lazy_exports`."""

from deniable.auditing.statistics.cut import ACCUSED as ACCUSED
from deniable.auditing.statistics.cut import RANGES as RANGES
from deniable.auditing.statistics.cut import Cut as Cut
from deniable.auditing.statistics.cut import accusing as accusing
from deniable.auditing.statistics.cut import counted as counted
from deniable.auditing.statistics.cut import decides as decides
from deniable.auditing.statistics.cut import decides_exactly as decides_exactly
from deniable.auditing.statistics.cut import deciding as deciding
from deniable.auditing.statistics.cut import enough as enough
from deniable.auditing.statistics.cut import rate_region as rate_region
from deniable.auditing.statistics.cut import thresholds as thresholds
from deniable.auditing.statistics.cut import verdict as verdict
from deniable.auditing.statistics.cut import visible as visible
from deniable.auditing.statistics.cut import worst_records as worst_records
from deniable.auditing.statistics.exact import RunShares as RunShares
from deniable.auditing.statistics.exact import anytime_limit as anytime_limit
from deniable.auditing.statistics.exact import lower_limit as lower_limit
from deniable.auditing.statistics.exact import p_value as p_value
from deniable.auditing.statistics.exact import share_needed as share_needed
