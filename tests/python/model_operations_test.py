"""Copies of models with a change beside Pinocchio, the description of a model, and models as JSON."""

import copy
import json
import pathlib
import pickle

import jsonschema
import numpy as np
import pinocchio
import pytest
from conftest import random_state
from peers_test import NEAR, compare_with_pinocchio, robot

import civita
import civita.pinocchio

ROOT = pathlib.Path(__file__).parents[2]
TURN = np.array([[0.0, -1, 0], [0.6, 0, -0.8], [0.8, 0, 0.6]])
PLACE = np.array([0.1, -0.2, 0.3])
INERTIA = np.array([[0.02, 0.001, 0.002], [0.001, 0.03, -0.001], [0.002, -0.001, 0.025]])


@pytest.fixture(params=["fixed", "free"])
def pair(request, tmp_path):
    file = tmp_path / "robot.urdf"
    file.write_text(robot())
    free = [pinocchio.JointModelFreeFlyer()] if request.param == "free" else []
    return (
        civita.Model.from_file(file, base=request.param),
        pinocchio.buildModelFromUrdf(str(file), *free),
    )


def same_numbers(one, two):
    assert one.describe() == two.describe()
    q, v = random_state(one)
    for a, b in zip(
        (*civita.Dynamics(one).coriolis_matrix(q, v), civita.Dynamics(one).gravity(q)),
        (*civita.Dynamics(two).coriolis_matrix(q, v), civita.Dynamics(two).gravity(q)),
        strict=True,
    ):
        np.testing.assert_array_equal(a, b)
    np.testing.assert_array_equal(
        civita.Dynamics(one).passive_forces(q, v), civita.Dynamics(two).passive_forces(q, v)
    )
    for name in ("parameters", "position_lower", "effort_upper", "frames", "joints"):
        np.testing.assert_array_equal(getattr(one, name), getattr(two, name))


@pytest.mark.parametrize("locked", [["elbow"], ["z_shoulder", "a_slide"], ["turn", "elbow"]])
def test_reduced_models_of_pinocchio(pair, locked):
    model, pin = pair
    q, _ = random_state(model)
    pin_q = civita.pinocchio.Conversion(model, pin).q_to_pinocchio(q)
    reduced = model.with_locked_joints(locked, q)
    theirs = pinocchio.buildReducedModel(pin, [pin.getJointId(name) for name in locked], pin_q)
    compare_with_pinocchio(reduced, theirs)
    convert = civita.pinocchio.Conversion(reduced, theirs)
    at, _ = random_state(reduced, seed=3)
    data = theirs.createData()
    pinocchio.framesForwardKinematics(theirs, data, convert.q_to_pinocchio(at))
    for frame in ("base", "upper", "fore", "hand", "wheel"):
        R, p = civita.Dynamics(reduced).frame_pose(at, frame)
        pose = data.oMf[theirs.getFrameId(frame)]
        np.testing.assert_allclose(R, pose.rotation, **NEAR, err_msg=frame)
        np.testing.assert_allclose(p, pose.translation, **NEAR, err_msg=frame)


def test_a_free_base_is_locked_too(pair):
    model, _ = pair
    if model.joints[0]["type"] != "free":
        pytest.skip("no free base")
    q, v = random_state(model)
    fixed = model.with_locked_joints(["root_joint"], q)
    H = civita.Dynamics(model).mass_matrix(q)
    np.testing.assert_allclose(civita.Dynamics(fixed).mass_matrix(q[7:]), H[6:, 6:], **NEAR)
    for part in ("position_lower", "position_upper"):
        np.testing.assert_array_equal(getattr(fixed, part), getattr(model, part)[7:])
    assert [joint["name"] for joint in fixed.joints] == [j["name"] for j in model.joints[1:]]


def test_models_appended_by_pinocchio(pair, tmp_path):
    model, pin = pair
    text = robot()
    for name in ("base", "upper", "fore", "hand", "wheel", "z_shoulder", "elbow", "a_slide", "turn"):
        text = text.replace(f'"{name}"', f'"left_{name}"')
    file = tmp_path / "left.urdf"
    file.write_text(text)
    other = pinocchio.buildModelFromUrdf(str(file))
    theirs = pinocchio.appendModel(pin, other, pin.getFrameId("hand"), pinocchio.SE3(TURN, PLACE))
    (tmp_path / "right.urdf").write_text(robot())
    second = civita.Model.from_file(tmp_path / "right.urdf")
    both = model.with_model(second, "hand", PLACE, TURN, prefix="left_")
    compare_with_pinocchio(both, theirs)
    assert [j["name"] for j in both.joints[-4:]] == ["left_" + j["name"] for j in second.joints]
    with pytest.raises(ValueError, match="with prefix '': two bodies are named 'base'"):
        model.with_model(second, "hand")
    with pytest.raises(KeyError, match="unknown body 'hnad'"):
        model.with_model(second, "hnad")


