#!/usr/bin/env python3
"""The papers item by item in docs/study.md: a command that shows each, and what checks it.

papers_test.py CIVITA     runs every command, which must exit with 0, looks for every test in the sources
                          of the tests, and compares the last part of docs/study.md with the rows below.
                          Prints a line for each error and exits with 1
papers_test.py --write    writes that part
"""

import concurrent.futures
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs/study.md"
BEGIN, END = "<!-- papers: tests/app/papers_test.py --write -->\n", "<!-- end of papers -->"

HEAD = """
## The papers, item by item

For each numbered item of the [papers](terms.md#papers) a command that shows it, and what checks it: tests by the name
of their suite, in the folders of `tests/`, or the rows of the reproduction itself. A test runs every command.
"""

TITLES = {"WES": "[WES] Coriolis factorizations and their connections",
          "EW": "[EW] Coriolis matrix and Christoffel symbols by recursion",
          "LP": "[LP] Modern Robotics, chapter 8"}

CONNECTIONS = "civita reproduce connections"
POINT_MASS = "civita reproduce pointmass"
UR5 = "config/poe/ur5_three_links.yaml --theta 0.1,0.1,0.1"
UR5_TRAJECTORY = "config/poe/ur5_three_links.yaml --states config/states/ur5_three_links.json"
HERE = "the reproduction"


MOVING = {path.stem for path in (ROOT / "config/states").glob("*.json")}


def of(model, quantities, *flags):
    """At a state that moves: at rest C and all that depends on v is zero."""
    states = [f"--states config/states/{model}.json"] if model in MOVING else []
    return " ".join(["civita eval", model, "--quantities", quantities, *flags, *states])


