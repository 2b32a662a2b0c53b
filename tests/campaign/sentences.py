"""What `civita compare` says in sentences of random mechanisms under random settings, held against its own numbers:
what matters and by how much, what is the same, how V falls, what turns s, and whether a prediction is as it is."""

import json
import math
import random
import re
import shutil
import statistics
import threading

import fork_server
import outcome

# Each with a body that is pushed.
SCENES = {
    "arm7": "link4", "arm7_twist": "hand", "arm7_circle": "link4", "planar_2r": "link2", "point_mass_5": "mass", "ball_arm": "hand",
    "ur5": "wrist1", "four_bar": "coupler", "geared_arm": "fore", "space_arm": "upper",
}  # fmt: skip
# As a sentence calls what a user of the robot feels, with the difference that is rounding.
FELT = {
    "RMS task error": ("task_error_rms_m", 1e-9), "RMS task error in angle": ("task_error_rms_rad", 1e-9),
    "RMS tracking error": ("error_rms", 1e-9), "velocity forward": ("forward_m_s", 1e-9), "end-effector path": ("ee_path_m", 0),
    "RMS torque": ("torque_rms", 0), "torque rate": ("torque_rate", 0), "energy": ("energy_J", 0),
    "peak tilt": ("tilt_peak_rad", 1e-4), "feet slid": ("slip_m", 1e-5),
}  # fmt: skip
SAME, MATTERS, NEAR, OF_CHANGE, EXPLAINED = 0.01, 0.1, 0.05, 0.2, 0.05  # comparison_sentence.cc
CHANGE = r"the same within 1 %|\S+ times as high|\S+(?: %)? (?:higher|lower)"
NUMBER = re.compile(r"([-−]?\d[\d\u2009]*(?:\.\d+)?)(?:·10([⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+))?")
SUPERSCRIPTS = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")
MATTER = re.compile(
    r"(Here it does not matter|It matters here|Here it matters little|So few runs do not tell whether it matters here): "
    r"(.*?)\.(?= Without a run| *$)"
)
OPEN_LIST = re.compile(r"(?:^|; )of ([\w ,-]+) the difference is within its 95 % confidence interval or near to it")
CONTRAST = re.compile(
    r"(?P<label>[\w -]+) (?P<how>differs|is (?:\S+ times as high|\S+(?: %)? (?:higher|lower))) with (?P<name>\S+) "
    r"\((?P<b>\S+)(?: [^()]*?)? rather than (?P<a>\S+)\)"
)
SAME_LIST = re.compile(r"([\w ,-]+) (?:is|are) the same within 1 %")
PREDICTION = re.compile(
    rf"Without a run, the error with (?P<name>\S+) is predicted to be (?P<predicted>{CHANGE})"
    rf"(?:, (?P<as_it_is>as it is)|, and is (?P<measured>{CHANGE}): (?P<verdict>.*?))\.$"
)
TURNING = re.compile(
    r"With (?P<more>\S+), s turns by (?P<most>\S+)° on its way to zero, with \S+ (?P<least>not at all|by \S+°)"
    r"(?P<why>: the torsion of C, and nothing else|, which the torsion of C does not explain"
    r"|, a difference of (?P<more_by>\S+)°: the torsion of C alone would make (?P<torsion>\S+)°, and .*? makes? the other (?P<other>\S+)°|)"
)
ALIKE = re.compile(r"s turns alike, by (?P<both>\S+)°, .* would make (?P<a>none of it|\S+°) with \S+ and (?P<b>none of it|\S+°) with ")
STORAGE = re.compile(r"V falls alike(?:, within (?P<within>[^:]+))?:|V differs by up to (?P<by>[^,]+), at t = \S+ s")
CAUSES = {
    "a late torque": "control.delay_s control.actuation_delay_s", "pushes": "pushes",
    "a filtered velocity": "control.velocity_filter_hz",
    "a wrong model": "plant.mass_scale plant.mass_error", "noise of measurements": "noise control.encoder_resolution",
    "gains that are not proportional to H": "controller.gain_form=diagonal", "a skew gain G": "gains.G",
}  # fmt: skip


