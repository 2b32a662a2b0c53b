"""python -m civita.bench [MODEL …]: times calls from Python, some of them also in C++, beside Pinocchio and
MuJoCo if they are installed. Prints a table in Markdown.

A MODEL is chainN or treeN with N hinges, default chain7 chain20 tree20, or a URDF file, free:FILE with a
free base; all libraries get the same one, MuJoCo none of a file, and have to give the same numbers first.
Frames are those with the longest path. Times are the processor's in µs per state, on one core: the fastest
of nine runs.
"""

from __future__ import annotations

import pathlib
import re
import sys
import time
import timeit
from collections.abc import Callable
from typing import Any

import numpy

from civita import _civita

IN_CPP = ["mass_matrix", "coriolis_matrix", "rnea", "rnea_derivatives"]
ROWS = [
    *IN_CPP,
    "coriolis_product_derivatives",
    "forward_dynamics",
    "forward_dynamics_derivatives",
    "constrained_dynamics",
    "regressor",
    "jacobian",
    "jacobian_derivative",
    "frame_velocity",
    "frame_acceleration",
    "frame_velocity_derivatives",
    "frame_acceleration_derivatives",
    "centroidal_momentum_matrix",
    "centroidal_momentum_rate_derivatives",
]
BATCH = 10_000
# States, of results whose batch would be larger than the caches by far.
LARGE = {"jacobian": 1000, "forward_dynamics_derivatives": 1000, "regressor": 200}
ROUNDS = 4
AXES = numpy.eye(3)
OFFSET = [0.02, -0.1, 0.3]
COM = [0.01, 0.02, 0.15]
INERTIA = numpy.diag([0.03, 0.028, 0.004])
MASS = 1.3


def parents_of(name: str) -> list[int]:
    """The parent of each link of a chain or a binary tree; −1: the world."""
    found = re.fullmatch(r"(chain|tree)([1-9][0-9]{0,2})", name)
    if not found:
        sys.exit(f"civita.bench: {name}: not a model; valid: chainN, treeN, a URDF file, free:FILE")
    count = int(found[2])
    if found[1] == "chain":
        return list(range(-1, count - 1))
    parents: list[int] = []

    def add(place: int, parent: int) -> None:
        """The link at a place of a heap and all below it, depth first, as Pinocchio wants them."""
        if place <= count:
            parents.append(parent)
            link = len(parents) - 1
            add(2 * place, link)
            add(2 * place + 1, link)

    add(1, -1)
    return parents


def own_model(parents: list[int]) -> _civita.Model:
    b = _civita.ModelBuilder()
    for i, parent in enumerate(parents):
        b.add_body(f"link{i}", parent, OFFSET, None, MASS, COM, INERTIA)
        b.add_joint(i, "hinge", f"joint{i}", axis=AXES[i % 3])
    return b.build()