def test_payloads_and_inertias_of_pinocchio(pair):
    model, pin = pair
    hand = pin.frames[pin.getFrameId("hand")]
    at = hand.placement * pinocchio.SE3(TURN, PLACE)
    load = pinocchio.Inertia(1.5, np.array([0.1, 0.2, 0.3]), INERTIA)
    pin.appendBodyToJoint(hand.parentJoint, load, at)
    tool = model.with_frame("tool", "hand", PLACE, TURN)
    loaded = tool.with_payload("tool", 1.5, [0.1, 0.2, 0.3], INERTIA)
    compare_with_pinocchio(loaded, pin)
    assert loaded.total_mass == pytest.approx(model.total_mass + 1.5)
    pin.inertias[pin.getJointId("turn")] = load
    compare_with_pinocchio(loaded.with_inertia("wheel", 1.5, [0.1, 0.2, 0.3], INERTIA), pin)
    with pytest.raises(ValueError, match="A . B ≥ C"):
        model.with_inertia("wheel", 1, inertia=np.diag([1.0, 1, 3]))
    with pytest.raises(KeyError, match="unknown body 'wheels'"):
        model.with_inertia("wheels", 1)
    with pytest.raises(ValueError, match="fixed to the world"):
        model.with_frame("mark").with_payload("mark", 1)


def test_the_description_is_built_again(model):
    same_numbers(civita.ModelBuilder(model).build(), model.with_locked_joints([]))
    builder = civita.ModelBuilder(model)
    body = builder.add_body("one more", 0, mass=1.0)
    builder.add_joint(body, "hinge", "one more")
    assert builder.build().nv == model.nv + 1
    builder.set_mass(body, 2.0, [0, 0, 0.1])
    assert builder.build().total_mass == pytest.approx(model.total_mass + 2)


def test_what_is_none_is_refused():
    model = civita.Model.from_file("arm7")
    names = [joint["name"] for joint in model.joints]
    with pytest.raises(KeyError, match="unknown joint 'nothing'"):
        model.with_locked_joints(["nothing"])
    with pytest.raises(ValueError, match="no joints"):
        model.with_locked_joints(names)
    with pytest.raises(ValueError, match="q"):
        model.with_locked_joints(names[:1], [1, 2])
    with pytest.raises(KeyError, match="unknown joint 'nothing'"):
        model.with_coupled_joint("nothing", names[0])
    with pytest.raises(ValueError, match="follow itself"):
        model.with_coupled_joint(names[0], names[0])


def test_parameters_are_put_back():
    """Of links that are fixed to each other, with masses at points, and of what noise makes of them."""
    b = civita.ModelBuilder()
    upper = b.add_body("upper", mass=2.0, com=[0.3, 0.1, 0], inertia=np.diag([0.1, 0.2, 0.25]))
    b.add_joint(upper, "ball", "shoulder")
    b.add_body("plate", upper, [0.2, 0, 0.1], mass=0.4, com=[0, 0.7, 0], inertia=np.diag([0.02, 0.01, 0.03]))
    fore = b.add_body("fore", upper, [0.6, 0, 0], mass=0.0)
    b.add_joint(fore, "hinge", "elbow", axis=[0, 0, 1])
    b.add_body("bob", fore, [0.3, 0.2, 0], mass=1.5, com=[0.1, 0, -0.4])
    model = b.build()
    assert len(model.body_frames) == 2 and len(model.frames) == 4
    same = model.with_parameters(model.parameters)
    np.testing.assert_allclose(same.parameters, model.parameters, rtol=1e-14, atol=1e-15)
    q, v = random_state(model)
    for one, two in zip(
        civita.Dynamics(same).coriolis_matrix(q, v), civita.Dynamics(model).coriolis_matrix(q, v), strict=True
    ):
        np.testing.assert_allclose(one, two, rtol=1e-12, atol=1e-13)
    rng = np.random.default_rng(3)
    found = model.parameters * (1 + 0.1 * rng.standard_normal(20))
    other = model.with_parameters(found, allow_impossible_moments=True)
    np.testing.assert_allclose(other.parameters, found, rtol=1e-13, atol=1e-14)
    Y, y_0 = civita.Dynamics(model).regressor(q, v, v, v)
    np.testing.assert_allclose(civita.Dynamics(other).rnea(q, v, v), Y @ found + y_0, rtol=1e-11, atol=1e-11)
    wrong = model.parameters
    wrong[4] = 9.0
    with pytest.raises(ValueError, match="body 'upper': the principal moments"):
        model.with_parameters(wrong)
    wrong[10] = -1
    with pytest.raises(ValueError, match="body 'fore': mass"):
        model.with_parameters(wrong, allow_impossible_moments=True)
    with pytest.raises(ValueError, match="parameters"):
        model.with_parameters(model.parameters[:-1])


