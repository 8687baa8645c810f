"""Motions with many switches: python benchmarks/hybrid.py PART [--before SRC]

switches  motions over many switches: time of a switch with the steps up to the next one
members   a study of a block with dry friction, and one of an arm of six joints with dry friction in each: members a second
card      a million of these blocks and 100,000 arms on a graphics card, beside the same members on the host
contacts  the first run of a bouncing ball in a process, without kept machine code and with it; its bounces, a study of them,
          and rows of balls that fall on a floor and on one another: time, energy gained, penetration
events    bounces of contacts of a system; contact modes and impacts of rows of balls that touch: time of an event
car       a car that jumps, with np.maximum in its tyres: a run of new combinations of sides, after a first short run
rope      60 links that fall onto a floor, each end with a stiff contact: collocation and Radau's method, with compilation

With --before all but the rope are measured with the sources of an earlier zeromass too, in turn; what these do not know is
left out. Each measurement is in a process of its own; the rope without kept machine code. CPU seconds: other work may share
the machine.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

import zeromass as zm

LINKS, LENGTH, MASS, HEIGHT, SLOPE, GRAVITY = 60, 1.2, 0.3, 0.5, 0.3, 9.81
"""Links of a rope, its length, m, mass, kg, the height of its held end, m, and its slope at first, rad."""

WITHIN = 3.0
"""Times the run with collocation that the one with Radau's method may take."""

Model = tuple[zm.System, dict[Any, float], list[np.ndarray]]
"""A rope, its start, and the ends of its links."""


def contact(z: Any, w: Any, k: float) -> Any:
    """Force of a floor at z = 0 on a point that moves up at w: a spring of k N/m and a damper."""
    return k * np.maximum(-z, 0.0) - k / 1e4 * zm.where(z < 0, w, 0.0)


def angles(k: float, *, relative: bool = False) -> Model:
    """n coordinates: the angles of the links with the horizontal, or with the link before."""
    q = zm.coordinates(" ".join(f"q{i}" for i in range(LINKS)))
    φ = np.cumsum(q) if relative else q
    x, z = LENGTH / LINKS * np.cumsum(np.cos(φ)), HEIGHT + LENGTH / LINKS * np.cumsum(np.sin(φ))
    vx, vz = zm.rate(x), zm.rate(z)
    m = MASS / LINKS
    force = np.array([contact(a, b, k) for a, b in zip(z, vz, strict=True)])
    forces = dict(zip(q, force @ zm.jacobian(z, q), strict=True))
    system = zm.System(
        kinetic=m / 2 * (vx @ vx + vz @ vz), potential=m * GRAVITY * np.sum(z), coordinates=q, forces=forces
    )
    first = [SLOPE if i == 0 or not relative else 0.0 for i in range(LINKS)]
    return system, dict(zip(q, first, strict=True)), [np.array([a, b]) for a, b in zip(x, z, strict=True)]


def beads(k: float) -> Model:
    """3n coordinates and n rods: a large system, with multifrontal code."""
    end: Any = np.array([0.0, 0.0, HEIGHT])
    parts, rods, forces, first = [], {}, [], {}
    for i in range(LINKS):
        bead = zm.Particle(f"bead {i}", MASS / LINKS)
        rod = bead.position - end
        rods[f"rod {i}"] = (rod @ rod - (LENGTH / LINKS) ** 2) / (2 * LENGTH / LINKS)
        forces.append(zm.Force([0, 0, contact(bead.position[2], bead.velocity[2], k)], at=bead.position))
        along = LENGTH / LINKS * (i + 1)
        place = [along * np.cos(SLOPE), 0.0, HEIGHT + along * np.sin(SLOPE)]
        first.update(zip(bead.position, place, strict=True))
        parts.append(bead)
        end = bead.position
    system = zm.System(parts, constraints=rods, forces=forces, gravity=GRAVITY)
    return system, first, [bead.position[[0, 2]] for bead in parts]


MODELS: dict[str, Callable[[float], Model]] = {
    "angles": angles,
    "relative angles": lambda k: angles(k, relative=True),
    "beads": beads,
}


