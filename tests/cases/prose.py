"""What the house says, taken apart: a refusal, the command line's lines, a report's page.

A test compares a part (a message's place, a table's cell) with all that should stand there;
a substring would be found anywhere, in another sentence as well.
"""

import html.parser
import itertools
import re
from fractions import Fraction

import attrs

_QUOTED = r'"(?:[^"\\…]|\\.)*["…]'
"""A text in quotation marks, or the beginning of one that was cut."""
_REFUSAL = re.compile(
    rf"Expected (?P<expected>(?:{_QUOTED}|.)+?), got (?P<got>(?:{_QUOTED}|.)+?)"
    rf"(?: at (?P<place>(?:{_QUOTED}|.)+?))?\.(?: (?P<remedy>[A-Z0-9].*[.?]))?"
)


@attrs.frozen
class Refusal:
    """`Expected <expected>, got <got> [at <place>]. [<remedy>]`; empty where nothing stands."""

    expected: str
    got: str
    place: str
    remedy: str

    def parts(self, *names: str) -> dict[str, str]:
        """Some of its parts by name."""
        return {name: getattr(self, name) for name in names}


def refusal_of(error: object, within: str = "") -> Refusal:
    """The parts of one error message; fails where it leaves the house's pattern.

    With `within`, such as a file, the place is what follows it, and it must stand there.

    Examples
    --------
    >>> refusal_of('Expected a number, got "2" at plan.toml, [target], gamma. Write 2.')
    Refusal(expected='a number', got='"2"', place='plan.toml, [target], gamma', remedy='Write 2.')
    """
    message = str(error).removesuffix("\n")
    found = _REFUSAL.fullmatch(message)
    assert found, f"No message by the pattern: {message}"
    refusal = Refusal(**{part: text or "" for part, text in found.groupdict().items()})
    if not within:
        return refusal
    _, inside, place = refusal.place.rpartition(within)
    assert inside, f"Not within {within}: {message}"
    return attrs.evolve(refusal, place=place.removeprefix(", "))


def labelled(text: str) -> list[list[tuple[str, str]]]:
    """What a command prints: the name and the value of each line, by paragraphs.

    A sentence is a name without a value.

    Examples
    --------
    >>> labelled("budget      epsilon 1\\n  rests on  a proof\\n\\nThat is all.")
    [[('budget', 'epsilon 1'), ('rests on', 'a proof')], [('That is all.', '')]]
    """
    pairs = ((*re.split(" {2,}", line.strip(), maxsplit=1), "")[:2] for line in text.splitlines())
    paragraphs = itertools.groupby(pairs, key=lambda pair: bool(pair[0]))
    return [list(lines) for filled, lines in paragraphs if filled]


@attrs.frozen
class Table:
    """One table of a page: its caption, its columns' names and its cells by row."""

    caption: str
    head: list[str]
    cells: list[list[str]]

    @property
    def rows(self) -> list[dict[str, str]]:
        """Each row by the columns' names, which must differ."""
        assert len(set(self.head)) == len(self.head)
        return [dict(zip(self.head, row, strict=True)) for row in self.cells]


def probability_of(words: str) -> Fraction:
    """Return the probability that a page states.

    Examples
    --------
    >>> probability_of("12.5 %"), probability_of("3 in 10,000")
    (Fraction(1, 8), Fraction(3, 10000))
    """
    if words.endswith("%"):
        return Fraction(words.removesuffix("%").strip()) / 100
    part, total = words.replace(",", "").split(" in ")
    return Fraction(part) / Fraction(total.replace("10^", "1e"))


_VOID = frozenset({"meta", "link", "br"})
_HEADINGS = frozenset({"h1", "h2", "h3", "h4"})
_PARAGRAPHS = frozenset({"p", "li", "figcaption"})
_BLOCKS = _HEADINGS | _PARAGRAPHS | {"dt", "dd", "th", "td", "caption", "title", "desc"}


class Page(html.parser.HTMLParser):
    """Reads a page, or a piece of one, and complains about what no valid page has.

    `sections` holds the paragraphs, list items and notes below each heading, those above the first
    below ""; `facts` each list of terms with their descriptions, one a line; `alts` title and
    description of each picture.
    """

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []
        self.title = ""
        self.headings: list[str] = []
        self.sections: dict[str, list[str]] = {"": []}
        self.facts: list[dict[str, str]] = []
        self.tables: list[Table] = []
        self.alts: list[tuple[str, str]] = []
        self._blocks: list[list[str]] = []
        self._term = ""
        self.feed(text)
        self.close()
        assert self.open == []

    @property
    def paragraphs(self) -> list[str]:
        """Of all sections, in order."""
        return [each for told in self.sections.values() for each in told]

    def all(self, *names: str) -> list[dict[str, str | None]]:
        """The attributes of every element of these names."""
        return [attributes for tag, attributes in self.tags if tag in names]

    def handle_starttag(self, tag, attributes):
        names = [name for name, _ in attributes]
        assert len(set(names)) == len(names)
        self.tags.append((tag, dict(attributes)))
        if tag in _VOID:
            self._say(" ")
            return
        self.open.append(tag)
        if tag in _BLOCKS:
            self._blocks.append([])
        elif tag == "table":
            self.tables.append(Table("", [], []))
        elif tag == "dl":
            self.facts.append({})
        elif tag == "tr" and "tbody" in self.open:
            self.tables[-1].cells.append([])
        elif "td" in self.open:
            self._say(" ")  # a second line of a cell

    def handle_startendtag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag
        if tag in _BLOCKS:
            self._keep(tag, " ".join("".join(self._blocks.pop()).replace("\u2060", "").split()))

    def handle_data(self, data):
        if "style" not in self.open:
            self.words.append(data)
        self._say(data)

    def _say(self, text):
        if self._blocks and ("svg" not in self.open or self.open[-1] in _BLOCKS):
            self._blocks[-1].append(text)

    def _keep(self, tag, text):
        if tag in _HEADINGS:
            self.headings.append(text)
            self.sections.setdefault(text, [])
        elif tag in _PARAGRAPHS:
            self.sections[self.headings[-1] if self.headings else ""].append(text)
        elif tag == "dt":
            self._term = text
        elif tag == "dd":
            before = self.facts[-1].get(self._term)
            self.facts[-1][self._term] = text if before is None else f"{before}\n{text}"
        elif tag == "title" and "svg" in self.open:
            self.alts.append((text, ""))
        elif tag == "title":
            self.title = text
        elif tag == "desc":
            self.alts[-1] = (self.alts[-1][0], text)
        elif tag == "caption":
            self.tables[-1] = attrs.evolve(self.tables[-1], caption=text)
        elif "thead" in self.open:
            self.tables[-1].head.append(text)
        else:
            self.tables[-1].cells[-1].append(text)
