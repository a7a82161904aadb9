"""The public names, and where each stands: read by type checkers and by `lazy_exports`."""

from deniable.certificate.model import Certificate as Certificate
from deniable.certificate.model import CertifiedPart as CertifiedPart
from deniable.certificate.model import Guarantee as Guarantee
from deniable.certificate.model import Sensitivity as Sensitivity
from deniable.certificate.model import Unit as Unit
from deniable.certificate.results import ResultRow as ResultRow
from deniable.certificate.results import table as table
from deniable.certificate.tables import CertifiedGroup as CertifiedGroup
from deniable.certificate.tables import CertifiedQuery as CertifiedQuery
from deniable.certificate.tables import TableCertificate as TableCertificate
