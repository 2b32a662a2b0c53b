"""Pinocchio and MuJoCo through the Python door: the same numbers, and conversions to their conventions."""

import mujoco
import numpy as np
import pinocchio
import pytest
from conftest import random_state

import civita
import civita.mujoco
import civita.pinocchio

NEAR = {"rtol": 1e-10, "atol": 1e-10}

LINK = """<link name="{name}"><inertial><origin xyz="0.02 -0.03 0.1" rpy="0.1 0.2 0.3"/>
<mass value="{mass}"/><inertia ixx="0.02" ixy="0.001" ixz="0.002" iyy="0.03" iyz="-0.001" izz="0.025"/>
</inertial></link>"""
JOINT = """<joint name="{name}" type="{type}"><parent link="{parent}"/><child link="{child}"/>
<origin xyz="0.1 0.2 0.3" rpy="0.3 -0.2 0.5"/><axis xyz="{axis}"/>
<limit lower="-3" upper="3" effort="1" velocity="1"/></joint>"""
# A tree with two branches. Pinocchio sorts joints by name, civita takes them as they come.
LINKS = [("base", 3.0), ("upper", 2.0), ("fore", 1.5), ("hand", 0.5), ("wheel", 0.7)]
JOINTS = [
    ("z_shoulder", "revolute", "base", "upper", "0 1 0"),
    ("elbow", "revolute", "upper", "fore", "1 0 0"),
    ("a_slide", "prismatic", "fore", "hand", "0 0 1"),
    ("turn", "continuous", "base", "wheel", "0 0.6 0.8"),
]


def robot():
    keys = ("name", "type", "parent", "child", "axis")
    links = "".join(LINK.format(name=name, mass=mass) for name, mass in LINKS)
    joints = "".join(JOINT.format(**dict(zip(keys, joint, strict=True))) for joint in JOINTS)
    return f'<robot name="r">{links}{joints}</robot>'


@pytest.fixture(params=["fixed", "free"])
def pair(request, tmp_path):
    file = tmp_path / "robot.urdf"
    file.write_text(robot())
    free = [pinocchio.JointModelFreeFlyer()] if request.param == "free" else []
    return (
        civita.Model.from_file(str(file), base=request.param),
        pinocchio.buildModelFromUrdf(str(file), *free),
    )


def spherical_pair():
    """A ball joint and a free joint, which no URDF has."""
    inertia = np.diag([0.2, 0.3, 0.25])
    b = civita.ModelBuilder()
    body = b.add_body("body", mass=2.0, com=[0.1, 0.2, 0.3], inertia=inertia)
    b.add_joint(body, "free", "root")
    arm = b.add_body("arm", body, position=[0.4, 0.5, 0.6], mass=1.0, com=[0, 0, 0.5], inertia=inertia)
    b.add_joint(arm, "ball", "shoulder")
    pin = pinocchio.Model()
    root = pin.addJoint(0, pinocchio.JointModelFreeFlyer(), pinocchio.SE3.Identity(), "root")
    at = pinocchio.SE3(np.eye(3), np.array([0.4, 0.5, 0.6]))
    shoulder = pin.addJoint(root, pinocchio.JointModelSpherical(), at, "shoulder")
    same = pinocchio.SE3.Identity()
    pin.appendBodyToJoint(root, pinocchio.Inertia(2.0, np.array([0.1, 0.2, 0.3]), inertia), same)
    pin.appendBodyToJoint(shoulder, pinocchio.Inertia(1.0, np.array([0, 0, 0.5]), inertia), same)
    return b.build(), pin


