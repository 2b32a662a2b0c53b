"""A frame of one's own, between two configurations."""

import numpy as np

import civita

model = civita.Model.from_file("robot.urdf")
d = civita.Dynamics(model)

model = model.with_frame("camera", "hand", [0.0, 0.1, 0.2])
d = civita.Dynamics(model)
q = model.interpolate_position(model.neutral_position, np.full(5, 0.8), 0.25)
result = d.frame_pose(q, "camera")
