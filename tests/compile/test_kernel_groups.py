"""Elements that share a kernel: its formulas with the constants of each are what each says, and kernels stay few."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import zeromass as zm
from cases import few
from compile import mixed
from compile.large import hinges, net, uneven
from zeromass.compile.rolled.elements import OWN, Elements, masses
from zeromass.compile.rolled.kinds import kinds_of
from zeromass.compile.rolled.structure import elements_of
from zeromass.expression import Expression, rate, symbols
from zeromass.model import system as model
from zeromass.model.large import formulas_in

FEW = 24
"""Kernels of a mechanism, whatever its joints are: for rows between two parts, for those to the ground, parts and angles."""


def mechanism(parent: Callable[[int], int]) -> zm.System:
    return mixed.system(mixed.links(40, parent))


def robot(folder: Path, count: int = 40) -> zm.System:
    path = folder / f"robot{count}.urdf"
    path.write_text(mixed.robot(count), encoding="utf-8")
    return zm.from_urdf(path).system()


def from_parts(made: Any) -> zm.System:
    parts, rows, more, _ = made
    return zm.System(parts, constraints=rows, **more)


def sprung() -> zm.System:
    """Masses with springs of their own stiffness, length and damping, and forces that are switched by parameters."""
    masses = [zm.Particle(f"mass {k}", 1.0 + 0.1 * k) for k in range(44)]
    forces: list[Any] = []
    for k, (a, b) in enumerate(pairwise(masses)):
        d = b.position - a.position
        forces.append(zm.Spring(10.0 + k % 5, a.position, b.position, length=0.1 * (k % 3)))
        forces.append(zm.Force(-zm.parameter(f"c{k}", 0.1 * k) * a.velocity + [0, 0, k % 2], at=a.position))
        forces.append(zm.Force(0.2 * np.sin(k * zm.t) * d * (d @ d) ** (1 + k % 2), at=b.position))
    return zm.System(masses, forces=forces)


SYSTEMS: dict[str, Callable[[Path], zm.System]] = {
    "mixed chain": lambda _: mechanism(mixed.chain),
    "mixed robot": robot,
    "springs": lambda _: sprung(),
    "mixed tree": lambda _: mechanism(mixed.tree),
    "hinges": lambda _: from_parts(hinges(30)),
    "net": lambda _: from_parts(net(7)),
    "uneven": lambda _: from_parts(uneven(30)),
}


@pytest.fixture(params=few(SYSTEMS, 3))
def elements(request: pytest.FixtureRequest, tmp_path: Path) -> Elements:
    system = SYSTEMS[request.param](tmp_path)
    assert system.large
    return elements_of(system)


def said(elements: Elements, name: str, element: Any, count: int) -> list[Expression]:
    """The formulas of an element, as the model has them: of rows with or without what starts know of places."""
    if name == "parts":
        return [*masses(element.part), *elements.gravity]
    if name == "acting":
        return formulas_in(vars(element.load))
    rows = [elements.system.rows[i] for i in element.rows]
    whole = [e for row in rows for e in (row.zero, row.place) if e is not None]
    return whole if len(whole) == count else [row.zero for row in rows]


@pytest.mark.parametrize("starts", [False, True])
def test_formulas_of_a_kernel_are_those_of_each_element(elements: Elements, starts: bool) -> None:
    """To rounding of sums in another order: the values are sums of some ten terms of about 1 in size."""
    kinds_of(elements, plain=starts)
    random, system = np.random.default_rng(0), elements.system
    leaves = [*system.coordinates, *system.rates, *system.parameters, zm.t]
    values: dict[Any, float] = {x: random.normal() for x in leaves}
    checked = dict.fromkeys(("parts", "rows", "acting"), 0)
    for name in checked:
        for kind in elements.kernel_groups[name][starts]:
            for element, numbers in zip(kind.members, kind.values, strict=True):
                there = values | dict(zip(kind.symbols, numbers, strict=True))
                for old, new in replaced(elements, kind.members[0], element):
                    there |= {x: values[y] for x, y in zip(old, new, strict=True)}
                exact = said(elements, name, element, len(kind.formulas))
                for of, known in zip(kind.formulas, exact, strict=True):
                    found, value = evaluated(of, there), evaluated(known, values)
                    assert abs(found - value) < 1e-13 * max(1.0, abs(value))
                checked[name] += len(getattr(element, "rows", (0,)))
    rows = len(system.rows) - len(elements.absorbed)
    assert checked == {"parts": len(elements.bodies), "rows": rows, "acting": len(elements.acting)}


def replaced(elements: Elements, one: Any, other: Any) -> Iterator[tuple[list[Any], list[Any]]]:
    """Symbols of an element, and those that stand in their places in another."""
    for a, b in zip(one.blocks, other.blocks, strict=True):
        yield tuple([*x, *rate(x)] for x in (np.array(elements.blocks[c].coordinates, dtype=object) for c in (a, b)))  # type: ignore[misc]
    yield tuple([elements.system.parameters[OWN - b] for b in some.own] for some in (one, other))  # type: ignore[misc]


def evaluated(e: Expression, values: dict[Any, float]) -> float:
    return float(zm.expression.evaluate(e, {x: values[x] for x in symbols(e)}))


@pytest.mark.parametrize("kind", few(["chain", "robot"], 2))
def test_kernels_do_not_grow_with_the_parts(kind: str, tmp_path: Path) -> None:
    counts = []
    for count in (30, 90):
        system = robot(tmp_path, count) if kind == "robot" else mixed.system(mixed.links(count))
        counts.append([len(kinds_of(elements_of(system), plain=plain)) for plain in (False, True)])
    assert np.max(counts) <= FEW
    assert np.ptp(counts, axis=0).max() <= 3  # of joints to the ground


def test_kinds_with_many_instances_keep_kernels_of_their_own() -> None:
    """Uniform systems have the code that they would have without others: here all hinges but the first are alike."""
    parts, rows, more, _ = uneven(60)
    kinds = kinds_of(elements_of(zm.System(parts, constraints=rows, **more)), plain=False)
    assert [(kind.name, len(kind), kind.rows.shape[1]) for kind in kinds] == [
        ("part", 60, 0),
        ("rows", 1, 3),
        ("rows", 59, 3),
    ]


def test_exponents_are_no_constants(monkeypatch: pytest.MonkeyPatch) -> None:
    """x² and x³ differ in structure: a power of a symbol has other derivatives."""
    monkeypatch.setattr(model, "LARGE", 1)
    points = [zm.Particle(f"p{k}", 1.0) for k in range(12)]
    forces = [zm.Force([-(0.1 + k) * p.position[0] ** (2 + k % 3), 0, 0], at=p.position) for k, p in enumerate(points)]
    system = zm.System(points, forces=forces)
    start = system.start({p.position[0]: -0.5 - 0.1 * k for k, p in enumerate(points)})
    found = start[[zm.acceleration(p.position[0]) for p in points]]
    exact = [-(0.1 + k) * (-0.5 - 0.1 * k) ** (2 + k % 3) for k in range(12)]
    np.testing.assert_allclose(found, exact, rtol=1e-14)


def test_each_body_s_own_parameters_are_one_kind() -> None:
    """x = F t²/2m and ∂x/∂F = t²/2m of forces that are parameters, one for each mass."""
    count = 44
    masses = [zm.Particle(f"m{k}", 2.0 + 0.125 * k) for k in range(count)]
    F = [zm.parameter(f"F{k}", 0.5 * k) for k in range(count)]
    system = zm.System(masses, forces=[zm.Force([f, 0, 0], at=p.position) for f, p in zip(F, masses, strict=True)])
    assert system.large
    start = system.start()
    run = zm.simulate(system, start, until=1.0)
    assert len(kinds_of(elements_of(system), plain=False)) <= 4
    x = [p.position[0] for p in masses]
    m = 2.0 + 0.125 * np.arange(count)
    np.testing.assert_allclose(run.at(1.0)[x][0], 0.25 * np.arange(count) / m, rtol=1e-12, atol=1e-15)
    found = run.sensitivity().of(x)
    np.testing.assert_allclose(found.parameters[-1], np.diag(0.5 / m), rtol=1e-10, atol=1e-12)


def test_constant_forces_are_each_body_s_own():
    """Formulas that are nothing but numbers differ from body to body as other numbers do: ẍ = F/m."""
    count = 43
    masses = [zm.Particle(f"m{k}", 2.0) for k in range(count)]
    forces = [zm.Force([0.25 * (k + 1), 0, 7.0], at=p.position) for k, p in enumerate(masses)]
    system = zm.System(masses, forces=forces)
    assert system.large
    found = system.start()[[zm.acceleration(p.position[0]) for p in masses]]
    np.testing.assert_allclose(found, 0.125 * np.arange(1, count + 1), rtol=1e-15)
    run = zm.simulate(system, system.start(), until=2.0)
    np.testing.assert_allclose(run.at(2.0)[[p.position[2] for p in masses]][0], 7.0, rtol=1e-12)