def compare_with_pinocchio(model, pin):
    convert = civita.pinocchio.Conversion(model, pin)
    data = pin.createData()
    d = civita.Dynamics(model)
    q, v = random_state(model)
    vdot = np.random.default_rng(7).normal(size=model.nv)
    pin_q, w = convert.q_to_pinocchio(q), convert.v_to_pinocchio(q, v)
    wdot = convert.vdot_to_pinocchio(q, v, vdot)
    H, C = d.coriolis_matrix(q, v)
    A, Adot = convert.A(q), convert.A_derivative(q, v)
    pinocchio.crba(pin, data, pin_q)
    pin_H = np.triu(data.M) + np.triu(data.M, 1).T
    np.testing.assert_allclose(A.T @ H @ A, pin_H, **NEAR)
    pin_C = pinocchio.computeCoriolisMatrix(pin, data, pin_q, w)
    np.testing.assert_allclose(A.T @ (C @ A + H @ Adot), pin_C, **NEAR)
    tau = d.rnea(q, v, vdot)
    np.testing.assert_allclose(
        convert.tau_to_pinocchio(q, tau), pinocchio.rnea(pin, data, pin_q, w, wdot), **NEAR
    )
    np.testing.assert_allclose(convert.tau_from_pinocchio(q, A.T @ tau), tau, **NEAR)
    # The same rotations, perhaps by opposite quaternions.
    back = convert.q_from_pinocchio(pin_q)
    np.testing.assert_allclose(model.difference_position(back, q), 0, atol=1e-12)
    np.testing.assert_allclose(convert.v_from_pinocchio(q, w), v, **NEAR)
    np.testing.assert_allclose(convert.vdot_from_pinocchio(q, v, wdot), vdot, **NEAR)
    np.testing.assert_allclose(A @ wdot + Adot @ w, vdot, **NEAR)
    J = d.jacobian(q, model.body_frames[-1])
    np.testing.assert_allclose(convert.jacobian_to_pinocchio(q, J), J @ A, **NEAR)
    np.testing.assert_allclose(convert.jacobian_from_pinocchio(q, J @ A), J, **NEAR)
    # Batches are the single states.
    Q, V = random_state(model, 3)
    W = convert.v_to_pinocchio(Q, V)
    Wdot = convert.vdot_to_pinocchio(Q, V, vdot + 0 * V)
    JJ = convert.jacobian_to_pinocchio(Q, np.stack([J, 2 * J, 3 * J]))
    for k in range(3):
        np.testing.assert_allclose(W[k], convert.v_to_pinocchio(Q[k], V[k]), **NEAR)
        np.testing.assert_allclose(Wdot[k], convert.vdot_to_pinocchio(Q[k], V[k], vdot), **NEAR)
        np.testing.assert_allclose(JJ[k], convert.jacobian_to_pinocchio(Q[k], (k + 1) * J), **NEAR)
        np.testing.assert_allclose(convert.q_to_pinocchio(Q)[k], convert.q_to_pinocchio(Q[k]), **NEAR)
    np.testing.assert_allclose(convert.vdot_from_pinocchio(Q, V, Wdot), vdot + 0 * V, **NEAR)


def test_numbers_of_pinocchio(pair):
    compare_with_pinocchio(*pair)


def test_ball_and_free_joints_of_pinocchio():
    compare_with_pinocchio(*spherical_pair())


# With a free base Pinocchio's are by other coordinates.
@pytest.mark.parametrize("pair", ["fixed"], indirect=True)
def test_rnea_derivatives_of_pinocchio(pair):
    model, pin = pair
    convert = civita.pinocchio.Conversion(model, pin)
    q, v = random_state(model)
    dq, dv, _ = civita.Dynamics(model).rnea_derivatives(q, v, v)
    A, data = convert.A(q), pin.createData()
    pin_dq, pin_dv, _ = pinocchio.computeRNEADerivatives(
        pin, data, convert.q_to_pinocchio(q), A.T @ v, A.T @ v
    )
    np.testing.assert_allclose(A.T @ dq @ A, pin_dq, **NEAR)
    np.testing.assert_allclose(A.T @ dv @ A, pin_dv, **NEAR)


def test_inertial_parameters_of_pinocchio(pair):
    """In both orders of numbers and of joints."""
    model, pin = pair
    convert = civita.pinocchio.Conversion(model, pin)
    theirs = np.concatenate([inertia.toDynamicParameters() for inertia in pin.inertias[1:]])
    np.testing.assert_allclose(convert.parameters_to_pinocchio(model.parameters), theirs, **NEAR)
    np.testing.assert_allclose(convert.parameters_from_pinocchio(theirs), model.parameters, **NEAR)
    # What is identified there: torques of its regressor are those of the copy that has them.
    pi = theirs * np.linspace(0.98, 1.02, theirs.size)
    copy = model.with_parameters(convert.parameters_from_pinocchio(pi), allow_impossible_moments=True)
    q, v = random_state(model)
    vdot = np.linspace(-1, 2, model.nv)
    w = convert.v_to_pinocchio(q, v)
    wdot = convert.vdot_to_pinocchio(q, v, vdot)
    data = pin.createData()
    Y = pinocchio.computeJointTorqueRegressor(pin, data, convert.q_to_pinocchio(q), w, wdot)
    tau = civita.Dynamics(copy).rnea(q, v, vdot)
    np.testing.assert_allclose(Y @ pi, convert.tau_to_pinocchio(q, tau), rtol=1e-8, atol=1e-8)
    batch = np.stack([theirs, pi])
    np.testing.assert_array_equal(
        convert.parameters_from_pinocchio(batch)[1], convert.parameters_from_pinocchio(pi)
    )
    with pytest.raises(ValueError, match="parameters: its shape"):
        convert.parameters_to_pinocchio(theirs[1:])


