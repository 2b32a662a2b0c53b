"""The velocity after the tool hits a wall."""

import numpy as np
import pinocchio

model = pinocchio.buildModelFromUrdf("robot.urdf")
data = model.createData()

q, v = np.array([0.3, 0.8, -1.1, 0.4, 0.6]), np.array([0.5, -1.0, 0.7, 1.2, -0.4])
tool = model.getFrameId("tool")
pinocchio.computeJointJacobians(model, data, q)
pinocchio.updateFramePlacements(model, data)
J = pinocchio.getFrameJacobian(model, data, tool, pinocchio.LOCAL_WORLD_ALIGNED)[:3]
after = pinocchio.impulseDynamics(model, data, q, v, J, 0.4, 0.0)
result = after, data.impulse_c