def run(budget):
    library, lock, bad, cases = fork_server.build(budget.folder), threading.Lock(), [], [0]
    said = dict.fromkeys(("matters", "little", "not", "not told", "as it is", "near", "interval", "off", "no reason"), 0)
    budget.bad.mkdir(parents=True, exist_ok=True)
    unexplained = (budget.bad / "unexplained.txt").open("w")

    def work(worker):
        folder = budget.folder / str(worker)
        folder.mkdir()
        with fork_server.ForkServer(library, budget.program, budget.folder / f"of_{worker}", outcome.without_display()) as server:
            while True:
                with lock:
                    if not budget.goes_on(cases[0]):
                        return
                    cases[0] += 1
                    number = cases[0]
                rng = random.Random(f"{budget.seed} {number}")
                (folder / "model.xml").write_text(mechanism(rng))
                scene = "model.xml" if rng.random() < 0.6 else rng.choice(list(SCENES))
                settings = random_settings(rng, SCENES.get(scene, "b1"))
                words = ["compare", scene, "--out", "out", "--seed", str(rng.randrange(100))]
                words += ["--vary", f"factorization=christoffel,t:{rng.choice([1, -1]) * 10 ** rng.uniform(-1, 1.5):.3g}", "--duration", f"{rng.uniform(0.3, 2):.2g}"]
                words += [word for each in settings for word in ("--set", each)]
                words += ["--initial-states", str(rng.randint(2, 5))] if rng.random() < 0.25 else []
                shutil.rmtree(folder / "out", ignore_errors=True)
                done = server.call(words, 600, folder)
                fault = outcome.fault_of(done)
                file = folder / "out" / "compare.json"
                result = json.loads(file.read_text()) if file.exists() and not fault else None
                faults = faults_of(result, settings, said) if result else [fault] if fault else []
                if not faults and not (result and "no reason" in result["summary"]):
                    continue
                with lock:
                    kept = budget.bad / f"model_{number}.xml"
                    shutil.copy(folder / "model.xml", kept)
                    told = f"{kept.name}, {' '.join(words)}: {'; '.join(faults) or result['summary']}"
                    if faults:
                        bad.append(told[:900])
                    else:  # true, and a prediction to look at
                        unexplained.write(told + "\n")

    outcome.on_all_cores(work)
    unexplained.close()
    return cases[0], bad, ", ".join(f"{word} {number}" for word, number in said.items())


def faults_of(result, settings, said):
    """What the summary says that the numbers do not, or what it should say; counts in `said` what it says."""
    a, b = (Side(each) for each in result["variants"])
    text, faults = result["summary"], []
    if not (a.whole and b.whole):
        return [] if "no conclusion" in text else [f"no run is whole, and it is said: {text}"]
    pair = Pair(a, b)
    for check in (check_matter, check_prediction, check_turning, check_storage):
        faults += check(text, pair, said)
    if "turn it" in text or "turns it" in text or "make" in text:
        faults += check_causes(text, settings)
    if not faults and not a.runs and pair.difference("error_rms") > 0:
        # The same text beside numbers that are three times as large is wrong.
        altered = Pair(a, b.scaled(3))
        for pattern, check in ((MATTER, check_matter), (PREDICTION, check_prediction)):
            if pattern.search(text) and not check(text, altered, dict.fromkeys(said, 0)):
                faults.append(f"{check.__name__} takes any number")
    return faults


class Side:
    """The numbers of a variant."""

    def __init__(self, variant):
        self.name = variant["name"]
        self.of = {key: value for key, value in variant["metrics"].items() if not isinstance(value, dict)}
        self.V = {float(mark): value for mark, value in variant["metrics"].get("V_at", {}).items()}
        self.predicted = variant["predicted"]["error_rms"]
        self.whole = any(value is not None for value in self.of.values())
        self.runs = [each["metrics"] for each in variant.get("runs", [])]

    def scaled(self, factor):
        other = object.__new__(Side)
        other.__dict__.update(self.__dict__, of={key: value and factor * value for key, value in self.of.items()})
        return other


