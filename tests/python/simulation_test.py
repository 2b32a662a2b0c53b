"""civita.Simulation."""

import gc
import os
import pathlib
import subprocess
import sys
import threading
import time

import numpy
import own_laws
import pytest

import civita

NOISE = {"noise": {"joint_position": 1e-3, "joint_velocity": 1e-2}}
# What each keeps from step to step beside the motion.
CASES = {
    "arm": ("arm7", {"set": {"gains.Lambda": 8}}),
    "noise, delays, filter": ("arm7", {"seed": 3, "set": {
        **NOISE, "control": {"delay_s": 0.002, "actuation_delay_s": 0.003, "velocity_filter_hz": 100,
                             "encoder_resolution": 1e-4}}}),
    "pushes": ("arm7", {"set": {"pushes": [
        {"body": "hand", "start_s": 0.1, "duration_s": 0.3, "force_N": [0, 20, 0],
         "point_m": [0, 0, 0.1]}]}}),
    "estimates, every stage": ("arm7_payload_adaptive", {"set": {"control.mode": "every_stage"}}),
    "closed chain": ("four_bar", {"set": {"plant.loops": "exact"}}),
    "legs, contacts": ("quadruped", {}),
    "a law in Python": ("planar_2r", {"controller": own_laws.Integral, "set": {"observer.gain": 20}}),
}  # fmt: skip
STEPS = 400
EACH = pytest.mark.parametrize("case", CASES)


def simulation(case="arm"):
    scene, options = CASES[case]
    return civita.Simulation(scene, **options)


def signals_of(sim):
    return {name: numpy.copy(sim[name]) for name, unit in sim.signals.items() if unit != "µs"}


def assert_same(first, second):
    assert first.keys() == second.keys()
    for name in first:
        numpy.testing.assert_array_equal(first[name], second[name], err_msg=name)


@EACH
def test_bits_are_those_of_a_run(case):
    sim = simulation(case)
    scene, options = CASES[case]
    run = civita.run(scene, STEPS * sim.dt, **options)
    assert run.status == "done" and len(run) == STEPS + 1 and run.config.count("\n") > 5
    assert list(sim.signals) == list(run.signals) and sim.docs == run.docs and sim.signals == run.signals
    sim.step()
    for n in [1, 7, STEPS - 9]:
        sim.step(n=n)
    assert sim.t == run.t[-2] + sim.dt or sim.t == run.t[-1]
    numpy.testing.assert_array_equal(sim["/q"], run["/q"][STEPS - 1])
    numpy.testing.assert_array_equal(sim.q, run["/q"][-1])
    numpy.testing.assert_array_equal(sim.v, run["/v"][-1])
    sim.step()
    row = {name: run[name][-1] for name, unit in run.signals.items() if unit != "µs"}
    assert_same(signals_of(sim), row)


@EACH
def test_a_restored_run_goes_on_with_the_same_bits(case):
    sim = simulation(case)
    sim.step(n=150)
    before, state = signals_of(sim), sim.save()
    sim.step(n=100)
    then = signals_of(sim), sim.q, sim.v, sim.t
    for other in (sim, simulation(case)):
        other.step(n=3)
        other.restore(state)
        assert_same(signals_of(other), before)
        other.step(n=100)
        assert_same(signals_of(other), then[0])
        assert (other.q == then[1]).all() and (other.v == then[2]).all() and other.t == then[3]
    sim.reset()
    assert sim.t == 0
    sim.step(n=150)
    assert_same(signals_of(sim), before)
    with pytest.raises(ValueError, match="another scene, law, config or seed"):
        civita.Simulation(CASES[case][0], seed=77).restore(state)


def test_another_seed_is_that_of_a_run():
    scene, options = CASES["noise, delays, filter"]
    sim = civita.Simulation(scene, set=options["set"])
    sim.step(n=20)
    sim.reset(seed=5)
    sim.step(n=51)
    run = civita.run(scene, 0.05, set=options["set"], seed=5)
    assert sim.seed == 5
    numpy.testing.assert_array_equal(sim["/tau"], run["/tau"][-1])
    assert (run["/tau"][-1] != civita.run(scene, 0.05, set=options["set"], seed=6)["/tau"][-1]).any()


