"""civita.run, civita.load_run, civita.compare."""

import json
import os
import pathlib
import signal
import subprocess
import sys
import threading
import time

import numpy
import pytest

import civita

SECOND = 1.0


def program(*words):
    return subprocess.run([sys.executable, "-m", "civita", *map(str, words)], capture_output=True, text=True)


@pytest.fixture(scope="module")
def arm():
    return civita.run("arm7", SECOND, set={"gains.Lambda": 8}, seed=3)


def test_signals_and_metrics(arm):
    assert arm.status == "done" and arm.verdict == "done"
    assert len(arm) == len(arm.t) == 1001 and arm.t[-1] == SECOND
    assert arm["/e"].shape == (1001, 7) and arm["/V"].shape == (1001,)
    assert arm["/e"].base is not None, "a view"
    assert not arm["/e"].flags.writeable
    assert (arm["/e/2"] == arm["/e"][:, 2]).all()
    assert arm.signals["/tau"] == "N·m" and arm.metrics.units["error_rms"]
    assert arm.metrics["error_rms"] == pytest.approx(numpy.sqrt((arm["/e"] ** 2).sum(axis=1).mean()), rel=0.9)
    assert "Lambda: 8" in arm.config or "8" in arm.config
    with pytest.raises(KeyError, match="/tau"):
        arm["/taus"]
    with pytest.raises(KeyError, match="error_rms"):
        arm.metrics["error_rm"]


def test_bits_are_the_programs(arm, tmp_path):
    done = program("run", "arm7", "--headless", "--duration", SECOND, "--set", "gains.Lambda=8",
                   "--seed", 3, "--out", tmp_path / "program")  # fmt: skip
    assert done.returncode == 0, done.stderr
    arm.save(tmp_path / "package")
    for name in ("signals.csv", "signals.npz", "config.yaml"):
        ours = (tmp_path / "package" / name).read_bytes()
        assert ours == (tmp_path / "program" / name).read_bytes(), name
    columns = numpy.load(tmp_path / "program" / "signals.npz")
    for name in columns.files:
        assert (columns[name] == (arm.t if name == "t" else arm[name])).all(), name
    summaries = [
        json.loads((tmp_path / folder / "run.json").read_text())["summary"]
        for folder in ("program", "package")
    ]
    assert summaries[0]["error_rms"] == summaries[1]["error_rms"] == arm.metrics["error_rms"]


def test_loaded_run_is_the_run(arm, tmp_path):
    arm.save(tmp_path / "run")
    loaded = civita.load_run(tmp_path / "run")
    assert loaded.status == "done"
    for name in arm.signals:
        if arm.signals[name] != "µs":
            assert (loaded[name] == arm[name]).all(), name
    assert loaded.metrics["error_rms"] == arm.metrics["error_rms"]
    loaded.save(tmp_path / "again")
    assert (tmp_path / "again" / "signals.csv").exists()
    with pytest.raises(ValueError, match="no run folder"):
        civita.load_run(tmp_path)


def test_config_of_a_run_runs_again(arm, tmp_path):
    (tmp_path / "again.yaml").write_text(arm.config)
    again = civita.run(tmp_path / "again.yaml")
    assert (again["/q"] == arm["/q"]).all()


def test_scene_as_a_mapping():
    run = civita.run({"base": "planar_2r", "gains": {"K_D": 20}, "duration_s": 0.1})
    other = civita.run("planar_2r", 0.1, set={"gains": {"K_D": numpy.float64(20)}})
    assert (run["/tau"] == other["/tau"]).all()


def test_kept_signals():
    run = civita.run("planar_2r", 0.1, signals=["/e"])
    assert list(run.signals) == ["/e"] and run["/e"].shape[1] == 2
    assert civita.run("planar_2r", 0.1, signals=[]).metrics["error_rms"] == run.metrics["error_rms"]
    with pytest.raises(ValueError, match="saved"):
        run.save("/nonexistent")
    with pytest.raises(ValueError, match="did you mean '/e'"):
        civita.run("planar_2r", 0.1, signals=["/ee"])


