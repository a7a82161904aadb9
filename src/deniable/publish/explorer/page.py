"""The explorer's page: markup, style, script and public numbers; it asks for nothing else."""

import base64
import hashlib
import json
import re
from collections.abc import Mapping
from importlib import resources
from typing import Any

from deniable.report.html import text
from deniable.report.style import stylesheet

SCRIPTS = (
    "numbers.js",
    "beliefs.js",
    "targets.js",
    "noise.js",
    "counts.js",
    "variants.js",
    "trainings.js",
    "rules.js",
)
"""Formulas: they touch no page, so that they run anywhere."""
_PAGE_SCRIPTS = (
    "draw.js",
    "belief_tab.js",
    "plan_tab.js",
    "more_tabs.js",
    "rules_tab.js",
    "export.js",
    "main.js",
)
"""What shows them."""
MOST_BYTES = 96 * 1024
"""Bytes of a page, small enough for any mail; where it would pass, a plan's text is left out."""
_COMMENT = ("//", "/*", "*")
"""What a line of nothing but a comment begins with."""
_SPACE = re.compile(r"\s*([{};,])\s*")
"""Space that no rule of a style sheet needs; what is quoted in ours holds none of these signs."""
_TOKENS = re.compile(r"""("[^"]*"|`[^`]*`)|[ ]*([=+*/<>?:&|!{}();,[\]-])[ ]*""")
"""In a line of script: a text, or a sign with the blanks around it."""


def page(public: Mapping[str, Any], made: str) -> str:
    """The whole page.

    Parameters
    ----------
    public : mapping
        `curves`, `trainings`, `rules` and perhaps `plan`; all of it may be known.
    made : str
        By which program it was made.
    """
    style = _SPACE.sub(r"\1", stylesheet(charts=False) + "\n" + _read("explorer.css"))
    code = script(*SCRIPTS, *_PAGE_SCRIPTS)
    policy = (
        f"default-src 'none'; script-src '{_hash(code)}'; style-src '{_hash(style)}'; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )
    filled = {
        "csp": policy,
        "style": style,
        "made": text(made),
        "public": _embed(public),
        "script": code,
    }
    pieces = _read("explorer.html").split("@")
    return "".join(filled[piece] if i % 2 else piece for i, piece in enumerate(pieces))


def within_size(public: dict[str, Any], made: str) -> str:
    """The page; without the plan's own text where that is what makes it too large."""
    html = page(public, made)
    if len(html.encode("utf-8")) <= MOST_BYTES or public.get("plan") is None:
        return html
    return page(public | {"plan": public["plan"] | {"toml": ""}}, made)


def script(*files: str) -> str:
    """Script files one after the other, without remarks, and without blanks around signs.

    Lines stay lines, so that a browser's messages can be read beside the files.
    """
    lines = [line.strip() for file in files for line in _read("script", file).splitlines()]
    kept = (line for line in lines if line and not line.startswith(_COMMENT))
    return '"use strict";\n' + "\n".join(map(_without_blanks, kept)) + "\n"


def _without_blanks(line: str) -> str:
    """No `- -` or `+ +` stands in our scripts, which would become another sign."""
    return _TOKENS.sub(lambda match: match[1] or match[2], line)


def _embed(public: Mapping[str, Any]) -> str:
    """JSON in which no markup ends or begins."""
    document = json.dumps(public, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return document.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")


def _hash(content: str) -> str:
    digest = hashlib.sha256(content.encode("utf-8")).digest()
    return f"sha256-{base64.b64encode(digest).decode('ascii')}"


def _read(*place: str) -> str:
    return resources.files("deniable.publish.explorer").joinpath(*place).read_text("utf-8")
