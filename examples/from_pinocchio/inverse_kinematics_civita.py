"""The tool's place by Newton steps."""

import numpy as np

import civita

model = civita.Model.from_file("robot.urdf")
d = civita.Dynamics(model)

target, q = np.array([0.4, 0.2, 0.5]), np.full(5, 0.3)
for _ in range(100):
    error = target - d.frame_pose(q, "tool")[1]
    J = d.jacobian(q, "tool")[3:]
    step = J.T @ np.linalg.solve(J @ J.T + 1e-8 * np.eye(3), error)
    q = model.integrate_position(q, 0.5 * step)
    q = np.clip(q, model.position_lower, model.position_upper)
result = q, target - error