class Pair:
    def __init__(self, a, b):
        self.a, self.b = a, b

    def half(self, value_of):
        """Of the 95 % interval of the mean difference of the runs by pairs; infinite of fewer than two of several pairs."""
        pairs = [(value_of(a), value_of(b)) for a, b in zip(self.a.runs, self.b.runs)]
        differences = [b - a for a, b in pairs if a is not None and b is not None]
        if not self.a.runs:
            return 0
        if len(differences) < 2:
            return math.inf
        return T_975[len(differences) - 2] * statistics.stdev(differences) / math.sqrt(len(differences))

    def difference(self, key, floor=0):
        """Relative to the larger one; NaN where one is not known."""
        return relative(self.a.of.get(key), self.b.of.get(key), floor)

    def is_apart(self, key, floor=0):
        far = abs(self.b.of[key] - self.a.of[key]) > self.half(lambda run: run.get(key)) * (1 + 1e-9)
        return far and self.difference(key, floor) > SAME

    def is_same(self, key, floor=0):
        half, b = self.half(lambda run: run.get(key)), self.b.of[key]
        return math.isfinite(half) and all(relative(self.a.of[key], each, floor) <= SAME * (1 + 1e-9) for each in (b - half, b + half))

    def ratio(self, key):
        a, b = self.a.of.get(key), self.b.of.get(key)
        return abs(b / a) if a and b is not None else math.nan


# By pairs of runs, from two on.
T_975 = (12.7062, 4.3027, 3.1824, 2.7764, 2.5706, 2.4469, 2.3646, 2.3060)


def relative(a, b, least):
    if a is None or b is None:
        return math.nan
    return 0 if abs(a - b) <= least * (1 + 1e-9) else abs(a - b) / max(abs(a), abs(b))


def agrees(text, value):
    """Whether a number is this one, rounded to its digits."""
    found = NUMBER.search(text)
    if not found or value is None:
        return False
    mantissa, power = found[1].replace("−", "-").replace("\u2009", ""), int((found[2] or "0").translate(SUPERSCRIPTS))
    digit = 10.0 ** (power - len(mantissa.partition(".")[2]))
    return abs(float(mantissa) * 10.0**power - value) <= 0.501 * digit + 1e-9 * abs(value)


def says_ratio(change, ratio):
    """Whether a change in words, CHANGE, is that of this ratio."""
    if math.isnan(ratio):
        return False
    if change.startswith("the same"):
        return abs(ratio - 1) <= SAME * (1 + 1e-9)
    if change.endswith("high"):
        return ratio > 2 * (1 - 1e-9) and agrees(change, ratio)
    scale = 100 if "%" in change else 1
    return change.endswith("higher" if ratio > 1 else "lower") and agrees(change, scale * abs(ratio - 1))


def felt_of(metrics):
    """FELT, with the error of each of several mechanisms in place of that of all."""
    each = {f"error of {key.removeprefix('error_rms_of_')}": (key, 1e-9) for key in metrics if key.startswith("error_rms_of_")}
    return {label: row for label, row in FELT.items() if not each or label != "RMS tracking error"} | each


