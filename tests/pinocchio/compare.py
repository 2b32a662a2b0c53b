"""Compares `civita eval` with Pinocchio on the URDFs of example-robot-data; see
scripts/check_pinocchio. Usage: compare.py CIVITA

Both at the same random states. A free base has other velocities in Pinocchio, w = [linear; angular]
in the body's axes; with civita's v = A(q) w, A = [R 0; 0 1] there, civita's numbers become
    H -> A'H A,  C -> A'C A + A'H Adot,  g -> A'g,  tau -> A'tau,  C v + g -> A'(C v + g + H Adot w),
    J -> J A,  Jdot -> Jdot A + J Adot,  for vdot = A wdot + Adot w.
Pinocchio's computeCoriolisMatrix is the Christoffel-consistent C. Prints the largest relative
errors, max|difference| / max(1, max|Pinocchio's|), and fails above 1e-10."""

import json
import pathlib
import subprocess
import sys

import numpy
import pinocchio

TOLERANCE = 1e-10
STATES = 5

# file below the package's robots/, base
ROBOTS = [
    ("panda_description/urdf/panda.urdf", "fixed"),
    ("ur_description/urdf/ur5_robot.urdf", "fixed"),
    ("kinova_description/robots/kinova.urdf", "fixed"),
    ("baxter_description/urdf/baxter.urdf", "fixed"),
    ("tiago_description/robots/tiago.urdf", "fixed"),
    ("tiago_description/robots/tiago.urdf", "free"),
    ("pr2_description/urdf/pr2.urdf", "free"),
    ("anymal_b_simple_description/robots/anymal.urdf", "free"),
    ("anymal_c_simple_description/urdf/anymal.urdf", "free"),
    ("hyq_description/robots/hyq_no_sensors.urdf", "free"),
    ("solo_description/robots/solo12.urdf", "free"),
    ("go2_description/urdf/go2.urdf", "free"),
    ("icub_description/robots/icub_reduced.urdf", "free"),
    ("romeo_description/urdf/romeo.urdf", "free"),
    ("talos_data/robots/talos_full_v2.urdf", "free"),
    ("talos_data/robots/talos_full_v2.urdf", "fixed"),
]
QUANTITIES = ["H", "C", "g", "bias", "tau", "com", "hG", "J", "Jdot"]


def robots_folder():
    return pathlib.Path(pinocchio.__file__).parents[4] / "share/example-robot-data/robots"


def skew(x):
    return numpy.array([[0, -x[2], x[1]], [x[2], 0, -x[0]], [-x[1], x[0], 0]])


