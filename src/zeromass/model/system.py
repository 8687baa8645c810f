"""The mechanical system: what the user wrote, as M q̈ = Q + C + Aᵀλ and A q̈ = b."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from dataclasses import replace
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Self, cast

import numpy as np
from numpy.typing import ArrayLike

from zeromass.errors import ModelError, NoGravity, quoted, shown, user_stack_level
from zeromass.expression import (
    Array,
    Evaluator,
    Expression,
    Symbol,
    expressions,
    multiplier,
    rate,
    symbols,
    t,
)
from zeromass.expression.build import ZERO
from zeromass.expression.derivative import sparse_jacobian
from zeromass.expression.evaluate import Sparse
from zeromass.expression.node import contents, undisturbed
from zeromass.expression.pieces import SWITCHING
from zeromass.lazy import later
from zeromass.model.collisions import Colliders, colliders_of
from zeromass.model.connection import Connection, connected
from zeromass.model.constraint import Row, acceleration_rows, check_rows, rows_of, velocity_residuals
from zeromass.model.contact import ContactElement, ContactPoint, Supported, touching
from zeromass.model.control import NO_CONTROL, SETTLING, Control, tracked, tracking
from zeromass.model.event import Event
from zeromass.model.forces import Forces, Load, Spring, loads
from zeromass.model.given import (
    Number,
    Parameters,
    Vector,
    given_all,
    given_choice,
    given_mapping,
    given_numbers,
    given_parameters,
)
from zeromass.model.interface import Interface
from zeromass.model.large import LARGE, MATRICES, OF_STATES, Given, effective_size, matrix_of
from zeromass.model.moved import Moved
from zeromass.model.nonideal import Nonideal, split
from zeromass.model.parts import Part
from zeromass.model.quantity import Quantity
from zeromass.model.reactions import Reactions
from zeromass.model.remembering import Remembering
from zeromass.model.requirement import Requirement, unmet
from zeromass.model.solving import StartEquations
from zeromass.model.start import Prescribed, begun, consistent_start
from zeromass.model.state import ROUNDING, Magnitude, Matrices, State
from zeromass.model.unconstrained import (
    Unconstrained,
    check_rates,
    coordinates_in,
    from_energies,
    from_matrices,
    given_energy,
)
from zeromass.model.unilateral import Unilateral, hidden_parameters, told_apart

if TYPE_CHECKING:
    from zeromass.expression.record import Reader, Writer
    from zeromass.model.check import Diagnosis
    from zeromass.model.drawing import Drawing
    from zeromass.model.pieces import SystemPieces
    from zeromass.model.sliding import Held


class System(Interface, Remembering):
    """A constrained mechanical system, M q̈ = Q + C + Aᵀλ with A q̈ = b [UP2006, eqs. 2.1–2.6].

    parts        particles and rigid bodies
    kinetic, potential   energies, J, beside those of the parts
    lagrangian   L = T − V, instead of the energies or beside them
    M, Q         instead of energies: mass matrix (n, n) and impressed force (n,), with `coordinates`
    coordinates  order of the coordinates; others follow in order of creation
    gravity      m/s²: g for (0, 0, −g), or a vector; acts on the parts. None without it: of bodies on joints or contacts a
                 NoGravity warning says so, unless gravity=0 is given. `zm.Rolling` and the like have 9.81
    forces       zm.Force, zm.Torque, zm.Spring, zm.Damper or {coordinate: force}, one or several
    constraints  {name: expression or array that must be zero}; with rates it is nonholonomic, with
                 accelerations it is taken as it stands
    joints       zm.joints.Revolute and the like, and what goes with them: named constraints with coordinates of their own
    contacts     zm.Contact: bodies that may touch surfaces, or one another
    nonideal     work done by the constraint forces, given like `forces`: C with wᵀQᶜ = wᵀC [UP2006, eq. 2.6]; it may be
                 proportional to a reaction N of the same constraints in a system without it, or to |N|, as friction is
    control      {name: expression or array that shall be zero}, of positions or rates: forces make it so, `system.control`
    by           what may act for that: parameters that stand in forces, or forces of unit size such as {x: 1.0}. Without,
                 the force on every coordinate that does it with the least effort, as that of a constraint would
    settling     rate at which errors of control die out, 1/s

    >>> bob = zm.Particle("bob", mass=0.5)
    >>> pendulum = zm.System([bob], gravity=9.81, constraints={"string": (bob.position @ bob.position - 1.0) / 2})
    >>> start = pendulum.start([(bob.position, (1.0, 0.0, 0.0)), (bob.velocity, (0.0, 0.0, 0.0))])
    >>> start[zm.acceleration(bob.position[2])]
    -9.81
    """

    _interface = (
        "start", "equilibrium", "assemblies", "check", "with_constraints", "latex", "coordinates", "rates",
        "accelerations", "parameters", "parts", "joints", "contacts", "events", "kinetic", "potential", "energy",
        "quantities", "reaction", "multipliers", "control", "M", "Q", "A", "b", "C", "inputs", "matrices", "index",
        "names", "rows", "loads", "mode", "drawing", "large",
    )  # fmt: skip

    joints: tuple[Connection, ...] = ()
    """What holds its parts together, beside its other constraints."""

    simultaneous_impacts: bool = True
    """Whether contacts that touch are struck at once, or one after another."""

    written_out: bool = False
    """Whether its matrices are, however many coordinates it has: of motions that change their kind they are looked into."""

    mode: str = "motion"
    """The mode of motion that the system describes: "motion", "rolling", "slipping"."""

    @undisturbed
    def __init__(
        self,
        parts: Iterable[Part] = (),
        *,
        kinetic: Number | None = None,
        potential: Number | None = None,
        lagrangian: Number | None = None,
        M: np.ndarray | Sequence[Sequence[Number]] | None = None,
        Q: Vector | None = None,
        coordinates: Sequence[Expression] | np.ndarray | None = None,
        gravity: Number | Vector | None = None,
        forces: Forces = None,
        constraints: Mapping[str, Any] | None = None,
        joints: Iterable[Connection] = (),
        contacts: Iterable[ContactElement] = (),
        nonideal: Forces = None,
        control: Mapping[str, Any] | None = None,
        by: Any = None,
        settling: float = SETTLING,
    ) -> None:
        if control is not None:
            given_mapping(control, "control", "{name: expression that shall be zero}")
        if control and by is None:
            asked_for, _ = tracking(control, settling)
            own = {} if constraints is None else given_mapping(constraints, "constraints", "{name: expression}")
            constraints = {**own, **asked_for}
        parts = _parts(parts)
        self.joints: tuple[Connection, ...] = connected(joints, parts)
        elements = touching(contacts, parts)
        self.colliders = colliders_of(elements, self.joints)
        self.contact_elements = () if self.colliders is not None else elements
        parts += [part for one in self.contact_elements for part in one.parts]
        if gravity is None and potential is None and lagrangian is None:
            self._warn_of_no_gravity(parts)
        self.unilaterals = told_apart(one for by in (*self.joints, *self.contact_elements) for one in by.unilaterals)
        acting = loads(forces)
        own = {name: zero for part in parts for name, zero in part.constraints.items()}
        own |= {name: zero for one in self.contact_elements for name, zero in one.constraints.items()}
        asked = rows_of(constraints if constraints is not None else {})
        clash = [row.group for row in asked if row.group in own]
        if clash:
            raise ModelError(f"constraint '{clash[0]}' comes with its body already; choose another name")
        rows = rows_of(own) + asked + [row for joint in self.joints for row in joint.rows]
        kinetic = given_energy(kinetic, "the kinetic energy", order=1)
        potential = given_energy(potential, "the potential energy", order=0)
        lagrangian = given_energy(lagrangian, "the Lagrangian", order=1)
        if kinetic is not None and not parts:
            check_rates(kinetic)
        energies = [x for x in (kinetic, potential, lagrangian) if x is not None]
        zeros = [row.zero for row in rows]
        if M is not None or Q is not None:
            if M is None or Q is None or energies or parts or gravity is not None:
                raise ModelError("give M and Q together, and no parts, gravity or energies beside them")
            if coordinates is None:
                raise ModelError("M and Q need coordinates=[…], in the order of their rows")
            free = from_matrices(_coordinates(coordinates, []), M, Q, acting)
        else:
            found = coordinates_in(*energies, *zeros)
            listed = [x for part in parts for x in part.coordinates]
            listed += given_all(() if coordinates is None else coordinates, object, "coordinates", "a zm.coordinate(…)")
            listed += [x for one in (*self.joints, *self.contact_elements) for x in one.coordinates]
            q = _coordinates(listed, found)
            small = self.written_out or bool(nonideal or control or self.unilaterals)
            if parts and lagrangian is None and not small and effective_size(q, zeros) >= LARGE:
                free = cast(Unconstrained, Given(parts, acting, q, kinetic, potential, gravity))
            else:
                free = from_energies(
                    parts, acting, q, kinetic=kinetic, potential=potential, lagrangian=lagrangian, gravity=gravity
                )
        given = loads(nonideal, "nonideal")
        C = sum((load.generalized(free.q) for load in given), expressions(np.zeros(len(free.q))))
        acting = [*acting, *given]
        self._complete(free, rows, C)
        self._know(*(e for one in self.unilaterals for e in one.numbers))
        if self.colliders is not None:
            self._know(*self.colliders.numbers)
        self._watch(tuple(load for load in acting if hasattr(load, "requirements")))
        if control and by is None:
            self.control = tracked(self, control, settling)
        elif control:
            self._follow(later("zeromass.analysis.servo", "servo")(self, control, by, settling=settling))

    def _warn_of_no_gravity(self, parts: Sequence[Part]) -> None:
        """Bodies on joints or contacts that do not fall are rarely what is meant."""
        carried = any(joint.parts for joint in self.joints) or bool(self.contact_elements)
        if carried and any(part.mass is not ZERO for part in parts):
            words = "the system has no gravity, so that nothing falls: give gravity=9.81 (m/s², along −z)"
            warnings.warn(f"{words}, or gravity=0 if none is meant", NoGravity, stacklevel=user_stack_level())

    def _watch(self, limited: tuple[Any, ...]) -> None:
        """What joints and limited forces watch."""
        self._limited = limited
        if self.joints or limited:
            self.events = tuple(event for one in (*self.joints, *limited) for event in one.events)
            self._know(*(event.zero for event in self.events))

    control: Control = NO_CONTROL
    """Forces that make expressions vanish, where the system was given control={…}; empty where not."""

    def _follow(self, controlled: System) -> None:
        """Becomes a system that was made from it, with the forces of its control."""
        self.__dict__ = {**controlled.__dict__, "reaction": Reactions(self)}
        self.control = replace(self.control, system=self)

    _limited: tuple[Any, ...] = ()
    """Forces whose numbers must satisfy something, with `requirements` and `events`."""

    events: tuple[Event, ...] = ()
    """Watched in every run of the system, beside those given to it."""

    @property
    def contacts(self) -> tuple[ContactPoint, ...]:
        """Contact points, with their forces."""
        jointed = [contact for joint in self.joints for contact in joint.contacts]
        own = [point for element in self.contact_elements for point in element.points]
        return (*jointed, *own, *self._carried)

    _carried: tuple[ContactPoint, ...] = ()
    """Contacts of bodies on surfaces in systems that it was joined of."""

    mode_words: Sequence[tuple[Mapping[int, str], str]] = ()
    """What a motion is called: by the first word whose contacts are in these modes, by their numbers, −1 for any of them; by
    the modes of all contacts where there is none."""

    def mode_in(self, modes: Sequence[str]) -> str:
        """The mode of the motion where its contacts have some modes: "open", "closed", "sticks" or "slips" each."""
        for wanted, word in self.mode_words:
            if all(mode in (modes if k < 0 else modes[k : k + 1]) for k, mode in wanted.items()):
                return word
        return ", ".join(one.called(mode) for one, mode in zip(self.unilaterals, modes, strict=True))

    @property
    def requirements(self) -> tuple[Requirement, ...]:
        """What its numbers must satisfy, where parameters decide it: those of its parts, joints and forces."""
        given = (*self.parts, *self.joints, *self.contact_elements, *self._limited)
        given = given if self.colliders is None else (*given, self.colliders)
        return tuple(requirement for one in given for requirement in getattr(one, "requirements", ()))

    @cached_property
    def facing(self) -> tuple[Expression, ...]:
        """Positive where bodies are on the outer side of what they touch, of constraints that hold on the inner side too.

        A start is solved again where one of them is not positive, and refused where that does not help.
        """
        return ()

    @property
    def ambiguous(self) -> bool:
        """Whether positions with the same prescribed values may satisfy the constraints elsewhere: see `placement`."""
        return False

    @property
    def wrong_side(self) -> str:
        """What is said of a start in which `facing` is not positive."""
        return ""

    def placement(
        self, near: Mapping[Any, float], t: float, parameters: Mapping[Symbol, float]
    ) -> Mapping[Symbol, float]:
        """First guesses of a start, from coordinates that are known roughly; none here.

        A start of an ambiguous system begins with them, that of another only where it is not found without.
        """
        return {}

    def refused(self, t: np.ndarray, y: np.ndarray, parameters: np.ndarray) -> dict[int, str]:
        """Which of some starts, t of shape (k,), (q, q̇) of (k, 2n), parameters of (k, p), can not be, and why.

        Here those whose parameters do not meet the requirements.
        """
        return unmet(self, parameters)

    def takes(self, state: State, impulse: np.ndarray) -> bool:
        """Whether its constraints can give an impulse, M Δq̇, that they are asked for where a formula switches."""
        return True

    @property
    def lying(self) -> Mapping[str, str]:
        """What is said where constraints of `leaping` jump while the gap of their contact is closed, by these."""
        return {}

    @property
    def leaping(self) -> Mapping[str, str]:
        """Constraints of parts without mass that may leap where a formula switches, {constraint: a contact}.

        They may while the gap of the contact is open.
        """
        return {name: own for one in self.contact_elements for name, own in getattr(one, "leaping", {}).items()}

    def leaps(self, names: Sequence[str], before: State, after: State) -> bool:
        """Whether constraints that jump where a formula switches hold parts without mass that nothing acts on.

        These parts are elsewhere from there on, as the point below a body that tumbles is; `before` and `after` are the
        same state on the pieces before and after.
        """
        groups, leaping = {row.group for row in self.rows if row.name in names}, self.leaping
        if not groups or not groups <= {*leaping}:
            return False
        closed = {one.name: one.closed for one in self.unilaterals}
        return all(not before.parameters[closed[leaping[group]]] for group in groups)

    def jumped(self, names: Sequence[str], before: State, after: State) -> str:
        """What it means that constraints jump where a formula switches, in words, and what to do; nothing here.

        before, after  the same state on the pieces before and after
        """
        return ""

    def examined(self, motion: Moved) -> tuple[str, ...]:
        """What is wrong with a finished motion that the equations and events can not see, in words; nothing here."""
        return ()

    def _own_record(self, w: Writer) -> dict[str, Any]:
        """What files keep of the system beside its equations; see `zeromass.model.record`."""
        return {}

    def _take_record(self, own: dict[str, Any], r: Reader) -> None:
        """Takes back what `_own_record` gave."""

    @cached_property
    def drawing(self) -> Drawing:
        """Picture of the system, for viewers, films and plots."""
        from zeromass.model.picture import picture  # what is not drawn need not be imported

        return picture(self, {})

    def drawing_at(self, parameters: Mapping[Symbol, float]) -> Drawing:
        """The drawing where sizes depend on values of the parameters; as it is, where they do not."""
        given_parameters(parameters, "parameters")
        if all(value == p.default for p, value in parameters.items()):
            return self.drawing
        from zeromass.model.picture import picture

        return picture(self, parameters)

    label: str = ""
    """What zm.join calls it after, where it has the names of another."""

    supported: tuple[Supported, ...] = ()
    """Bodies that surfaces carry, whose forces follow from their accelerations."""

    def check_joined(self, *, coupled: bool) -> None:
        """Raises where zm.join or with_constraints can not make it part of a system, and warns of what ends with it.

        coupled  whether further constraints or forces may act on it
        """

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Names of the coordinates, in their order."""
        return self._free.names or tuple(x.name for x in self.coordinates)

    @property
    def loads(self) -> tuple[Load, ...]:
        """Applied forces; unknown for a system from a file."""
        return self._free.loads

    sparse_M: Sparse
    """M by its rows, without what is zero."""

    @property
    def M(self) -> Array:
        """Mass matrix, shape (n, n), symmetric, perhaps singular."""
        return self.sparse_M.array

    Q: Array
    """Impressed force, shape (n,)."""

    C: Array
    """Work of the constraint forces, shape (n,)."""

    sparse_A: Sparse
    """A by its rows, without what is zero."""

    @property
    def A(self) -> Array:
        """Constraint matrix, shape (m, n)."""
        return self.sparse_A.array

    b: Array
    """Right side of A q̈ = b, shape (m,)."""

    velocity_constraints: Array
    """What must vanish at velocity level, one expression for each row that is not at acceleration level."""

    sliding_modes: Mapping[Symbol, Held] = MappingProxyType({})
    """Of a system on its pieces: switches that may hold its motion, by their modes."""

    contact_elements: tuple[ContactElement, ...] = ()
    """Bodies that may touch something by formulas, as they were given."""

    colliders: Colliders | None = None
    """Collision shapes, whose contacts are found by numbers; of a system whose contacts are formulas None."""

    contact_modes: tuple[Unilateral, ...] = ()
    """Of a system on its pieces: unilateral constraints, whose forces follow from flags among its parameters."""

    unilaterals: tuple[Unilateral, ...] = ()
    """What may be open, stick or slip: of its contacts, and of joints such as ropes."""

    def _know(self, *formulas: Any) -> None:
        """Counts parameters of formulas beside the equations, such as those of its events, among its own."""
        hidden = set(hidden_parameters(self.unilaterals))
        found = [leaf for leaf in symbols(*formulas) if leaf.kind == "parameter" and leaf not in self.parameters]
        found = [leaf for leaf in found if leaf not in hidden]
        self.parameters = (*self.parameters, *found)
        _check_parameters(self.parameters)

    def _complete(self, free: Unconstrained, rows: list[Row], C: Array, multipliers: Array | None = None) -> None:
        self._free: Unconstrained = free
        self.rows: tuple[Row, ...] = tuple(rows)
        self.parts: tuple[Part, ...] = free.parts
        self.coordinates: Array = free.q
        self.rates: Array = rate(free.q)
        self.accelerations: Array = rate(self.rates)
        self.multipliers: Array = _multipliers(rows, C, self.joints) if multipliers is None else multipliers
        if self.large:
            self.C = C
            self._complete_later(rows)
            return
        self.sparse_M, self.Q, self.C = free.masses, free.Q, C
        self.nonideal: Nonideal = split(self.C, np.concatenate([self.accelerations, self.multipliers]))
        _check_names(self)
        used = symbols(self.sparse_M.entries, self.Q, self.C, [row.zero for row in rows])
        known = {*self.coordinates, *self.rates, *self.accelerations}
        for leaf in used:
            if leaf.kind == "coordinate" and leaf not in known:
                raise ModelError(
                    f"'{leaf!r}' appears in the forces or constraints, but '{leaf.name}' is no coordinate of the "
                    "system; add it to coordinates=[…] or remove it"
                )
        forces = {*self.multipliers}
        for name, array in (("M", self.sparse_M.entries), ("Q", self.Q), ("C", self.C)):
            for leaf in symbols(array):
                strange = leaf.kind == "multiplier" and (name != "C" or leaf not in forces)
                if leaf.order > (2 if name == "C" else 1) or strange:
                    raise ModelError(f"{name} contains '{leaf!r}'; {OF_STATES}")
        self.parameters: tuple[Symbol, ...] = tuple(leaf for leaf in used if leaf.kind == "parameter")
        _check_parameters(self.parameters)
        self.velocity_constraints = velocity_residuals(rows, free.q)
        self.sparse_A, self.b = acceleration_rows(rows, self.velocity_constraints, free.q)
        self.reaction: Reactions = Reactions(self)

    @property
    def large(self) -> bool:
        """Whether M, Q, A and b are assembled only on demand, as of systems with many coordinates."""
        return isinstance(self._free, Given)

    def _complete_later(self, rows: list[Row]) -> None:
        """What is known of a large system without its matrices."""
        assert isinstance(self._free, Given)
        self.nonideal = split(self.C, np.empty(0, dtype=object))
        _check_names(self)
        used, operations = self.contents
        self._free.check({*self.coordinates}, {*self.rates}, used)
        if not SWITCHING.isdisjoint(operations) or any(row.level == 2 for row in rows):
            check_rows(rows, self.coordinates)
        known = {*self.coordinates, *self.rates, *self.accelerations}
        for leaf in used:
            if leaf.kind == "coordinate" and leaf not in known:
                raise ModelError(
                    f"'{leaf!r}' appears in the forces or constraints, but '{leaf.name}' is no coordinate of the "
                    "system; add it to coordinates=[…] or remove it"
                )
        self.parameters = tuple(leaf for leaf in used if leaf.kind == "parameter")
        _check_parameters(self.parameters)
        self.reaction = Reactions(self)

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            if name in MATRICES and isinstance(vars(self).get("_free"), Given):
                matrix = matrix_of(self, name)
                vars(self)[name] = matrix
                return matrix
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def __repr__(self) -> str:
        kinds = Counter(("holonomic", "velocity-level", "acceleration-level")[row.level] for row in self.rows)
        words = ", ".join(f"{count} {kind}" for kind, count in kinds.items()) or "no"
        return f"System({len(self.coordinates)} coordinates, {words} constraint rows)"

    def _repr_html_(self) -> str:
        from zeromass.model.cards import system_card

        return system_card(self)

    def latex(self, state: State | None = None, *, digits: int | None = 6) -> str:
        r"""The derivation on one page, as LaTeX: coordinates, energies, M, Q, A, b, C, multipliers, and the verdict.

        state   at which ranks are decided; by default one that satisfies the constraints
        digits  significant digits of numbers; None for all

        It is one `aligned` environment, for amsmath and MathJax. Entries longer than a line have names and follow below.

        >>> x = zm.coordinate("x")
        >>> mass = zm.System(kinetic=zm.rate(x) ** 2 / 2, potential=x**2 / 2)
        >>> r"V = \frac{1}{2} \, x^{2}" in mass.latex()
        True
        """
        from zeromass.model.derivation import derivation  # few programs ask

        return derivation(self, state, digits=digits)

    def _latex_(self, digits: int | None) -> str:
        """What `zm.export.latex` writes of the system."""
        return self.latex(digits=6 if digits is None else digits)

    @property
    def kinetic(self) -> Expression:
        """Kinetic energy, J."""
        return self._energy("kinetic")

    @property
    def potential(self) -> Expression:
        """Potential energy of gravity, springs and `potential`, J."""
        return self._energy("potential")

    @property
    def energy(self) -> Expression:
        """Kinetic and potential energy, J; for a Lagrangian q̇ᵀ∂L/∂q̇ − L."""
        return self._energy("energy")

    @property
    def has_energy(self) -> bool:
        """Whether the energy is known: it is not where M and Q were given directly."""
        return self._free.energy is not None

    @cached_property
    def conservative(self) -> bool:
        """Whether no work is done, so that the energy stays what it is, as far as parts and constraints show."""
        free = self._free
        return (
            free.energy is not None
            and free.kinetic is not None
            and not self.large
            and all(type(load) is Spring for load in self.loads)
            and t not in symbols(free.energy)
            and all(e is ZERO for e in self.C)
            and all(row.level < 2 and t not in symbols(row.zero) for row in self.rows)
        )

    def _energy(self, kind: str) -> Expression:
        value = getattr(self._free, kind)
        if value is None:
            words = "energy" if kind == "energy" else f"{kind} energy"
            raise ModelError(f"the {words} is not known of a system that was given by M and Q or by a Lagrangian")
        return value

    @cached_property
    def quantities(self) -> dict[str, Quantity]:
        """Named quantities for plots and files, beside the coordinates."""
        return self._own_quantities() if self._kept_quantities is None else self._kept_quantities

    _kept_quantities: dict[str, Quantity] | None = None
    """Those of the file that the system was read from."""

    def _own_quantities(self) -> dict[str, Quantity]:
        """Energies, where they are known."""
        names = [name for name in ("energy", "kinetic", "potential") if getattr(self._free, name) is not None]
        labels = {"energy": "energy", "kinetic": "kinetic energy", "potential": "potential energy"}
        return {name: Quantity(getattr(self._free, name), "J", labels[name]) for name in names}

    def with_constraints(self, constraints: Mapping[str, Any]) -> Self:
        """The same system, of the same class, under further constraints.

        constraints  {name: expression or array that must be zero}, as of a System

        A body that rolls keeps its starts and its figures of the contact, which are those of the surface alone:

        >>> ball = zm.Rolling(zm.bodies.ball(0.1, 0.5), on=zm.surfaces.plane(), gravity=(0.0, 2.0, -9.81))
        >>> guided = ball.with_constraints({"groove": ball.center[1]})
        >>> start = guided.start(contact=(0, 0), velocity=(1, 0))
        >>> start[guided.reaction["groove"]][guided.index(ball.center[1])].round(12), start[guided.force].round(12) + 0.0
        (np.float64(-1.0), array([0.   , 0.   , 4.905]))
        """
        added = rows_of(constraints)
        self.check_joined(coupled=bool(added))
        return self._constrained(added)

    def _constrained(self, added: Sequence[Row]) -> Self:
        """A copy with further rows; those of before keep their multipliers."""
        taken = {row.group for row in self.rows} & {row.group for row in added}
        if taken:
            raise ModelError(f"a constraint named '{min(taken)}' is there already; choose another name")
        found = copy(self)
        for name in MATRICES:
            vars(found).pop(name, None)
        multipliers = [*self.multipliers, *(multiplier(f"λ {row.name}") for row in added)]
        found._complete(self._free, [*self.rows, *added], self.C, np.array(multipliers, dtype=object))
        found._know(*self.parameters)
        if self.control is not NO_CONTROL:
            found.control = replace(self.control, system=found)
        return found

    def start(
        self,
        prescribed: Prescribed = (),
        *,
        t: float = 0.0,
        parameters: Parameters | None = None,
        guess: Prescribed = (),
        near: Prescribed = (),
    ) -> State:
        """Consistent state: it satisfies every constraint at position and velocity level, to round-off.

        prescribed  {expression: value} or pairs (array of expressions, array of values): coordinates, rates, or any
                    function of them
        guess       likewise for coordinates, where the constraints have several solutions, and for rates
        near        {expression: value} of data that is rounded, as published data is: the state is the one at which these
                    are nearest to their values, by least squares

        What the constraints and prescriptions leave open stays as close to the guess (zero by default) as they allow
        and is named in `state.free`: positions in their own units, rates in the metric of the kinetic energy, (v − guess)ᵀ
        M (v − guess), as if an impulse of the constraints had changed them. Contradictions raise a StartError that names
        them; prescriptions that miss the constraints by no more than their rounding are brought onto them.
        """
        given = begun(self, prescribed, {})
        return consistent_start(self, given, t=t, parameters=parameters, guess=guess, near=near)

    def assemblies(
        self,
        prescribed: Prescribed = (),
        *,
        tries: int = 40,
        t: float = 0.0,
        parameters: Parameters | None = None,
        spread: float | None = None,
    ) -> list[State]:
        """Distinct consistent states with the prescribed values, from many first guesses; that of `start` first.

        tries   guesses, random and the same every time
        spread  m, of their places; the size of the mechanism by default

        >>> x, y = zm.coordinates("x y")
        >>> rods = zm.System(kinetic=zm.rate(x)**2 + zm.rate(y)**2, constraints={"rod": x**2 + y**2 - 1})
        >>> sorted(round(state[y], 9) for state in rods.assemblies({x: 0.6}))
        [-0.8, 0.8]
        """
        from zeromass.model.assemblies import assemblies  # few programs ask

        return assemblies(self, prescribed, tries=tries, t=t, parameters=parameters, spread=spread)

    def equilibrium(
        self,
        prescribed: Prescribed = (),
        *,
        constant: Mapping[str, Any] | Sequence[Expression] | np.ndarray | None = None,
        by: Sequence[Expression] = (),
        t: float = 0.0,
        parameters: Parameters | None = None,
        guess: Prescribed = (),
    ) -> State:
        """A state of rest, or of steady motion, that satisfies the constraints and the prescribed values.

        prescribed  {expression: value}, as of `start`
        constant    of a steady motion: what stays constant, such as lean and speed of a wheel in a turn, a list or
                    {name: expression}. Everything else moves as it must. Without it, all rates are zero
        by          parameters that may take other values than theirs, such as the torque that holds an arm
        guess       a first value for any coordinate or rate: there may be several equilibria

        The state can be run, and linearised: `zm.analysis.linearize(system, state)` says whether it is stable. If there is
        none, a StartError names the equations that can not hold.

        The arm of a balance, held by a torque:

        >>> theta, torque = zm.coordinate("theta"), zm.parameter("torque", 0.0)
        >>> arm = zm.System(kinetic=zm.rate(theta) ** 2, potential=-2 * np.cos(theta), forces={theta: torque})
        >>> rest = arm.equilibrium({theta: np.pi / 6}, by=[torque])
        >>> round(rest.parameters[torque], 9)
        1.0
        >>> arm.equilibrium({theta: np.pi / 6})
        Traceback (most recent call last):
        ...
        zeromass.errors.StartError: there is no such rest: no state satisfies 'balance of forces on theta' (off by 1) ...
        """
        found = later("zeromass.analysis.equilibrium", "equilibrium")
        return found(self, prescribed, constant=constant, by=by, t=t, parameters=parameters, guess=guess)

    def check(self, state: State | None = None) -> Diagnosis:
        """Uniqueness of the motion at a state, with redundant and missing constraints by name."""
        from zeromass.model.check import diagnosis  # few programs ask

        return diagnosis(self, self.start() if state is None else state)

    @cached_property
    def inputs(self) -> Array:
        """Order of numeric inputs: t, coordinates, rates, parameters."""
        result = np.empty(1 + 2 * len(self.coordinates) + len(self.parameters), dtype=object)
        result[:] = [t, *self.coordinates, *self.rates, *self.parameters]
        return result

    @cached_property
    def _entries(self) -> list[Expression]:
        """What is not zero of M and A, and Q, b and C₀."""
        return [*self.sparse_M.entries, *self.Q, *self.sparse_A.entries, *self.b, *self.nonideal.constant]

    @cached_property
    def formulas(self) -> list[Expression]:
        """All that stands in M, Q, C, A and b, but for zeros in matrices; of a large system, what they are made of."""
        if isinstance(self._free, Given):
            return [*self._free.formulas(), *[row.zero for row in self.rows]]
        return [*self.sparse_M.entries, *self.Q, *self.C, *self.sparse_A.entries, *self.b]

    @cached_property
    def contents(self) -> tuple[list[Symbol], set[str]]:
        """The symbols in `formulas`, oldest first, and the operations."""
        return contents(self.formulas)

    @cached_property
    def _numbers(self) -> Evaluator:
        return Evaluator(self._entries, self.inputs)

    @cached_property
    def _sizes(self) -> Magnitude:
        return Magnitude(self._entries, self.inputs)

    def matrices(self, inputs: ArrayLike) -> Matrices:
        """Numbers of M, Q, A, b and C, but for its part in the accelerations, at given `inputs`.

        `inputs` is an array whose last axis runs over `system.inputs`.
        """
        return self._blocks(self._numbers(self._given_inputs(inputs)))

    def matrices_and_roundoff(self, inputs: np.ndarray) -> tuple[Matrices, Matrices]:
        """M, Q, A, b, C at the `inputs` of one state, and the largest errors that rounding can make in them.

        A state is known to rounding of its largest coordinate and rate: one that should be zero is not exactly so.
        """
        inputs = self._given_inputs(inputs)
        if inputs.ndim != 1:
            raise ModelError(f"the inputs of one state are asked for, not shape {inputs.shape}")
        sizes, n = np.abs(inputs), len(self.coordinates)
        for block in (slice(1, 1 + n), slice(1 + n, 1 + 2 * n)):
            sizes[block] = sizes[block].max()
        numbers, magnitudes = self._sizes.with_values(inputs, sizes)
        return self._blocks(numbers), self._blocks(ROUNDING * magnitudes)

    def _given_inputs(self, inputs: ArrayLike) -> np.ndarray:
        """Numbers whose last axis runs over `system.inputs`."""
        array = inputs if isinstance(inputs, np.ndarray) and inputs.dtype == float else None
        array = given_numbers(inputs, "inputs", finite=False) if array is None else array
        if not array.ndim or array.shape[-1] != len(self.inputs):
            raise ModelError(
                f"inputs has shape {array.shape}; its last axis runs over the {len(self.inputs)} system.inputs"
            )
        return array

    def _blocks(self, flat: np.ndarray) -> Matrices:
        n, m = len(self.coordinates), len(self.rows)
        sizes = [len(self.sparse_M.entries), n, len(self.sparse_A.entries), m, n]
        M, Q, A, b, C = np.split(flat, np.cumsum(sizes)[:-1], axis=-1)
        return Matrices(self.sparse_M.filled(M), Q, self.sparse_A.filled(A), b, C)

    def zeros(self, level: int) -> list[tuple[str, Expression]]:
        """What must vanish at positions (level 0) or at rates (level 1), with the names that messages use."""
        if not (isinstance(level, int) and 0 <= level <= 1):
            given_choice(level, "level", (0, 1))
        if level == 0:
            placed = [self.rows[i] for i in self.told(0)]
            names = [f"place of {row.name}" if row.level else row.name for row in placed]
            zeros = [row.zero if row.place is None else row.place for row in placed]
            return list(zip(names, zeros, strict=True))
        names = [row.name if row.level else f"rate of {row.name}" for row in self.rows if row.level < 2]
        return list(zip(names, self.velocity_constraints, strict=True))

    def told(self, level: int) -> list[int]:
        """The rows that say something of positions (level 0) or of rates (level 1)."""
        given_choice(level, "level", (0, 1))
        return [i for i, row in enumerate(self.rows) if row.level <= level or (level == 0 and row.placed)]

    def slopes(self, level: int) -> Sparse:
        """Derivatives of `zeros` by positions (level 0) or by rates (level 1), shape (zeros, n): ∂φ/∂q is ∂φ̇/∂q̇."""
        given_choice(level, "level", (0, 1))
        slopes = [self.sparse_A.rows[i] for i in self.told(level)]
        places = {k: self.rows[i].place for k, i in enumerate(self.told(level)) if level == 0}
        own = {k: place for k, place in places.items() if place is not None}
        for k, row in zip(own, sparse_jacobian(list(own.values()), self.coordinates).rows, strict=True):
            slopes[k] = row
        return Sparse(slopes, len(self.coordinates))

    @property
    def usual(self) -> dict[Symbol, float]:
        """First guesses for coordinates whose natural value is not zero."""
        owners = (*self.parts, *self.joints, *self.contact_elements)
        return {x: value for owner in owners for x, value in owner.usual.items()}

    @cached_property
    def residuals(self) -> tuple[list[str], Evaluator]:
        """Names and values of all that must vanish at positions and rates, from numbers in the order of `inputs`."""
        zeros = [*[(row.name, row.zero) for row in self.rows if row.level == 0], *self.zeros(1)]
        return [name for name, _ in zeros], Evaluator([zero for _, zero in zeros], self.inputs)

    @cached_property
    def equations_of_starts(self) -> dict[tuple[int, tuple[Expression, ...]], StartEquations]:
        """Equations that were solved for earlier starts, by their level and what was prescribed; see `start`."""
        return {}

    @cached_property
    def memory(self) -> dict[Any, Any]:
        """What later stages have derived from this system and keep for its next run; no part of its value."""
        return {}

    @cached_property
    def pieces(self) -> SystemPieces | None:
        """The system as one that is smooth between its switches; None if its formulas have no kinks and no jumps."""
        free = self._free
        if isinstance(free, Given):
            _, operations = self.contents
        else:
            energies = [e for e in (free.kinetic, free.potential, free.energy) if e is not None]
            _, operations = contents(
                [*free.masses.entries, *free.Q, *self.C, *[row.zero for row in self.rows], *energies]
            )
        if SWITCHING.isdisjoint(operations) and not self.unilaterals and self.colliders is None:
            return None
        from zeromass.model.pieces import SystemPieces  # few systems have any

        pieces = SystemPieces(self)
        return pieces if pieces.switches or pieces.unilaterals or self.colliders is not None else None

    def index(self, coordinate: Expression) -> int:
        """Index of a coordinate in q, and in M, Q and the columns of A."""
        for j, x in enumerate(self.coordinates):
            if x is coordinate:
                return j
        raise ModelError(f"{quoted(coordinate)} is no coordinate of the system")


