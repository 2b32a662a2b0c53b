"""Torques that hold a push on the tool."""

import numpy as np

import civita

model = civita.Model.from_file("robot.urdf")
d = civita.Dynamics(model)

q, v = np.array([0.3, 0.8, -1.1, 0.4, 0.6]), np.array([0.5, -1.0, 0.7, 1.2, -0.4])
a, push = np.array([1.0, 2.0, -1.0, 0.5, 3.0]), np.array([10.0, -5.0, 2.0])
forces = {"tool": np.concatenate([np.zeros(3), push])}
tau = d.rnea(q, v, a, forces)
result = tau, d.forward_dynamics(q, v, tau, forces)