def one(model: str, method: Any, k: float, until: float) -> dict[str, Any]:
    """One run, in this process."""
    begin, wall = time.process_time(), time.perf_counter()
    system, first, ends = MODELS[model](k)
    run = zm.simulate(system, system.start(first), until=until, method=method, rtol=1e-6, atol=1e-8)
    seconds, wall = time.process_time() - begin, time.perf_counter() - wall
    assert run.outcome.complete, str(run.outcome)
    places = run.at([until])[np.concatenate(ends)].ravel().tolist()
    steps, switches = run.statistics.steps, len(run.switches)
    return {"cpu": seconds, "wall": wall, "steps": steps, "switches": switches, "places": places}


def rope(asked: argparse.Namespace) -> None:
    """Collocation and Radau's method on each model of the rope."""
    head = f"{'model':17s}{'method':13s}{'CPU, s':>8s}{'wall, s':>9s}{'steps':>8s}{'switches':>10s}"
    print(f"{head}{'apart, m':>10s}{'ratio':>7s}")
    for model in MODELS:
        if asked.only not in model:
            continue
        found: dict[str, dict[str, Any]] = {}
        for method in ("collocation", "radau"):
            given = ["--one", model, method, "--stiffness", str(asked.stiffness), "--until", str(asked.until)]
            process = subprocess.run(
                [sys.executable, __file__, "rope", *given],
                env={**os.environ, "ZEROMASS_CACHE": "off"},
                check=True,
                capture_output=True,
                text=True,
            )
            run = found[method] = json.loads(process.stdout)
            line = f"{model:17s}{method:13s}{run['cpu']:8.2f}{run['wall']:9.2f}{run['steps']:8d}{run['switches']:10d}"
            if method == "radau":
                other = found["collocation"]
                apart, ratio = np.abs(np.subtract(run["places"], other["places"])).max(), run["cpu"] / other["cpu"]
                verdict = "met" if ratio <= WITHIN else "missed"
                line += f"{apart:10.1e}{ratio:7.2f}  {verdict}: within {WITHIN:g} × collocation"
            print(line, flush=True)


def switches() -> dict[str, float]:
    """µs of a switch with the steps up to the next one, in runs over many, by name and method."""
    sys.path[0] = str(Path(__file__).resolve().parents[1] / "tests")  # this file has the name of a package there
    from hybrid.corpus import SWITCHES

    found = {}
    for name in ("coulomb_oscillator_of_many_swings", "four_pendula_with_dry_hinges", "backlash", "saw_tooth"):
        system, start, until = SWITCHES[name]()
        for method in ("dop853", "collocation", "radau"):
            run = partial(zm.simulate, system, start, until=until, method=method, rtol=1e-10)
            count = len(run().switches)
            found[f"{name}, {method}, us a switch"] = 1e6 * best(run) / count
    return found


def best(call: Callable[[], Any], rounds: int = 9) -> float:
    """The shortest CPU time of some calls, s."""
    times = []
    for _ in range(rounds):
        begin = time.process_time()
        call()
        times.append(time.process_time() - begin)
    return min(times)


def block() -> tuple[zm.System, zm.State, zm.Symbol, float]:
    x, μ = zm.coordinate("x"), zm.parameter("mu", 0.3)
    v = zm.rate(x)
    system = zm.System(kinetic=v**2 / 2, potential=5 * x**2, forces={x: -μ * GRAVITY * np.sign(v)})
    return system, system.start({x: 1.0, v: 1.0}), μ, 10.0


LINKS_OF_ARM = (  # kg, to the next joint, centre of mass, axis: masses and lengths of a UR10, as its maker publishes them
    (7.1, (0, 0, 0.1273), (0, 0, 0), (0, 0, 1)),
    (12.7, (0, 0.2209, 0), (0, 0, 0.306), (0, 1, 0)),
    (4.27, (0, -0.1719, 0.612), (0, 0, 0.286), (0, 1, 0)),
    (2.0, (0, 0, 0.5723), (0, 0.05, 0), (0, 1, 0)),
    (2.0, (0, 0.1149, 0), (0, 0, 0.05), (0, 0, 1)),
    (0.365, (0, 0, 0.1157), (0, 0.05, 0), (0, 1, 0)),
)


