"""An arm with a finger that follows the other one, as q_3 = -1.5 q_2 + 0.1."""

import numpy as np

import civita

model = civita.Model.from_file("gripper.urdf")

q, v = np.array([0.3, 0.4, 0.0]), np.array([0.5, -1.0])  # the last number of q is made to fit
terms = civita.evaluate(model, ["H", "bias"], q, v, reduced=True)
result = terms["H"], terms["bias"]
