"""The diagnosis names what is missing, what is too much, and what kind each constraint is."""

from __future__ import annotations

import numpy as np
import pytest

import zeromass as zm
from model.mechanisms import Coin, Shell, bowl, chain, four_bar, random_state
from zeromass.equation import Verdict


def plane(**constraints) -> tuple[np.ndarray, zm.System]:
    """A unit mass in the plane with a heading: x, y, phi."""
    q = zm.coordinates("x y phi")
    v = zm.rate(q)
    return q, zm.System(kinetic=v @ v / 2, coordinates=q, constraints={n: c(*q) for n, c in constraints.items()})


def beam(scale: float = 1.0) -> zm.System:
    """A beam on three supports, one more than it needs, guided at its end."""
    x, y, phi = q = zm.coordinates("x y phi")
    v = zm.rate(q)
    return zm.System(
        kinetic=v @ v / 2,
        potential=9.81 * y,
        coordinates=q,
        constraints={
            "left": y - np.sin(phi),
            "middle": y,
            "right": scale * (y + np.sin(phi)),
            "guide": x,
        },
    )


@pytest.mark.parametrize("scale", [1.0, 1e-10, 1e10])
def test_redundant_support(scale):
    system = beam(scale)
    diagnosis = system.check()
    assert diagnosis.unique
    assert (diagnosis.constraint_rows, diagnosis.constraint_rank) == (4, 3)
    assert diagnosis.degrees_of_freedom == 0
    (dependence,) = diagnosis.dependent
    assert dependence.row == "right"
    assert dependence.consistent
    # right = 2 middle − left, to the rounding of the coefficients
    assert dependence.follows_from == pytest.approx({"left": -scale, "middle": 2 * scale}, rel=1e-14)
    assert diagnosis.redundant == {"right": ("left", "middle")}
    assert diagnosis.contradictory == {}
    assert set(diagnosis.inseparable) == {"left", "middle", "right"}
    text = str(diagnosis)
    assert "'right' is redundant: it follows from 'left', 'middle'" in text
    assert "reactions that are not determined one by one: left, middle, right" in text
    assert diagnosis.lost == ()
    # the sum of the supports is told all the same: it is the weight
    assert system.start()[system.reaction.total][1] == pytest.approx(9.81, rel=1e-13)


@pytest.mark.parametrize("factor", [1.0, -3.0, 1e10, 1e-10])
def test_repeated_constraint(factor):
    bead = zm.Particle("bead", 1.0)
    x, _, z = bead.position
    system = zm.System([bead], constraints={"wall": x, "floor": z, "wall again": factor * x})
    diagnosis = system.check()
    assert diagnosis.redundant == {"wall again": ("wall",)}
    assert set(diagnosis.inseparable) == {"wall", "wall again"}


def test_contradiction():
    """Two lengths for one rod, the same at t = 0 up to the first derivative: only b differs."""
    bead = zm.Particle("bead", 1.0)
    square = bead.position @ bead.position
    rods = {"rod": square - 1, "stretching rod": square - (1 + zm.t**2) ** 2, "floor": bead.position[2]}
    system = zm.System([bead], gravity=9.81, constraints=rods)
    state = system.start({bead.position[0]: 1.0})
    diagnosis = system.check(state)
    assert diagnosis.verdict is Verdict.INCONSISTENT
    assert not diagnosis.unique
    assert diagnosis.contradictory == {"stretching rod": ("rod",)}
    assert diagnosis.redundant == {}
    assert "'stretching rod' contradicts 'rod'" in str(diagnosis)
    with pytest.raises(zm.errors.ModelError, match="inconsistent"):
        state[zm.acceleration(bead.position[0])]


def test_contradicting_accelerations():
    x, y = zm.coordinates("x y")
    a = zm.acceleration(x)
    system = zm.System(kinetic=(zm.rate(x) ** 2 + zm.rate(y) ** 2) / 2, constraints={"slow": a - 1, "fast": a - 2})
    assert system.check().contradictory == {"fast": ("slow",)}