def arm() -> tuple[zm.System, zm.State, zm.Symbol, float]:
    """Six links that fall from rest, with dry friction in each joint: some 25 switches in 2 s."""
    link = '<link name="l{i}"><inertial><origin xyz="{c}"/><mass value="{m}"/><inertia ixx="{a}" iyy="{a}" izz="{b}" '
    link += 'ixy="0" ixz="0" iyz="0"/></inertial></link><joint name="j{i}" type="continuous"><parent link="l{k}"/>'
    link += '<child link="l{i}"/><origin xyz="{o}"/><axis xyz="{axis}"/></joint>'
    words = [
        link.format(i=i, k=i - 1, m=m, a=m * (0.035 if i in (2, 3) else 0.0067), b=m * 0.003, **_texts(o, c, axis))
        for i, (m, o, c, axis) in enumerate(LINKS_OF_ARM, 1)
    ]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "arm.urdf"
        path.write_text(f'<robot name="arm"><link name="l0"/>{"".join(words)}</robot>', encoding="utf-8")
        robot = zm.from_urdf(path)
    load, joints = zm.parameter("load", 1.0), [robot.joints[f"j{i}"] for i in range(1, 7)]
    torques = [joint.friction(load * f) for joint, f in zip(joints, (5, 5, 3, 1, 1, 0.5), strict=True)]
    system = robot.system(forces=torques)
    angles = (0.3, 0.5, -0.4, 0.3, 0.2, 0.1)
    return system, system.start({j.angle: a for j, a in zip(joints, angles, strict=True)}), load, 2.0


def _texts(o: Any, c: Any, axis: Any) -> dict[str, str]:
    return {name: " ".join(map(str, x)) for name, x in (("o", o), ("c", c), ("axis", axis))}


def members() -> dict[str, float]:
    """Members a second of one core, of studies that keep what is at the end."""
    found = {}
    for name, made, few, many in (("block", block, 50, 10_000), ("arm", arm, 4, 100)):
        system, start, p, until = made()
        count = few if "--few" in sys.argv else many
        study = partial(zm.sweep, system, start, until=until, keep={"end": system.coordinates[0]}, rtol=1e-8)
        study(over={p: np.linspace(0.5, 0.6, 2)})
        begin = time.process_time()
        result = study(over={p: np.linspace(0.3, 1.0, count)})
        found[f"{name}, members a second of a core"] = count / (time.process_time() - begin)
        assert set(result.outcome.values.tolist()) == {"finished"}
    return found


def card() -> dict[str, float]:
    """Studies on a graphics card: seconds of a first and a second one, and how many members have the bits of the host."""
    from zeromass.ensemble.gpu_driver import Card

    found = {}
    for name, made, count in (("block", block, 1_000_000), ("arm", arm, 100_000)):
        system, start, p, until = made()
        keep = {"end": np.array([*system.coordinates, *system.rates])}
        study = partial(zm.sweep, system, start, until=until, keep=keep, rtol=1e-8)
        for turn in ("first", "second"):
            begin, before = time.perf_counter(), Card.first().seconds
            result = study(over={p: np.linspace(0.3, 1.0, count)}, on="gpu")
            found[f"{name}, {count} members, {turn} study, s"] = time.perf_counter() - begin
            found[f"{name}, of these on the card, s"] = Card.first().seconds - before
        assert set(result.outcome.values.tolist()) == {"finished"}, set(result.message.values.tolist())
        some = np.linspace(0, count - 1, 256).astype(int)
        same = study(over={p: result[p.name].values[some]}, on="lanes").end.values
        found[f"{name}, of 256 members with the bits of the host"] = int(
            np.sum((same == result.end.values[some]).all(axis=1))
        )
    return found


def ball(restitution: float) -> tuple[zm.System, Any]:
    """A ball above a floor, and what it starts with, by its height."""
    system = zm.Contacts(zm.ball(0.1, 1.0), on=zm.surfaces.plane(), gravity=10.0, friction=0.3, restitution=restitution)
    return system, lambda height: system.start(center=(0, 0, height), velocity=(1.0, 0, 0), angular_velocity=0.0)


