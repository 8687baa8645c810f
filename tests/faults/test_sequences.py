"""What has values by formulas or names is no sequence: to iterate over it, or to make an array of it, is an error."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import zeromass as zm

USES: dict[str, Any] = {
    "list": list,
    "in": lambda one: 3.0 in one,
    "unpacking": lambda one: [*one],
    "array": np.asarray,
    "array of numbers": lambda one: np.array(one, dtype=float),
    "array of objects": lambda one: np.array(one, dtype=object),
    "sine": np.sin,
    "rate": zm.rate,
    "evaluate": lambda one: zm.expression.evaluate(one, {}),
    "sum": sum,
    "max": max,
    "zip": lambda one: list(zip(one, one, strict=False)),
    "median": np.median,
}


@pytest.fixture(scope="module")
def objects() -> dict[str, Any]:
    x, k = zm.coordinate("x"), zm.parameter("k", 1.0)
    spring = zm.System(kinetic=zm.rate(x) ** 2 / 2, potential=k * x**2 / 2 + x**4)
    start = spring.start({x: 1.0})
    run = zm.simulate(spring, start, until=1.0)
    contacts = zm.Contacts([zm.bodies.ball(0.1, 0.5)], on=zm.surfaces.plane())
    found = {
        "run": run,
        "state": start,
        "sampled": run.at([0.0, 0.5]),
        "segment": run.segments[0],
        "contacts": contacts,
    }
    found["samples"] = run.segments[0].at(np.array([0.0, 0.5]))
    found["branch"] = zm.analysis.branch(spring, spring.start({x: 0.0}), over=(k, 1.0, 2.0))
    return found


@pytest.mark.parametrize("use", USES)
def test_no_sequence(objects, use):
    for name, one in objects.items():
        with pytest.raises(TypeError, match="no sequence and no array") as caught:
            USES[use](one)
        assert isinstance(caught.value, zm.errors.ZeromassError), name


def test_what_has_names_can_be_iterated_over(objects):
    run = objects["run"]
    assert dict(run.settings)["rtol"] == run.settings.rtol
    assert "rtol" in run.settings
    assert list(run.system.reaction) == []


def test_every_class_with_items_says_what_iterating_means():
    """A class of zeromass that has `object[what]` is a mapping, or arrays of some length, or no sequence."""
    import importlib
    import pkgutil

    open_ended = []
    for module in pkgutil.walk_packages(zm.__path__, "zeromass."):
        if module.name.endswith("__main__"):
            continue
        for kind in vars(importlib.import_module(module.name)).values():
            own = isinstance(kind, type) and kind.__module__.startswith("zeromass")
            indexed = (
                own and hasattr(kind, "__getitem__") and not hasattr(kind, "__len__")
            )  # arrays inside end by themselves
            if indexed and not hasattr(kind, "__iter__"):
                open_ended.append(f"{kind.__module__}.{kind.__qualname__}")
    assert sorted(set(open_ended)) == []
