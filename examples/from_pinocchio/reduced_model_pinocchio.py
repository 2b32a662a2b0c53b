"""The arm with two joints locked and a load in its hand."""

import numpy as np
import pinocchio

model = pinocchio.buildModelFromUrdf("robot.urdf")

q = np.array([0.3, 0.8, -1.1, 0.4, 0.6])
locked = [model.getJointId(name) for name in ("joint2", "joint4")]
model = pinocchio.buildReducedModel(model, locked, q)
hand = model.frames[model.getFrameId("hand")]
load = pinocchio.Inertia(2.0, np.array([0.0, 0.0, 0.1]), 0.01 * np.eye(3))
model.appendBodyToJoint(hand.parentJoint, load, hand.placement)
data = model.createData()
H = pinocchio.crba(model, data, q[[0, 2, 4]])
result = np.triu(H) + np.triu(H, 1).T, pinocchio.computeGeneralizedGravity(model, data, q[[0, 2, 4]])