FIRST_RUN = """
import time
begin = time.process_time()
import zeromass as zm
imported = time.process_time()
ball = zm.Contacts(zm.ball(0.1, 1.0), on=zm.surfaces.plane(), gravity=10.0, friction=0.3, restitution=0.8)
start = ball.start(center=(0, 0, 1.1), velocity=(1.0, 0, 0), angular_velocity=0.0)
given = time.process_time()
zm.simulate(ball, start, until=1.0)
print(imported - begin, time.process_time() - given)
"""


def first_runs() -> dict[str, float]:
    """Seconds of the import and of the first run of a bouncing ball in a process, without and with kept machine code."""
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        env = {**os.environ, "ZEROMASS_CACHE": "off", "PYTHONPYCACHEPREFIX": f"{folder}/bytecode"}
        env.pop("PYTHONDONTWRITEBYTECODE", None)
        for turn in ("bytecode", "without kept code", "with kept code"):
            command = [sys.executable, "-c", FIRST_RUN]
            done = subprocess.run(command, env=env, check=True, capture_output=True, text=True)
            if turn != "bytecode":
                seconds = map(float, done.stdout.split())
                found["import zeromass, s"], found[f"bouncing ball, first run {turn}, s"] = seconds
            env["ZEROMASS_CACHE"] = f"{folder}/code"
    return found


def warm(call: Callable[[], Any]) -> Any:
    """What a call gives after machine code has been made as good as it becomes."""
    from zeromass.codegen import background

    for _ in range(3):
        call()
        background.wait()
    return call()


def worst(done: zm.Run, row: zm.Contacts, size: float) -> dict[str, float]:
    """Energy that a run has gained, as a part of that at its start, and how deep bodies were inside what they touch."""
    times = np.linspace(float(done.t[0]), float(done.t[-1]), 2_000)
    E = np.concatenate([done[row.energy], done.at(times)[row.energy]])
    gaps = [g for pair in row.pairs for g in (done[pair.gap].min(), done.at(times)[pair.gap].min())]
    return {
        "energy gained, part": max(E.max() - E[0], 0.0) / abs(E[0]),
        "penetration, radii": max(-min(gaps), 0.0) / size,
    }


def contacts() -> dict[str, float]:
    """µs of a bounce with its steps, members a second of a study, seconds of rows of balls, and how wrong these are."""
    found, few = first_runs(), "--few" in sys.argv
    system, start = ball(1.0)
    for method in ("dop853", "collocation"):
        run = partial(zm.simulate, system, start(1.1), until=200.0, method=method)
        bounces = len((warm(partial(run, until=200.0 if few else 10_000.0)) and run()).impulses)
        found[f"bouncing ball, {method}, us a bounce"] = 1e6 * best(run, 5) / bounces
    height = zm.parameter("height", 1.1)
    system, start = ball(0.8)
    study = partial(zm.sweep, system, start(height), until=4.0, keep={"end": system.coordinates[0]}, rtol=1e-8)
    study(over={height: np.linspace(1.0, 1.1, 2)})
    count, begin = 20 if few else 10_000, time.process_time()
    study(over={height: np.linspace(0.5, 2.5, count)})
    found["bouncing balls, members a second of a core"] = count / (time.process_time() - begin)
    for n in (2, 3) if few else (2, 3, 5, 8):
        for apart, words in ((0.25, "row"), (5.0, "far apart")):
            balls = [zm.ball(0.1, 1.0, name=f"b{i}") for i in range(n)]
            row = zm.Contacts(balls, on=zm.surfaces.plane(), gravity=9.81, friction=0.3, restitution=0.3, between=True)
            first = row.start(center={f"b{i}": (apart * i, 0.01 * i, 0.3 + 0.05 * i) for i in range(n)})
            for turn in ("first", "second"):
                begin = time.process_time()
                done = zm.simulate(row, first, until=0.6)
                found[f"{n} balls, {words}, {turn} run of 0.6 s, s"] = time.process_time() - begin
                assert done.outcome.complete, str(done.outcome)
            found |= {f"{n} balls, {words}, {what}": value for what, value in worst(done, row, 0.1).items()}
    return found


