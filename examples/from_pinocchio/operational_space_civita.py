"""Operational-space inertia, and torques of a force."""

import numpy as np

import civita

model = civita.Model.from_file("robot.urdf")
d = civita.Dynamics(model)

q, v = np.array([0.3, 0.8, -1.1, 0.4, 0.6]), np.array([0.5, -1.0, 0.7, 1.2, -0.4])
tool = civita.ConstrainedDynamics(model, [{"B": "tool"}], q)
inertia = tool.operational_space_inertia(q)
tau = tool.jacobian(q).T @ inertia @ [1.0, 0.0, -2.0] + d.gravity(q)
result = inertia, tau