def time_of(call: Callable[[], Any]) -> float:
    """Processor time of a call, µs."""
    timer = timeit.Timer(call, timer=time.process_time)
    number, _ = timer.autorange()
    number = max(1, number // 10)
    return min(timer.repeat(9, number)) / number * 1e6


Calls = dict[str, Callable[[], Any]]


def pinocchio_tree(parents: list[int], q: Any, v: Any) -> tuple[Any, Any, Any]:
    """Pinocchio's model, and the state in its order."""
    import pinocchio

    model = pinocchio.Model()
    kinds = [pinocchio.JointModelRX, pinocchio.JointModelRY, pinocchio.JointModelRZ]
    at = pinocchio.SE3(numpy.eye(3), numpy.array(OFFSET))
    # Joints are numbered as they are added, 0 the world.
    for i, parent in enumerate(parents):
        joint = model.addJoint(parent + 1, kinds[i % 3](), at, f"joint{i}")
        inertia = pinocchio.Inertia(MASS, numpy.array(COM), INERTIA)
        model.appendBodyToJoint(joint, inertia, pinocchio.SE3.Identity())
        here = pinocchio.SE3.Identity()
        model.addFrame(pinocchio.Frame(f"link{i}", joint, 0, here, pinocchio.FrameType.OP_FRAME))
    own = [model.joints[model.getJointId(f"joint{i}")].idx_v for i in range(len(parents))]
    return model, q[numpy.argsort(own)], v[numpy.argsort(own)]


def pinocchio_urdf(model: _civita.Model, file: str, is_free: bool, q: Any, v: Any) -> tuple[Any, Any, Any]:
    import pinocchio

    from civita.pinocchio import Conversion

    root = [pinocchio.JointModelFreeFlyer()] if is_free else []
    pin = pinocchio.buildModelFromUrdf(file, *root)
    convert = Conversion(model, pin)
    return pin, convert.q_to_pinocchio(q), convert.v_to_pinocchio(q, v)


def pinocchio_calls(model: Any, q: Any, v: Any, frame: str) -> Calls:
    import pinocchio

    data, last = model.createData(), model.getFrameId(frame)
    aligned = pinocchio.LOCAL_WORLD_ALIGNED
    pinocchio.framesForwardKinematics(model, data, q)
    held = model.frames[last]
    contact = pinocchio.RigidConstraintModel(
        pinocchio.ContactType.CONTACT_3D,
        model,
        held.parentJoint,
        held.placement,
        0,
        data.oMf[last],
        pinocchio.LOCAL,
    )
    contacts = pinocchio.StdVec_RigidConstraintModel()
    contact_data = pinocchio.StdVec_RigidConstraintData()
    contacts.append(contact)
    contact_data.append(contact.createData())
    pinocchio.initConstraintDynamics(model, data, contacts, contact_data)

    def jacobian_derivative() -> None:
        pinocchio.computeJointJacobiansTimeVariation(model, data, q, v)
        pinocchio.getFrameJacobianTimeVariation(model, data, last, aligned)

    def frame_velocity() -> None:
        pinocchio.forwardKinematics(model, data, q, v)
        pinocchio.getFrameVelocity(model, data, last, aligned)

    def frame_acceleration() -> None:
        pinocchio.forwardKinematics(model, data, q, v, v)
        pinocchio.getFrameAcceleration(model, data, last, aligned)

    def frame_velocity_derivatives() -> None:
        pinocchio.computeForwardKinematicsDerivatives(model, data, q, v, v)
        pinocchio.getFrameVelocityDerivatives(model, data, last, aligned)

    def frame_acceleration_derivatives() -> None:
        pinocchio.computeForwardKinematicsDerivatives(model, data, q, v, v)
        pinocchio.getFrameAccelerationDerivatives(model, data, last, aligned)

    return {
        "mass_matrix": lambda: pinocchio.crba(model, data, q),
        "coriolis_matrix": lambda: pinocchio.computeCoriolisMatrix(model, data, q, v),
        "rnea": lambda: pinocchio.rnea(model, data, q, v, v),
        "rnea_derivatives": lambda: pinocchio.computeRNEADerivatives(model, data, q, v, v),
        "forward_dynamics": lambda: pinocchio.aba(model, data, q, v, v),
        "forward_dynamics_derivatives": lambda: pinocchio.computeABADerivatives(model, data, q, v, v),
        "constrained_dynamics": lambda: pinocchio.constraintDynamics(
            model, data, q, v, v, contacts, contact_data
        ),
        "regressor": lambda: pinocchio.computeJointTorqueRegressor(model, data, q, v, v),
        "jacobian": lambda: pinocchio.computeFrameJacobian(model, data, q, last, aligned),
        "jacobian_derivative": jacobian_derivative,
        "frame_velocity": frame_velocity,
        "frame_acceleration": frame_acceleration,
        "frame_velocity_derivatives": frame_velocity_derivatives,
        "frame_acceleration_derivatives": frame_acceleration_derivatives,
        "centroidal_momentum_matrix": lambda: pinocchio.computeCentroidalMap(model, data, q),
        "centroidal_momentum_rate_derivatives": lambda: pinocchio.computeCentroidalDynamicsDerivatives(
            model, data, q, v, v
        ),
    }


def check_pinocchio(model: Any, q: Any, frame: str, H: Any, J: Any) -> None:
    """Compares singular values of H and J, which neither another order of the joints changes nor the base's
    axes, by which Pinocchio's velocities of a free base differ."""
    import pinocchio

    data, aligned = model.createData(), pinocchio.LOCAL_WORLD_ALIGNED
    pinocchio.crba(model, data, q)
    M = numpy.triu(data.M) + numpy.triu(data.M, 1).T
    theirs_J = pinocchio.computeFrameJacobian(model, data, q, model.getFrameId(frame), aligned)
    for name, theirs, ours in (("mass matrix", M, H), ("Jacobian", theirs_J, J)):
        own, others = (numpy.linalg.svd(each, compute_uv=False) for each in (ours, theirs))
        assert numpy.allclose(others, own), f"Pinocchio has another {name}"


def mujoco_calls(parents: list[int], q: Any, v: Any, H: Any) -> Calls:
    try:
        import mujoco
    except ImportError:
        return {}
    spec = mujoco.MjSpec()
    bodies: list[Any] = []
    for i, parent in enumerate(parents):
        body = (spec.worldbody if parent < 0 else bodies[parent]).add_body(name=f"link{i}", pos=OFFSET)
        body.mass, body.ipos, body.inertia = MASS, COM, numpy.diag(INERTIA)
        body.explicitinertial = True
        body.add_joint(name=f"joint{i}", axis=AXES[i % 3])
        bodies.append(body)
    model = spec.compile()
    data = mujoco.MjData(model)
    own = [model.joint(f"joint{i}").dofadr[0] for i in range(len(parents))]
    data.qpos[own], data.qvel[own] = q, v
    data.qacc[own] = v
    full, tau = numpy.empty((model.nv, model.nv)), numpy.empty(model.nv)
    linear, angular = numpy.empty((2, 3, model.nv))

    def mass_matrix() -> None:
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        mujoco.mj_makeM(model, data)
        mujoco.mj_fullM(model, data, full)

    def rnea() -> None:
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        mujoco.mj_comVel(model, data)
        mujoco.mj_rne(model, data, 1, tau)

    def jacobian() -> None:
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        mujoco.mj_jacBody(model, data, linear, angular, len(parents))

    mass_matrix()
    assert numpy.allclose(full[numpy.ix_(own, own)], H), "MuJoCo has another mass matrix"
    return {"mass_matrix": mass_matrix, "rnea": rnea, "jacobian": jacobian}


def _arguments(row: str, q: Any, v: Any, frame: str) -> tuple[Any, ...]:
    some: dict[str, tuple[Any, ...]] = {
        "mass_matrix": (q,),
        "centroidal_momentum_matrix": (q,),
        "coriolis_matrix": (q, v),
        "regressor": (q, v, v, v),
        "jacobian": (q, frame),
        "jacobian_derivative": (q, v, frame),
        "frame_velocity": (q, v, frame),
        "frame_velocity_derivatives": (q, v, frame),
        "frame_acceleration": (q, v, v, frame),
        "frame_acceleration_derivatives": (q, v, v, frame),
    }
    return some.get(row, (q, v, v))


def _has_pinocchio() -> bool:
    try:
        import pinocchio  # noqa: F401
    except ImportError:
        return False
    return True


def _longest(d: _civita.Dynamics, q: Any, names: list[str]) -> str:
    """Of these frames the one that the most coordinates move."""
    return max(names, key=lambda name: numpy.count_nonzero(d.jacobian(q, name).any(axis=0)))


def bench(name: str) -> None:
    is_free, file = name.startswith("free:"), name.removeprefix("free:")
    is_file = pathlib.Path(file).is_file()
    parents = [] if is_file else parents_of(name)
    model = (
        _civita.Model.from_file(file, base="free" if is_free else "fixed") if is_file else own_model(parents)
    )
    d = _civita.Dynamics(model, threads=1)
    rng = numpy.random.default_rng(1)
    V = rng.normal(size=(BATCH, model.nv))
    Q = numpy.array([model.integrate_position(model.default_position, dq) for dq in rng.normal(size=V.shape)])
    q, v = Q[0], V[0]
    H = d.mass_matrix(q)
    last = _longest(d, q, model.body_frames)
    pinocchio: Calls = {}
    mujoco = {} if is_file else mujoco_calls(parents, q, v, H)
    if _has_pinocchio():
        theirs = pinocchio_urdf(model, file, is_free, q, v) if is_file else pinocchio_tree(parents, q, v)
        pin, pin_q, pin_v = theirs
        check_pinocchio(pin, pin_q, last, H, d.jacobian(q, last))
        pinocchio = pinocchio_calls(pin, pin_q, pin_v, last)
    held = _civita.ConstrainedDynamics(model, [{"B": last}], q)
    for row in ROWS:
        is_held = row == "constrained_dynamics"
        method: Callable[..., Any] = held.forward_dynamics if is_held else getattr(d, row)
        count = LARGE.get(row, BATCH)
        one, many = _arguments(row, q, v, last), _arguments(row, Q[:count], V[:count], last)
        out = None if is_held else method(*many)
        # In turn, as the machine's speed changes meanwhile.
        batches = [
            (
                time_of(lambda: method(*many, out=out)) / len(many[0]) if out is not None else 0,  # noqa: B023
                _civita.time_in_cpp(d, row, Q, V)[1] * 1e6 if row in IN_CPP else 0,
            )
            for _ in range(ROUNDS)
        ]
        in_python, in_cpp = map(min, zip(*batches, strict=True))
        times: list[float | None] = [
            time_of(lambda: method(*one)),  # noqa: B023
            _civita.time_in_cpp(d, row, Q[:256], V[:256])[0] * 1e6 if row in IN_CPP else None,
            *(time_of(calls[row]) if row in calls else None for calls in (pinocchio, mujoco)),
            in_python or None,
            in_cpp or None,
        ]
        cells = " | ".join("–" if time is None else f"{time:.2f}" for time in times)
        print(f"| {pathlib.Path(file).stem} | `{row}` | {cells} |", flush=True)


def main() -> None:
    names = sys.argv[1:] or ["chain7", "chain20", "tree20"]
    if "-h" in names or "--help" in names:
        print(__doc__)
        return
    print("| model | call | Python | C++ | Pinocchio | MuJoCo | batch | batch in C++ |")
    print("|---|---|---|---|---|---|---|---|")
    for name in names:
        bench(name)


if __name__ == "__main__":
    main()
