"""Momentum about the centre of mass."""

import numpy as np
import pinocchio

model = pinocchio.buildModelFromUrdf("robot.urdf")
data = model.createData()

q, v = np.array([0.3, 0.8, -1.1, 0.4, 0.6]), np.array([0.5, -1.0, 0.7, 1.2, -0.4])
pinocchio.ccrba(model, data, q, v)
swap = [3, 4, 5, 0, 1, 2]
result = data.Ag[swap], data.hg.vector[swap], pinocchio.centerOfMass(model, data, q)
