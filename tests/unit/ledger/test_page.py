"""A ledger's page: labels are texts, and nothing is asked for from outside."""

import re

from deniable import Ledger
from deniable.ledger import new, show
from deniable.ledger.page import ledger_page


def test_labels_are_texts_and_nothing_comes_from_outside(tmp_path):
    file = tmp_path / "hospital.ledger"
    new(file, "<b>visits</b>", epsilon=1.0, each_row=True)
    book = Ledger(file)
    charge = book.charge("<b>visits</b>", 2**38, what="<script>alert(1)</script>", by="\"'><img>")
    book.void(charge.id, "</td><script>")
    page = ledger_page(show(file))
    assert not re.search(r"<script|<img|<b>|javascript:", page)
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
    assert not re.search(r"(?:src|href)=\"(?!#|data:)", page)


def test_an_empty_book_has_a_page(tmp_path):
    file = tmp_path / "hospital.ledger"
    new(file, "visits", epsilon=1.0, delta=1e-6, each_row=True)
    assert ledger_page(show(file)).count("<svg") == 1
