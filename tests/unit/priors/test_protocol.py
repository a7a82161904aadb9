import inspect

import pytest

from deniable.priors import Prior
from tests.cases.strategies import PRIORS

METHODS = ("log_prob", "draws", "given", "scaled")


@pytest.mark.parametrize("case", PRIORS.values(), ids=PRIORS)
def test_every_prior_has_the_same_signatures(case):
    for name in METHODS:
        wanted = inspect.signature(getattr(Prior, name)).parameters
        found = inspect.signature(getattr(type(case.drawn), name)).parameters
        assert list(found) == list(wanted)
        assert [p.kind for p in found.values()] == [p.kind for p in wanted.values()]
    assert isinstance(case.drawn.n_entities, int)
