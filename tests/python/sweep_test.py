"""Sweeps: their rows, and what happens when something stops them."""

import contextlib
import ctypes
import gc
import itertools
import json
import os
import pathlib
import re
import resource
import signal
import subprocess
import sys
import time

import numpy
import own_laws
import pyarrow
import pytest

distributed = pytest.importorskip("distributed")
pandas = pytest.importorskip("pandas")

import civita  # noqa: E402
from civita.sweeps import StudyError, read_study  # noqa: E402
from civita.sweeps.engine import open_client  # noqa: E402
from civita.sweeps.store import Store  # noqa: E402
from civita.sweeps.work import run_chunk  # noqa: E402

GRID = {
    "scene": "arm7_twist",
    "duration_s": 0.2,
    "vary": {"controller.factorization": ["christoffel", "t:1"], "gains.K_D": [5, 10, 20]},
    "keep": {"metrics": ["error_rms", "twist_rad"], "signals": ["/e"]},
}
# Lasts seconds after its first runs, so that a machine under load stops it in its midst.
LONG = {
    "scene": "arm7_twist",
    "duration_s": 30,
    "vary": {"gains.K_D": {"from": 5, "to": 20, "count": 40}},
    "keep": {"metrics": ["error_rms"]},
}


@pytest.fixture(scope="module")
def client():
    """Two workers on this machine."""
    options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": None, "silence_logs": 50}
    with distributed.LocalCluster(**options) as cluster, distributed.Client(cluster) as client:
        yield client


def same_bits(a, b):
    """All that a run determines; its wall time is the machine's."""
    pandas.testing.assert_frame_equal(a.drop(columns="wall_s"), b.drop(columns="wall_s"), check_exact=True)


def write(tmp_path, study):
    file = tmp_path / "study.yaml"
    file.write_text(json.dumps(study))
    return file


class Sweep(subprocess.Popen):
    """Whose lines a minute, which it writes on a slow machine, are left out."""

    def communicate(self, *words, **options):
        output, error = super().communicate(*words, **options)
        return output, re.sub(r"^civita: \d+ of \d+ runs.*\n", "", error, flags=re.M)


