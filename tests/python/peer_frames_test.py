"""Frames, limits and external forces beside Pinocchio and MuJoCo."""

import mujoco
import numpy as np
import pinocchio
import pytest
from conftest import random_state
from peers_test import robot

import civita
import civita.pinocchio

NEAR = {"rtol": 1e-10, "atol": 1e-10}
REFERENCES = {
    "world": pinocchio.WORLD,
    "local": pinocchio.LOCAL,
    "local_world_aligned": pinocchio.LOCAL_WORLD_ALIGNED,
}
SWAP = [3, 4, 5, 0, 1, 2]  # [linear; angular] to [angular; linear]
TOOL = np.array([0.1, -0.2, 0.3])
TURN = np.array([[0.0, -1, 0], [0.6, 0, -0.8], [0.8, 0, 0.6]])


class Pair:
    """One robot at one state in both, with a frame `tool` on the hand."""

    def __init__(self, file, base):
        free = [pinocchio.JointModelFreeFlyer()] if base == "free" else []
        self.pin = pinocchio.buildModelFromUrdf(str(file), *free)
        hand = self.pin.frames[self.pin.getFrameId("hand")]
        at = hand.placement * pinocchio.SE3(TURN, TOOL)
        self.pin.addFrame(pinocchio.Frame("tool", hand.parentJoint, at, pinocchio.OP_FRAME))
        self.data = self.pin.createData()
        self.model = civita.Model.from_file(file, base=base).with_frame("tool", "hand", TOOL, TURN)
        self.d = civita.Dynamics(self.model)
        self.convert = civita.pinocchio.Conversion(self.model, self.pin)
        self.q, self.v = random_state(self.model)
        self.vdot = np.random.default_rng(7).normal(size=self.model.nv)
        self.pin_q = self.convert.q_to_pinocchio(self.q)
        self.w = self.convert.v_to_pinocchio(self.q, self.v)
        self.wdot = self.convert.vdot_to_pinocchio(self.q, self.v, self.vdot)
        self.A = self.convert.A(self.q)
        self.Adot = self.convert.A_derivative(self.q, self.v)


@pytest.fixture(params=["fixed", "free"])
def pair(request, tmp_path):
    file = tmp_path / "robot.urdf"
    file.write_text(robot())
    return Pair(file, request.param)


@pytest.mark.parametrize("frame", ["tool", "fore", "wheel"])
@pytest.mark.parametrize("reference", REFERENCES)
def test_motions_of_frames(pair, frame, reference):
    pin, data, d, theirs = pair.pin, pair.data, pair.d, REFERENCES[reference]
    q, v, vdot = pair.q, pair.v, pair.vdot
    frame_id = pin.getFrameId(frame)
    pinocchio.forwardKinematics(pin, data, pair.pin_q, pair.w, pair.wdot)
    pinocchio.updateFramePlacements(pin, data)
    for ours, name in (
        (d.frame_velocity(q, v, frame, reference=reference), "getFrameVelocity"),
        (d.frame_acceleration(q, v, vdot, frame, reference=reference), "getFrameAcceleration"),
        (
            d.frame_classical_acceleration(q, v, vdot, frame, reference=reference),
            "getFrameClassicalAcceleration",
        ),
    ):
        motion = getattr(pinocchio, name)(pin, data, frame_id, theirs)
        np.testing.assert_allclose(ours, motion.vector[SWAP], **NEAR, err_msg=name)
    pinocchio.computeJointJacobiansTimeVariation(pin, data, pair.pin_q, pair.w)
    pinocchio.updateFramePlacements(pin, data)
    J = d.jacobian(q, frame, reference=reference)
    pin_J = pinocchio.getFrameJacobian(pin, data, frame_id, theirs)[SWAP]
    np.testing.assert_allclose(J @ pair.A, pin_J, **NEAR)
    Jdot = d.jacobian_derivative(q, v, frame, reference=reference)
    pin_Jdot = pinocchio.getFrameJacobianTimeVariation(pin, data, frame_id, theirs)[SWAP]
    np.testing.assert_allclose(Jdot @ pair.A + J @ pair.Adot, pin_Jdot, **NEAR)


