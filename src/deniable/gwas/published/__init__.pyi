"""The public names, and where each stands: read by type checkers and by `lazy_exports`."""

from deniable.gwas.published.columns import align as align
from deniable.gwas.published.columns import read_published_table as read_published_table
from deniable.gwas.published.known import Known as Known
from deniable.gwas.published.known import Sizes as Sizes
from deniable.gwas.published.known import add_sizes as add_sizes
from deniable.gwas.published.known import read_release as read_release
from deniable.gwas.published.statistics import GROUPS as GROUPS
from deniable.gwas.published.statistics import PublishedTable as PublishedTable
from deniable.gwas.published.statistics import parse_numbers as parse_numbers
from deniable.gwas.published.statistics import text_table as text_table