def events() -> dict[str, float]:
    """µs of an event of balls in a row that touch one another and a floor, at rest and struck."""
    from zeromass.integrate.hybrid import motion
    from zeromass.integrate.hybrid.contact_transitions import settle_contacts
    from zeromass.kernel.language import compiled

    found, drivers = {}, []
    kept = motion.Driver.begin

    def begin(driver: Any, *given: Any) -> None:
        drivers.append(driver)
        kept(driver, *given)

    bouncing = (
        ("particle", zm.Particle("particle", 1.0), zm.shapes.point(), 0.0),
        ("ball", zm.RigidBody("ball", 1.0, (0.004,) * 3), zm.shapes.sphere(0.1), 0.3),
    )
    for name, body, shape, friction in bouncing:
        floor = zm.Contact(body, shape, zm.surfaces.plane(), friction=friction, restitution=1.0)
        system = zm.System([body], gravity=10.0, contacts=[floor])
        first = {**dict(zip(body.position, (0, 0, 1.1), strict=True)), **dict.fromkeys(body.velocity, 0.0)}
        turning = dict.fromkeys(body.angular_velocity, 0.0) if isinstance(body, zm.RigidBody) else {}
        start = system.start({**first, **turning})
        for method in ("dop853", "collocation"):
            run = partial(zm.simulate, system, start, until=400.0, method=method)
            bounces = len((warm(partial(run, until=20_000.0)) and run()).impulses)
            found[f"bouncing {name}, {method}, us a bounce"] = 1e6 * best(run) / bounces
    motion.Driver.begin = begin  # pyright: ignore[reportAttributeAccessIssue]
    for n in (2, 10, 50):
        bodies = [zm.RigidBody(f"b{i}", mass=1 + 0.1 * i, inertia=(0.004,) * 3) for i in range(n)]
        floor, sphere, law = zm.surfaces.plane(), zm.shapes.sphere(0.1), {"friction": 0.3, "restitution": 0.3}
        row = [zm.Contact(one, sphere, floor, name=one.name, **law) for one in bodies]
        row += [zm.Contact(a, sphere, b, sphere, **law) for a, b in pairwise(bodies)]
        system = zm.System(bodies, gravity=GRAVITY, contacts=row)
        at_rest = [(b.velocity, 0.0) for b in bodies] + [(b.angular_velocity, 0.0) for b in bodies]
        start = system.start([(b.position, (0.2 * i, 0, 0.1)) for i, b in enumerate(bodies)] + at_rest)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            zm.simulate(system, start, until=0.01)
        driver, rng = drivers[-1], np.random.default_rng(0)
        struck = np.concatenate([start.q, start.v])
        for k in range(n):
            struck[7 * n + 7 * k : 7 * n + 7 * k + 3] = rng.normal(size=3) - (0, 0, 2)
        for name, state in (("at rest", np.concatenate([start.q, start.v])), ("struck", struck)):
            again = partial(event, driver, state, driver.work.values.copy())
            compiled(settle_contacts).code.improve()
            warm(again)
            found[f"{len(row)} contacts {name}, us an event"] = 1e6 * best(again, 200)
    return found


def event(driver: Any, state: np.ndarray, values: np.ndarray) -> None:
    """What the contacts of a state do next, in modes that were selected before."""
    from zeromass.integrate.hybrid.contact_transitions import settle_contacts
    from zeromass.kernel.language import compiled

    driver.work.state[: driver.order], driver.work.values[:] = state, values
    compiled(settle_contacts)(driver.m, driver.w, driver.step, False)


