"""The study of torsion runs at its smallest size, and its page holds the numbers beside it."""

import pathlib
import shutil
import subprocess
import sys

import numpy
import pandas
import pytest

ROOT = pathlib.Path(__file__).parents[2]
STUDY = ROOT / "examples" / "torsion_study"
DOCS = ROOT / "docs"


def run(script, *arguments):
    return subprocess.run(
        [sys.executable, STUDY / script, *map(str, arguments)], check=True, capture_output=True, text=True
    ).stdout


@pytest.fixture(scope="module")
def smoke(tmp_path_factory):
    """Runs of the smallest size, and what is written of them."""
    folder = tmp_path_factory.mktemp("study")
    run("study.py", "--size", "smoke", "--out", folder / "runs", "--workers", 1)
    run("report.py", folder / "runs", "--docs", folder)
    return folder


def test_the_smallest_size_runs_and_is_told(smoke):
    throws = pandas.read_csv(smoke / "study" / "A.csv").set_index("mechanism")
    assert len(throws) == 6  # two mechanisms, three priors; the torsion-free runs are what they are held to
    assert numpy.abs(numpy.log(throws.loc["planar_2r"]["ratio"])).max() < 1e-9
    arm = numpy.log(throws.loc["arm7_twist"][["ratio", "predicted"]])
    assert numpy.abs(arm["ratio"]).max() > 0.05
    assert numpy.abs(arm["ratio"] - arm["predicted"]).max() < 0.01
    controls = pandas.read_csv(smoke / "study" / "N.csv").set_index("C")
    assert numpy.abs(numpy.log(controls.loc["form:[0 1 2 0]"]["ratio"])).max() < 1e-9
    limits = pandas.read_csv(smoke / "study" / "D.csv")
    assert (limits["stable"] > 1).all() and numpy.isfinite(limits["grows"]).all()
    assert (numpy.abs(limits["stable"] / limits["predicted"] - 1) < 0.15).all()
    masses = pandas.read_csv(smoke / "study" / "B.csv").set_index("mass_error")
    assert abs(masses.loc[0]["ratio"] - 1) > 0.005
    assert abs(masses.loc[0]["ratio"] - masses.loc[0]["predicted"]) < 0.25 * abs(masses.loc[0]["ratio"] - 1)
    rates = pandas.read_csv(smoke / "study" / "F.csv").set_index("way")
    assert rates.loc["G"]["rate"] > 1.5 * rates.loc["christoffel"]["rate"]
    assert rates.loc["two-form"]["rate"] > 1.05 * rates.loc["christoffel"]["rate"]
    known = rates.drop(index="two-form")
    assert (numpy.abs(known["predicted"] / known["rate"] - 1) < 0.01).all()
    sine = pandas.read_csv(smoke / "study" / "C.csv")
    f = 2 * numpy.pi * sine["frequency_hz"]

    def answer(turning, k=4):  # the mean of the answers to both halves of a sine in a plane that turns
        return sum(1 / (k**2 + (f + sign * turning) ** 2) for sign in (1, -1)) / 2

    # A ball joint's axes turn at 1 rad/s, of which its torsion-free C undoes a half.
    ball = sine["mechanism"] == "ball_joint_uniform"
    ratio = numpy.sqrt(numpy.where(ball, answer(5 - 0.5) / answer(0.5), answer(5) / answer(0)))
    assert set(sine["mechanism"]) == {"point_mass_uniform", "ball_joint_uniform"}
    assert (numpy.abs(sine["ratio"] / ratio - 1) < 0.02).all()
    limited = pandas.read_csv(smoke / "study" / "T.csv")
    assert (limited["saturated_steps"] > 0).any()
    trials = pandas.read_csv(smoke / "study" / "S.csv")
    assert trials["survived"].all() and list(trials["seed"]) == 3 * [1000, 1001, 1002, 1003]
    assert trials["peak_tilt_rad"].is_unique
    tilts = pandas.read_csv(smoke / "study" / "Z.csv")
    given = tilts[tilts["given"]]
    assert len(tilts) == 8 and len(given) >= 4
    assert (numpy.abs(given["ratio"] - given["predicted"]) < 0.02 * numpy.abs(given["ratio"] - 1)).all()
    page = (smoke / "study.md").read_text(encoding="utf-8")
    assert "### A periodic disturbance" in page
    assert "$" not in page and "nan" not in page
    assert (smoke / "study" / "throws.svg").stat().st_size > 1000


def test_it_goes_on_where_it_stopped(smoke):
    before = sorted((smoke / "runs").glob("*/*/runs/*.parquet"))
    run("study.py", "--size", "smoke", "--out", smoke / "runs", "--only", "A", "--workers", 1)
    assert sorted((smoke / "runs").glob("*/*/runs/*.parquet")) == before


def test_the_page_has_the_numbers_beside_it(tmp_path):
    folder = tmp_path / "study"
    folder.mkdir()
    for file in (DOCS / "study").glob("*.csv"):
        shutil.copy(file, folder)
    shutil.copy(DOCS / "study.md", tmp_path)
    run("report.py", "--page", "--docs", tmp_path)
    page = (tmp_path / "study.md").read_text(encoding="utf-8")
    assert page == (DOCS / "study.md").read_text(encoding="utf-8")


def test_a_seed_is_a_mechanism(tmp_path):
    for folder in ("a", "b"):
        run("mechanisms.py", tmp_path / folder, 4, 2)
    texts = [(tmp_path / folder / "random_5" / "scene.xml").read_text() for folder in ("a", "b")]
    assert texts[0] == texts[1]
    assert "freejoint" in texts[0]
    with pytest.raises(subprocess.CalledProcessError):
        run("mechanisms.py", tmp_path / "c", "four", 2)