def check_matter(text, pair, said):
    found = MATTER.search(text)
    felt = felt_of(pair.a.of)
    differences = {label: pair.difference(key, floor) for label, (key, floor) in felt.items()}
    if not found:
        return [] if all(math.isnan(each) for each in differences.values()) else [f"nothing is said of {differences}"]
    verdict, rest = found.groups()
    named = {each["label"].removeprefix(", ").strip(): each for each in CONTRAST.finditer(rest)}
    same = {label for each in SAME_LIST.findall(rest) for label in re.split(", | and ", each.strip())}
    opened = {label for each in OPEN_LIST.findall(rest) for label in re.split(", | and ", each.strip())}
    faults = [f"unknown: {label}" for label in [*named, *same, *opened] if label not in felt]
    if faults:
        return faults
    for label in same:
        if not pair.is_same(*felt[label]):
            faults.append(f"{label} is said to be the same, and differs by {differences[label]}")
    for label in opened:
        if pair.is_same(*felt[label]) or pair.is_apart(*felt[label]):
            faults.append(f"{label} is said to be open, and differs by {differences[label]}")
    for label, each in named.items():
        key, ratio = felt[label][0], pair.ratio(felt[label][0])
        if not pair.is_apart(*felt[label]):
            faults.append(f"{label} is said to differ, and does by {differences[label]}")
        if each["name"] != pair.b.name or not agrees(each["a"], pair.a.of[key]) or not agrees(each["b"], pair.b.of[key]):
            faults.append(f"{each[0]}, of {pair.a.of[key]} and {pair.b.of[key]}")
        if each["how"] != "differs" and not says_ratio(each["how"].removeprefix("is "), ratio):
            faults.append(f"{each[0]}, of the ratio {ratio}")
    known = {label: each for label, each in differences.items() if not math.isnan(each)}
    told = {label: each for label, each in known.items() if pair.is_apart(*felt[label])}
    largest = max(told.values(), default=0)
    least_named = min((differences[label] for label in named), default=0)
    for label, each in told.items():
        if label not in named and (len(named) < 3 or each > least_named * (1 + 1e-9)):
            faults.append(f"{label} differs by {each}, of which nothing is said")
    kind = {"It matters here": "matters", "Here it matters little": "little", "Here it does not matter": "not"}.get(verdict, "not told")
    said[kind] += 1
    unsaid = "not told" if any(not pair.is_same(*felt[label]) for label in known) else "not"
    if kind != ("matters" if largest > MATTERS else "little" if largest > SAME else unsaid):
        faults.append(f"{verdict}, and the largest difference is {largest}")
    return faults


def check_prediction(text, pair, said):
    found = PREDICTION.search(text)
    if not found:
        return [f"a prediction that is none: {text}"] if "Without a run" in text else []
    measured = pair.ratio("error_rms")
    predicted = pair.b.predicted / pair.a.predicted
    missed, change = abs(math.log(predicted / measured)), abs(math.log(measured))
    faults = []
    if not says_ratio(found["predicted"], predicted):
        faults.append(f"{found['predicted']} is predicted, of the ratio {predicted}")
    if found["measured"] and not says_ratio(found["measured"], measured):
        faults.append(f"and is {found['measured']}, of the ratio {measured}")
    is_near = missed <= math.log1p(NEAR) * (1 + 1e-9)
    half = pair.half(lambda run: run.get("error_rms")) / pair.a.of["error_rms"]
    verdict = found["verdict"] or ""
    if found["as_it_is"]:
        kind, right = "as it is", is_near and (missed <= OF_CHANGE * change or says_ratio(found["predicted"], measured))
    elif "are within" in verdict:
        kind, right = "near", is_near
    elif "confidence interval" in verdict:
        kind, right = "interval", not is_near and missed <= half * (1 + 1e-6)
    else:
        kind, right = "off", not is_near and missed > half * (1 - 1e-6)
        faults += check_reason(verdict, pair)
        if "no reason" in verdict:
            kind = "no reason"
    said[kind] += 1
    if not right:
        faults.append(f"{found[0]}: measured {measured}, predicted {predicted}, interval {half}")
    return faults


def check_reason(verdict, pair):
    """A reason that was measured is in the numbers."""
    most = lambda key: max(side.of.get(key) or 0 for side in (pair.a, pair.b))
    if "torque limits were reached" in verdict:
        right = most("saturated_steps") > 0
    elif "stops or contacts acted" in verdict:
        right = most("constrained_steps") > 0
    elif "too large for equations" in verdict:
        right = most("error_peak") > 0.1 and agrees(verdict.partition("up to")[2], most("error_peak"))
    else:
        right = most("saturated_steps") == 0
    return [] if right else [f"a reason that was not measured: {verdict}"]


