"""How fast the slowest error decays with gains that are not a multiple of H, by runs."""

from __future__ import annotations

import math
import pathlib
from typing import Any

import distributed
import numpy as np
import pandas
import yaml

import civita
from civita import Controller, Parameter

K = 10.0  # 1/s, of K_D = K diag H at the reference's start
SAMPLES = 20  # of the reference, for the rates of H⁻¹K_D


class TwoForm(Controller):
    """τ = H v̇_r + C v_r + g − (K_D + L Ω Lᵀ) s: in the energy norm H = L Lᵀ the skew Ω exchanges the slowest
    and the fastest direction of the damping, but for what turns v_r: Ω Lᵀ v_r = 0, as of a three-form
    v_r ∧ (two-form)/‖v_r‖², which depends on v_r."""

    Lambda = Parameter(5.0, "1/s", "rate at which the error decays")
    K_D = Parameter(10.0, "N·m·s/rad", "damping of s, diagonal")

    SLOW = 0.05  # rad/s √(kg·m²): Lᵀ v_r below which Ω vanishes

    def control(self, measured: Any, reference: Any, dynamics: Any) -> np.ndarray:
        v_r = reference.v - self.Lambda * measured.e
        vdot_r = reference.vdot - self.Lambda * measured.edot
        self.s, self.sdot_ref = measured.v - v_r, vdot_r
        L = np.linalg.cholesky(dynamics.H)
        D = np.linalg.solve(L, np.linalg.solve(L, np.diag(self.K_D)).T)
        rates, u = np.linalg.eigh(D)
        slow, fast = u[:, 0], u[:, -1]
        Omega = 0.5 * (rates[-1] - rates[0]) * (np.outer(fast, slow) - np.outer(slow, fast))
        v = L.T @ v_r
        keep = np.eye(len(v)) - np.outer(v, v) / (v @ v + self.SLOW**2)
        turning = L @ keep @ Omega @ keep @ L.T @ self.s * (v @ v) / (v @ v + self.SLOW**2)
        tau = dynamics.H @ vdot_r + dynamics.C @ v_r + dynamics.g - self.K_D * self.s - turning
        return tau + dynamics.passive_forces(v_r)


def ends(
    scene: str, settings: dict[str, Any], duration: float, way: str
) -> tuple[np.ndarray, np.ndarray, civita.Run]:
    """s at the start and at the end of a run."""
    chosen = {"controller": TwoForm} if way == "two-form" else {}
    run = civita.run(scene, duration, set=settings, signals=["/s", "/q"], progress=False, **chosen)
    return run["/s"][0], run["/s"][-1], run


def rate(scene: str, settings: dict[str, Any], duration: float, way: str, n: int) -> float:
    """−ln‖Φ‖/T in the energy norm, s(T) = Φ s(0) + b from n + 2 errors.

    b is what the integration leaves without an error, and more than what is left of one that decays fast.
    """
    tiny = {**settings, "initial.v_error_size": 1e-9}
    without = ends(scene, tiny, duration, way)
    starts, lasts = [], []
    for seed in range(1, n + 3):
        start, last, run = ends(scene, {**settings, "initial.v_error_seed": seed}, duration, way)
        if run.status != "done":
            return math.nan
        starts.append(start - without[0])
        lasts.append(last - without[1])
    model = civita.Model.from_file(yaml.safe_load(run.config)["model"])
    H_0, H_T = (np.linalg.cholesky(civita.evaluate(model, "H", run["/q"][i])["H"]) for i in (0, -1))
    Phi = np.linalg.lstsq(np.array(starts), np.array(lasts), rcond=None)[0].T
    return float(-np.log(np.linalg.norm(H_T.T @ Phi @ np.linalg.inv(H_0.T), 2)) / duration)


def damping_rates(H: np.ndarray, K_D: np.ndarray) -> np.ndarray:
    L = np.linalg.cholesky(H)
    return np.linalg.eigvalsh(np.linalg.solve(L, np.linalg.solve(L, np.diag(K_D)).T))


def measure(scene: str, settings: dict[str, Any], duration: float, way: str) -> dict[str, float]:
    """`predicted` is by the linear equations; they do not know the law with the two-form."""
    run = civita.run(scene, duration, set=settings, signals=["/q_d"], progress=False)
    model = civita.Model.from_file(yaml.safe_load(run.config)["model"])
    along = run["/q_d"][:: len(run.t) // SAMPLES]
    H = civita.evaluate(model, "H", along)["H"]
    K_D = K * np.diag(H[0])
    settings = {**settings, "gains.K_D": K_D.tolist(), "duration_s": duration}
    if way == "two-form":
        del settings["controller.gain_form"]
    elif way == "G":
        advice = civita.advise(scene, factorization="christoffel", set=settings)
        (skew,) = (setting.G for setting in advice.settings if setting.G is not None)
        settings["gains.G"] = np.asarray(skew).tolist()
    else:
        settings["controller.factorization"] = way
    predicted = math.nan
    if way != "two-form":
        form = settings.get("controller.factorization", "christoffel")
        advice = civita.advise(scene, factorization=form, set=settings, remedies=False)
        if advice.decay_s > 0.999 * duration:
            predicted = advice.starts[0].slowest_rate
    rates = np.array([damping_rates(each, K_D) for each in H])
    return {
        "rate": rate(scene, settings, duration, way, model.nv),
        "predicted": predicted,
        "least": float(rates[:, 0].mean()),
        "mean": float(rates.mean()),
    }


def store(study: dict[str, Any], folder: pathlib.Path, client: distributed.Client) -> pandas.DataFrame:
    """Measures each way that is not in the folder's table yet."""
    file = folder / "table.parquet"
    table = pandas.read_parquet(file) if file.exists() else pandas.DataFrame(columns=["way"])
    for way in study["vary"]["way"]:
        if (table["way"] == way).any():
            continue
        task = client.submit(measure, study["scene"], study["set"], study["duration_s"], way, pure=False)
        row = pandas.DataFrame([{"way": way, **task.result(), "status": "done", "config": ""}])
        table = row if table.empty else pandas.concat([table, row], ignore_index=True)
        folder.mkdir(parents=True, exist_ok=True)
        table.to_parquet(file)
    return table
