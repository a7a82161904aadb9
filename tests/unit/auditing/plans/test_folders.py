"""Complete releases of neighbours, read back."""

from deniable.auditing.plans import (
    PRODUCTION,
    choose_pair,
    compare_releases,
    prepare_plan,
    read_audited_plan,
    write_plan,
)
from tests.cases.attacked_plans import written


def test_folders_of_neighbours_differ_in_noisy_values_only(tmp_path):
    told = read_audited_plan(
        written(tmp_path, "count in cells", "mean", "top", adjacency="add-remove")
    )
    private = tmp_path / "private"
    private.mkdir()
    prepared = prepare_plan(write_plan(private, told), told, PRODUCTION)
    (private / "plan.toml").unlink()
    worst = choose_pair(told, prepared, PRODUCTION)
    assert compare_releases(told, worst, PRODUCTION, 2, private) == []
    assert list(private.iterdir()) == []
