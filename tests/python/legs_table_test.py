"""scripts/legs_table: the table of docs/legs.md, two robots and two trials a row of it."""

import importlib.machinery
import importlib.util
import pathlib
import re
import subprocess
import sys

import pytest

pytest.importorskip("cmeel")

SCRIPT = pathlib.Path(__file__).parents[2] / "scripts/legs_table"
CIVITA = f"{sys.executable} -m civita"
CELL = r"(\*\*)?[0-2]/2 \[\d+, \d+\](\*\*)?"


@pytest.fixture(scope="module")
def legs_table():
    loader = importlib.machinery.SourceFileLoader("legs_table", str(SCRIPT))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("legs_table", loader))
    loader.exec_module(module)
    return module


def table(out, *words):
    words = [
        "--civita",
        CIVITA,
        "--out",
        out,
        "--trials",
        "2",
        "--jobs",
        "1",
        "--only",
        "A1,Alexander",
        *words,
    ]
    done = subprocess.run([sys.executable, SCRIPT, *map(str, words)], capture_output=True, encoding="utf-8")
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_small_table(tmp_path):
    text = table(tmp_path)
    for name, rows in (("A1", 3), ("Alexander", 4)):
        cells = [
            cell.strip() for cell in re.search(rf"^\| {name} \|(.*)\|$", text, re.MULTILINE)[1].split("|")
        ]
        assert float(cells[0]) > 10
        assert re.fullmatch(r"[\d.]+ … [\d.]+", cells[1])
        for cell in cells[3 : 3 + rows]:
            assert re.fullmatch(CELL, cell), cell
    # It is made of the kept trials: nothing runs, the same text comes out.
    before = {file: file.stat().st_mtime_ns for file in tmp_path.rglob("survival.json")}
    assert len(before) >= 7
    assert table(tmp_path) == text
    assert table(tmp_path, "--table-only") == text
    assert before == {file: file.stat().st_mtime_ns for file in tmp_path.rglob("survival.json")}


def test_efforts_are_taken_from_a_copy(legs_table, tmp_path):
    for name in ("ANYmal C", "iCub"):
        file = next(
            f / legs_table.ROBOTS[name]
            for f in legs_table.packages()
            if (f / legs_table.ROBOTS[name]).exists()
        )
        copy = legs_table.without_efforts(file, tmp_path).read_text(encoding="utf-8")
        assert set(re.findall(r'\beffort="([^"]*)"', copy)) == {"0"}
        assert len(re.findall("<limit", copy)) == len(re.findall("<limit", file.read_text(encoding="utf-8")))
        assert all(
            pathlib.Path(mesh).exists() for mesh in re.findall(r'filename="([^"]+\.(?:dae|stl))"', copy)
        )


def test_rows_say_why_they_are_below_their_goals(legs_table):
    row = legs_table.ROWS[4][0]

    def trial(verdict, joint=""):
        return {"survived": verdict == "survived", "verdict": verdict, "cut_joint": joint}

    good, bad = trial("survived"), trial("a foot moved by 3.1 cm", "knee")
    trials, free = [good, bad, bad, trial("fell at t = 1.2 s: …")], [good] * 4
    found = {"rows": [(row, trials, free)]}
    assert legs_table.cell(row, trials) == "**1/4 [5, 70]**"
    assert legs_table.cell(row, free) == "4/4 [51, 100]"
    assert legs_table.below(found) == (
        "80 %, no step: 2 a foot moved, 1 fell; **limited by efforts**, without them 4/4 [51, 100], knee"
    )
    assert legs_table.below({"rows": [(row, trials, [bad] * 4)]}).endswith("; without them 0/4 [0, 49]")
    assert legs_table.below({"rows": [(row, free, None)]}) == ""
