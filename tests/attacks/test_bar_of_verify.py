"""The bar of `verify`: it goes forward to its end, changes no verdict, and can be interrupted."""

import itertools

import numpy as np
import pytest

import deniable

FAMILIES = {
    "independent": {},
    "bounded": {},
    "universal": {},
    "bounded-prior": {"prior": (0.1, 0.6)},
    "sampling": {"rate": 0.25},
}


def mechanism(entities, kind):
    """A matrix on all sets of so many entities, with the least and largest chances there are."""
    worlds = ["".join(each) for n in range(entities + 1) for each in sets(entities, n)]
    rng = np.random.default_rng(entities)
    rows = {
        "random": rng.dirichlet(np.ones(3), len(worlds)),
        "revealing": np.eye(3)[[len(world) % 3 for world in worlds]],
        "the same": np.full((len(worlds), 3), [0.5, 0.25, 0.25]),
    }[kind]
    return {
        "universe": list("abcd"[:entities]),
        "outputs": ["x", "y", "z"],
        "rows": {",".join(world): row.tolist() for world, row in zip(worlds, rows, strict=True)},
    }


def sets(entities, number):
    return itertools.combinations("abcd"[:entities], number)


@pytest.mark.parametrize("entities", [1, 2, 4])
@pytest.mark.parametrize("kind", ["random", "revealing", "the same"])
@pytest.mark.parametrize("family", FAMILIES)
def test_it_goes_forward_to_its_end_and_changes_no_verdict(family, kind, entities):
    spec, told = mechanism(entities, kind), []
    watched = deniable.verify(spec, family, **FAMILIES[family], progress=told.append)
    assert told == sorted(told)
    assert 0 <= told[0] <= told[-1] == 1
    assert watched.as_json() == deniable.verify(spec, family, **FAMILIES[family]).as_json()


@pytest.mark.parametrize("after", [0, 1, 3])
def test_an_interrupt_in_it_is_an_interrupt(after):
    told = []

    def stop(fraction):
        told.append(fraction)
        if len(told) > after:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        deniable.verify(mechanism(4, "random"), "independent", progress=stop)
    assert len(told) == after + 1