def test_a_geared_rotor():
    """Its kinetic energy is J (q_1' + n q_2')² / 2, of which armature n² J has one part alone."""
    J, n = 0.003, 50.0
    b = civita.ModelBuilder()
    upper = b.add_body("upper", mass=2.0, com=[0.3, 0, 0], inertia=0.1 * np.eye(3))
    b.add_joint(upper, "hinge", "q1", axis=[0, 0, 1])
    fore = b.add_body("fore", upper, [0.6, 0, 0], mass=1.0, com=[0.2, 0, 0], inertia=0.1 * np.eye(3))
    b.add_joint(fore, "hinge", "q2", axis=[0, 0, 1])
    H = civita.Dynamics(b.build()).mass_matrix([0.3, 0.8])
    rotor = b.add_body("rotor", upper, [0.6, 0, 0], inertia=np.diag([J, J, J]))
    b.add_joint(rotor, "hinge", "rotor", axis=[0, 0, 1])
    model = b.build().with_coupled_joint("rotor", "q2", n)
    reduced = civita.evaluate(model, "H", [0.3, 0.8, 0.8 * n], reduced=True, independent=["q1", "q2"])
    np.testing.assert_allclose(reduced["H"], H + J * np.outer([1, n], [1, n]), rtol=1e-12)
    held = model.with_locked_joints(["q2", "rotor"], [0.3, 0.8, 40.0])
    assert not held.has_closed_loops
    with pytest.raises(ValueError, match="violate it by"):
        model.with_locked_joints(["q2", "rotor"], [0.3, 0.8, 41.0])


@pytest.mark.parametrize("again", [copy.copy, lambda model: pickle.loads(pickle.dumps(model))])
def test_copies_have_their_description(again):
    model = civita.Model.from_file("ball_arm").with_frame("tool", position=[1, 2, 3])
    same_numbers(civita.ModelBuilder(again(model)).build(), model.with_locked_joints([]))


def test_json_is_read_to_the_same_bits(model, tmp_path):
    model.save(tmp_path / "model.json")
    read = civita.Model.from_file(tmp_path / "model.json")
    q, v = random_state(model)
    for one, two in zip(
        civita.Dynamics(model).coriolis_matrix(q, v),
        civita.Dynamics(read).coriolis_matrix(q, v),
        strict=True,
    ):
        np.testing.assert_array_equal(one, two)
    assert read.describe() == model.describe()
    read.save(tmp_path / "again.json")
    assert (tmp_path / "again.json").read_bytes() == (tmp_path / "model.json").read_bytes()
    schema = json.loads((ROOT / "docs/model.schema.json").read_text(encoding="utf-8"))
    jsonschema.validate(json.loads((tmp_path / "model.json").read_text(encoding="utf-8")), schema)


def test_a_description_can_be_changed():
    model = civita.Model.from_file("four_bar")
    description = json.loads(model.to_json())
    description["joints"][0]["damping"] = 0.25
    again = civita.Model.from_json(json.dumps(description))
    assert again.damping[0] == 0.25 and again.has_closed_loops
    assert json.loads(again.to_json()) == description
    description["joints"][0]["damping"] = "much"
    with pytest.raises(ValueError, match=r"text: joints\[0\].damping: must be a number, not the text"):
        civita.Model.from_json(json.dumps(description))


def test_json_has_the_loops(tmp_path):
    model = civita.Model.from_file("four_bar")
    model.save(tmp_path / "four_bar.json")
    read = civita.Model.from_file(tmp_path / "four_bar.json")
    assert read.has_closed_loops
    for one, two in zip(
        civita.evaluate(model, ["H", "C"], reduced=True).values(),
        civita.evaluate(read, ["H", "C"], reduced=True).values(),
        strict=True,
    ):
        np.testing.assert_array_equal(one, two)


def test_json_that_is_wrong_is_told(tmp_path):
    file = tmp_path / "model.json"
    file.write_text('{"civita_model": 1, "bodies": [{"nme": "a"}]}')
    with pytest.raises(ValueError, match=r"model.json: bodies\[0\]: unknown key 'nme' \(did you mean"):
        civita.Model.from_file(file)
    with pytest.raises(ValueError, match=r"must end with .json"):
        civita.Model.from_file("arm7").save(tmp_path / "model.xml")
    civita.Model.from_file("arm7").save(file)
    with pytest.raises(ValueError, match="the base that it was saved with"):
        civita.Model.from_file(file, base="free")


def test_the_schema_refuses_what_is_refused():
    schema = json.loads((ROOT / "docs/model.schema.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    joint = {"body": "a", "type": "hinge"}
    good = {"civita_model": 1, "bodies": [{"name": "a"}], "joints": [joint]}
    jsonschema.validate(good, schema)
    for bad in (
        {"bodies": []},
        {**good, "joint": []},
        {**good, "joints": [{**joint, "type": "hing"}]},
        {**good, "joints": [{**joint, "axis": [0, 1]}]},
        {**good, "joints": [{"type": "hinge"}]},
    ):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(bad, schema)