def test_relative_jacobians(pair):
    pin, data = pair.pin, pair.data
    pinocchio.computeJointJacobians(pin, data, pair.pin_q)
    pinocchio.updateFramePlacements(pin, data)
    a, b = (pin.getFrameId(name) for name in ("wheel", "tool"))
    J_a, J_b = (pinocchio.getFrameJacobian(pin, data, f, pinocchio.LOCAL) for f in (a, b))
    X_ba = data.oMf[b].inverse() * data.oMf[a]
    local = (J_b - X_ba.action @ J_a)[SWAP]
    J = pair.d.relative_jacobian(pair.q, "wheel", "tool", reference="local")
    np.testing.assert_allclose(J @ pair.A, local, **NEAR)
    world = (X_ba.inverse().action @ local[SWAP])[SWAP]
    J = pair.d.relative_jacobian(pair.q, "wheel", "tool", reference="world")
    np.testing.assert_allclose(J @ pair.A, world, **NEAR)
    step = 1e-6
    numeric = [
        pair.d.relative_jacobian(pair.model.integrate_position(pair.q, pair.v, s * step), "wheel", "tool")
        for s in (1, -1)
    ]
    Jdot = pair.d.relative_jacobian_derivative(pair.q, pair.v, "wheel", "tool")
    np.testing.assert_allclose((numeric[0] - numeric[1]) / (2 * step), Jdot, rtol=1e-6, atol=1e-6)


def test_external_forces_by_frame(pair):
    pin, data, d = pair.pin, pair.data, pair.d
    wrenches = {"tool": np.array([1.0, -2, 3, 4, 5, -6]), "wheel": np.array([0.5, 0, 1, -2, 3, 1])}
    pinocchio.framesForwardKinematics(pin, data, pair.pin_q)
    f_ext = [pinocchio.Force.Zero() for _ in range(pin.njoints)]
    for name, wrench in wrenches.items():
        frame = pin.getFrameId(name)
        at_origin = pinocchio.SE3(np.eye(3), data.oMf[frame].translation)
        joint = pin.frames[frame].parentJoint
        f_ext[joint] += data.oMi[joint].actInv(at_origin.act(pinocchio.Force(wrench[SWAP])))
    tau = d.rnea(pair.q, pair.v, pair.vdot, forces=wrenches)
    pin_tau = pinocchio.rnea(pin, data, pair.pin_q, pair.w, pair.wdot, f_ext)
    np.testing.assert_allclose(pair.convert.tau_to_pinocchio(pair.q, tau), pin_tau, **NEAR)
    np.testing.assert_allclose(
        d.forward_dynamics(pair.q, pair.v, tau, forces=wrenches), pair.vdot, rtol=1e-8, atol=1e-8
    )
    expected = sum(d.jacobian(pair.q, name).T @ wrench for name, wrench in wrenches.items())
    np.testing.assert_allclose(d.generalized_forces(pair.q, wrenches), expected, **NEAR)
    # One wrench for all states, and one for each.
    states = [np.tile(x, (3, 1)) for x in (pair.q, pair.v, pair.vdot)]
    each = {"tool": np.outer([1, 2, 3], wrenches["tool"]), "wheel": wrenches["wheel"]}
    batch = d.rnea(*states, forces=each)
    for s in range(3):
        one = {"tool": each["tool"][s], "wheel": each["wheel"]}
        np.testing.assert_allclose(batch[s], d.rnea(*[x[s] for x in states], forces=one), **NEAR)


@pytest.mark.parametrize(
    ("forces", "error", "text"),
    [
        ({"hnad": np.zeros(6)}, KeyError, "did you mean 'hand'"),
        ({"hand": np.zeros(3)}, ValueError, r"forces\['hand'\]: its shape is \(3,\), not \(6,\)"),
        ({"hand": np.zeros((2, 6))}, ValueError, r"forces\['hand'\]: 2 states, not one"),
        (np.zeros(6), TypeError, "forces: not a dict"),
    ],
)
def test_forces_that_do_not_fit_are_refused(forces, error, text):
    d = civita.Dynamics(civita.Model.from_file("arm7"))
    for call in (d.rnea, d.forward_dynamics):
        with pytest.raises(error, match=text):
            call(np.zeros(7), np.zeros(7), np.zeros(7), forces)
    with pytest.raises(error, match=text):
        d.generalized_forces(np.zeros(7), forces)
    with pytest.raises(ValueError, match="reference: unknown choice 'locla'"):
        d.jacobian(np.zeros(7), "hand", reference="locla")


