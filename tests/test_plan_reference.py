"""The reference of plans and their JSON Schema are what is declared of the keys."""

from docs.plan import PAGE, SCHEMA, page, schema, written


def test_the_page_is_up_to_date():
    """If it is not: `python docs/plan.py`."""
    text = PAGE.read_text(encoding="utf-8")
    assert text == page(text)


def test_the_schema_is_up_to_date():
    """If it is not: `python docs/plan.py`."""
    assert SCHEMA.read_text(encoding="utf-8") == f"{written(schema())}\n"