def start(*words, **options):
    return Sweep(
        [sys.executable, "-m", "civita", "sweep", *map(str, words)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        **options,
    )


def rows(out):
    return pandas.read_parquet(out / "runs")


def wait_for(condition, seconds=60):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "too late"
        time.sleep(0.05)


def test_rows_are_those_of_single_runs(client, tmp_path):
    table = civita.sweep(GRID, client, tmp_path / "out")
    assert list(table["status"]) == ["done"] * 6
    assert list(table["gains.K_D"]) == [5, 10, 20] * 2
    for _, row in table.iterrows():
        keys = ("controller.factorization", "gains.K_D")
        run = civita.run("arm7_twist", 0.2, set={key: row[key] for key in keys}, seed=row["seed"])
        assert run.metrics["error_rms"] == row["error_rms"]
        assert run.metrics["twist_rad"] == row["twist_rad"]
        kept = pandas.read_parquet(tmp_path / "out" / "signals", filters=[("run", "==", row["run"])])
        assert numpy.array_equal(numpy.stack(kept["/e"]), run["/e"])
        assert numpy.array_equal(kept["t"], run.t)
    for _, row in rows(tmp_path / "out").iterrows():  # the config makes the run again
        (tmp_path / "again.yaml").write_text(row["config"])
        assert civita.run(tmp_path / "again.yaml").metrics["error_rms"] == row["error_rms"]


def test_metrics_are_by_default_all_but_times(client):
    study = {"scene": "point_mass", "duration_s": 0.1}
    table = civita.sweep(study, client)
    assert {"error_rms", "torque_rms", "energy_J"} <= set(table.columns)
    assert not [name for name in table.columns if name.endswith("_us")]


def test_same_bits_on_one_core_two_and_a_remote_scheduler(client, tmp_path):
    two = civita.sweep(GRID, client, tmp_path / "two")
    same_bits(two, civita.sweep(GRID, workers=1))
    with remote(tmp_path) as address:
        process = start(write(tmp_path, GRID), "--scheduler", address, "--out", tmp_path / "far")
        out, error = process.communicate(timeout=600)
        assert (process.returncode, error) == (0, "")
        assert out == f"6 runs: 6 done; {tmp_path / 'far'}/table.parquet\n"
    far = rows(tmp_path / "far").set_index("run").loc[two["run"]].reset_index()
    same_bits(two, far.drop(columns="config"))


class remote:
    """A scheduler and two workers, processes of their own that talk over TCP."""

    def __init__(self, tmp_path):
        self._file = tmp_path / "scheduler.json"
        self._cwd = tmp_path

    def __enter__(self):
        self._processes = []
        self._start("scheduler", "--host", "127.0.0.1", "--port", "0", "--scheduler-file", self._file)
        wait_for(self._file.exists)
        address = json.loads(self._file.read_text())["address"]
        for _ in range(2):
            self._start("worker", address, "--nthreads", "1", "--no-nanny")
        return address

    def __exit__(self, *_):
        for process in reversed(self._processes):
            process.terminate()
            process.wait()

    def _start(self, *words):
        command = [sys.executable, "-m", "dask", *map(str, words), "--no-dashboard"]
        quiet = subprocess.DEVNULL
        self._processes.append(subprocess.Popen(command, stdout=quiet, stderr=quiet, cwd=self._cwd))


def test_a_run_that_blows_up_is_a_row(client):
    study = {
        "scene": "arm7_twist",
        "duration_s": 0.1,
        "vary": {"initial.v_error": [[1e9] * 7, [1] * 7]},
    }
    table = civita.sweep(study, client)
    assert list(table["status"]) == ["failed", "done"]
    assert table["reason"][0].startswith("failed: the speed of joint1 is 1e+09 rad/s")
    assert list(table["t_end_s"]) == [0, 0.1]


def test_a_robot_that_nothing_holds_counts_for_no_mean(client, tmp_path):
    file = tmp_path / "leaf.xml"
    file.write_text("""<mujoco><worldbody><body pos="0 0 1"><freejoint/><geom size="0.1" mass="1"/>
      <body><joint name="stalk" axis="0 1 0"/><geom size="0.05" pos="0.2 0 0" mass="0.2"/></body></body>
      </worldbody>
      <actuator><motor joint="stalk"/></actuator></mujoco>""")
    study = {"scene": str(file), "duration_s": 0.2, "vary": {"gains.K_D": [5, 10]}}
    table = civita.sweep(study, client, tmp_path / "out")
    assert list(table["status"]) == ["done", "done"]
    assert all(reason.startswith("fell freely") for reason in table["reason"])
    summary = json.loads((tmp_path / "out" / "summary.json").read_text())
    assert summary["text"].endswith(
        "of those done, 2 fell, as nothing holds the robot, and count for no mean"
    )
    assert all(variant["done"] == 0 for variant in summary["variants"])


def test_a_run_that_cannot_be_made_is_a_row(client, tmp_path):
    study = {
        "scene": "point_mass",
        "duration_s": 0.1,
        "vary": {"gains.Lambda": {"distribution": "norm", "loc": 1, "scale": 3}},
        "sample": {"count": 20},
    }
    table = civita.sweep(study, client, tmp_path / "out")
    assert set(table["status"]) == {"done", "error"}
    for _, row in table.iterrows():
        assert (row["status"] == "error") == (row["gains.Lambda"] < 0)
    assert "gains.Lambda" in table["reason"][list(table["status"]).index("error")]
    program = start(write(tmp_path, study), "--out", tmp_path / "out")  # errors are tried again
    assert program.wait(timeout=600) == 1


def test_the_summary_has_the_means_of_each_variant(client, tmp_path):
    study = {**GRID, "vary": {**GRID["vary"], "initial.v_error": {"distribution": "norm", "loc": [0] * 7}}}
    table = civita.sweep({**study, "sample": {"count": 3}}, client, tmp_path / "out")
    summary = json.loads((tmp_path / "out" / "summary.json").read_text())
    assert summary["runs"] == summary["done"] == 18
    assert summary["units"] == {"error_rms": "rad", "twist_rad": "rad"}
    names = [f"{c}, K_D={k}" for c in ("christoffel", "t:1") for k in (5, 10, 20)]
    assert [variant["name"] for variant in summary["variants"]] == names
    shown = json.loads((tmp_path / "out" / "table.json").read_text())
    assert [column["title"] for column in shown["columns"]] == names
    assert [row["name"] for row in shown["rows"]] == ["status", "tracking error, RMS", "turning"]
    assert shown["rows"][2]["unit"] == "rad"
    mean, half = shown["rows"][2]["cells"][4]
    assert mean == pytest.approx(summary["variants"][4]["metrics"]["twist_rad"])
    assert half > 0
    rows = table[(table["controller.factorization"] == "t:1") & (table["gains.K_D"] == 10)]["twist_rad"]
    variant = summary["variants"][4]
    assert variant["done"] == variant["ended"] == len(rows) == 3
    assert variant["metrics"]["twist_rad"] == pytest.approx(rows.mean(), rel=1e-14)
    half = 4.302652729696142 * rows.sem()  # Student's t for two degrees of freedom
    low, high = variant["intervals"]["twist_rad"]
    assert (low, high) == (pytest.approx(rows.mean() - half), pytest.approx(rows.mean() + half))


def test_a_finished_sweep_runs_nothing(client, tmp_path, monkeypatch):
    first = civita.sweep(GRID, client, tmp_path / "out")
    monkeypatch.setattr("civita.sweeps.execute", None)
    assert civita.sweep(GRID, client, tmp_path / "out").equals(first)


def test_a_longer_study_runs_what_is_new(client, tmp_path):
    civita.sweep(GRID, client, tmp_path / "out")
    before = len(rows(tmp_path / "out"))
    longer = {**GRID, "seeds": [0, 7]}
    table = civita.sweep(longer, client, tmp_path / "out")
    assert len(table) == 12
    assert len(rows(tmp_path / "out")) == before + 6
    assert len(civita.sweep(GRID, client, tmp_path / "out")) == 6


def read_by_all(file):
    """The table as each reader that is installed has it: columns of lists."""
    tables = [pandas.read_parquet(file).to_dict("list")]
    with contextlib.suppress(ModuleNotFoundError):
        import polars

        tables.append(polars.read_parquet(file).to_dict(as_series=False))
    with contextlib.suppress(ModuleNotFoundError):
        import duckdb

        result = duckdb.sql(f"SELECT * FROM '{file}'")
        tables.append(dict(zip(result.columns, map(list, zip(*result.fetchall(), strict=True)), strict=True)))
    return tables


SMALL = {"scene": "point_mass", "duration_s": 0.05, "keep": {"metrics": ["error_rms"]}}


def test_a_folder_of_several_studies_has_the_table_of_the_last(client, tmp_path):
    """Numbers that were whole, keys and metrics that were not there, and runs that are."""
    config = civita.run("point_mass", 0.05).config
    Lambda = float(next(line for line in config.splitlines() if "Lambda:" in line).split(":")[1].strip(" []"))
    metrics = {"metrics": ["error_rms", "torque_rms"]}
    studies = [
        {**SMALL, "vary": {"gains.K_D": [10, 20]}},
        {**SMALL, "vary": {"gains.K_D": [10, 20, 20.5]}},
        {**SMALL, "vary": {"gains.K_D": [10, 20], "gains.Lambda": [Lambda, Lambda + 0.5]}},
        {**SMALL, "vary": {"gains.K_D": [10]}, "keep": metrics},
        {**SMALL, "vary": {"gains.Lambda": [Lambda, 7]}},
    ]
    for study in studies:
        table = civita.sweep(study, client, tmp_path / "out")
        combinations = list(itertools.product(*study["vary"].values()))
        for read in read_by_all(tmp_path / "out/table.parquet"):
            for key, values in zip(study["vary"], zip(*combinations, strict=True), strict=True):
                assert read[key] == list(values)
                assert all(isinstance(x, float) for x in read[key])
            assert read["error_rms"] == list(table["error_rms"])
            varied = {name for name in read if name.startswith("gains.")}
            assert varied == set(study["vary"])
            assert ("torque_rms" in read) == (study["keep"] is metrics)
    assert len(pandas.read_parquet(tmp_path / "out/runs/part-000001.parquet")) == 1  # of a chunk
    fresh = civita.sweep(studies[2], client)
    same_bits(fresh, civita.sweep(studies[2], client, tmp_path / "out"))


@pytest.mark.parametrize(
    "before, after, words",
    [
        ([10, 20], ["10", 20.5], "texts here, and numbers in the rows"),
        ([10, 20], [[10, 11, 12]], "lists of numbers here, and numbers in the rows"),
        (["10", 20.5], [10, 20], "numbers here, and texts in the rows"),
    ],
)
def test_a_key_of_another_kind_is_refused_before_anything_runs(client, tmp_path, before, after, words):
    civita.sweep({**SMALL, "vary": {"gains.K_D": before}}, client, tmp_path / "out")
    kept = sorted(path.name for path in tmp_path.glob("out/**/*"))
    file = write(tmp_path, {**SMALL, "vary": {"gains.K_D": after}})
    process = start(file, "--out", tmp_path / "out")
    _, error = process.communicate(timeout=600)
    assert process.returncode == 2
    assert re.match(rf"civita: {file}:\d+:\d+: vary.gains.K_D: {words}", error)
    assert error.count("\n") == 1
    assert sorted(path.name for path in tmp_path.glob("out/**/*")) == kept
    assert len(civita.sweep({**SMALL, "vary": {"gains.K_D": before}}, client, tmp_path / "out")) == 2


@pytest.mark.parametrize(
    "size, words",
    [(3000, "{out}/runs/part-00000\\d.parquet: cannot be written \\("), (0, "--out {out}: file too large")],
)
def test_a_full_disk_is_one_line_and_the_same_command_goes_on(tmp_path, size, words):
    """Files of 3 kB at most, as of a quota: a part is larger. And of nothing, not even the lock's line."""
    file = write(tmp_path, {**SMALL, "vary": {"gains.K_D": [10, 20]}})
    limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))  # noqa: E731
    process = start(file, "--out", tmp_path / "out", "--workers", "1", preexec_fn=limit)
    _, error = process.communicate(timeout=600)
    assert process.returncode == 2
    assert re.match("civita: " + words.format(out=tmp_path / "out"), error)
    assert error.count("\n") == 1
    assert not list(tmp_path.glob("out/**/.*.tmp"))
    assert start(file, "--out", tmp_path / "out", "--workers", "1").wait(timeout=600) == 0
    assert len(rows(tmp_path / "out")) == 2


