"""Arguments that a function in C++ does not take are named, with what it takes, in Python's words."""

import re

import numpy as np
import pytest

import civita
from civita import _civita, _signatures

MODEL = civita.Model.from_file("arm7")
DYNAMICS = civita.Dynamics(MODEL)
BUILDER = civita.ModelBuilder()
CONSTRAINED = civita.ConstrainedDynamics(MODEL)
GOOD = [MODEL, DYNAMICS, BUILDER, CONSTRAINED, True, 1, 0.5, "x", np.zeros(7), [], {}, None, print, object()]
WRONG = [object(), 3j, "text", [object()], {1: object()}, 1.5, None]
# They change the interpreter.
SKIPPED = {"set_attribute_of_type", "set_law_loader", "explain_errors", "__deepcopy__", "__setstate__"}
OF_CPP = re.compile(
    "incompatible function|Invoked|std::|Eigen|nanobind|civita::|_civita|unsigned|basic_string"
)


def functions():
    """All of C++: the name, the class and the function."""
    for name, each in vars(_civita).items():
        for key, member in vars(each).items() if isinstance(each, type) else [(name, each)]:
            function = member.fget if isinstance(member, property) else member
            if hasattr(function, "__nb_signature__") and key not in SKIPPED:
                yield pytest.param(each, function, id=f"{name}.{key}" if isinstance(each, type) else name)


def good(owner, parameter):
    """A value that an argument may have."""
    if parameter.name == "self":
        return next((each for each in GOOD if type(each) is owner), None)
    if not isinstance(parameter.annotation, str):
        return "x"
    kind = _signatures._kind(parameter.annotation)
    if kind is np.ndarray:
        return np.zeros(7)
    return next((each for each in GOOD if _signatures._fits(each, kind)), None)


@pytest.mark.parametrize(("owner", "function"), [*functions()])
def test_wrong_types_are_named(owner, function):
    of = _signatures.signature(function)
    name = (function.__qualname__ or "property").removesuffix(".__init__").rpartition(".")[2]
    given = {
        each.name: good(owner, each)
        for each in of.parameters.values()
        if each.default is each.empty and each.kind is not each.VAR_KEYWORD
    }
    for each in of.parameters.values():
        if not isinstance(each.annotation, str) or each.kind is each.VAR_KEYWORD:
            continue
        kind = _signatures._kind(each.annotation)
        for wrong in WRONG:
            if _signatures._fits(wrong, kind):
                continue
            by_name = {**given, each.name: wrong}
            by_position = [by_name.pop("self")] if "self" in by_name else []
            with pytest.raises((TypeError, ValueError, KeyError)) as error:
                function(*by_position, **by_name)
            text = str(error.value)
            assert not OF_CPP.search(text) and "\n" not in text, text
    with pytest.raises(TypeError, match=f"^{name}: ") as error:
        function(*[object()] * 20)
    assert not OF_CPP.search(str(error.value)), error.value


JOINTS = "with_locked_joints: joints: a list of str, not "


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: MODEL.with_locked_joints("joint1"), JOINTS + "'joint1'"),
        (lambda: MODEL.with_locked_joints(["joint1", 2]), JOINTS + "['joint1', 2]"),
        (
            lambda: DYNAMICS.frame_pose(1.5),
            "frame_pose: missing a required argument: 'frame'; its arguments are q, frame, out",
        ),
        (lambda: DYNAMICS.frame_pose(np.zeros(7), 3), "frame_pose: frame: a text, not 3"),
        (lambda: DYNAMICS.mass_matrix(None), "mass_matrix: q: an array, not None"),
        (
            lambda: DYNAMICS.gravity(np.zeros(7), w=3),
            "gravity: got an unexpected keyword argument 'w'; its arguments are q, out",
        ),
        (lambda: civita.Dynamics("arm7"), "Dynamics: model: a Model, not 'arm7'"),
        (
            lambda: civita.Dynamics(MODEL, threads="2"),
            "Dynamics: threads: a whole number or None, not '2'",
        ),
        (lambda: civita.Model.from_file(3), "from_file: file: a text or a PathLike[str], not 3"),
        (lambda: BUILDER.add_tendon([1]), "add_tendon: coefficients: a dict[int, float], not [1]"),
        (lambda: civita.scenes(1), "scenes: too many positional arguments; its arguments are none"),
    ],
)
def test_sentences(call, text):
    with pytest.raises(TypeError) as error:
        call()
    assert str(error.value) == text
