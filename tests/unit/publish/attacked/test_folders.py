"""Complete releases of neighbours, read back."""

from deniable.publish.attacked.folders import compared
from deniable.publish.attacked.pairs import chosen, plan_in, settled
from deniable.publish.attacked.schema import asked
from deniable.publish.attacked.steps import PRODUCTION
from tests.cases.attacked_plans import written


def test_folders_of_neighbours_differ_in_noisy_values_only(tmp_path):
    told = asked(written(tmp_path, "count in cells", "mean", "top", adjacency="add-remove"))
    private = tmp_path / "private"
    private.mkdir()
    prepared = settled(plan_in(private, told), told, PRODUCTION)
    (private / "plan.toml").unlink()
    worst = chosen(told, prepared, PRODUCTION)
    assert compared(told, worst.pair, PRODUCTION, 2, private) == []
    assert list(private.iterdir()) == []
