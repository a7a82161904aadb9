"""Pages from templates: their words stand in files of HTML, and whatever is put in is escaped."""

from typing import Any

from deniable.errors.late import late
from deniable.report.html import Html

jinja: Any = late("deniable.report.environment")

Section = tuple[str, str, Html]
"""Its name on the page, its heading, its content."""


def render(template: str, **values: Any) -> Html:
    """A template filled in; each value but markup of this package is escaped.

    `template` is its package below deniable, and its file there in `templates`. A value that it
    names and does not get is an error.
    """
    return Html(jinja.environment().get_template(template).render(values))


def section(identifier: str, template: str, **values: Any) -> Section:
    """A section of a page, whose heading its template sets as `title`."""
    module = jinja.environment().get_template(template).make_module(values)
    return identifier, module.title, Html(module)