def test_a_scene_as_a_mapping():
    sim = civita.Simulation({"base": "planar_2r", "gains": {"K_D": 20}})
    sim.step(n=51)
    run = civita.run("planar_2r", 0.05, set={"gains.K_D": 20})
    numpy.testing.assert_array_equal(sim["/tau"], run["/tau"][-1])
    assert repr(civita.Simulation("planar_2r")) == "<Simulation of planar_2r at 0 s>"


def test_a_torque_of_ones_own():
    still = {"control.actuation_delay_s": 0, "initial.v": [0.0] * 7}
    sim = civita.Simulation("arm7", set=still)
    d = civita.Dynamics(sim.model)
    q, v = sim.q, sim.v
    hold = d.rnea(q, v, numpy.zeros(7)) - d.passive_forces(q, v)
    sim.step(hold, n=5)
    numpy.testing.assert_allclose(sim.q, q, atol=1e-12)
    numpy.testing.assert_array_equal(sim["/tau"], hold)
    tau = hold + [0.1, 0, 0, -0.2, 0, 0, 0]
    q, v = sim.q, sim.v
    sim.step(tau)
    vdot = d.forward_dynamics(q, v, tau + d.passive_forces(q, v))
    numpy.testing.assert_allclose((sim.v - v) / sim.dt, vdot, rtol=0.05, atol=1e-6)
    law = civita.Simulation("arm7", set=still)
    law.step()
    sim.reset()
    sim.step()
    numpy.testing.assert_array_equal(sim["/tau"], law["/tau"])
    assert (law["/tau"] != hold).any()
    # The law goes on to measure.
    assert (sim["/e"] == law["/e"]).all() and sim["/V"] == law["/V"]


def test_the_laws_own_torque_given_by_hand_is_the_law():
    law, hand = simulation(), simulation()
    for _ in range(50):
        law.step()
        hand.step(law["/tau"])
    assert_same(signals_of(law), signals_of(hand))
    assert (law.q == hand.q).all()


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda sim: sim.step([0.0] * 6), ValueError, r"tau: its shape is \(6,\), not \(7,\)"),
        (lambda sim: sim.step([[0.0] * 7]), ValueError, "tau: its shape is"),
        (lambda sim: sim.step([numpy.nan] * 7), ValueError, "tau: not all of its numbers are finite"),
        (lambda sim: sim.step("hold"), TypeError, "tau"),
        (lambda sim: sim.step(n=0), ValueError, "n: not a number of control steps from 1 up"),
        (lambda sim: sim.step(n=1.5), TypeError, "n: a whole number"),
        (lambda sim: sim.reset(seed=-1), ValueError, "seed"),
        (lambda sim: sim["/ee"], KeyError, "did you mean '/e'"),
        (lambda sim: sim[3], TypeError, "name of a signal"),
        (lambda sim: sim.pose("hnad"), KeyError, "did you mean 'hand'"),
        (lambda sim: civita.Simulation("arm77"), ValueError, "did you mean 'arm7'"),
        (lambda sim: civita.Simulation("arm7", controller="slotine"), ValueError, "slotine_li"),
        (lambda sim: civita.Simulation("arm7", set={"gains.Lamda": 1}), ValueError, "Lambda"),
    ],
)
def test_bad_input_is_one_line(call, error, words):
    sim = simulation()
    sim.step(n=3)
    q = sim.q
    with pytest.raises(error, match=words) as raised:
        call(sim)
    assert "\n" not in str(raised.value)
    assert (sim.q == q).all() and sim.t == 3 * sim.dt


def test_no_torque_where_no_drive_is():
    sim = civita.Simulation("quadruped")
    tau = numpy.zeros(sim.model.nv)
    sim.step(tau)
    tau[2] = 1
    with pytest.raises(ValueError, match=r"tau\[2\]: no drive moves"):
        sim.step(tau)


