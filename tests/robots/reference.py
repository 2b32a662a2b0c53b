"""Compares H and the bias C v + g of `civita eval` with MuJoCo (MJCF) or Pinocchio (URDF); a helper
of scripts/try_robots. Reads {"file", "kind": "mjcf" or "urdf", "joints", "states"} from the standard
input, where `joints` and `states` are eval's own, each state with "q", "v", "H", "bias". Prints
{"by", "H", "bias"}: the largest relative differences, max|difference| / max(1, max|reference|), or
{"by", "why"} where there is no reference."""

import json
import sys

import numpy


def relative(ours, theirs):
    return float(abs(ours - theirs).max() / max(1.0, abs(theirs).max()))


class Mujoco:
    name = "MuJoCo"

    def __init__(self, file, joints):
        import mujoco

        self.mujoco = mujoco
        self.model = mujoco.MjModel.from_xml_path(file)
        self.data = mujoco.MjData(self.model)
        nv = sum(joint["v"][1] for joint in joints)
        if self.model.nv != nv:
            raise ValueError(f"{self.model.nv} velocities rather than {nv}")

    def calc(self, q, v):
        self.data.qpos[:] = q
        self.data.qvel[:] = v
        self.mujoco.mj_forward(self.model, self.data)
        H = numpy.zeros((self.model.nv, self.model.nv))
        self.mujoco.mj_fullM(self.model, self.data, H)
        return H, self.data.qfrc_bias.copy()


class Pinocchio:
    """Of joints with one velocity; Pinocchio has other velocities for a free base."""

    name = "Pinocchio"

    def __init__(self, file, joints):
        import pinocchio

        self.pinocchio = pinocchio
        self.model = pinocchio.buildModelFromUrdf(file)
        self.data = self.model.createData()
        self.at = {joint["name"]: joint["v"][0] for joint in joints}
        if any(joint.nv != 1 for joint in list(self.model.joints)[1:]):
            raise ValueError("a joint with more than one velocity")
        if set(self.at) != set(list(self.model.names)[1:]):
            raise ValueError("other joints: " + ", ".join(set(self.at) ^ set(list(self.model.names)[1:])))

    def calc(self, q, v):
        model, n = self.model, self.model.nv
        q_p, v_p, order = numpy.zeros(model.nq), numpy.zeros(n), numpy.zeros(n, int)
        for k in range(1, model.njoints):
            joint, i = model.joints[k], self.at[model.names[k]]
            turn = [numpy.cos(q[i]), numpy.sin(q[i])] if joint.nq == 2 else [q[i]]
            q_p[joint.idx_q:joint.idx_q + joint.nq] = turn
            v_p[joint.idx_v] = v[i]
            order[i] = joint.idx_v
        H = numpy.triu(self.pinocchio.crba(model, self.data, q_p))
        H = H + numpy.triu(H, 1).T
        bias = self.pinocchio.nonLinearEffects(model, self.data, q_p, v_p)
        return H[numpy.ix_(order, order)], bias[order]


def main():
    given = json.load(sys.stdin)
    peer_type = Mujoco if given["kind"] == "mjcf" else Pinocchio
    try:
        peer = peer_type(given["file"], given["joints"])
    except (ValueError, RuntimeError) as error:
        print(json.dumps({"by": peer_type.name, "why": str(error).strip().splitlines()[-1]}))
        return
    worst = {"by": peer.name, "H": 0.0, "bias": 0.0}
    for state in given["states"]:
        H, bias = peer.calc(numpy.array(state["q"]), numpy.array(state["v"]))
        worst["H"] = max(worst["H"], relative(numpy.array(state["H"]), H))
        worst["bias"] = max(worst["bias"], relative(numpy.array(state["bias"]), bias))
    print(json.dumps(worst))


if __name__ == "__main__":
    main()
