"""Laws in Python."""

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

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import own_laws  # noqa: E402

LAWS = pathlib.Path(own_laws.__file__)


@pytest.mark.parametrize("scene", ["arm7", "ball_arm", "planar_2r"])
def test_slotine_li_in_python_is_that_in_cpp(scene):
    settings = {"gains.Lambda": 6, "gains.K_D": 11, "controller.factorization": "t:0.5"}
    theirs = civita.run(scene, 1, set=settings, controller="slotine_li")
    ours = civita.run(scene, 1, set=settings, controller=own_laws.PassivityBased)
    assert ours.status == "done", ours.verdict
    for name in ("/q", "/tau", "/s", "/V", "/Vdot", "/P", "/energy_balance"):
        scale = max(1.0, numpy.abs(theirs[name]).max())
        assert numpy.abs(ours[name] - theirs[name]).max() < 1e-12 * scale * 10, name
    assert ours["/law/power"].shape == ours.t.shape and ours.signals["/law/power"] == "W"


def test_state_is_integrated():
    run = civita.run("planar_2r", 1, controller=own_laws.Integral)
    assert run.status == "done", run.verdict
    stage = civita.run("planar_2r", 1, controller=own_laws.Integral, set={"control.mode": "every_stage"})
    assert stage.status == "done", stage.verdict
    model = civita.Model.from_file("planar_2r")
    law = civita.Law(own_laws.Integral, model)
    z = numpy.zeros(2)
    reference = (model.default_position, numpy.zeros(2), numpy.zeros(2))
    q = model.default_position + 0.1
    for k in range(5):
        law.step(0.01 * k, q, numpy.zeros(2), reference)
        assert numpy.allclose(law.state, z, atol=1e-15)
        z = z + 0.01 * law.e


def test_exception_is_the_runs_failure(tmp_path):
    run = civita.run("planar_2r", 1, controller=own_laws.Failing, out=tmp_path / "run")
    assert run.status == "failed" and len(run) == 51
    assert "ZeroDivisionError: division by zero" in run.verdict
    assert "own_laws.py" in run.verdict and "return 1 / 0" in run.verdict
    loaded = civita.load_run(tmp_path / "run")
    assert loaded.verdict == run.verdict and len(loaded) == 51


@pytest.mark.parametrize(
    ("law", "words"),
    [
        (own_laws.WrongShape, r"WrongShape.*tau.*\(1,\), not \(2,\) at t"),
        (own_laws.TwoTorques, r"TwoTorques.*tau.*\(2, 2\), not \(2,\) at t"),
        (own_laws.WrongSignal, r"WrongSignal.control: self.power: an array of shape \(3,\), not a number"),
        (own_laws.NotFinite, "NotFinite.*tau.*finite"),
    ],
)
def test_bad_torque_is_one_clear_error(law, words):
    run = civita.run("planar_2r", 1, controller=law)
    assert run.status == "failed" and len(run) == 0
    import re

    assert re.search(words, run.verdict), run.verdict


def test_law_that_cannot_be_made():
    with pytest.raises(
        ValueError, match=r"Unmade: RuntimeError: not for 2 coordinates \(own_laws.py:\d+, in __init__\)$"
    ):
        civita.run("planar_2r", 1, controller=own_laws.Unmade)
    with pytest.raises(TypeError, match="int: not a subclass of civita.Controller"):
        civita.run("planar_2r", 1, controller=int)


def test_gains_are_checked():
    with pytest.raises(ValueError, match="did you mean 'Lambda'"):
        civita.run("planar_2r", 1, controller=own_laws.PassivityBased, set={"gains.Lamda": 1})
    with pytest.raises(ValueError, match="negative|≥ 0|not"):
        civita.run("planar_2r", 1, controller=own_laws.PassivityBased, set={"gains.Lambda": -1})


def test_class_that_is_defined_again():
    def define(k):
        class Again(civita.Controller):
            gain = civita.Parameter(k)

            def control(self, measured, reference, dynamics):
                return dynamics.g - self.gain * measured.v

        return Again

    torques = [civita.run("arm7", 0.1, controller=define(k))["/tau"] for k in (1.0, 2.0)]
    assert (torques[0] != torques[1]).any()


