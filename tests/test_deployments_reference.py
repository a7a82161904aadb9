"""The page of registered deployments is what is computed of the facts."""

import json

from docs.deployments import FACTS, PAGE, claim, page


def test_the_page_is_up_to_date():
    """If it is not: `python docs/deployments.py`."""
    assert PAGE.read_text(encoding="utf-8") == page()


def test_every_deployment_has_a_claim_or_a_reason():
    rows = json.loads(FACTS.read_text(encoding="utf-8"))["deployments"]
    assert len(rows) == 41
    reasons = {each["name"] for each in rows if " " in claim(each)}
    without = {each["name"] for each in rows if not {"epsilon", "rho"} & set(each["parameters"])}
    assert reasons == without | {"FLEX"}
