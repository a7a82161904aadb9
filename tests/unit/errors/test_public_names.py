import ast
import importlib
import sys
from pathlib import Path

import pytest

import deniable
from deniable.errors.public_names import lazy_exports, named_exports

PACKAGE = Path(deniable.__file__).parent


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A package of two modules whose names stand in its stub."""
    folder = tmp_path / "sample"
    folder.mkdir()
    (folder / "__init__.py").write_text("")
    (folder / "inside.py").write_text("def answer():\n    return 42\n")
    (folder / "__init__.pyi").write_text(
        "from sample import inside as inside\nfrom sample.inside import answer as answer\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    yield str(folder / "__init__.py")
    for name in ("sample", "sample.inside", "sample.measure"):
        sys.modules.pop(name, None)


def test_a_name_of_a_stub_is_imported_when_it_is_used(package):
    importlib.import_module("sample")
    getattr_, dir_, names = lazy_exports("sample", package)
    assert dir_() == names == ["answer", "inside"]
    assert "sample.inside" not in sys.modules
    assert getattr_("answer")() == 42
    assert getattr_("inside") is sys.modules["sample.inside"]


def test_an_exported_function_stands_before_the_module_of_its_name(package):
    Path(package).with_name("measure.py").write_text("def measure():\n    return 7\n")
    stub = Path(package).with_suffix(".pyi")
    stub.write_text(stub.read_text() + "from sample.measure import measure as measure\n")
    Path(package).write_text(
        "from deniable.errors.public_names import lazy_exports\n"
        "__getattr__, __dir__, __all__ = lazy_exports(__name__, __file__)\n"
    )
    sample = importlib.import_module("sample")
    module = importlib.import_module("sample.measure")  # as a neighbour in the package would
    assert sample.measure() == module.measure() == 7
    assert sample.inside is sys.modules["sample.inside"]


@pytest.mark.parametrize(
    "stub", sorted(PACKAGE.rglob("*.pyi")), ids=lambda path: path.parent.name + "." + path.stem
)
def test_each_line_of_a_stub_exports_a_name_that_is_there(stub):
    body = [node for node in ast.parse(stub.read_text()).body if not isinstance(node, ast.Expr)]
    parts = (PACKAGE.name, *stub.relative_to(PACKAGE).with_suffix("").parts)
    name = ".".join(parts).removesuffix(".__init__")
    package = importlib.import_module(name)
    imports = [
        node
        for node in ast.walk(ast.Module(body, []))
        if isinstance(node, ast.ImportFrom) and node.module != "typing"
    ]
    aliases = [alias for node in imports for alias in node.names]
    exported = [alias.name for alias in aliases]
    assert sorted(exported) == package.__all__ == dir(package)
    assert all(hasattr(package, each) for each in exported)
    assert all(alias.asname == alias.name for alias in aliases)
    if name.count(".") == 2:  # contracts between packages do not see a stub's lines
        places = {node.module for node in imports}
        outside = {place for place in places if not f"{place}.".startswith(f"{name}.")}
        priors = {"deniable.notions.adversaries", "deniable.notions.households"}
        assert outside <= {"deniable.notions.training"} | priors
    rest = [
        ast.unparse(node).split("\n")[0] for node in body if not isinstance(node, ast.ImportFrom)
    ]
    assert rest == ["if TYPE_CHECKING:", "__version__: str"] * (name == "deniable")


@pytest.mark.parametrize(
    ("name", "rest"),
    [
        ("calibarte", r' Did you mean "calibrate"\?'),
        ("Calibrate", r' Did you mean "calibrate"\?'),
        ("nonsense", r" Those are in dir\(sample\)\."),
        ("__wrapped__", ""),
    ],
)
def test_a_name_that_is_not_public_is_refused_with_the_nearest_one(name, rest):
    getattr_, _ = named_exports("sample", ["calibrate", "check"])
    expected = rf"^Expected a public name of sample, got '{name}'\.{rest}$"
    with pytest.raises(AttributeError, match=expected):
        getattr_(name)


def test_a_public_function_is_one_object_and_another_in_its_place_is_that(monkeypatch):
    assert deniable.derive is deniable.derive
    assert deniable.training.calibrate is deniable.calibrate_training
    for number in (1, 2):

        def other(number=number):
            return number

        monkeypatch.setattr("deniable.theorems.derive.derive", other)
        assert deniable.derive() == number