def test_a_blow_up_raises_and_keeps_the_last_motion():
    sim = civita.Simulation("arm7_twist", factorization="t:1000")
    start = sim.save()
    with pytest.raises(RuntimeError, match="failed: the .* of joint"):
        sim.step(n=5000)
    run = civita.run("arm7_twist", 5, factorization="t:1000")
    assert sim.failure in run.verdict and 0 < sim.t < 5
    assert numpy.isfinite(sim.q).all()
    assert_same({"/e": sim["/e"], "/V": sim["/V"]}, {"/e": run["/e"][-1], "/V": run["/V"][-1]})
    for refused in (sim.step, sim.save):
        with pytest.raises(RuntimeError, match="failed"):
            refused()
    t, q = sim.t, sim.q
    for go_on in (sim.reset, lambda: sim.restore(start)):
        go_on()
        assert sim.failure is None and sim.t == 0
        with pytest.raises(RuntimeError, match="failed"):
            sim.step(n=5000)
        assert sim.t == t and (sim.q == q).all()


class Raises(own_laws.Integral):
    sim = None

    def control(self, measured, reference, dynamics):
        if measured.t > 0.01:
            self.sim.step()
        return super().control(measured, reference, dynamics)


def test_a_law_cannot_step_its_own_simulation():
    Raises.sim = sim = civita.Simulation("planar_2r", controller=Raises)
    with pytest.raises(RuntimeError, match="is being stepped, by another thread or by its own law"):
        sim.step(n=100)
    assert sim.t == pytest.approx(0.011)
    Raises.sim = None


def test_threads_have_the_bits_of_one():
    sims = [simulation("legs, contacts") for _ in range(3)]
    threads = [threading.Thread(target=sim.step, kwargs={"n": 200}) for sim in sims[1:]]
    sims[0].step(n=200)
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for sim in sims[1:]:
        assert_same(signals_of(sim), signals_of(sims[0]))


def test_poses_are_those_of_the_present_motion():
    sim = simulation("legs, contacts")
    sim.step(n=20)
    d = civita.Dynamics(sim.model)
    R, p = sim.pose()
    assert R.shape == (len(sim.bodies), 3, 3) and p.shape == (len(sim.bodies), 3)
    for i, body in enumerate(sim.bodies[1:], 1):
        if body not in sim.model.frames:
            continue
        at = d.frame_pose(sim.q, body)
        for one, all_of, other in zip(sim.pose(body), (R[i], p[i]), at, strict=True):
            numpy.testing.assert_array_equal(one, all_of)
            numpy.testing.assert_allclose(one, other, atol=1e-12)


BALL = """<mujoco><option timestep="0.001"/><worldbody>
<geom name="floor" type="plane" size="5 5 1"/>
<body name="ball" pos="0 0 0.1">
<joint type="slide" axis="0 0 1"/><geom size="0.1" mass="2"/></body></worldbody>
</mujoco>"""


def test_contacts_carry_the_weight(tmp_path):
    (tmp_path / "ball.xml").write_text(BALL)
    sim = civita.Simulation(tmp_path / "ball.xml", set={"physics.contacts": True})
    sim.step([0.0], n=1500)
    contacts = sim.contacts
    assert [[sim.bodies[i] for i in pair] for pair in contacts.bodies] == [["world", "ball"]]
    numpy.testing.assert_allclose(contacts.force, [[0, 0, 2 * 9.81]], rtol=1e-3, atol=1e-6)
    numpy.testing.assert_allclose(contacts.R[0][:, 0], [0, 0, 1], atol=1e-12)
    numpy.testing.assert_allclose(contacts.p[0], [0, 0, sim.pose("ball")[1][2] - 0.1], atol=1e-3)
    assert -1e-2 < contacts.distance[0] < 0
    assert len(simulation().contacts.force) == 0


