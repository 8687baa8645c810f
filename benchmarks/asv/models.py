"""From bodies and constraints to machine code: chains of rods, the shell, the bicycle."""

import time

import derive
import growth
import linear

import zeromass as zm


class Chain:
    """Rods joined end to end, in redundant coordinates."""

    params = (2, 10, 100)
    param_names = ("rods",)
    timer = time.process_time

    def setup(self, count: int) -> None:
        self.bodies = growth.rods(count)
        self.system = growth.chain(self.bodies)
        self.state = growth.wound(self.system, self.bodies)

    def time_derive(self, count: int) -> None:
        growth.chain(growth.rods(count))

    def time_start(self, count: int) -> None:
        growth.wound(self.system, self.bodies)

    def time_first_run(self, count: int) -> None:
        system = growth.chain(bodies := growth.rods(count))
        zm.simulate(system, growth.wound(system, bodies), until=0.01)

    def track_operations(self, count: int) -> int:
        """Of a right-hand side."""
        return zm.compile(self.system, self.state).operations


class Shell:
    """The rolling shell of [UM2022], from its energies and four lines of constraints."""

    timer = time.process_time

    def time_derive(self) -> None:
        derive.with_zeromass()


class Bicycle:
    """The benchmark bicycle: four bodies, three hinges, two wheels."""

    timer = time.process_time

    def setup(self) -> None:
        self.model = linear.bicycle()
        self.state = self.model.straight(5.0)

    def time_linearize(self) -> None:
        zm.analysis.linearize(self.model.system, self.state, states=self.model.states)