def test_undetermined_directions():
    """Three places without mass: two that nothing holds, one held by a constraint to the bead."""
    bead, held = zm.Particle("bead", 1.0), zm.Particle("held", 0.0)
    loose = zm.Particle("loose", 0.0)
    system = zm.System([bead, held, loose], gravity=9.81, constraints={"pin": held.position - bead.position})
    diagnosis = system.check()
    assert diagnosis.verdict is Verdict.UNDETERMINED
    assert (diagnosis.rank, diagnosis.coordinates) == (6, 9)
    directions = [item.direction for item in diagnosis.undetermined]
    assert sorted(directions, key=str) == [{"loose.x": 1.0}, {"loose.y": 1.0}, {"loose.z": 1.0}]
    for item in diagnosis.undetermined:
        assert item.force is None
        assert next(iter(item.direction)) in str(diagnosis)
    state = system.start()
    assert state[zm.acceleration(bead.position[2])] == pytest.approx(-9.81, rel=1e-14)
    with pytest.raises(zm.errors.ModelError, match=r"'loose\.y' is not determined"):
        state[zm.acceleration(loose.position)[1]]


def test_an_expression_is_determined_though_its_accelerations_are_not():
    """Only x + y has a mass: ẍ + ÿ is unique, and whatever changes along x − y is not, even where its slope vanishes."""
    x, y, z = zm.coordinates("x y z")
    A = zm.acceleration
    kinetic = (zm.rate(x + y) ** 2 + zm.rate(z) ** 2) / 2
    state = zm.System(kinetic=kinetic, potential=x + y + 2 * z, coordinates=[x, y, z]).start({z: 0.5})
    assert state[A(x) + A(y)] == pytest.approx(-1.0, rel=1e-14)
    assert state[A(x + y) ** 2 * A(z)] == pytest.approx(-2.0, rel=1e-14)
    assert state[0 * A(x) + z * (A(y) + A(x))] == pytest.approx(-0.5, rel=1e-14)
    assert np.allclose(state[np.array([A(z), A(x) + A(y)])], [-2.0, -1.0], rtol=1e-14)
    for e in (A(x), A(x) - A(y), (A(x) - A(y)) ** 2, A(x) * A(y), [A(z), A(x)], A(x) + A(y) + 1e-3 * A(y)):
        with pytest.raises(zm.errors.ModelError, match=r"'[xy]' is not determined"):
            state[e]


def test_force_on_a_place_without_mass():
    """A spring pulls at a massless place: the place must be where the spring is slack, and the diagnosis says so."""
    place = zm.Particle("place", 0.0)
    x, y, z = place.position
    system = zm.System([place], forces=zm.Spring(7.0, place.position, (1.0, 0, 0)), constraints={"line": [y, z]})
    diagnosis = system.check(system.start({x: 0.25}))
    assert diagnosis.verdict is Verdict.IMPOSSIBLE_FORCE
    (open_,) = diagnosis.undetermined
    assert open_.direction == {"place.x": 1.0}
    assert abs(zm.expression.evaluate(open_.force, {x: 0.25})) == pytest.approx(7.0 * 0.75, rel=1e-14)
    assert "add the constraint" in open_.remedy


def thin_rod(axis):
    """A rod without a moment of inertia about its own axis."""
    axis = np.array(axis) / np.linalg.norm(axis)
    return axis, zm.RigidBody("rod", mass=1.0, inertia=0.1 * (np.eye(3) - np.outer(axis, axis)))


