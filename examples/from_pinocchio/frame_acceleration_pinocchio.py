"""What an accelerometer on the tool measures."""

import numpy as np
import pinocchio

model = pinocchio.buildModelFromUrdf("robot.urdf")
data = model.createData()

q, v = np.array([0.3, 0.8, -1.1, 0.4, 0.6]), np.array([0.5, -1.0, 0.7, 1.2, -0.4])
a = np.array([1.0, 2.0, -1.0, 0.5, 3.0])
tool = model.getFrameId("tool")
pinocchio.forwardKinematics(model, data, q, v, a)
pinocchio.updateFramePlacement(model, data, tool)
acceleration = pinocchio.getFrameClassicalAcceleration(model, data, tool, pinocchio.LOCAL).linear
measured = acceleration - data.oMf[tool].rotation.T @ model.gravity.linear
rates = pinocchio.getFrameVelocity(model, data, tool, pinocchio.LOCAL).angular
result = measured, rates