def test_a_folder_that_cannot_be_made_is_one_line(tmp_path):
    file, out = write(tmp_path, {**GRID, "seeds": 1}), tmp_path / "out"
    out.mkdir()
    (out / "signals").write_text("a file in its place")
    process = start(file, "--out", out, "--workers", "1")
    _, error = process.communicate(timeout=600)
    assert process.returncode == 2
    assert re.match(rf"civita: {out}/signals/part-00000\d.parquet: cannot be written \(file exists\)", error)
    assert error.count("\n") == 1
    assert (out / "signals").read_text() == "a file in its place"


def test_workers_that_do_not_start_are_one_line(monkeypatch, tmp_path):
    """As with a full folder of temporary files, where Dask puts its own."""

    def fails(**_):
        raise RuntimeError("Cluster failed to start: [Errno 28] No space left on device: '/tmp/dask'")

    monkeypatch.setattr(distributed, "LocalCluster", fails)
    with pytest.raises(
        StudyError, match="^the workers on this machine do not start: .*No space left"
    ) as error:
        civita.sweep({**SMALL, "vary": {"gains.K_D": [10]}}, out=tmp_path / "out")
    assert "\n" not in str(error.value)


def test_laws_are_classes_and_a_scene_is_a_map_with_a_base(client, tmp_path):
    study = {
        "scene": {"base": "planar_2r", "gains": {"K_D": 7}, "controller": {"gain_form": "diagonal"}},
        "duration_s": 0.1,
        "vary": {"controller.type": [own_laws.PassivityBased, "slotine_li"]},
    }
    table = civita.sweep(study, client, tmp_path / "out")
    assert list(table["status"]) == ["done", "done"]
    name = table["controller.type"][0]
    assert name == "own_laws:PassivityBased"
    for law, error in zip([own_laws.PassivityBased, "slotine_li"], table["error_rms"], strict=True):
        settings = {"gains.K_D": 7, "controller.gain_form": "diagonal"}
        assert civita.run("planar_2r", 0.1, set=settings, controller=law).metrics["error_rms"] == error

    class Local(own_laws.PassivityBased):
        pass

    with pytest.raises(StudyError, match="the law Local: workers cannot import it"):
        read_study({**study, "vary": {"controller.type": [Local]}})
    with pytest.raises(StudyError, match="a map with such a 'base'"):
        read_study({**study, "scene": {"model": "arm.xml"}})