@pytest.mark.parametrize("axis", [(0.0, 0.0, 1.0), (1.0, -2.0, 0.5)])
@pytest.mark.parametrize("pulled", [False, True])
def test_spin_of_a_thin_rod(axis, pulled):
    """Nothing resists the spin of a thin rod about its axis; the remedy is short, and it works."""
    axis, rod = thin_rod(axis)
    hook = rod.point(0.5 * axis)
    forces = zm.Spring(7.0, hook, (1.0, 0, 0)) if pulled else ()
    system = zm.System([rod], gravity=9.81, forces=forces, constraints={"pin": rod.point(-0.5 * axis)})
    given = [(rod.quaternion, np.array([0.5, -0.5, 0.5, 0.5])), (rod.angular_velocity_body, (0.3, 0.6, 2.1))]
    diagnosis = system.check(system.start(given))
    (open_,) = diagnosis.undetermined
    name, numbers = open_.spin.split(" @ ")
    assert name == "rod.angular_velocity_body"
    assert np.abs(np.cross(eval(numbers), axis)).max() < 1e-3  # four digits of the axis
    assert "rod turns about" in open_.motion
    assert f"fix it with the constraint {open_.spin} = 0" in str(diagnosis)
    assert max(map(len, str(diagnosis).splitlines())) < 300
    fixed = system.with_constraints({"spin": rod.angular_velocity_body @ axis})
    assert fixed.check(fixed.start(given[:1])).unique


def test_a_long_formula_is_no_remedy():
    """A massless hook at the end of three springs: its force fills a page, which coordinates are open does not."""
    place = zm.Particle("hook", 0.0)
    ends = [(np.cos(k), np.sin(k), 0.3 * k) for k in range(3)]
    system = zm.System([place], forces=[zm.Spring(7.0, place.position, end, length=0.1) for end in ends])
    diagnosis = system.check()
    assert len(diagnosis.undetermined) == 3
    for item in diagnosis.undetermined:
        assert item.force is not None
        (name,) = item.direction
        assert item.remedy == f"give {name} a mass, or add a constraint that contains it"
        assert "hook moves along" in item.motion
    assert max(map(len, str(diagnosis).splitlines())) < 200


def test_the_rank_that_decided_is_the_one_that_is_told():
    """x + (1 + ε) y = 0 allows a motion along which x + y hardly moves: it has the mass ε² of its coordinates."""
    x, y = zm.coordinates("x y")
    light = {"almost": x + (1 + 1e-10) * y}
    diagnosis = zm.System(kinetic=zm.rate(x + y) ** 2 / 2, coordinates=[x, y], constraints=light).check()
    assert diagnosis.verdict is Verdict.UNDETERMINED
    assert (diagnosis.rank, diagnosis.coordinates) == (1, 2)
    assert diagnosis.margin > 1.0
    assert [list(item.direction) for item in diagnosis.undetermined] == [["x", "y"]]
    assert "rank of [M; A] is 1 of 2" in str(diagnosis)
    assert "the constraints allow a motion that has less than 1e-11 of the mass of its coordinates" in str(diagnosis)


PLANE = {
    "disguised product": (lambda x, y, phi: zm.rate(x * y), "integrable"),
    "with an integrating factor": (
        lambda x, y, phi: (1 + phi**2) * (y * zm.rate(x) + x * zm.rate(y)),
        "integrable",
    ),
    "rolling along a line": (lambda x, y, phi: 0.3 * zm.rate(phi) - zm.rate(x), "integrable"),
    "given speed": (lambda x, y, phi: zm.rate(x) - np.cos(zm.t), "integrable"),
    "knife edge": (lambda x, y, phi: np.sin(phi) * zm.rate(x) - np.cos(phi) * zm.rate(y), "nonholonomic"),
    "ratio that changes in time": (lambda x, y, phi: zm.rate(x) - np.sin(zm.t) * zm.rate(y), "nonholonomic"),
    "pursuit of a moving point": (
        lambda x, y, phi: (y - zm.t) * zm.rate(x) - x * zm.rate(y),
        "nonholonomic",
    ),
    "speed": (
        lambda x, y, phi: zm.rate(x) ** 2 + zm.rate(y) ** 2 - 1,
        "nonholonomic, nonlinear in the rates",
    ),
    "circle": (lambda x, y, phi: x**2 + y**2 - 1, "holonomic"),
    "servo": (lambda x, y, phi: zm.acceleration(x) - y, "at acceleration level"),
}