def test_axes_of_bodies_may_differ_from_those_of_joints(tmp_path):
    """A joint beside its body's origin in MJCF, where Pinocchio puts the joint's axes at the anchor."""
    file = tmp_path / "beside.xml"
    file.write_text(
        """<mujoco><worldbody><body name="beam" pos="0 0 1">
        <joint name="swing" pos="0.2 0.1 -0.3" axis="0 1 0"/>
        <inertial pos="0.1 0 0.4" mass="2" fullinertia="0.3 0.4 0.5 0.02 -0.01 0.03"/></body></worldbody>
        </mujoco>"""
    )
    model, pin = civita.Model.from_file(str(file)), pinocchio.buildModelFromMJCF(str(file))
    convert = civita.pinocchio.Conversion(model, pin)
    theirs = pin.inertias[1].toDynamicParameters()
    np.testing.assert_allclose(convert.parameters_to_pinocchio(model.parameters), theirs, **NEAR)
    np.testing.assert_allclose(convert.parameters_from_pinocchio(theirs), model.parameters, **NEAR)


def test_batches_are_converted_row_by_row():
    model, pin = spherical_pair()
    convert = civita.pinocchio.Conversion(model, pin)
    Q, V = random_state(model, 5)
    for batch, one in (
        (convert.q_to_pinocchio(Q), [convert.q_to_pinocchio(q) for q in Q]),
        (convert.v_to_pinocchio(Q, V), [convert.v_to_pinocchio(q, v) for q, v in zip(Q, V, strict=True)]),
        (
            convert.vdot_to_pinocchio(Q, V, V),
            [convert.vdot_to_pinocchio(q, v, v) for q, v in zip(Q, V, strict=True)],
        ),
    ):
        np.testing.assert_allclose(batch, one, atol=1e-14)


def test_other_joints_are_refused(tmp_path):
    model, pin = spherical_pair()
    with pytest.raises(ValueError, match="'joint1'.*none of this name"):
        civita.pinocchio.Conversion(civita.Model.from_file("arm7"), pin)
    with pytest.raises(ValueError, match="numbers in q"):
        civita.mujoco.Conversion(model, mujoco.MjModel.from_xml_string("<mujoco/>"))


def mj_model(scene):
    from civita import _civita

    return mujoco.MjModel.from_xml_path(f"{_civita.data_directory()}/scenes/{scene}/scene.xml")


@pytest.mark.parametrize("scene", ["arm7", "ball_arm", "space_arm", "biped_float"])
def test_numbers_of_mujoco(scene):
    mj = mj_model(scene)
    model = civita.Model.from_mujoco(mj)
    d = civita.Dynamics(model)
    q, v = random_state(model)
    data = mujoco.MjData(mj)
    data.qpos, data.qvel = q, v
    mujoco.mj_forward(mj, data)
    full = np.zeros((mj.nv, mj.nv))
    mujoco.mj_fullM(mj, data, full)
    np.testing.assert_allclose(d.mass_matrix(q), full, **NEAR)
    np.testing.assert_allclose(d.bias_forces(q, v), data.qfrc_bias, **NEAR)
    assert civita.mujoco.Conversion(model, mj).q(q).tolist() == q.tolist()


CRANE = """<mujoco><option><flag {flags}/></option><worldbody><body pos="0 0 2">
  <joint name="boom" axis="0 1 0" stiffness="9 3 2" springref="30" damping="1 .5 .2"/>
  <geom size=".1" pos=".5 0 0"/>
  <body pos="1 0 0"><joint name="hook" type="ball" stiffness="4 0 1" damping=".3"/>
  <geom size=".1" pos="0 .1 -.3"/>
  <site name="hook"/></body></body>
  <body pos="0 1 2"><joint name="cart" type="slide" axis="1 0 0"/><geom size=".1"/></body>
  <site name="wall" pos="3 0 1"/>
  </worldbody><tendon><fixed name="belt" stiffness="7" springlength=".1 .2" damping="2 0 1">
  <joint joint="boom" coef=".5"/><joint joint="cart" coef="-2"/></fixed>
  <spatial name="rope" damping="{rope}"><site site="hook"/><site site="wall"/></spatial></tendon></mujoco>"""