def test_arrays_outlive_the_simulation():
    sim = simulation("legs, contacts")
    sim.step(n=10)
    kept = [sim.q, sim.v, sim["/tau"], *sim.pose(), *sim.contacts]
    copies = [array.copy() for array in kept]
    sim.step(n=10)
    del sim
    gc.collect()
    simulation("legs, contacts").step(n=5)
    for array, copy in zip(kept, copies, strict=True):
        numpy.testing.assert_array_equal(array, copy)


def test_stepping_takes_no_more_than_a_run():
    duration, ratios = 4.0, []
    sim = simulation()
    for _ in range(3):
        start = time.process_time()
        civita.run("arm7", duration, set={"gains.Lambda": 8})
        run = time.process_time() - start
        sim.reset()
        start = time.process_time()
        for _ in range(400):
            sim.step(n=10)
        ratios.append(run / (time.process_time() - start))
    assert max(ratios) > 0.9, ratios  # measured: 1.4


def test_interrupt_ends_between_two_steps():
    code = """
import civita, _thread, threading
sim = civita.Simulation("arm7")
threading.Timer(0.3, _thread.interrupt_main).start()
try:
    sim.step(n=10**8)
except KeyboardInterrupt:
    before = sim.t
    sim.step(n=10)
    print(before > 0 and sim.t > before)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=600)
    assert done.stdout.strip() == "True", done.stderr


# Memory shared with the package mujoco.


def shared(case="arm"):
    pytest.importorskip("mujoco")
    sim = simulation(case)
    return sim, sim.mj_model, sim.mj_data


@EACH
def test_shared_memory_changes_no_bit(case):
    if "payload" in CASES[case][0]:
        with pytest.raises(ValueError, match="a scene with a payload has two models"):
            shared(case)
        return
    pytest.importorskip("mujoco")
    alone, sim = simulation(case), simulation(case)
    for each in (alone, sim):
        each.step(n=100)
    state = sim.save()
    data = sim.mj_data
    for each in (alone, sim):
        each.step(n=100)
    assert_same(signals_of(sim), signals_of(alone))
    numpy.testing.assert_array_equal(data.qpos, sim.q)
    numpy.testing.assert_array_equal(data.qvel, alone.v)
    assert data.time == sim.t
    then = signals_of(sim)
    sim.restore(state)
    sim.step(n=100)
    assert_same(signals_of(sim), then)
    sim.reset()
    assert data.time == 0
    sim.step(n=200)
    assert_same(signals_of(sim), then)


def test_objects_of_the_package_are_the_simulations_own():
    sim, model, data = shared()
    import mujoco

    assert isinstance(model, mujoco.MjModel) and isinstance(data, mujoco.MjData)
    assert sim.mj_model is model and sim.mj_data is data and data.model is model
    assert model.nq == sim.model.nq
    qpos = data.qpos
    sim.step(n=10)
    numpy.testing.assert_array_equal(qpos, sim.q)
    mujoco.mj_kinematics(model, data)
    numpy.testing.assert_allclose(data.body("hand").xpos, sim.pose("hand")[1], atol=1e-15)


@pytest.mark.parametrize("first", ["simulation", "model", "data"])
def test_each_outlives_the_others(first):
    sim, model, data = shared()
    qpos, mass = data.qpos, model.body_mass
    sim.step(n=10)
    copies = qpos.copy(), mass.copy()
    if first == "simulation":
        del sim
    elif first == "model":
        del model
    else:
        del data
    gc.collect()
    simulation().step(n=10)
    numpy.testing.assert_array_equal(qpos, copies[0])
    numpy.testing.assert_array_equal(mass, copies[1])
    if first != "simulation":
        sim.step(n=10)
        numpy.testing.assert_array_equal(sim.mj_data.qpos, sim.q)
        assert (sim.q != copies[0]).any()


def test_simulations_with_shared_memory_free_it():
    pytest.importorskip("mujoco")
    pages = pathlib.Path("/proc/self/statm")
    sizes = []
    for i in range(60):
        sim = civita.Simulation("planar_2r")
        assert sim.mj_data.time == 0
        del sim
        if i % 20 == 19:
            gc.collect()
            sizes.append(int(pages.read_text().split()[1]) * os.sysconf("SC_PAGESIZE"))
    assert sizes[2] - sizes[1] < 40e6, sizes


def test_a_position_that_is_written_acts():
    sim, _, data = shared()
    sim.step(n=50)
    balance = sim["/energy_balance"]
    q, v = sim.q, sim.v
    data.qpos[2] += 0.1
    data.qvel[3] = 0.5
    assert sim.q[2] == q[2] + 0.1
    sim.step()
    assert sim["/q"][2] == q[2] + 0.1 and sim["/v"][3] == 0.5 and v[3] != 0.5
    assert abs(sim["/energy_balance"] - balance) < 1e-3
    state = sim.save()
    data.qpos[2] = 3
    sim.restore(state)
    assert data.qpos[2] == sim.q[2] != 3


def test_a_force_that_is_written_acts_until_it_is_written_again():
    pushed = civita.Simulation("arm7", set={"pushes": [
        {"body": "hand", "start_s": 0.05, "duration_s": 0.1, "force_N": [0, 20, 0]}]})  # fmt: skip
    sim = civita.Simulation("arm7", set={"pushes": []})
    pytest.importorskip("mujoco")
    data = sim.mj_data
    hand = sim.bodies.index("hand")
    for steps, force in [(50, 0), (100, 20), (30, 0)]:
        data.xfrc_applied[hand, 1] = force
        sim.step(n=steps)
        pushed.step(n=steps)
        assert data.xfrc_applied[hand, 1] == force and numpy.count_nonzero(data.xfrc_applied) == (force != 0)
        assert_same(signals_of(sim), signals_of(pushed))
    data.xfrc_applied[hand, 1] = 20
    state = sim.save()
    sim.step(n=20)
    then = sim.q
    sim.reset()
    assert not data.xfrc_applied.any()
    sim.restore(state)
    assert data.xfrc_applied[hand, 1] == 20
    sim.step(n=20)
    assert (sim.q == then).all()


def test_a_force_at_the_start_acts_beside_those_of_the_scene():
    sim, _, data = shared("pushes")
    hand = sim.bodies.index("hand")
    data.xfrc_applied[hand, 2] = 3.0
    free = simulation("pushes")
    for each in (sim, free):
        each.step(n=1)
    assert (sim.v != free.v).any()
    sim.step(n=150)
    assert data.xfrc_applied[hand].tolist() == [0, 0, 3, 0, 0, 0]


@pytest.mark.parametrize(
    ("write", "words"),
    [
        (lambda model, data: setattr(data, "time", 3.0), "mj_data.time: reset"),
        (
            lambda model, data: data.qfrc_applied.__setitem__(0, 1e3),
            r"mj_data.qfrc_applied: .*step\(tau=...\)",
        ),
        (lambda model, data: data.ctrl.__setitem__(0, 1e3), r"mj_data.ctrl: .*step\(tau=...\)"),
        (lambda model, data: setattr(model.opt, "timestep", 1e-2), "mj_model.opt.timestep: set="),
    ],
)
def test_what_a_step_writes_is_refused_and_undone(write, words):
    sim, model, data = shared("legs, contacts")
    sim.step(n=10)
    other = simulation("legs, contacts")
    other.step(n=20)
    write(model, data)
    with pytest.raises(ValueError, match=words):
        sim.step()
    assert sim.t == 10 * sim.dt
    sim.step(n=10)
    assert_same(signals_of(sim), signals_of(other))


def test_another_seed_is_refused_while_memory_is_shared():
    sim, _, _ = shared()
    sim.reset(seed=sim.seed)
    with pytest.raises(ValueError, match="make a new Simulation"):
        sim.reset(seed=12)


def test_another_version_or_library_is_one_sentence(monkeypatch, tmp_path):
    mujoco = pytest.importorskip("mujoco")
    sim = simulation()
    monkeypatch.setattr(mujoco, "__version__", "9.9.9")
    with pytest.raises(
        ValueError, match=f"mujoco is of version 9.9.9, and civita has MuJoCo {civita.mujoco_version}$"
    ):
        sim.mj_data  # noqa: B018
    monkeypatch.undo()
    (library,) = pathlib.Path(mujoco.__file__).parent.glob("libmujoco.so.*")
    code = f"""
