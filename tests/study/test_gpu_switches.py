"""The driver of motions over switches in the threads of a card: its code on this machine, its text, itself on a card."""

from __future__ import annotations

import ctypes
import subprocess
from pathlib import Path
from typing import Any

import llvmlite.binding as llvm
import numpy as np
import pytest

import zeromass as zm
from cases import few
from study.test_gpu import needs_assembler, needs_card
from zeromass.codegen.passes import optimised
from zeromass.codegen.target import host
from zeromass.integrate import Settings
from zeromass.integrate.hybrid.members import Ending, Members
from zeromass.integrate.hybrid.motion import Driver
from zeromass.study.driven import DrivenMembers
from zeromass.study.gpu_switches import ENTRY, SwitchedThreads
from zeromass.study.lanes import Lanes
from zeromass.study.starts import Starts

x, y = zm.coordinates("x y")
v, w, μ = zm.rate(x), zm.rate(y), zm.parameter("mu", 0.3)


def block() -> tuple[zm.System, dict[Any, float]]:
    """Dry friction beside a spring: it swings and comes to rest."""
    return zm.System(kinetic=v**2 / 2, potential=5 * x**2, forces={x: -μ * 9.81 * np.sign(v)}), {x: 1.0, v: 1.0}


def pendulum() -> tuple[zm.System, dict[Any, float]]:
    """A constraint, dry friction, and a wall that is a spring."""
    forces = {x: -μ * np.sign(v) + 400 * np.maximum(-0.3 - x, 0.0)}
    rod = {"rod": x**2 + y**2 - 1}
    return zm.System(kinetic=(v**2 + w**2) / 2, potential=9.81 * y, constraints=rod, forces=forces), {x: 0.8, v: -0.5}


def saddle() -> tuple[zm.System, dict[Any, float]]:
    """Two switches at once: a motion that begins on both is decided by what follows."""
    return zm.System(kinetic=(v**2 + w**2) / 2, forces={x: -x + 1, y: -μ * np.sign(x) - np.abs(y)}), {x: 0.0, y: 0.0}


SYSTEMS = {"block": block, "pendulum": pendulum, "saddle": saddle}


class OnHost(Lanes):
    """A card that is this machine: the same code, in one thread."""

    left: int = 0

    def drive(self, driver: Driver, members: Members, tell: Any) -> None:
        threads = SwitchedThreads(driver)
        assert threads.serves
        target = host().scalar
        module, machine = optimised(threads.parts(target), target, (), 1)
        engine = llvm.create_mcjit_compiler(module, machine)
        engine.finalize_object()
        kinds = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64]
        call = ctypes.CFUNCTYPE(None, *kinds)(engine.get_function_address(ENTRY))
        own, queue = threads.block, np.zeros(1, dtype=np.int64)
        given = [own.words.ctypes.data, own.addresses.ctypes.data, len(own.addresses), members.image.ctypes.data]
        call(*given, queue.ctypes.data, len(members.t))
        members.next = len(members.t)
        self.left = int(np.count_nonzero(members.counts[:, 0] != Ending.FINISHED))


def moved(name: str, kind: type[Lanes], count: int = 12) -> tuple[Lanes, list[tuple[np.ndarray, Members]]]:
    system, first = SYSTEMS[name]()
    start = system.start(first)
    starts = Starts.of([start.again({μ: value}) for value in np.linspace(0.1, 0.9, count)])
    lanes = kind(zm.compile(system, start), Settings(rtol=1e-9, method="dop853"), system.events)
    assert system.pieces is not None
    members = DrivenMembers(system.pieces, lanes, 3.0)
    return lanes, list(members.moved(starts, np.arange(count), lambda more: None))


@pytest.mark.parametrize("name", few([*SYSTEMS], 2))
def test_a_thread_gives_the_bits_of_the_host(name: str) -> None:
    """Ends, steps, evaluations and the growth of the pivots, and which are left to be moved otherwise."""
    _, found = moved(name, OnHost)
    _, wanted = moved(name, Lanes)
    for (which, some), (these, others) in zip(found, wanted, strict=True):
        assert which.tolist() == these.tolist()
        for column in ("ends", "growth", "counts"):
            assert getattr(some, column).tobytes() == getattr(others, column).tobytes()


def test_what_has_no_room_in_a_thread_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    """With room for fewer steps than a piece has, and nothing written beside it."""
    monkeypatch.setattr("zeromass.study.gpu_switches.STEPS", 3)
    lanes, _ = moved("block", OnHost, 3)
    assert isinstance(lanes, OnHost)
    assert lanes.left == 3


@needs_assembler
@pytest.mark.slow
def test_the_assembler_takes_the_text(tmp_path: Path) -> None:
    texts: list[str] = []

    class Text(Lanes):
        def drive(self, driver: Driver, members: Members, tell: Any) -> None:
            texts.append(SwitchedThreads(driver).text)

    moved("pendulum", Text, 1)
    place = tmp_path / "threads.ptx"
    place.write_text(texts[0], encoding="utf-8")
    subprocess.run(["ptxas", "-arch=sm_90", str(place), "-o", str(tmp_path / "threads.cubin")], check=True)


@needs_card
@pytest.mark.parametrize("name", few([*SYSTEMS], 2))
def test_members_on_a_card_have_the_bits_of_cores(name: str) -> None:
    system, first = SYSTEMS[name]()
    start, over = system.start(first), {μ: np.linspace(0.1, 0.9, 300)}
    both = [
        zm.sweep(system, start, until=3.0, over=over, keep={"x": x, "v": v}, rtol=1e-9, on=on)
        for on in ("gpu", "cores")
    ]
    for column in ("x", "v", "steps", "evaluations", "outcome"):
        assert both[0][column].values.tobytes() == both[1][column].values.tobytes()
