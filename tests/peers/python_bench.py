"""tests/peers/python_bench.py [MODEL …]: `python -m civita.bench` beside Pinocchio and MuJoCo from Python. All
libraries get the same models, MuJoCo none of a file, and have to give the same numbers first.
"""

from __future__ import annotations

from typing import Any

import mujoco
import numpy
import pinocchio

from civita.bench import AXES, COM, INERTIA, MASS, OFFSET, Calls, Case, main
from civita.pinocchio import Conversion


def pinocchio_tree(case: Case) -> tuple[Any, Any, Any]:
    """Pinocchio's model, and the state in its order."""
    model = pinocchio.Model()
    kinds = [pinocchio.JointModelRX, pinocchio.JointModelRY, pinocchio.JointModelRZ]
    at = pinocchio.SE3(numpy.eye(3), numpy.array(OFFSET))
    # Joints are numbered as they are added, 0 the world.
    for i, parent in enumerate(case.parents):
        joint = model.addJoint(parent + 1, kinds[i % 3](), at, f"joint{i}")
        inertia = pinocchio.Inertia(MASS, numpy.array(COM), INERTIA)
        model.appendBodyToJoint(joint, inertia, pinocchio.SE3.Identity())
        here = pinocchio.SE3.Identity()
        model.addFrame(pinocchio.Frame(f"link{i}", joint, 0, here, pinocchio.FrameType.OP_FRAME))
    own = [model.joints[model.getJointId(f"joint{i}")].idx_v for i in range(len(case.parents))]
    order = numpy.argsort(own)
    return model, case.q[order], case.v[order]


def pinocchio_urdf(case: Case) -> tuple[Any, Any, Any]:
    root = [pinocchio.JointModelFreeFlyer()] if case.is_free else []
    pin = pinocchio.buildModelFromUrdf(case.file, *root)
    convert = Conversion(case.model, pin)
    return pin, convert.q_to_pinocchio(case.q), convert.v_to_pinocchio(case.q, case.v)


def check_pinocchio(case: Case, model: Any, q: Any) -> None:
    """Compares singular values of H and J, which neither another order of the joints changes nor the base's
    axes, by which Pinocchio's velocities of a free base differ."""
    data, aligned = model.createData(), pinocchio.LOCAL_WORLD_ALIGNED
    pinocchio.crba(model, data, q)
    M = numpy.triu(data.M) + numpy.triu(data.M, 1).T
    theirs_J = pinocchio.computeFrameJacobian(model, data, q, model.getFrameId(case.frame), aligned)
    H, J = case.d.mass_matrix(case.q), case.d.jacobian(case.q, case.frame)
    for name, theirs, ours in (("mass matrix", M, H), ("Jacobian", theirs_J, J)):
        own, others = (numpy.linalg.svd(each, compute_uv=False) for each in (ours, theirs))
        assert numpy.allclose(others, own), f"Pinocchio has another {name}"


def pinocchio_calls(case: Case) -> Calls:
    theirs = pinocchio_urdf(case) if case.is_file else pinocchio_tree(case)
    model, q, v = theirs
    check_pinocchio(case, model, q)
    data, last = model.createData(), model.getFrameId(case.frame)
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

    def frame_pose() -> None:
        pinocchio.forwardKinematics(model, data, q)
        pinocchio.updateFramePlacement(model, data, last)

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
        "frame_pose": frame_pose,
        "center_of_mass": lambda: pinocchio.centerOfMass(model, data, q),
        "kinetic_energy": lambda: pinocchio.computeKineticEnergy(model, data, q, v),
        "potential_energy": lambda: pinocchio.computePotentialEnergy(model, data, q),
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


def mujoco_calls(case: Case) -> Calls:
    if case.is_file:
        return {}
    parents, q, v = case.parents, case.q, case.v
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
    assert numpy.allclose(full[numpy.ix_(own, own)], case.d.mass_matrix(q)), "MuJoCo has another mass matrix"
    return {"mass_matrix": mass_matrix, "rnea": rnea, "jacobian": jacobian}


if __name__ == "__main__":
    main({"Pinocchio": pinocchio_calls, "MuJoCo": mujoco_calls})