@pytest.mark.parametrize("flags", ["", "spring='disable'", "damper='disable'"])
def test_passive_forces_of_mujoco(flags):
    mj = mujoco.MjModel.from_xml_string(CRANE.format(flags=flags, rope=0))
    model = civita.Model.from_mujoco(mj)
    assert not model.notices
    q, v = random_state(model)
    data = mujoco.MjData(mj)
    data.qpos, data.qvel = q, v
    mujoco.mj_forward(mj, data)
    np.testing.assert_allclose(civita.Dynamics(model).passive_forces(q, v), data.qfrc_passive, **NEAR)
    assert np.abs(data.qfrc_passive).min() > 0


def test_forces_that_mujoco_alone_has_are_named():
    mj = mujoco.MjModel.from_xml_string(CRANE.format(flags="", rope=1))
    assert [n.split(":")[0] for n in civita.Model.from_mujoco(mj).notices] == [
        "damping of spatial tendons rope"
    ]


def test_tendons_of_a_builder():
    b = civita.ModelBuilder()
    body = b.add_body("arm", mass=1.0, com=[0, 0, 1])
    b.add_joint(body, "hinge", "arm", axis=[0, 1, 0], stiffness=3, stiffness_poly=[2, 1], damping_poly=[1, 4])
    b.add_tendon({0: 2.0}, "cord", stiffness=5, rest_upper=0.5, damping=0.5)
    tau = civita.Dynamics(b.build()).passive_forces([0.5], [-0.2])
    of_joint = -(3 * 0.5 + 2 * 0.25 + 0.125) + (0.04 + 4 * 0.008)
    np.testing.assert_allclose(tau, of_joint - 2 * (5 * (1 - 0.5) + 0.5 * -0.4), rtol=1e-14)


def test_model_outlives_the_mjmodel():
    mj = mj_model("arm7")
    model = civita.Model.from_mujoco(mj)
    q, _ = random_state(model)
    before = civita.Dynamics(model).mass_matrix(q)
    mj.body_mass[:] = 0
    del mj
    np.testing.assert_array_equal(civita.Dynamics(model).mass_matrix(q), before)


def test_joints_of_mujoco_in_another_order(tmp_path):
    file = tmp_path / "robot.urdf"
    file.write_text(robot())
    mj = mujoco.MjModel.from_xml_path(str(file))
    b = civita.ModelBuilder()
    parents = {"base": -1}
    for name, kind, parent, child, _ in sorted(JOINTS, key=lambda j: j[2] != "base"):
        parents[child] = b.add_body(child, parents[parent], mass=1.0)
        b.add_joint(parents[child], "slide" if kind == "prismatic" else "hinge", name)
    convert = civita.mujoco.Conversion(b.build(), mj)
    qpos = np.arange(4.0)
    q = convert.q(qpos)
    assert sorted(q) == list(qpos)
    np.testing.assert_array_equal(convert.qpos(q), qpos)
    np.testing.assert_array_equal(convert.qvel(convert.v(qpos)), qpos)
    for joint in b.build().joints:
        assert q[joint["iq"]] == mj.joint(joint["name"]).qposadr[0]


def test_one_free_joint_needs_no_name():
    """A free base of civita's beside a nameless freejoint, and joints in another order."""
    arms = ("left", "right")
    text = "".join(f'<body name="{arm}"><joint name="{arm}"/><geom size="0.1"/></body>' for arm in arms[::-1])
    base = f'<body name="base"><freejoint{{}}/><geom size="0.1"/>{text}</body>'
    xml = f"<mujoco><worldbody>{base}</worldbody></mujoco>"
    b = civita.ModelBuilder()
    base = b.add_body("base", mass=1.0)
    b.add_joint(base, "free", "root_joint")
    for arm in arms:
        b.add_joint(b.add_body(arm, base, mass=1.0), "hinge", arm)
    for name in ("", ' name="floating"'):
        mj = mujoco.MjModel.from_xml_string(xml.format(name))
        q = civita.mujoco.Conversion(b.build(), mj).q(np.arange(9.0))
        assert list(q) == [0, 1, 2, 3, 4, 5, 6, 8, 7]
    two = xml.format("").replace("</worldbody>", '<body><freejoint/><geom size="0.1"/></body></worldbody>')
    b.add_joint(b.add_body("ball", mass=1.0), "free", "ball")
    with pytest.raises(ValueError, match="joint 'root_joint': MuJoCo's model has none of this name"):
        civita.mujoco.Conversion(b.build(), mujoco.MjModel.from_xml_string(two))


def test_a_model_of_another_mujoco_is_refused(monkeypatch):
    monkeypatch.setattr(mujoco, "__version__", "3.17.0")
    with pytest.raises(
        ValueError, match="the package mujoco is of version 3.17.0, and civita has MuJoCo 4.0"
    ):
        civita.Model.from_mujoco(mj_model("arm7"))
