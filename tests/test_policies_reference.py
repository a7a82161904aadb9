"""The page of published policies is what is computed of them."""

from docs.policies import PAGE, page


def test_the_page_is_up_to_date():
    """If it is not: `python docs/policies.py`."""
    assert PAGE.read_text(encoding="utf-8") == page()
