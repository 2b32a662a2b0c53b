"""civita.SimulationBatch."""

import subprocess
import sys
import time

import numpy
import own_laws
import pytest
from simulation_test import CASES, assert_same, signals_of

import civita

EACH = pytest.mark.parametrize("case", CASES)


def batch(case="arm", n=3, threads=2, seeds=7):
    scene, options = CASES[case]
    options = {key: value for key, value in options.items() if key != "seed"}
    return civita.SimulationBatch(scene, n, seeds=seeds, threads=threads, **options)


def rows_of(many):
    return {name: many[name] for name, unit in many.signals.items() if unit != "µs"}


@EACH
@pytest.mark.parametrize("threads", [1, 2, 5])
def test_bits_are_those_of_single_ones_whatever_the_threads(case, threads):
    scene, options = CASES[case]
    many = batch(case, n=4, threads=threads)
    assert many.threads == (1 if "Python" in case else min(threads, 4)) and len(many) == 4
    single = [civita.Simulation(scene, **{**options, "seed": seed}) for seed in range(7, 11)]
    assert many.seeds == [each.seed for each in single] == [7, 8, 9, 10]
    assert many.signals == single[0].signals and many.dt == single[0].dt
    for n in [1, 40, 7]:
        many.step(n=n)
        for each in single:
            each.step(n=n)
    for name, value in {**rows_of(many), "q": many.q, "v": many.v, "t": many.t}.items():
        expected = [getattr(each, name) if name in "qvt" else each[name] for each in single]
        numpy.testing.assert_array_equal(value, numpy.stack(expected), err_msg=name)
    assert many["/q/0"].shape == (4,) and (many["/q/0"] == many["/q"][:, 0]).all()
    assert many.failures == [None] * 4


def test_each_has_its_own_torque():
    many = batch()
    d = civita.Dynamics(many.simulations[0].model)
    tau = d.gravity(many.q) + numpy.arange(3)[:, None]
    many.step(tau, n=20)
    numpy.testing.assert_array_equal(many["/tau"], tau)
    alone = civita.Simulation(CASES["arm"][0], seed=8, **CASES["arm"][1])
    alone.step(tau[1], n=20)
    assert_same(signals_of(alone), signals_of(many.simulations[1]))
    many.step()
    assert (many["/tau"] != tau).any(axis=1).all()  # the law's again


def test_reset_save_and_restore():
    many = batch("noise, delays, filter")
    many.step(n=50)
    then, states = rows_of(many), many.save()
    many.step(n=30)
    after = rows_of(many)
    many.restore(states)
    assert_same(rows_of(many), then)
    many.step(n=30)
    assert_same(rows_of(many), after)
    many.reset()
    assert (many.t == 0).all()
    many.step(n=50)
    assert_same(rows_of(many), then)
    many.reset(seeds=[9, 7, 8])
    many.step(n=50)
    assert_same(rows_of(many), {name: value[[2, 0, 1]] for name, value in then.items()})
    many.reset(seeds=3)
    assert many.seeds == [3, 4, 5]
    many.simulations[1].step(n=2)
    numpy.testing.assert_allclose(many.t, [0, 2 * many.dt, 0])


class FailsLate(own_laws.Integral):
    """The second that is made fails; the threads of a batch make them in any order."""

    made = 0

    def __init__(self, model):
        FailsLate.made += 1
        self.number = FailsLate.made

    def control(self, measured, reference, dynamics):
        if self.number == 2 and measured.t > 0.01:
            raise ValueError("tired")
        return super().control(measured, reference, dynamics)


def test_one_that_fails_is_told_and_the_others_go_on():
    FailsLate.made = 0
    many = civita.SimulationBatch("planar_2r", 3, controller=FailsLate)
    many.step(n=100)
    many.step(n=100)
    (failed,) = (i for i, failure in enumerate(many.failures) if failure is not None)
    assert "tired" in many.failures[failed]
    assert many.simulations[failed].failure == many.failures[failed]
    numpy.testing.assert_allclose(many.t, numpy.where(numpy.arange(3) == failed, 0.011, 0.2))
    assert numpy.isfinite(many.q).all()
    with pytest.raises(RuntimeError, match="failed"):
        many.save()
    many.reset()
    assert many.failures == [None] * 3 and (many.t == 0).all()


