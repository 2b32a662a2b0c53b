#!/usr/bin/env python3
"""Writes scenes/chain20/scene.xml and scenes/tree20/scene.xml.

Twenty revolute joints, once as a serial chain and once as a binary tree. Joint axes, body frames,
link lengths, masses, centres of mass and inertia tensors are random with a fixed seed, so that the
models are identical on every machine and general: only structural zeros of C vanish. At q = 0 the
links follow a designed shape; the bodies' frames are random.

Run without arguments to write both files; with --check to compare them with the generated content.
"""

import argparse
import math
import pathlib
import random
import sys

SCENES = pathlib.Path(__file__).resolve().parent.parent / "scenes"
JOINTS = 20
SHELL_DENSITY = 900.0  # kg/m^3
ARMATURE = 0.01  # kg m^2
# Maximum |cosine| between a joint's axis and its link: a joint along the link would only twist it.
LARGEST_ALIGNMENT = 0.8
RING_WIDTH = 0.017  # m


# Vectors are tuples of three, rotations tuples of three rows.

def Add(a, b):
    return tuple(x + y for x, y in zip(a, b))


def Sub(a, b):
    return tuple(x - y for x, y in zip(a, b))


def Scale(s, a):
    return tuple(s * x for x in a)


def Dot(a, b):
    return sum(x * y for x, y in zip(a, b))


def Cross(a, b):
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def Normalized(a):
    return Scale(1.0 / math.sqrt(Dot(a, a)), a)


def Transposed(matrix):
    return tuple(zip(*matrix))


def Times(matrix, a):
    return tuple(Dot(row, a) for row in matrix)


def Product(a, b):
    columns = Transposed(b)
    return tuple(tuple(Dot(row, column) for column in columns) for row in a)


def RotationFromQuaternion(q):
    """The rotation of the unit quaternion (w, x, y, z)."""
    w, x, y, z = q
    return ((1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)),
            (2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)),
            (2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)))


def QuaternionFromRotation(r):
    """The unit quaternion (w, x, y, z) of a rotation, from its largest component."""
    squares = (1 + r[0][0] + r[1][1] + r[2][2], 1 + r[0][0] - r[1][1] - r[2][2],
               1 - r[0][0] + r[1][1] - r[2][2], 1 - r[0][0] - r[1][1] + r[2][2])
    largest = squares.index(max(squares))
    wx, wy, wz = r[2][1] - r[1][2], r[0][2] - r[2][0], r[1][0] - r[0][1]
    xy, xz, yz = r[0][1] + r[1][0], r[0][2] + r[2][0], r[1][2] + r[2][1]
    rows = ((squares[0], wx, wy, wz), (wx, squares[1], xy, xz), (wy, xy, squares[2], yz),
            (wz, xz, yz, squares[3]))
    norm = math.sqrt(sum(x * x for x in rows[largest]))
    return tuple(x / norm for x in rows[largest])


def RotationAbout(axis, angle):
    half = 0.5 * angle
    return RotationFromQuaternion((math.cos(half), *Scale(math.sin(half), axis)))


def RandomDirection(rng):
    """Uniform on the sphere, from uniform numbers only, whose sequence is fixed for a seed."""
    z = rng.uniform(-1.0, 1.0)
    angle = rng.uniform(-math.pi, math.pi)
    r = math.sqrt(1.0 - z * z)
    return (r * math.cos(angle), r * math.sin(angle), z)


def RandomRotation(rng):
    return RotationAbout(RandomDirection(rng), rng.uniform(-math.pi, math.pi))


class Link:
    """A body: from its joint to its tip, in world axes at q = 0, and its random properties."""

    def __init__(self, rng, parent, start, tip, radius):
        self.parent = parent  # a Link, or None on the ground
        self.children = []
        if parent is not None:
            parent.children.append(self)
        self.start, self.tip, self.radius = start, tip, radius
        self.rotation = RandomRotation(rng)  # world from body
        self.axis = self._RandomAxis(rng)
        self._DrawInertia(rng)

    def _RandomAxis(self, rng):
        along = Normalized(Sub(self.tip, self.start))
        while True:
            axis = RandomDirection(rng)
            if abs(Dot(axis, along)) < LARGEST_ALIGNMENT:
                return axis

    def _DrawInertia(self, rng):
        """A capsule's mass, centre and second moments, each changed by a random factor.

        The second moments about the centre, S = R diag(s) R^T with s > 0, give the inertia tensor
        tr(S) 1 - S, which is physical for all factors.
        """
        span = Sub(self.tip, self.start)
        length = math.sqrt(Dot(span, span))
        volume = math.pi * self.radius**2 * (length + 4.0 / 3.0 * self.radius)
        self.mass = SHELL_DENSITY * volume * rng.uniform(0.6, 1.6)
        centre = Add(self.start, Scale(rng.uniform(0.35, 0.65), span))
        self.centre = Add(centre, Scale(rng.uniform(0.1, 0.4) * self.radius, RandomDirection(rng)))
        along = Normalized(span)
        side = Normalized(Cross(along, RandomDirection(rng)))
        tilt = RotationAbout(RandomDirection(rng), rng.uniform(-0.5, 0.5))
        axes = [Times(tilt, a) for a in (along, side, Cross(along, side))]
        plain = (length**2 / 12.0, self.radius**2 / 4.0, self.radius**2 / 4.0)
        moments = [self.mass * s * rng.uniform(0.6, 1.6) for s in plain]
        trace = sum(moments)
        self.inertia = tuple(
            tuple((trace if i == j else 0.0) -
                  sum(s * a[i] * a[j] for s, a in zip(moments, axes)) for j in range(3))
            for i in range(3))  # about the centre, world axes

    def InBody(self, point):
        """A world point in the body's frame (origin on the joint)."""
        return Times(Transposed(self.rotation), Sub(point, self.start))

    def AxisInBody(self):
        return Times(Transposed(self.rotation), self.axis)

    def InertiaInBody(self):
        to_body = Transposed(self.rotation)
        return Product(Product(to_body, self.inertia), self.rotation)