CLUSTER = """
class: {}
arguments: {}
"""


@pytest.mark.parametrize("words", [[], ["--trust"]])
def test_a_file_of_a_cluster_runs_nothing_that_is_no_cluster(tmp_path, words):
    (tmp_path / "own.py").write_text(
        "import pathlib\npathlib.Path('IMPORTED').touch()\nclass Cluster: pass\n"
    )
    file = write(tmp_path, GRID)
    for name, arguments in (
        ("subprocess.Popen", "{args: [touch, CALLED]}"),
        ("os.mkdir", "{path: CALLED}"),
        ("own.Cluster", "{}"),
    ):
        (tmp_path / "cluster.yaml").write_text(CLUSTER.format(name, arguments))
        process = start(file, "--cluster", "cluster.yaml", *words, cwd=tmp_path)
        _, error = process.communicate(timeout=600)
        assert process.returncode == 2
        assert error.startswith("civita: cluster.yaml:2:1: class: ")
        assert ("no cluster of Dask's" if words else "with --trust only") in error
        assert error.count("\n") == 1
        assert not (tmp_path / "CALLED").exists()
        assert (tmp_path / "IMPORTED").exists() == (words != [] and name == "own.Cluster")


def test_a_file_of_a_cluster_is_used_with_trust(tmp_path):
    (tmp_path / "cluster.yaml").write_text(
        CLUSTER.format("distributed.LocalCluster", "{threads_per_worker: 1, dashboard_address: null}")
    )
    file = write(tmp_path, {**SMALL, "seeds": 2})
    process = start(file, "--cluster", tmp_path / "cluster.yaml", "--trust", "--out", tmp_path / "out")
    out, error = process.communicate(timeout=600)
    assert (process.returncode, out) == (0, f"2 runs: 2 done; {tmp_path / 'out'}/table.parquet\n"), error