def car() -> dict[str, float]:
    """Seconds of CPU of a run over many combinations of tyres in the air, after a short run that compiles."""
    body = zm.RigidBody("car", 1200.0, (400.0, 1500.0, 1700.0), at=(0, 0, 0.9))
    corners = [(x, y) for x in (1.3, -1.3) for y in (0.7, -0.7)]
    hubs = [zm.Particle(f"hub {k}", 40.0) for k in range(4)]
    forces, first = [], {body.velocity[0]: 15.0}
    for (x, y), hub in zip(corners, hubs, strict=True):
        top = body.point((x, y, -0.3))
        velocity = zm.rate(top)
        road = 0.06 * np.sin(1.1 * hub.position[0] + 0.4 * y)
        strut = 3e4 * (0.35 - (top - hub.position)[2]) - 2e3 * (velocity - hub.velocity)[2]
        tyre = 2e5 * np.maximum(0.3 + road - hub.position[2], 0.0)
        forces += [zm.Force((0, 0, strut), at=top), zm.Force((0, 0, tyre - strut), at=hub.position)]
        side = [1e5 * (top - hub.position)[i] + 2e3 * (velocity - hub.velocity)[i] for i in (0, 1)]
        forces += [zm.Force((*side, 0), at=hub.position), zm.Force((-side[0], -side[1], 0), at=top)]
        first |= dict(zip(hub.position, (x, y, 0.27), strict=True)) | {hub.velocity[0]: 15.0}
    system = zm.System([body, *hubs], forces=forces, gravity=GRAVITY)
    start = system.start(first)
    zm.simulate(system, start, until=0.01, rtol=1e-8)
    begin = time.process_time()
    run = zm.simulate(system, start, until=6.0, rtol=1e-8)
    seconds = time.process_time() - begin
    assert run.outcome.complete, str(run.outcome)
    return {"car, s": seconds, "car, switches": len(run.switches)}


MEASURED: dict[str, Callable[[], dict[str, float]]] = {
    "switches": switches,
    "members": members,
    "card": card,
    "car": car,
    "contacts": contacts,
    "events": events,
}


ASKED = {
    "import zeromass": 0.25,
    "first run without kept code": 0.5,
    "first run with kept code": 0.25,
    "us a bounce": 10.0,
    "3 contacts": 100.0,
    "19 contacts": 1_000.0,
    "99 contacts": 10_000.0,
    "energy gained": 1e-12,
    "penetration": 1e-9,
}
"""What figures are not to be above, by a part of their names."""


def beside(asked: argparse.Namespace) -> None:
    """Figures of these sources, and of earlier ones if they are asked for."""
    now = _alone(asked.part)
    before = _alone(asked.part, asked.before) if asked.before else {}
    for name, value in now.items():
        line, old = f"{name:62s}{value:10.4g}", before.get(name)
        bound = next((bound for part, bound in ASKED.items() if part in name), None)
        if bound is not None:
            line += f"   asked <= {bound:g}: {'met' if value <= bound else 'missed'}"
        if old is not None:
            line += f"   before {old:10.4g}"
            line += f"   ratio {max(value / old, old / value):8.1f}" if value > 0.0 and old > 0.0 else ""
        print(line, flush=True)


def _alone(part: str, before: str | None = None) -> dict[str, float]:
    paths = [before] if before else []
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([*paths, os.environ.get("PYTHONPATH", "")])}
    command = [sys.executable, __file__, part, "--alone", *(["--few"] if before else [])]
    done = subprocess.run(command, env=env, check=not before, stdout=subprocess.PIPE, text=True)
    if done.returncode:
        print(f"{before} can not do this", flush=True)
    return json.loads(done.stdout) if not done.returncode else {}


PARTS: dict[str, Callable[[argparse.Namespace], None]] = {**dict.fromkeys(MEASURED, beside), "rope": rope}


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("part", choices=PARTS)
    parser.add_argument("--stiffness", type=float, default=2e4, help="of a contact, N/m")
    parser.add_argument("--until", type=float, default=0.6, help="s")
    parser.add_argument("--only", default="", help="models whose names contain this")
    parser.add_argument("--one", nargs=2, metavar=("MODEL", "METHOD"), help=argparse.SUPPRESS)
    parser.add_argument("--before", metavar="SRC", help="sources of an earlier zeromass, for comparison")
    parser.add_argument("--alone", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--few", action="store_true", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.alone:
        print(json.dumps(MEASURED[asked.part]()))
    elif asked.one:
        model, method = asked.one
        print(json.dumps(one(model, method, asked.stiffness, asked.until)))
    else:
        PARTS[asked.part](asked)


if __name__ == "__main__":
    main()