def test_blow_up_is_a_result():
    run = civita.run("arm7_twist", 5, factorization="t:1000")
    assert run.status == "failed" and run.verdict.startswith("failed")
    assert 0 < len(run) < 5001


@pytest.mark.parametrize(
    ("scene", "options", "words"),
    [
        ("arm77", {}, "did you mean 'arm7'"),
        ("arm7", {"set": {"gains.Lamda": 1}}, "Lambda"),
        ("arm7", {"factorization": "t:x"}, "factorization"),
        ("arm7", {"duration": -1}, "duration"),
        ("arm7", {"controller": "slotine"}, "slotine_li"),
        ("arm7", {"controller": "no_such_module:Law"}, "no_such_module"),
        ("arm7", {"plugins": ["none.so"]}, "none.so"),
    ],
)
def test_bad_input(scene, options, words):
    with pytest.raises(ValueError, match=words):
        civita.run(scene, **options)


def test_two_runs_at_once_have_the_bits_of_one(arm):
    runs = {}

    def work(index):
        runs[index] = civita.run("arm7", SECOND, set={"gains.Lambda": 8}, seed=3)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for run in runs.values():
        assert (run["/q"] == arm["/q"]).all()


def test_interrupt_keeps_what_is_done(tmp_path):
    code = f"""
import civita, sys
try:
    civita.run("arm7", 10000, signals=["/e"], out={str(tmp_path / "run")!r})
except KeyboardInterrupt as stop:
    print(stop.run.status, len(stop.run))
"""
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    while not (tmp_path / "run" / "run.json").exists():
        time.sleep(0.02)
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    output, _ = process.communicate(timeout=600)
    status, steps = output.split()
    assert status == "interrupted" and int(steps) > 100
    assert json.loads((tmp_path / "run" / "run.json").read_text())["status"] == "interrupted"


FULL_DISK = """
import civita, resource, signal
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (60000, 60000))
try:
    {call}
except OSError as full:
    print(full.{attribute}, len(full.{attribute}), full)
"""


@pytest.mark.parametrize(
    ("call", "attribute"),
    [
        ("civita.run('planar_2r', 0.5, signals=['/e'], out={out!r})", "run"),
        ("civita.compare('planar_2r', vary={{'K_D': [5, 10]}}, duration=0.5, out={out!r})", "table"),
    ],
)
def test_a_full_disk_keeps_what_is_in_memory(tmp_path, call, attribute):
    if "compare" in call:
        pytest.importorskip("pandas")
    code = FULL_DISK.format(call=call.format(out=str(tmp_path / "out")), attribute=attribute)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "cannot be written" in done.stdout
    assert "Run" in done.stdout or "K_D=10" in done.stdout


GERMAN = """
import locale, sys
import pandas  # which cannot be imported under a locale that has no country
import civita
locale.setlocale(locale.LC_ALL, sys.argv[1])
assert locale.localeconv()["decimal_point"] == ("," if sys.argv[1] == "de_XX" else ".")
run = civita.run("planar_2r", 0.25, set={"gains.K_D": 12.5})
print(run["/q"][-1].tolist(), run.config)
table = civita.compare("planar_2r", vary={"K_D": [5.5, 10]}, duration=0.25, out=sys.argv[2])
print(table.attrs["table"].split("control step")[0], table.attrs["sentence"])
print(civita.evaluate(civita.Model.from_file("planar_2r"), ["H"], q=[0.25, 1.5]), flush=True)
words = ["geodesic", "planar_2r", "--v", "1,0.5", "--duration", "0.2", "--format", "json"]
assert civita._civita.run_program(["civita", *words]) == 0
"""


