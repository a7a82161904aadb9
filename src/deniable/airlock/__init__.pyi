"""The public names, and where each stands: read by type checkers and by `lazy_exports`."""

from deniable.airlock.gate import Gated as Gated
from deniable.airlock.gate import GatedFile as GatedFile
from deniable.airlock.gate import gate as gate