# By paper: item, command, what checks it.
ROWS = {
    "WES": [
        ("(1), (2): equations of motion, C v = c", of("arm7", "H,C,bias,g,tau"),
         "C v + g = RNEA, and slow independent algorithms: `DynamicsLaws`"),
        ("section I: C_a, C_b and their mixtures", CONNECTIONS, HERE),
        ("(3): Ḣ = C + Cᵀ", of("arm7", "Hdot,C"), "`DynamicsLaws`, `PassivityLaws`"),
        ("(4), (5): Christoffel C and Γ", of("arm7", "Gamma,C"),
         "partial derivatives of H, Koszul's formula: `ChristoffelLaws`, `GeometryLaws`"),
        ("figure 1: roadmap of connections", CONNECTIONS, HERE),
        ("section II-A2: C = β(p)(v×), β a function of the position",
         of("point_mass", "C,torsion", "--factorization 'joint:{cos(q[0])}'"),
         "`FormulaScene`, `DynamicsLaws`"),
        ("remark 1, (6): Hamel's equations", CONNECTIONS, HERE),
        ("(7), figure 2: geodesics", CONNECTIONS, HERE),
        ("covariant derivative, parallel transport, geodesics of a robot",
         "civita geodesic arm7 --duration 0.1 --out OUT", "`GeometryLaws`"),
        ("symbols of the second kind", of("four_bar", "Gamma2", "--reduced"), "`GeometryLaws`"),
        ("figure 3: four connections", CONNECTIONS, HERE),
        ("propositions III.1, III.2, corollary III.1: the difference tensor D = −contorsion",
         of("arm7", "contorsion,three_form", "--factorization t:1"), "`GeometryLaws`"),
        ("torsion", of("arm7", "torsion", "--factorization t:1"), "`GeometryLaws`"),
        ("theorem III.1: the Riemannian connection",
         of("arm7", "Gamma_riemannian,residuals", "--factorization t:1"), "`GeometryLaws`"),
        ("(8): Koszul's formula", of("ball_arm", "Christoffel"), "`GeometryLaws`"),
        ("(9): Γ = Γ_(jk) + ½ s", of("ball_arm", "GammaSym,structure"), "`GeometryLaws`"),
        ("theorem III.2: the torsion-free partner",
         of("arm7", "Gamma_partner", "--factorization t:1"), "`GeometryLaws`"),
        ("corollary III.2: one connection for n ≤ 2",
         "civita compare planar_2r --vary factorization=christoffel,t:1,plain --duration 0.2",
         "`GeometryLaws`"),
        ("remark 2: Γ_(jk) alone gives C v, not C", of("arm7", "GammaSym,Gamma,C", "--factorization t:1"),
         "`GeometryLaws`"),
        ("remark 3, (12): three-forms β_ijk(q)", of("arm7", "three_form", "--factorization t:1"),
         "`GeometryLaws`, `FilesTest`"),
        ("(10): C_ik = Γ_ijk v_j", of("arm7", "Gamma,C", "--factorization t:0.3"), "`GeometryLaws`"),
        ("propositions IV.1, IV.2, corollary IV.1, (11), remark 4",
         of("arm7", "Hdot,C,residuals", "--factorization t:-2"), "`GeometryLaws`, `NotAdmissibleLaws`"),
        ("(13), (14): Slotine–Li's law, V̇ = −P",
         "civita run arm7 --headless --set control.mode=every_stage --duration 0.2",
         "`StorageTest`"),
        ("adaptation after (14)", "civita reproduce payload", HERE),
        ("remark 5: the turning of s", "civita compare arm7_twist --vary factorization=christoffel,t:1 "
         "--duration 0.2", "`ErrorTurning`"),
        ("remark 6: other reference fields", "civita run point_mass_circle --headless --duration 0.2",
         "`ReferenceDynamics`"),
        ("section IV-A2, figures 4 to 7: the point mass", POINT_MASS, HERE),
        ("(15): v = A v̄, H̄ = AᵀHA", of("arm7", "H,g,tau", "--coordinates mass_orthonormal"),
         "`CoordinatesLaws`"),
        ("(16): the projected connection", of("arm7", "Gamma,A", "--coordinates mass_orthonormal"),
         "`GeometryLaws`"),
        ("(17), theorem V.1, propositions V.1 to V.3: what a submanifold inherits",
         of("geared_arm", "H,C,Hdot,Gamma,torsion", "--reduced --factorization t:1"), "`ClusterLaws`"),
        ("theorem V.2: the induced connection of a torsion-free one is torsion-free",
         of("geared_arm", "Gamma,Christoffel", "--reduced"), "`ClusterLaws`, `EvalLaws`"),
        ("remark 7: what coordinates do not change",
         "civita compare arm7_twist --vary controller.coordinates=v,mass_orthonormal --duration 0.2",
         "`CoordinatesLaw`"),
        ("remark 8: task space, Λ̇ = C + Cᵀ",
         of("arm7", "Lambda:hand,Lambdadot:hand,C_xx:hand,C_xn:hand"), "`ChangeOfCoordinates`"),
        ("(18), (19), (20), section VI-A2: maximal coordinates",
         of("arm7", "H_max,C_max,J_max,Jdot_max,C"), "`MaximalCoordinatesLaws`"),
        ("section VI-B, (21): recursion, Γ by C(q, e_j)", of("tree20", "C,Gamma", "--factorization t:1"),
         "`DynamicsLaws`, `GeometryLaws`"),
        ("section VI-C, algorithms 1 and 2, (22) to (28), figure 8", "civita reproduce clusters",
         HERE),
        ("section VI-D, (29) to (32)", CONNECTIONS, HERE),
        ("remark 9: ∂τ/∂q, ∂τ/∂v", of("arm7", "dtau_dq,dtau_dv"), "`DynamicsDerivativesLaws`"),
        ("section II: momentum observers", of("arm7", "CTv,Hdot"), "`MomentumObserverTest`"),
    ],
    "EW": [
        ("(1) to (4), definitions 1 to 4: valid and admissible factorizations",
         of("arm7", "C,Hdot,bias,residuals", "--factorization alpha:0.5"),
         "`DynamicsLaws`, `NotAdmissibleLaws`"),
        ("(5) to (8): spatial velocities, the equation of motion of one body",
         of("arm7", "J_max,H_max,C_max", "--factorization plain"), "`MaximalCoordinatesLaws`"),
        ("(9), (10), (11): the factors B", of("arm7", "C", "--factorization plain"), "`DynamicsLaws`"),
        ("(12) to (21), appendix B: the factored RNEA, H and C by composite inertias",
         of("arm7", "tau,H,C"), "`DynamicsLaws`, `OracleRoutes`"),
        ("figure 1: relatives in a tree, zeros of H between others", of("tree20", "H"), "`DynamicsLaws`"),
        ("algorithm 1, propositions 1 and 2, remark 1", of("tree20", "H,Hdot,C"), "`DynamicsLaws`"),
        ("remark 2: H v̇_r + C v_r + g without C", of("arm7", "tau_r,Cv_r"),
         "`PassivityLaws`"),
        ("proposition 3, theorem 1, (22) to (27)", of("arm7", "C,Gamma", "--coordinates mass_orthonormal"),
         "`CoordinatesLaws`, `ChangeOfCoordinates`"),
        ("remark 3, (28): C = ½ ∂(C v)/∂v", of("arm7", "dtau_dv,C"), "`DynamicsDerivativesLaws`"),
        ("remark 4, (29) to (31)", CONNECTIONS, "`OracleRoutes`"),
        ("remark 5: generalized speeds", of("space_arm", "H,C,Gamma", "--coordinates body_twists"),
         "`ChangeOfCoordinates`"),
        ("remark 6, (32): the centre of mass decoupled",
         of("space_arm", "H_com,C_com"), "`ChangeOfCoordinates`"),
        ("section 4, (33) to (40), algorithm 2", of("tree20", "Gamma,Gamma_packed"),
         "`ChristoffelLaws`, `PackedChristoffelLaws`"),
        ("appendix A: spatial vectors and the factors B in coordinates",
         of("arm7", "H_max,C_max", "--factorization christoffel"), "`MaximalCoordinatesLaws`"),
        ("section 5: verification", "civita reproduce verification", HERE),
        ("section 5: formulas for a planar chain of 10 in 26.8 minutes, ten million evaluations meanwhile",
         "civita reproduce symbolic", HERE),
        ("table 1", "civita reproduce table1", HERE),
        ("figures 2, 3, 4", "civita reproduce fig2", HERE),
        ("table 2: formulas", "civita formulas planar_2r --quantities C --language python",
         "`Formulas`"),
    ],
    "LP": [
        ("ad", "civita poe ad --V 1,2,3,4,5,6", "`Poe`"),
        ("end-effector forces", f"civita poe end_effector_forces {UR5} --F-tip 1,1,1,1,1,1", "`Poe`"),
        ("Euler step", "civita poe euler_step --theta 0.1,0.1,0.1 --dtheta 0.1,0.2,0.3 "
         "--ddtheta 2,1.5,1 --dt 0.1", "`Poe`"),
        ("forward dynamics by aba, crba and rnea",
         f"civita poe forward_dynamics_aba {UR5} --dtheta 0.1,0.2,0.3 --tau 0.5,0.6,0.7 "
         "--F-tip 1,1,1,1,1,1", "`Poe`"),
        ("forward dynamics along torques: forward_dynamics_trajectory",
         f"civita poe forward_dynamics_trajectory {UR5_TRAJECTORY} --dt 0.1 --resolution 8", "`Poe`"),
        ("gravity forces", f"civita poe gravity_forces {UR5}", "`Poe`"),
        ("inverse dynamics", f"civita poe inverse_dynamics_rnea {UR5} --dtheta 0.1,0.2,0.3 "
         "--ddtheta 2,1.5,1 --F-tip 1,1,1,1,1,1", "`Poe`"),
        ("inverse dynamics along a motion: inverse_dynamics_trajectory",
         f"civita poe inverse_dynamics_trajectory {UR5_TRAJECTORY}", "`Poe`"),
        ("mass matrix by crba and rnea", f"civita poe mass_matrix_crba {UR5}", "`Poe`"),
        ("velocity-quadratic forces", f"civita poe velocity_quadratic_forces {UR5} --dtheta 0.1,0.2,0.3",
         "`Poe`"),
        ("the robot simulated", "civita run config/poe/ur5.yaml --headless --duration 0.2", "`Poe`"),
    ],
}

