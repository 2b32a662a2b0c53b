"""A frame of one's own, between two configurations."""

import numpy as np
import pinocchio

model = pinocchio.buildModelFromUrdf("robot.urdf")
data = model.createData()

hand = model.frames[model.getFrameId("hand")]
at = hand.placement * pinocchio.SE3(np.eye(3), np.array([0.0, 0.1, 0.2]))
camera = model.addFrame(pinocchio.Frame("camera", hand.parentJoint, at, pinocchio.OP_FRAME))
data = model.createData()
q = pinocchio.interpolate(model, pinocchio.neutral(model), np.full(5, 0.8), 0.25)
pinocchio.framesForwardKinematics(model, data, q)
result = data.oMf[camera].rotation, data.oMf[camera].translation
