"""The public names, and where each stands: read by type checkers and by `lazy_exports`."""

from deniable.gwas.commands.answers import print_attack as print_attack
from deniable.gwas.commands.answers import print_release as print_release
