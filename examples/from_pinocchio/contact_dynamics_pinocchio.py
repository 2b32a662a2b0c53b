"""Forward dynamics with the tool held at its place."""

import numpy as np
import pinocchio

model = pinocchio.buildModelFromUrdf("robot.urdf")
data = model.createData()

q, v = np.array([0.3, 0.8, -1.1, 0.4, 0.6]), np.array([0.5, -1.0, 0.7, 1.2, -0.4])
tau, tool = np.array([5.0, 20.0, 3.0, 0.5, 0.1]), model.getFrameId("tool")
frame = model.frames[tool]
pinocchio.framesForwardKinematics(model, data, q)
contact = pinocchio.RigidConstraintModel(
    pinocchio.ContactType.CONTACT_3D,
    model,
    frame.parentJoint,
    frame.placement,
    0,
    data.oMf[tool],
    pinocchio.LOCAL,
)
contacts, contact_data = pinocchio.StdVec_RigidConstraintModel(), pinocchio.StdVec_RigidConstraintData()
contacts.append(contact)
contact_data.append(contact.createData())
pinocchio.initConstraintDynamics(model, data, contacts, contact_data)
a = pinocchio.constraintDynamics(model, data, q, v, tau, contacts, contact_data).copy()
force = data.oMf[tool].rotation @ contact_data[0].contact_force.linear
result = a, force