import civita, ctypes, shutil
copy = {str(tmp_path / library.name)!r}
shutil.copy({str(library)!r}, copy)
ctypes.CDLL(copy)
sim = civita.Simulation("planar_2r")
try:
    sim.mj_data
except ValueError as error:
    print(error)
sim.step(n=10)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    said = done.stdout.strip()
    assert said.startswith("mj_model and mj_data: two libraries of MuJoCo are loaded, ")
    assert str(tmp_path / library.name) in said and str(library) in said


def test_without_the_package_is_one_sentence(monkeypatch):
    sim = simulation()
    monkeypatch.setitem(sys.modules, "mujoco", None)
    with pytest.raises(ModuleNotFoundError, match=f"pip install mujoco=={civita.mujoco_version}"):
        sim.mj_model  # noqa: B018
    sim.step()


TIED = """<mujoco><option timestep="0.001"/><worldbody>
<body name="target" mocap="true" pos="0 0 1"><geom size="0.02" contype="0" conaffinity="0"/></body>
<body name="ball" pos="0 0 1">
<joint name="x" type="slide" axis="1 0 0"/><joint name="z" type="slide" axis="0 0 1"/>
<geom size="0.1" mass="2"/></body></worldbody>
<equality><connect name="tie" body1="target" body2="ball" anchor="0 0 0"/></equality></mujoco>"""


