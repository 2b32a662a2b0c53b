"""H, C, g and the rate of H."""

import numpy as np
import pinocchio

model = pinocchio.buildModelFromUrdf("robot.urdf")
data = model.createData()

q, v = np.array([0.3, 0.8, -1.1, 0.4, 0.6]), np.array([0.5, -1.0, 0.7, 1.2, -0.4])
M = np.triu(pinocchio.crba(model, data, q))
M += np.triu(M, 1).T
C = pinocchio.computeCoriolisMatrix(model, data, q, v)
g = pinocchio.computeGeneralizedGravity(model, data, q)
result = M, C, g, C + C.T
