"""Every store against a plain list: whatever is done in whatever order, both say the same."""

import itertools

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test

from deniable import Ledger
from deniable.errors import BudgetExceeded, InvalidArgument
from deniable.ledger import check, new, show
from deniable.ledger.beliefs import so_far
from deniable.ledger.charge import chain_start
from tests.cases.effort import usual
from tests.cases.ledger_places import new_place

BUDGET = 12
RUNS = {"sqlite": usual(12, 25), "postgres": usual(3, 4)}
NUMBERS = itertools.count()
NAMES = st.sampled_from(["visits", "staff"])


class Books(RuleBasedStateMachine):
    """A list of (dataset, kind, charge, units) beside a ledger."""

    def __init__(self, place):
        super().__init__()
        self.place = place()
        self.ledger, self.rows, self.made = Ledger(self.place), [], set()

    def spent(self, name):
        return sum(units for of, _, _, units in self.rows if of == name)

    def state(self, charge):
        return [kind for _, kind, of, _ in self.rows if of == charge][-1]

    @rule(name=NAMES)
    def begin(self, name):
        if name in self.made:
            with pytest.raises(InvalidArgument):
                new(self.place, name, epsilon=1.0, each_row=True)
        else:
            new(self.place, name, epsilon=BUDGET * 2.0**-40, each_row=True)
            self.made.add(name)

    @rule(name=NAMES, units=st.integers(1, 7))
    def charge(self, name, units):
        if name not in self.made:
            return
        if self.spent(name) + units > BUDGET:
            with pytest.raises(BudgetExceeded):
                self.ledger.charge(name, units, what="a release")
        else:
            charge = self.ledger.charge(name, units, what="a release")
            self.rows.append((name, "charged", charge.id, units))

    @rule(data=st.data(), kind=st.sampled_from(["released", "void"]))
    def end(self, data, kind):
        charges = [row for row in self.rows if row[1] == "charged"]
        if not charges:
            return
        name, _, charge, units = data.draw(st.sampled_from(charges))
        ended = self.state(charge) != "charged"
        if ended:
            with pytest.raises(InvalidArgument):
                getattr(self.ledger, kind)(charge, "a" * 64)
        else:
            getattr(self.ledger, kind)(charge, "a" * 64)
            self.rows.append((name, kind, charge, -units if kind == "void" else 0))

    @invariant()
    def both_say_the_same(self):
        for name in self.made:
            entries = self.ledger.entries(name)
            found = [(name, str(each.state), each.id, each.units) for each in entries]
            assert found == [row for row in self.rows if row[0] == name]
            assert self.ledger.spent(name) == self.spent(name) <= BUDGET
            self.the_short_way_agrees(name, entries)

    def the_short_way_agrees(self, name, entries):
        """What `show` reads is what there is to read, and says what the whole book says."""
        charged = [each.id for each in entries if each.state == "charged"]
        for newest in (0, 1, 2, 99):
            found = self.ledger.overview(name, newest)
            last = set(charged[max(0, len(charged) - newest) :])
            assert list(found.newest) == [each for each in entries if each.id in last]
        answer = show(self.ledger, name)
        assert [(each.id, each.state, each.units) for each in answer.amounts] == [
            (each.id, each.state, each.units) for each in entries
        ]
        assert answer.head == (entries[-1].sha256 if entries else chain_start(answer.dataset))
        assert answer.so_far == so_far(answer.dataset, entries)
        beliefs = [
            answer.belief(so_far(answer.dataset, [each for each in entries if each.id in begun]))
            for begun in ({*charged[:number]} for number in range(len(charged) + 1))
        ]
        assert [(each.charges, each.belief) for each in answer.path] == list(enumerate(beliefs))

    def teardown(self):
        if self.made:
            assert check(self.place).holds


@pytest.mark.parametrize("store", ["sqlite", "postgres"], indirect=True)
def test_a_store_is_a_list_that_keeps_to_its_budget(store):
    kind, place = store
    limits = settings(max_examples=RUNS[kind], stateful_step_count=15, deadline=None)
    run_state_machine_as_test(lambda: Books(place), settings=limits)


@pytest.fixture
def store(request, in_memory):
    def place():
        folder = in_memory / str(next(NUMBERS))
        folder.mkdir()
        return new_place(request, folder)

    return request.param, place
