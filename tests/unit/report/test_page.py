"""A page: its frame, its words and its looks."""

import re
from itertools import product

import attrs
import pytest
from jinja2 import UndefinedError

from deniable.errors import InvalidArgument
from deniable.report import html
from deniable.report.environment import environment
from deniable.report.heading import LONGEST, TITLE, Heading, given_words
from deniable.report.headline import icon_array
from deniable.report.html import PALETTE, Html, forbid_breaks, legible, name, stylesheet, text
from deniable.report.page import (
    appendices,
    format_entry,
    guarantee_sections,
    page,
    plan_appendix,
)
from deniable.report.sentences import factor
from tests.cases.prose import Page
from tests.cases.refusals import refuses
from tests.cases.sample_certificate import gaussian_certificate, sample_certificate
from tests.cases.sample_study import study_certificate


@pytest.mark.parametrize("make", [sample_certificate, study_certificate])
def test_the_page_has_its_sections_its_contents_and_its_facts(make):
    certificate = make()
    sections = [("own", "A section", text("a < b")), *guarantee_sections(certificate)]
    source = page(certificate, sections)
    found = Page(source)
    assert found.title == TITLE
    headings = [heading for _, heading, _ in sections]
    assert found.headings[1:] == ["Decision", *headings]
    names = ["decision", *(name for name, *_ in sections)]
    assert [each["id"] for each in found.all("h2")] == names
    assert [each["href"] for each in found.all("a")][: len(sections) + 1] == [
        "#uncovered", *(f"#{name}" for name, *_ in sections),
    ]  # fmt: skip
    assert found.sections["Decision"][-len(sections) :] == headings  # the contents
    assert [word for word in found.words if word.startswith("a <")] == ["a < b\n"]
    (facts,) = found.facts
    assert facts.pop("Computed with").startswith("Deniable ")
    assert facts == {
        "Statement, SHA-256": certificate.statement_sha256,
        "For programs": "certificate.json",
    }
    (policy,) = (each for each in found.all("meta") if "http-equiv" in each)
    assert policy["http-equiv"] == "Content-Security-Policy"


@pytest.mark.parametrize(
    ("make", "word"), [(sample_certificate, "plan"), (study_certificate, "release")]
)
def test_who_asked_is_named(make, word):
    certificate = make()
    (why, *_) = guarantee_sections(certificate)
    assert Page(why[2]).paragraphs[0] == (
        f"Each step from the noise to the limit that the {word} requests uses one theorem:"
    )
    (outright, *_) = guarantee_sections(attrs.evolve(certificate, derivation=()))
    assert Page(outright[2]).paragraphs == [
        f"The {word} sets the budget directly, so there is nothing to derive."
    ]


@pytest.mark.parametrize(
    ("asked", "beliefs", "gamma"),
    [
        ({"adjacency": "swap"}, "a belief of exactly 33.3333 %", 4),
        ({"prior": (0.3, 0.7)}, "beliefs between 30 % and 70 %", 2.43),
    ],
)
def test_other_adversaries_are_named_where_there_are_some(asked, beliefs, gamma):
    certificate = study_certificate(**asked)
    told = {name: Page(content) for name, _, content in guarantee_sections(certificate)}
    other, *rest = told["uncovered"].paragraphs
    assert other == (
        f"Other attackers: γ = {factor(certificate.guarantee.gamma)} holds for {beliefs}. For any "
        f"other prior belief, the release promises only γ = {gamma}."
    )
    assert rest == list(certificate.not_covered)


def test_where_anything_may_be_believed_there_are_no_other_adversaries():
    certificate = study_certificate()
    told = {name: Page(content) for name, _, content in guarantee_sections(certificate)}
    assert told["uncovered"].paragraphs == list(certificate.not_covered)


def test_the_headline_stands_in_the_main_part_and_the_title_above_it():
    heading = Heading("Own title", "House", "a@b", "One.\n\nTwo.")
    source = page(sample_certificate(), [], heading=heading)
    found = Page(source)
    assert found.headings == ["Own title", "Decision"]
    assert found.title == heading.window
    order = [tag for tag, _ in found.tags if tag in {"header", "h1", "main"}]
    assert order == ["header", "h1", "main"]
    main = Page(re.search(r"<main>.*</main>", source, re.DOTALL)[0])
    assert [each for each in main.all("p") if each.get("class") == "lead"] == [{"class": "lead"}]


def test_theorems_are_listed_where_there_are_any():
    certificate = sample_certificate()
    assert [name for name, *_ in appendices(certificate)] == ["theorems", "glossary"]
    assert [name for name, *_ in appendices(attrs.evolve(certificate, derivation=()))] == [
        "glossary"
    ]


