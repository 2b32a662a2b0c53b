"""Bodies, fixed links and sites are frames, and files are texts or paths."""

import pathlib

import numpy as np
import pytest

import civita

URDF = """<robot name="r"><link name="base"/>
<link name="arm"><inertial><origin xyz="0.2 0 0"/><mass value="2"/>
<inertia ixx="0.01" ixy="0" ixz="0" iyy="0.02" iyz="0" izz="0.03"/></inertial></link><link name="flange"/>
<joint name="turn" type="continuous"><parent link="base"/><child link="arm"/><axis xyz="0 1 0"/></joint>
<joint name="mount" type="fixed"><parent link="arm"/><child link="flange"/><origin xyz="0.4 0 0.1"/></joint>
</robot>"""

MJCF = """<mujoco><worldbody><body name="arm"><joint axis="0 1 0"/><geom size="0.1"/>
<site name="probe" pos="0.5 0 0.2"/><body name="flange" pos="0.4 0 0.1"><site name="arm"/></body></body>
</worldbody></mujoco>"""


def file_of(folder: pathlib.Path, name: str, text: str) -> pathlib.Path:
    file = folder / name
    file.write_text(text, encoding="utf-8")
    return file


def test_fixed_links_and_sites_are_frames(tmp_path):
    urdf = civita.Model.from_file(file_of(tmp_path, "m.urdf", URDF))
    mjcf = civita.Model.from_file(file_of(tmp_path, "m.xml", MJCF))
    assert urdf.frames == ["base", "arm", "flange"]
    assert mjcf.frames == ["arm", "flange", "probe", "site:arm"]
    assert [note for note in mjcf.notices if "site:arm" in note]
    for model in (urdf, mjcf):
        assert model.body_frames == ["arm"]
        assert model.parameters.shape == (10,)
    q = np.array([0.3])
    turned = np.array([[np.cos(q[0]), 0, np.sin(q[0])], [0, 1, 0], [-np.sin(q[0]), 0, np.cos(q[0])]])
    for model, frame, place in [
        (urdf, "flange", [0.4, 0, 0.1]),
        (mjcf, "flange", [0.4, 0, 0.1]),
        (mjcf, "site:arm", [0.4, 0, 0.1]),
        (mjcf, "probe", [0.5, 0, 0.2]),
        (mjcf, "arm", [0, 0, 0]),
    ]:
        J = civita.Dynamics(model).jacobian(q, frame)
        x, _, z = turned @ place
        np.testing.assert_allclose(J[:, 0], [0, 1, 0, z, 0, -x], atol=1e-15)
        np.testing.assert_allclose(civita.evaluate(model, f"J:{frame}", q)[f"J:{frame}"], J, atol=1e-15)


@pytest.mark.parametrize("frame", ["arm", "flange", "probe"])
def test_the_regressor_of_a_frame_is_that_of_a_payload_on_it(tmp_path, frame):
    model = civita.Model.from_file(file_of(tmp_path, "m.xml", MJCF))
    mass, com, inertia = 0.7, np.array([0.1, -0.2, 0.3]), np.diag([0.02, 0.03, 0.04])
    loaded = model.with_payload(frame, mass, com, inertia)
    about_origin = inertia + mass * (com @ com * np.eye(3) - np.outer(com, com))
    pi = np.concatenate([[mass], mass * com, np.diag(about_origin), about_origin[[0, 0, 1], [1, 2, 2]]])
    q, v, v_r, vdot_r = (np.array([x]) for x in (0.3, -1.2, 0.8, 2.0))
    d = civita.Dynamics(model, "t:0.5")
    expected = civita.Dynamics(loaded, "t:0.5").passivity_rnea(q, v, v_r, vdot_r) - d.passivity_rnea(
        q, v, v_r, vdot_r
    )
    Y, _ = d.regressor(q, v, v_r, vdot_r, frames=frame)
    assert Y.shape == (1, 10)
    np.testing.assert_allclose(Y @ pi, expected, rtol=1e-12)
    two, _ = d.regressor(q, v, v_r, vdot_r, frames=["arm", frame])
    np.testing.assert_array_equal(two[:, 10:], Y)
    np.testing.assert_array_equal(two[:, :10], d.regressor(q, v, v_r, vdot_r)[0])
    by_pi = d.forward_dynamics_parameter_derivatives(q, v, vdot_r, frames=frame)
    of_tau = d.regressor(q, v, v, vdot_r, frames=frame)[0]
    np.testing.assert_allclose(d.mass_matrix(q) @ by_pi, -of_tau, rtol=1e-12)
    with pytest.raises(KeyError, match="did you mean 'flange'"):
        d.regressor(q, v, v_r, vdot_r, frames=["flang"])
    with pytest.raises(TypeError, match="frames: a name, or several, not 3"):
        d.regressor(q, v, v_r, vdot_r, frames=3)


def test_a_builder_adds_frames():
    b = civita.ModelBuilder()
    arm = b.add_body("arm", mass=1.0, inertia=np.eye(3))
    b.add_joint(arm, "hinge", "turn", axis=[0, 0, 1])
    b.add_frame("tip", arm, [1, 2, 0])
    b.add_frame("mark", -1)
    with pytest.raises(ValueError, match="two bodies or frames are named 'arm'"):
        b.add_frame("arm", arm)
    model = b.build()
    assert model.frames == ["arm", "tip", "mark"]
    J = civita.Dynamics(model).jacobian([0.0], "tip")
    np.testing.assert_allclose(J[:, 0], [0, 0, 1, -2, 1, 0], atol=1e-15)


def test_files_are_texts_or_paths(tmp_path):
    urdf = file_of(tmp_path, "m.urdf", URDF)
    config = file_of(tmp_path, "c.yaml", "model: m.urdf\nduration_s: 0.01\n")
    assert civita.Model.from_file(str(urdf)).nv == civita.Model.from_file(urdf).nv
    run = civita.run(config, out=tmp_path / "run")
    assert civita.load_run(tmp_path / "run").verdict == run.verdict == "done"
    assert civita.run({"model": urdf, "duration_s": 0.01}).status == "done"
    assert len(civita.compare(config, {"K_D": [20, 30]}, duration=0.01)) == 2
    with pytest.raises(ValueError, match="legged"):
        civita.survive(config, 0.5)
    for wrong in (3, None):
        with pytest.raises(TypeError):
            civita.Model.from_file(wrong)