def test_one_that_blows_up_is_told():
    many = civita.SimulationBatch("arm7_twist", 2, factorization="t:1000")
    many.step(n=5000)
    assert all("of joint" in failure for failure in many.failures)
    alone = civita.Simulation("arm7_twist", factorization="t:1000")
    with pytest.raises(RuntimeError):
        alone.step(n=5000)
    assert many.failures[0] == alone.failure and (many.q[0] == alone.q).all()


def test_an_array_does_not_change():
    many = batch()
    q, e = many.q, many["/e"]
    copies = q.copy(), e.copy()
    many.step(n=5)
    assert (q == copies[0]).all() and (e == copies[1]).all() and (many.q != q).any()


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda many: many.step([0.0] * 7), ValueError, r"tau: its shape is \(7,\), not \(3, 7\)"),
        (lambda many: many.step(numpy.full((3, 7), numpy.inf)), ValueError, "tau: not all of its numbers"),
        (lambda many: many.step(n=0), ValueError, "n: not a number of control steps"),
        (lambda many: many["/ee"], KeyError, "did you mean '/e'"),
        (lambda many: many.reset(seeds=[1, 2]), ValueError, "seeds: 2, not 3"),
        (lambda many: many.restore(many.save()[:2]), ValueError, "states: 2, not 3"),
        (lambda many: civita.SimulationBatch("arm7", 0), ValueError, "n: not a number of simulations"),
        (lambda many: civita.SimulationBatch("arm7", 2, threads=0), ValueError, "threads: 0; at least 1"),
        (lambda many: civita.SimulationBatch("arm7", 2, seeds=[1, -2]), ValueError, "seeds: "),
        (lambda many: civita.SimulationBatch("arm77", 2), ValueError, "did you mean 'arm7'"),
    ],
)
def test_bad_input_is_one_line_and_moves_none(call, error, words):
    many = batch()
    many.step(n=3)
    q = many.q
    with pytest.raises(error, match=words) as raised:
        call(many)
    assert "\n" not in str(raised.value)
    assert (many.q == q).all()


def test_no_torque_where_no_drive_is():
    many = batch("legs, contacts")
    tau = numpy.zeros((3, many.v.shape[1]))
    tau[1, 2] = 1
    with pytest.raises(ValueError, match=r"simulation 1: tau\[2\]: no drive moves"):
        many.step(tau)
    assert (many.t == 0).all()


def test_what_is_written_to_one_acts_in_it():
    pytest.importorskip("mujoco")
    many = batch()
    data = many.simulations[1].mj_data
    data.qpos[2] += 0.1
    q = many.q
    assert q[1, 2] == q[0, 2] + 0.1
    many.step(n=20)
    assert (many.q[1] != many.q[0]).all() and (many.q[2] == many.q[0]).all()
    data.ctrl[:] = 3
    with pytest.raises(ValueError, match="simulation 1: mj_data.ctrl"):
        many.step()


def test_threads_take_no_more_than_single_ones():
    many, alone = batch(n=8), batch(n=1).simulations[0]
    ratios = []
    for _ in range(3):
        start = time.process_time()
        for _ in range(20):
            for _ in range(8):
                alone.step(n=10)
        single = time.process_time() - start
        start = time.process_time()
        for _ in range(20):
            many.step(n=10)
        ratios.append(single / (time.process_time() - start))
    assert max(ratios) > 0.6, ratios


def test_interrupt_ends_when_all_have_taken_the_same_steps():
    code = """
import civita, _thread, threading
many = civita.SimulationBatch("planar_2r", 3)
threading.Timer(0.3, _thread.interrupt_main).start()
try:
    many.step(n=10**8)
except KeyboardInterrupt:
    before = many.t
    many.step(n=10)
    print(0 < before[0] == before[1] == before[2] < many.t[0])
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=600)
    assert done.stdout.strip() == "True", done.stderr