def tied(tmp_path, **options):
    pytest.importorskip("mujoco")
    (tmp_path / "tied.xml").write_text(TIED)
    sim = civita.Simulation(tmp_path / "tied.xml", **options)
    return sim, sim.mj_data


def test_a_mocap_body_that_is_moved_takes_along_what_is_tied_to_it(tmp_path):
    sim, data = tied(tmp_path)
    sim.step(n=100)
    state = sim.save()
    data.mocap_pos[0] = [0.1, 0, 1]
    data.mocap_quat[0] = [0, 1, 0, 0]
    R, p = sim.pose("target")
    numpy.testing.assert_allclose(p, [0.1, 0, 1])
    numpy.testing.assert_allclose(R, numpy.diag([1, -1, -1]), atol=1e-15)
    sim.step(n=300)
    numpy.testing.assert_allclose(sim.q, [0.1, 0], atol=1e-6)
    moved = sim.save()
    sim.restore(state)
    assert data.mocap_pos[0].tolist() == [0, 0, 1]
    sim.step(n=300)
    numpy.testing.assert_allclose(sim.q, [0, 0], atol=1e-6)
    sim.restore(moved)
    assert data.mocap_pos[0].tolist() == [0.1, 0, 1]
    sim.reset()
    assert data.mocap_pos[0].tolist() == [0, 0, 1]


def test_an_equality_that_is_let_go_acts_no_more(tmp_path):
    sim, data = tied(tmp_path)
    sim.step(n=100)
    z, dt = sim.q[1], sim.dt
    data.eq_active[0] = 0
    sim.step(n=100)
    assert sim.q[1] - z == pytest.approx(-9.81 * dt**2 * 100 * 101 / 2)  # MuJoCo's Euler steps
    data.eq_active[0] = 1
    sim.step(n=500)
    numpy.testing.assert_allclose(sim.q, [0, 0], atol=1e-4)
    data.eq_active[0] = 0
    sim.reset()
    assert data.eq_active[0] == 1


@pytest.mark.parametrize("name", ["mocap_pos", "mocap_quat", "eq_active"])
def test_loops_that_are_held_exactly_refuse_both(tmp_path, name):
    sim, data = tied(tmp_path, set={"plant.loops": "exact"})
    sim.step()
    array = getattr(data, name)
    before = array.copy()
    array[0] = 0
    with pytest.raises(ValueError, match=f"mj_data.{name}: loops that are held exactly"):
        sim.step()
    assert (array == before).all() and sim.t == sim.dt
    sim.step()
