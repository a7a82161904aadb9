"""A release by forms alone, without script: what the ledger says, the question, and the end."""

import time

import pytest

import deniable
from deniable.ledger import new, show
from deniable.studio.draft import Draft
from tests.cases.studio_page import client_of, send, served

PLAN = """\
# a remark
[data]
source = "people.csv"
types = { age = "integer", died = "boolean", days = "number" }
household = "home"
adjacency = "add-remove"
[adversary]
prior = [0.0, 0.1]
[target]
max_posterior = 0.5
[limits]
rows_per_household = 2
[[query]]
name = "ages"
statistic = "histogram"
column = "age"
edges = [0, 50, 100]
"""


@pytest.fixture
def desk(tmp_path):
    """A plan with a ledger beside it, on a page."""
    rows = [f"h{i % 20},{i * 3 % 100},{i % 2},{i}.5" for i in range(40)]
    (tmp_path / "people.csv").write_text("\n".join(["home,age,died,days", *rows]))
    (tmp_path / "people.toml").write_text(PLAN)
    new(tmp_path / "hospital.ledger", "homes", entity="home", epsilon=3.0,
        adjacency="add-remove", household=2, by_household=True)  # fmt: skip
    with (
        served(tmp_path / "people.toml") as (desk, address),
        client_of(address, follow_redirects=True) as client,
    ):
        yield desk, client


def answer(made, word):
    """Say yes or no, as the button of the page does."""
    desk, client = made
    return client.post("answer", data={"do": word, "work": desk._work.id})


def settled(client, step):
    """The page of a step whose work is not running."""
    while client.get("progress").json()["state"] == "running":
        time.sleep(0.01)
    return client.get(step).text


def test_a_release_is_charged_once_after_a_yes(desk):
    made, client = desk
    folder = made.path.parent
    page = send(desk, "release", do="ledger", file="hospital.ledger", dataset="homes")
    assert Draft.read(made.path).table("ledger") == {"file": "hospital.ledger", "dataset": "homes"}
    assert "This release takes" in page.text
    send(desk, "release", do="begin", out="out")
    assert "Yes, release it" in settled(client, "release")
    assert show(folder / "hospital.ledger").charges == 0
    assert "got a release that is running" in send(desk, "release", do="begin", out="two").text
    answer(desk, "no")
    assert "Cancelled. Nothing was charged" in settled(client, "release")
    assert not (folder / "out").exists()
    send(desk, "release", do="begin", out="out")
    settled(client, "release")
    answer(desk, "yes")
    settled(client, "release")
    assert show(folder / "hospital.ledger").charges == 1
    assert deniable.check(folder / "out")
    (folder / "out" / "private.txt").write_text("a note")
    page = client.get("results").text
    assert "report.html" in page
    assert "private.txt" not in page
    assert client.get("files/private.txt").status_code == 404
    report = client.get("files/report.html?report")
    assert report.headers["content-security-policy"].startswith("sandbox allow-popups;")
    assert client.get("files/results.csv").headers["content-disposition"].startswith("attachment")
    with served(made.path) as (_, again), client_of(again) as other:  # closed and opened again
        assert other.get("").headers["location"] == "results"


def test_a_folder_that_is_not_free_is_refused_before_anything_is_read(desk):
    _, client = desk
    send(desk, "release", do="begin", out=".")
    assert "Expected a new or empty folder" in settled(client, "release")
    assert "got none" in send(desk, "release", do="begin", out=" ").text


def test_a_preview_is_marked_and_is_gone_when_the_plan_changes(desk):
    _, client = desk
    send(desk, "preview", do="begin")
    page = settled(client, "preview")
    assert "rows that are left" in page
    assert "Not for publication" in page
    send(desk, "attacker", do="next", before="10", after="40")
    assert "rows that are left" not in client.get("preview").text


def test_remarks_are_said_to_be_lost_and_a_survival_curve_can_be_published(desk):
    made, client = desk
    assert "removes them" in client.get("publish").text
    send(desk, "who", do="next", whose="household", column="0", rows="1", number="secret")
    form = {"time": "3", "event": "2", "step": "10", "horizon": "40", "name": "life"}
    page = send(desk, "publish", do="save", statistic="survival", **form)
    assert page.status_code == 200
    assert "removes them" not in page.text
    prepared = deniable.plan(made.path)
    assert [each.query.statistic.kind for each in prepared.queries] == ["histogram", "survival"]
    assert client.get("cost").status_code == 200


def test_the_budget_beside_the_sliders_is_that_of_the_release(desk):
    made, client = desk
    text = made.path.read_text().replace("[0.0, 0.1]", "[0.0, 0.1]\nhousehold_size = 3")
    text = text.replace("household =", "entity =").replace("per_household", "per_entity")
    made.path.write_text(text)
    epsilon = deniable.plan(made.path).calibration.epsilon
    assert f"ε = {epsilon:.6g}" in client.get("attacker").text
