"""The options that say how a study is read: one list for all commands that read one."""

import functools
import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

import deniable

Reading = dict[str, Any]
"""Arguments of `deniable.gwas.scan`, `release` and `utility` that say how the study is read."""

_OPTIONS: dict[str, tuple[str, Any, Any]] = {
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
"""Of each option: the argument in Python, its type for the command line, and the default."""


def _file(words: str) -> Any:
    return Annotated[Path | None, typer.Option(metavar="FILE", help=words)]


_FILTERS: dict[str, tuple[str, Any, Any]] = {
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
_BY_PANEL = ("min_frequency", "panel")


def filtered_reading(command: Callable[..., None]) -> Callable[..., None]:
    """The command with these options, public filters among them, in place of `reading`."""
    return _with_options(command, _OPTIONS, _FILTERS)


def listed_filters(command: Callable[..., None]) -> Callable[..., None]:
    """The command with the filters that need no panel, and nothing else, in place of `reading`."""
    plain = {name: _FILTERS[name] for name in _FILTERS if name not in _BY_PANEL}
    return _with_options(command, {}, plain)


def _with_options(
    command: Callable[..., None],
    files: dict[str, tuple[str, Any, Any]],
    filters: dict[str, tuple[str, Any, Any]],
) -> Callable[..., None]:
    signature = inspect.signature(command)
    own = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=kind)
        for name, (_, kind, default) in (files | filters).items()
    ]
    parameters = [
        each
        for parameter in signature.parameters.values()
        for each in (own if parameter.name == "reading" else [_by_name(parameter)])
    ]

    @functools.wraps(command)
    def run(**words: Any) -> None:
        reading = {argument: words.pop(name) for name, (argument, *_) in files.items()}
        chosen = {argument: words.pop(name) for name, (argument, *_) in filters.items()}
        if any(value not in (None, "") for value in chosen.values()):
            reading["filters"] = deniable.gwas.Filters(**chosen)
        command(**words, reading=reading)

    run.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {each.name: each.annotation for each in parameters}
    return run


def _by_name(parameter: inspect.Parameter) -> inspect.Parameter:
    return parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY)
