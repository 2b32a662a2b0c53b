"""The velocity after the tool hits a wall."""

import numpy as np

import civita

model = civita.Model.from_file("robot.urdf")
d = civita.Dynamics(model)

q, v = np.array([0.3, 0.8, -1.1, 0.4, 0.6]), np.array([0.5, -1.0, 0.7, 1.2, -0.4])
wall = civita.ConstrainedDynamics(model, [{"B": "tool"}], q)
result = wall.impulse(q, v, restitution=0.4)