def test_a_caution_stands_above_everything_else_in_the_main_part():
    certificate = sample_certificate()
    assert {"class": "caution"} not in Page(page(certificate, [])).all("div")
    nobody = attrs.evolve(
        certificate.guarantee, epsilon=1e6, gamma=1e300, gamma_outside=1e300,
        attack_success=1.0, advantage=1.0,
    )  # fmt: skip
    source = page(attrs.evolve(certificate, guarantee=nobody), [])
    found = Page(source)
    main = [tag for tag, _ in found.tags].index("main")
    assert found.tags[main + 1] == ("div", {"class": "caution"})
    assert found.sections[TITLE][0].startswith("This protects nobody")


def test_text_escapes_html():
    assert text("<b> & \"quoted\" 'too'") == ("&lt;b&gt; &amp; &quot;quoted&quot; &#x27;too&#x27;")


def test_marks_that_mislead_the_eye_are_replaced():
    assert legible("a\u202eb\x00c\nd\ud800") == "a�b�c d�"
    assert legible("Größe 名 👩\u200d🔬") == "Größe 名 👩\u200d🔬"


def test_names_are_kept_apart_from_the_direction_around_them():
    assert name("<x>") == "<bdi>&lt;x&gt;</bdi>"


def test_markup_stays_markup_and_is_not_escaped_twice():
    assert text(text("<b>")) == "&lt;b&gt;"
    assert isinstance(text("a"), Html)


def filled_in(template: str, **values: object) -> str:
    return environment().from_string(template).render(values)


def test_values_are_escaped_wherever_they_stand():
    made = filled_in('<p class="{{ value }}">{{ value }}</p>', value="a\"'<\u202e")
    assert made == '<p class="a&quot;&#x27;&lt;\ufffd">a&quot;&#x27;&lt;\ufffd</p>'
    assert filled_in("{{ value }}", value=text("<")) == "&lt;"
    assert filled_in('{{ "<" ~ value }}', value=text("<")) == "&lt;&lt;"
    with pytest.raises(UndefinedError, match="missing"):
        filled_in("{{ missing }}")


def test_lines_of_a_template_are_joined_as_they_read():
    source = """
      {# Of no account. #}
      <p>
        Words over
        two lines, {{ value }}
        and more{% if value %}
          of <b>them</b>
        {% endif %}
      </p>
      {{ value }}
      {{ value }}
    """
    assert filled_in(source, value=1) == "<p>Words over two lines, 1 and moreof <b>them</b></p>11"


def test_lists_have_an_item_an_entry():
    assert filled_in("{{ kit.items(['a', '<']) }}") == "<ul><li>a</li><li>&lt;</li></ul>"


def test_a_table_has_caption_scopes_and_a_box_that_scrolls():
    made = filled_in("{{ kit.table('t', 'Title', 'lr', ['a', 'b'], [['x', '1']]) }}")
    assert '<caption id="t-caption"><span>Title</span></caption>' in made
    assert '<th scope="col">a</th><th scope="col" class="number">b</th>' in made
    assert '<th scope="row" class="short">x</th><td class="number">1</td>' in made
    assert made.startswith('<div class="scroll" tabindex="0"')
    assert 'aria-labelledby="t-caption"' in made


def test_a_range_is_not_torn_and_reads_the_same():
    told = forbid_breaks("values clipped to 0…15 & more")
    assert told.replace("\u2060", "") == "values clipped to 0…15 &amp; more"
    assert "\u2060…\u2060" in told


def luminance(colour: str) -> float:
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize(
    ("palette", "role", "ground"),
    list(product([PALETTE, html._DARK], ["ink", "muted", "accent", "target"], ["paper", "panel"])),
)
def test_text_has_enough_contrast(palette, role, ground):
    assert contrast(palette[role], palette[ground]) >= 4.5


@pytest.mark.parametrize("palette", [PALETTE, html._DARK])
def test_bars_and_the_band_can_be_told_from_the_page(palette):
    assert contrast(palette["bar"], palette["ink"]) >= 3
    assert palette["band"] != palette["paper"]


def test_both_palettes_have_the_same_roles():
    assert PALETTE.keys() == html._DARK.keys()
    assert len(set(PALETTE.values())) == len(PALETTE)


def test_the_style_sheet_asks_for_nothing_outside_and_knows_every_variable():
    css = stylesheet()
    assert "url(" not in css
    assert "@import" not in css
    assert set(re.findall(r"var\(--(\w+)\)", css)) <= PALETTE.keys()
    assert css.count("{") == css.count("}")


def filled(svg: str) -> dict[str, int]:
    groups = re.findall(r'<g fill="([^"]+)"[^>]*>(.*?)</g>', svg)
    return {colour: inside.count("<use ") for colour, inside in groups}