def test_ctrl_c_keeps_what_is_done_and_the_same_command_goes_on(tmp_path):
    file, out = write(tmp_path, LONG), tmp_path / "out"
    process = start(file, "--out", out)
    wait_for(lambda: len(list(out.glob("runs/*.parquet"))) >= 3)
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does: its workers get it, too
    _, error = process.communicate(timeout=600)
    assert process.returncode == 130
    kept = rows(out)
    assert 0 < len(kept) < 40
    assert error.splitlines()[-1].startswith(f"civita: interrupted after {len(kept)} of 40 runs, which are")
    assert len(error.splitlines()) == 1
    process = start(file, "--out", out)
    assert process.wait(timeout=600) == 0
    table = rows(out)
    assert len(table) == table["run"].nunique() == 40


def children_of(pid):
    """The workers of a sweep, as soon as there are processes."""
    children = pathlib.Path(f"/proc/{pid}/task").glob("*/children")
    pids = [int(word) for file in children for word in file.read_text().split()]
    return [child for child in pids if b"spawn_main" in pathlib.Path(f"/proc/{child}/cmdline").read_bytes()]


def test_ctrl_c_in_the_start_is_one_line(tmp_path):
    process = start(write(tmp_path, LONG), "--out", tmp_path / "out")
    wait_for(lambda: children_of(process.pid))
    os.killpg(process.pid, signal.SIGINT)
    output, error = process.communicate(timeout=600)
    assert process.returncode == 130
    assert re.fullmatch(
        r"civita: interrupted after 0 of 40 runs, which are in .*; the same command goes on\n", error
    )
    assert not output


def test_a_worker_that_dies_in_the_start_is_replaced(tmp_path):
    study = {**GRID, "vary": {"gains.K_D": [5, 10, 20]}}
    process = start(write(tmp_path, study), "--out", tmp_path / "out", "--workers", "2")
    wait_for(lambda: children_of(process.pid))
    os.kill(children_of(process.pid)[0], signal.SIGKILL)
    output, error = process.communicate(timeout=600)
    assert (process.returncode, error) == (0, "")
    assert output.startswith("3 runs: 3 done; ")


def test_a_folder_leads_nowhere_else(tmp_path):
    study, victim = read_study(SMALL), tmp_path / "victim"
    victim.write_text("precious")
    for name in ("lock", "runs", "signals"):
        out = tmp_path / f"out_{name}"
        out.mkdir()
        (tmp_path / "theirs").mkdir(exist_ok=True)
        (out / name).symlink_to(victim if name == "lock" else tmp_path / "theirs")
        with pytest.raises(StudyError, match=f"--out .*: its f(ile|older) {name} is a link"):
            Store(out, study)
    (tmp_path / "hard").mkdir()
    (tmp_path / "hard" / "lock").hardlink_to(victim)
    with pytest.raises(StudyError, match="its file lock is no file of its own"):
        Store(tmp_path / "hard", study)
    out = tmp_path / "out"
    (out / "runs").mkdir(parents=True)
    for name in (
        "study.json",
        ".study.json.tmp",
        ".table.json.tmp",
        "table.parquet",
        "runs/.part-000001.parquet.tmp",
    ):
        (out / name).symlink_to(victim)
    with Store(out, study) as store:
        store.write_results()
    assert not (out / "study.json").is_symlink() and not (out / "table.parquet").is_symlink()
    assert victim.read_text() == "precious"
    assert not list((tmp_path / "theirs").iterdir())


