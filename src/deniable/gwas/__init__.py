"""Genome-wide association studies: from PLINK files to privately released variants.

`release` and `frequencies` publish. `scan`, `utility` and `attack` are for the owner's eyes: what
they give is computed from genotypes without protection.
"""

from typing import TYPE_CHECKING

from deniable.errors.public_names import lazy_exports

__all__ = ["Filters", "attack", "frequencies", "release", "safe", "scan", "simulate", "utility"]

if TYPE_CHECKING:
    from deniable.gwas.allele_frequencies.release import frequencies
    from deniable.gwas.attacks.attack import attack
    from deniable.gwas.attacks.safe import safe
    from deniable.gwas.files.filters import Filters
    from deniable.gwas.owner.scan import scan
    from deniable.gwas.owner.utility import utility
    from deniable.gwas.publication.release import release
    from deniable.gwas.simulation.simulate import simulate
else:
    __getattr__, __dir__ = lazy_exports(
        __name__,
        __all__,
        {
            "Filters": "deniable.gwas.files.filters",
            "attack": "deniable.gwas.attacks.attack",
            "frequencies": "deniable.gwas.allele_frequencies.release",
            "release": "deniable.gwas.publication.release",
            "safe": "deniable.gwas.attacks.safe",
            "scan": "deniable.gwas.owner.scan",
            "simulate": "deniable.gwas.simulation.simulate",
            "utility": "deniable.gwas.owner.utility",
        },
    )
