"""Many arms at once: docs/gymnasium.md. Run, it is compared with gymnasium's own vector of single ones."""

import gymnasium
import numpy as np
from follow_reference import FollowReference

import civita


class FollowReferences(gymnasium.vector.VectorEnv):
    """FollowReference for many arms at once."""

    metadata = {"autoreset_mode": gymnasium.vector.AutoresetMode.NEXT_STEP}
    observe = FollowReference.observe

    def __init__(self, num_envs, **options):
        self.one, self.num_envs = FollowReference(**options), num_envs
        self.sim = civita.SimulationBatch("arm7", num_envs, set=self.one.settings)
        batch_space = gymnasium.vector.utils.batch_space
        self.single_action_space = self.one.action_space
        self.single_observation_space = self.one.observation_space
        self.action_space = batch_space(self.single_action_space, num_envs)
        self.observation_space = batch_space(self.single_observation_space, num_envs)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.sim.reset(seeds=seed)
        self.over = np.zeros(self.num_envs, bool)
        return self.observe(), {}

    def step(self, actions):
        gravity = self.one.dynamics.gravity(self.sim.q)
        self.sim.step(gravity + self.one.torque * np.clip(actions, -1, 1), n=self.one.steps)
        for i in np.flatnonzero(self.over):
            self.sim.simulations[i].reset()
        failed = np.array([failure is not None for failure in self.sim.failures])
        error = np.array([np.linalg.norm(e) for e in self.sim["/e"]])
        reward = np.where(self.over, 0.0, np.where(failed, -100.0, -error))
        ended = ~self.over & (failed | (error > self.one.limit))
        late = ~self.over & (self.sim.t >= self.one.duration_s) & ~failed
        self.over = ended | late
        return self.observe(), reward, ended, late, {"t": self.sim.t}


class Short(FollowReference):
    def __init__(self):
        super().__init__(duration_s=0.05)


if __name__ == "__main__":
    many = FollowReferences(3, duration_s=0.05)
    single = gymnasium.vector.SyncVectorEnv([Short] * 3)
    assert (many.reset(seed=1)[0] == single.reset(seed=1)[0]).all()
    for _ in range(12):
        action = many.action_space.sample()
        for ours, theirs in zip(many.step(action)[:4], single.step(action)[:4], strict=True):
            assert (ours == theirs).all()  # to the bit, also when they begin anew
