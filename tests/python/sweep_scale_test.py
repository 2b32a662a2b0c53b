"""Sweeps of many runs: what their plan and their files cost, in counts."""

import contextlib
import json
import os
import subprocess
import sys

import numpy
import pytest

distributed = pytest.importorskip("distributed")
pandas = pytest.importorskip("pandas")

import civita  # noqa: E402
from civita import _civita  # noqa: E402
from civita.sweeps import read_study, store  # noqa: E402
from civita.sweeps.engine import open_client  # noqa: E402
from civita.sweeps.store import Store, take_plan  # noqa: E402
from civita.sweeps.work import Result  # noqa: E402

MANY = {
    "scene": "planar_2r",
    "duration_s": 0.01,
    "vary": {
        "gains.K_D": {"from": 5, "to": 40, "count": 10},
        "gains.Lambda": {"distribution": "uniform", "loc": 1, "scale": 9},
    },
    "sample": {"method": "sobol", "count": 1024},
    "keep": {"metrics": ["error_rms"], "signals": ["/e"]},
}
PLAN = """
import json, resource, sys
from civita import _civita
from civita.sweeps import read_study
import civita.sweeps.engine
calls, one = [], _civita.resolve_config
_civita.resolve_config = lambda *words: (calls.append(words), one(*words))[1]
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
study = read_study(json.loads(sys.argv[1]))
print(len(set(study.names.tolist())), len(calls), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""


def test_a_plan_reads_no_file_a_run_and_takes_little_memory():
    words = [sys.executable, "-c", PLAN, json.dumps({**MANY, "seeds": 10})]
    runs, reads, kB = map(
        int, subprocess.run(words, capture_output=True, text=True, check=True).stdout.split()
    )
    assert runs == 102400
    assert reads <= 10
    assert kB < 60_000  # 600 bytes a run


def result_of(run):
    """A run that nobody made."""
    x = float(run.index)
    return Result("done", "", 0.01, {"error_rms": x}, f"config of {run.index}", {
        "t": numpy.array([0, 0.01]), "/e": numpy.array([[x, 1], [2, 3]])})  # fmt: skip


def fill(kept, indices):
    for i in indices:
        runs = kept._study.runs_at(numpy.array([i]))
        kept.append(runs, list(map(result_of, runs)))


@pytest.fixture
def no_sync(monkeypatch):
    monkeypatch.setattr(os, "fsync", lambda _: None)


def files(out):
    return [path for path in out.rglob("*") if path.is_file()]


def test_files_are_few_however_many_chunks_come_in(tmp_path, no_sync):
    study, most = read_study(MANY), 0
    order = numpy.random.default_rng(0).permutation(1100)
    with Store(tmp_path, study) as kept:
        for part in numpy.array_split(order, 50):
            fill(kept, part)
            most = max(most, len(files(tmp_path)))
        kept.write_results()
    assert most <= 2 * 3 * 31 + 5
    with Store(tmp_path, study) as kept:
        assert list(kept.missing()) == list(range(1100, 10240))
    table = pandas.read_parquet(tmp_path / "table.parquet")
    assert list(table["error_rms"]) == list(range(1100))
    assert list(table["config"]) == [f"config of {i}" for i in range(1100)]
    assert list(table["run"]) == [name.decode() for name in study.names[:1100]]
    assert len(pandas.read_parquet(tmp_path / "runs")) == 1100
    signals = pandas.read_parquet(tmp_path / "signals")
    assert len(signals) == 2200
    one = pandas.read_parquet(tmp_path / "signals", filters=[("run", "==", table["run"][77])])
    assert list(one["t"]) == [0, 0.01]
    assert numpy.array_equal(numpy.stack(one["/e"]), [[77, 1], [2, 3]])


@pytest.mark.parametrize("stop", [0, 1, 2, 20, 32, 33, 34, 64])
def test_an_end_in_the_midst_of_joining_doubles_and_loses_nothing(tmp_path, no_sync, stop):
    """The 32nd part makes one of all: beside its own, two files are written and 62 taken away."""
    study, left = read_study(MANY), [stop]

    def counted(call):
        def act(*words):
            left[0] -= 1
            if left[0] < 0:
                raise KeyboardInterrupt
            return call(*words)

        return act

    with Store(tmp_path, study) as kept:
        fill(kept, range(31))
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(Store, "_write_part", counted(Store._write_part))
            patch.setattr(store.pathlib.Path, "unlink", counted(store.pathlib.Path.unlink))
            with contextlib.suppress(KeyboardInterrupt):
                fill(kept, [31])
    with Store(tmp_path, study) as kept:
        missing = kept.missing()
        fill(kept, missing[missing < 40])
    assert sorted(pandas.read_parquet(tmp_path / "runs")["error_rms"]) == list(range(40))
    assert len(pandas.read_parquet(tmp_path / "signals")) == 80


def test_a_finished_study_is_known_by_its_record(tmp_path, no_sync):
    study = {**MANY, "vary": {"gains.K_D": {"from": 5, "to": 40, "count": 1100}}}
    del study["sample"]
    with Store(tmp_path, checked := read_study(study)) as kept:
        missing = kept.missing()
        runs = checked.runs_at(missing)
        kept.append(runs, list(map(result_of, runs)))
        first = kept.write_results()[0].to_pandas()
    with pytest.MonkeyPatch.context() as patch:
        for module, name in ((_civita, "resolve_configs"), (civita.sweeps, "execute"), (Store, "_find")):
            patch.setattr(module, name, None)
        assert civita.sweep(study, out=tmp_path).equals(first)
    (tmp_path / "runs" / "part-000001.parquet").unlink()
    with Store(tmp_path, read_study(study, lambda each: take_plan(each, tmp_path))) as kept:
        assert len(kept.missing()) == 1100


def test_tasks_are_chunks_of_seconds(tmp_path, monkeypatch):
    study, chunks, append = {**MANY, "sample": {"count": 128}}, [], Store.append
    monkeypatch.setattr(Store, "append", lambda *words: (chunks.append(len(words[1])), append(*words))[1])
    with open_client(workers=2) as client:
        table = civita.sweep(study, client, tmp_path)
    assert len(table) == sum(chunks) == 1280
    assert len(chunks) < 320
    assert len(files(tmp_path)) <= 200
