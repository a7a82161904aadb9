"""Curves as R's `survfit` prints them: from a release that holds, and from no other folder."""

import csv
import io
import json

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner
from statsmodels.duration.survfunc import SurvfuncRight

import deniable
from deniable.errors import InvalidArgument
from deniable.survival.survfit import AT_RISK, COLUMNS, EVENT_TABLE
from tests.cases.command_line import app
from tests.cases.refusals import refuses

ARMS = 'group_by = ["arm"]\nkeys = { arm = [1, 2] }\n'
WEAK = "epsilon = 900.0"
"""With which the noise of ten people is 0 nearly surely: its scale is 1/450."""


def export(*args, **keys):
    return deniable.export(*args, to="survfit", **keys)


@pytest.fixture
def curves(plans):
    """Release a plan, by the words of its query."""

    def release(*args, **keys):
        out = plans.folder / f"out{len([*plans.folder.glob('out*')])}"
        deniable.release(plans.write(*args, **keys), out)
        return out

    return release


def test_the_first_anchor_is_printed_as_r_prints_it(curves):
    """Times rounded up to the grid, in R: n.risk 10 7 4 3, n.event 2 2 1 1, n.censor 1 1 0 1."""
    frame = export(curves(target=WEAK, censored='"end"')).frame()
    assert [*frame.columns] == [*COLUMNS]
    assert frame["time"].tolist() == [2, 4, 6, 8]
    assert frame[AT_RISK].tolist() == [10, 7, 4, 3]
    assert frame["n.event"].tolist() == [2, 2, 1, 1]
    assert frame["n.censor"].tolist() == [1, 1, 0, 1]
    assert frame["survival"].tolist() == pytest.approx([4 / 5, 4 / 7, 3 / 7, 2 / 7])


def test_the_header_says_that_those_at_the_time_are_at_risk():
    assert AT_RISK == "n.risk (>= t)"


@pytest.mark.parametrize(
    ("target", "censored"),
    [("epsilon = 1.0", '"half"'), ("epsilon = 1.0\ndelta = 1e-6", '"end"')],
)
def test_the_file_holds_what_was_published(curves, tmp_path, target, censored):
    out = curves(ARMS, target=target, censored=censored)
    exported = export(out, tmp_path / "curve.csv")
    text = (tmp_path / "curve.csv").read_bytes().decode("utf-8")
    assert text == exported.as_csv()
    lines = [*csv.DictReader(io.StringIO(text))]
    rows = [*csv.DictReader((out / "results.csv").read_text(encoding="utf-8").splitlines())]
    own = [row for row in rows if row["statistic"] == "survival"]
    assert len(lines) == len(own) == 8
    for line, row in zip(lines, own, strict=True):
        assert (line["arm"], line["time"]) == (row["group:arm"], row["bin_high"])
        assert line["survival"] == row["value"]
        assert (line["lower"], line["upper"]) == (row["approximate_low"], row["approximate_high"])
        leaving = {
            each["statistic"]: int(each["whole_number"])
            for each in rows
            if (each["group:arm"], each["bin_high"]) == (line["arm"], line["time"])
            and each["whole_number"]
        }
        assert leaving == {"events": int(line["n.event"]), "censored": int(line["n.censor"])}
    for arm in ("1", "2"):
        people = [line for line in lines if line["arm"] == arm]
        beyond = next(
            row for row in rows if row["statistic"] == "beyond" and row["group:arm"] == arm
        )
        left = int(beyond["whole_number"])
        for line in reversed(people):
            left += int(line["n.event"]) + int(line["n.censor"])
            assert int(line[AT_RISK]) == left
    pd.testing.assert_frame_equal(pd.read_csv(io.StringIO(text)), exported.frame())