def _parts(parts: Iterable[Part]) -> list[Part]:
    if isinstance(parts, Part):
        raise ModelError(f"parts is a list of parts: write [{parts.name}]")
    return given_all(parts, Part, "parts", "a zm.Particle or zm.RigidBody")


def _coordinates(listed: Iterable[Any], found: Iterable[Symbol]) -> Array:
    listed = given_all(listed, object, "coordinates", "a coordinate, zm.coordinate(…)")
    for x in listed:
        if not (isinstance(x, Symbol) and x.kind == "coordinate" and x.order == 0):
            raise ModelError(f"coordinates are made by zm.coordinates, and {shown(x)} is none")
    if len(set(listed)) < len(listed):
        twice = next(x for x in listed if listed.count(x) > 1)
        raise ModelError(f"coordinate '{twice.name}' is listed twice")
    there = set(listed)
    everything = listed + [x for x in found if x not in there]
    if not everything:
        raise ModelError("the system has no coordinates: give parts, energies of coordinates, or coordinates=[…]")
    result = np.empty(len(everything), dtype=object)
    result[:] = everything
    return result


def _multipliers(rows: Sequence[Row], C: Array, joints: Sequence[Connection]) -> Array:
    """The multiplier of each row: its joint's, that of the same name in C, of a system with the same constraints, or new."""
    known = {leaf.name: leaf for leaf in symbols(C) if leaf.kind == "multiplier"}
    known |= {leaf.name: leaf for joint in joints for leaf in joint.multipliers}
    names = [f"λ {row.name}" for row in rows]
    return np.array([known[name] if name in known else multiplier(name) for name in names] or [], dtype=object)


def _check_parameters(parameters: Sequence[Symbol]) -> None:
    """Raises where two parameters have one name: a value that is given to the one would leave the other as it is."""
    twice = [name for name, count in Counter(p.name for p in parameters).items() if count > 1]
    if twice:
        raise ModelError(
            f"two parameters have the name '{twice[0]}': every zm.parameter('{twice[0]}', …) is another one; make it once"
        )


def _check_names(system: System) -> None:
    for what, names in (
        ("parts", [part.name for part in system.parts]),
        ("coordinates", system.names),
        ("constraints", [row.name for row in system.rows]),
    ):
        twice = [name for name, count in Counter(names).items() if count > 1]
        if twice:
            raise ModelError(
                f"two {what} have the name '{twice[0]}'; give each its own, so that results can name them; systems that "
                "have the same names are joined by zm.join(left=…, right=…)"
            )
