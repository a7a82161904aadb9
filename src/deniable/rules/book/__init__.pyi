"""The public names, and where each stands: read by type checkers and by `lazy_exports`."""

from deniable.rules.book.record import Edition as Edition
from deniable.rules.book.record import TablesBook as TablesBook
from deniable.rules.book.record import add as add
from deniable.rules.book.record import check as check
from deniable.rules.book.record import new as new
from deniable.rules.book.record import show as show
