"""The tool's place by Newton steps."""

import numpy as np
import pinocchio

model = pinocchio.buildModelFromUrdf("robot.urdf")
data = model.createData()

tool = model.getFrameId("tool")
target, q = np.array([0.4, 0.2, 0.5]), np.full(5, 0.3)
for _ in range(100):
    pinocchio.framesForwardKinematics(model, data, q)
    error = target - data.oMf[tool].translation
    J = pinocchio.computeFrameJacobian(model, data, q, tool, pinocchio.LOCAL_WORLD_ALIGNED)[:3]
    step = J.T @ np.linalg.solve(J @ J.T + 1e-8 * np.eye(3), error)
    q = pinocchio.integrate(model, q, 0.5 * step)
    q = np.clip(q, model.lowerPositionLimit, model.upperPositionLimit)
result = q, target - error