@pytest.mark.parametrize("name", PLANE)
def test_kind_of_one_constraint(name):
    make, kind = PLANE[name]
    _, system = plane(**{name: make})
    state = random_state(system, np.random.default_rng(4), t=0.3)
    assert system.check(state).kinds == {name: kind}
    assert f"{name}: {kind}" in str(system.check(state))


def test_constraints_decide_together_what_is_integrable():
    """A knife edge is integrable on a plane where the heading can not change."""
    knife = PLANE["knife edge"][0]
    for held in (lambda x, y, phi: phi - 0.4, lambda x, y, phi: zm.rate(phi)):
        _, system = plane(edge=knife, held=held)
        assert system.check().kinds["edge"] == "integrable"
    _, system = plane(edge=knife, held=lambda x, y, phi: y - x**2)
    assert system.check().kinds["edge"] == "integrable"  # two constraints leave a curve in three dimensions


def test_integrable_only_where_the_holonomic_constraints_hold():
    """dy + z x dw is nonholonomic in space, and integrable on the plane z = 0 that the other constraint is."""
    w, x, y, z = q = zm.coordinates("w x y z")
    v = zm.rate(q)
    system = zm.System(kinetic=v @ v / 2, coordinates=q, constraints={"form": v[2] + z * x * v[0], "plane": z})
    assert system.check(system.start({w: 0.2, x: 0.3, y: 0.1})).kinds["form"] == "integrable"


def test_rolling_is_nonholonomic():
    coin = Coin()
    diagnosis = coin.system.check()
    assert diagnosis.kinds == {"roll": "nonholonomic"}
    assert diagnosis.degrees_of_freedom == 2
    shell = Shell(bowl).system
    kinds = shell.check(random_state(shell, np.random.default_rng(0))).kinds
    assert kinds["no slip"] == "nonholonomic"
    assert {kinds[name] for name in kinds if name != "no slip"} == {"holonomic"}


@pytest.mark.parametrize("links", [1, 2, 4])
def test_degrees_of_freedom_of_a_chain(links):
    random = np.random.default_rng(links)
    system, _ = chain(random, links)
    diagnosis = system.check(random_state(system, random))
    assert diagnosis.degrees_of_freedom == 2 * links
    assert diagnosis.dependent == ()
    assert diagnosis.inseparable == ()


def test_free_system():
    diagnosis = zm.System([zm.Particle("bead", 1.0)]).check()
    assert diagnosis.unique
    assert diagnosis.degrees_of_freedom == 3
    assert diagnosis.kinds == {}
    assert "0 constraint rows" in str(diagnosis)


def test_singular_configuration():
    """A parallelogram that lies flat may fold either way: one row less there than nearby."""
    system = four_bar(crank=0.5, coupler=1.0, rocker=0.5, base=1.0)
    a, b = (part.position for part in system.parts)
    flat = system.check(system.start([(a, (0.5, 0, 0)), (b, (1.5, 0, 0))]))
    assert flat.degrees_of_freedom == 2
    (words,) = flat.lost
    assert "4 independent rows at this state and 5 nearby" in words
    assert words in str(flat)
    upright = system.check(system.start([(a, (0, 0.5, 0)), (b, (1, 0.5, 0))]))
    assert upright.degrees_of_freedom == 1
    assert upright.lost == ()


def test_redundancy_on_the_constraints_is_no_loss_of_rank():
    """(x − 1) y = 0 follows from x = 1 wherever that holds; there is no better state to start from."""
    bead = zm.Particle("bead", 1.0)
    x, y, _ = bead.position
    system = zm.System([bead], constraints={"wall": [x - 1, (x - 1) * y]})
    diagnosis = system.check(system.start({y: 0.5}))
    assert diagnosis.redundant == {"wall[1]": ("wall[0]",)}
    assert diagnosis.lost == ()


