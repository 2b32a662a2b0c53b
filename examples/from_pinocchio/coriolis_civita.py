"""H, C, g and the rate of H."""

import numpy as np

import civita

model = civita.Model.from_file("robot.urdf")
d = civita.Dynamics(model)

q, v = np.array([0.3, 0.8, -1.1, 0.4, 0.6]), np.array([0.5, -1.0, 0.7, 1.2, -0.4])
H, C = d.coriolis_matrix(q, v)
result = H, C, d.gravity(q), d.mass_matrix_derivative(q, v)
