"""How a file of genotypes is read: what is asked for beside its name."""

from pathlib import Path

import attrs

from deniable.gwas.chromosomes import AUTOSOMES
from deniable.gwas.files.multiallelic import Multiallelic


@attrs.frozen
class HowRead:
    """What every reader of genotypes is told.

    Parameters
    ----------
    phenotype : path, optional
        A phenotype file; without one, phenotypes are those of the study's own files.
    phenotype_name : str, optional
        Which of several phenotypes.
    autosomes : int
        Pairs of autosomes of the species; lines of X, Y and mitochondria are left out.
    multiallelic : Multiallelic
        What becomes of lines with several alternatives.
    """

    phenotype: Path | None = None
    phenotype_name: str | None = None
    autosomes: int = AUTOSOMES
    multiallelic: Multiallelic = Multiallelic.REFUSE