def test_a_locale_with_a_comma_changes_nothing(tmp_path):
    pytest.importorskip("pandas")
    definition = pathlib.Path(__file__).parents[1] / "data" / "locale"
    made = ["-f", definition / "ascii", "-i", definition / "de", tmp_path / "de_XX"]
    subprocess.run(["localedef", "--no-archive", "-c", *made], check=False)
    said = {}
    for name in ("C", "de_XX"):
        done = subprocess.run(
            [sys.executable, "-c", GERMAN, name, str(tmp_path / f"out_{name}")],
            env={**os.environ, "LOCPATH": str(tmp_path)}, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        said[name] = done.stdout
    assert said["de_XX"] == said["C"]
    german, plain = (tmp_path / f"out_{name}" / "plots.svg" for name in ("de_XX", "C"))
    assert german.read_text() == plain.read_text()


def test_dataframe_and_plot(arm):
    frame = pytest.importorskip("pandas") and arm.to_dataframe()
    assert (frame["/e/0"].to_numpy() == arm["/e"][:, 0]).all()
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    figure = arm.plot("/e", "/V")
    assert [axis.get_ylabel() for axis in figure.axes] == ["e (rad)", "V (J)"]


def test_compare_is_the_programs(tmp_path):
    pandas = pytest.importorskip("pandas")
    table = civita.compare(
        "planar_2r", {"factorization": ["christoffel", "t:1"]}, duration=0.5, initial_states=3
    )
    done = program("compare", "planar_2r", "--vary", "factorization=christoffel,t:1",
                   "--duration", 0.5, "--initial-states", 3, "--out", tmp_path)  # fmt: skip
    assert done.returncode == 0, done.stderr
    theirs = json.loads((tmp_path / "compare.json").read_text())
    for variant in theirs["variants"]:
        row = table.loc[variant["name"]]
        assert row["error_rms", "mean"] == variant["metrics"]["error_rms"]
        assert [row["error_rms", "low"], row["error_rms", "high"]] == variant["intervals"]["error_rms"]
    assert table.attrs["sentence"] == theirs["summary"]
    assert len(table.attrs["runs"]) == 6
    assert isinstance(table, pandas.DataFrame)


def test_survive_is_the_programs(tmp_path):
    pytest.importorskip("pandas")
    table = civita.survive("quadruped", push=[0.5, 1.2], trials=2, seed=4)
    done = program("survive", "quadruped", "--push", "0.5,1.2", "--trials", 2, "--seed", 4,
                   "--out", tmp_path)  # fmt: skip
    assert done.returncode == 0, done.stderr
    theirs = json.loads((tmp_path / "survival.json").read_text())["rows"]
    assert list(table["survived"]) == [row["survived"] for row in theirs]
    assert [trial["end_s"] for trial in table.attrs["trials"]] == [
        trial["end_s"] for row in theirs for trial in row["trials"]
    ]


LEAF = """<mujoco><worldbody><body name="leaf" pos="0 0 1"><freejoint name="air"/><geom size="0.1" mass="1"/>
  <body><joint name="stalk" axis="0 1 0"/><geom size="0.05" pos="0.2 0 0" mass="0.2"/></body></body>
  </worldbody>
  <actuator><motor joint="stalk"/></actuator></mujoco>"""


def test_a_robot_that_nothing_holds_falls_freely(tmp_path):
    file = tmp_path / "leaf.xml"
    file.write_text(LEAF)
    run = civita.run(str(file), 0.3)
    assert run.status == "done" and run.verdict.startswith("fell freely: nothing holds the base")
    assert run.metrics["fall_s"] == pytest.approx(0.045, abs=0.003)
    assert any("stay passive: air" in notice for notice in run.notices)
    table = civita.compare(str(file), vary={"gains.K_D": [5, 10]}, duration=0.3)
    assert "tell nothing of its law" in table.attrs["sentence"]
    assert all(verdict.startswith("fell freely") for verdict in table.attrs["verdicts"].values())


def test_a_config_is_based_on_a_scene_by_its_name(tmp_path):
    file = tmp_path / "mine.yaml"
    file.write_text("base: planar_2r\ngains: {K_D: 7}\n")
    run = civita.run(file, 0.05)
    numpy.testing.assert_array_equal(run["/q"], civita.run("planar_2r", 0.05, set={"gains.K_D": 7})["/q"])
    (tmp_path / "planar_2r").write_text("base: arm7\n")  # a file beside it comes first
    assert civita.run(file, 0.05)["/q"].shape[1] == 7
    file.write_text("base: planar_3r\n")
    with pytest.raises(ValueError, match="planar_3r, nor a scene of this name$"):
        civita.run(file, 0.05)
