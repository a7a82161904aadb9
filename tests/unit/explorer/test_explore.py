import base64
import hashlib
import json
import os
import re
import subprocess
import sys
import webbrowser
from pathlib import Path

import pyarrow as pa
import pytest
from click.testing import CliRunner

import deniable
from deniable.errors import InvalidArgument, PlanError
from deniable.explorer import MOST_BYTES
from tests.cases.command_line import app
from tests.cases.explorer_case import written_plan
from tests.cases.refusals import refuses

SCREENS = ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER")


@pytest.fixture(autouse=True)
def _no_screen(monkeypatch):
    for name in SCREENS:
        monkeypatch.delenv(name, raising=False)


def explored(tmp_path, plan=None):
    return deniable.explore(plan, out=tmp_path / "page.html").out.read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def html(tmp_path_factory):
    folder = tmp_path_factory.mktemp("explored")
    return explored(folder, written_plan(folder))


def test_a_page_is_small_enough_to_be_mailed(html):
    assert len(html.encode("utf-8")) <= MOST_BYTES


def test_only_its_own_script_and_style_may_run(html):
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', html)[1]
    rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))
    assert rules.pop("default-src") == rules.pop("base-uri") == rules.pop("form-action") == "'none'"
    assert rules.pop("img-src") == "data:"
    for tag in ("script", "style"):
        (content,) = re.findall(rf"<{tag}>(.*?)</{tag}>", html, re.S)
        digest = base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
        assert rules.pop(f"{tag}-src") == f"'sha256-{digest}'"
    assert rules == {}


def test_nothing_of_where_the_data_lie_is_on_the_page(html, tmp_path):
    assert "visits.csv" not in html
    assert str(tmp_path.parent) not in html


def test_two_tables_of_one_schema_give_one_page(tmp_path):
    plan = written_plan(tmp_path, choices=False)
    first = explored(tmp_path, plan)
    (tmp_path / "visits.csv").write_text("person,plan,age,visits\nz,none,99,49\n")
    assert explored(tmp_path, plan) == first


def test_the_plan_s_own_text_is_left_out_where_the_page_would_grow_too_large(tmp_path):
    many = ", ".join(f'"key {i:05} of many"' for i in range(3000))
    plan = written_plan(tmp_path, choices=False)
    text = plan.read_text().replace(
        'keys = { plan = ["free", "shared"] }', f"keys = {{ plan = [{many}] }}"
    )
    plan.write_text(text)
    page = explored(tmp_path, plan)
    assert len(page.encode("utf-8")) <= MOST_BYTES
    assert "key 00001" not in page
    held = json.loads(re.search(r'id="public">(.*?)</script>', page)[1])
    assert [query["cells"] for query in held["plan"]["queries"]][:1] == [3000]


def test_without_a_screen_the_page_is_written_and_named(tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    answer = CliRunner().invoke(app, ["explore"])
    assert answer.exit_code == 0
    (page,) = tmp_path.rglob("*.html")
    assert str(page) in answer.stderr + answer.stdout
    assert page.parent.stat().st_mode & 0o077 == 0


def test_a_plan_that_is_refused_leaves_no_folder(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with pytest.raises(PlanError):
        deniable.explore("[data]\n")
    assert list(tmp_path.iterdir()) == []


def test_with_a_screen_the_page_is_opened(tmp_path, monkeypatch):
    shown = []
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    monkeypatch.setenv("DISPLAY", ":0")
    monkeypatch.setattr(webbrowser, "open", lambda url: shown.append(url) or True)
    answer = deniable.explore()
    assert answer.opened
    assert shown == [answer.out.as_uri()]


def test_a_browser_that_fails_is_no_error(tmp_path, monkeypatch):
    def fails(_):
        raise webbrowser.Error("no runnable browser")

    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    monkeypatch.setenv("DISPLAY", ":0")
    monkeypatch.setattr(webbrowser, "open", fails)
    answer = deniable.explore()
    assert answer.out.is_file()
    assert not answer.opened


def test_what_a_browser_prints_is_no_part_of_the_answer(tmp_path):
    browser = tmp_path / "browser"
    browser.write_text(f"#!/bin/sh\necho opening >&2; echo opening; echo $1 > {tmp_path}/shown\n")
    browser.chmod(0o700)
    settings = {"BROWSER": f"{browser} %s", "TMPDIR": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-m", "deniable", "explore", "--json"],
        env=os.environ | settings,
        capture_output=True,
        text=True,
    )
    assert done.stderr == ""
    page = Path(json.loads(done.stdout)["out"])
    assert (tmp_path / "shown").read_text().strip() == page.as_uri()


def test_with_out_nothing_is_opened_and_json_says_where(tmp_path, monkeypatch):
    monkeypatch.setenv("DISPLAY", ":0")
    monkeypatch.setattr(webbrowser, "open", lambda _: pytest.fail("opened"))
    answer = CliRunner().invoke(app, ["explore", "--out", str(tmp_path / "page.html"), "--json"])
    assert json.loads(answer.stdout) == {"out": str(tmp_path / "page.html")}


@pytest.mark.parametrize("name", ["visits.toml", "visits.csv", "empty", "link.html"])
def test_nothing_but_another_page_is_replaced(tmp_path, name):
    plan = written_plan(tmp_path)
    (tmp_path / "empty").touch()
    (tmp_path / "link.html").symlink_to(plan)
    before = (tmp_path / name).read_bytes()
    with refuses(InvalidArgument, "new-name"):
        deniable.explore(plan, out=Path(tmp_path) / "." / name)
    assert (tmp_path / name).read_bytes() == before


def test_a_page_is_replaced_and_needs_a_folder(tmp_path):
    for _ in range(2):
        deniable.explore(out=tmp_path / "page.html")
    with refuses(InvalidArgument, "file-in-existing-folder"):
        deniable.explore(out=tmp_path)


def test_a_device_is_not_replaced_by_a_page(tmp_path):
    """It is a link here, so that a failure of this test harms nothing."""
    (tmp_path / "full.html").symlink_to("/dev/full")
    with refuses(InvalidArgument, "file-in-existing-folder"):
        deniable.explore(out=tmp_path / "full.html")
    assert (tmp_path / "full.html").is_symlink()


def test_a_data_frame_is_looked_at_for_its_schema_only(tmp_path):
    plan = written_plan(tmp_path, choices=False)
    plan.write_text(plan.read_text().replace('source = "visits.csv"', 'source = "memory"'))
    table = pa.table({"person": ["a"], "plan": ["free"], "age": [20], "visits": [17171717]})
    page = deniable.explore(plan, out=tmp_path / "page.html", data=table).out
    assert "17171717" not in page.read_text(encoding="utf-8")


def test_a_wrong_plan_leaves_no_page(tmp_path):
    plan = written_plan(tmp_path)
    plan.write_text(plan.read_text().replace("gamma", "gama"))
    with pytest.raises(PlanError):
        deniable.explore(plan, out=tmp_path / "page.html")
    assert not (tmp_path / "page.html").exists()
