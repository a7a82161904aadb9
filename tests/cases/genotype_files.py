"""Small studies written by hand, without the package: calls and groups to files."""

from collections.abc import Sequence
from pathlib import Path

from tests.oracles.genotypes import bed_bytes

STATUS = {"case": 2, "control": 1, "unknown": -9}

Calls = Sequence[Sequence[int | None]]

CALLS = ((2, 1, 0, None, 1), (0, 0, 1, 1, 2), (None, 1, 1, 0, 0))
GROUPS = ("case", "control", "case", "control", "unknown")
CASES = [[1, 0, 1, 0], [1, 1, 0, 0], [0, 1, 0, 1]]
CONTROLS = [[0, 1, 0, 1], [1, 1, 0, 0], [1, 1, 0, 0]]

VCF_HEADER = (
    "##fileformat=VCFv4.2\n"
    "##contig=<ID=1>\n"
    '##FORMAT=<ID=GT,Number=1,Type=String,Description="Genotype">\n'
    '##FORMAT=<ID=DP,Number=1,Type=Integer,Description="Depth">\n'
)
VCF_WORDS = {0: "0/0", 1: "0|1", 2: "1/1", None: "./."}


def fam_line(index: int, group: str) -> str:
    return f"f{index} i{index} 0 0 0 {STATUS[group]}\n"


def bim_line(index: int) -> str:
    return f"{min(index + 1, 22)}\trs{index}\t0\t{100 * index}\tA\tG\n"


def plink_files(folder: Path, calls: Calls = CALLS, groups: Sequence[str] = GROUPS) -> Path:
    """PREFIX of the three files."""
    prefix = folder / "study"
    prefix.with_suffix(".bed").write_bytes(bed_bytes(calls))
    fam = "".join(fam_line(*each) for each in enumerate(groups))
    prefix.with_suffix(".fam").write_text(fam)
    prefix.with_suffix(".bim").write_text("".join(map(bim_line, range(len(calls)))))
    return prefix


def phenotype_file(folder: Path, groups: Sequence[str] = GROUPS, header: bool = True) -> Path:
    """Family, individual, phenotype."""
    path = folder / "phenotype.txt"
    lines = [f"f{index} i{index} {STATUS[group]}\n" for index, group in enumerate(groups)]
    path.write_text("FID IID PHENO\n" * header + "".join(lines))
    return path


def vcf_line(index: int, calls: Sequence[int | None], words=VCF_WORDS) -> str:
    columns = "1", str(100 * index + 1), f"rs{index}", "G", "A", ".", ".", ".", "GT"
    return "\t".join((*columns, *(words[call] for call in calls))) + "\n"


def vcf_file(folder: Path, lines: Sequence[str], individuals: int = len(GROUPS)) -> Path:
    """The header with these individuals, and the lines."""
    path = folder / "study.vcf"
    columns = ["#CHROM", "POS", "ID", "REF", "ALT", "QUAL", "FILTER", "INFO", "FORMAT"]
    names = [f"i{index}" for index in range(individuals)]
    path.write_text(VCF_HEADER + "\t".join(columns + names) + "\n" + "".join(lines))
    return path
