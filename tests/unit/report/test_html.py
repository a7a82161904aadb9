from deniable.report.html import element, items, join, legible, name, table, text, unbroken


def test_text_escapes_html():
    assert text("<b> & \"quoted\" 'too'") == ("&lt;b&gt; &amp; &quot;quoted&quot; &#x27;too&#x27;")


def test_marks_that_mislead_the_eye_are_replaced():
    assert legible("a\u202eb\x00c\nd\ud800") == "a�b�c d�"
    assert legible("Größe 名 👩\u200d🔬") == "Größe 名 👩\u200d🔬"


def test_names_are_kept_apart_from_the_direction_around_them():
    assert name("<x>") == "<bdi>&lt;x&gt;</bdi>"


def test_attributes_are_escaped_and_absent_ones_left_out():
    made = element("p", "x", class_='a"b', aria_label="c", id=None)
    assert made == '<p class="a&quot;b" aria-label="c">x</p>'


def test_lists_and_joins():
    assert items([text("a"), text("b")], "ol", class_="c") == (
        '<ol class="c"><li>a</li><li>b</li></ol>'
    )
    assert join([text("a"), text("b")], ", ") == "a, b"


def test_a_table_has_caption_scopes_and_a_box_that_scrolls():
    made = table(
        "t", text("Title"), [text("a"), text("b")], [[text("x"), text("1")]], [False, True]
    )
    assert '<caption id="t-caption"><span>Title</span></caption>' in made
    assert '<th scope="col">a</th><th scope="col" class="number">b</th>' in made
    assert '<th scope="row">x</th><td class="number">1</td>' in made
    assert made.startswith('<div class="scroll" tabindex="0"')
    assert 'aria-labelledby="t-caption"' in made


def test_a_range_is_not_torn_and_reads_the_same():
    told = unbroken("values cut to 0…15 & more")
    assert told.replace("\u2060", "") == "values cut to 0…15 &amp; more"
    assert "\u2060…\u2060" in told
