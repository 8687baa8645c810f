"""The kernel for graphics cards: its logic on this machine, its text everywhere, itself where there is a card."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import zeromass as zm
from cases import few, spread
from study.test_lanes import CASES, bits, moved
from zeromass.codegen.cuda import cuda
from zeromass.integrate import Settings
from zeromass.study.gpu import Gpu
from zeromass.study.gpu_code import HostKernel, motion_of, ptx, written
from zeromass.study.gpu_driver import Card, NoCard
from zeromass.study.gpu_layout import Block, Cell
from zeromass.study.gpu_ready import Ready
from zeromass.study.lanes import Lanes
from zeromass.study.motions import motions
from zeromass.study.starts import Starts

pytestmark = pytest.mark.filterwarnings("ignore::zeromass.errors.RunStopped", "ignore::zeromass.errors.RunDoubtful")

COUNTS = {"balls": 6, "shells": 4, "pendula": 20, "wheels": 20, "cranks": 6, "cusps": 8, "slipping": 4}
COUNTS |= {"four_bars": 6, "pushed": 8, "stopped": 3}

HOPPER = 232448
"""Bytes that the threads of a block can share on an H200."""


def card() -> Card | None:
    try:
        return Card.first()
    except NoCard:
        return None


needs_card = pytest.mark.skipif(card() is None, reason="there is no graphics card of NVIDIA's here")
needs_assembler = pytest.mark.skipif(shutil.which("ptxas") is None, reason="ptxas, CUDA's assembler, is not installed")


class OnHost(Gpu):
    """A card that is this machine: the same kernel, in one thread."""

    shared: int | None = None

    drive = Lanes.drive

    def __init__(self, *arguments: Any) -> None:
        Lanes.__init__(self, *arguments)

    def launched(self, rows: np.ndarray, settings: np.ndarray, capacity: int) -> tuple[np.ndarray, np.ndarray]:
        block = None if self.shared is None else Block(1, self.shared)
        kernel = HostKernel(self, motion_of(self, capacity > 0), block)
        record = np.empty((capacity, 4 + self.places.order))
        steps = kernel(rows, settings, record)
        return rows, record[:steps] if steps <= capacity else np.empty((steps, record.shape[1]))


def settings(**others: Any) -> Settings:
    return Settings(rtol=1e-9, atol=1e-11, method="dop853", **others)


def lanes_of(name: str, count: int, kind: type[Lanes] = Lanes) -> tuple[Lanes, Any]:
    system, start, until, watched = CASES[name](count)
    program = zm.compile(system, start[0])
    return kind(program, settings(), [*system.events, *watched]), (system, start, until, watched)


@pytest.mark.parametrize(
    ("name", "recording"),
    spread([*[(name, False) for name in CASES], ("balls", True), ("pendula", True), ("cusps", True)], 3),
)
def test_kernel_gives_the_bits_of_the_lanes(name: str, recording: bool) -> None:
    """Members that finish, stop at events, cross singular positions, or leave for what only Python does."""
    threads, case = lanes_of(name, COUNTS[name], OnHost)
    _, start, until, watched = case
    found = motions(threads, Starts.of(start), until, watched=watched, recording=recording)
    assert bits(found) == bits(moved(case, threads.program, recording=recording))


@pytest.mark.slow
def test_bits_do_not_depend_on_where_numbers_stand(monkeypatch: pytest.MonkeyPatch) -> None:
    threads, case = lanes_of("shells", 2, OnHost)
    _, start, until, watched = case
    found = []
    for shared in (0, 1, 9, None):
        monkeypatch.setattr(OnHost, "shared", shared)
        found.append(bits(motions(threads, Starts.of(start), until, watched=watched)))
    assert found[1:] == found[:-1]


def test_without_projection() -> None:
    system, start, until, _ = CASES["balls"](3)
    program = zm.compile(system, start[0])
    both = [kind(program, settings(project=False), system.events) for kind in (OnHost, Lanes)]
    a, b = (motions(one, Starts.of(start), until) for one in both)
    assert bits(a) == bits(b)


def test_a_record_without_room_is_made_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("zeromass.study.gpu_lanes.STEPS", 3)
    threads, case = lanes_of("balls", 2, OnHost)
    _, start, until, _ = case
    found = motions(threads, Starts.of(start), until, recording=True)
    assert bits(found) == bits(moved(case, threads.program, recording=True))
    assert len(found.steps_of(0)) == found.steps[0]


def text(name: str, shared: int = HOPPER) -> tuple[str, Block]:
    lanes, _ = lanes_of(name, 1)
    block = Block.of(lanes.places, shared)
    return ptx(written(lanes, motion_of(lanes, False), block, cuda())), block


@pytest.mark.parametrize("name", few(["pendula", "shells"]))
def test_text_leaves_nothing_to_the_assembler(name: str) -> None:
    """Every sum and product says how it is rounded, so none is fused that is not on this machine; nothing is linked."""
    found, _ = text(name)
    assert ".visible .entry dop853_threads(" in found
    assert not re.findall(r"\b(?:add|sub|mul|fma)\.f64", found), "the assembler may fuse these"
    assert re.findall(r"\b(?:add|sub|mul)\.rn\.f64", found)
    guesses = r"(?:rcp|rsqrt)\.approx\.ftz\.f64"  # which quotients and roots begin with
    assert not re.findall(r"\bapprox\b|\bftz\b|\b(?:div|sqrt|rcp)\.rn", re.sub(guesses, "", found))
    assert not re.findall(r"\.extern \.func", found)
    assert len(re.findall(r"\.local .*depot", found)) == (name == "shells"), (
        "an array that has no room in shared memory"
    )


@needs_assembler
@pytest.mark.parametrize("name", few(["pendula", "shells"]))
def test_text_is_assembled(name: str, tmp_path: Path) -> None:
    found, block = text(name)
    (tmp_path / "kernel.ptx").write_text(found)
    command = ["ptxas", "-arch=sm_90", "-O1", "-o", str(tmp_path / "kernel.cubin"), str(tmp_path / "kernel.ptx")]
    subprocess.run(command, check=True, capture_output=True)
    assert (tmp_path / "kernel.cubin").stat().st_size > 0
    assert block.bytes <= HOPPER


def test_shared_memory_is_not_exceeded() -> None:
    for room in (49152, 101376, HOPPER):
        lanes, _ = lanes_of("shells", 1)
        block = Block.of(lanes.places, room)
        assert block.bytes <= room < block.bytes + 8 * block.threads * Cell.COUNT


def test_without_a_card_the_error_says_what_to_do() -> None:
    if card() is not None:
        pytest.skip("there is a card")
    x, v = zm.coordinate("x"), zm.parameter("v", 1.0)
    spring = zm.System(kinetic=zm.rate(x) ** 2 / 2, potential=x**2 / 2)
    start = spring.start({zm.rate(x): v})
    with pytest.raises(zm.errors.ModelError, match="on='cores'"):
        zm.sweep(spring, start, over={v: [1.0, 2.0]}, keep={"x": x}, until=1.0, on="gpu")


def study(on: Any) -> Any:
    """A study with all that can be kept, members without a start, and an event that ends some of them."""
    x, y = zm.coordinates("x y")
    length, side = zm.parameter("length", 1.0), zm.parameter("side", 0.5)
    rod = zm.System(M=np.eye(2), Q=[0, -9.81], coordinates=[x, y], constraints={"rod": x**2 + y**2 - length**2})
    start = rod.start({x: side}, guess={x: 0.5, y: -1.0})
    lowest = zm.Event("lowest", x, terminal=False)
    keep = {"y": y, "top": zm.study.largest(x), "mean": zm.study.mean(x), "at": zm.study.values_at(x, [0.3, 1.0])}
    keep |= {"first": zm.study.first_time(lowest)}
    over = {length: np.linspace(0.8, 1.6, 5), side: np.linspace(0.1, 0.9, 5)}
    return zm.sweep(rod, start, over=over, keep=keep, until=2.0, rtol=1e-9, on=on)


def same(a: Any, b: Any) -> None:
    assert set(a.variables) == set(b.variables)
    for name in a.variables:
        np.testing.assert_array_equal(a[name].values, b[name].values, err_msg=name)


class Standing(OnHost):
    """The same for a whole study: it needs no kernel before."""

    def written(self, recording: bool) -> Any:
        return recording

    def kernel(self, recording: bool) -> Any:
        return recording


@pytest.fixture
def in_the_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    """The whole way of `on="gpu"`, with this machine for a card, and few members at a time."""
    monkeypatch.setattr("zeromass.study.gpu.Gpu", Standing)
    monkeypatch.setattr("zeromass.study.gpu.RECORDED", 7)
    monkeypatch.setattr("zeromass.study.gpu_hands.PART", 4)


@pytest.mark.usefixtures("in_the_kernel")
@pytest.mark.parametrize("platform", ["linux", "elsewhere"])
def test_a_study_is_the_same_in_the_kernel(platform: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Made ready by copies of this process, and by threads."""
    if platform == "linux" and sys.platform != "linux":
        pytest.skip("copies of a process are for Linux")
    monkeypatch.setattr("zeromass.study.gpu_hands.sys", SimpleNamespace(platform=platform))
    same(study("gpu"), study("lanes"))


@pytest.mark.skipif(sys.platform != "linux", reason="copies of a process are for Linux")
@pytest.mark.usefixtures("in_the_kernel")
def test_copies_that_are_killed_lose_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    here, make = os.getpid(), Ready.make

    def killed(self: Ready, first: int, last: int) -> dict[int, str]:
        if os.getpid() != here:
            os.kill(os.getpid(), signal.SIGKILL)
        return make(self, first, last)

    monkeypatch.setattr(Ready, "make", killed)
    same(study("gpu"), study("lanes"))


@needs_card
def test_a_study_is_the_same_on_a_card() -> None:
    same(study("gpu"), study("lanes"))


@needs_card
@pytest.mark.parametrize("name", CASES)
def test_card_gives_the_bits_of_the_lanes(name: str) -> None:
    threads, case = lanes_of(name, COUNTS[name], Gpu)
    _, start, until, watched = case
    found = motions(threads, Starts.of(start), until, watched=watched)
    assert bits(found) == bits(moved(case, threads.program))