def test_config_names_a_law(tmp_path):
    (tmp_path / "laws.py").write_text(LAWS.read_text())
    config = tmp_path / "own.yaml"
    base = civita._civita.data_directory() / "config" / "planar_2r.yaml"
    config.write_text(f"base: {base}\ncontroller:\n  type: laws.py:PassivityBased\ngains:\n  K_D: 12\n")
    with pytest.raises(ValueError, match="own.yaml:3:9: controller.type: .*only with --trust"):
        civita.run(config, 0.1)
    content = {
        "base": "planar_2r",
        "controller": {"type": f"{tmp_path}/laws.py:PassivityBased"},
        "gains": {"K_D": 12},
    }
    run = civita.run(content, 0.1)  # the caller's own word
    assert run.status == "done", run.verdict
    words = [sys.executable, "-m", "civita", "run", str(config), "--headless", "--duration", "0.1"]
    refused = subprocess.run(words, capture_output=True, text=True)
    assert refused.returncode == 2 and "only with --trust" in refused.stderr
    words.append("--trust")
    done = subprocess.run([*words, "--out", str(tmp_path / "run")], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert (civita.load_run(tmp_path / "run")["/q"] == run["/q"]).all()
    wrong = subprocess.run(
        [*words, "--set", "controller.type=own_laws:PassivityBase"],
        capture_output=True, text=True, env={**os.environ, "PYTHONPATH": os.pathsep.join(
            [str(LAWS.parent), os.environ.get("PYTHONPATH", "")])},
    )  # fmt: skip
    assert wrong.returncode == 2 and wrong.stderr.count("\n") == 1
    assert "did you mean 'PassivityBased'" in wrong.stderr


def test_compare_of_laws():
    pytest.importorskip("pandas")
    table = civita.compare("planar_2r", {"controller": [own_laws.PassivityBased, "slotine_li"]}, duration=0.5)
    mean = table["error_rms", "mean"]
    assert mean.iloc[0] == pytest.approx(mean.iloc[1], rel=1e-9)


def test_runs_in_threads():
    runs = {}

    def work(i):
        runs[i] = civita.run("planar_2r", 0.5, controller=own_laws.PassivityBased)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all((runs[i]["/q"] == runs[0]["/q"]).all() for i in runs)


def test_speed(capsys):
    start = time.perf_counter()
    run = civita.run("arm7", 2, controller=own_laws.PassivityBased)
    rate = len(run) / (time.perf_counter() - start)
    with capsys.disabled():
        print(f"\na law of ten numpy lines on arm7: {rate:.0f} control steps a second")


def test_law_stepped_is_the_runs():
    model = civita.Model.from_file("arm7")
    run = civita.run("arm7", 0.01, set={"gains.Lambda": 8})
    law = civita.Law("slotine_li", model, gains={"Lambda": 8})
    # At rest in the reference the torque is gravity's.
    q, zero = model.default_position, numpy.zeros(7)
    tau = law.step(0.0, q, zero, {"q": q, "v": zero, "vdot": zero})
    d = civita.Dynamics(model)
    assert numpy.allclose(tau, d.rnea(q, zero, zero), atol=1e-10)
    assert numpy.allclose(law.H, d.mass_matrix(q), atol=1e-14) and not law.C.any()
    assert run.status == "done"
    with pytest.raises(ValueError, match="before the last step"):
        law.step(-1.0, q, zero, (q, zero, zero))
    with pytest.raises(ValueError, match="slotine_li"):
        civita.Law("slotine", model)
    with pytest.raises(ValueError, match="scene"):
        civita.Law("whole_body", model)


@pytest.mark.skipif(not os.environ.get("DISPLAY"), reason="there is no display")
def test_window_runs_a_law(tmp_path):
    code = f"""
import sys
sys.path.insert(0, {str(LAWS.parent)!r})
import civita, own_laws
options = dict(at=0.3, screenshot={str(tmp_path / "a.png")!r}, after=0.3)
civita.view("arm7", controller=own_laws.PassivityBased, **options)
civita.view("planar_2r", controller=own_laws.Failing, screenshot={str(tmp_path / "b.png")!r}, after=1.5)
print("closed")
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=600)
    assert done.stdout == "closed\n", done.stderr
    assert (tmp_path / "a.png").stat().st_size > 10000
    assert (tmp_path / "b.png").stat().st_size > 10000


def test_interrupt_ends_a_run_of_a_law():
    timer = threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt) as stop:
        civita.run("arm7", 1000, controller=own_laws.PassivityBased, signals=["/e"])
    run = stop.value.run
    assert run.status == "interrupted" and len(run) > 10
    assert numpy.isfinite(run["/e"]).all()


def test_everything_a_law_may_have():
    run = civita.run("arm7", 0.5, controller=own_laws.Everything, set={"gains.k": 4})
    assert run.status == "done", run.verdict
    assert (run["/law/each"] == run["/e"]).all()
    assert (run["/law/three"] == [1, 2, 4]).all()
    assert (run["/V"] == 1).all() and (run["/P"] > 0).all()
    assert run["/Vdot"][0] == 1
    assert run["/Vdot"][-1] == pytest.approx(numpy.exp(-0.5), rel=1e-3)
    with pytest.raises(ValueError, match="gains.k"):
        civita.run("arm7", 0.5, controller=own_laws.Everything, set={"gains.k": [1, 2, 3, 4, 5, 6, 7]})


@pytest.mark.parametrize(
    "make",
    [
        lambda: civita.Parameter(-1.0),
        lambda: civita.Parameter(1.0, min=2, max=1),
        lambda: civita.Parameter(1.0, shape="vector"),
        lambda: civita.Signal(shape=0),
        lambda: civita.State(shape="all"),
    ],
)
def test_descriptions_are_checked(make):
    with pytest.raises(ValueError):
        make()
