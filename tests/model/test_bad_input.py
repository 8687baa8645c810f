"""Every mistake raises one error, which names the culprit in the user's own words."""

from __future__ import annotations

import numpy as np
import pytest

import zeromass as zm
from zeromass.errors import EquationError, ExpressionError, ModelError, StartError

NAN = float("nan")


class Workshop:
    """Sound parts to spoil."""

    def __init__(self) -> None:
        self.ball = zm.Particle("ball", mass=1.0)
        self.box = zm.RigidBody("box", mass=1.0, inertia=(1.0, 1.0, 1.0))
        self.ghost = zm.Particle("ghost", mass=1.0)
        self.x, self.y = zm.coordinates("x y")
        self.T = zm.rate(self.x) ** 2 / 2
        self.mu = zm.parameter("mu", 0.3)

    def system(self, **more) -> zm.System:
        return zm.System([self.ball], **more)

    def rod(self) -> zm.System:
        return self.system(constraints={"rod": self.ball.position @ self.ball.position - 1})


# name: (what is done, the error, words that must be in its message)
MISTAKES = {
    # parts
    "negative mass": (lambda w: zm.Particle("ball", -1.0), ModelError, "'ball' -1"),
    "mass is NaN": (lambda w: zm.Particle("ball", NAN), ModelError, "mass 'ball' NaN"),
    "mass is infinite": (lambda w: zm.Particle("ball", np.inf), ModelError, "mass 'ball' inf"),
    "mass is text": (lambda w: zm.Particle("ball", "2"), ModelError, "mass 'ball' '2'"),
    "mass is an array": (lambda w: zm.Particle("ball", [1.0, 2.0]), ModelError, "mass 'ball' (2,)"),
    "mass moves": (lambda w: zm.Particle("ball", w.x), ModelError, "mass 'ball' x"),
    "default mass is negative": (lambda w: zm.Particle("ball", -w.mu), ModelError, "'ball' -0.3"),
    "inertia shape": (lambda w: zm.RigidBody("box", 1, (1, 2)), ModelError, "inertia 'box' (2,)"),
    "inertia ragged": (lambda w: zm.RigidBody("box", 1, [[1, 2], [3]]), ModelError, "inertia 'box'"),
    "inertia is NaN": (lambda w: zm.RigidBody("box", 1, (1, NAN, 1)), ModelError, "inertia 'box' NaN"),
    "inertia not symmetric": (
        lambda w: zm.RigidBody("box", 1, [[2, 0.1, 0], [0.2, 2, 0], [0, 0, 2]]),
        ModelError,
        "'box' symmetric 0.1 0.2",
    ),
    "inertia negative": (lambda w: zm.RigidBody("box", 1, (-1, 1, 1)), ModelError, "'box' negative -1"),
    "triangle inequality": (lambda w: zm.RigidBody("box", 1, (1, 1, 3)), ModelError, "'box' triangle 3"),
    "part without name": (lambda w: zm.Particle("", 1), ModelError, "name ''"),
    "part with a number for a name": (lambda w: zm.Particle(3, 1), ModelError, "name 3"),
    "rotating two components": (lambda w: w.box.rotate((1, 2)), ModelError, "'box' (2,)"),
    "two parts of one name": (lambda w: zm.System([w.ball, zm.Particle("ball", 2)]), ModelError, "'ball'"),
    "two bodies of one name": (
        lambda w: zm.System([w.box, zm.RigidBody("box", 1, (1, 1, 1))]),
        ModelError,
        "'box'",
    ),
    "part is a number": (lambda w: zm.System([3.0]), ModelError, "3.0"),
    "part without list": (lambda w: zm.System(w.ball), ModelError, "[ball]"),
    # coordinates and energies
    "two coordinates of one name": (
        lambda w: zm.System(kinetic=w.T + zm.rate(zm.coordinate("x")) ** 2),
        ModelError,
        "coordinates 'x'",
    ),
    "coordinate listed twice": (
        lambda w: zm.System(kinetic=w.T, coordinates=[w.x, w.x]),
        ModelError,
        "'x' twice",
    ),
    "coordinate by its name": (lambda w: zm.System(kinetic=w.T, coordinates=["x"]), ModelError, "'x'"),
    "rate as a coordinate": (
        lambda w: zm.System(kinetic=w.T, coordinates=[zm.rate(w.x)]),
        ModelError,
        "rate(x)",
    ),
    "nothing": (lambda w: zm.System(), ModelError, "no coordinates"),
    "kinetic energy of accelerations": (
        lambda w: zm.System(kinetic=zm.acceleration(w.x) ** 2),
        ModelError,
        "kinetic acceleration(x)",
    ),
    "potential of rates": (
        lambda w: zm.System(kinetic=w.T, potential=zm.rate(w.x)),
        ModelError,
        "potential rate(x) lagrangian",
    ),
    "kinetic energy is text": (lambda w: zm.System(kinetic="x"), ModelError, "kinetic 'x'"),
    "kinetic energy is an array": (
        lambda w: zm.System(kinetic=np.array([w.T, w.T])),
        ModelError,
        "kinetic (2,)",
    ),
    "Lagrangian is NaN": (lambda w: zm.System(lagrangian=NAN), ModelError, "Lagrangian NaN"),
    "gravity without parts": (lambda w: zm.System(kinetic=w.T, gravity=9.81), ModelError, "gravity"),
    "gravity of two components": (lambda w: w.system(gravity=(0, -9.81)), ModelError, "gravity (2,)"),
    "gravity is NaN": (lambda w: w.system(gravity=NAN), ModelError, "gravity NaN"),
    "M of the wrong shape": (
        lambda w: zm.System(M=np.eye(2), Q=[1.0], coordinates=[w.x]),
        ModelError,
        "M (2, 2) x",
    ),
    "Q of the wrong shape": (
        lambda w: zm.System(M=[[1.0]], Q=[1.0, 2.0], coordinates=[w.x]),
        ModelError,
        "Q (2,) x",
    ),
    "M without coordinates": (lambda w: zm.System(M=[[1.0]], Q=[1.0]), ModelError, "M coordinates"),
    "M without Q": (lambda w: zm.System(M=[[1.0]], coordinates=[w.x]), ModelError, "M Q"),
    "M beside energies": (
        lambda w: zm.System(M=[[1.0]], Q=[1.0], kinetic=w.T, coordinates=[w.x]),
        ModelError,
        "M Q energies",
    ),
    "M is NaN": (lambda w: zm.System(M=[[NAN]], Q=[1.0], coordinates=[w.x]), ModelError, "M NaN"),
    "negative M": (
        lambda w: zm.System(M=[[-1.0]], Q=[1.0], coordinates=[w.x]).start().motion,
        EquationError,
        "M negative",
    ),
    # constraints
    "two constraints of one name": (
        lambda w: w.rod().with_constraints({"rod": w.ball.position[0]}),
        ModelError,
        "'rod'",
    ),
    "two rows of one name": (
        lambda w: w.system(constraints={"pin": w.ball.position[:2], "pin[0]": w.ball.position[2]}),
        ModelError,
        "'pin[0]'",
    ),
    "name of a body's own constraint": (
        lambda w: zm.System([w.box], constraints={"box unit quaternion": w.box.position[0]}),
        ModelError,
        "'box unit quaternion'",
    ),
    "constraint without coordinate": (
        lambda w: w.system(constraints={"clock": zm.t - 1}),
        ModelError,
        "'clock' t",
    ),
    "0 = 0": (
        lambda w: w.system(constraints={"wall": w.ball.position[0] - w.ball.position[0]}),
        ModelError,
        "'wall' 0",
    ),
    "0 = 0 in disguise": (
        lambda w: w.system(constraints={"turn": np.cross(w.ball.position, w.ball.position)}),
        ModelError,
        "'turn[0]' 0",
    ),
    "constraint is text": (lambda w: w.system(constraints={"rod": "x**2 = 1"}), ModelError, "'rod' x**2"),
    "constraint is a condition": (
        lambda w: w.system(constraints={"above": w.ball.position[2] > 0}),
        ModelError,
        "'above'",
    ),
    "constraint is a function": (lambda w: w.system(constraints={"rod": abs}), ModelError, "'rod'"),
    "constraint is infinite": (
        lambda w: w.system(constraints={"far": [w.ball.position[0], np.inf]}),
        ModelError,
        "'far' inf",
    ),
    "constraints in a list": (
        lambda w: w.system(constraints=[w.ball.position[0]]),
        ModelError,
        "ball.x name",
    ),
    "constraint without name": (lambda w: w.system(constraints={"": w.ball.position[0]}), ModelError, "name ''"),
    "constraint on a third derivative": (
        lambda w: w.system(constraints={"jerk": zm.rate(zm.acceleration(w.ball.position[0]))}),
        ModelError,
        "'jerk' third",
    ),
    "constraint not linear in accelerations": (
        lambda w: w.system(constraints={"odd": zm.acceleration(w.ball.position[0]) ** 2 - 1}),
        ModelError,
        "'odd' accelerations",
    ),
    "constraint on a reaction": (
        lambda w: w.rod().with_constraints({"weak": w.rod().multipliers[0] * w.ball.position[0]}),
        ModelError,
        "'weak' rod",
    ),
    "constraint on a stranger": (
        lambda w: w.rod().with_constraints({"link": w.ghost.position[0]}),
        ModelError,
        "ghost.x",
    ),
    # forces
    "force on a stranger": (
        lambda w: w.system(forces=zm.Force((1, 0, 0), at=w.ghost.position)),
        ModelError,
        "force ghost.x",
    ),
    "force on nothing": (
        lambda w: w.system(forces=zm.Force((1, 0, 0), at=(0, 0, 0))),
        ModelError,
        "force no coordinate",
    ),
    "force at a velocity": (
        lambda w: w.system(forces=zm.Force((1, 0, 0), at=w.ball.velocity)),
        ModelError,
        "force rate(ball.x)",
    ),
    "torque on a stranger": (
        lambda w: w.system(forces=zm.Torque((1, 0, 0), on=w.box)),
        ModelError,
        "torque 'box'",
    ),
    "torque on a particle": (lambda w: zm.Torque((1, 0, 0), on=w.ball), ModelError, "'ball'"),
    "spring to a stranger": (
        lambda w: w.system(forces=zm.Spring(1.0, w.ball.position, w.ghost.position)),
        ModelError,
        "spring ghost.x",
    ),
    "spring between strangers": (
        lambda w: w.system(forces=zm.Spring(1.0, w.ghost.position)),
        ModelError,
        "spring ghost.x",
    ),
    "damper of a stranger": (
        lambda w: w.system(forces=zm.Damper(1.0, w.ghost.position)),
        ModelError,
        "damper ghost.x",
    ),
    "generalised force on a stranger": (lambda w: w.system(forces={w.x: 1.0}), ModelError, "x"),
    "force that depends on a stranger": (
        lambda w: w.system(forces={w.ball.position[0]: w.y}),
        ModelError,
        "'y'",
    ),
    "force that depends on acceleration": (
        lambda w: w.system(forces={w.ball.position[0]: zm.acceleration(w.ball.position[1])}),
        ModelError,
        "Q acceleration(ball.y)",
    ),
    "force that depends on a reaction": (
        lambda w: w.system(forces={w.ball.position[0]: w.rod().multipliers[0]}),
        ModelError,
        "Q rod",
    ),
    "force of two components": (lambda w: zm.Force((1, 2), at=w.ball.position), ModelError, "force (2,)"),
    "force is NaN": (lambda w: zm.Force((1, NAN, 0), at=w.ball.position), ModelError, "force NaN"),
    "stiffness is NaN": (lambda w: zm.Spring(NAN, w.ball.position), ModelError, "stiffness NaN"),
    "component of a force is NaN": (
        lambda w: w.system(forces={w.ball.position[2]: NAN}),
        ModelError,
        "ball.z NaN",
    ),
    "force is a number": (lambda w: w.system(forces=[3.0]), ModelError, "forces[0] 3.0"),
    "nonideal is a number": (lambda w: w.system(nonideal=[3.0]), ModelError, "nonideal[0] 3.0"),
    "nonideal force on a stranger": (lambda w: w.system(nonideal={w.x: 1.0}), ModelError, "x"),
    # starts
    "contradictory values": (
        lambda w: w.system().start([(w.ball.position, 1.0), (w.ball.position[1], 2.0)]),
        StartError,
        "ball.y 1 2",
    ),
    "values against a constraint": (lambda w: w.rod().start({w.ball.position[0]: 2.0}), StartError, "'rod' ball.x"),
    "prescribed acceleration": (
        lambda w: w.system().start({zm.acceleration(w.ball.position[0]): 1.0}),
        StartError,
        "acceleration(ball.x)",
    ),
    "prescribed reaction": (lambda w: (s := w.rod()).start({s.multipliers[0]: 1.0}), StartError, "rod"),
    "prescribed stranger": (lambda w: w.system().start({w.x: 1.0}), StartError, "'x'"),
    "prescribed time": (lambda w: w.system().start({zm.t: 1.0}), StartError, "'t'"),
    "prescribed by a name that is unknown": (lambda w: w.system().start({"ball.q": 1.0}), ModelError, "'ball.q'"),
    "prescribed NaN": (lambda w: w.system().start({w.ball.position[1]: NAN}), StartError, "'ball.y' nan"),
    "prescribed text": (lambda w: w.system().start({w.ball.position[1]: "a"}), StartError, "ball.y 'a'"),
    "prescribed shape": (lambda w: w.system().start([(w.ball.position, (1, 2))]), StartError, "ball.x (1, 2)"),
    "prescribed without pairs": (lambda w: w.system().start([1.0]), StartError, "prescribed [1.0]"),
    "guess of a formula": (
        lambda w: w.system().start(guess={2 * w.ball.position[0]: 1.0}),
        StartError,
        "guess ball.x",
    ),
    "guess is NaN": (lambda w: w.system().start(guess={w.ball.position[0]: NAN}), StartError, "guess 'ball.x' nan"),
    "time is NaN": (lambda w: w.system().start(t=NAN), StartError, "time nan"),
    "unknown parameter": (lambda w: w.rod().start(parameters={w.mu: 1.0}), ModelError, "'mu'"),
    "parameter is NaN": (
        lambda w: w.system(forces={w.ball.position[0]: w.mu}).start(parameters={w.mu: NAN}),
        ModelError,
        "'mu' nan",
    ),
    # questions
    "unknown reaction": (lambda w: w.rod().reaction["rope"], ModelError, "'rope' rod"),
    "energy of matrices": (
        lambda w: zm.System(M=[[1.0]], Q=[1.0], coordinates=[w.x]).energy,
        ModelError,
        "energy",
    ),
    "value of a stranger": (lambda w: w.system().start()[w.x], ExpressionError, "'x'"),
    "join of nothing": (lambda w: zm.join(), ModelError, "zm.join"),
    "join with itself": (lambda w: (s := w.rod()) and zm.join(s, s), ModelError, "'ball'"),
}  # fmt: skip


@pytest.mark.parametrize("size", ["small", "large"])
@pytest.mark.parametrize("name", MISTAKES)
def test_mistake(name, size, monkeypatch):
    """The same words of systems whose matrices are not written out."""
    if size == "large":
        monkeypatch.setattr("zeromass.model.system.LARGE", 1)
    do, error, words = MISTAKES[name]
    with pytest.raises(error) as raised:
        do(Workshop())
    message = str(raised.value)
    for word in words.split(" "):
        assert word in message, f"'{word}' is not in: {message}"
    assert "\n" not in message
    assert len(message) < 400
