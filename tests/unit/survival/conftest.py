"""A small study in a file, and plans of its curves."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

STUDY = pa.table(
    {
        "person": [f"p{number}" for number in range(10)],
        "days": [1.0, 2.0, 2.0, 3.0, 3.0, 4.0, 5.0, 7.0, 8.0, 9.0],
        "died": [True, True, False, True, True, False, True, False, True, False],
        "status": [2, 2, 1, 2, 2, 1, 2, 1, 2, 1],
        "arm": [1, 1, 2, 1, 2, 2, 2, 1, 2, 2],
        "entered": pa.array([0] * 10, pa.date32()),
    }
)


class Plans:
    """Writes plans of one curve beside the study."""

    def __init__(self, folder):
        self.folder = folder

    def text(self, query="", *, data="", target="epsilon = 1.0", more="", **keys):
        known = {
            "time": '"days"',
            "event": '"died"',
            "grid": "{ step = 2, horizon = 8 }",
        } | keys
        lines = "".join(f"{key} = {value}\n" for key, value in known.items() if value is not None)
        return (
            f'[data]\nsource = "study.parquet"\n{data}\n[target]\n{target}\n{more}\n'
            f'[[query]]\nname = "alive"\nstatistic = "survival"\n{lines}{query}'
        )

    def write(self, *args, **keys):
        path = self.folder / "plan.toml"
        path.write_text(self.text(*args, **keys), encoding="utf-8")
        return path


@pytest.fixture
def plans(tmp_path):
    pq.write_table(STUDY, tmp_path / "study.parquet")
    return Plans(tmp_path)
