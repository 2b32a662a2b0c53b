"""Sliding-mode control in Python, for trees and closed chains. Run, it is compared with slotine_li."""

import numpy as np

import civita


class Passivity(civita.Controller):
    """τ = H v̇_r + C v_r + g − K_D s − K_s tanh(s/φ) + passive forces"""

    knows_loops = True
    Lambda = civita.Parameter(5.0, "1/s", "rate at which the error decays", min=0.1, max=50)
    K_D = civita.Parameter(10.0, "1/s", "damping of s", min=0.1, max=200)
    K_s = civita.Parameter(0.0, "N·m", "joint force that s withstands", max=100)
    layer = civita.Option(0.05, "rad/s", "width φ of the layer about s = 0", range="positive")

    def control(self, measured, reference, dynamics):
        v_r, self.sdot_ref = dynamics.close_motion(
            reference.v - self.Lambda * measured.e, reference.vdot - self.Lambda * measured.edot
        )
        self.s = measured.v - v_r
        tau = dynamics.H @ self.sdot_ref + dynamics.C @ v_r + dynamics.g + dynamics.passive_forces(v_r)
        switching = dynamics.independent * self.K_s * np.tanh(self.s / self.layer)
        return tau - dynamics.damping_force(self.K_D, self.s) - switching


if __name__ == "__main__":
    gains = {"gains": {"Lambda": 8, "K_D": 20}}
    ours, theirs = (civita.run("four_bar", 1, controller=law, set=gains) for law in (Passivity, "slotine_li"))
    assert np.allclose(ours["/tau"], theirs["/tau"], atol=1e-9)
    run = civita.run("arm7", 1, controller=Passivity, set={"controller.layer": 0.1, "gains.K_s": 4})
    assert run.status == "done"