def DepthFirst(link):
    yield link
    for child in link.children:
        yield from DepthFirst(child)


# The two shapes.

def ChainCurve(s):
    """The chain's centre line, s in [0, 1]: a rising, narrowing spiral."""
    angle = 2.0 * math.pi * (1.30 * s + 0.15)
    radius = 0.30 * (1.0 - 0.55 * s)
    return (radius * math.cos(angle), radius * math.sin(angle), 0.40 + 0.75 * s + 0.15 * s * s)


def Chain(rng):
    """Twenty links along the curve with random lengths and radii that decrease to the tip."""
    steps = [rng.uniform(0.85, 1.15) for _ in range(JOINTS)]
    total, walked, links = sum(steps), 0.0, []
    for i, step in enumerate(steps):
        start = ChainCurve(walked / total)
        walked += step
        radius = 0.032 - 0.013 * i / (JOINTS - 1)
        links.append(Link(rng, links[-1] if links else None, start, ChainCurve(walked / total),
                          radius))
    return links[0]


TREE_LENGTHS = (0.34, 0.29, 0.24, 0.20, 0.17)
TREE_RADII = (0.036, 0.030, 0.025, 0.0205, 0.017)
TREE_UPWARD = 0.15  # how far each branch bends back to the vertical
TREE_FOOT = (0.0, 0.0, 0.10)


def TreeDirection(parent_direction, side, depth):
    """The child's direction: tilted from the parent's, in a plane that rotates with the depth."""
    turn = math.radians((75.0, 10.0, 100.0, 25.0)[depth - 1])
    flat = (math.cos(turn), math.sin(turn), 0.0)
    across = Sub(flat, Scale(Dot(flat, parent_direction), parent_direction))
    tilt = math.radians((34.0, 32.0, 31.0, 30.0)[depth - 1])
    tilted = Add(Scale(math.cos(tilt), parent_direction),
                 Scale(side * math.sin(tilt), Normalized(across)))
    return Normalized(Add(tilted, (0.0, 0.0, TREE_UPWARD)))


