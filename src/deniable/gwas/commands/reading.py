"""The options that say how a study is read: one list for all commands that read one."""

from pathlib import Path
from typing import Annotated, Any

import typer

import deniable
from deniable.cli.option_groups import Gathered, Options, in_place_of

Reading = Gathered
"""Arguments of `deniable.gwas.scan`, `release` and `utility` that say how the study is read."""

_OPTIONS: Options = {
    "pheno": (
        "phenotype",
        Annotated[
            Path | None,
            typer.Option(
                metavar="FILE",
                help="Phenotype file: family, individual, phenotype (1 control, 2 case).",
            ),
        ],
        None,
    ),
    "pheno_name": (
        "phenotype_name",
        Annotated[
            str | None,
            typer.Option(metavar="NAME", help="Which of several phenotypes in the file."),
        ],
        None,
    ),
    "missing": (
        "missing",
        Annotated[
            str,
            typer.Option(
                metavar="refuse|major|panel",
                help="Missing genotypes: refuse them, or count them as two copies of allele 2, or "
                "as the panel's most frequent genotype.",
            ),
        ],
        "refuse",
    ),
    "multiallelic": (
        "multiallelic",
        Annotated[
            str,
            typer.Option(
                metavar="refuse|leave-out|split",
                help="Lines with several alternative alleles: refuse the file, leave them out, or "
                "make each alternative a variant.",
            ),
        ],
        "refuse",
    ),
    "autosomes": (
        "autosomes",
        Annotated[
            int,
            typer.Option(
                metavar="N", help="Pairs of autosomes of the species; X has the next number."
            ),
        ],
        22,
    ),
}


def _file(words: str) -> Any:
    return Annotated[Path | None, typer.Option(metavar="FILE", help=words)]


_FILTERS: Options = {
    "extract": ("extract", _file("Only the variants of this public list, one name a line."), None),
    "exclude": ("exclude", _file("All variants but those of this public list."), None),
    "keep": ("keep", _file("Only the people of this list: family and individual a line."), None),
    "remove": ("remove", _file("All people but those of this list."), None),
    "chr_": (
        "chromosomes",
        Annotated[
            str,
            typer.Option("--chr", metavar="NAMES", help="Only these chromosomes, between commas."),
        ],
        "",
    ),
    "min_frequency": (
        "min_frequency",
        Annotated[
            float | None,
            typer.Option(metavar="F", help="Least frequency of the rarer allele in the panel."),
        ],
        None,
    ),
    "panel": (
        "panel",
        Annotated[
            Path | None,
            typer.Option(
                metavar="PREFIX|FILE",
                help="Other people: PLINK files, or PLINK's .frq or .afreq; variants that it lacks "
                "are left out.",
            ),
        ],
        None,
    ),
}
"""The same for what makes `deniable.gwas.Filters`."""


def _read(given: Gathered) -> Gathered:
    """The arguments, with the filters among them made one where one was asked for."""
    filters = {argument: given.pop(argument) for argument, *_ in _FILTERS.values()}
    if any(value not in (None, "") for value in filters.values()):
        given["filters"] = deniable.gwas.Filters(**filters)
    return given


filtered_reading = in_place_of("reading", _OPTIONS | _FILTERS, _read)
"""How a study is read, public filters among it."""

filters_alone = in_place_of("reading", _FILTERS, _read)
"""The filters, and nothing else."""
