"""Each contract on imports is broken by what it forbids: none holds because it says nothing.

import-linter leaves out a forbidden module that lies inside a source module, so a contract can
look as if it were kept while everything may be imported. So every contract is given an import that
it must refuse.
"""

import ast
import copy
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import grimp
import pytest
from importlinter.application import use_cases
from importlinter.configuration import configure
from importlinter.domain.contract import registry

import deniable

PACKAGE = Path(deniable.__file__).parent
configure()
OPTIONS = use_cases.read_user_options(str(Path(__file__).parent.parent / "pyproject.toml"))
CONTRACTS = OPTIONS.contracts_options
use_cases._register_contract_types(OPTIONS)


@pytest.fixture(scope="module")
def graph() -> grimp.ImportGraph:
    return grimp.build_graph("deniable", include_external_packages=True, cache_dir=None)


def is_kept(options: dict[str, Any], graph: grimp.ImportGraph) -> bool:
    """Whether a contract is kept; it may take imports that it ignores out of this graph."""
    kind = registry.get_contract_class(options["type"])
    contract = kind(options["name"], OPTIONS.session_options, options)
    return contract.check(copy.deepcopy(graph), verbose=False).kept


def with_import(graph: grimp.ImportGraph, importer: str, imported: str) -> grimp.ImportGraph:
    planted = copy.deepcopy(graph)
    for each in (importer, imported):
        if each not in planted.modules:
            planted.add_module(each)
    planted.add_import(importer=importer, imported=imported)
    return planted


def refused(options: dict[str, Any], graph: grimp.ImportGraph) -> Iterator[tuple[str, str]]:
    """Imports that a contract must refuse: importer and imported."""
    match options["type"]:
        case "forbidden":
            sources, there = options["source_modules"], options["forbidden_modules"]
            yield from ((f"{sources[0]}.planted", each) for each in there)
            yield from ((f"{each}.planted", there[0]) for each in sources[1:])
        case "protected":
            for each in options["protected_modules"]:
                inside = sorted(m for m in graph.modules if m.startswith(each.rstrip("*")))
                yield "deniable.planted", inside[0]
        case "layers":
            layers = [layer.split(" | ") for layer in options["layers"]]
            for container in options["containers"]:
                yield from (
                    (f"{container}.{below[0]}", f"{container}.{above[0]}")
                    for above, below in pairwise(layers)
                )
                yield from (
                    (f"{container}.{one}", f"{container}.{other}")
                    for layer in layers
                    for one, other in pairwise(layer)
                )


@pytest.mark.parametrize("options", CONTRACTS, ids=[each["name"][:40] for each in CONTRACTS])
def test_a_contract_is_broken_by_what_it_forbids(options, graph):
    assert is_kept(options, graph)
    planted = list(refused(options, graph))
    assert planted
    passed = [each for each in planted if is_kept(options, with_import(graph, *each))]
    assert passed == []


def names(path: Path) -> Iterator[str]:
    """Modules that a file may load, and names that it takes from them; also by a string."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        match node:
            case ast.Import(names=imported):
                yield from (each.name for each in imported)
            case ast.ImportFrom(module=str(module), names=imported):
                yield from (f"{module}.{each.name}" for each in imported)
            case ast.Attribute(value=ast.Name(id=module), attr=name):
                yield f"{module}.{name}"
            case ast.Constant(value=str(text)) if {".", ":"} & {*text} and " " not in text:
                yield text.replace(":", ".")


def naming(*modules: str) -> set[str]:
    """Files of the source, and stubs, that name one of these modules or what is in them."""
    return {
        path.relative_to(PACKAGE).as_posix()
        for path in [*PACKAGE.rglob("*.py"), *PACKAGE.rglob("*.pyi")]
        if any(f"{each}.".startswith(f"{one}.") for each in names(path) for one in modules)
    }


def test_only_two_modules_name_what_draws_noise_for_releases():
    assert naming("opendp") == {"pipeline/noise/sampler.py"}
    assert naming("deniable.pipeline.noise.sampler") == {"pipeline/release.py"}


def test_randomness_of_the_operating_system_draws_no_noise():
    """Those of Python and NumPy are banned by lint."""
    assert naming("secrets", "uuid", "os.urandom", "os.getrandom") == {
        "ledger/ledger.py",  # the id of an entry
        "numerics/operating_system.py",  # the name of a file that is not whole yet
        "population/members.py",  # a salt of the hashes that draw a sample
        "publish/sources/csv_source.py",  # a mark that no field can hold
        "publish/totals/passes.py",  # a salt of the hashes that order rows
        "serve/session.py",  # the name of an edition
        "servers/spark_engine.py",  # names of a table and of a group of tasks
        "studio/pages.py",  # the id of a draft
        "studio/server.py",  # the token of a session
    }
