"""Laws for the tests."""

import numpy

import civita


class PassivityBased(civita.Controller):
    """τ = H v̇_r + C v_r + g − K_D s"""

    Lambda = civita.Parameter(5.0, "1/s", "rate at which the error decays", min=0.1, max=50)
    K_D = civita.Parameter(10.0, "1/s", "damping of s", min=0.1, max=200)
    power = civita.Signal("W", "power of the damping")

    def control(self, measured, reference, dynamics):
        v_r = reference.v - self.Lambda * measured.e
        vdot_r = reference.vdot - self.Lambda * measured.edot
        self.s = measured.v - v_r
        self.sdot_ref = vdot_r
        damping = dynamics.damping_force(self.K_D, self.s)
        self.power = self.s @ damping
        self.P = self.power + dynamics.passive_dissipation(v_r, self.s)
        tau = dynamics.H @ vdot_r + dynamics.C @ v_r + dynamics.g - damping
        return tau + dynamics.passive_forces(v_r)

    def dissipation(self):
        return self.P


class Integral(civita.Controller):
    """τ = g − 50 e − 10 (v − v_d) − 20 ∫e"""

    z = civita.State("integral of the error")

    def control(self, measured, reference, dynamics):
        self.e = measured.e.copy()
        return dynamics.g - 50 * measured.e - 10 * (measured.v - reference.v) - 20 * self.z

    def rate(self, tau):
        return self.e


class Failing(civita.Controller):
    """Fails at 0.05 s."""

    def control(self, measured, reference, dynamics):
        if measured.t > 0.05:
            return 1 / 0
        return dynamics.g


class WrongShape(civita.Controller):
    def control(self, measured, reference, dynamics):
        return numpy.zeros(1)


class NotFinite(civita.Controller):
    def control(self, measured, reference, dynamics):
        return dynamics.g * numpy.nan


class Unmade(civita.Controller):
    def __init__(self, model):
        raise RuntimeError(f"not for {model.nv} coordinates")


class Everything(civita.Controller):
    """τ = g − k (v − v_d)"""

    uses_factorization = False
    k = civita.Parameter(3.0, "N·m·s/rad", "damping", shape="scalar")
    each = civita.Signal("rad", "the error", shape="coordinates")
    three = civita.Signal(shape=3)
    z = civita.State("starts at one", shape=2)

    def __init__(self, model):
        self.feet = model.nv

    def reset(self, measured, reference):
        self.z = numpy.ones(2)

    def rate(self, tau):
        return -self.z

    def control(self, measured, reference, dynamics):
        self.each, self.three = measured.e, [1, 2, float(self.k)]
        v_r, vdot_r = measured.v, reference.vdot
        C_free = dynamics.H @ vdot_r + dynamics.C @ v_r + dynamics.g
        assert numpy.allclose(dynamics.passivity_rnea(v_r, vdot_r), C_free)
        assert dynamics.jacobian("hand").shape == (6, self.feet)
        assert reference.task is None or len(reference.task) == 4
        return dynamics.g - self.k * (measured.v - reference.v)

    def storage(self, H, Hdot, vdot):
        return 1.0, float(self.z[0]), H[0, 0]
