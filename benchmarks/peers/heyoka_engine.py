"""heyoka: the tape in its expression system, stepped by its Taylor method."""

from __future__ import annotations

import os
from pathlib import Path

import heyoka
import numpy as np

from peers import shape, tape
from peers.engine import Engine, Result, least_per_call


def prepare(variant: str, files: os.PathLike) -> Engine:
    heyoka.llvm_state.set_diskcache_enabled(False)  # what an earlier process has compiled is no first result
    compact = variant == "compact"
    y = heyoka.make_vars(*[f"y{i:02d}" for i in range(26)])
    functions = {"sin": heyoka.sin, "cos": heyoka.cos, "sqrt": heyoka.sqrt}
    slopes = [*y[13:], *tape.replayed(tape.read(Path(files) / "tape.json"), y, functions)]
    y0 = shape.start()
    methods: dict[float, heyoka.taylor_adaptive] = {}

    def method(rtol: float) -> heyoka.taylor_adaptive:
        if rtol not in methods:  # the tolerance decides the order, which is compiled in
            system = list(zip(y, slopes, strict=True))
            methods[rtol] = heyoka.taylor_adaptive(system, y0, tol=rtol, compact_mode=compact, fast_math=True)
        return methods[rtol]

    def run(until: float, rtol: float, atol: float) -> Result:
        taylor = method(rtol)
        taylor.time = 0.0
        taylor.state[:] = y0
        outcome, _, _, steps, *_ = taylor.propagate_until(until)
        assert outcome == heyoka.taylor_outcome.time_limit, outcome
        return Result(taylor.state[shape.CONTACT].copy(), steps)

    def slope() -> float:
        """Batched: 800 states in one call."""
        states = np.repeat(y0[:, None], 800, axis=1)
        out = np.empty_like(states)
        function = heyoka.cfunc(slopes, y, fast_math=True, compact_mode=True)
        return least_per_call(lambda n: [function(states, outputs=out) for _ in range(n)], count=20) / 800

    words = "compact_mode=True" if compact else "compact_mode=False"
    return Engine(
        f"taylor_adaptive, tol 1e-12, {words}, fast_math=True, no disk cache; evaluations are steps", run, slope
    )
