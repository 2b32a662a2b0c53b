"""Forward dynamics with the tool held at its place."""

import numpy as np

import civita

model = civita.Model.from_file("robot.urdf")
d = civita.Dynamics(model)

q, v = np.array([0.3, 0.8, -1.1, 0.4, 0.6]), np.array([0.5, -1.0, 0.7, 1.2, -0.4])
tau = np.array([5.0, 20.0, 3.0, 0.5, 0.1])
contact = civita.ConstrainedDynamics(model, [{"B": "tool"}], q)
a, force = contact.forward_dynamics(q, v, tau)
result = a, force