def degrees(text, rad):
    return math.isclose(rad, 0, abs_tol=1e-3) if text in ("not at all", "none of it") else agrees(text, math.degrees(rad))


def check_turning(text, pair, said):
    found, alike = TURNING.search(text), ALIKE.search(text)
    if not found and not alike:
        return [f"not understood: {text}"] if "s turns" in text else []
    turned = [(side.of["twist_rad"], side.of.get("ideal_turning_rad")) for side in (pair.a, pair.b)]
    if alike:
        right = degrees(alike["both"], max(twist for twist, _ in turned))
        right = right and all(words == "none of it" or degrees(words, ideal) for words, (_, ideal) in zip((alike["a"], alike["b"]), turned))
        return [] if right else [f"{alike[0]}, of {turned}"]
    turned = turned[::-1] if found["more"] == pair.b.name else turned
    (most, ideal), (least, least_ideal) = turned
    faults = []
    if not most > least or not degrees(found["most"], most) or not (least < 1e-3 * most if found["least"] == "not at all" else degrees(found["least"], least)):
        faults.append(f"{found[0]}, of {turned}")
    if ideal is None or least_ideal is None:
        return faults
    missed = max(abs(most - ideal), abs(least - least_ideal)) / most
    if ("nothing else" in found["why"]) != (missed <= EXPLAINED):
        faults.append(f"{found[0]}, and the ideal turning is {ideal} and {least_ideal} rad")
    if found["torsion"]:
        by_torsion = ideal - least_ideal
        parts = zip(("more_by", "torsion", "other"), (most - least, by_torsion, most - least - by_torsion))
        faults += [f"{found[0]}, of {turned}" for name, rad in parts if not degrees(found[name], rad)]
    return faults


def check_storage(text, pair, said):
    found = STORAGE.search(text)
    if not found:
        return []
    largest = max((value for side in (pair.a, pair.b) for value in side.V.values() if value is not None), default=0)
    differences, reach = [], 0
    for mark in pair.a.V:
        a, b = pair.a.V[mark], pair.b.V.get(mark)
        if mark > 0 and a is not None and b is not None and max(a, b) > 1e-3 * largest:
            half = pair.half(lambda run: next((value for key, value in run["V_at"].items() if float(key) == mark), None))
            differences.append(relative(a, b, 0))
            reach = max(reach, *(relative(a, each, 0) if math.isfinite(half) else math.inf for each in (b - half, b + half)))
    most = max(differences, default=math.nan)
    words = found["by"] or found["within"] or "0"
    right = agrees(words, (100 if "%" in words else 1) * most) and (reach > SAME * (1 + 1e-9)) == bool(found["by"])
    return [] if right else [f"{found[0]}, and V differs by {most}"]


def check_causes(text, settings):
    """Of what turns s beside torsion, what the settings decide."""
    faults = []
    for cause, keys in CAUSES.items():
        is_set = any(each.startswith(tuple(keys.split())) for each in settings)
        if cause in text and not is_set and not (cause == "pushes" or "damping not proportional" in text):
            faults.append(f"{cause} is said to turn s, and there is none")
    return faults


