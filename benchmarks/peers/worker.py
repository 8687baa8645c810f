"""Measures one engine in its own process: `python -m peers.worker ENGINE VARIANT FOLDER UNTIL` prints JSON."""

import os
import time

BEGIN = time.perf_counter()

import importlib  # noqa: E402  the clock runs before anything is imported
import json  # noqa: E402
import sys  # noqa: E402

RUNS, ENOUGH = 400, 3.0
"""Runs of which the shortest counts, and seconds after which no further one is begun."""


def main(engine: str, variant: str, folder: str, until: float) -> dict:
    """What was measured; "ready" and "first" count from the start of the process, {"cpu": s, "wall": s}."""
    from peers import shape

    try:
        module = importlib.import_module(f"peers.{engine}")
        ready = module.prepare(variant, folder)
    except ImportError as error:
        return {"skipped": str(error)}
    tolerances = shape.RTOL, shape.ATOL
    ready.run(0.01, *tolerances)
    times = {"ready": spent()}
    begin = time.process_time()
    first = ready.run(until, *tolerances)
    shortest = time.process_time() - begin
    times["first"] = spent()
    stop = time.process_time() + ENOUGH
    for _ in range(RUNS):
        if time.process_time() + shortest > stop:
            break
        begin = time.process_time()
        ready.run(until, *tolerances)
        shortest = min(shortest, time.process_time() - begin)
    five = first if until == 5.0 else ready.run(5.0, *tolerances)
    return {
        "settings": ready.settings,
        **times,
        "run": shortest,
        "until": until,
        "evaluations": first.evaluations,
        "slope": ready.slope() if ready.slope else None,
        "contact at 5 s": five.contact.tolist(),
        "contact at the end": first.contact.tolist(),
    }


def spent() -> dict[str, float]:
    """CPU time of this process and its children, and time on the wall since it began."""
    children = os.times()
    cpu = time.process_time() + children.children_user + children.children_system
    return {"cpu": cpu, "wall": time.perf_counter() - BEGIN}


if __name__ == "__main__":
    name, variant, folder, until = sys.argv[1:]
    print(json.dumps(main(name, variant, folder, float(until))))
