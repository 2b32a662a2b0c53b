"""The tool as the upper arm sees it."""

import numpy as np
import pinocchio

model = pinocchio.buildModelFromUrdf("robot.urdf")
data = model.createData()

q, v = np.array([0.3, 0.8, -1.1, 0.4, 0.6]), np.array([0.5, -1.0, 0.7, 1.2, -0.4])
arm, tool = model.getFrameId("upper_arm"), model.getFrameId("tool")
pinocchio.computeJointJacobians(model, data, q)
pinocchio.updateFramePlacements(model, data)
J_arm, J_tool = (pinocchio.getFrameJacobian(model, data, frame, pinocchio.LOCAL) for frame in (arm, tool))
X = data.oMf[tool].inverse() * data.oMf[arm]
J = (J_tool - X.action @ J_arm)[[3, 4, 5, 0, 1, 2]]
result = J, J @ v