def mechanism(rng):
    """A chain or tree of hinges and slides, with motors, and some with damping, dry friction, limits."""
    joints, bodies = rng.randint(2, 6), ""
    damping, friction = rng.choice([0, 0, 0.1, 1]), rng.choice([0, 0, 0, 0.05, 0.5])
    depth = 0
    for i in range(joints):
        while depth > 1 and rng.random() < 0.2:
            bodies, depth = bodies + "</body>", depth - 1
        place = " ".join(f"{rng.uniform(-0.3, 0.3):.3g}" for _ in range(3))
        axis = " ".join(f"{rng.gauss(0, 1):.3g}" for _ in range(3))
        kind = "slide" if rng.random() < 0.15 else "hinge"
        limit = f" range='{rng.uniform(-2.5, -0.5):.3g} {rng.uniform(0.5, 2.5):.3g}'" if rng.random() < 0.2 else ""
        bodies += f"<body name='b{i}' pos='{place}'><joint name='j{i}' type='{kind}' axis='{axis}'{limit}/>"
        bodies += f"<geom type='capsule' fromto='0 0 0 {place}' size='.03' mass='{10 ** rng.uniform(-1, 1):.3g}'/>"
        depth += 1
    motors = "".join(f"<motor joint='j{i}'{limit_of_torque(rng)}/>" for i in range(joints))
    integrator = rng.choice(["Euler", "Euler", "RK4", "implicitfast"])
    return (
        f"<mujoco><compiler angle='radian'/><option timestep='{rng.choice([0.0005, 0.001, 0.002])}' integrator='{integrator}'/>"
        f"<default><geom contype='0' conaffinity='0'/><joint damping='{damping}' frictionloss='{friction}' armature='{rng.choice([0, 0.02])}'/></default>"
        f"<worldbody>{bodies}{'</body>' * depth}</worldbody><actuator>{motors}</actuator></mujoco>\n"
    )


def limit_of_torque(rng):
    return f" ctrlrange='-{(size := 10 ** rng.uniform(0.5, 2.5)):.3g} {size:.3g}'" if rng.random() < 0.15 else ""


def random_settings(rng, body):
    rate = rng.choice([250, 500, 1000, 1000, 2000])
    number = lambda low, high: f"{10 ** rng.uniform(low, high):.3g}"
    pool = [
        lambda: f"gains.Lambda={number(0, 1.3)}",
        lambda: f"gains.K_D={number(0, 1.7)}",
        lambda: "controller.gain_form=diagonal",
        lambda: f"gains.G.0.1={number(-1, 1)}",
        lambda: f"control.delay_s={rng.randint(1, 4) / rate}",
        lambda: f"control.actuation_delay_s={rng.randint(1, 4) / rate}",
        lambda: f"control.velocity_filter_hz={number(0.7, 2.3)}",
        lambda: f"control.encoder_resolution={number(-6, -2)}",
        lambda: f"noise.joint_velocity={number(-4, -1)}",
        lambda: f"noise.joint_position={number(-6, -3)}",
        lambda: f"plant.mass_scale={rng.uniform(0.7, 1.4):.3g}",
        lambda: f"plant.mass_error={rng.uniform(0.02, 0.3):.3g}",
        lambda: f"plant.speed_limit={number(-0.5, 1)}",
        lambda: f"throw={{at_s: {rng.uniform(0.05, 0.3):.2g}, size: {number(-1, 0.7)}}}",
        lambda: f"pushes=[{{start_s: {rng.uniform(0, 0.3):.2g}, force_N: [{number(-1, 2)}, 0, {number(-1, 2)}], body: {body}}}]",
        lambda: f"reference={{type: sinusoid, amplitude: {rng.uniform(0.05, 0.6):.2g}, frequency_hz: {number(-0.5, 0.3)}, fade_s: {rng.choice([0, 0.5])}}}",
        lambda: "marks_s=[0, 0.05, 0.1, 0.2, 0.5, 1]",
    ]
    start = f"initial={{v_error_prior: {rng.choice(['joint', 'energy', 'impulse'])}, v_error_size: {number(-3, 0.7)}}}"
    settings = [start] * rng.randint(0, 1) + [make() for make in rng.sample(pool, rng.randint(0, 6))]
    if rng.random() < 0.8:
        return [f"control.rate_hz={rate}", *settings]
    return ["control.mode=every_stage", *(each for each in settings if not each.startswith(("control", "noise", "plant.speed")))]