def test_another_program_gets_the_same_curve_from_the_numbers_of_people(curves):
    """`end` is Kaplan and Meier's curve of times rounded up; those beyond the grid stay longer."""
    frame = export(curves(ARMS, target="epsilon = 4.0", censored='"end"')).frame()
    for _, own in frame.groupby("arm"):
        last = own.iloc[-1]
        beyond = last[AT_RISK] - last["n.event"] - last["n.censor"]
        times = np.concatenate([own["time"], own["time"], [99.0]])
        status = np.repeat([1, 0, 0], [len(own), len(own), 1])
        weights = np.concatenate([own["n.event"], own["n.censor"], [beyond]])
        kept = weights > 0
        theirs = SurvfuncRight(times[kept], status[kept], freq_weights=weights[kept])
        of = dict(zip(theirs.surv_times, theirs.surv_prob, strict=True))
        at_risk = dict(zip(theirs.surv_times, theirs.n_risk, strict=True))
        for _, line in own[own["n.event"] > 0].iterrows():
            assert line["survival"] == pytest.approx(of[line["time"]], abs=1e-12)
            assert line[AT_RISK] == at_risk[line["time"]]


def test_the_event_table_of_the_first_anchor_is_that_of_lifelines(curves):
    """lifelines 0.30 on times rounded up, the one beyond at 10: all columns but the last four."""
    out = curves(target=WEAK, censored='"end"')
    exported = deniable.export(out, to="lifelines")
    frame = exported.frame()
    assert [*frame.columns] == [*EVENT_TABLE]
    assert frame.iloc[:, :6].to_numpy().tolist() == [
        [0, 0, 0, 0, 10, 10], [2, 3, 2, 1, 0, 10], [4, 3, 2, 1, 0, 7], [6, 1, 1, 0, 0, 4],
        [8, 2, 1, 1, 0, 3],
    ]  # fmt: skip
    assert frame["at_risk (> t)"].tolist() == [10, 7, 4, 3, 1]
    assert frame["KM_estimate"].tolist() == pytest.approx([1, 4 / 5, 4 / 7, 3 / 7, 2 / 7])
    printed = CliRunner().invoke(app, ["export", str(out), "--to", "lifelines"])
    assert printed.stdout_bytes.decode() == exported.as_csv()


@pytest.mark.parametrize("target", ["epsilon = 1.0", "epsilon = 1.0\ndelta = 1e-6"])
def test_an_event_table_holds_what_survfit_has_and_adds_up(curves, target):
    out = curves(ARMS, target=target)
    theirs = deniable.export(out, to="lifelines").frame()
    ours = export(out).frame()
    later = theirs[theirs["event_at"] > 0].reset_index(drop=True)
    for name, other in zip(
        ("event_at", "at_risk (>= t)", "observed", "censored", *EVENT_TABLE[-3:]),
        COLUMNS,
        strict=True,
    ):
        assert later[name].equals(ours[other].rename(name))
    assert (theirs["removed"] == theirs["observed"] + theirs["censored"]).all()
    left = theirs["at_risk (>= t)"] - theirs["removed"]
    assert left.equals(theirs["at_risk (> t)"].rename(None))
    for _, own in theirs.groupby("arm"):
        assert own["at_risk (>= t)"].tolist()[1:] == own["at_risk (> t)"].tolist()[:-1]
        assert own["entrance"].tolist() == [own["at_risk (> t)"].iloc[0], 0, 0, 0, 0]


def test_where_nobody_is_at_risk_the_fields_are_empty(plans, curves):
    empty = pq.read_table(plans.folder / "study.parquet").slice(0, 0)
    pq.write_table(empty, plans.folder / "study.parquet")
    exported = export(curves())
    last = [*csv.DictReader(io.StringIO(exported.as_csv()))][-1]
    assert last["survival"] == ""
    assert (last["lower"], last["upper"]) == ("0.0", "1.0")
    assert exported.as_json()["curves"][-1]["survival"] is None
    assert np.isnan(exported.frame()["survival"].iloc[-1])


def test_a_group_called_as_a_column_keeps_the_name_of_the_results(plans, curves):
    path = plans.folder / "study.parquet"
    table = pq.read_table(path)
    pq.write_table(table.append_column("survival", pa.array(["=1+1", "b"] * 5)), path)
    exported = export(curves('group_by = ["survival"]\nkeys = { survival = ["=1+1", "b"] }\n'))
    assert [*exported.frame().columns] == ["group:survival", *COLUMNS]
    assert "\r\n'=1+1,2.0," in exported.as_csv()  # which a spreadsheet would compute
    assert exported.as_json()["curves"][0]["group:survival"] == "=1+1"


