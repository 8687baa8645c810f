"""Runs that the tests of the viewer show, and what their pages hold."""

from __future__ import annotations

import base64
import json
import re
from pathlib import Path
from typing import Any

import numpy as np

import zeromass as zm
from report.chromium import Browser

ARTEFACTS = Path(__file__).parents[3] / "build" / "viewer"
"""Screenshots are kept here."""

SINGLE = float(np.finfo(np.float32).eps)


def rolling_run(until: float = 25.0, **options: Any) -> zm.Run:
    body = zm.bodies.two_material_shell(outer=0.09, inner=0.08, densities=(7874, 10490))
    rolling = zm.Rolling(body, on=options.pop("on", zm.surfaces.dimpled_bowl()), gravity=9.81)
    start = rolling.start(contact=(-1.5, -0.75), velocity=(1.5, 1.0), **options)
    return zm.simulate(rolling, start, until=until, rtol=1e-10, atol=1e-12)


def chain() -> tuple[zm.System, list[Any], zm.Run]:
    bob = zm.Particle("bob", mass=1.0)
    rod = zm.RigidBody("rod", mass=0.5, inertia=(0.02, 0.02, 0.001))
    marker = zm.Particle("marker", mass=0)
    system = zm.System(
        [bob, rod, marker],
        gravity=9.81,
        constraints={
            "string": bob.position @ bob.position - 1,
            "hinge": rod.point((0, 0, 0.4)) - bob.position,
            "marker": marker.position - rod.point((0, 0, -0.4)),
        },
    )
    start = system.start({bob.position[0]: 0.8, bob.position[1]: 0.0}, guess={bob.position[2]: -0.6})
    return system, [bob, rod, marker], zm.simulate(system, start, until=2.0)


def data_of(path: Path) -> dict[str, Any]:
    """The data of a page, packed arrays as NumPy arrays."""
    text = re.search(r'<script type="application/json" id="data">(.*?)</script>', path.read_text("utf-8"), re.S)
    assert text
    data = json.loads(text[1])

    def walk(item: Any) -> Any:
        if isinstance(item, dict):
            return unpacked(data["arrays"][item["array"]]) if "array" in item else {k: walk(v) for k, v in item.items()}
        return [walk(x) for x in item] if isinstance(item, list) else item

    return walk({key: value for key, value in data.items() if key != "arrays"})


def unpacked(packed: dict[str, Any]) -> np.ndarray:
    raw = np.frombuffer(base64.b64decode(packed["data"]), "<" + packed["type"]).reshape(packed["shape"])
    if "scale" not in packed:
        return raw
    missing = raw == packed["none"] if "none" in packed else np.zeros(raw.shape, dtype=bool)
    return np.where(missing, np.nan, packed.get("offset", 0.0) + packed["scale"] * raw)


def check_silent(chromium: Browser, page: Path) -> None:
    assert chromium.complaints() == []
    assert [url.split("#")[0] for url in chromium.requests()] == [page.resolve().as_uri()]
