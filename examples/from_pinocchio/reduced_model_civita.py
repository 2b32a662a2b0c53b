"""The arm with two joints locked and a load in its hand."""

import numpy as np

import civita

model = civita.Model.from_file("robot.urdf")

q = np.array([0.3, 0.8, -1.1, 0.4, 0.6])
model = model.with_locked_joints(["joint2", "joint4"], q)
model = model.with_payload("hand", 2.0, [0.0, 0.0, 0.1], 0.01 * np.eye(3))
d = civita.Dynamics(model)
result = d.mass_matrix(q[[0, 2, 4]]), d.gravity(q[[0, 2, 4]])
