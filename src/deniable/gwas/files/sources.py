"""The place of a study, and how its files are opened."""

from pathlib import Path

import attrs

from deniable.errors import InvalidArgument
from deniable.gwas.files.bgen import SUFFIX as BGEN_SUFFIX
from deniable.gwas.files.bgen import BgenFile
from deniable.gwas.files.filters import Lists
from deniable.gwas.files.how_read import HowRead, Multiallelic
from deniable.gwas.files.individuals import Individuals
from deniable.gwas.files.lines import plain_or_packed
from deniable.gwas.files.pgen import PgenFile
from deniable.gwas.files.plink import PLINK_2, PlinkStudy, file_of, plink_study
from deniable.gwas.files.several import StudyFiles, StudyPath
from deniable.gwas.files.vcf import SUFFIXES as VCF_SUFFIXES
from deniable.gwas.files.vcf import VcfFile
from deniable.gwas.files.vcz import SUFFIXES as ZARR_SUFFIXES
from deniable.gwas.files.vcz import VczFile
from deniable.gwas.genotypes import autosomal

_PACKED = (".gz", ".bgz")
GenotypeFile = VcfFile | VczFile | PgenFile | BgenFile
"""A file that is not PLINK 1's."""


@attrs.frozen
class StudySource:
    """The place of a study, and how it is to be read."""

    path: Path
    how: HowRead
    lists: Lists

    @classmethod
    def of(
        cls,
        prefix: StudyPath | StudyFiles,
        phenotype: str | Path | None,
        phenotype_name: str | None,
        multiallelic: str | Multiallelic,
        autosomes: int,
        lists: Lists,
    ) -> "tuple[StudySource, ...]":
        """The source of each file of raw arguments, checked."""
        autosomal([], autosomes)
        status = None if phenotype is None else Path(phenotype)
        rule = Multiallelic(multiallelic)
        how = HowRead(status, phenotype_name, autosomes, rule, lists.order)
        sources = tuple(cls(path, how, lists) for path in StudyFiles.of(prefix).paths)
        if lists.order is not None and all(each.suffix != BGEN_SUFFIX for each in sources):
            raise InvalidArgument(
                "Expected a BGEN file with allele_order (--allele-order), got "
                f"{sources[0].path}. Leave it out: a VCF and a .pvar file say which allele is the "
                "reference, and in a .bim file it is the second one."
            )
        return sources

    @property
    def suffix(self) -> str:
        """What the name ends in, .pgen where only PLINK 2's files have this prefix."""
        return kind_of(self.path)

    def open_file(self) -> GenotypeFile | None:
        """The file with the people whom lists leave, or None for PLINK 1 or counts."""
        file: GenotypeFile
        match self.suffix:
            case ".pgen":
                named = self.path.suffix in PLINK_2
                file = PgenFile(self.path.with_suffix("") if named else self.path, self.how)
            case ".bgen":
                file = BgenFile(self.path, self.how)
            case suffix if suffix in VCF_SUFFIXES:
                file = VcfFile(self.path, self.how)
            case suffix if suffix in ZARR_SUFFIXES:
                file = VczFile(self.path, self.how)
            case _:
                return None
        file.individuals = self.lists.people(file.individuals, self.path)
        return file

    def people(self) -> Individuals | None:
        """Everybody in the file, or None for a table of counts."""
        if self.suffix == ".tsv":
            return None
        file = self.open_file()
        return self.plink().individuals if file is None else file.individuals

    @property
    def fam(self) -> Path:
        """The file of people of PLINK 1."""
        return plain_or_packed(file_of(self.prefix, "fam"))

    def plink(self, people: Individuals | None = None) -> PlinkStudy:
        """The three files of PLINK 1, of people who are known or are read."""
        how = self.how
        study = plink_study(self.prefix, how.phenotype, how.phenotype_name, people)
        if people is not None:
            return study
        return attrs.evolve(study, individuals=self.lists.people(study.individuals, self.path))

    @property
    def prefix(self) -> Path:
        """The name that the three files of PLINK 1 begin with."""
        return self.path.with_suffix("") if self.path.suffix == ".bed" else self.path


def holds_counts(study: StudyFiles) -> bool:
    """Whether a name is that of a table of counts, which nobody's genotype can be read from."""
    return any(_suffix(path) == ".tsv" for path in study.paths)


def is_plink(study: StudyFiles) -> bool:
    """Whether all names are prefixes of bed, bim and fam files."""
    return all(kind_of(path) == ".bed" for path in study.paths)


def kind_of(path: Path) -> str:
    """The end of the name that says the format."""
    suffix = _suffix(path)
    if suffix in PLINK_2:
        return ".pgen"
    if suffix in (*VCF_SUFFIXES, *ZARR_SUFFIXES, BGEN_SUFFIX, ".tsv", ".bed"):
        return suffix
    of_two = not file_of(path, "bed").exists() and file_of(path, "pgen").is_file()
    return ".pgen" if of_two else ".bed"


def _suffix(path: Path) -> str:
    name = path.name.lower()
    for packed in _PACKED:
        name = name.removesuffix(packed)
    return Path(name).suffix
