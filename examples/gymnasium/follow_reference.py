"""An environment of gymnasium: docs/gymnasium.md. Run, it is checked and plays an episode."""

import gymnasium
import numpy as np
from gymnasium.utils.env_checker import check_env

import civita


class FollowReference(gymnasium.Env):
    """Torques, added to gravity's, with which the arm is to follow the scene's reference."""

    metadata = {"render_modes": []}
    settings = {"noise": {"joint_position": 1e-3, "joint_velocity": 1e-2}, "pushes": []}

    def __init__(self, steps=10, duration_s=1.0, limit=0.5):
        self.sim = civita.Simulation("arm7", set=self.settings)
        self.dynamics = civita.Dynamics(self.sim.model)
        self.steps, self.duration_s, self.limit = steps, duration_s, limit
        nv = self.sim.model.nv
        self.torque = np.minimum(self.sim.model.effort_upper, 20.0)  # N·m
        self.action_space = gymnasium.spaces.Box(-1, 1, (nv,), np.float64)
        self.observation_space = gymnasium.spaces.Box(-np.inf, np.inf, (3 * nv,), np.float64)

    def observe(self):
        return np.concatenate([self.sim["/e"], self.sim["/s"], self.sim["/q_d"]], axis=-1)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.sim.reset(seed=seed)
        return self.observe(), {}

    def step(self, action):
        tau = self.dynamics.gravity(self.sim.q) + self.torque * np.clip(action, -1, 1)
        try:
            self.sim.step(tau, n=self.steps)
        except RuntimeError as failure:  # the motion has no finite numbers any more
            return self.observe(), -100.0, True, False, {"failure": str(failure)}
        error = np.linalg.norm(self.sim["/e"])
        is_late = bool(self.sim.t >= self.duration_s)
        return self.observe(), -float(error), bool(error > self.limit), is_late, {"t": self.sim.t}


if __name__ == "__main__":
    env = FollowReference()
    check_env(env, skip_render_check=True)

    observation, _ = env.reset(seed=1)
    ended = late = False
    while not (ended or late):
        e, s, _ = np.split(observation, 3)
        observation, reward, ended, late, info = env.step((-40 * e - 10 * s) / env.torque)
    print(info, reward)
    assert late and not ended

    again = FollowReference()
    again.reset(seed=1)
    env.reset(seed=1)
    action = env.action_space.sample()
    assert (env.step(action)[0] == again.step(action)[0]).all()  # to the bit