def test_days_are_keys_in_json_too(curves):
    keys = 'group_by = ["entered"]\nkeys = { entered = [1970-01-01] }\n'
    exported = export(curves(keys))
    assert json.loads(json.dumps(exported.as_json()))["curves"][0]["entered"] == "1970-01-01"
    assert str(exported.frame()["entered"].iloc[0])[:10] == "1970-01-01"


def test_of_several_curves_one_is_named(plans):
    second = plans.text(censored='"end"').partition("[[query]]")[2].replace('"alive"', '"late"')
    (plans.folder / "two.toml").write_text(
        plans.text() + '[[query]]\nname = "all"\nstatistic = "count"\nwhere = [["arm", "==", 1]]\n'
        f"[[query]]{second}",
        encoding="utf-8",
    )
    deniable.release(plans.folder / "two.toml", plans.folder / "out")
    assert export(plans.folder / "out", query="late").censored == "end"
    for wrong in (None, "all", "dead"):
        with refuses(InvalidArgument, "name-one: 'alive', 'late'."):
            export(plans.folder / "out", query=wrong)


@pytest.mark.parametrize("name", ["survival", "events"])
def test_a_folder_that_was_changed_is_refused_and_nothing_written(curves, tmp_path, name):
    out = curves()
    table = pq.read_table(out / "results.parquet")
    rows = table.to_pylist()
    row = next(row for row in rows if row["statistic"] == name)
    row["value"] += 0.5
    pq.write_table(pa.Table.from_pylist(rows, table.schema), out / "results.parquet")
    with refuses(InvalidArgument, "release-that-holds"):
        export(out, tmp_path / "curve.csv")
    assert not (tmp_path / "curve.csv").exists()


def test_what_is_no_folder_of_a_curve_is_refused(plans, curves):
    out = curves()
    with refuses(InvalidArgument, "release-with-results"):
        export(out / "certificate.json")
    with refuses(InvalidArgument, "file-named-csv"):
        export(out, plans.folder / "curve.xlsx")
    with refuses(InvalidArgument, "file-in-existing-folder"):
        export(out, plans.folder / "nowhere" / "curve.csv")
    with refuses(InvalidArgument, "did-you-mean: survfit"):
        deniable.export(out, to="survift")
    plan = plans.folder / "count.toml"
    plan.write_text(
        '[data]\nsource = "study.parquet"\n[target]\nepsilon = 1.0\n'
        '[[query]]\nname = "n"\nstatistic = "count"\nwhere = [["arm", "==", 1]]\n',
        encoding="utf-8",
    )
    deniable.release(plan, plans.folder / "count")
    with refuses(InvalidArgument, "with-survival-curve-one-without"):
        export(plans.folder / "count")


def test_the_command_prints_or_writes_the_same(curves, tmp_path):
    out = curves(ARMS)
    exported = export(out)
    printed = CliRunner().invoke(app, ["export", str(out), "--to", "survfit"])
    assert printed.stdout_bytes.decode() == exported.as_csv()
    place = tmp_path / "curve.csv"
    line = ["export", str(out), "--to", "survfit", "--out", str(place)]
    assert CliRunner().invoke(app, line).exit_code == 0
    assert place.read_bytes().decode() == exported.as_csv()
    shown = CliRunner().invoke(app, ["export", str(out), "--to", "survfit", "--json"])
    assert json.loads(shown.output) == exported.as_json()


def test_an_exported_curve_is_checked_and_a_changed_one_found(curves, tmp_path):
    out, place = curves(ARMS), tmp_path / "curve.csv"
    deniable.export(out, place, to="lifelines")
    assert deniable.check(out, export=place).holds
    place.unlink()
    content = export(out, place).content
    assert deniable.check(out, export=place).holds
    lines = content.split(b"\r\n")
    fields = lines[3].split(b",")
    fields[2] = str(int(fields[2]) + 1).encode()
    place.write_bytes(b"\r\n".join([*lines[:3], b",".join(fields), *lines[4:]]))
    found = [each.finding for each in deniable.check(out, export=place).checks if not each.holds]
    assert len(found) == 1
    assert found[0].endswith("at line 4, column 3 (n.risk (>= t)).")
    for changed in (lines[:3] + lines[4:], [lines[0], *(b"2" + each[1:] for each in lines[1:])]):
        place.write_bytes(b"\r\n".join(changed))
        assert not deniable.check(out, export=place).holds
