"""Torques that hold a push on the tool."""

import numpy as np
import pinocchio

model = pinocchio.buildModelFromUrdf("robot.urdf")
data = model.createData()

q, v = np.array([0.3, 0.8, -1.1, 0.4, 0.6]), np.array([0.5, -1.0, 0.7, 1.2, -0.4])
a, push = np.array([1.0, 2.0, -1.0, 0.5, 3.0]), np.array([10.0, -5.0, 2.0])
tool = model.getFrameId("tool")
joint = model.frames[tool].parentJoint
pinocchio.framesForwardKinematics(model, data, q)
at_tool = pinocchio.SE3(np.eye(3), data.oMf[tool].translation)
in_world = at_tool.act(pinocchio.Force(push, np.zeros(3)))
forces = [pinocchio.Force.Zero() for _ in range(model.njoints)]
forces[joint] = data.oMi[joint].actInv(in_world)
tau = pinocchio.rnea(model, data, q, v, a, forces)
result = tau, pinocchio.aba(model, data, q, v, tau, forces)
