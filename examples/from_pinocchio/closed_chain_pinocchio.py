"""A four-bar is closed from a guess, and moves under a torque of its crank."""

import numpy as np
import pinocchio

model, loops = pinocchio.buildModelAndLegacyConstraintsFromMJCF("four_bar.xml")
data = model.createData()
ends = [model.getFrameId(name) for name in ("coupler_end", "rocker_end")]


def gap_and_jacobian(q):
    pinocchio.computeJointJacobians(model, data, q)
    pinocchio.updateFramePlacements(model, data)
    coupler, rocker = (
        pinocchio.getFrameJacobian(model, data, end, pinocchio.LOCAL_WORLD_ALIGNED)[:3] for end in ends
    )
    return data.oMf[ends[1]].translation - data.oMf[ends[0]].translation, rocker - coupler


q, v, tau = np.array([1.0, -0.6, 1.4]), np.array([2.0, 0.0, 0.0]), np.array([5.0, 0.0, 0.0])
for _ in range(10):
    gap, J = gap_and_jacobian(q)
    q[1:] -= np.linalg.lstsq(J[:, 1:], gap, rcond=None)[0]
_, J = gap_and_jacobian(q)
v[1:] = -np.linalg.lstsq(J[:, 1:], J[:, 0] * v[0], rcond=None)[0]
loop_data = pinocchio.StdVec_RigidConstraintData()
loop_data.append(loops[0].createData())
pinocchio.initConstraintDynamics(model, data, loops, loop_data)
settings = pinocchio.ProximalSettings(1e-12, 1e-8, 20)  # a planar loop has a row too many
vdot = pinocchio.constraintDynamics(model, data, q, v, tau, loops, loop_data, settings)
result = q, v, vdot