# Their verdicts depend on how busy the machine is: here they only have to run.
TIMED = {"civita reproduce table1", "civita reproduce fig2", "civita reproduce clusters"}


def part():
    lines = [HEAD]
    for paper, rows in ROWS.items():
        lines += [f"### {TITLES[paper]}", "", "| item | command | checked by |", "|---|---|---|"]
        for item, command, check in rows:
            lines.append(f"| {item} | `{command.replace('|', chr(92) + '|')}` | {check} |")
        lines.append("")
    return "\n".join(lines)


def page():
    """docs/study.md with this part as the rows below have it."""
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    return before + BEGIN + part() + END + rest.partition(END)[2]


def suites():
    """Names of the test suites of all tests, built or not."""
    macro = re.compile(r"^(?:TYPED_)?TEST(?:_F|_P)?\(\s*(\w+)", re.MULTILINE)
    return {name for source in (ROOT / "tests").rglob("*_test.cc")
            for name in macro.findall(source.read_text(encoding="utf-8"))}


def largest(numbers):
    return max(map(largest, numbers), default=0) if isinstance(numbers, list) else abs(numbers)


def zeros(words, output):
    """A row shows nothing where what it asks for is zero."""
    names = words[words.index("--quantities") + 1].split(",")
    state = json.loads(output)["states"][0]
    none = [name for name in names if largest(state[name]) < 1e-9]
    return f"{shlex.join(words)}: zero: {', '.join(none)}" if none else None


def run(civita, command, folder):
    text = command.replace("OUT", str(pathlib.Path(folder) / "out"))
    words = shlex.split(text)
    result = subprocess.run([civita, *words[1:]], capture_output=True, encoding="utf-8", cwd=ROOT,
                            stdin=subprocess.DEVNULL)
    if result.returncode in ((0, 1) if command in TIMED else (0,)):
        return zeros(words, result.stdout) if words[1] == "eval" else None
    last = (result.stderr.strip().splitlines() or [""])[-1]
    return f"{command}: exit code {result.returncode}: {last}"


def main():
    if sys.argv[1:] == ["--write"]:
        PAGE.write_text(page(), encoding="utf-8")
        return 0
    civita = sys.argv[1]
    errors = []
    if PAGE.read_text(encoding="utf-8") != page():
        errors.append("docs/study.md differs from its rows; tests/app/papers_test.py --write mends it")
    known = suites()
    rows = [row for rows in ROWS.values() for row in rows]
    for item, _, check in rows:
        for name in check.split("`")[1::2]:
            if name not in known:
                errors.append(f"{item}: no test suite {name}")
    commands = list(dict.fromkeys(command for _, command, _ in rows))
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        with tempfile.TemporaryDirectory() as folder:
            errors += filter(None, pool.map(lambda command: run(civita, command, folder), commands))
    for error in errors:
        print(error)
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