def test_names_that_no_sweep_gives(tmp_path):
    study, out = read_study(SMALL), tmp_path / "out"
    (out / ".own.tmp").mkdir(parents=True)
    with Store(out, study):
        pass
    assert (out / ".own.tmp").is_dir()
    (out / "runs" / "part-x.parquet").write_bytes(b"")
    with pytest.raises(StudyError, match=r"part-x\.parquet: is no part of a sweep; "):
        Store(out, study)


def test_a_killed_sweep_goes_on(tmp_path):
    file, out = write(tmp_path, LONG), tmp_path / "out"
    process = start(file, "--out", out)
    wait_for(lambda: len(list(out.glob("runs/*.parquet"))) >= 3)
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
    (out / "runs" / ".part-000099.parquet.tmp").write_bytes(b"half")
    kept = len(rows(out))
    assert start(file, "--out", out).wait(timeout=600) == 0
    table = rows(out)
    assert 0 < kept < 40 == len(table) == table["run"].nunique()
    assert not list(out.glob("**/.*.tmp"))


def test_a_killed_worker_loses_nothing(client, tmp_path):
    pids = client.run(os.getpid)
    study, killed = {**LONG, "seeds": [3]}, []

    def kill_one(*_):
        if not killed:
            killed.append(os.kill(next(iter(pids.values())), signal.SIGKILL))

    store_append = Store.append
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Store, "append", lambda *words: (store_append(*words), kill_one())[0])
        table = civita.sweep(study, client, tmp_path / "out")
    assert killed
    assert list(table["status"]) == ["done"] * 40
    assert set(client.run(os.getpid).values()) != set(pids.values())


def kill_or_run(job, runs):
    if any(run.varied["gains.K_D"] == 10 for run in runs):
        os.kill(os.getpid(), signal.SIGKILL)
    return run_chunk(job, runs)


def test_a_run_that_kills_its_workers_is_a_row_and_takes_no_other_along(client, monkeypatch):
    monkeypatch.setattr("civita.sweeps.engine.run_chunk", kill_or_run)
    monkeypatch.setattr("civita.sweeps.engine._Execution._size", lambda _: 3)
    monkeypatch.setattr(client.cluster.scheduler, "allowed_failures", 1)
    table = civita.sweep({**GRID, "vary": {"gains.K_D": [5, 10, 20]}}, client)
    assert list(table["status"]) == ["done", "error", "done"]
    assert table["reason"][1] == "every worker that tried it died"


def test_a_folder_has_one_sweep_at_a_time(client, tmp_path):
    study = read_study(GRID)
    with Store(tmp_path / "out", study):
        with pytest.raises(StudyError, match=f"in use by process {os.getpid()} on "):
            civita.sweep(GRID, client, tmp_path / "out")
        process = start(write(tmp_path, GRID), "--out", tmp_path / "out")
        _, error = process.communicate(timeout=600)
        assert process.returncode == 2
        assert error.startswith(f"civita: --out {tmp_path / 'out'}: in use by process {os.getpid()}")
        assert error.count("\n") == 1
    (tmp_path / "out" / "lock").write_text("process 1 on a machine that died\n")
    civita.sweep(GRID, client, tmp_path / "out")


def test_a_worker_with_another_version_ends_the_sweep(client):
    study = read_study(GRID)
    job = study.job.__class__(**{**study.job.__dict__, "versions": ("0.0", "0.0")})
    with pytest.raises(RuntimeError, match=r"a worker has civita .*, this is civita 0\.0"):
        run_chunk(job, study.runs[:1])


