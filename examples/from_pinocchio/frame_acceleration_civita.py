"""What an accelerometer on the tool measures."""

import numpy as np

import civita

model = civita.Model.from_file("robot.urdf")
d = civita.Dynamics(model)

q, v = np.array([0.3, 0.8, -1.1, 0.4, 0.6]), np.array([0.5, -1.0, 0.7, 1.2, -0.4])
a = np.array([1.0, 2.0, -1.0, 0.5, 3.0])
acceleration = d.frame_classical_acceleration(q, v, a, "tool", reference="local")[3:]
measured = acceleration - d.frame_pose(q, "tool")[0].T @ model.gravity
rates = d.frame_velocity(q, v, "tool", reference="local")[:3]
result = measured, rates
