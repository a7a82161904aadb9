"""Where a study lies: PLINK, VCF, BGEN or a table of counts, distinguished by name."""

from pathlib import Path

import attrs

from deniable.gwas.chromosomes import autosomal
from deniable.gwas.files.bgen import SUFFIX as BGEN_SUFFIX
from deniable.gwas.files.bgen import BgenFile
from deniable.gwas.files.filters import Lists
from deniable.gwas.files.how_read import HowRead, Multiallelic
from deniable.gwas.files.pgen import SUFFIXES as PGEN_SUFFIXES
from deniable.gwas.files.pgen import PgenFile
from deniable.gwas.files.plink import PlinkStudy, file_of, plink_study
from deniable.gwas.files.vcf import SUFFIXES as VCF_SUFFIXES
from deniable.gwas.files.vcf import VcfFile

_PACKED = (".gz", ".bgz")

GenotypeFile = VcfFile | PgenFile | BgenFile
"""A file that is read line by line; those of PLINK 1 are read at any place."""


@attrs.frozen
class StudySource:
    """Where a study lies, and how it is to be read."""

    path: Path
    how: HowRead
    lists: Lists

    @classmethod
    def of(
        cls,
        prefix: str | Path,
        phenotype: str | Path | None,
        phenotype_name: str | None,
        multiallelic: str | Multiallelic,
        autosomes: int,
        lists: Lists,
    ) -> "StudySource":
        """The source of raw arguments, checked."""
        autosomal([], autosomes)
        status = None if phenotype is None else Path(phenotype)
        rule = Multiallelic.of(multiallelic)
        return cls(Path(prefix), HowRead(status, phenotype_name, autosomes, rule), lists)

    @property
    def suffix(self) -> str:
        """What the name ends in, .pgen where only PLINK 2's files have this prefix."""
        suffix = _suffix(self.path)
        if suffix in PGEN_SUFFIXES:
            return ".pgen"
        if suffix in (*VCF_SUFFIXES, BGEN_SUFFIX, ".tsv", ".bed"):
            return suffix
        of_two = not file_of(self.path, "bed").exists() and file_of(self.path, "pgen").is_file()
        return ".pgen" if of_two else ".bed"

    def open_file(self) -> GenotypeFile | None:
        """The file with the people whom lists leave, or None for PLINK 1 or counts."""
        if (file := self._file()) is not None:
            file.individuals = self.lists.people(file.individuals, self.path)
        return file

    def _file(self) -> GenotypeFile | None:
        match self.suffix:
            case ".pgen":
                named = self.path.suffix in PGEN_SUFFIXES
                return PgenFile(self.path.with_suffix("") if named else self.path, self.how)
            case ".bgen":
                return BgenFile(self.path, self.how)
            case suffix if suffix in VCF_SUFFIXES:
                return VcfFile(self.path, self.how)
            case _:
                return None

    def plink(self) -> PlinkStudy:
        """The three files of PLINK 1."""
        study = plink_study(_without_bed(self.path), self.how.phenotype, self.how.phenotype_name)
        return attrs.evolve(study, individuals=self.lists.people(study.individuals, self.path))


def holds_counts(path: Path) -> bool:
    """Whether its name is that of a table of counts, which nobody's genotype can be read from."""
    return _suffix(path) == ".tsv"


def _suffix(path: Path) -> str:
    name = path.name.lower()
    for packed in _PACKED:
        name = name.removesuffix(packed)
    return Path(name).suffix


def _without_bed(path: Path) -> Path:
    return path.with_suffix("") if path.suffix == ".bed" else path