@pytest.mark.parametrize(
    "words, message",
    [
        (["nowhere.yaml"], "nowhere.yaml: no such file or directory"),
        ([], "sweep: the following arguments are required: STUDY"),
        (["STUDY", "--wrokers", "2"], "sweep: unrecognized arguments: --wrokers"),
        (["STUDY", "--workers", "-1"], "--workers: a whole number ≥ 1"),
        (["STUDY", "--out", "/proc/nowhere"], "--out /proc/nowhere: "),
        (["STUDY", "--scheduler", "nonsense://x"], "--scheduler nonsense://x: does not answer"),
        (["STUDY", "--cluster", "CLUSTER"], "cluster.yaml:1:1: class: "),
    ],
)
def test_bad_words_are_one_line_and_exit_code_2(tmp_path, words, message):
    (tmp_path / "cluster.yaml").write_text("class: dask_jobqueue.NoCluster\n")
    files = {"STUDY": write(tmp_path, GRID), "CLUSTER": tmp_path / "cluster.yaml"}
    process = start(*(files.get(word, word) for word in words), cwd=tmp_path)
    _, error = process.communicate(timeout=600)
    assert process.returncode == 2
    assert error.startswith("civita: ")
    assert message in error
    assert error.count("\n") == 1


CTRL_C = """
import contextlib, signal
import civita
civita.trust_configs()
from civita.sweeps.engine import open_client
with contextlib.suppress(ValueError), open_client(cluster_file="cluster.yaml"):
    pass
import sys
assert "dask_jobqueue" in sys.modules
assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
"""


def test_cluster_of_a_file_leaves_ctrl_c_alone(tmp_path):
    (tmp_path / "cluster.yaml").write_text("class: dask_jobqueue.NoCluster\n")
    subprocess.run([sys.executable, "-c", CTRL_C], check=True, cwd=tmp_path)


def test_trials_of_survival(client):
    study = {
        "scene": "biped",
        "survive": True,
        "vary": {"push": [0.5, 4]},
        "seeds": 2,
        "keep": {"metrics": ["survived", "impulse_Ns"]},
    }
    table = civita.sweep(study, client)
    assert list(table["push"]) == [0.5, 0.5, 4, 4]
    assert list(table["survived"]) == [1, 1, 0, 0]
    assert table["impulse_Ns"][2] == pytest.approx(8 * table["impulse_Ns"][0])
    assert "fell" in table["reason"][3]
    words = ["survive", "biped", "--push", "0.5", "--trials", "2", "--seed", "0"]
    assert subprocess.run([sys.executable, "-m", "civita", *words], capture_output=True).returncode == 0


def test_memory_does_not_grow(client):
    study = {
        "scene": "point_mass",
        "duration_s": 0.01,
        "vary": {"gains.Lambda": {"from": 1, "to": 8, "count": 300}},
        "keep": {"metrics": ["error_rms"]},
    }
    memory = []
    for seed in range(3):
        civita.sweep({**study, "seeds": [seed]}, client)
        memory.append(sum(client.run(resident).values()))
    assert memory[2] - memory[1] < 4e6


def resident():
    """Memory of this process, bytes, without what is free and allocators keep for later."""
    gc.collect()
    pyarrow.default_memory_pool().release_unused()
    ctypes.CDLL(None).malloc_trim(0)
    pages = int(pathlib.Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def test_dask_keeps_few_messages():
    with open_client(workers=1) as ours:
        assert (
            civita.sweep({"scene": "point_mass", "duration_s": 0.02, "seeds": 3}, ours)["status"]
            .eq("done")
            .all()
        )
        assert ours.scheduler_comm.recent_message_log.maxlen <= 10


@pytest.mark.slow
def test_memory_of_ten_thousand_runs(monkeypatch, capsys):
    """Neither the workers nor the process that writes grow, from the first thousand runs on."""
    study = {"scene": "point_mass", "duration_s": 0.05, "vary": {"gains.K_D": [5, 10]}, "seeds": 5000}
    rows, memory, append = 0, [], Store.append
    with open_client(workers=2) as ours:

        def measure(store, runs, results):
            nonlocal rows
            append(store, runs, results)
            rows += len(runs)
            if rows >= 1000 * (len(memory) + 1):
                memory.append([resident(), sum(ours.run(resident).values())])

        monkeypatch.setattr(Store, "append", measure)
        civita.sweep(study, ours, progress=False)
    megabytes = numpy.array(memory) / 1e6
    with capsys.disabled():
        print(f"\nMB of this process and of two workers, by thousand runs:\n{megabytes.round(1)}")
    growth = megabytes[-1] - megabytes[0]
    assert growth[0] < 4 and growth[1] < 8
