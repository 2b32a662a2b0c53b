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


class WrongSignal(civita.Controller):
    power = civita.Signal("W", "power")

    def control(self, measured, reference, dynamics):
        self.power = numpy.zeros(3)
        return dynamics.g


class TwoTorques(civita.Controller):
    def control(self, measured, reference, dynamics):
        return numpy.stack([dynamics.g, dynamics.g])


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


class InLoops(PassivityBased):
    """τ = H v̇_r + C v_r + g − K_D s, in independent velocities"""

    knows_loops = True

    def control(self, measured, reference, dynamics):
        v_r, self.sdot_ref = dynamics.close_motion(
            reference.v - self.Lambda * measured.e, reference.vdot - self.Lambda * measured.edot
        )
        self.s = measured.v - v_r
        damping = dynamics.damping_force(self.K_D, self.s)
        self.power = self.s @ damping
        self.P = self.power + dynamics.passive_dissipation(v_r, self.s)
        tau = dynamics.H @ self.sdot_ref + dynamics.C @ v_r + dynamics.g - damping
        return tau + dynamics.passive_forces(v_r)


class PdGravity(civita.Controller):
    """τ = g − K_P e − K_D (v − v_d), gains in joint units"""

    knows_loops = True
    uses_factorization = False
    K_P = civita.Parameter(100.0, "N·m/rad", "stiffness", max=1000)
    K_D = civita.Parameter(20.0, "N·m·s/rad", "damping", max=200)

    def control(self, measured, reference, dynamics):
        self.s, self.sdot_ref = measured.v - reference.v, reference.vdot.copy()
        p = self.K_P * measured.e * dynamics.independent
        tau = dynamics.g - dynamics.error_force(p) - self.K_D * self.s * dynamics.independent
        return tau + dynamics.passive_forces(reference.v)


class Chosen(civita.Controller):
    """τ = g − k (v − v_d)"""

    layer = civita.Option(0.05, "rad/s", "width of the layer", range="positive")
    form = civita.Option("soft", meaning="of the switch", choices=["soft", "hard"])
    late = civita.Option(False, meaning="starts at 0.1 s")
    weights = civita.Option([1, 2.5], "N·m", "of the first joints", range="not negative")
    bodies = civita.Option(["hand"], meaning="that it looks at")
    k = civita.Parameter(3.0, "N·m·s/rad", "damping", shape="scalar")
    seen = civita.Signal(shape=3)

    def __init__(self, model):
        if self.layer > 10:
            raise ValueError("controller.layer: it never switches above 10 rad/s")
        assert isinstance(self.layer, float) and isinstance(self.late, bool)
        assert isinstance(self.bodies, list) and all(body in model.frames for body in self.bodies)

    def control(self, measured, reference, dynamics):
        self.seen = [self.layer, self.form == "hard", sum(self.weights)]
        return dynamics.g - self.k * (measured.v - reference.v) * (measured.t > 0.1 or not self.late)