class Pair:
    """One robot in both programs."""

    def __init__(self, civita, urdf, base):
        self.civita, self.urdf, self.base = civita, urdf, base
        free = [pinocchio.JointModelFreeFlyer()] if base == "free" else []
        self.model = pinocchio.buildModelFromUrdf(str(urdf), *free)
        self.data = self.model.createData()
        header = self.evaluate(["H"], None)
        self.nq, self.nv = header["nq"], header["nv"]
        self.joints = {joint["name"]: joint for joint in header["joints"]}
        assert self.nv == self.model.nv, f"nv {self.nv} and {self.model.nv}"
        # Frames at the ends of branches, and two others.
        links = [f.name for f in self.model.frames
                 if f.type == pinocchio.FrameType.BODY and f.parentJoint > 0]
        self.links = list(dict.fromkeys([links[0], links[len(links) // 2], links[-1]]))

    def evaluate(self, quantities, states):
        command = [self.civita, "eval", str(self.urdf), "--base", self.base, "--quantities",
                   ",".join(quantities)]
        text = None
        if states is not None:
            command += ["--states", "-"]
            text = json.dumps({"states": states})
        done = subprocess.run(command, input=text, capture_output=True, text=True)
        if done.returncode != 0:
            raise RuntimeError(done.stderr.strip())
        return json.loads(done.stdout)

    def state(self, random):
        """q, w, wdot of Pinocchio; q, v, vdot of civita; A, Adot with v = A w."""
        model, n = self.model, self.nv
        q_p, q_c = numpy.zeros(model.nq), numpy.zeros(self.nq)
        w, wdot = random.uniform(-2, 2, n), random.uniform(-5, 5, n)
        A, Adot = numpy.zeros((n, n)), numpy.zeros((n, n))
        for k in range(1, model.njoints):
            theirs, ours = model.joints[k], self.joints[model.names[k]]
            at_q, at_v = ours["q"][0], ours["v"][0]
            if theirs.nv == 6:
                unit = random.normal(size=4)
                x, y, z, s = unit / numpy.linalg.norm(unit)
                position = random.uniform(-2, 2, 3)
                q_p[theirs.idx_q:theirs.idx_q + 7] = [*position, x, y, z, s]
                q_c[at_q:at_q + 7] = [*position, s, x, y, z]
                R = pinocchio.Quaternion(s, x, y, z).toRotationMatrix()
                i, omega = theirs.idx_v, w[theirs.idx_v + 3:theirs.idx_v + 6]
                A[at_v:at_v + 3, i:i + 3] = R
                A[at_v + 3:at_v + 6, i + 3:i + 6] = numpy.eye(3)
                Adot[at_v:at_v + 3, i:i + 3] = R @ skew(omega)
                continue
            assert theirs.nv == 1, f"joint {model.names[k]}"
            angle = random.uniform(-3, 3)
            q_c[at_q] = angle
            A[at_v, theirs.idx_v] = 1
            turn = [numpy.cos(angle), numpy.sin(angle)] if theirs.nq == 2 else [angle]
            q_p[theirs.idx_q:theirs.idx_q + theirs.nq] = turn
        return q_p, w, wdot, q_c, A @ w, A @ wdot + Adot @ w, A, Adot

    def theirs(self, q, w, wdot):
        model, data = self.model, self.data
        out = {"g": pinocchio.computeGeneralizedGravity(model, data, q).copy()}
        out["tau"] = pinocchio.rnea(model, data, q, w, wdot).copy()
        out["bias"] = pinocchio.nonLinearEffects(model, data, q, w).copy()
        out["C"] = pinocchio.computeCoriolisMatrix(model, data, q, w).copy()
        H = numpy.triu(pinocchio.crba(model, data, q))
        out["H"] = H + numpy.triu(H, 1).T
        out["com"] = pinocchio.centerOfMass(model, data, q).copy()
        momentum = pinocchio.computeCentroidalMomentum(model, data, q, w)
        out["hG"] = numpy.concatenate([momentum.angular, momentum.linear])
        pinocchio.computeJointJacobiansTimeVariation(model, data, q, w)
        pinocchio.updateFramePlacements(model, data)
        aligned = pinocchio.ReferenceFrame.LOCAL_WORLD_ALIGNED
        swap = [3, 4, 5, 0, 1, 2]
        for link in self.links:
            frame = model.getFrameId(link, pinocchio.FrameType.BODY)
            out["J:" + link] = pinocchio.getFrameJacobian(model, data, frame, aligned)[swap]
            out["Jdot:" + link] = pinocchio.getFrameJacobianTimeVariation(
                model, data, frame, aligned)[swap]
        return out

    def ours(self, numbers, w, A, Adot):
        at = {name: numpy.array(value) for name, value in numbers.items()}
        H = at["H"]
        out = {"H": A.T @ H @ A, "C": A.T @ at["C"] @ A + A.T @ H @ Adot}
        out |= {name: A.T @ at[name] for name in ("g", "tau")}
        out["bias"] = A.T @ (at["bias"] + H @ Adot @ w)
        out |= {name: at[name] for name in ("com", "hG")}
        for link in self.links:
            J, Jdot = at["J:" + link], at["Jdot:" + link]
            out |= {"J:" + link: J @ A, "Jdot:" + link: Jdot @ A + J @ Adot}
        return out

    def errors(self):
        random = numpy.random.default_rng(1)
        states = [self.state(random) for _ in range(STATES)]
        names = [q for q in QUANTITIES if q[0] != "J"]
        names += [q + ":" + link for link in self.links for q in ("J", "Jdot")]
        asked = [{"q": list(q), "v": list(v), "a": list(a)} for _, _, _, q, v, a, _, _ in states]
        results = self.evaluate(names, asked)["states"]
        worst = dict.fromkeys(QUANTITIES, 0.0)
        for (q, w, wdot, _, _, _, A, Adot), numbers in zip(states, results):
            theirs, ours = self.theirs(q, w, wdot), self.ours(numbers, w, A, Adot)
            for name in names:
                scale = max(1.0, numpy.abs(theirs[name]).max())
                error = numpy.abs(ours[name] - theirs[name]).max() / scale
                key = name.split(":")[0]
                worst[key] = max(worst[key], error if numpy.isfinite(error) else numpy.inf)
        return worst


def main():
    civita = sys.argv[1]
    print(f"Pinocchio {pinocchio.__version__}, {STATES} random states a robot, relative errors")
    print(f"{'robot':<22}{'base':<7}{'nv':>3}  " + "".join(f"{q:>9}" for q in QUANTITIES))
    failures = 0
    for file, base in ROBOTS:
        pair = Pair(civita, robots_folder() / file, base)
        errors = pair.errors()
        bad = [name for name, error in errors.items() if not error <= TOLERANCE]
        failures += bool(bad)
        name = pathlib.Path(file).stem + (" (c)" if "anymal_c" in file else "")
        print(f"{name:<22}{base:<7}{pair.nv:>3}  " +
              "".join(f"{errors[q]:>9.1e}" for q in QUANTITIES) + ("  FAILED" if bad else ""))
    print(f"{failures} of {len(ROBOTS)} above {TOLERANCE}" if failures
          else f"all {len(ROBOTS)} within {TOLERANCE}")
    return failures > 0


if __name__ == "__main__":
    sys.exit(main())
