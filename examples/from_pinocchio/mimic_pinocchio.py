"""An arm with a finger that follows the other one, as q_3 = -1.5 q_2 + 0.1."""

import numpy as np
import pinocchio

model = pinocchio.buildModelFromUrdf("gripper.urdf", mimic=True)
data = model.createData()

q, v = np.array([0.3, 0.4]), np.array([0.5, -1.0])
H = pinocchio.crba(model, data, q)
H = np.triu(H) + np.triu(H, 1).T
bias = pinocchio.nonLinearEffects(model, data, q, v)
result = H, bias
