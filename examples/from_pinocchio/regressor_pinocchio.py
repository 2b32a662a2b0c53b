"""Torques by the inertial parameters."""

import numpy as np
import pinocchio

model = pinocchio.buildModelFromUrdf("robot.urdf")
data = model.createData()

q, v = np.array([0.3, 0.8, -1.1, 0.4, 0.6]), np.array([0.5, -1.0, 0.7, 1.2, -0.4])
a = np.array([1.0, 2.0, -1.0, 0.5, 3.0])
Y = pinocchio.computeJointTorqueRegressor(model, data, q, v, a)
parameters = np.concatenate([inertia.toDynamicParameters() for inertia in model.inertias[1:]])
result = (Y @ parameters,)
