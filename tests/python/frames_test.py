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
    assert urdf.parameters.shape == (30,)
    assert mjcf.parameters.shape == (20,)
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
