"""The bits of every run of the papers: `python bits.py ORDER [CASE …]` prints {case: digest} as JSON."""

from __future__ import annotations

import hashlib
import json
import random
import sys
from collections.abc import Callable

import zeromass as zm
from zeromass.papers import stanescu, ud2011, um2022


def cases() -> dict[str, Callable[[], zm.Run]]:
    """The runs of the papers by name, each ready to be made; systems are shared as `papers` shares them."""
    shell = {f"shell {case}": lambda case=case: um2022.run(case) for case in um2022.CASES}
    shaken = {**ud2011.CASES, **ud2011.READINGS, **ud2011.EQUAL_STARTS}
    ball = {f"ball {name}": lambda case=case: ud2011.run(case) for name, case in shaken.items()}
    particle = {f"particle {name}": lambda name=name: stanescu.run(name) for name in stanescu.CASES}
    return {**shell, **ball, **particle}


def fresh() -> None:
    """Forgets the systems, and with them all that was derived from them."""
    um2022.system.cache_clear()
    ud2011.model.cache_clear()


def ordered(order: str) -> list[str]:
    """The names of the cases "forwards", "backwards", or shuffled by a number."""
    names = list(cases())
    if order == "backwards":
        return names[::-1]
    if order != "forwards":
        random.Random(int(order)).shuffle(names)
    return names


def digest(run: zm.Run) -> str:
    """Of times, states and events, and of states between the steps."""
    between = (run.t[:-1] + run.t[1:]) / 2
    parts = [run.t, run.y, run.at(between[:200]).y, *[event.y for event in run.events]]
    return hashlib.sha256(b"".join(part.tobytes() for part in parts)).hexdigest()


if __name__ == "__main__":
    chosen = cases()
    print(json.dumps({name: digest(chosen[name]()) for name in ordered(sys.argv[1])}))
