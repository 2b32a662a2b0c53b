"""Torques by the inertial parameters."""

import numpy as np

import civita

model = civita.Model.from_file("robot.urdf")
d = civita.Dynamics(model)

q, v = np.array([0.3, 0.8, -1.1, 0.4, 0.6]), np.array([0.5, -1.0, 0.7, 1.2, -0.4])
a = np.array([1.0, 2.0, -1.0, 0.5, 3.0])
Y, y_0 = d.regressor(q, v, v, a)
result = (Y @ model.parameters + y_0,)
