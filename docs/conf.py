"""How Sphinx builds the site: `make docs`."""

from pathlib import Path
from typing import Any

from docutils import nodes
from latex2mathml.converter import convert
from pygments.lexers.special import TextLexer
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

import deniable
from docs.python import names_again, topics

ROOT = Path(__file__).resolve().parents[1]


project = "Deniable"
author = "The authors of Deniable"
version = release = deniable.__version__
root_doc = "docs/index"
include_patterns = [
    *("*.md", "docs/**.md", "distribution/*.md", "reproductions/**.md"),
    "docs/reference/api/*.rst",
]
exclude_patterns = ["README.md"]  # the site has a front page of its own
extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx_design",
]
templates_path = [str(ROOT / "docs" / "_templates")]

myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 4
nitpicky = True
nitpick_ignore_regex = [("py:.*", ".*")]  # a signature names types of NumPy, pandas and the like

autosummary_generate = True
autosummary_context = {
    "topics": {f"deniable.{each}" for each in topics()},
    "again": names_again(),
}
autosummary_imported_members = True  # every public name is defined in a module that is private
autosummary_ignore_module_all = False
autodoc_typehints = "none"  # types stand with the parameters; those of arrays are pages long
toc_object_entries_show_parents = "hide"
python_maximum_signature_line_length = 88
numpydoc_show_class_members = False

html_theme = "pydata_sphinx_theme"
html_title = "Deniable"
html_static_path = ["_static"]
html_css_files = ["deniable.css"]
html_js_files = ["deniable.js"]
html_use_index = False
html_domain_indices = False
html_copy_source = False
html_show_sourcelink = False
html_theme_options = {
    "logo": {"text": "Deniable"},
    "navbar_align": "left",
    "navbar_end": ["theme-switcher"],
    "footer_start": [],
    "footer_end": [],
    "show_prev_next": False,
    "collapse_navigation": True,  # hundreds of names would stand in the menu of every page
    "secondary_sidebar_items": ["page-toc"],
    "search_bar_text": "Search",
}
html_sidebars = {root_doc: []}

BIBLIOGRAPHY = "docs/reference/bibliography"


def resolve_citation(
    app: Sphinx, _: BuildEnvironment, node: addnodes.pending_xref, _content: nodes.Element
) -> nodes.reference | None:
    """Lead a key of a paper, such as `[li-2013]_` in a docstring, to the bibliography."""
    if node.get("refdomain") != "citation":
        return None
    key = node["reftarget"]
    address = app.builder.get_relative_uri(node["refdoc"], BIBLIOGRAPHY)
    return nodes.reference("", f"[{key}]", internal=True, refuri=f"{address}#{key}")


def write_inline_formula(translator: Any, node: nodes.math) -> None:
    """Write a formula as MathML, which browsers draw without a script."""
    translator.body.append(convert(node.astext()))
    raise nodes.SkipNode


def write_formula(translator: Any, node: nodes.math_block) -> None:
    """Write a formula that stands alone."""
    translator.body.append(f'<div class="math">{convert(node.astext(), display="block")}</div>')
    raise nodes.SkipNode


def write_first_page(app: Sphinx, error: Exception | None) -> None:
    """Lead from the folder of the site to its front page."""
    if error is None:
        to = f"{root_doc}.html"
        Path(app.outdir, "index.html").write_text(
            f'<!doctype html><meta http-equiv="refresh" content="0; url={to}">'
            f'<title>Deniable</title><a href="{to}">Deniable</a>\n',
            encoding="utf-8",
        )


def setup(app: Sphinx) -> None:
    """Register what Sphinx does not know."""
    app.add_lexer("mermaid", TextLexer)
    app.add_lexer("csv", TextLexer)
    app.add_html_math_renderer("mathml", (write_inline_formula, None), (write_formula, None))
    app.connect("missing-reference", resolve_citation)
    app.connect("build-finished", write_first_page)


html_math_renderer = "mathml"
