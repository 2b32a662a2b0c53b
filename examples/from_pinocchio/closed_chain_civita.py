"""A four-bar is closed from a guess, and moves under a torque of its crank."""

import civita

model = civita.Model.from_file("four_bar.xml")
d = civita.Dynamics(model, independent=["crank"], loops=True)

q, w, tau = d.close([1.0, -0.6, 1.4]), [2.0], [5.0, 0.0, 0.0]
wdot = d.forward_dynamics(q, w, d.reduced_forces(q, tau))
result = q, d.tree_velocity(q, w), d.tree_acceleration(q, w, wdot)