def Tree(rng):
    """The binary tree in which the parent of body i is body (i - 1) / 2."""
    links, directions = [], []
    for i in range(JOINTS):
        depth = (i + 1).bit_length() - 1
        parent = links[(i - 1) // 2] if i else None
        direction = (TreeDirection(directions[(i - 1) // 2], 1.0 if i % 2 else -1.0, depth)
                     if i else (0.0, 0.0, 1.0))
        start = parent.tip if parent else TREE_FOOT
        length = TREE_LENGTHS[depth] * rng.uniform(0.92, 1.08)
        links.append(Link(rng, parent, start, Add(start, Scale(length, direction)),
                          TREE_RADII[depth]))
        directions.append(direction)
    return links[0]


# Writing MJCF.

def Text(values, digits=6):
    """Numbers to `digits` decimals, without trailing zeros and without -0."""
    def One(value):
        text = f"{value:.{digits}f}".rstrip("0").rstrip(".")
        return "0" if text in ("-0", "") else text
    return " ".join(One(v) for v in values)


def InertialText(link):
    j = link.InertiaInBody()
    six = (j[0][0], j[1][1], j[2][2], j[0][1], j[0][2], j[1][2])
    return (f'<inertial mass="{link.mass:.6f}" pos="{Text(link.InBody(link.centre))}" '
            f'fullinertia="{Text(six, 10)}"/>')


def BodyLines(link, number, site):
    """The MJCF of one body, without its children; a leaf has a site and the accent ring."""
    tip = link.InBody(link.tip)
    if link.parent is None:
        position, frame = link.start, link.rotation
    else:
        position = link.parent.InBody(link.start)
        frame = Product(Transposed(link.parent.rotation), link.rotation)
    quaternion = Text(QuaternionFromRotation(frame), 9)
    lines = [f'<body name="link{number}" pos="{Text(position)}" quat="{quaternion}">',
             f'  <joint name="joint{number}" axis="{Text(link.AxisInBody(), 9)}"/>',
             f"  {InertialText(link)}",
             f'  <geom type="capsule" size="{link.radius:.4f}" fromto="0 0 0 {Text(tip)}"/>']
    ball = f'  <geom type="sphere" size="{1.2 * link.radius:.4f}"'
    if link.parent is None:
        lines.append(f'{ball} material="joint"/>')
    if site is None:
        lines.append(f'{ball} pos="{Text(tip)}" material="joint"/>')
    else:
        half = 0.5 * RING_WIDTH / math.sqrt(Dot(tip, tip))
        low, high = (Text(Scale(0.7 + side * half, tip)) for side in (-1, 1))
        lines.append(f'  <geom type="cylinder" size="{1.06 * link.radius:.4f}" '
                     f'fromto="{low} {high}" material="ring"/>')
        lines.append(f'  <site name="{site}" pos="{Text(tip)}"/>')
    return lines


def Bodies(root, site_names):
    """All bodies, nested, numbered depth-first from 1; leaves carry the sites."""
    numbers = {id(link): n for n, link in enumerate(DepthFirst(root), 1)}
    names = iter(site_names)
    lines = []

    def Write(link, indent):
        site = None if link.children else next(names)
        own = BodyLines(link, numbers[id(link)], site)
        lines.extend(indent + line for line in own)
        for child in link.children:
            Write(child, indent + "  ")
        lines.append(indent + "</body>")

    Write(root, "    ")
    return lines


def Scene(name, statistic, view, stand, root, site_names):
    home = " ".join(["0"] * JOINTS)
    return "\n".join([
        f'<mujoco model="{name}">',
        "  <!-- Written by scripts/make_paper_models.py; change that script, not this file. -->",
        '  <include file="../common/studio.xml"/>',
        "",
        f"  <statistic {statistic}/>",
        "  <visual>",
        f"    <global {view}/>",
        "  </visual>",
        "",
        "  <default>",
        f'    <joint type="hinge" armature="{ARMATURE}"/>',
        "  </default>",
        "",
        "  <worldbody>",
        *("    " + line for line in stand),
        *Bodies(root, site_names),
        "  </worldbody>",
        "",
        "  <keyframe>",
        f'    <key name="home" qpos="{home}"/>',
        "  </keyframe>",
        "</mujoco>",
        ""])


def StandLines(root, foot, column):
    """A white foot on a graphite disc, and a column up to the first joint, all fixed."""
    x, y, z = root.start
    at = f"{x:.6f} {y:.6f}"
    top = z - 0.6 * root.radius
    lines = [f'<geom type="cylinder" size="{foot + 0.018:.4f} 0.010" pos="{at} 0.010" '
             'material="joint"/>',
             f'<geom type="cylinder" size="{foot:.4f} 0.014" pos="{at} 0.034"/>',
             f'<geom type="ellipsoid" size="{foot:.4f} {foot:.4f} 0.034" pos="{at} 0.048"/>']
    if top > 0.14:
        lines += [f'<geom type="cylinder" size="{column + 0.003:.4f} 0.008" pos="{at} 0.085" '
                  'material="joint"/>',
                  f'<geom type="cylinder" size="{column:.4f} {0.5 * (top - 0.06):.6f}" '
                  f'pos="{at} {0.5 * (top + 0.06):.6f}"/>']
    return lines


def ChainScene():
    root = Chain(random.Random(20))
    return Scene("chain20", 'center="0 0 0.68" extent="1.60"', 'azimuth="138" elevation="-10"',
                 StandLines(root, 0.105, 0.030), root, ["ee"])


def TreeScene():
    root = Tree(random.Random(2020))
    leaves = sum(not link.children for link in DepthFirst(root))
    return Scene("tree20", 'center="0.03 0.06 0.66" extent="1.68"', 'azimuth="138" elevation="-10"',
                 StandLines(root, 0.105, 0.036), root, [f"ee{i + 1}" for i in range(leaves)])


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--check", action="store_true", help="compare instead of writing")
    check = parser.parse_args().check
    stale = []
    for name, text in (("chain20", ChainScene()), ("tree20", TreeScene())):
        path = SCENES / name / "scene.xml"
        if not check:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        elif not path.exists() or path.read_text(encoding="utf-8") != text:
            stale.append(str(path))
    for path in stale:
        print(f"{path}: differs from what scripts/make_paper_models.py writes", file=sys.stderr)
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
