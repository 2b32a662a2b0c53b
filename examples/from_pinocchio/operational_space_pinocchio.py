"""Operational-space inertia, and torques of a force."""

import numpy as np
import pinocchio

model = pinocchio.buildModelFromUrdf("robot.urdf")
data = model.createData()

q, v = np.array([0.3, 0.8, -1.1, 0.4, 0.6]), np.array([0.5, -1.0, 0.7, 1.2, -0.4])
tool = model.getFrameId("tool")
J = pinocchio.computeFrameJacobian(model, data, q, tool, pinocchio.LOCAL_WORLD_ALIGNED)[:3]
M = np.triu(pinocchio.crba(model, data, q))
M += np.triu(M, 1).T
inertia = np.linalg.inv(J @ np.linalg.solve(M, J.T))
tau = J.T @ inertia @ [1.0, 0.0, -2.0] + pinocchio.computeGeneralizedGravity(model, data, q)
result = inertia, tau