FLAGS = {
    # z′ = y x′, w′ = z x′: D = ⟨∂x + y ∂z + z ∂w, ∂y⟩, growth 2, 3, 4; dw − z dx is in the first derived system alone
    "Engel": (lambda u, w, x, y, z: {"z": zm.rate(z) - y * zm.rate(x), "w": zm.rate(w) - z * zm.rate(x)}, ()),
    # one level more, growth 2, 3, 4, 5
    "Goursat": (
        lambda u, w, x, y, z: {
            "z": zm.rate(z) - y * zm.rate(x),
            "w": zm.rate(w) - z * zm.rate(x),
            "u": zm.rate(u) - w * zm.rate(x),
        },
        (),
    ),
    # u = x²/2 + c beside a contact form, growth 2, 3: the derived flag stops, and u stays integrable
    "beside": (lambda u, w, x, y, z: {"z": zm.rate(z) - y * zm.rate(x), "u": zm.rate(u) - x * zm.rate(x)}, ("u",)),
    # integrable by the other rows alone: z follows from x there
    "along a curve": (
        lambda u, w, x, y, z: {"y": y - x**2, "z": zm.rate(z) - y * zm.rate(x), "w": zm.rate(w) - z * zm.rate(x)},
        ("z", "w"),
    ),
    "with time": (lambda u, w, x, y, z: {"z": zm.rate(z) - y * zm.rate(x), "w": zm.rate(w) - z}, ()),
}


@pytest.mark.parametrize("name", FLAGS)
def test_the_whole_derived_flag_decides_what_is_integrable(name):
    make, integrable = FLAGS[name]
    u, w, x, y, z = q = zm.coordinates("u w x y z")
    rows = make(u, w, x, y, z)
    system = zm.System(kinetic=zm.rate(q) @ zm.rate(q) / 2, coordinates=q, constraints=rows)
    kinds = system.check(random_state(system, np.random.default_rng(2), t=0.3)).kinds
    kinds = {name: kind for name, kind in kinds.items() if kind != "holonomic"}
    assert kinds == {name: "integrable" if name in integrable else "nonholonomic" for name in kinds}


@pytest.mark.parametrize(
    ("surface", "radius"),
    [
        (zm.surfaces.plane(), 0.1),
        pytest.param(zm.surfaces.plane(0.3), 1e-3, marks=pytest.mark.slow),
        pytest.param(zm.Surface(lambda X, Y: 0.1 * X**2 + 0.2 * Y**2), 0.1, marks=pytest.mark.slow),
    ],
)
def test_a_sphere_that_rolls_without_spinning_is_nonholonomic(surface, radius):
    """Growth 2, 3, 5 on a plane [BH1993]: no position follows from others. "no slip" is in the first derived system."""
    ball = zm.Rolling(zm.bodies.ball(radius, 0.5), on=surface, no_spin=True)
    kinds = ball.check(ball.start(contact=(0.1, 0.2), velocity=(0.1, 0.1))).kinds
    assert (kinds["no slip"], kinds["no spin"]) == ("nonholonomic", "nonholonomic")


def test_curves_that_leave_where_forms_are_defined_decide_nothing():
    """√(1 − x²) ends at x = 1; the curves that stay inside decide."""
    w, x, y, z = q = zm.coordinates("w x y z")
    rows = {"z": zm.rate(z) - y * zm.rate(x), "w": zm.rate(w) - z * np.sqrt(1 - x**2) * zm.rate(x)}
    system = zm.System(kinetic=zm.rate(q) @ zm.rate(q) / 2, coordinates=q, constraints=rows)
    kinds = system.check(system.start({x: 0.9, y: 0.3, z: 0.2})).kinds
    assert kinds == {"z": "nonholonomic", "w": "nonholonomic"}
