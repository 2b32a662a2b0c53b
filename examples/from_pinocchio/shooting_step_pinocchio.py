"""A step of time and its derivatives, as a shooting method asks for."""

import numpy as np
import pinocchio

model = pinocchio.buildModelFromUrdf("robot.urdf")
data = model.createData()

q, v = np.array([0.3, 0.8, -1.1, 0.4, 0.6]), np.array([0.5, -1.0, 0.7, 1.2, -0.4])
tau, dt = np.array([5.0, 20.0, 3.0, 0.5, 0.1]), 0.01
a_q, a_v, a_tau = pinocchio.computeABADerivatives(model, data, q, v, tau)
a_tau = np.triu(a_tau) + np.triu(a_tau, 1).T
v_next = v + dt * data.ddq
q_next = pinocchio.integrate(model, q, dt * v_next)
v_x = np.hstack([dt * a_q, np.eye(5) + dt * a_v])
q_x = np.hstack([np.eye(5), np.zeros((5, 5))]) + dt * v_x
result = q_next, v_next, np.vstack([q_x, v_x]), np.vstack([dt * dt * a_tau, dt * a_tau])
