"""Options that several commands of `deniable gwas` share."""

from pathlib import Path
from typing import Annotated

import typer

Study = Annotated[
    Path,
    typer.Argument(
        metavar="PREFIX",
        help="Prefix of .bed, .bim and .fam files, or of .pgen, .pvar and .psam; or a .vcf[.gz] or "
        ".bgen file, or a .tsv of counts.",
    ),
]
Out = Annotated[Path, typer.Option(metavar="DIR", help="A new or empty folder.")]
Gamma = Annotated[
    float | None,
    typer.Option(metavar="G", help="Largest factor by which a belief in membership may grow."),
]
Epsilon = Annotated[
    float | None, typer.Option(metavar="E", help="The budget ε, instead of --gamma.")
]
Prior = Annotated[
    tuple[float, float] | None,
    typer.Option(
        metavar="LOW HIGH",
        help="What you assume the adversary may believe before; by default the adjacency's.",
    ),
]
AdjacencyOption = Annotated[
    str,
    typer.Option(
        metavar="genotype|swap",
        help="genotype: is this genome in the study? swap: is this participant a case?",
    ),
]
Title = Annotated[str | None, typer.Option(metavar="TEXT", help="The report's title.")]
Organisation = Annotated[str | None, typer.Option(metavar="TEXT", help="Who releases it.")]
Contact = Annotated[str | None, typer.Option(metavar="TEXT", help="Whom readers may ask.")]
Text = Annotated[
    str | None, typer.Option(metavar="TEXT", help="A text of your own for the report's beginning.")
]
LedgerOption = Annotated[
    str | None,
    typer.Option(metavar="FILE|URL", help="Charge it to a dataset of this ledger before noise."),
]
DatasetOption = Annotated[
    str | None, typer.Option(metavar="NAME", help="The dataset of the ledger, whose budget it is.")
]
