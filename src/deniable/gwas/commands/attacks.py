"""`deniable gwas attack`: what published frequencies give away."""

from pathlib import Path
from typing import Annotated

import typer

import deniable
from deniable.cli.output import announce_written, print_json
from deniable.cli.progress import progress_bar
from deniable.gwas.commands.answers import print_attack
from deniable.gwas.commands.reading import Reading, filters_alone

Autosomes = Annotated[
    int,
    typer.Option(metavar="N", help="Pairs of autosomes of the species; X has the next number."),
]
Published = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE|FOLDER",
        help="What is or will be published; otherwise exact frequencies of everybody.",
    ),
]
On = Annotated[
    str,
    typer.Option(metavar="pool|cases|controls", help="Whose membership is asked about."),
]
Pheno = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Phenotype file: family, individual, phenotype."),
]
Limit = Annotated[
    float | None,
    typer.Option(
        metavar="P", help="The share of members that may be recognised; twice --fpr by default."
    ),
]
Page = Annotated[
    Path | None,
    typer.Option(
        metavar="PAGE.html", help="Write a page that ends in a decision. NOT FOR PUBLICATION."
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]


@filters_alone
def attack(
    prefix: Annotated[
        Path, typer.Argument(metavar="PREFIX", help="The pool whose frequencies are published.")
    ],
    reference: Annotated[
        Path,
        typer.Option(
            metavar="PREFIX2",
            help="Prefix of people from the same population who are not in the pool.",
        ),
    ],
    prune: Annotated[
        float | None,
        typer.Option(
            metavar="R2",
            help="Only variants with r² below this; otherwise five levels are tried.",
        ),
    ] = None,
    fpr: Annotated[
        float, typer.Option(help="False positive rate: share of non-members taken for members.")
    ] = 0.05,
    overlap: Annotated[
        str,
        typer.Option(
            metavar="refuse|leave-out", help="What becomes of the pool's people in the reference."
        ),
    ] = "refuse",
    published: Published = None,
    on: On = "pool",
    pheno: Pheno = None,
    *,
    reading: Reading,
    limit: Limit = None,
    out: Page = None,
    autosomes: Autosomes = 22,
    as_json: Json = False,
) -> None:
    """What gives members away in what is published of a study, NOT FOR PUBLICATION.

    Example: deniable gwas attack study --reference others --published study.assoc --on cases
    """
    with progress_bar("Attacking") as progress:
        answer = deniable.gwas.attack(
            prefix,
            reference,
            prune=prune,
            fpr=fpr,
            overlap=overlap,
            published=published,
            on=on,
            phenotype=pheno,
            limit=limit,
            out=out,
            autosomes=autosomes,
            progress=progress,
            **reading,
        )
    if out is not None:
        announce_written(f"Written to {out}.")
    if as_json:
        print_json(answer.as_json())
        return
    print_attack(answer)
