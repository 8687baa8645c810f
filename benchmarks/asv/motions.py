"""Runs by every method, with switches, contacts, new pivots and stiff springs, and what is asked of them."""

import time

import long
import stiff


class Runs:
    """The runs of `benchmarks/long.py`."""

    params = (
        "pendulum, 1 s",
        "pendulum, 10000 s",
        "double pendulum",
        "double pendulum, dop853",
        "double pendulum, radau",
        "4 rods",
        "40 rods, rolled",
        "354 switches",
        "sledge, dry friction",
        "ball, slips and rolls",
        "ball on two rails",
        "shell",
    )
    param_names = ("run",)
    timer = time.process_time

    def setup(self, name: str) -> None:
        self.kind = next(kind for words, kind in long.kinds() if words == name)
        self.done = self.kind.run()

    def time_run(self, name: str) -> None:
        self.kind.run()

    def time_maximum(self, name: str) -> None:
        self.done.maximum(self.kind.coordinate)

    def time_certificate(self, name: str) -> None:
        self.done.certificate()

    def track_steps(self, name: str) -> int:
        return len(self.done) - 1


class Stiff:
    """A bob on a stiff spring, and van der Pol's oscillator, by Radau's method at rtol 1e-8."""

    params = ("spring", "van der Pol")
    param_names = ("problem",)
    timer = time.process_time

    def setup(self, name: str) -> None:
        self.run = stiff.zeromass(stiff.van_der_pol() if name == "van der Pol" else stiff.spring(1e6, 0.0))
        self.run(1e-8)

    def time_run(self, name: str) -> None:
        self.run(1e-8)