def test_limits_of_a_urdf_are_pinocchios(pair):
    pin, model = pair.pin, pair.model
    checked = 0
    for joint in model.joints:
        theirs = pin.joints[pin.getJointId(joint["name"])]
        if theirs.nq != 1:
            continue
        iq, iv, at_q, at_v = joint["iq"], joint["iv"], theirs.idx_q, theirs.idx_v
        assert model.position_lower[iq] == pin.lowerPositionLimit[at_q] == -3
        assert model.position_upper[iq] == pin.upperPositionLimit[at_q] == 3
        assert model.velocity_limit[iv] == pin.upperVelocityLimit[at_v] == 1
        assert model.effort_upper[iv] == pin.upperEffortLimit[at_v] == 1
        assert model.effort_lower[iv] == pin.lowerEffortLimit[at_v] == -1
        checked += 1
    assert checked == 3
    turn = model.find_joint("turn")
    assert model.position_upper[turn["iq"]] == np.inf


LIMITED = """<mujoco><compiler autolimits="true" angle="radian"/><worldbody><body name="a">
<joint name="a" axis="0 1 0" range="-1 2" actuatorfrcrange="-4 3"/><geom size="0.1"/>
<body><joint name="b" type="slide"/><geom size="0.1"/>
<body><joint name="c"/><geom size="0.1"/></body></body></body></worldbody>
<actuator><motor joint="a" gear="-2" ctrlrange="-1 5"/><motor joint="a" forcerange="-0.5 0.5" gear="3"/>
<position joint="b" kp="10" ctrlrange="-1 1" forcerange="-7 7"/><position joint="c" ctrlrange="-1 1"/>
</actuator><custom><numeric name="civita.velocity_limit.b" data="0.25"/></custom></mujoco>"""


def test_limits_of_an_mjcf():
    model = civita.Model.from_mujoco(mujoco.MjModel.from_xml_string(LIMITED))
    assert list(model.position_lower) == [-1, -np.inf, -np.inf]
    assert list(model.position_upper) == [2, np.inf, np.inf]
    assert list(model.effort_lower) == [-4, -7, -np.inf]  # −10 − 1.5 within −4 … 3
    assert list(model.effort_upper) == [3, 7, np.inf]
    assert list(model.velocity_limit) == [np.inf, 0.25, np.inf]


def test_configurations_within_limits():
    model = civita.Model.from_file("ur5")
    Q = model.random_position(3, 500)
    assert Q.shape == (500, model.nq)
    np.testing.assert_array_equal(Q[7], model.random_position(10))
    assert (model.position_lower <= Q).all() and (model.position_upper >= Q).all()
    neutral = model.neutral_position
    assert (model.position_lower <= neutral).all() and (model.position_upper >= neutral).all()
    ball = civita.Model.from_file("ball_arm")
    q_0, q_1 = ball.random_position(1), ball.random_position(2)
    half = ball.interpolate_position(q_0, q_1, 0.5)
    e = ball.difference_position(q_1, q_0)
    np.testing.assert_allclose(ball.difference_position(half, q_0), e / 2, atol=1e-12)
    rows = ball.interpolate_position([q_0, q_1], [q_1, q_0], 0.5)
    np.testing.assert_allclose(ball.difference_position(rows[1], half), 0, atol=1e-12)


def test_joints_and_frames_by_name():
    model = civita.Model.from_file("arm7")
    joint = model.joints[2]
    assert model.find_joint(joint["name"]) == joint
    with pytest.raises(KeyError, match="unknown joint 'nothing'"):
        model.find_joint("nothing")
    tool = model.with_frame("tool", "hand", [0, 0, 0.1]).with_frame("mark", position=[1, 2, 3])
    assert tool.frames == [*model.frames, "tool", "mark"]
    frame = tool.find_frame("mark")
    assert frame["body"] is None and list(frame["position"]) == [1, 2, 3]
    R, p = civita.Dynamics(tool).frame_pose(np.ones(7), "hand")
    np.testing.assert_allclose(
        civita.Dynamics(tool).frame_pose(np.ones(7), "tool")[1], p + R @ [0, 0, 0.1], atol=1e-15
    )
    with pytest.raises(ValueError, match="two bodies or frames are named 'hand'"):
        model.with_frame("hand", "hand")
    with pytest.raises(ValueError, match="rotation matrix"):
        model.with_frame("tool", "hand", rotation=2 * np.eye(3))


