"""Records what happens in the corpus: `python tests/hybrid/record.py [NAME…]` writes a file of `data` for each part.

Each problem is run by dop853 and by collocation at rtol 1e-13, which must tell the same switches and events alike. The
difference of their times and last states is recorded beside the answer.
"""

from __future__ import annotations

import json
import sys
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import zeromass as zm
from hybrid.contact_corpus import CONTACTS
from hybrid.corpus import SWITCHES, Problem

DATA = Path(__file__).parent / "data"
TIGHT = {"rtol": 1e-13, "atol": 1e-16}


def happened(problem: Problem, **settings: Any) -> dict[str, Any]:
    """Ending, message, switches, impulses and last state of a motion; of contacts kinds of motion and events too."""
    with warnings.catch_warnings(action="ignore", category=zm.errors.RunStopped):
        run = zm.simulate(problem.system, problem.start, until=problem.until, **TIGHT, **settings)
    contacts = {
        "kinds": [[t, kind] for t, kind in zip([problem.start.t, *run.changes], run.modes, strict=True)],
        "events": [[e.t, e.name] for e in run.events],
    }
    return {
        "ending": run.outcome.ending.name,
        "message": run.outcome.message,
        "t": run.outcome.t,
        "switches": [[s.t, f"'{s.expression!r}'", s.direction] for s in run.switches],
        "impulses": [[i.t, list(i.constraints), np.asarray(i.change).tolist()] for i in run.impulses],
        "end": run.y[-1].tolist(),
        **(contacts if problem.system.unilaterals else {}),
    }


def apart(a: dict[str, Any], b: dict[str, Any]) -> tuple[float, float]:
    """How far the times of two answers differ, s, and how far their last states."""
    lists = "switches", "kinds", "events"
    here, there = ([x[0] for name in lists for x in each.get(name, ())] + [each["t"]] for each in (a, b))
    times = np.subtract(here, there)
    return float(np.abs(times).max()), float(np.abs(np.subtract(a["end"], b["end"])).max())


def agreed(a: dict[str, Any], b: dict[str, Any]) -> dict[str, Any]:
    """The answer of two methods; what rounding decides, as the last switches of a motion that chatters, is left out."""
    assert a["ending"] == b["ending"]
    if a["ending"] == "CHATTERING":
        a, b = ({key: value for key, value in each.items() if key in ("ending", "t", "end")} for each in (a, b))
    assert a.get("message") == b.get("message")
    for name in ("switches", "kinds", "events"):
        assert [x[1:] for x in a.get(name, ())] == [x[1:] for x in b.get(name, ())]
    time, state = apart(a, b)
    return {**a, "time_error": time, "state_error": state}


def main(asked: Sequence[str]) -> None:
    """Records problems, by default all."""
    for corpus, problems in (("switches", SWITCHES), ("contacts", CONTACTS)):
        path = DATA / f"{corpus}.json"
        recorded = dict.fromkeys(problems) | (json.loads(path.read_text("utf-8")) if asked else {})
        for name in [name for name in problems if name in asked or not asked]:
            problem = problems[name]()
            recorded[name] = agreed(*[happened(problem, method=method) for method in ("dop853", "collocation")])
            shown = {
                key: value
                for key, value in (recorded[name] or {}).items()
                if key in ("ending", "time_error", "state_error")
            }
            print(name, shown)
        text = json.dumps(recorded, indent=1, ensure_ascii=False)
        path.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
