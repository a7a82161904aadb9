"""The notebooks of examples/ run from start to end, and are kept without outputs and places."""

import json
import re
from pathlib import Path

import nbformat
import pytest
from jupyter_client import AsyncKernelManager
from nbclient import NotebookClient
from nbclient.util import run_sync

ROOT = Path(__file__).resolve().parents[1]
NOTEBOOKS = sorted((ROOT / "examples").glob("*.ipynb"))
ANSWERS = {
    "choose-a-budget": {"Explanation", "Calibration"},
    "how-were-your-batches-drawn": {"BatchComparison", "WatchedBatches", "TrainingCalibration"},
    "is-epsilon-8-a-problem": {"Explanation", "TrainingExplanation", "TrainingCalibration"},
    "publish-a-survival-curve": {"Prepared", "Released", "ExportedCurves", "Checked"},
    "publish-from-a-data-frame": {"Prepared", "Preview", "Released", "Checked"},
}
"""What each shows: an answer as a table."""


def test_there_are_those_that_the_pages_name():
    assert {path.stem for path in NOTEBOOKS} == set(ANSWERS)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_it_is_kept_without_outputs_counts_and_places(path):
    text = path.read_text(encoding="utf-8")
    notebook = nbformat.reads(text, as_version=4)
    nbformat.validate(notebook)
    for cell in notebook.cells:
        assert cell.get("outputs", []) == []
        assert cell.get("execution_count") is None
    assert notebook.metadata.keys() <= {"kernelspec", "language_info"}
    assert not re.search(r"/(home|root|Users|tmp)/", text)


def outputs(notebook):
    return [output for cell in notebook.cells for output in cell.get("outputs", [])]


@pytest.fixture(scope="module")
def kernel():
    """One for all notebooks, which imports once."""
    manager = AsyncKernelManager(kernel_name="python3")
    yield manager
    run_sync(manager.shutdown_kernel)(now=True)


@pytest.mark.filterwarnings("ignore::DeprecationWarning:(jupyter|zmq|nbclient|traitlets)")
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_it_runs_and_shows_tables_and_charts(path, tmp_path, kernel):
    notebook = nbformat.read(path, as_version=4)
    # As in a new kernel: nothing of the notebook before has a name, or is in the folder.
    anew = nbformat.v4.new_code_cell(f"%reset -f\n%cd -q {tmp_path}")
    notebook.cells.insert(0, anew)
    client = NotebookClient(notebook, km=kernel)
    client.execute()
    client.kc.stop_channels()
    shown = [each for each in outputs(notebook) if "data" in each]
    assert all(each["output_type"] != "error" for each in outputs(notebook))
    names = {each["data"]["text/plain"].split("(")[0] for each in shown}
    assert ANSWERS[path.stem] <= names
    assert any("vega" in json.dumps(each["data"]).lower() for each in shown)
    for each in shown:
        if each["data"]["text/plain"].split("(")[0] in ANSWERS[path.stem]:
            assert "<table>" in each["data"]["text/html"]
            assert "<script" not in each["data"]["text/html"]
