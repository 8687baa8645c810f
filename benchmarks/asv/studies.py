"""Studies on one core: members that roll in a bowl, in lanes."""

import time

import ensemble
import numpy as np

import hybrid
import zeromass as zm


class Balls:
    """Balls that roll in a bowl for 10 s at rtol 1e-9, as in `benchmarks/ensemble.py`."""

    params = (16, 1024)
    param_names = ("members",)
    timer = time.process_time

    def setup(self, members: int) -> None:
        self.case = ensemble.Case("ball", False, 10.0, 1e-9, 1e-9, members)
        self.case.study("least")

    def time_study(self, members: int) -> None:
        self.case.study("least")


class Blocks:
    """Blocks with dry friction on springs, as in `benchmarks/hybrid.py`."""

    params = (50, 10_000)
    param_names = ("members",)
    timer = time.process_time

    def setup(self, members: int) -> None:
        self.system, self.start, self.friction, self.until = hybrid.block()
        self.values = np.linspace(0.3, 1.0, members)
        self.time_study(members)

    def time_study(self, members: int) -> None:
        keep = {"end": self.system.coordinates[0]}
        over = {self.friction: self.values}
        zm.sweep(self.system, self.start, over=over, until=self.until, keep=keep, rtol=1e-8)
