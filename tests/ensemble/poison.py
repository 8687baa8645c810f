"""Work with members that kill, stop or disturb the process that moves them."""

from __future__ import annotations

import os
import signal
import time
from dataclasses import dataclass

import numpy as np

from zeromass.ensemble.chunk import Results, Work
from zeromass.ensemble.starts import Starts


@dataclass(frozen=True, eq=False)
class Poisoned(Work):
    """Members are told by the value of their first parameter."""

    dies: float = np.nan
    hangs: float = np.nan
    raises: float = np.nan
    exits: float = np.nan

    def results(self, starts: Starts) -> Results:
        values = starts.parameters[:, 0]
        if self.dies in values:
            os.kill(os.getpid(), signal.SIGKILL)
        if self.exits in values:
            os._exit(3)
        if self.hangs in values:
            time.sleep(3600)
        if self.raises in values:
            raise ZeroDivisionError("a bad number")
        return super().results(starts)