@pytest.mark.parametrize(
    ("total", "before", "after"), [(100, 5, 13), (100, 0, 100), (1000, 4, 12), (100, 7, 7)]
)
def test_as_many_icons_as_it_says(total, before, after):
    svg = icon_array(total, before, after, "i", "title", "description")
    assert filled(svg) == {
        PALETTE["accent"]: before,
        PALETTE["target"]: after - before,
        PALETTE["paper"]: total - after,
    }


def test_the_array_is_an_image_with_a_text():
    svg = icon_array(100, 5, 13, "i", "After: 13 %", "a <b>")
    assert 'role="img" aria-labelledby="i-title i-desc"' in svg
    assert '<title id="i-title">After: 13 %</title>' in svg
    assert "a &lt;b&gt;" in svg


def test_no_two_icons_share_a_place():
    places = re.findall(r'x="(\d+)" y="(\d+)"', icon_array(1000, 4, 12, "i", "t", "d"))
    assert len(set(places)) == 1000


def terms(certificate) -> list[str]:
    return re.findall("<dt>(.*?)</dt>", appendices(certificate)[-1][2])


def test_words_of_delta_stand_only_where_there_is_one():
    pure, gaussian = terms(sample_certificate()), terms(gaussian_certificate())
    assert "ε (epsilon)" in pure
    assert not any(term.startswith("δ") for term in pure)
    assert any(term.startswith("δ") for term in gaussian)
    assert set(pure) < set(gaussian)


def test_a_plan_without_words_has_the_usual_title_and_nothing_else():
    heading = Heading.of({"target": {"gamma": 2.0}})
    assert heading == Heading.of(None) == Heading()
    assert heading.window == TITLE
    source = page(sample_certificate(), [], heading=heading)
    assert re.findall("<header>.*<h1>(.*?)</h1></header>", source) == [TITLE]
    assert 'class="own"' not in source


def test_the_authors_words_are_text_in_paragraphs():
    own = {"title": "<b>T</b>", "contact": "a@b", "text": "One\nline.\n\nTwo & three."}
    heading = Heading.of({"report": own})
    assert heading.window == "<b>T</b>"
    source = page(sample_certificate(), [], heading=heading)
    assert f'<h1>&lt;b&gt;T&lt;/b&gt;</h1><p class="subtitle">{TITLE}</p>' in source
    (own,) = re.findall('<div class="own">(.*?)</div>', source)
    assert re.findall("<p>(.*?)</p>", own) == [
        "One line.", "Two &amp; three.",
    ]  # fmt: skip
    assert "<b>Whom to ask:</b> a@b</p>" in source


def test_words_as_long_as_their_place_are_taken_as_they_are():
    words = {key: "x" * most for key, most in LONGEST.items()}
    assert given_words(words) == words
    assert given_words({}) == {}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            {"titel": "x"},
            "one-of-organisation-in-report: title | study | contact | text | 'titel'",
        ),
        ({"title": "\n"}, "text-none: title"),
        ({"title": 7}, "text-none: title"),
        ({"text": "x" * 4001}, "at-most-characters: text | 4000 | 4001"),
        ({"contact": "\ud800"}, "unicode-contact-something: contact"),
    ],
)
def test_words_that_no_page_shows_are_refused(words, said):
    with refuses(InvalidArgument, said):
        given_words(words)


PLAN = {
    "data": {"source": "withheld", "entity": "<i>person</i>"},
    "target": {"gamma": 2.0},
    "query": [{"name": "a", "where": [["age", ">=", 18]]}, {"name": "b"}],
}


def test_every_key_of_every_table_stands_there():
    _, _, page = plan_appendix(PLAN)
    assert re.findall(r"<h3><code>(.*?)</code></h3>", page) == [
        "[data]", "[target]", "[[query]]", "[[query]]",
    ]  # fmt: skip
    terms = re.findall(r"<dt><code>(.*?)</code></dt><dd><bdi>(.*?)</bdi></dd>", page)
    assert terms == [
        ("source", "withheld"),
        ("entity", "&lt;i&gt;person&lt;/i&gt;"),
        ("gamma", "2.0"),
        ("name", "a"),
        ("where", "age &gt;= 18"),
        ("name", "b"),
    ]


@pytest.mark.parametrize(
    ("value", "told"),
    [
        (True, "true"),
        ("", "(empty text)"),
        ([], ""),
        ({"rho": 0.1, "worlds": 100}, "rho: 0.1; worlds: 100"),
        ([{"$date": "2019-01-01"}, 3], "2019-01-01, 3"),
    ],
)
def test_values(value, told):
    assert format_entry(value) == told