def test_constrained_dynamics_of_pinocchio(pair):
    pin, data, q, v = pair.pin, pair.data, pair.q, pair.v
    constrained = civita.ConstrainedDynamics(
        pair.model, [{"B": "tool", "stiffness": 30.0, "damping": 5.0}], q
    )
    assert constrained.num_rows == constrained.expected_rank == 3
    tau = np.random.default_rng(3).normal(size=pair.model.nv)
    vdot, force = constrained.forward_dynamics(q, v, tau)
    # Theirs by J and γ of a frame, [linear; angular].
    pinocchio.computeJointJacobiansTimeVariation(pin, data, pair.pin_q, pair.w)
    pinocchio.updateFramePlacements(pin, data)
    tool = pin.getFrameId("tool")
    aligned = pinocchio.LOCAL_WORLD_ALIGNED
    J = pinocchio.getFrameJacobian(pin, data, tool, aligned)[:3]
    Jdot = pinocchio.getFrameJacobianTimeVariation(pin, data, tool, aligned)[:3]
    gamma = Jdot @ pair.w + 5 * J @ pair.w + 30 * data.oMf[tool].translation
    M = pinocchio.crba(pin, data, pair.pin_q)
    M = np.triu(M) + np.triu(M, 1).T
    nle = pinocchio.nonLinearEffects(pin, data, pair.pin_q, pair.w)
    kkt = np.block([[M, -J.T], [J, np.zeros((3, 3))]])
    expected = np.linalg.solve(kkt, np.concatenate([pair.A.T @ tau - nle, -gamma]))
    np.testing.assert_allclose(
        pair.convert.vdot_to_pinocchio(q, v, vdot), expected[:-3], rtol=1e-8, atol=1e-8
    )
    np.testing.assert_allclose(force, expected[-3:], rtol=1e-8, atol=1e-8)
    wrench = np.append(np.zeros(3), force)
    np.testing.assert_allclose(pair.d.rnea(q, v, vdot, forces={"tool": wrench}), tau, rtol=1e-8, atol=1e-8)
    np.testing.assert_allclose(constrained.inverse_dynamics(q, v, vdot, force), tau, rtol=1e-8, atol=1e-8)
    v_after, impulse = constrained.impulse(q, v, 0.5)
    J = constrained.jacobian(q)
    np.testing.assert_allclose(J @ v_after, -0.5 * J @ v, atol=1e-10)
    H = pair.d.mass_matrix(q)
    np.testing.assert_allclose(H @ (v_after - v), J.T @ impulse, atol=1e-9)
    inertia = constrained.operational_space_inertia(q)
    np.testing.assert_allclose(inertia @ (J @ np.linalg.solve(H, J.T)), np.eye(3), atol=1e-9)
    batch = constrained.forward_dynamics(*(np.tile(x, (2, 1)) for x in (q, v, tau)))
    np.testing.assert_array_equal(batch[0], np.tile(vdot, (2, 1)))
    np.testing.assert_array_equal(batch[1], np.tile(force, (2, 1)))


def test_impulses_of_pinocchio(pair):
    pin, data = pair.pin, pair.data
    pinocchio.computeJointJacobians(pin, data, pair.pin_q)
    pinocchio.updateFramePlacements(pin, data)
    J = pinocchio.getFrameJacobian(pin, data, pin.getFrameId("tool"), pinocchio.LOCAL_WORLD_ALIGNED)[:3]
    theirs = pinocchio.impulseDynamics(pin, data, pair.pin_q, pair.w, J, 0.25, 0.0)
    constrained = civita.ConstrainedDynamics(pair.model, [{"B": "tool"}], pair.q)
    v_after, impulse = constrained.impulse(pair.q, pair.v, 0.25)
    np.testing.assert_allclose(pair.convert.v_to_pinocchio(pair.q, v_after), theirs, rtol=1e-8, atol=1e-8)
    np.testing.assert_allclose(impulse, data.impulse_c, rtol=1e-8, atol=1e-8)


def test_a_lost_rank_is_an_error():
    model = civita.Model.from_file("planar_2r")
    tip = {"B": model.frames[-1], "point_B": [0.3, 0.1, 0.2]}
    constrained = civita.ConstrainedDynamics(model, [{**tip, "fixes_rotation": True}], [0.3, 0.7])
    assert constrained.num_rows == 6
    assert constrained.expected_rank == 2
    constrained.forward_dynamics([0.3, 0.5], [0, 0], [0, 0])
    stretched = civita.ConstrainedDynamics(model, [{"B": model.frames[-1], "name": "tip"}], [0.3, 0.7])
    assert stretched.expected_rank <= 2
    for wrong, error, text in (
        ({"B": "nothing"}, KeyError, "unknown body"),
        ({"A": None}, ValueError, "no frame B"),
        ({"B": model.frames[-1], "dumping": 1}, KeyError, "did you mean 'damping'"),
        ({"B": model.frames[-1], "damping": -1.0, "name": "tip"}, ValueError, "constraint 'tip': damping"),
        ("tip", TypeError, "dict"),
    ):
        with pytest.raises(error, match=text):
            civita.ConstrainedDynamics(model, [wrong])
